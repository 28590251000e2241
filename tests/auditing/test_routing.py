"""Records and markers go where a plain model says, wherever batches and segments are cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.auditing.routing_model import (
    Model,
    Record,
    Row,
    bucket_of,
    histories,
)
from xmlcep.auditing.plan.partition_key import Plan, make_plan
from xmlcep.auditing.spark.bucket_loads import RoutedLoad
from xmlcep.auditing.spark.chunk_reading import ChunkReader
from xmlcep.auditing.spark.chunks import Chunk, ChunkWriter, Mark
from xmlcep.auditing.spark.document_merge import WholeDocument, merge_documents
from xmlcep.auditing.spark.router import Router, wanted_by
from xmlcep.auditing.spark.seams import Seams
from xmlcep.auditing.spark.segment_summary import SegmentSummary, TimePoint
from xmlcep.auditing.spark.summary_tables import SummaryTables
from xmlcep.auditing.spark.task_reports import reports_of
from xmlcep.log.columns.blocks import RecordTypes, Span, meta_texts
from xmlcep.rules import parse_rules

RULES = """
    event Quiet {end=non-local} = x[1,*] ins(item/price)
    event AtEnd(order) {end=custom} = ins(item/price) & ins(item/quantity)
    event Flat(/order) {flat, end=custom} = ins(item) ; ins(price)
    event Plain = ins(item) ; ins(item/quantity)
    event Taking(order) {end=custom} = Plain(order/item) | ins(order/date)
    event Silent(order) {end=non-local} = x[1,*] Plain(order/item)
