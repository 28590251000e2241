"""Replaying each key by itself finds what one replay in order finds (docs/audit.md, put to the test)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.auditing.logs import documents, interleaved, with_clocks, write_log
from tests.auditing.resting_documents import tired
from tests.auditing.simulation import simulate
from tests.strategies import rule_sets
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.inputs import find_files
from xmlcep.auditing.local.engine import LocalAudit
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.checking.left_out import LeftOut
from xmlcep.rules import Rules

Outcome = tuple[list[bytes], list[object], object]


def both_ways(
    logs: list[Path], rules: Rules, *, split_bytes: int, batch: int, operators: bool,
    on_bad: OnBadRecord = OnBadRecord.SKIP, rest: bool = False, **more: int | None,
) -> tuple[Outcome, Outcome]:  # fmt: skip
    """Findings, quarantine and documents of the local audit (in which documents ``rest`` if they can) and of the
    simulated distributed one."""
    local = found_locally(logs, rules, operators=operators, on_bad=on_bad, rest=rest)
    return local, found_in_parts(
        logs, rules, split_bytes=split_bytes, batch=batch, operators=operators, on_bad=on_bad,
        **more,
    )  # fmt: skip


def found_locally(
    logs: list[Path], rules: Rules, *, operators: bool, on_bad: OnBadRecord = OnBadRecord.SKIP,
    rest: bool = False,
) -> Outcome:  # fmt: skip
    """What the local audit finds, which no size is told; documents ``rest`` if they can."""

    def run(collector: Collector, spool: Spool) -> list[bytes]:
        with tired(rest):
            LocalAudit(rules, collector, operators=operators).run(find_files(logs).files)
        return [line for _, text in spool.findings() for line in text.splitlines()]

    return _outcome(rules, on_bad, run)


def found_in_parts(
    logs: list[Path], rules: Rules, *, split_bytes: int, batch: int, operators: bool,
    on_bad: OnBadRecord = OnBadRecord.SKIP, **more: int | None,
) -> Outcome:  # fmt: skip
    """What the simulated distributed audit finds."""

    def run(collector: Collector, _: Spool) -> list[bytes]:
        return simulate(
            logs, rules, collector, split_bytes=split_bytes, batch=batch, operators=operators,
            **more,
        )  # fmt: skip

    return _outcome(rules, on_bad, run)


def _outcome(rules: Rules, on_bad: OnBadRecord, run: Callable[[Collector, Spool], list[bytes]]) -> Outcome:
    with Spool() as spool:
        summary = Summary("test")
        collector = Collector(spool, summary, on_bad)
        lines = run(collector, spool)
        withheld = collector.quarantine.settle()
        described = {doc: each.to_record() for doc, each in summary.documents.items()}
        said = list(LeftOut(rules).by_event(collector.left_out))
        return lines, list(spool.bad()), (described, withheld, said)


@settings(max_examples=45)
@given(rule_sets(), st.data(), st.booleans())
def test_keys_by_themselves_find_what_the_whole_finds(definitions, data, operators) -> None:
    rules = Rules.from_definitions(definitions)
    log = data.draw(documents().flatmap(interleaved).flatmap(with_clocks))
    lost = data.draw(st.one_of(st.just(set[int]()), st.sets(st.integers(0, len(log)), max_size=4)))
    log = [item for number, item in enumerate(log) if number not in lost]
    if not log:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = write_log(Path(folder) / "log.jsonl", log)
        local, distributed = both_ways(
            [path], rules, split_bytes=data.draw(st.sampled_from((200, 900, 10**6))),
            batch=data.draw(st.sampled_from((1, 5, 1000))), operators=operators,
            partitions=data.draw(st.sampled_from((1, 3, 50))), large=data.draw(st.sampled_from((None, 0, 3))),
            rest=data.draw(st.booleans()),
        )  # fmt: skip
    assert distributed == local
