"""Laws of matching and of applying what was found to a wrapped document."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

import xmlcep
from tests.matching.trees import canonical, eventful, pairs, unindented
from xmlcep.documents.replica import Replica, Strictness
from xmlcep.events import PrimitiveEvent
from xmlcep.matching import ChangeKind, Contents, apply, changes, match, outline


def parsed(old: str, new: str) -> tuple[Any, Any]:
    return etree.fromstring(old), etree.fromstring(new)


@given(pairs())
def test_a_tree_does_not_differ_from_itself(pair: tuple[Any, Any]) -> None:
    contents = Contents()
    for ignore in (True, False):
        old = outline(pair[0], contents, ignore_whitespace=ignore)
        again = outline(deepcopy(pair[0]), contents, ignore_whitespace=ignore)
        assert list(changes(match(old, again))) == []


@given(pairs(), st.booleans())
def test_contents_have_one_number_exactly_if_they_are_equal(pair: tuple[Any, Any], ignore: bool) -> None:
    contents = Contents()
    numbers = [outline(root, contents, ignore_whitespace=ignore).content[0] for root in pair]
    texts = [canonical(unindented(root) if ignore else root) for root in pair]
    assert (numbers[0] == numbers[1]) == (texts[0] == texts[1])


@given(pairs(), st.booleans(), st.booleans())
@settings(max_examples=100)
@example(
    parsed('<i k="1"> <i><a>\n</a>u</i></i>', '<i k="1"/>'), False, True
)  # what was hidden comes into view
@example(parsed("<a>x</a>", "<a> </a>"), True, True)
@example(parsed("<a>\n<b/>x</a>", "<a>\n<c/>x</a>"), True, True)
@example(parsed("<a>\n<b/>x<c/>\n</a>", "<a>y\n<c/>\n</a>"), True, True)
@example(
    parsed(
        '<r><s id="1"><w>some words</w></s><t k="1"><u>five</u></t><m/></r>',
        '<r><m/><g><s id="1"><w>some words</w><v><t k="1"><u>five</u></t></v></s></g></r>',
    ),
    True,
    True,
)  # something moves into something new, in something that moves into something new
@example(
    parsed(
        '<r><s id="1"><t k="1"><u>five</u></t><w>some words</w></s><m/></r>',
        '<r><m/><g><s id="1"><w>some words</w><t><t k="1"><u>five</u></t></t></s></g></r>',
    ),
    True,
    True,
)  # and out of it, where the only one of its name is another then
def test_the_document_becomes_the_other_tree(pair: tuple[Any, Any], hides: bool, ignore: bool) -> None:
    """By no more events than deleting and inserting everything takes; they lead a replica to the same."""
    old, new = pair
    document = xmlcep.fromstring(etree.tostring(old), ignore_whitespace=hides)
    replica = Replica.from_snapshot(*document.snapshot(), strictness=Strictness.STRICT)
    events: list[PrimitiveEvent] = []
    document.subscribe(events.append)
    before = canonical(new)
    assert document.update_to(new, ignore_whitespace=ignore, user="ann") == len(events)
    assert canonical(new) == before
    assert [event.more for event in events] == [True] * (len(events) - 1) + [False] * bool(events), (
        "one edit (U1)"
    )
    shown = unindented if ignore else deepcopy
    assert canonical(shown(document.root)) == canonical(shown(new))
    document._check()
    for event in events:
        replica.apply(event)
        assert event.meta is not None and event.meta["user"] == "ann" and event.txn == 1
    rebuilt, expected = replica.tree(), unindented(document.root) if hides else document.root
    assert rebuilt is not None
    assert canonical(rebuilt) == canonical(eventful(expected))
    contents = Contents()
    weights = [outline(root, contents, ignore_whitespace=hides and ignore).weight[0] for root in pair]
    assert len(events) <= sum(weights)
    assert document.update_to(new, ignore_whitespace=ignore) == 0
    document.close()


@given(st.lists(pairs(), min_size=2, max_size=3), st.booleans(), st.booleans())
def test_what_is_known_after_an_update_is_the_document(
    given_pairs: list[tuple[Any, Any]], hides: bool, ignore: bool
) -> None:
    """The outline that the next update begins with is the one that would be made anew."""
    states = [state for pair in given_pairs for state in pair]
    document = xmlcep.fromstring(etree.tostring(states[0]), ignore_whitespace=hides)
    contents = Contents()
    known = outline(document.root, contents, ignore_whitespace=ignore)
    for state in states:
        known = apply(match(known, outline(state, contents, ignore_whitespace=ignore)), document)
        anew = outline(document.root, contents, ignore_whitespace=ignore)
        assert known.nodes == anew.nodes
        for name in ("parent", "end", "tag", "attributes", "text", "tail", "content", "weight"):
            assert getattr(known, name) == getattr(anew, name)
    document.close()


@given(pairs(), st.randoms(use_true_random=False))
def test_the_same_holds_where_python_objects_are_older_than_the_wrapping(
    pair: tuple[Any, Any], random: Random
) -> None:
    old, new = pair
    held = [node for node in old.iter() if random.random() < 0.3]
    document = xmlcep.wrap(old)
    replica = Replica.from_snapshot(*document.snapshot(), strictness=Strictness.STRICT)
    events: list[PrimitiveEvent] = []
    document.subscribe(events.append)
    assert document.update_to(new, ignore_whitespace=False) == len(events)
    assert canonical(document.root) == canonical(new)
    document._check()
    for event in events:
        replica.apply(event)
    rebuilt = replica.tree()
    assert rebuilt is not None and held is not None
    assert canonical(rebuilt) == canonical(eventful(new))
    document.close()


@given(pairs())
def test_an_update_that_fails_leaves_the_document_as_it_was(pair: tuple[Any, Any]) -> None:
    document = xmlcep.fromstring(etree.tostring(pair[0]))
    before, ids = canonical(document.root), document.snapshot()[1]
    with pytest.raises(LookupError), document.transaction():
        document.update_to(pair[1])
        raise LookupError
    assert canonical(document.root) == before
    assert document.snapshot()[1] == ids
    document._check()
    document.close()


@given(pairs())
def test_events_of_what_did_not_move_do_not_say_so(pair: tuple[Any, Any]) -> None:
    """`moved-to` is on deletions only, `moved-from` on insertions only; they are what `diff` says of the same pair."""
    told = xmlcep.diff(*pair)
    document = xmlcep.fromstring(etree.tostring(pair[0]))
    events: list[PrimitiveEvent] = []
    document.subscribe(events.append)
    document.update_to(pair[1])
    for key, op in (("moved-to", "del"), ("moved-from", "ins")):
        moved = [(event.meta[key], event.op) for event in events if event.meta and key in event.meta]
        moves = [change for change in told if change.kind is ChangeKind.MOVED]
        places = {(change.path if op == "del" else change.moved_from, op) for change in moves}
        assert places <= set(moved)
        if not told.count(ChangeKind.RENAMED):  # with what is renamed goes what is in it
            assert places == set(moved)
    document.close()
