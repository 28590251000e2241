"""Rules in operation: one of 200 rules replaced while groups wait, records held above a gap, and gone back for.

``python -m benchmarks.operation [GROUPS] [RECORDS]``. Each is CPU time, and the ratio to something in the same run:
to feeding the changes that wait, and to auditing the records as they come in order.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from xmlcep import audit, parse_rules
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import change_record
from xmlcep.rules import Rules

RULES = 200


def main(groups: str = "100000", records: str = "10000") -> None:
    """Prints the figures."""
    fed, replaced = replace_one(int(groups))
    print(
        f"replace one of {RULES} rules, {int(groups):,} waiting groups: {_beside(replaced, fed, 'feeding them')}"
    )
    plain, held, restarted = held_records(int(records))
    print(f"hold {int(records):,} records above a gap: {_beside(held, plain, 'their audit in order')}")
    print(
        f"go back for a record that {int(records):,} came before: {_beside(restarted, plain, 'their audit in order')}"
    )


def replace_one(groups: int) -> tuple[float, float]:
    """Seconds of feeding so many groups their first change, and of replacing a rule then."""
    detector = Detector(_rules("b"))
    events = [_change(number, f"a{number % RULES}") for number in range(groups)]
    fed = _seconds(lambda: [detector.feed(event) for event in events])
    later = _rules("c")
    replaced = _seconds(lambda: detector.replace(later))
    assert len(detector.feed(_change(groups, "b1", item=1))) == 1, (
        "the group of item 1 has lost its first change"
    )
    return fed, replaced


def held_records(records: int) -> tuple[float, float, float]:
    """Seconds of two runs over records: in order, the first after all others and these held, and gone back for."""
    rules = _rules("b")
    first, *others = [FASTEST.dumps(change_record(_change(n, f"a{n % RULES}"))) for n in range(records + 1)]
    with tempfile.TemporaryDirectory() as name:
        return (
            _audited(Path(name) / "plain", rules, [[first], others]),
            _audited(Path(name) / "wait", rules, [others, [first]], late="wait"),
            _audited(Path(name) / "restart", rules, [others, [first]], late="restart"),
        )


def _audited(folder: Path, rules: Rules, parts: Sequence[Sequence[bytes]], **options: str) -> float:
    logs = folder / "logs"
    logs.mkdir(parents=True)
    seconds = 0.0
    for number, lines in enumerate(parts):
        (logs / f"{number}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        seconds += _seconds(
            lambda: audit(logs, rules, since=folder / "state", out=folder / "findings.jsonl", **options)  # type: ignore[arg-type]
        )
    return seconds


def _rules(last: str) -> Rules:
    """Rules that take an item's first and second part; the second of the last one has another name."""
    seconds = ["b"] * (RULES - 1) + [last]
    return parse_rules(
        "\n".join(
            f"event E{number} = ins(item/a{number}) & ins(item/{second}{number})"
            for number, second in enumerate(seconds)
        )
    )


def _change(number: int, name: str, item: int | None = None) -> PrimitiveEvent:
    ids = [1, 10_000_000 + (number if item is None else item), 2 + number]
    record = {"doc": "d", "ts": number + 1, "op": "ins", "path": f"/order/item/{name}", "ids": ids}
    return PrimitiveEvent.from_record(record)


def _seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def _beside(seconds: float, other: float, what: str) -> str:
    return f"{seconds:.2f} s, {seconds / other:.2f} times {what}"


if __name__ == "__main__":
    main(*sys.argv[1:3])
