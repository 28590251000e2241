"""Findings come into their order: in memory, and on disk where they are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from path_types import PathType
from xmlcep.auditing.findings.order import Ranking
from xmlcep.auditing.findings.spool import LooseFinding, Spool
from xmlcep.auditing.spark.chunks import Chunk, from_ipc
from xmlcep.auditing.spark.finding_chunks import FOUND, MOST_BYTES, Found, Part, in_order
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


def chunk(*found: CompositeEvent, doc: str = "d", segment: int = 0, bucket: int = 0) -> Chunk:
    collected = Found(RANKING, bucket)
    collected.add(doc, found)
    return collected.take(segment)


def ordered(chunks: Sequence[Chunk], most_bytes: int = MOST_BYTES) -> list[Part]:
    with Spool() as spool:
        parts = list(in_order(chunks, RANKING, spool, most_bytes))
        assert not list(spool.take_loose())
    return parts


def notes(parts: Sequence[Part]) -> list[str]:
    """The notes of the findings in these parts."""
    return [
        FASTEST.loads(line)["constituents"][0]["value"] for part in parts for line in part.text.splitlines()
    ]


def line_of(one: Chunk) -> bytes:
    """The only finding in a chunk."""
    [line] = from_ipc(one.content)["line"].to_pylist()
    return line


def both(*chunks: Chunk) -> list[Part]:
    """The findings in their order, which memory and disk agree on."""
    in_memory = ordered(chunks)
    assert ordered(chunks, most_bytes=0) == in_memory
    return in_memory


def test_a_chunk_holds_what_was_found() -> None:
    found = Found(RANKING, bucket=3)
    assert not found
    found.add("d", [composite(7, note="x"), composite(7, "B", "multiplicity1", (1, 9))])
    found.add("e", [composite(2, ids=())])
    assert found and not found.is_large
    first = found.take(segment=5)
    assert first[:4] == (FOUND, 3, 5, 1) and not found
    table = from_ipc(first.content)
    assert table["doc"].to_pylist() == ["d", "d", "e"] and table["ts"].to_pylist() == [7, 7, 2]
    assert table["ids"].to_pylist() == [[1, 2], [1, 9], []]
    assert table["line"].to_pylist()[0] == RANKING.encode(composite(7, note="x")) + b"\n"
    found.add("d", [composite(8)])
    assert found.take(segment=5).number == 2  # in the order in which they were found


def test_large_chunks_are_told() -> None:
    found = Found(RANKING, 0)
    found.add("d", [composite(1, note="x" * 2**20)])
    assert found.is_large
    found.take(0)
    assert not found.is_large


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
    assert [part[:2] for part in parts] == [("d", {"A": 6, "B": 3})]


def test_what_is_in_one_place_stays_as_it_was_raised() -> None:
    found = Found(RANKING, 2)
    chunks = []
    for numbers in ("4", "5 6", "7"):
        found.add("d", [composite(3, note=note) for note in numbers.split()])
        chunks.append(found.take(0))
    before = chunk(composite(3, ids=(1, 1), note="0"), composite(3, ids=(1, 3), note="9"), bucket=1)
    assert notes(both(before, *chunks)) == list("045679")


def test_segments_follow_each_other_with_the_documents_apart() -> None:
    """The order of documents within a segment is for the one who writes them."""
    chunks = [
        chunk(composite(9, note="1"), doc="b", segment=0),
        chunk(composite(1, note="0"), doc="a", segment=0, bucket=1),
        chunk(composite(1, note="2"), doc="b", segment=7),
        chunk(composite(1, note="3"), doc="ä\n\x00", segment=7),
    ]
    for most_bytes in (0, MOST_BYTES):
        parts = ordered(chunks, most_bytes)
        assert sorted(parts[:2]) + sorted(parts[2:]) == [
            Part("a", {"A": 1}, line_of(chunks[1])), Part("b", {"A": 1}, line_of(chunks[0])),
            Part("b", {"A": 1}, line_of(chunks[2])), Part("ä\n\x00", {"A": 1}, line_of(chunks[3])),
        ]  # fmt: skip


def test_nothing_was_found() -> None:
    assert both() == []


def test_many_findings_are_handed_out_in_parts() -> None:
    """From the disk some at a time: the document is the same, the counts add up."""
    many = [composite(ts, name="AB"[ts % 2]) for ts in range(1, 10_003)]
    parts = ordered([chunk(*many)], most_bytes=0)
    assert [(part.doc, len(part.text.splitlines()), part.counts) for part in parts] == [
        ("d", 10_000, {"A": 5_000, "B": 5_000}), ("d", 2, {"A": 1, "B": 1})
    ]  # fmt: skip
    assert [line for part in parts for line in part.text.splitlines()] == [
        line for part in ordered([chunk(*many)]) for line in part.text.splitlines()
    ]


places = st.sampled_from([("B", "multiplicity1"), ("B", None), ("A", None)])
composites = st.builds(
    lambda ts, place, ids: composite(ts, *place, tuple(ids)),
    st.integers(1, 3), places, st.lists(st.sampled_from((0, 1, 2, 300, -1, 2**62)), max_size=2),
)  # fmt: skip
some = st.lists(st.tuples(st.sampled_from(("a", "b", "é")), composites), min_size=1, max_size=6)


@given(st.lists(st.tuples(st.integers(0, 1), some), max_size=8), st.sampled_from((0, 1500)))
@example([(0, [("a", composite(1)), ("a", composite(1, "B"))])], 0)
def test_the_order_is_that_of_one_stable_sort(
    found: list[tuple[int, list[tuple[str, CompositeEvent]]]], most_bytes: int
) -> None:
    found.sort(key=lambda each: each[0])
    chunks, everything = [], []
    for number, (segment, each) in enumerate(found):
        of_chunk = Found(RANKING, number)
        for doc, raised in each:
            noted = raised._replace(constituents=[raised.cause._replace(value=str(len(everything)))])
            everything.append((segment, doc, noted))
            of_chunk.add(doc, [noted])
        chunks.append(of_chunk.take(segment))
    everything.sort(key=lambda each: (*each[:2], each[2].ts, *RANKING.place(each[2])))
    of_docs: dict[str, tuple[Counter[str], list[bytes]]] = {}
    for part in ordered(chunks, most_bytes):
        counts, lines = of_docs.setdefault(part.doc, (Counter(), []))
        counts.update(part.counts)
        lines.extend(part.text.splitlines())
    assert of_docs == {
        doc: (
            Counter(raised.name for _, named, raised in everything if named == doc),
            [RANKING.encode(raised) for _, named, raised in everything if named == doc],
        )
        for doc in {doc for _, doc, _ in everything}
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
        for doc, number, text in (
            ("b", 1, b"3\n"),
            ("a\x00b", 5, b"2\n"),
            ("b", 0, b"x\ny\n"),
            ("", 0, b"0\n"),
        ):
            spool.add_findings(doc, number, text)
        spool.add_findings("a", 2, b"1\n")
        assert list(spool.findings()) == [
            ("", b"0\n"), ("a", b"1\n"), ("a\x00b", b"2\n"), ("b", b"x\ny\n"), ("b", b"3\n")
        ]  # fmt: skip
        spool.drop_findings("a")
        spool.drop_findings("b")
        assert [doc for doc, _ in spool.findings()] == ["", "a\x00b"]
