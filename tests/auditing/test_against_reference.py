"""An audit finds what the naive evaluator of `tests.reference` finds, document by document, in the order of the file.

The evaluator reads no log, knows no snapshot, sorts nothing: it is fed with the events from which the log was made.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.auditing.logs import Life, interleaved, lives, write_log
from tests.auditing.simulation import simulate
from tests.laws.agreement import as_the_engine_sees
from tests.reference import Evaluation
from tests.reference.document import NaiveDocument
from tests.strategies import reusing_rule_sets, rule_sets, show_rules, taking
from xmlcep.algebra import EventDefinition
from xmlcep.auditing import audit
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import Header
from xmlcep.rules import Rules, parse_rules

T = TypeVar("T")
Definitions = tuple[EventDefinition, ...]
Records = list[dict[str, Any]]
# A piece of a log, in one file.
Piece = list[Header | PrimitiveEvent]


def expected(found: Sequence[Life], definitions: Definitions, *, operators: bool) -> Records:
    """What is to be found in the logs of these documents: one after the other, in order of their names."""
    return [
        record
        for life in sorted(found, key=lambda life: life.doc)
        for record in expected_of(life, definitions).findings(operators=operators)
    ]


def expected_of(life: Life, definitions: Definitions) -> Evaluation:
    """The evaluation of what was recorded of a document, closed at its end."""
    evaluation = Evaluation(definitions)
    evaluation.document = document_before(life)
    for before, event in pairwise((None, *life.recorded)):
        assert event is not None
        if before is not None and before.txn is not None and event.txn != before.txn:
            evaluation.take("flush")  # D3: the end of a transaction
        evaluation.take(as_the_engine_sees(event))
    evaluation.take("close")
    return evaluation


def document_before(life: Life) -> NaiveDocument:
    """The document as the log's header has it: what was not recorded is known only below a root that is known."""
    document = NaiveDocument()
    missed = life.events[: life.skipped]
    for event in missed:
        document.apply(event)
    return document if missed and missed[-1].ids[0] in document.nodes else NaiveDocument()


@st.composite
def files(draw: st.DrawFn, found: list[Life]) -> list[Piece]:
    """The logs as files: all in one, one for each document, or two for each; records perhaps out of order."""
    logs = [life.log() for life in found]
    layout = draw(st.sampled_from(("together", "each", "rolled over")))
    if layout == "together":
        pieces = [draw(interleaved(logs))]
    elif layout == "each":
        pieces = logs
    else:
        # The header stays with the first record.
        cuts = [draw(st.integers(min(2, len(log)), len(log))) for log in logs]
        pieces = [part for log, cut in zip(logs, cuts, strict=True) for part in (log[:cut], log[cut:])]
    return [draw(disordered(piece)) for piece in pieces if piece]


@st.composite
def disordered(draw: st.DrawFn, piece: Piece) -> Piece:
    """The file with a few neighbours, both records, in each other's place."""
    piece = list(piece)
    for index in draw(st.lists(st.integers(0, 30), max_size=2)):
        if index + 1 < len(piece) and not any(isinstance(each, Header) for each in piece[index : index + 2]):
            piece[index], piece[index + 1] = piece[index + 1], piece[index]
    return piece


def found_locally(logs: list[Path], rules: Rules, *, operators: bool, until: str | None = None) -> Records:
    """What the local engine writes."""
    result = audit(logs, rules, engine="local", operators=operators, until=until)
    assert not result.summary.quarantined
    return list(result.records())


def found_in_parts(logs: list[Path], rules: Rules, *, operators: bool, until: str | None = None) -> Records:
    """What tasks of Spark find, whether documents are divided or not."""

    def found(large: int | None) -> list[bytes]:
        with Spool() as spool:
            collector = Collector(spool, Summary("test"), OnBadRecord.SKIP)
            return simulate(
                logs,
                rules,
                collector,
                split_bytes=700,
                batch=4,
                operators=operators,
                until=until,
                large=large,
            )

    whole, divided = found(None), found(0)
    assert divided == whole
    return [FASTEST.loads(line) for line in whole]


def check(definitions: Definitions, found: list[Life], data: st.DataObject) -> None:
    """Writes the logs of these documents to files and compares what is found in them with what the evaluator says."""
    pieces = data.draw(files(found))
    operators = data.draw(st.booleans())
    note(show_rules(definitions))
    if not pieces:
        return
    rules = Rules.from_definitions(definitions)
    wanted = expected(found, definitions, operators=operators)
    with tempfile.TemporaryDirectory() as folder:
        logs = [write_log(Path(folder) / f"{index:02}.jsonl", piece) for index, piece in enumerate(pieces)]
        assert found_locally(logs, rules, operators=operators) == wanted
        assert found_in_parts(logs, rules, operators=operators) == wanted


@settings(max_examples=10)
@given(rule_sets(), lives(max_documents=2), st.data())
def test_any_rules(definitions: Definitions, found: list[Life], data: st.DataObject) -> None:
    check(definitions, found, data)


BUSY = lives(max_documents=2, busy=True, min_actions=4)


