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
from xmlcep.audit.chunks import Chunk, ChunkReader, ChunkWriter, Mark, buckets_of, hash_of
from xmlcep.audit.edges import DocumentCourse, edge_chunks, join_courses
from xmlcep.audit.plan import DOCUMENT, Pass, Plan, Role, make_plan
from xmlcep.audit.reports import courses_from, report_of
from xmlcep.audit.routing import Course, Point, Router, wanted_by
from xmlcep.log.columns import Kinds, Span
from xmlcep.rules import parse_rules

RULES = """
    event Quiet {end=non-local} = x[1,*] ins(item/price)
    event AtEnd(order) {end=custom} = ins(item/price) & ins(item/quantity)
    event Flat(/order) {flat, end=custom} = ins(item) ; ins(price)
    event Plain = ins(item) ; ins(item/quantity)
    event Taking(order) {end=custom} = Plain(order/item) | ins(order/date)
    event Silent(order) {end=non-local} = x[1,*] Plain(order/item)
"""


class Record(NamedTuple):
    """A record as far as routing looks at it."""

    doc: str
    ts: int
    op: str
    path: PathType
    ids: tuple[int, ...]
    txn: int | None


class Row(NamedTuple):
    """A routed row."""

    mark: int
    pass_index: int
    bucket: int
    doc: str
    ts: int


# Changes of and in items 2, 3 and 4, of a part within an item, and elsewhere.
CHANGES = [
    (op, PathType.parse(path), ids)
    for item in (2, 3, 4)
    for op, path, ids in (
        ("ins", "/order/item", (1, item)),
        ("del", "/order/item", (1, item)),
        ("ins", "/order/item/price", (1, item, 9)),
        ("upd", "/order/item/note/text()", (1, item, 8, 7)),
        ("ins", "/order/item/item/quantity", (1, item, 6, 5)),
    )
] + [("ins", PathType.parse("/order/date"), (1, 10)), ("ins", PathType.parse("/other"), (11,))]

changes = st.sampled_from(CHANGES)
transactions = st.sampled_from((None, 1, 1, 2, 2, 3, -7))


@st.composite
def histories(draw: st.DrawFn) -> list[Record]:
    """Records of a few documents, each in its order, taking turns."""
    clocks = {"a": 0, "b": 4, "c": 2**40}
    found: list[Record] = []
    doc, txn = "a", None
    for change, turn, other in draw(
        st.lists(
            st.tuples(changes, st.sampled_from("aaaaaabc"), st.one_of(st.none(), transactions)), max_size=30
        )
    ):
        doc = turn
        txn = other if other is not None else txn
        clocks[doc] += 1 + len(found) % 2
        given_txn = None if len(found) % 7 == 6 else txn
        found.append(Record(doc, clocks[doc], *change, given_txn))
    return found


# ---- the model: one record after the other ------------------------------------------------------------------


def key_of(each: Pass, record: Record) -> int | None:
    """The key of a record; None if it has none."""
    step = each.step(record.path)
    return None if step is None else 0 if step == DOCUMENT else record.ids[step]


def bucket_of(doc: str, key: int, buckets: int) -> int:
    return int(buckets_of([hash_of(doc)], [key], buckets)[0])


