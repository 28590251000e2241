"""States of detectors: what they have of running state, what they refuse, what they weigh (rule G6)."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from contexts.runs import Run, Runs
from path_types import PathType
from tests.laws.agreement import rules_of
from tests.strategies.full_rules import full_rule_sets
from tests.strategies.histories import History
from tests.strategies.timed import timed_histories
from xmlcep import Detector, PrimitiveEvent
from xmlcep.algebra import EventDefinition
from xmlcep.engine import StateError
from xmlcep.engine.durable import difference, new_reader, new_writer, rules_stamp
from xmlcep.engine.durable.layouts import Layout
from xmlcep.engine.durable.table import DETECTOR, TABLE
from xmlcep.engine.edits import HeldRecord, HeldTimePoint
from xmlcep.engine.release import Deferral
from xmlcep.engine.timers import Due
from xmlcep.errors import XmlCepError
from xmlcep.events import CompositeEvent
from xmlcep.rules import parse_rules

BOTH = "event Both = ins(item/price) & ins(item/quantity)"
VALUES = (CompositeEvent, PrimitiveEvent)


def change(ts: int, name: str, item: int = 2, **more: Any) -> PrimitiveEvent:
    path = PathType.parse(f"/order/item/{name}")
    return PrimitiveEvent(ts, "ins", path, (1, item, 10_000_000 + ts), **more)


def attributes(thing: object) -> set[str]:
    """All that an object has: its dict, and the slots of its classes that are filled."""
    slots = {name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())}
    return {*getattr(thing, "__dict__", ()), *(name for name in slots if hasattr(thing, name))} - {"__dict__"}


def check_declared(thing: object, seen: set[int]) -> None:
    """Fails for an object of running state, of whatever it is the state, that the table does not know in full."""
    if isinstance(thing, VALUES) or id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, dict):
        for one in thing.values():
            check_declared(one, seen)
    elif isinstance(thing, (list, tuple, set, frozenset, deque)):
        for one in thing:
            check_declared(one, seen)
    elif type(thing).__module__.partition(".")[0] in ("xmlcep", "contexts") and type(thing).__name__ not in (
        "Runs", "PathType", "TimePoint", "Moment", "GatheredBindings", "Records",  # values, or written by hand
    ):  # fmt: skip
        try:
            layout: Layout = DETECTOR if type(thing) is Detector else TABLE.layout(type(thing))
        except StateError as error:
            pytest.fail(str(error))
        unknown = attributes(thing) - layout.state.keys() - layout.derived
        where = f"{type(thing).__module__}.{type(thing).__qualname__}"
        assert not unknown, (
            f"{where} has {', '.join(sorted(unknown))}, of which xmlcep/engine/durable/table.py does not say whether "
            "it is running state (a form) or follows from the rules (derived)"
        )
        for name in layout.state:
            if name not in ("awaited", "late", "held"):
                check_declared(getattr(thing, name), seen)


@settings(max_examples=60, deadline=None)
@given(full_rule_sets(), timed_histories())
def test_the_table_knows_all_running_state(
    definitions: tuple[EventDefinition, ...], history: History
) -> None:
    detector = Detector(rules_of(definitions), operators=True)
    for step in history.steps:
        if isinstance(step, PrimitiveEvent):
            try:
                detector.feed(step)
            except XmlCepError:
                return
            check_declared(detector, set())


def test_what_has_a_form_of_its_own() -> None:
    """`RunsForm` and `Held` write these by hand: they have to learn of an attribute that comes."""
    assert set(Runs.__slots__) == {"open", "used"}
    assert set(Run.__slots__) == {"chosen", "is_complete", "members"}
    assert HeldRecord._fields == ("event", "point", "outside", "before")
    assert HeldTimePoint._fields == ("cause", "point", "outside", "due")
    assert Due._fields == ("at", "tree", "operator", "key")


def test_an_attribute_that_the_table_does_not_have_is_named() -> None:
    detector = Detector(parse_rules(BOTH))
    detector.novelty = []  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match=r"Detector has novelty, of which .*table\.py does not say"):
        check_declared(detector, set())


def test_a_class_that_the_table_does_not_have_is_named() -> None:
    class Novel(Deferral):
        pass

    detector = Detector(parse_rules("event A {end=custom} = ins(item/price) & ins(item/quantity)"))
    tree = detector.trees[0]
    deferral = tree.deferrals[0]
    tree.deferrals = (Novel(deferral.state, deferral.mode, deferral.condition, detector.setting),)
    with pytest.raises(StateError, match=r"Novel has no layout in xmlcep/engine/durable/table\.py"):
        detector.to_state()


def test_it_goes_on() -> None:
    rules = parse_rules(BOTH)
    detector = Detector(rules)
    detector.feed(change(1, "price"))
    other = Detector.from_state(rules, json.loads(json.dumps(detector.to_state())))
    assert [str(found) for found in other.feed(change(2, "quantity"))] == [
        "Both(/order#1/item#2) at 2 {ins@1, ins@2}"
    ]
    assert other.types_fed == {
        ("ins", PathType.parse(f"/order/item/{name}")) for name in ("price", "quantity")
    }


def test_within_an_edit_and_a_transaction() -> None:
    rules = parse_rules("event Both = (ins(item/price) & ins(item/quantity)) {when='price', end=custom}")
    steps = [
        change(1, "price", txn=1, more=True), change(2, "quantity", txn=1), change(3, "comment", txn=1, more=True),
        change(4, "comment", txn=1),
    ]  # fmt: skip
    whole = Detector(rules)
    expected = [str(found) for step in steps for found in whole.feed(step)] + list(map(str, whole.flush()))
    detector = Detector(rules)
    raised = []
    for step in steps:
        detector = Detector.from_state(rules, detector.to_state())
        raised += map(str, detector.feed(step))
    detector = Detector.from_state(rules, detector.to_state())
    assert raised + list(map(str, detector.flush())) == expected


def test_chosen_trees() -> None:
    rules = parse_rules(BOTH + "\nevent Other = ins(item)")
    again = Detector.from_state(rules, Detector(rules, trees=("Other",)).to_state())
    assert [tree.tree.name for tree in again.trees.values()] == ["Other"]


# ---- what is refused -----------------------------------------------------------------------------------------


def test_other_rules() -> None:
    state = Detector(parse_rules(BOTH)).to_state()
    with pytest.raises(StateError, match=r"written with other rules \(changed: Both\): use the same"):
        Detector.from_state(parse_rules("event Both = ins(item/price) ; ins(item/quantity)"), state)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("event A = ins(a) event B = ins(b)", None),
        ("event A = ins(a)  # the same\nevent B = ins(b)", None),
        ("event A = ins(a) event B = ins(c)", "other rules (changed: B)"),
        ("event A = ins(a)", "other rules (removed: B)"),
        ("event A = ins(a) event B = ins(b) event C = ins(c)", "other rules (added: C)"),
        ("event A = ins(b) event C = ins(c)", "other rules (changed: A; removed: B; added: C)"),
        ("event B = ins(b) event A = ins(a)", "other rules (the same in another order)"),
        (
            'event A = ins(a) event B = ins(b) rule R on (ins(x)) do set "@y" = "1"',
            "other rules (added: R)",
        ),
    ],
)
def test_the_events_that_differ_are_named(text: str, said: str | None) -> None:
    stamp = rules_stamp(parse_rules("event A = ins(a) event B = ins(b)"))
    assert difference(stamp, parse_rules(text)) == said


def test_the_same_rules_written_otherwise() -> None:
    state = Detector(parse_rules(BOTH)).to_state()
    Detector.from_state(parse_rules("# the same\n" + BOTH.replace(" & ", "  &  ")), state)


def test_other_reference_documents() -> None:
    text = 'reference parts = "parts.xml"\nevent Known = ins(item/@partNum)[$parts//part/@n = .]'

    def rules(xml: bytes) -> Any:
        return parse_rules(text, references={"parts": xml})

    state = Detector(rules(b"<parts/>")).to_state()
    Detector.from_state(rules(b"<parts/>"), state)
    with pytest.raises(StateError, match="other versions of the reference documents parts"):
        Detector.from_state(rules(b"<parts><part n='1'/></parts>"), state)


@pytest.mark.parametrize("change_to", [{"version": 99}, {"form": "other"}])
def test_another_version(change_to: dict[str, Any]) -> None:
    rules = parse_rules(BOTH)
    with pytest.raises(StateError, match="written by another version of xmlcep"):
        Detector.from_state(rules, Detector(rules).to_state() | change_to)


@pytest.mark.parametrize("state", [{}, {"xmlcep": "audit"}, [], "state", None])
def test_what_is_no_state(state: Any) -> None:
    with pytest.raises(StateError, match="not the state of a detector"):
        Detector.from_state(parse_rules(BOTH), state)


WAITING = """
event Both = (ins(item/price) & ins(item/quantity)) {when='price', end=custom}
event Sum  = x[2,*]{within="1 day", having="sum($p) > 9"} ins(item/price/text()) as $p
event Late = plus[ins(item/price), "1 h"]
event Bare {end=non-local} = ins(item) ; not ins(item/price)
event Next {context=next} = ins(item/price) ; ins(item/quantity)
"""


def places(state: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of plain data: what it is in, and where there."""
    if isinstance(state, (dict, list)):
        for place in list(state) if isinstance(state, dict) else range(len(state)):
            yield state, place
            yield from places(state[place])


