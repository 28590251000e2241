"""Audits that go on with other rules than before: kept trees over all of the log, new ones from there (rule G7)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from tests.auditing.growing import Growing, change, line, write
from tests.auditing.test_every_construct import Log, log_of
from tests.laws.agreement import rules_of
from tests.laws.replacing import Case, cases
from tests.strategies import History
from xmlcep import Detector, parse_rules
from xmlcep.auditing import AuditError
from xmlcep.engine import StateError
from xmlcep.errors import XmlCepError
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.log.records import ClockRecord
from xmlcep.rules import Rules
from xmlcep.rules.comparison import compare, tree_digests

BOTH = "event Both = ins(item/price) & ins(item/quantity)\n"
SOON = 'event Soon {within = "3 changes"} = ins(item/price) ; ins(item/comment)\n'
ASKS = 'event Asks(item) {when = "price"} = ins(item/comment)\n'


def expected(case: Case, items: Log, cut: int, before: Rules, after: Rules) -> list[dict[str, Any]]:
    """What one detector raises that has the rules replaced before an item of the log: before the flush, too, that only
    this item shows to be due (D3)."""
    detector, past = Detector(before), Detector(after)
    found: list[CompositeEvent] = []
    txn: int | None = None
    for place, item in enumerate([*items, "close"]):
        if place == cut:
            begin = case.from_the_beginning
            document = past.document if begin else None
            answer = detector.replace(
                after,
                on_removed="flush" if case.flush else "drop",
                document=document,
                past=past if begin else None,
            )
            found += answer.raised
        own = item.txn if isinstance(item, PrimitiveEvent) else None
        for each in (detector, past):
            raised = each.flush() if txn is not None and own != txn else []
            if isinstance(item, PrimitiveEvent):
                raised += each.feed(item)
            else:
                raised += each.advance(item.at) if isinstance(item, ClockRecord) else each.close()
            found += raised if each is detector else []
        txn = own
    return [each.to_record() for each in found]


class InLog(NamedTuple):
    """The rules before and after, the items of a log, those before the rules are replaced, what is found in all."""

    before: Rules
    after: Rules
    items: Log
    first: Log
    found: list[dict[str, Any]]


def in_log(case: Case) -> InLog | None:
    """A case as an audit sees it; None if a document cannot be replayed."""
    before, after = rules_of(case.before), rules_of(case.after)
    begun = compare(tree_digests(before), tree_digests(after)).begun
    asks = any(after.graph.asks_document(tree) for tree in after.graph.trees if tree.name in begun)
    assume(case.from_the_beginning or not asks)
    items, first = log_of(History(case.steps), "doc"), log_of(History(case.steps[: case.cut]), "doc")
    assume(any(isinstance(item, PrimitiveEvent) for item in first))
    note(str(case))
    try:
        return InLog(before, after, items, first, expected(case, items, len(first), before, after))
    except XmlCepError:
        return None


@pytest.mark.parametrize("mode", ["levels-timed", "meet", "late-timed", "full"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_audits_with_other_rules_from_some_run_on(mode: str, data: st.DataObject) -> None:
    case = data.draw(cases(mode))
    known = in_log(case)
    if known is None:
        return
    before, after, items, first, want = known
    with tempfile.TemporaryDirectory() as name:
        growing = Growing(Path(name), before)
        for part in (first, items[len(first) :]):
            with (growing.logs / "a.jsonl").open("ab") as stream:
                stream.write(b"".join(map(line, part)))
            more: dict[str, Any] = {}
            if growing.results:
                growing.rules = after
                more = {
                    "on_removed": "flush" if case.flush else "drop",
                    "new_since": "begin" if case.from_the_beginning else "now",
                }
            growing.run(final=bool(growing.results), **more)
        got = [json.loads(each) for each in growing.out.read_text().splitlines()]
    assert sorted(map(json.dumps, got)) == sorted(map(json.dumps, want))


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    growing = Growing(tmp_path, parse_rules(BOTH + SOON))
    write(growing.logs / "a.jsonl", *(change(doc, 1, "price") for doc in "AB"))
    growing.run()
    return growing


def test_what_it_says(growing: Growing) -> None:
    growing.rules = parse_rules(ASKS.replace('{when = "price"} ', "") + BOTH)
    with pytest.raises(
        StateError, match=r"other rules \(removed: Soon; added: Asks\): use the same, say what"
    ):
        growing.run()
    write(growing.logs / "a.jsonl", *(change(doc, 3, "quantity") for doc in "AB"))
    result = growing.run(on_removed="drop")
    assert [found["name"] for found in result.records()] == ["Both", "Both"]
    assert result.notes == [
        "rules replaced: 1 kept: Both",
        "rules replaced: 1 new: Asks",
        "rules replaced: 1 removed: Soon (2 partial matches lost)",
    ]
    assert growing.run(final=True).notes == []


def test_only_more_events_need_no_word(growing: Growing) -> None:
    growing.rules = parse_rules(BOTH + SOON + "event Many(order) = x[2,2] ins(item/price)\n")
    assert growing.run().notes == ["rules replaced: 2 kept: Both, Soon", "rules replaced: 1 new: Many"]
    growing.rules = parse_rules(BOTH + SOON)
    with pytest.raises(AuditError, match="`on_removed` and `new_since` need `since`"):
        growing.whole(growing.out.parent, on_removed="drop")


def test_new_events_that_ask_documents_have_the_log_read_again(growing: Growing) -> None:
    begun = {"doc": "C", "op": "ins", "pos": 0}
    write(
        growing.logs / "a.jsonl",
        {**begun, "ts": 1, "path": "/order", "ids": [1]},
        {**begun, "ts": 2, "path": "/order/item", "ids": [1, 2]},
        change("C", 3, "price"),
    )
    growing.run()
    growing.rules = parse_rules(BOTH + SOON + ASKS)
    with pytest.raises(StateError, match="Asks would ask the documents"):
        growing.run()
    write(growing.logs / "a.jsonl", change("C", 4, "comment"))
    moved = growing.logs / "a.jsonl"
    moved.rename(moved.with_name("b.jsonl"))
    with pytest.raises(StateError, match="is not among the files"):
        growing.run(new_since="begin")
    moved.with_name("b.jsonl").rename(moved)
    result = growing.run(new_since="begin", final=True)
    assert [found["name"] for found in result.records()] == ["Soon", "Asks"]


def test_other_reference_documents(growing: Growing) -> None:
    """What used the former one can only be dropped: nobody has it."""
    text = (
        'reference parts = "parts.xml"\nevent Known = ins(item/@n)[. = $parts/parts/part] ; ins(item/price)\n'
        + BOTH
    )
    one, two = (
        parse_rules(text, references={"parts": f"<parts><part>{n}</part></parts>".encode()}) for n in (1, 2)
    )
    growing.rules = one
    growing.run(on_removed="drop")
    growing.rules = two
    with pytest.raises(StateError, match="other versions of the reference documents parts, and they use"):
        growing.run(on_removed="flush")
    assert "rules replaced: 1 changed: Known" in growing.run(on_removed="drop").notes
