"""To be told that something has happened where no rule looks is to be fed it (D2, D4, U2): explanations ask so what an
event elsewhere would raise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from path_types import PathInstance, PathType
from tests import strategies as some
from tests.constructs import constructs_of
from tests.laws.agreement import rules_of, take
from tests.reference.paths import path_of
from tests.reference.relations import compatible, equals_or_ends, project
from tests.strategies import History
from tests.strategies.meetings import asking_rule_sets, toggling_rule_sets, waiting_rule_sets
from xmlcep.algebra import EventDefinition, Leaf, Operator, Termination, walk
from xmlcep.engine import Detector
from xmlcep.events import CompositeEvent, PrimitiveEvent, TimePoint

_LOOKS_AROUND = ("..", "parent", "ancestor", "sibling")
"""What stands in expressions that ask for more than what is at and below their node."""


def _parts(definitions: Sequence[EventDefinition]) -> Iterator[tuple[EventDefinition, Leaf | Operator]]:
    return (
        (definition, part)
        for definition in definitions
        for part in walk(definition.expression)
        if isinstance(part, (Leaf, Operator))
    )


def _may_be_elsewhere(definitions: Sequence[EventDefinition]) -> bool:
    """Whether rules can be told of some records only that they have happened: nothing is due by timers, and nothing
    looks around in the document, messages neither (Y10)."""
    if any(word in (each.message or "") for each in definitions for word in ("//", *_LOOKS_AROUND)):
        return False
    for _, part in _parts(definitions):
        asked = (
            (part.options.guard, part.options.when, getattr(part, "test", None))
            if isinstance(part, Operator)
            else (part.filter, *(binding.expression for binding in part.bindings))
        )
        if isinstance(part, Operator) and part.has_timers:
            return False
        if any(text is not None and any(word in text for word in _LOOKS_AROUND) for text in asked):
            return False
    return True


def _means_something(definitions: Sequence[EventDefinition], event: PrimitiveEvent) -> bool:
    """Whether a record is one of a leaf, creates or deletes a node of a group, lies at or below one, or is in the way
    of `strict` in flat context. The top of the document is: everything stands in it."""
    places = [
        PathInstance(PathType.of(True, event.path.steps[:depth]), event.ids[:depth])
        for depth in range(1, len(event.ids) + 1)
    ]

    def concerns(flat: bool, part: Leaf | Operator) -> bool:
        if isinstance(part, Leaf):
            return compatible(event, part.type)
        path = path_of(part)
        if flat:
            return part.options.strict or equals_or_ends(path, event.path)
        return any(project(path, place) is not None for place in places)

    return len(event.ids) == 1 or any(
        concerns(definition.flat, part) for definition, part in _parts(definitions)
    )


def _told(detector: Detector, step: PrimitiveEvent) -> list[str]:
    """What is raised if the detector is told that something has happened, which it was not fed."""
    point = TimePoint(step.ts, step.at, step.doc, step.txn, step.meta)
    return _records(detector.copy().elsewhere(point))


def _records(raised: Iterable[CompositeEvent]) -> list[str]:
    return [repr(composite.to_record()) for composite in raised]


_HISTORIES = st.one_of(
    some.edge_histories(),
    some.meeting_histories(),
    some.meeting_histories(removes=True),
    some.dense_histories(),
)
_TOGGLING = st.tuples(toggling_rule_sets(), some.with_asides(some.meeting_histories(toggles=True)))


_WAITING = st.one_of(
    waiting_rule_sets(),
    waiting_rule_sets(),
    asking_rule_sets(),
    asking_rule_sets(),
    some.meeting_rule_sets(),
    some.rule_sets(ends=(Termination.NON_LOCAL,), conditions=False),
    some.reusing_rule_sets(ends=(Termination.NON_LOCAL, Termination.EARLIEST)),
    some.edge_rule_sets(),
    some.absence_rule_sets(),
    some.lot_rule_sets(),
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.tuples(_WAITING, some.with_asides(_HISTORIES)), _TOGGLING))
def test_what_means_nothing_has_happened_elsewhere(
    drawn: tuple[tuple[EventDefinition, ...], History],
) -> None:
    definitions, history = drawn
    if not _may_be_elsewhere(definitions):
        return
    detector = Detector(rules_of(definitions))
    before: Any = None
    for step in history.steps:
        told = None
        if isinstance(step, PrimitiveEvent) and not (step.more or _means_something(definitions, step)):
            goes_on = isinstance(before, PrimitiveEvent) and before.more and before.txn == step.txn
            told = None if goes_on else _told(detector, step)
        raised = _records(take(detector, step))
        assert told is None or told == raised
        for construct in constructs_of(definitions, history.steps) if told else ():
            event(construct)
        before = step
