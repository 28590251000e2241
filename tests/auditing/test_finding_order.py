"""Findings come into their order: in memory, and on disk where they are many."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from xmlcep.auditing.spark.chunks import Chunk, ChunkKind
from xmlcep.auditing.spark.finding_chunks import Extent, FindingChunkWriter, FindingRanges, findings_of
from xmlcep.auditing.spark.finding_order import (
    MOST_BYTES,
    FindingOrder,
    FindingsPlace,
    OrderedFindings,
    by_range,
)
from xmlcep.auditing.spark.task_reports import FoundSizes

from path_types import PathType
from xmlcep.auditing import audit
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.order import Ranking
from xmlcep.auditing.findings.spool import LooseFinding, Spool
from xmlcep.auditing.local.document_findings import DocumentFindings
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.auditing.spark.failures import SparkError
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.rules import parse_rules

RULES = parse_rules("event B = x[1,2] ins(item/a) & ins(item/b)\nevent A = B(item) | ins(item/c)")
RANKING = Ranking(RULES)
PATH = PathType.parse("/order/item")


def composite(
    ts: int, name: str = "A", operator: str | None = None, ids: tuple[int, ...] = (1, 2), note: str = ""
) -> CompositeEvent:
    """A composite raised at a time point; ``note`` is its constituent's value."""
    cause = PrimitiveEvent(ts, "ins", PATH, (1, 2), note, doc="of another")
    return CompositeEvent(name, operator, PATH, ids, [cause], ts, ts, cause)


ONE_RANGE = FindingRanges([])


def chunk(*found: CompositeEvent, doc: str = "d", bucket: int = 0) -> Chunk:
    writer = FindingChunkWriter(RANKING, bucket, ONE_RANGE)
    writer.add(doc, found)
    [made] = writer.take()
    return made


def ordered(chunks: Sequence[Chunk], most_bytes: int = MOST_BYTES, **how: Any) -> list[OrderedFindings]:
    in_order = sorted(chunks, key=lambda chunk: (chunk.target, chunk.source, chunk.number))
    order = FindingOrder(RANKING, most_bytes=most_bytes, **how)
    return [findings for _, of_range in by_range(in_order) for findings in order.order(of_range)]


def notes(parts: Sequence[OrderedFindings]) -> list[str]:
    """The notes of the findings in these parts."""
    return [
        FASTEST.loads(line)["constituents"][0]["value"]
        for part in parts
        for line in bytes(part.text).splitlines()
    ]


def counted(parts: Sequence[OrderedFindings]) -> dict[str, Counter[str]]:
    """How many findings there are by document and event type."""
    found: dict[str, Counter[str]] = {}
    for part in parts:
        for doc, counts in part.counts.items():
            found.setdefault(doc, Counter()).update(counts)
    return found


def both(*chunks: Chunk) -> list[OrderedFindings]:
    """The findings in their order, which memory and disk agree on."""
    in_memory = ordered(chunks)
    assert ordered(chunks, most_bytes=0) == in_memory
    return in_memory


def test_a_chunk_holds_what_was_found() -> None:
    writer = FindingChunkWriter(RANKING, 3, ONE_RANGE)
    assert not list(writer.take())
    writer.add("d", [composite(7, note="x"), composite(7, "B", "multiplicity1", (1, 9))])
    writer.add("e", [composite(2, ids=())])
    assert not writer.is_large
    [first] = writer.take()
    assert first[:6] == (ChunkKind.FINDINGS, 0, 0, 0, 3, 1)
    assert not list(writer.take())
    table = findings_of(first)
    assert table["doc"].to_pylist() == ["d", "d", "e"] and table["ts"].to_pylist() == [7, 7, 2]
    lines = table["line"].to_pylist()
    assert [FASTEST.loads(line)["ids"] for line in lines] == [[1, 2], [1, 9], []]
    assert lines[0] == RANKING.encode(composite(7, note="x")) + b"\n"
    writer.add("d", [composite(8)])
    assert [chunk.number for chunk in writer.take()] == [2]  # in the order in which they were found