@pytest.mark.parametrize("how", ["removed", "another type", "another value"])
def test_what_is_not_as_it_was_written_is_refused(how: str) -> None:
    """Whatever was changed, wherever: a state that is gone on from raises what the detector would have raised."""
    rules = parse_rules(WAITING)
    detector = Detector(rules)
    detector.feed(change(1, "price", at="2026-01-01T00:00:00Z", txn=1))
    detector.feed(change(2, "quantity", at="2026-01-01T00:00:01Z", txn=1, more=True))
    state = json.loads(json.dumps(detector.to_state()))
    assert len(list(places(state))) > 100
    for holder, place in places(state):
        value = holder[place]
        if how == "removed":
            del holder[place]
        elif how == "another type":
            holder[place] = 7 if isinstance(value, str) else str(value)
        else:
            holder[place] = "other" if isinstance(value, str) else 3 if value is None else None
        with pytest.raises(
            StateError, match=r"damaged|not the state of a detector|written by another version"
        ):
            Detector.from_state(rules, state)
        if how == "removed" and isinstance(holder, list):
            holder.insert(place, value)
        else:
            holder[place] = value
    Detector.from_state(rules, state)


def test_in_whatever_order_it_is_kept() -> None:
    rules = parse_rules(WAITING)
    state = Detector(rules).to_state()
    Detector.from_state(rules, json.loads(json.dumps(state, sort_keys=True)))


