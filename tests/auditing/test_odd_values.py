"""Values at the edge of what a log can hold: both ways to audit see them alike."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from tests.auditing.test_partitioning import Outcome, both_ways, found_in_parts, found_locally
from xmlcep.auditing import OutputError, audit, splits
from xmlcep.log.json_codec import FASTEST, STANDARD
from xmlcep.rules import Rules, parse_rules

HEADER = b'{"xmlcep":1,"doc":"d","snapshot":"<order/>","ids":[1],"ts":0}'

# Read as columns, with markers, with conditions and a second level, and one that none of the records fits.
RULES = {
    "plain": parse_rules("event A = ins(item) ; ins(item/price)"),
    "markers": parse_rules("event A {end=custom} = ins(item/price) & ins(item/quantity)"),
    "conditions": parse_rules(
        'event A {when="true()"} = ins(item/price) | ins(item/quantity)\n'
        "event B(order) {end=non-local} = x[1,*] A(item)"
    ),
    "none": parse_rules("event A = ins(nothing) ; ins(nothing/x)"),
}


def record(ts: int, **more: str) -> bytes:
    """A record as JSON text; ``more`` are JSON texts, too."""
    paths = ("item", "item/price", "item/quantity")
    fields = {
        "doc": '"d"', "ts": str(ts), "op": '"ins"', "path": f'"/order/{paths[(ts - 1) % 3]}"',
        "ids": "[1,2]" if ts % 3 == 1 else f"[1,2,{ts}]", "value": "null", "old": "null", "pos": "0", "at": "null",
        "txn": "null", "meta": "null", **more,
    }  # fmt: skip
    return ("{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}").encode()


def three(**more: str) -> list[bytes]:
    """An item with price and quantity."""
    return [record(ts, **more) for ts in (1, 2, 3)]


def outcome(log: Path, lines: list[bytes], rules: Rules) -> Outcome:
    """What is found in these lines, whatever the codec and the cuts."""
    log.write_bytes(b"\n".join(lines) + b"\n")
    outcomes = []
    small, whole = (150, 1), (10**6, 1000)
    for codec, all_cuts in ((FASTEST, (whole, small)), (STANDARD, (small,))):
        with mock.patch.object(splits, "FASTEST", codec):
            outcomes.append(found_locally([log], rules, operators=True))
            for split_bytes, batch in all_cuts:
                outcomes.append(
                    found_in_parts(
                        [log], rules, split_bytes=split_bytes, batch=batch, operators=True,
                    )
                )  # fmt: skip
    assert all(each == outcomes[0] for each in outcomes)
    return outcomes[0]


def arranged(lines: list[bytes]) -> list[list[bytes]]:
    """The lines in order; in disorder, each twice, and all once more."""
    return [lines, [line for line in lines[::-1] for _ in range(2)] + lines]


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize(
    ("field", "text", "good"),
    [
        ("value", r'"\ud800"', False),
        ("at", r'"\udfff"', False),
        ("doc", r'"\ud800"', False),
        ("at", r'"\ud83d\ude00"', True),
        ("doc", '""', True),
        ("doc", r'"a\nb\u0000"', True),
        ("pos", str(2**63), False),
        ("pos", str(-(2**63)), True),
        ("txn", str(2**63 - 1), True),
        ("txn", str(2**63), False),
        ("txn", str(-(2**63)), True),
        ("txn", str(2**64), False),
    ],
)
def test_a_value(tmp_path: Path, rules: Rules, field: str, text: str, good: bool) -> None:
    for lines in arranged(three(**{field: text})):
        found, bad, _ = outcome(tmp_path / "log.jsonl", lines, rules)
        if good:
            assert len(bad) == len(lines) - 3 and bool(found) == (rules is not RULES["none"])
        else:
            assert len(bad) == len(lines) and not found


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("item", [0, -1, -(2**63), 2**63 - 1])
def test_ids(tmp_path: Path, rules: Rules, item: int) -> None:
    in_item = [f"[1,{item}]", f"[1,{item},7]", f"[1,{item},8]"]
    for lines in arranged([record(ts, ids=ids) for ts, ids in enumerate(in_item, start=1)]):
        found, bad, _ = outcome(tmp_path / "log.jsonl", lines, rules)
        assert len(bad) == len(lines) - 3 and bool(found) == (rules is not RULES["none"])


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_documents_without_good_records(tmp_path: Path, rules: Rules) -> None:
    bad_ones = [record(1, op='"gone"', doc='"e"'), record(2, ids="[]", doc='"e"'), record(0, doc='"e"')]
    for lines in arranged(bad_ones):
        found, bad, (described, *_) = outcome(tmp_path / "log.jsonl", lines, rules)
        assert not found and len(bad) == len(lines) and described["e"]["records"] == 0
    found, bad, (described, *_) = outcome(tmp_path / "log.jsonl", bad_ones + three(), rules)
    assert bool(found) == (rules is not RULES["none"]) and len(bad) == 3
    assert described["d"]["records"] == 3 and described["e"]["quarantined"] == 3


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_header_alone(tmp_path: Path, rules: Rules) -> None:
    assert outcome(tmp_path / "log.jsonl", [HEADER], rules) == ([], [], ({}, set(), []))


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_an_unsigned_column_of_transactions(tmp_path: Path, rules: Rules) -> None:
    """A Parquet file may have one; beyond 63 bits a record is bad, as it is in JSON."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    numbers = [4, 2**63 - 1, 2**63 - 1, 2**63, 4]
    table = pa.table(
        {
            "doc": ["d"] * 5, "ts": [1, 2, 3, 4, 5], "op": ["ins"] * 5, "txn": pa.array(numbers, pa.uint64()),
            "path": ["/order/item", "/order/item/price", "/order/item/quantity", "/order/item", "/order/item"],
            "ids": [[1, 2], [1, 2, 3], [1, 2, 4], [1, 5], [1, 6]],
        }
    )  # fmt: skip
    log = tmp_path / "log.parquet"
    pq.write_table(table, log)
    local, distributed = both_ways([log], rules, split_bytes=10**6, batch=100, operators=False)
    assert distributed == local
    found, bad, _ = local
    assert [FASTEST.loads(line)["record"] for *_, line in bad] == [4]
    assert bool(found) == (rules is not RULES["none"])


@pytest.mark.parametrize("levels", [2, 126, 127, 128, 200, 600])
def test_events_built_on_each_other_are_written_or_refused(tmp_path: Path, levels: int) -> None:
    """A finding holds the findings it is made of; what writes JSON goes down so far and no further."""
    rules = "event E0 = ins(item)\n" + "".join(
        f"event E{number} = E{number - 1}(item) | del(item/price)\n" for number in range(1, levels)
    )
    log = tmp_path / "log.jsonl"
    log.write_text('{"doc":"d","ts":1,"op":"ins","path":"/a/item","ids":[1,2]}\n')
    out = tmp_path / "found.jsonl"
    if levels > 500:
        with pytest.raises(
            OutputError, match=r"a finding of E\d+ cannot be written: events are nested in it about 300 deep"
        ):
            audit(log, parse_rules(rules), engine="local", out=out)
        return
    audit(log, parse_rules(rules), engine="local", out=out)
    last = STANDARD.loads(out.read_bytes().splitlines()[-1])
    depth = 0
    while "constituents" in last:
        (last,) = last["constituents"]
        depth += 1
    assert depth == levels