def test_large_chunks_are_told() -> None:
    writer = FindingChunkWriter(RANKING, 0, ONE_RANGE)
    for _ in range(2**12):  # what was found is encoded some at a time
        writer.add("d", [composite(1, note="x" * 2**11)])
    assert writer.is_large
    list(writer.take())
    assert not writer.is_large


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9), st.text("xé", max_size=3)), max_size=30),
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), max_size=4, unique=True),
    st.randoms(use_true_random=False),
)
def test_tasks_write_findings_where_they_belong(
    found: list[tuple[str, int, str]], cuts: list[tuple[str, int]], random: Random
) -> None:
    """Whichever task comes first, and whatever is done twice."""
    ranges = FindingRanges(sorted(cuts))
    sizes, chunks = FoundSizes(), []
    for bucket in range(2):
        counted = FoundSizes()
        writer = FindingChunkWriter(RANKING, bucket, ranges)
        for doc, ts, note in found[bucket::2]:
            writer.add(doc, [composite(ts, note=note)])
        chunks += counted.counted(writer.take())
        sizes.add(counted.report(bucket))
    expected = ordered(chunks)
    with NamedTemporaryFile() as file:
        place = FindingsPlace(file.name, sizes.starts(len(ranges)))
        tasks = [chunk.target for chunk in chunks] + random.sample(range(len(ranges)), 1)
        random.shuffle(tasks)
        parts = {
            task: list(place.written(task, ordered([each for each in chunks if each.target == task])))
            for task in tasks
        }
        assert file.read() == b"".join(part.text for part in expected)
    assert [part for task in sorted(parts) for part in parts[task]] == [
        part._replace(text=b"") for part in expected
    ]


def test_findings_that_cannot_be_written_are_one_sentence(tmp_path: Path) -> None:
    place = FindingsPlace(str(tmp_path / "gone"), [0])
    with pytest.raises(SparkError, match=rf"^findings cannot be written to {tmp_path}: No such file"):
        list(place.written(0, ordered([chunk(composite(1))])))


extents = st.lists(
    st.builds(
        lambda doc, first, points, records: (doc, first, first + points - 1, min(records, points)),
        st.text(st.sampled_from("ab\0é"), max_size=3), st.integers(1, 50), st.integers(1, 300), st.integers(1, 300),
    ),
    max_size=8, unique_by=lambda extent: extent[0],
)  # fmt: skip


@given(extents, st.integers(1, 400))
def test_ranges_follow_each_other_and_are_of_a_size(
    found: list[tuple[str, int, int, int]], size: int
) -> None:
    ranges = FindingRanges.of(sorted(Extent(*extent) for extent in found), size)
    assert ranges.cuts == sorted(set(ranges.cuts))
    held: Counter[int] = Counter()
    last = 0
    for doc, first, end, records in sorted(found):
        begin, cuts = ranges.of_document(doc)
        for ts in range(first, end + 1):
            number = begin + bisect_right(cuts, ts)
            assert number == bisect_right(ranges.cuts, (doc, ts)) and last <= number < len(ranges)
            last = number
            held[number] += records / (end - first + 1)
    # A time point is never divided, and the records of a document are thought to be spread evenly.
    assert all(number <= 2 * size + 1 for number in held.values())
    assert sum(extent[3] for extent in found) <= len(ranges) * size


def test_findings_go_to_their_ranges() -> None:
    ranges = FindingRanges([("b", 5), ("b", 9), ("c", 2)])
    writer = FindingChunkWriter(RANKING, 1, ranges)
    for doc in "dcab":
        writer.add(doc, [composite(ts, note=f"{doc}{ts}") for ts in (1, 4, 5, 9)])
    chunks = list(writer.take())
    by_target = {chunk.target: notes(ordered([chunk])) for chunk in chunks}
    assert by_target == {
        0: ["a1", "a4", "a5", "a9", "b1", "b4"],
        1: ["b5"],
        2: ["b9", "c1"],
        3: ["c4", "c5", "c9", "d1", "d4", "d5", "d9"],
    }


