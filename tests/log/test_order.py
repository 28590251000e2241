"""A damaged time point costs the record that has it, and no other."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.log.helpers import some_events
from xmlcep.events import PrimitiveEvent
from xmlcep.log import BadRecord, LogError, order, read_log, reading
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.order import Place, fitting
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.records import ClockRecord, Header, change_record
from xmlcep.recording import rebuild

Item: TypeAlias = PrimitiveEvent | ClockRecord
BITS = 62  # one more, and Parquet has no such number


def write(path: Path, items: Sequence[Item]) -> Path:
    """A log of these in the format that the name ends with."""
    if path.suffix == ".parquet":
        with ParquetWriter(path) as writer:
            for item in items:
                writer.write(item)
        return path
    records = (item.to_record() if isinstance(item, ClockRecord) else change_record(item) for item in items)
    path.write_bytes(b"".join(FASTEST.dumps(record) + b"\n" for record in records))
    return path


def flipped(item: Item, bit: int) -> Item:
    return item._replace(ts=item.ts ^ 1 << bit)


PATH = PathType.parse("/a/b")


def change(doc: str, ts: int) -> PrimitiveEvent:
    return PrimitiveEvent(ts, "ins", PATH, (1, ts + 1), doc=doc)


@st.composite
def logs(draw: st.DrawFn, *, gaps: bool = False) -> list[Item]:
    """Documents that take turns, with clock records; ``gaps``: time points may be skipped."""
    clocks: dict[str, int] = {}
    times: dict[str, int] = {}
    items: list[Item] = []
    for _ in range(draw(st.integers(2, 30))):
        doc = draw(st.sampled_from("aaab"))
        if doc in clocks and draw(st.integers(0, 4)) == 0:
            times[doc] = times.get(doc, 0) + draw(st.integers(0, 2))
            items.append(ClockRecord(doc, clocks[doc], f"2026-01-01T00:{times[doc]:02}:00Z"))
        else:
            clocks[doc] = clocks.get(doc, 0) + (draw(st.integers(1, 9)) if gaps else 1)
            items.append(change(doc, clocks[doc]))
    return items


def read_both(items: Sequence[Item], size: int) -> tuple[list[Any], list[BadRecord]]:
    """What is read of JSON Lines and of Parquet alike; so few records are taken at once and looked ahead."""
    results = []
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(order, "LOOK_AHEAD", size),
        mock.patch.object(reading, "BATCH_SIZE", size),
    ):
        for name in ("log.jsonl", "log.parquet"):
            bad: list[BadRecord] = []
            good = list(read_log(write(Path(folder) / name, items), on_bad=bad.append))
            results.append((good, bad))
    (good, bad), (other_good, other_bad) = results
    assert good == other_good
    assert [(each.origin.record, each.reason) for each in bad] == [
        (each.origin.record, each.reason) for each in other_bad
    ]
    return good, bad


@settings(max_examples=150)
@given(logs(), st.data())
def test_a_flipped_bit_in_a_time_point_costs_that_record_at_most(
    items: list[Item], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(items) - 1))
    bit = data.draw(st.one_of(st.integers(0, 5), st.integers(0, BITS)))
    damaged = [*items[:place], flipped(items[place], bit), *items[place + 1 :]]
    if damaged[place].ts == 0 and isinstance(items[place], PrimitiveEvent):
        return  # that is bad by itself
    good, bad = read_both(damaged, data.draw(st.sampled_from((32, 8192))))
    if not bad:  # nothing behind it tells that it is wrong
        assert good == damaged
        return
    (lost,) = (each.origin.record - 1 for each in bad)
    assert good == [*damaged[:lost], *damaged[lost + 1 :]]
    if lost != place:  # one of two has to go, and only one of them is a change record
        behind = [item for item in items[place + 1 :] if item.doc == items[place].doc]
        assert behind == [items[lost]]
        assert [type(each) for each in (items[place], items[lost])] == [PrimitiveEvent, ClockRecord]


@settings(max_examples=100)
@given(logs(gaps=True), st.data())
def test_where_time_points_are_skipped_one_record_is_lost_at_most(
    items: list[Item], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(items) - 1))
    damaged = [*items[:place], flipped(items[place], data.draw(st.integers(0, BITS))), *items[place + 1 :]]
    good, bad = read_both(damaged, 64)
    assert len(bad) <= 1
    assert len(good) + len(bad) == len(items)
    if isinstance(items[place], ClockRecord):
        assert all(b'"clock"' in each.raw for each in bad)  # it costs no change record


@given(st.lists(st.integers(1, 9), max_size=8), st.integers(0, 3))
def test_as_few_records_as_can_be_are_left_out(numbers: list[int], start: int) -> None:
    kept = fitting([Place(number) for number in numbers], Place(start))
    chosen = [number for number, good in zip(numbers, kept, strict=True) if good]
    assert all(before < after for before, after in zip([start, *chosen], chosen, strict=False))
    most = next(
        size
        for size in range(len(numbers), -1, -1)
        for some in combinations(numbers, size)
        if all(before < after for before, after in zip([start, *some], some, strict=False))
    )
    assert len(chosen) == most


def test_several_damaged_records_in_a_row(tmp_path: Path) -> None:
    items = [change("a", ts) for ts in range(1, 200)]
    for place in range(80, 120):
        items[place] = flipped(items[place], 20)  # type: ignore[assignment]
    bad: list[BadRecord] = []
    good = list(read_log(write(tmp_path / "log.jsonl", items), on_bad=bad.append))
    assert [each.origin.record for each in bad] == list(range(81, 121))
    assert good == [item for item in items if item.ts < 200]
    assert bad[0].reason == (
        f"ts is {items[80].ts} before 121 of the same document ('a'): expected a smaller one"
    )


@pytest.fixture(scope="module")
def long_log() -> list[Item]:
    """Two documents in turns."""
    return [change("ab"[ts % 2], ts // 2 + 1) for ts in range(16_400)]


@pytest.mark.parametrize("place", [0, 1, 8191, 8192, 16384, 16398])
@pytest.mark.parametrize("name", ["log.jsonl", "log.parquet"])
def test_a_long_log_with_a_damaged_time_point(
    tmp_path: Path, long_log: list[Item], place: int, name: str
) -> None:
    """Wherever what is read at once begins and ends."""
    items = long_log
    damaged = [*items[:place], flipped(items[place], 40), *items[place + 1 :]]
    bad: list[BadRecord] = []
    good = list(read_log(write(tmp_path / name, damaged), on_bad=bad.append))
    if place == 16398:  # the last one of its document
        assert (good, bad) == (damaged, [])
        return
    assert [each.origin.record for each in bad] == [place + 1]
    assert good == [*items[:place], *items[place + 1 :]]
    assert f'"ts":{damaged[place].ts}'.encode() in bad[0].raw.replace(b": ", b":")
    if name == "log.jsonl":
        content = (tmp_path / name).read_bytes()
        assert content[bad[0].offset :].startswith(bad[0].raw)


def test_where_a_document_was_is_known_whatever_form_its_first_record_has(tmp_path: Path) -> None:
    """One without what may be left out is not read like others; of the two behind it the damaged one goes."""
    short = {"doc": "a", "ts": 5, "op": "ins", "path": "/a/b", "ids": [1, 6]}
    records = [change_record(change("a", ts)) for ts in (1, 2, 3, 4)]
    records += [change_record(change("b", ts)) for ts in range(1, 9)]
    records += [short, *(change_record(change("a", ts)) for ts in (3, 6, 7))]
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(FASTEST.dumps(record) + b"\n" for record in records))
    bad: list[BadRecord] = []
    with mock.patch.object(order, "LOOK_AHEAD", 4), mock.patch.object(reading, "BATCH_SIZE", 4):
        good = [item for item in read_log(log, on_bad=bad.append) if isinstance(item, PrimitiveEvent)]
    assert [item.ts for item in good if item.doc == "a"] == [1, 2, 3, 4, 5, 6, 7]
    assert [each.origin.record for each in bad] == [14]


def test_where_nothing_follows_soon_enough_the_later_ones_are_bad(tmp_path: Path) -> None:
    """What is looked at ahead has an end; whatever is lost is said."""
    items: list[Item] = [
        change("a", 1),
        flipped(change("a", 2), 40),
        *(change("b", ts) for ts in range(1, 20_000)),
    ]
    items += [change("a", ts) for ts in range(3, 9)]
    bad: list[BadRecord] = []
    good = list(read_log(write(tmp_path / "log.jsonl", items), on_bad=bad.append))
    assert good == items[:-6]
    assert [each.origin.record for each in bad] == [len(items) - number for number in range(5, -1, -1)]


def test_the_last_record_of_a_file_is_compared_with_those_of_the_next(tmp_path: Path) -> None:
    items = [change("a", ts) for ts in range(1, 9)]
    first = write(tmp_path / "log.jsonl", [*items[:3], flipped(items[3], 9)])
    second = write(tmp_path / "log.0002.jsonl", items[4:])
    bad: list[BadRecord] = []
    assert list(read_log([first, second], on_bad=bad.append)) == [*items[:3], *items[4:]]
    assert [(each.origin.file, each.origin.record) for each in bad] == [(str(first), 4)]


def test_what_is_read_before_a_file_that_cannot_be_is_handed_out(tmp_path: Path) -> None:
    items = [change("a", ts) for ts in range(1, 9)]
    found = []
    with pytest.raises(LogError, match=r"none.jsonl: cannot be read"):
        for item in read_log([write(tmp_path / "log.jsonl", items), tmp_path / "none.jsonl"]):
            found.append(item)
    assert found == items


def test_a_document_is_rebuilt_as_from_the_log_without_that_record(tmp_path: Path) -> None:
    """What contradicts its absence is named, as where it is missing."""
    events: list[Item] = list(some_events(3, 120))
    choose = random.Random(3)
    outcomes = set()
    for number in range(60):
        place = choose.randrange(len(events) - 1)
        damaged = [*events[:place], flipped(events[place], choose.randrange(8, 50)), *events[place + 1 :]]
        without = [*events[:place], *events[place + 1 :]]
        results = []
        for name, items in (("damaged", damaged), ("without", without)):
            log = write(tmp_path / f"{name}{number}.jsonl", items)
            try:
                root = rebuild(log, on_bad=lambda bad: None)
                results.append((None, [each.tag for each in root.iter()]))
            except LogError as error:
                reason = str(error).partition(": ")[2]
                results.append((reason, []))
        assert results[0] == results[1]
        outcomes.add(results[0][0] is None)
    assert outcomes == {True, False}


def test_the_reader_that_refuses_names_the_damaged_record(tmp_path: Path) -> None:
    items = [Header("a"), *(change("a", ts) for ts in range(1, 9))]
    records = [each.to_record() if isinstance(each, Header) else change_record(each) for each in items]
    records[4]["ts"] += 1024
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(FASTEST.dumps(record) + b"\n" for record in records))
    with pytest.raises(LogError, match=r"log.jsonl:5: ts is 1028 before 5 of the same document \('a'\)"):
        list(read_log(log))