class Model:
    """The rows that have to be there and those that may be, for a log in one piece."""

    def __init__(self, plan: Plan, log: Sequence[Record], buckets: int) -> None:
        self.buckets = buckets
        self.records: Counter[Row] = Counter()
        self.must: set[Row] = set()
        self.may: set[Row] = set()
        for each in plan.passes:
            for doc in {record.doc for record in log}:
                records = [record for record in log if record.doc == doc]
                self._feed(each, records)
                if each.has_boundaries and not each.by_document:
                    self._bound(each, records)
                if each.has_flushes:
                    self._flush(each, records)

    def _row(self, mark: int, each: Pass, key: int, record: Record) -> Row:
        return Row(mark, each.index, bucket_of(record.doc, key, self.buckets), record.doc, record.ts)

    def _feed(self, each: Pass, records: Sequence[Record]) -> None:
        for record in records:
            key = key_of(each, record)
            if key is not None and each.route(record.op, record.path).role is Role.FED:
                self.records[self._row(Mark.RECORD, each, key, record)] += 1

    def _bound(self, each: Pass, records: Sequence[Record]) -> None:
        """The record after a run of one key's own releases what is pending there; if none was fed, nothing is."""
        runs = [(key, list(run)) for key, run in groupby(records, key=lambda record: key_of(each, record))]
        for (key, run), (_, after) in pairwise(runs):
            if key is None:
                continue
            fed = any(each.route(record.op, record.path).role is Role.FED for record in run)
            (self.must if fed else self.may).add(self._row(Mark.BOUNDARY, each, key, after[0]))

    def _flush(self, each: Pass, records: Sequence[Record]) -> None:
        """Where a transaction ends, for what was touched since one ended before; elsewhere nothing is pending."""
        touched: set[int] = set()
        for record, following in pairwise(records):
            key = key_of(each, record)
            if key is not None and each.is_touched(record.op, record.path):
                touched.add(bucket_of(record.doc, key, self.buckets))
            if record.txn is not None and following.txn != record.txn:
                flush = Row(Mark.FLUSH, each.index, 0, record.doc, record.ts)
                self.must |= {flush._replace(bucket=bucket) for bucket in touched}
                self.may |= {flush._replace(bucket=bucket) for bucket in range(self.buckets)}
                touched = set()


# ---- what the router does ---------------------------------------------------------------------------------------


def columns_of(batch: Sequence[Record], kinds: Kinds) -> tuple[list[Span], dict[str, Any]]:
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
        "kind": pa.array([kinds.of(record.op, record.path).number for record in batch], number),
        "ts": pa.array([record.ts for record in batch], number),
        "ids": pa.array([list(record.ids) for record in batch], pa.list_(number)),
        "txn": pa.array([record.txn for record in batch], number),
        "at": pa.array([f"at {record.ts}" for record in batch], text),
        "value": nothing, "old": nothing,
    }  # fmt: skip


class Routed(NamedTuple):
    """The chunks of a log, those of the edges included, and the courses of its documents."""

    chunks: list[Chunk]
    courses: dict[str, DocumentCourse]


def route(plan: Plan, segments: Sequence[Sequence[Sequence[Record]]], buckets: int) -> Routed:
    """Routes segments of batches; chunks are taken after each batch."""
    kinds = Kinds(wanted_by(plan))
    writer = ChunkWriter([each.level for each in plan.passes], buckets, kinds.met)
    router = Router(plan, kinds, writer)
    chunks: list[Chunk] = []
    courses: list[Course] = []
    for number, batches in enumerate(segments):
        router.begin(number)
        for batch in batches:
            spans, columns = columns_of(batch, kinds)
            router.route(spans, columns, [(number, batch.index(first_of(span, batch))) for span in spans])
            chunks += writer.take(number)
        found = router.end()
        if found:  # as they travel from the task to the one who settles
            assert list(courses_from(report_of(found))) == found
            courses += found
    joined = join_courses(courses, buckets)
    edges = [edge for course in joined.values() for edge in course.edges]
    return Routed([*chunks, *edge_chunks(edges, plan, buckets)], joined)


def first_of(span: Span, batch: Sequence[Record]) -> Record:
    return next(record for record in batch if record.doc == span.doc)


def replayed(chunks: Sequence[Chunk]) -> Iterator[Row]:
    """The rows as replay tasks see them: level by level, bucket by bucket, segment by segment."""
    reader = ChunkReader()
    ordered = sorted(chunks, key=lambda chunk: chunk[:4])
    for (_, bucket, _), together in groupby(ordered, key=lambda chunk: chunk[:3]):
        of_segment = list(together)
        sort = of_segment[0].number < 0
        for some in [of_segment] if sort else [[chunk] for chunk in of_segment]:
            for stretch in reader.stretches([chunk.content for chunk in some], sort=sort):
                for mark, event, _ in stretch.marked_rows():
                    assert event[7] == f"at {event[0]}"
                    yield Row(mark, stretch.pass_index, bucket, stretch.doc, event[0])


