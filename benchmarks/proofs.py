"""Logs with a tree, and findings that prove themselves: what recording, proving and verifying cost.

python -m benchmarks.proofs [FINDINGS]; CPU seconds. Recording in turns, as ratios to a sealed log.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TypeVar

import xmlcep
from path_types import PathType
from xmlcep.auditing import audit
from xmlcep.auditing.proving import Checker, check_lines, prove
from xmlcep.events import PrimitiveEvent
from xmlcep.log.records import Header, change_record
from xmlcep.log.tree import verify_tree
from xmlcep.log.writing import create_log
from xmlcep.proofs import Signing
from xmlcep.proofs.keys import write_keys
from xmlcep.proofs.notes import PrivateKey

from .measure import measure

RULES = "event Complete = ins(item/price) & ins(item/quantity)"
EDITS = 20_000
TOGETHER = 1000  # records a write
T = TypeVar("T")


def recording(folder: Path, key: Path) -> None:
    """Single edits, sealed, with a signed tree, and erasable."""
    options: dict[str, dict[str, object]] = {
        "sealed": {"seal": True}, "with a signed tree": {"tree": key}, "erasable": {"erasable": True},
        "erasable, with a signed tree": {"erasable": True, "tree": key},
    }  # fmt: skip
    timings = measure({name: partial(_record, folder, given) for name, given in options.items()}, runs=5)
    for name, timing in timings.items():
        ratio = timing.median / timings["sealed"].median
        print(f"recorded, {name}: {timing.median / EDITS * 1e6:.1f} µs an edit, {ratio:.2f} x sealed")


def _record(folder: Path, options: dict[str, object]) -> None:
    log = folder / "recorded.jsonl"
    log.unlink(missing_ok=True)
    shutil.rmtree(folder / "recorded.jsonl.tree", ignore_errors=True)
    document = xmlcep.fromstring("<order><item/></order>", name="order")
    with document, xmlcep.record(document, log, durability="os", **options):  # type: ignore[arg-type]
        item = document.root[0]
        for number in range(EDITS):
            item.set("price", str(number))


def proofs(folder: Path, key: PrivateKey, findings: int) -> None:
    """As many findings, of three entries and more each, proved and verified."""
    log, out, rules = folder / "orders.jsonl", folder / "proofs.jsonl", xmlcep.parse_rules(RULES)
    paths = [PathType.parse(f"/order/item{below}") for below in ("", "/price", "/quantity")]
    with create_log(log, Header("order"), seal=True, tree=Signing(key)) as writer:
        for first in range(0, findings, TOGETHER):
            writer.write_records(
                change_record(
                    PrimitiveEvent(
                        3 * number + kind + 1, "ins", paths[kind],
                        (1, 3 * number + 2) if not kind else (1, 3 * number + 2, 3 * number + 2 + kind), doc="order",
                    )
                )
                for number in range(first, first + TOGETHER)
                for kind in range(3)
            )  # fmt: skip
        writer.checkpoint()
    result = _timed("audited", lambda: audit(log, rules, engine="local"), findings)
    made = _timed("proved", lambda: prove(result.records(), log, rules, out), findings)
    print(f"{made.bundles:,} bundles, {out.stat().st_size / made.bundles:,.0f} bytes each")
    _timed("the tree of the log verified", lambda: verify_tree(log, keys=[key.public]), 3 * findings + 1)
    for name, checker in (
        ("verified", Checker([key.public])), ("verified and replayed", Checker([key.public], rules=rules)),
    ):  # fmt: skip
        with out.open("rb") as lines:
            errors = _timed(name, lambda: sum(map(bool, check_lines(lines, checker))), findings)  # noqa: B023
        assert not errors


def _timed(name: str, call: Callable[[], T], count: int) -> T:
    started = process_time()
    found = call()
    seconds = process_time() - started
    print(f"{name}: {seconds:.2f} s, {seconds / count * 1e6:.1f} µs each", flush=True)
    return found


def main() -> None:
    """Everything."""
    with TemporaryDirectory() as folder:
        key = PrivateKey.new("orders")
        write_keys(key, Path(folder) / "key")
        recording(Path(folder), Path(folder) / "key")
        proofs(Path(folder), key, int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)


if __name__ == "__main__":
    main()
