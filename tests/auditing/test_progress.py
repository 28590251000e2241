"""How far an audit is: steps, what is read of files, and what the local engine says of it."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from tests.auditing.logs import write_log
from tests.auditing.test_agreement import ORDER_RULES, lines_of, orders
from xmlcep.auditing import audit, inputs, splits
from xmlcep.auditing.inputs import LogFile
from xmlcep.auditing.progress import Advance, Reading, Steps
from xmlcep.events import PrimitiveEvent
from xmlcep.log import LogError
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.records import Header
from xmlcep.rules import parse_rules

if TYPE_CHECKING:
    pass

RULES = parse_rules("event Complete = ins(item) ; ins(item/price)")


def stages(told: Iterable[Advance]) -> list[str]:
    """The steps in their order, as a bar shows them at their ends."""
    last = {each.step: f"{each.stage} {each.step}/{each.steps}" for each in told}
    return [last[step] for step in sorted(last)]


def assert_goes_on(told: list[Advance]) -> None:
    """Fails unless every step begins at 0, and neither steps nor their shares go back."""
    for before, each in zip([None, *told], told, strict=False):
        assert 0 <= each.done <= 1 and 1 <= each.step <= each.steps
        if before is None or each.step != before.step:
            assert each.done == 0 and each.step == (before.step + 1 if before else 1)
        else:
            assert each.done >= before.done and each.records >= before.records


# ---- the local engine -----------------------------------------------------------------------------------


def test_steps_are_numbered_and_can_become_more() -> None:
    told: list[Advance] = []
    steps = Steps(told.append, ("reading", "writing"))
    steps.begin()
    steps.tell(0.5, 10)
    steps.insert("sorting", "replaying")
    steps.begin(total=10)
    steps.tell(1.5, 10, 10)
    assert told == [
        Advance("reading", 1, 2, 0.0, 0),
        Advance("reading", 1, 2, 0.5, 10),
        Advance("sorting", 2, 4, 0.0, 0, 10),
        Advance("sorting", 2, 4, 1.0, 10, 10),
    ]
    steps = Steps(None, ())
    steps.begin()
    steps.tell(0.5, 10)
    assert not steps.told


@dataclass
class At:
    """A reader that is at this byte."""

    position: int


def test_how_much_of_several_files_is_read() -> None:
    files = [LogFile(0, "a", "plain", 100, "a"), LogFile(1, "b", "gzip", 300, "b")]
    reading = Reading(files)
    assert (reading.done, reading.total) == (0.0, None)
    reading.begin(files[0], At(50))
    assert reading.done == 0.125
    reader = At(0)
    reading.begin(files[1], reader)
    assert reading.done == 0.25
    reader.position = 999  # never more than there was when the audit began
    assert reading.done == 1.0


def parquet(path: Path, doc: str, count: int) -> Path:
    with ParquetWriter(path, Header(doc)) as writer:
        writer.write_all([PrimitiveEvent.from_record(record) for record in orders(doc, count)])
    return path


def test_parquet_files_say_how_many_records_they_have(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    files = inputs.find_files(
        [parquet(tmp_path / "a.parquet", "a", 60), parquet(tmp_path / "b.parquet", "b", 40)]
    ).files
    reading = Reading(files)
    assert reading.total == len(orders("a", 60)) + len(orders("b", 40))
    reading.begin(files[0], At(0))
    reading.records = len(orders("a", 60)) // 2
    assert reading.done == pytest.approx(files[0].size / 2 / (files[0].size + files[1].size), rel=0.05)
    (tmp_path / "b.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(LogError, match=r"b\.parquet: not a readable Parquet file"):
        Reading(files)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.parquet"])
def test_the_local_engine_tells_what_it_reads(tmp_path: Path, name: str) -> None:
    records = orders("a", 200)
    log = tmp_path / name
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
        parquet(log, "a", 200)
    else:
        content = b"".join(line + b"\n" for line in lines_of(records))
        log.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    told: list[Advance] = []
    with mock.patch.object(splits, "LINES_BLOCK", 50), mock.patch.object(splits, "ARROW_BLOCK", 50):
        audit(log, RULES, progress=told.append)
    assert_goes_on(told)
    assert stages(told) == ["reading 1/2", "writing 2/2"]
    reading = [each for each in told if each.step == 1]
    assert [each.records for each in reading] == [0, 50, 100, 150, 200, len(records)]
    assert reading[-1].done == 1.0 and told[-1].done == 1.0
    assert {each.total for each in reading} == {len(records) if name.endswith("parquet") else None}
    assert told[-1].records == told[-1].total == len(records)


@pytest.mark.parametrize("rules", [RULES, ORDER_RULES])
def test_what_has_to_be_sorted_takes_steps_of_its_own(tmp_path: Path, rules: Any) -> None:
    records = orders("a", 100) + orders("b", 100)
    records[150], records[151] = records[151], records[150]
    log = write_log(tmp_path / "log.jsonl", lines_of(records))
    told: list[Advance] = []
    with mock.patch("xmlcep.auditing.local.engine._TOLD", 40):
        audit(log, rules, progress=told.append)
    assert_goes_on(told)
    assert stages(told) == ["reading 1/2", "sorting 2/4", "replaying 3/4", "writing 4/4"]
    last = {each.stage: each for each in told}
    assert last["sorting"].records == len(records) and last["sorting"].done == 1.0
    assert [each.records for each in told if each.stage == "replaying"] == [0, 0, 40, 80]
    assert last["replaying"].total == len(orders("b", 100))


def test_what_progress_raises_ends_the_audit(tmp_path: Path) -> None:
    def refuse(_: Advance) -> None:
        raise ValueError("enough")

    log = write_log(tmp_path / "log.jsonl", lines_of(orders("a")))
    with pytest.raises(ValueError, match="enough"):
        audit(log, RULES, out=tmp_path / "out.jsonl", progress=refuse)
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


@pytest.mark.parametrize("disordered", [False, True])
@pytest.mark.parametrize("ignore_whitespace", [False, True])
def test_seconds_are_those_of_the_replay(tmp_path: Path, disordered: bool, ignore_whitespace: bool) -> None:
    ticks = iter(range(10**6))
    records = lines_of(orders("a")) + lines_of(orders("b"))
    if disordered:
        records[80], records[81] = records[81], records[80]
    log = write_log(tmp_path / "log.jsonl", records)
    with mock.patch("xmlcep.auditing.local.engine.perf_counter", lambda: float(next(ticks))):
        summary = audit(log, RULES, ignore_whitespace=ignore_whitespace).summary
    seconds = {doc: each.seconds for doc, each in summary.documents.items()}
    assert all(each > 0 for each in seconds.values()) and set(seconds) == {"a", "b"}
    assert summary.replay_seconds == sum(seconds.values()) <= next(ticks)
    described = summary.to_record()
    assert [each["seconds"] for each in described["documents"]] == [
        round(seconds[doc], 6) for doc in sorted(seconds)
    ]
    assert all("seconds" not in each.to_record() for each in summary.documents.values())