def check(rules: str, segments: Sequence[Sequence[Sequence[Record]]], buckets: int) -> Routed:
    """Compares what the router and the edges say of a log in segments of batches with the model."""
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
    for doc, course in routed.courses.items():
        records = [record for record in log if record.doc == doc]
        assert (course.first.ts, course.last.ts, course.records) == (
            records[0].ts, records[-1].ts, len(records)
        )  # fmt: skip
    assert set(routed.courses) == {record.doc for record in log}
    return routed


def cut(log: Sequence[Record], places: Sequence[int]) -> list[Sequence[Record]]:
    """The log in pieces that begin at these places; none is empty."""
    ends = sorted({0, len(log), *(place for place in places if place < len(log))})
    return [log[start:end] for start, end in pairwise(ends)]


cuts = st.lists(st.integers(1, 30), max_size=8)


@settings(max_examples=300)
@given(histories(), cuts, cuts, st.sampled_from((1, 3, 50)))
def test_records_and_markers_are_those_of_the_model(
    log: list[Record], batches: list[int], segments: list[int], buckets: int
) -> None:
    check(RULES, [cut(segment, batches) for segment in cut(log, segments)], buckets)


@settings(max_examples=100)
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
    kinds = {
        "p": ("ins", "/order/item/price", 2), "n": ("upd", "/order/item/note", 2), "x": ("ins", "/order/date", 1)
    }  # fmt: skip
    found = []
    for number, word in enumerate(text.split(), start=1):
        what, _, txn = word.partition("/")
        op, path, depth = kinds[what[-1]]
        ids = (1, int(what[:-1]), 100 + number) if depth == 2 else (1, 9)
        found.append(Record(doc, number, op, PathType.parse(path), ids, int(txn) if txn else None))
    return found


QUIET = "event Quiet {end=non-local} = x[1,*] ins(item/price)"
AT_END = "event AtEnd {end=custom} = x[1,*] ins(item/price)"


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
    own = [chunk for chunk in chunks if chunk.bucket == bucket_of("d", 2, 1000)]
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
    kinds = Kinds(wanted_by(plan))
    router = Router(plan, kinds, ChunkWriter([0], 5, kinds.met))
    router.begin(0)
    for batch in (log[:3], log[3:]):
        router.route(*columns_of(batch, kinds), [(0, 0)])
    [course] = router.end()
    assert course.head == Point(1, "at 1", 1) and course.tail == Point(4, "at 4", 2)
    assert course.records == 4 and course.position == (0, 0)
    assert course.head_keys == {0: 3} and course.open_runs == {0: 2}
    assert course.first_flush == Point(2, "at 2", 1)
    assert course.touched == {0: [bucket_of("d", 2, 5)]}
    assert not course.disordered and not course.duplicates


def test_what_nobody_wants_need_not_be_routed() -> None:
    """Without markers, what no pass is fed with can be left out; it is counted all the same."""
    plan = make_plan(parse_rules("event A = ins(item) ; ins(item/price)"))
    wants = wanted_by(plan)
    assert wants("ins", PathType.parse("/order/item/price")) and wants("del", PathType.parse("/order/item"))
    assert not wants("ins", PathType.parse("/order/date"))
    assert all(
        wanted_by(make_plan(parse_rules(rules)))("ins", PathType.parse("/other")) for rules in (QUIET, AT_END)
    )
    kinds = Kinds(wants)
    writer = ChunkWriter([0], 3, kinds.met)
    router = Router(plan, kinds, writer)
    router.begin(7)
    _, columns = columns_of(log_of("2p"), kinds)
    router.route([Span("d", 3, 90, 50), Span("e", 1, 2, 2)], columns, [(7, 0), (7, 3)])
    courses = router.end()
    assert [(each.doc, each.head.ts, each.tail.ts, each.records) for each in courses] == [
        ("d", 3, 90, 50), ("e", 1, 2, 2)
    ]  # fmt: skip
    assert [row.ts for row in replayed(list(writer.take(7)))] == [1]