"""


# ---- what the router does ---------------------------------------------------------------------------------------


def columns_of(batch: Sequence[Record], types: RecordTypes) -> tuple[list[Span], dict[str, Any]]:
    """A batch as the router takes it."""
    spans: dict[str, Span] = {}
    for record in batch:
        before = spans.get(record.doc, Span(record.doc, record.ts, 0, 0))
        spans[record.doc] = Span(record.doc, before.first, record.ts, before.records + 1)
    places = {doc: place for place, doc in enumerate(spans)}
    number, text = pa.int64(), pa.string()
    nothing = pa.nulls(len(batch), text)
    return list(spans.values()), {
        "doc": pa.array([places[record.doc] for record in batch], number),
        "type": pa.array([types.of(record.op, record.path).number for record in batch], number),
        "ts": pa.array([record.ts for record in batch], number),
        "ids": pa.array([list(record.ids) for record in batch], pa.list_(number)),
        "txn": pa.array([record.txn for record in batch], number),
        "meta": meta_texts(None if record.txn is None else {"in": str(record.txn)} for record in batch),
        "at": pa.array([f"at {record.ts}" for record in batch], text),
        "value": nothing, "old": nothing,
    }  # fmt: skip


class Routed(NamedTuple):
    """The chunks of a log, those of the seams included, and the summaries of its documents."""

    chunks: list[Chunk]
    summaries: dict[str, WholeDocument]


def route(plan: Plan, segments: Sequence[Sequence[Sequence[Record]]], buckets: int) -> Routed:
    """Routes segments of batches; chunks are taken after each batch."""
    types = RecordTypes(wanted_by(plan))
    writer = ChunkWriter([each.level for each in plan.passes], buckets, types.by_number)
    router = Router(plan, types, writer, RoutedLoad(plan))
    chunks: list[Chunk] = []
    summaries = SummaryTables()
    for number, batches in enumerate(segments):
        router.begin(number)
        for batch in batches:
            spans, columns = columns_of(batch, types)
            router.route(spans, columns, [(number, batch.index(first_of(span, batch))) for span in spans])
            chunks += writer.take(number)
        found = router.end()
        if found:  # as they travel from the task to the one who settles
            assert list(reported(found)) == sorted(found, key=name_of)
            for report in reports_of(found):
                summaries.add(report.segment, report.content)
    summaries.set_all_apart()
    joined = {each.doc: each for each in merge_documents(summaries.documents(), buckets)}
    seams = Seams(plan, buckets)
    for document in joined.values():
        seams.add(document)
    return Routed([*chunks, *seams.chunks()], joined)


def reported(summaries: Sequence[SegmentSummary]) -> Iterator[SegmentSummary]:
    """What is known of them, in order of names, when they have come as reports."""
    tables = SummaryTables()
    for report in reports_of(summaries):
        tables.add(report.segment, report.content)
    tables.set_all_apart()
    for of_document in tables.documents():
        yield from of_document


def name_of(summary: SegmentSummary) -> str:
    return summary.doc


def first_of(span: Span, batch: Sequence[Record]) -> Record:
    return next(record for record in batch if record.doc == span.doc)


def replayed(chunks: Sequence[Chunk]) -> Iterator[Row]:
    """The rows as replay tasks see them: level by level, bucket by bucket, segment by segment."""
    reader = ChunkReader()
    ordered = sorted(chunks, key=lambda chunk: (chunk.level, chunk.target, chunk.segment, chunk.number))
    for (_, bucket, _), together in groupby(
        ordered, key=lambda chunk: (chunk.level, chunk.target, chunk.segment)
    ):
        of_segment = list(together)
        sort = of_segment[0].is_interleaved
        for some in [of_segment] if sort else [[chunk] for chunk in of_segment]:
            for run in reader.runs([chunk.content for chunk in some], sort=sort):
                for mark, event, *_ in run.marked_rows():
                    assert event[7] == f"at {event[0]}"
                    yield Row(mark, run.pass_index, bucket, run.doc, event[0])


def check(rules: str, segments: Sequence[Sequence[Sequence[Record]]], buckets: int) -> Routed:
    """Compares what the router and the seams say of a log in segments of batches with the model."""
    plan = make_plan(parse_rules(rules))
    log = [record for batches in segments for batch in batches for record in batch]
    model = Model(plan, log, buckets)
    routed = route(plan, segments, buckets)
    rows = list(replayed(routed.chunks))
    assert Counter(row for row in rows if row.mark == Mark.RECORD) == model.records
    markers = {row for row in rows if row.mark != Mark.RECORD}
    assert not model.must - markers
    assert not markers - model.must - model.may
    for _, of_one in groupby(sorted(rows, key=lambda row: row[1:4]), key=lambda row: row[1:4]):
        places = [(row.ts, row.mark) for row in of_one]
        assert places == sorted(places)
    for doc, summary in routed.summaries.items():
        records = [record for record in log if record.doc == doc]
        assert (summary.first.ts, summary.last.ts, summary.records) == (
            records[0].ts, records[-1].ts, len(records)
        )  # fmt: skip
    assert set(routed.summaries) == {record.doc for record in log}
    return routed


def cut(log: Sequence[Record], places: Sequence[int]) -> list[Sequence[Record]]:
    """The log in pieces that begin at these places; none is empty."""
    ends = sorted({0, len(log), *(place for place in places if place < len(log))})
    return [log[start:end] for start, end in pairwise(ends)]


cuts = st.lists(st.integers(1, 30), max_size=8)


@settings(max_examples=90)
@given(histories(), cuts, cuts, st.sampled_from((1, 3, 50)))
def test_records_and_markers_are_those_of_the_model(
    log: list[Record], batches: list[int], segments: list[int], buckets: int
) -> None:
    check(RULES, [cut(segment, batches) for segment in cut(log, segments)], buckets)


@settings(max_examples=50)
@given(
    histories(),
    cuts,
    cuts,
    st.sampled_from(
        (
            "event A {end=non-local} = x[1,*] ins(item/price)",
            "event A = (ins(item/price) & ins(item/note)) {end=custom}",
            "event A = ins(item) ; ins(item/price)\nevent B = ins(order/date) | ins(order/item)",
            'event A {when="true()"} = ins(item/price) | ins(item)\nevent B(order) {end=custom} = A(order/item)',
            "event A(/order) {flat} = ins(item) ; ins(price)",
        )
    ),
)
def test_each_kind_of_pass_by_itself(
    log: list[Record], batches: list[int], segments: list[int], rules: str
) -> None:
    check(rules, [cut(segment, batches) for segment in cut(log, segments)], 4)


# ---- examples ------------------------------------------------------------------------------------------------


def log_of(text: str, doc: str = "d") -> list[Record]:
    """A log from words such as ``2p`` (a price in item 2), ``2n`` (a note: not fed), ``x`` (elsewhere), ``2p/1``
    (in transaction 1)."""
    types = {
        "p": ("ins", "/order/item/price", 2), "n": ("upd", "/order/item/note", 2), "x": ("ins", "/order/date", 1)
    }  # fmt: skip
    found = []
    for number, word in enumerate(text.split(), start=1):
        what, _, txn = word.partition("/")
        op, path, depth = types[what[-1]]
        ids = (1, int(what[:-1]), 100 + number) if depth == 2 else (1, 9)
        found.append(Record(doc, number, op, PathType.parse(path), ids, int(txn) if txn else None))
    return found


QUIET = "event Quiet(/order/item) {end=non-local} = x[1,*] ins(item/price)"
AT_END = "event AtEnd(/order/item) {end=custom} = x[1,*] ins(item/price)"


def markers(rules: str, text: str, mark: int) -> list[tuple[int, int]]:
    """Segment and time point of the markers of item 2 in a log whose segments are divided by bars and batches by
    commas."""
    segments: list[list[list[Record]]] = []
    records = log_of(text.replace("|", " ").replace(",", " "))
    for segment in text.split("|"):
        segments.append([])
        for batch in segment.split(","):
            count = len(batch.split())
            segments[-1].append(records[:count])
            records = records[count:]
    chunks = check(rules, segments, 1000).chunks
    own = [chunk for chunk in chunks if chunk.target == bucket_of("d", 2, 1000)]
    return sorted(
        {
            (chunk.segment, row.ts)
            for chunk in own
            for row in replayed([chunk])
            if row.mark == mark
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2p x x 2p", [(0, 2)]),  # the first record elsewhere releases all
        ("2p 3p 2p 3p", [(0, 2), (0, 4)]),
        ("2p 2n x", [(0, 3)]),  # a record of the key that is not fed goes on with the run
        ("x 2n x", []),  # nothing is pending after a run without fed records
        ("2p , 2n , x", [(0, 3)]),  # batches do not end runs
        ("2p , x", [(0, 2)]),
        ("2p | x", [(1, 2)]),  # it is the next segment that has the time point
        ("2p | 2n x", [(1, 3)]),  # a run that may have begun before
        ("2p | 2n | 2n | x", [(3, 4)]),
        ("2p | 3p", [(1, 2)]),
        ("2p | 2p | 2p", []),  # the close of the document releases it
    ],
)
def test_boundaries(text: str, expected: list[tuple[int, int]]) -> None:
    assert markers(QUIET, text, Mark.BOUNDARY) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2p/1 x/1 x/2", [(0, 2)]),  # the last record of the transaction, wherever it is
        ("2p/1 x/2 x/3", [(0, 1)]),  # not touched in the second
        ("2p/1 2n/2 x/3", [(0, 1)]),
        ("2p x/1 x/2", [(0, 2)]),  # touched outside of transactions
        ("2p/1 x x/1", [(0, 1)]),  # one ends also before a record of none
        ("2p/1", []),  # the close of the document does it
        ("2p/1 , x/1 , x/2", [(0, 2)]),
        ("2p/1 , x/2", [(0, 1)]),  # told when the next batch is there
        ("2p/1 | x/2", [(0, 1)]),  # in the segment that has the time point
        ("2p/1 | x/1 x/2", [(1, 2)]),
        ("2p/1 | x/1 | x/2", [(1, 2)]),
        ("2p/1 | x/1 , x/2", [(1, 2)]),
        ("2p | x , x/1 | x/2", [(1, 3)]),
        ("2p/1 x/2 2p/2 | x/3 x/4", [(0, 1), (0, 3)]),
        ("2p | x | x/1 x/2", [(2, 3)]),
    ],
)
def test_flushes(text: str, expected: list[tuple[int, int]]) -> None:
    assert markers(AT_END, text, Mark.FLUSH) == expected


def test_a_course_says_what_a_segment_leaves_open() -> None:
    plan = make_plan(parse_rules(f"{QUIET}\n{AT_END}"))
    log = log_of("3n/1 2p/1 2p/2 2n/2")
    types = RecordTypes(wanted_by(plan))
    router = Router(plan, types, ChunkWriter([0], 5, types.by_number), RoutedLoad(plan))
    router.begin(0)
    for batch in (log[:3], log[3:]):
        router.route(*columns_of(batch, types), [(0, 0)])
    [summary] = router.end()
    assert summary.head == TimePoint(1, "at 1", 1, '{"in":"1"}')
    assert summary.tail == TimePoint(4, "at 4", 2, '{"in":"2"}')
    assert summary.records == 4 and summary.position == (0, 0)
    assert summary.head_keys == {0: 3} and summary.open_runs == {0: 2}
    assert summary.first_flush == TimePoint(2, "at 2", 1, '{"in":"1"}')
    assert summary.touched == {0: [bucket_of("d", 2, 5)]}
    assert not summary.disordered and not summary.duplicates


def test_what_nobody_wants_need_not_be_routed() -> None:
    """Without markers, what no pass is fed with can be left out; it is counted all the same."""
    plan = make_plan(parse_rules("event A = ins(item) ; ins(item/price)"))
    wants = wanted_by(plan)
    assert wants("ins", PathType.parse("/order/item/price")) and wants("del", PathType.parse("/order/item"))
    assert not wants("ins", PathType.parse("/order/date"))
    assert all(
        wanted_by(make_plan(parse_rules(rules)))("ins", PathType.parse("/other")) for rules in (QUIET, AT_END)
    )
    types = RecordTypes(wants)
    writer = ChunkWriter([0], 3, types.by_number)
    router = Router(plan, types, writer, RoutedLoad(plan))
    router.begin(7)
    _, columns = columns_of(log_of("2p"), types)
    router.route([Span("d", 3, 90, 50), Span("e", 1, 2, 2)], columns, [(7, 0), (7, 3)])
    summaries = router.end()
    assert [(each.doc, each.head.ts, each.tail.ts, each.records) for each in summaries] == [
        ("d", 3, 90, 50), ("e", 1, 2, 2)
    ]  # fmt: skip
    assert [row.ts for row in replayed(list(writer.take(7)))] == [1]