@pytest.mark.parametrize("damage", [{"more": 1}, {"detector": float("nan")}, {"detector": object()}])
def test_what_cannot_have_been_written(damage: dict[str, Any]) -> None:
    rules = parse_rules(BOTH)
    with pytest.raises(StateError, match="damaged: it is not what was written"):
        Detector.from_state(rules, Detector(rules).to_state() | damage)


class Remembering:
    """A language whose texts remember what they were asked."""

    def compile(self, text: str) -> Any:
        class Question:
            needs_document = False
            keeps_state = True

            def __call__(self, event: PrimitiveEvent, document: object) -> bool:
                return True

        return Question()


def test_a_language_that_remembers() -> None:
    rules = parse_rules(
        'event Odd = opaque["memory", "anything"](item/price)', languages={"memory": Remembering()}
    )
    with pytest.raises(StateError, match="the language 'memory' remembers events"):
        Detector(rules).to_state()


@pytest.mark.parametrize(
    "said",
    [
        {}, {"severity": "info"}, {"message": ""}, {"message": "x"}, {"ended": True}, {"names": ("a", None)},
        {"severity": "error", "message": "", "ended": True, "names": ("a",)},
    ],
    ids=str,
)  # fmt: skip
def test_a_finding_that_is_written_comes_back_with_all_it_says(said: dict[str, Any]) -> None:
    one = change(1, "price")
    finding = CompositeEvent("Both", None, one.path, one.ids, (one,), 1, 1, one)._replace(**said)
    writer = new_writer()
    number = writer.event(finding)
    assert new_reader(json.loads(json.dumps(writer.state()))).event(number) == finding


# ---- what it weighs ------------------------------------------------------------------------------------------


def test_it_is_in_proportion_to_what_waits_not_to_the_history() -> None:
    rules = parse_rules(BOTH)
    detector = Detector(rules)
    sizes = []
    for ts in range(1, 3001):
        detector.feed(change(ts, "price" if ts % 2 else "quantity"))
        if ts in (2, 3000):
            sizes.append(len(json.dumps(detector.to_state())))
    assert sizes[1] < sizes[0] + 50