@pytest.mark.parametrize("most_bytes", [0, MOST_BYTES])
def test_findings_can_be_withheld_and_go_by_event_type(most_bytes: int) -> None:
    chunks = [
        chunk(composite(9, "B", note="3"), composite(2, note="1"), doc="a"),
        chunk(composite(1, note="x"), composite(2, "B", note="y"), doc="b"),
        chunk(composite(1, note="2"), doc="c"),
    ]
    parts = ordered(chunks, most_bytes, withheld={"b", "z"}, by_event=True)
    assert [(part.name, notes([part]), part.counts) for part in sorted(parts, key=lambda part: part.name or "")] == [
        ("A", ["1", "2"], {"a": {"A": 1}, "c": {"A": 1}}),
        ("B", ["3"], {"a": {"B": 1}}),
    ]  # fmt: skip


def test_the_order_is_that_of_time_type_operator_and_ids() -> None:
    """B comes first, as A takes it (G2); in it the operators in postorder; then ids, by their numbers."""
    in_their_order = [
        composite(1, note="first"),
        composite(2, "B", "multiplicity1", (1, 99)),
        composite(2, "B", None, (1, 3)),
        composite(2, "A", None, (1, -5)),
        composite(2, "A", None, (1, 2)),
        composite(2, "A", None, (1, 2, 0)),
        composite(2, "A", None, (1, 10)),
        composite(2, "A", None, (2,)),
        composite(10, "B"),
    ]
    numbered = [
        each._replace(constituents=[each.cause._replace(value=str(number))])
        for number, each in enumerate(in_their_order)
    ]
    parts = both(chunk(*reversed(numbered[:5]), bucket=0), chunk(*reversed(numbered[5:]), bucket=1))
    assert notes(parts) == [str(number) for number in range(9)]
    assert [part[:2] for part in parts] == [(None, {"d": {"A": 6, "B": 3}})]


def test_what_is_in_one_place_stays_as_it_was_raised() -> None:
    writer = FindingChunkWriter(RANKING, 2, ONE_RANGE)
    chunks = []
    for numbers in ("4", "5 6", "7"):
        writer.add("d", [composite(3, note=note) for note in numbers.split()])
        chunks += writer.take()
    before = chunk(composite(3, ids=(1, 1), note="0"), composite(3, ids=(1, 3), note="9"), bucket=1)
    assert notes(both(before, *chunks)) == list("045679")


def test_documents_follow_each_other_by_name() -> None:
    chunks = [
        chunk(composite(9, note="1"), doc="b"),
        chunk(composite(1, note="0"), doc="a", bucket=1),
        chunk(composite(11, note="2"), doc="b", bucket=2),
        chunk(composite(1, note="3"), doc="ä\n\x00", bucket=2),
    ]
    parts = both(*chunks)
    assert notes(parts) == list("0123")
    assert [part.counts for part in parts] == [{"a": {"A": 1}, "b": {"A": 2}, "ä\n\x00": {"A": 1}}]


def test_nothing_was_found() -> None:
    assert both() == []


def test_many_findings_are_handed_out_in_pieces() -> None:
    many = [composite(ts, name="AB"[ts % 2], note="x" * 600) for ts in range(1, 10_003)]
    in_memory, from_disk = ordered([chunk(*many)]), ordered([chunk(*many)], most_bytes=0)
    assert [len(part.text.splitlines()) for part in from_disk] == [10_000, 2]
    assert len(in_memory) > 1 and all(len(part.text) < 5 * 2**20 for part in in_memory)
    for parts in (in_memory, from_disk):
        assert counted(parts) == {"d": {"A": 5_001, "B": 5_001}}
    assert b"".join(part.text for part in in_memory) == b"".join(part.text for part in from_disk)


places = st.sampled_from([("B", "multiplicity1"), ("B", None), ("A", None)])
composites = st.builds(
    lambda ts, place, ids: composite(ts, *place, tuple(ids)),
    st.integers(1, 3), places, st.lists(st.sampled_from((0, 1, 2, 300, -1, 2**62)), max_size=2),
)  # fmt: skip
some = st.lists(st.tuples(st.sampled_from(("a", "b", "é")), composites), min_size=1, max_size=6)