@settings(max_examples=10)
@given(reusing_rule_sets(), BUSY, st.data())
def test_trees_that_take_what_others_raise_under_other_nodes(
    definitions: Definitions, found: list[Life], data: st.DataObject
) -> None:
    check(definitions, found, data)


# What waits for the end of a transaction, for the end of the document, or for an event elsewhere.
WAITING = parse_rules(
    """
    event Pair {end=custom} = ins(item/price) & ins(item/quantity)
    event Quiet {end=non-local} = x[1,*]{end=non-local} ins(item/price) & ins(item/quantity)
    event Pairs(order) {context=cumulative, end=custom} = Pair(item) | Quiet(item)
    event Last(order) {context=recent, end=non-local} = Quiet(item) ; *(comment)
    event Filled(order) = x[0,2]{end=custom, path=item} ins(item/price) & x[0,*] ins(order/item)
    """
).definitions
IN_TRANSACTIONS = lives(max_documents=2, busy=True, min_actions=4, transactions=True)

# What looks at the document, also at what was there before the log.
LOOKING = parse_rules(
    """
    event Odd {when="count(*) mod 2 = 1"} = ins(item/price) | ins(item/quantity)
    event Several(order) {when="count(item) > 1"} = x[1,*] ins(item/price)
    event Full {when="price and quantity"} = *(item/quantity) | ins(item/item) | ins(item/price)
    event Growing(order) {when="count(.//price) > 1", end=custom} = x[1,3] Full(item)
    event Plain(/order) {when="not(.//comment)"} = Odd(item) ; ins(order/item)
    event Asked = *(item/price)[count(../*) mod 2 = 1]
    event At(order) = ins(order/item) | *(item/comment)
    event Then = ins(item/comment) ; *(item/quantity)
    """
).definitions
BEGUN_LATE = lives(max_documents=2, busy=True, min_actions=5, late=True)


@settings(max_examples=10)
@given(IN_TRANSACTIONS, st.data())
def test_what_waits(found: list[Life], data: st.DataObject) -> None:
    check(WAITING, found, data)


@settings(max_examples=10)
@given(BEGUN_LATE, st.data())
def test_what_looks_at_the_document(found: list[Life], data: st.DataObject) -> None:
    check(LOOKING, found, data)


def test_arrivals_wait_while_a_silent_composite_is_consumed(tmp_path: Path) -> None:
    """M3: price 5 waits in the group of item 2 when item 7 consumes that group's silent composite (M5)."""
    happened = (
        ("/order", (1,), 1), ("/order/item", (1, 2), 1), ("/order/item/price", (1, 2, 3), 1),
        ("/order/item/price", (1, 2, 5), 2), ("/order/item", (1, 7), 2),
    )  # fmt: skip
    events = tuple(
        PrimitiveEvent(ts, "ins", PathType.parse(path), ids, None, None, 0, None, "doc", txn)
        for ts, (path, ids, txn) in enumerate(happened, start=1)
    )
    filled = tuple(each for each in WAITING if each.name == "Filled")
    wanted = expected([Life("doc", events, 0)], filled, operators=True)
    assert (5, 4) in [(each["ts"], each["start"]) for each in wanted if each["operator"] == "multiplicity1"]
    log = write_log(tmp_path / "log.jsonl", events)
    rules = Rules.from_definitions(filled)
    assert found_locally([log], rules, operators=True) == wanted
    assert found_in_parts([log], rules, operators=True) == wanted


def examples(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """Some examples, always the same."""
    drawn: list[T] = []

    @seed(1)
    @settings(
        max_examples=count, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck)
    )
    @given(strategy)
    def draw(example: T) -> None:
        drawn.append(example)

    draw()
    return drawn


def test_such_trees_do_take_composites() -> None:
    """The strategy is worth something only if trees raise what they made of others' composites."""
    drawn = examples(st.tuples(reusing_rule_sets(), BUSY), 100)
    raised = [
        {record["name"] for record in expected(found, rules, operators=False)} & taking(rules)
        for rules, found in drawn
    ]
    assert sum(map(bool, raised)) > 0.3 * len(drawn)
    assert sum(names == taking(rules) for names, (rules, _) in zip(raised, drawn, strict=True)) > 0.1 * len(
        drawn
    )


def test_ends_of_transactions_and_earlier_days_matter() -> None:
    """They change what is found in a good part of the examples."""

    def without_transactions(life: Life) -> Life:
        return replace(life, events=tuple(event._replace(txn=None) for event in life.events))

    def without_past(life: Life) -> Life:
        return replace(life, events=life.recorded, skipped=0)

    for definitions, strategy, changed in (
        (WAITING, IN_TRANSACTIONS, without_transactions),
        (LOOKING, BEGUN_LATE, without_past),
    ):
        drawn = examples(strategy, 40)
        differing = [
            found
            for found in drawn
            if expected(found, definitions, operators=True)
            != expected(list(map(changed, found)), definitions, operators=True)
        ]
        assert len(differing) > 0.2 * len(drawn), changed
