"""Clock records (W6) and edits (U1) in logs: written, read, kept in order, and not left open by a crash."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from path_types import PathType
from tests.log.helpers import read
from tests.log.models import RecordedDocument
from xmlcep.events import PrimitiveEvent
from xmlcep.log import LogError, read_columns
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.records import ClockRecord, Header, change_record
from xmlcep.log.seal import verify
from xmlcep.recording import rebuild
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import fromstring

NOON, LATER, EVENING = "2026-01-01T12:00:00Z", "2026-01-01T14:00:00.5+02:00", "2026-01-01T20:00:00Z"


def change(ts: int, *, doc: str = "d", txn: int | None = None, more: bool = False) -> PrimitiveEvent:
    path = PathType.parse("/a" if ts == 1 else "/a/b")
    ids = (1,) if ts == 1 else (1, ts)
    return PrimitiveEvent(ts, "ins", path, ids, pos=0, at=NOON, doc=doc, txn=txn, more=more)


Item = PrimitiveEvent | ClockRecord
GOOD: list[Item] = [
    ClockRecord("d", 0, "1999-12-31T23:59:60Z"), change(1), ClockRecord("d", 1, NOON), ClockRecord("d", 1, LATER),
    change(1, doc="e"), change(2, txn=4), change(3, txn=4), ClockRecord("d", 3, NOON), ClockRecord("e", 1, NOON),
    change(4, more=True), change(5),
]  # fmt: skip


def write(folder: Path, kind: str, items: Sequence[Item]) -> Path:
    log = folder / f"log.{kind}"
    if kind == "jsonl":
        records = [
            item.to_record() if isinstance(item, ClockRecord) else change_record(item) for item in items
        ]
        log.write_bytes(b"".join(FASTEST.dumps(each) + b"\n" for each in records))
        return log
    pytest.importorskip("pyarrow")
    with ParquetWriter(log, group_size=4) as writer:
        writer.write_all(items)
    return log


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_they_are_read_as_they_were_written(tmp_path: Path, kind: str) -> None:
    log = write(tmp_path, kind, GOOD)
    assert read(log) == (GOOD, [])
    batches = [item if isinstance(item, ClockRecord) else len(item.rows) for item in read_columns(log)]  # type: ignore[union-attr]
    assert sum(each for each in batches if isinstance(each, int)) == 6
    assert [each for each in batches if isinstance(each, ClockRecord)] == [
        item for item in GOOD if isinstance(item, ClockRecord)
    ]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("items", "wrong", "reason"),
    [
        ([change(1), change(2), ClockRecord("d", 1, NOON)], 3, "ts of a clock record is 1 after 2 of the same"),
        ([change(1), ClockRecord("d", 2, NOON), change(2)], 2, "ts of a clock record is 2 before 2 of the same"),
        (
            [change(1), ClockRecord("d", 1, EVENING), ClockRecord("d", 1, LATER)], 2,
            r"at of a clock record is 2026-01-01T20:00:00Z before 2026-01-01T14:00:00.5\+02:00",
        ),
        (
            [*map(change, range(1, 9)), ClockRecord("d", 9, NOON), change(9), ClockRecord("d", 9, EVENING)], 9,
            "ts of a clock record is 9 before 9 of the same document",
        ),
        ([change(1), ClockRecord("d", 1, NOON), ClockRecord("d", 3, NOON), change(2), change(3)], 3, "is 3 before 2"),
    ],
)  # fmt: skip
def test_out_of_order_one_is_bad(
    tmp_path: Path, kind: str, items: list[Item], wrong: int, reason: str
) -> None:
    log = write(tmp_path, kind, items)
    good, bad = read(log)
    assert good == [item for number, item in enumerate(items, 1) if number != wrong]
    assert [each.origin.record for each in bad] == [wrong]
    with pytest.raises(LogError, match=reason):
        rebuild(log)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"at": None}, "at of a clock record is None: expected a time such as 2026-01-31T12:00:00Z"),
        ({"at": "noon"}, "at of a clock record: 'noon' is not a time: expected RFC 3339"),
        ({"at": "2026-02-30T00:00:00Z"}, "'2026-02-30T00:00:00Z' is not a time: day"),
        ({"ts": -1}, "ts of a clock record is -1: expected a whole number from 0 on"),
        ({"ts": 2**63}, "ts of a clock record is 9223372036854775808"),
        ({"doc": 5}, "doc is 5: expected a string or null"),
        ({"doc": None}, "doc is missing"),
        ({"clock": "yes"}, "clock is 'yes': expected true, or no such field"),
        (
            {"op": "ins", "path": "/a", "ids": [1]},
            "clock is true and there is an op: a clock record says nothing",
        ),
    ],
)
def test_bad_clock_records(tmp_path: Path, fields: dict[str, Any], reason: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(FASTEST.dumps({"doc": "d", "ts": 0, "at": NOON, "clock": True} | fields))
    _, (bad,) = read(log)
    assert reason in bad.reason


def test_a_change_record_that_is_a_clock_record_too_is_neither(tmp_path: Path) -> None:
    record_of_both = dict(change_record(change(1))) | {"clock": True}
    log = tmp_path / "log.jsonl"
    log.write_bytes(FASTEST.dumps(record_of_both))
    _, (bad,) = read(log)
    assert "clock is true and there is an op" in bad.reason
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([record_of_both]), tmp_path / "log.parquet")
    _, (bad,) = read(tmp_path / "log.parquet")
    assert "clock is true and there is an op" in bad.reason


def test_one_without_a_document_is_of_that_of_the_header(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    header = Header("h").to_record()
    clock = {"ts": 0, "at": NOON, "clock": True}
    log.write_bytes(FASTEST.dumps(header) + b"\n" + FASTEST.dumps(clock))
    assert read(log) == ([Header("h"), ClockRecord("h", 0, NOON)], [])


def test_they_are_recorded_and_sealed(tmp_path: Path) -> None:
    document = RecordedDocument(4)
    log = tmp_path / "log.jsonl"
    with record(document, log, seal=True) as recording:
        recording.record_clock(NOON)
        document.change()
        first = document.clock
        recording.record_clock(NOON)
        recording.record_clock(LATER)
        with pytest.raises(LogError, match=r"it cannot be 2026-01-01T12:00:00Z, for it was 2026-01-01T14"):
            recording.record_clock(NOON)
        with pytest.raises(LogError, match="at of a clock record: 'soon' is not a time"):
            recording.record_clock("soon")
    with record(document, log, seal=True) as recording:  # knows what the log says last
        with pytest.raises(LogError, match="it cannot be"):
            recording.record_clock(NOON)
        recording.record_clock(EVENING)
        document.change()
    items, bad = read(log)
    clocks = [(item.ts, item.at) for item in items if isinstance(item, ClockRecord)]
    assert bad == [] and clocks[1:] == [(first, NOON), (first, LATER), (first, EVENING)]
    assert verify(log).length == len(items)
    altered = log.read_bytes().replace(b"20:00:00Z", b"21:00:00Z")
    log.write_bytes(altered)
    with pytest.raises(LogError, match="was altered"):
        verify(log)


def test_time_does_not_advance_in_a_transaction(tmp_path: Path) -> None:
    document = fromstring("<a/>", name="d")
    log = tmp_path / "log.jsonl"
    with record(document, log) as recording:
        for immediate in (False, True):
            with document.transaction(immediate=immediate):
                etree.SubElement(document.root, "b")
                with pytest.raises(LogError, match="time does not advance in a transaction"):
                    recording.record_clock(NOON)
        recording.record_clock(NOON)
    assert [type(item) for item in read(log)[0]][-1] is ClockRecord
    document.close()


def test_recovery_and_rebuilding_go_past_them(tmp_path: Path) -> None:
    document = fromstring("<a/>", name="d", now=lambda: 0.0)
    log = tmp_path / "log.jsonl"
    with record(document, log, max_bytes=400) as recording:
        for _ in range(5):
            recording.record_clock(NOON)
            etree.SubElement(document.root, "b")
            recording.record_clock(NOON)
    document.close()
    with recover(log) as recovered:
        assert len(recovered.document.root) == 5
        recovered.recording.record_clock(NOON)
    assert len(rebuild(log)) == 5 and len(rebuild(log, 3)) == 3


def test_one_in_a_transaction_is_named_at_recovery(tmp_path: Path) -> None:
    log = write(tmp_path, "jsonl", [change(1, txn=1), ClockRecord("d", 1, NOON), change(2, txn=1), change(3)])
    with pytest.raises(
        LogError, match=r"log.jsonl:2: a clock record in a transaction, which goes on at .*log.jsonl:3"
    ):
        recover(log)


@pytest.mark.parametrize("seal", [False, True])
@pytest.mark.parametrize("at", [None, NOON])
def test_an_edit_that_a_crash_has_cut_in_half_ends_there(tmp_path: Path, seal: bool, at: str | None) -> None:
    """U1: what is recorded next must not seem to belong to it."""
    log = tmp_path / "log.jsonl"
    document = fromstring("<a/>", name="d", now=lambda: 0.0)
    with record(document, log, seal=seal) as recording:
        etree.SubElement(document.root, "b")
        half = PrimitiveEvent(2, "ins", PathType.parse("/a/c"), (1, 9), pos=1, at=at, doc="d", more=True)
        recording.writer.write_records([change_record(half)])
    document.close()
    with recover(log) as recovered:
        assert [repair.reason for repair in recovered.repairs] == [
            "an edit was not written completely: a clock record ends it"
        ]
        etree.SubElement(recovered.document.root, "e")
    *_, last, clock, following = read(log)[0]
    assert last == half and clock == ClockRecord("d", 2, at or "1970-01-01T00:00:00Z")
    assert isinstance(following, PrimitiveEvent) and following.ts == 3
    if seal:
        verify(log)
    with recover(log) as recovered:
        assert recovered.repairs == () and len(recovered.document.root) == 3


def test_the_edits_of_a_recording_are_in_its_log(tmp_path: Path) -> None:
    document = RecordedDocument(7)
    with record(document, tmp_path / "log.jsonl", max_bytes=300):
        while not any(event.more for event in document.history[-20:]):
            document.change()
    records = [
        json.loads(line) for file in sorted(tmp_path.iterdir()) for line in file.read_bytes().splitlines()
    ]
    assert [each.get("more", False) for each in records if "op" in each] == [e.more for e in document.history]
    for before, after in pairwise(records):
        assert not ("xmlcep" in after and before.get("more"))  # no new file within an edit