@given(st.lists(some, max_size=8), st.sampled_from((0, 1500)))
@example([[("a", composite(1)), ("a", composite(1, "B"))]], 0)
def test_the_order_is_that_of_one_stable_sort(
    found: list[list[tuple[str, CompositeEvent]]], most_bytes: int
) -> None:
    chunks, everything = [], []
    for number, each in enumerate(found):
        writer = FindingChunkWriter(RANKING, number, ONE_RANGE)
        for doc, raised in each:
            noted = raised._replace(constituents=[raised.cause._replace(value=str(len(everything)))])
            everything.append((doc, noted))
            writer.add(doc, [noted])
        chunks += writer.take()
    everything.sort(key=lambda each: (each[0], each[1].ts, *RANKING.place(each[1])))
    parts = ordered(chunks, most_bytes)
    assert b"".join(part.text for part in parts).splitlines() == [
        RANKING.encode(raised) for _, raised in everything
    ]
    assert counted(parts) == {
        doc: Counter(raised.name for named, raised in everything if named == doc)
        for doc in {doc for doc, _ in everything}
    }


# ---- the spool -----------------------------------------------------------------------------------------------


def test_loose_findings_are_sorted_and_gone() -> None:
    first, second, third = (LooseFinding("d", 1, 0, ids, b"1") for ids in (b"", b"\x00", b"\x01"))
    with Spool() as spool:
        spool.add_loose([third, second._replace(line=b"2"), second, first])
        assert list(spool.take_loose()) == [first, second._replace(line=b"2"), second, third]
        spool.add_loose([third._replace(doc="é"), third._replace(doc="z"), third._replace(doc="")])
        assert [each.doc for each in spool.take_loose()] == ["", "z", "é"]
        assert not list(spool.take_loose())


def test_findings_of_documents_are_kept_apart() -> None:
    with Spool() as spool:
        for doc, text in (("b", b"x\ny\n"), ("a\x00b", b"2\n"), ("b", b"3\n"), ("", b"0\n"), ("a", b"1\n")):
            spool.add_findings(doc, text)
        assert list(spool.findings()) == [
            ("", b"0\n"), ("a", b"1\n"), ("a\x00b", b"2\n"), ("b", b"x\ny\n"), ("b", b"3\n")
        ]  # fmt: skip
        spool.drop_findings("a")
        spool.drop_findings("b")
        assert [doc for doc, _ in spool.findings()] == ["", "a\x00b"]


def test_what_an_edit_raises_with_its_last_record_comes_before_what_it_raised_later(tmp_path: Path) -> None:
    """U2: rules that look at the document are held up to the end of an edit, others are not, of other time points."""
    rules = parse_rules(
        """
        event Looks = ins(item/a)[count(../*) = 2]
        event Prompt = ins(item/b)
        """
    )
    log = tmp_path / "log.jsonl"
    paths = ("/order", "/order/item", "/order/item/a", "/order/item/b")
    ids = ([1], [1, 2], [1, 2, 3], [1, 2, 4])
    with log.open("wb") as file:
        for ts, (path, path_ids) in enumerate(zip(paths, ids, strict=True), start=1):
            record: dict[str, Any] = {
                "doc": "d",
                "ts": ts,
                "op": "ins",
                "path": path,
                "ids": path_ids,
                "pos": max(ts - 3, 0),
            }
            file.write(FASTEST.dumps(record | ({"more": True} if ts < len(paths) else {})) + b"\n")
    found = [(each["ts"], each["name"]) for each in audit(log, rules, engine="local").records()]
    assert found == [(3, "Looks"), (4, "Prompt")]


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(1, 7))
def test_what_is_settled_comes_in_order_whatever_was_raised_when(times: list[int], until: int) -> None:
    with Spool() as spool:
        findings = DocumentFindings("d", RANKING, Collector(spool, Summary("test"), OnBadRecord.SKIP))
        findings.pending += [composite(ts) for ts in times]
        findings.settle_until(until)
        assert [each.ts for each in findings.pending] == [ts for ts in times if ts >= until]
        findings.settle()
        findings.spool()
        written = [
            FASTEST.loads(line)["ts"] for line in b"".join(text for _, text in spool.findings()).splitlines()
        ]
    assert written == sorted(ts for ts in times if ts < until) + sorted(ts for ts in times if ts >= until)
