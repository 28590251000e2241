"""What segments tell of documents is rows of tables to the one who settles, for there may be many."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from hypothesis import given
from hypothesis import strategies as st
from xmlcep.auditing.spark.finding_chunks import Extent, FindingRanges
from xmlcep.auditing.spark.mapper import Mapper
from xmlcep.auditing.spark.segment_merge import SegmentMerge
from xmlcep.auditing.spark.segment_summary import PlacedClock, PlacedRaised, SegmentSummary, TimePoint
from xmlcep.auditing.spark.summary_tables import OPEN_FIELDS, SummaryTables, is_plain, summaries_content
from xmlcep.auditing.spark.task_reports import Report

from path_types import PathType
from tests.auditing.logs import LogItem, write_log
from xmlcep.auditing.inputs import find_files
from xmlcep.auditing.plan.partition_key import make_plan
from xmlcep.auditing.splits import Split, make_splits
from xmlcep.events import PrimitiveEvent
from xmlcep.log.records import ClockRecord
from xmlcep.rules import parse_rules

PRICED = "event Priced = ins(item) ; ins(item/price)"
BOTH = "event Both {end=non-local} = ins(item) & ins(item/price)"


def item(doc: str, ts: int) -> PrimitiveEvent:
    return PrimitiveEvent(ts, "ins", PathType.parse("/order/item"), (1, 10 + ts), doc=doc)


def splits_of(folder: Path, files: Sequence[Sequence[LogItem | bytes]]) -> list[Split]:
    """The splits of a log in so many files, each of which is one."""
    for number, records in enumerate(files):
        write_log(folder / f"log{number}.jsonl", records)
    found = find_files([folder]).files
    splits = make_splits(found, max(file.size for file in found))
    assert len(splits) == len(files)
    return splits


def merged(
    folder: Path, files: Sequence[Sequence[LogItem | bytes]], rules: str, until: str | None = None
) -> SegmentMerge:
    """What is known of a log in so many files, each of which is a segment."""
    splits = splits_of(folder, files)
    plan = make_plan(parse_rules(rules))
    mapper = Mapper(plan, 4)
    reports = [each for split in splits for each in mapper.read(split) if isinstance(each, Report)]
    return SegmentMerge(splits, reports, plan, 4, until)


FILES = [
    [item("alone", 1), item("alone", 2), item("divided", 1)],
    [item("divided", 2), item("back", 2)],
    [ClockRecord("clocked", 1, "2026-01-01T00:00:00Z"), item("clocked", 2), item("back", 1), item("last", 7)],
]


def test_only_documents_with_something_open_are_looked_at(tmp_path: Path) -> None:
    merge = merged(tmp_path, FILES, PRICED)
    assert [each.doc for each in merge.summaries.extents()] == ["alone", "last"]
    assert merge.summaries.records() == 3 and merge.to_sort == {"back"}
    assert [each.doc for each in merge.ended.extents()] == ["clocked", "divided"]
    assert [split.number for split in merge.splits_to_sort()] == [1, 2]
    assert list(merge.extents()) == [
        ("alone", 1, 2, 2), ("clocked", 2, 2, 1), ("divided", 1, 2, 2), ("last", 7, 7, 1),
    ]  # fmt: skip
    assert merge.records == 6
    ends = merge.whole(FindingRanges([])).ends
    assert ends.keys() == {"divided", "clocked"} and "alone" not in ends
    again = pickle.loads(pickle.dumps(ends))
    assert again == ends and again["divided"].point.ts == 2


def test_where_their_ends_matter_all_are(tmp_path: Path) -> None:
    merge = merged(tmp_path, FILES, BOTH)
    assert not list(merge.summaries.extents()) and not merge.summaries.records()
    everything = {"alone", "divided", "clocked", "last"}
    assert {each.doc for each in merge.ended.extents()} == everything
    assert merge.whole(FindingRanges([])).ends.keys() == everything


NUMBERS = st.integers(0, 2**40)
PLAIN = st.builds(
    lambda doc, segment, place, ts, txns, counts: SegmentSummary(
        segment, doc, place, TimePoint(ts, txn=txns[0]), TimePoint(ts + counts[0], txn=txns[1]), counts[1], False, 0,
        {}, {}, None, {}, [], [], [], None, None, None, None, counts[2], [], False, [],
    ),
    st.text(max_size=3), st.integers(0, 3), st.tuples(NUMBERS, NUMBERS), st.integers(1, 2**40),
    st.tuples(st.none() | NUMBERS, st.none() | NUMBERS), st.tuples(NUMBERS, NUMBERS, NUMBERS),
)  # fmt: skip


POINTS = st.builds(
    TimePoint, NUMBERS, st.none() | st.text(max_size=3), st.none() | NUMBERS, st.none() | st.just("{}"),
    *[st.none() | NUMBERS] * 3,
)  # fmt: skip
CLOCKS = st.lists(
    st.builds(PlacedClock, NUMBERS, st.text(max_size=3), NUMBERS, NUMBERS, NUMBERS, st.none() | NUMBERS)
)
OPEN = st.fixed_dictionaries(
    {},
    optional={
        "head": st.none() | POINTS, "tail": POINTS, "disordered": st.booleans(), "duplicates": NUMBERS,
        "head_keys": st.dictionaries(NUMBERS, st.none() | NUMBERS), "open_runs": st.dictionaries(NUMBERS, NUMBERS),
        "first_flush": st.none() | POINTS, "touched": st.dictionaries(NUMBERS, st.lists(NUMBERS)),
        "leading": CLOCKS, "clocks": CLOCKS, "trailing": CLOCKS, "edit": st.none() | NUMBERS,
        "open_edit": st.none() | NUMBERS, "time": st.none() | st.integers(-9, 9), "edit_time": st.none() | NUMBERS,
        "raised": st.lists(
            st.builds(PlacedRaised, NUMBERS, st.none() | NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.text(max_size=3))
        ),
        "raised_late": st.booleans(), "raised_there": st.lists(st.text(max_size=3)),
    },
)  # fmt: skip
SUMMARIES = st.builds(lambda plain, rest: plain._replace(**rest), PLAIN, st.just({}) | OPEN)


@given(st.lists(SUMMARIES, unique_by=lambda each: (each.segment, each.doc)))
def test_they_come_back_as_they_were(summaries: list[SegmentSummary]) -> None:
    """Those of documents that have one segment in which nothing is open, as where they lie; the others all of them."""
    found, everything = SummaryTables(), SummaryTables()
    for segment in range(4):
        some = [each for each in summaries if each.segment == segment]
        if some:
            found.add(segment, summaries_content(some))
            everything.add(segment, summaries_content(some))
    found.set_apart()
    everything.set_all_apart()
    names = [each.doc for each in summaries]
    alone = [each for each in summaries if names.count(each.doc) == 1 and is_plain(each)]
    assert list(found.extents()) == sorted(
        Extent(each.doc, each.head.ts, each.tail.ts, each.records) for each in alone if each.head is not None
    )
    assert found.records() == sum(each.records for each in alone)
    for tables, left_out in ((found, {each.doc for each in alone}), (everything, set())):
        apart = [list(of_document) for of_document in tables.documents()]
        wanted = sorted((each.doc, each.segment) for each in summaries if each.doc not in left_out)
        assert [(each.doc, each.segment) for of_document in apart for each in of_document] == wanted
        assert all(each in summaries for of_document in apart for each in of_document)
        assert all(len({each.doc for each in of_document}) == 1 for of_document in apart)
        assert len({of_document[0].doc for of_document in apart}) == len(apart)
        assert tables.duplicates() == sum(each.duplicates for some in apart for each in some)
    assert not list(everything.extents())
    assert found.segments({"", "a"}) == {each.segment for each in summaries if each.doc in ("", "a")}


@given(PLAIN)
def test_plain_ones_are(summary: SegmentSummary) -> None:
    assert is_plain(summary)


@pytest.mark.parametrize(
    "change",
    [
        {"head": None}, {"head": TimePoint(1, "2026-01-01T00:00:00Z")}, {"tail": TimePoint(1, meta="{}")},
        {"disordered": True}, {"duplicates": 1}, {"head_keys": {0: None}}, {"open_runs": {0: 1}},
        {"first_flush": TimePoint(1)}, {"touched": {0: [1]}}, {"leading": [PlacedClock(1, "", 0, 1)]},
        {"clocks": [PlacedClock(1, "", 0, 1)]}, {"trailing": [PlacedClock(1, "", 0, 1)]}, {"edit": 1}, {"open_edit": 1},
        {"time": 0}, {"edit_time": 0}, {"raised_late": True},
        {"raised": [PlacedRaised(1, None, 0, 0, 1, "{}")]}, {"raised_there": ["Late"]},
    ],
    ids=str,
)  # fmt: skip
def test_whatever_is_open_is_kept(change: dict[str, object]) -> None:
    plain = SegmentSummary(
        0, "d", (0, 1), TimePoint(1), TimePoint(2), 2, False, 0, {}, {}, None, {}, [], [], [], None, None, None, None,
        1, [], False, [],
    )  # fmt: skip
    assert is_plain(plain)
    assert not is_plain(plain._replace(**change))


def test_a_row_says_or_leaves_out_every_field() -> None:
    """What is new in summaries has a place here, or is something that may be open."""
    said = {"segment", "doc", "position", "head", "tail", "records", "transactions"}
    assert said | OPEN_FIELDS == set(SegmentSummary._fields) and not said & OPEN_FIELDS
