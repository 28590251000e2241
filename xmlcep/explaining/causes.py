"""From what the engine objects to what a person reads (rule Y3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from contexts import Entry
from contexts.constraints import Objection
from contexts.entry import EVENT, START
from contexts.grouping import Key

from ..algebra import Order, Sequence, Termination, Unit
from ..engine.operators import OperatorState
from ..engine.operators.becomes import BecomesState
from ..engine.timers import MEASURE
from ..engine.tree import TreeState
from ..events import CompositeEvent, Event, PrimitiveEvent
from .nodes import Nodes, short, span, written
from .reasons import Reason
from .values import Cause

Seen = tuple[str, tuple[tuple[str, str], ...]]
"""An expression as it is written, and what it compares with the values that it saw."""


def shown(seen: Seen) -> str:
    """An expression that is false, with the values it saw."""
    text, values = seen
    known = ", ".join(f"{part} is {short(value)}" for part, value in values)
    return f"{text} is false" + (f": {known}" if known else "")


def cause_of(
    objection: Objection, tree: TreeState, state: OperatorState, key: Key | None, nodes: Nodes
) -> Cause:
    """The cause that an objection of an operator is in a group."""
    reason = Reason.of(objection.reason)
    events = tuple(entry[EVENT] for entry in objection.entries)
    said = _SAID.get(reason)
    text = reason.sentence if said is None else said(_Case(objection, tree, state, key, nodes))
    fix = reason.fix
    if reason is Reason.NOT_RELEASED:
        fix = _release_fix(state)
    elif reason is Reason.WRONG_ORDER and not isinstance(state.node.definition, Sequence):
        fix = ""  # of windows, which & cannot replace
    return Cause(reason, text, fix, events)


def not_turned(state: BecomesState, element: int | None, nodes: Nodes) -> Cause:
    """Why an expression has not turned true at an element (B1); None: at any."""
    path, text = state.node.path, state.test.text
    seen = None if element is None else state.seen_at(path, (element,))
    if seen is None:
        return Cause(Reason.NEVER_OCCURRED, f"no edit has turned {text} true at any {nodes.path(path)}")
    is_true, values = seen
    if not is_true:
        return Cause(Reason.CONDITION_FALSE, shown((text, values)))
    already = f"{text} is true there already, and turns true again only after it was false"
    return Cause(Reason.NOT_OPEN, already, "what was true at the beginning has not turned true (B4)")


class _Case(NamedTuple):
    """An objection of an operator in one of its groups."""

    objection: Objection
    tree: TreeState
    state: OperatorState
    key: Key | None
    nodes: Nodes

    @property
    def names(self) -> list[str]:
        """The events that it is about, as they are called."""
        return [self.nodes.event(entry[EVENT]) for entry in self.objection.entries]

    @property
    def written(self) -> str:
        """The operator, as rules write it."""
        return written(self.state.node.definition, self.nodes.namespaces)


def _too_few(case: _Case) -> str:
    names = dict.fromkeys(case.names)
    return f"{' and '.join(names)} would do for several operands, but counts for one"


def _order(case: _Case) -> str:
    names = case.names
    if len(names) < 2:
        return f"{names[0]} has no earlier event left to follow" if names else Reason.WRONG_ORDER.sentence
    first, second = case.objection.entries[:2]
    if second[EVENT] is first[EVENT]:
        return f"{names[0]} is in both operands, and cannot come before itself"
    if second[START] < first[START]:
        return f"{names[1]} came before {names[0]}, and has to come after it"
    return f"{names[0]} did not end before {names[1]}"


def _expired(case: _Case) -> str:
    objection, names = case.objection, case.names
    most, by = span(objection.most, objection.unit), span(objection.by, objection.unit)
    between = " and ".join(names[:2]) if len(names) > 1 else f"{names[0]} and now" if names else "the events"
    if objection.unit != MEASURE[Unit.TIME]:  # the first and the last are counted, too (W2)
        return f"{between} span {by} more than the {span(objection.most + 1, objection.unit)} allowed"
    return f"{between} lie further apart than {most}, by {by}"


def _contiguous(case: _Case) -> str:
    times = ", ".join(map(str, case.objection.times[:3]))
    return f"something else happened in the group in between, at {times}"


def _counted(case: _Case) -> str:
    """That events of an ``all[l,u]`` are too few or too many (A6); empty if the objection is not about any."""
    happened = {id(entry[EVENT]) for entry in case.objection.entries}
    for each in getattr(case.state.node.definition, "collected", ()):
        if case.objection.operand is None:
            kept = case.state.violations[each.operand].of(case.key)  # type: ignore[attr-defined]
            count = sum(id(entry[EVENT]) in happened for entry in kept)
        elif case.objection.operand == each.operand:
            count = len(happened)
        else:
            continue
        if count < each.lower or (each.upper is not None and count > each.upper):
            leaf = written(case.state.node.definition.operands[each.operand], case.nodes.namespaces)
            return f"the number of {leaf} is {count}, and {each} is asked for"
    return ""


def _absence(case: _Case) -> str:
    counted = "" if case.key is None else _counted(case)
    if counted:
        return counted
    names = case.names
    if not names:
        return "its events were raised, or ended by an event that must not occur; one more event starts again"
    violating = names[1] if len(names) > 1 else names[0]
    return f"{violating} has occurred, and must not"


def _relation(case: _Case) -> str:
    word = getattr(case.state.node.definition, "word", "the relation")
    by_detection = case.tree.tree.order is Order.DETECTION
    names = [
        f"{case.nodes.event(entry[EVENT])} ({_found(entry[EVENT]) if by_detection else _interval(entry)})"
        for entry in case.objection.entries
    ]
    return (
        f"{names[0]} {word} {names[1]} is false"
        if len(names) > 1
        else f"they do not have the relation {word}"
    )


def _having(case: _Case) -> str:
    return f"having {shown(case.state.values.seen(case.objection.entries))}"


def _condition(case: _Case) -> str:
    return f"when {shown(case.tree.seen_by_condition(case.state, case.key))}"


def _not_released(case: _Case) -> str:
    inner = case.state is not case.tree.root
    has = f"{case.written} has all it needs, and" if inner else "everything is there; it"
    elsewhere = case.state.node.termination is Termination.NON_LOCAL
    until = "an event elsewhere (end=non-local)" if elsewhere else "the end of the transaction"
    custom = "" if elsewhere else " (end=custom)"
    then = "; its filter is asked then" if _asks_then(case.state) else ""
    return f"{has} waits for {until}, or a flush{custom}{then}"


def _asks_then(state: OperatorState) -> bool:
    """Whether what turned true is asked for more when it is released (B2)."""
    return isinstance(state, BecomesState) and state.subject[0] is not None


def _release_fix(state: OperatorState) -> str:
    return f"without end={state.node.termination.value} it is raised as soon as it is possible"


def _replaced(case: _Case) -> str:
    names = case.names
    if len(names) < 2:
        return Reason.REPLACED.sentence
    return f"{names[1]} has taken the place of {names[0]}"


def _withdrawn(case: _Case) -> str:
    names = [case.nodes.event_in_full(entry[EVENT]) for entry in case.objection.entries]
    if len(names) < 2:
        return Reason.WITHDRAWN.sentence
    return f"{names[1]} has taken back {names[0]}, which would have been enough"


def _window_closed(case: _Case) -> str:
    names = case.names
    if len(names) < 2:
        return f"{names[0]}: no window was open" if names else Reason.WINDOW_CLOSED.sentence
    return f"{names[0]}, then {names[1]}: the window was closed"


def _interval(entry: Entry) -> str:
    return f"from {entry[0]} to {entry[1]}"


def _found(event: Event) -> str:
    """When an event was detected, where that is what counts; what is due fires before the record behind it (W5)."""
    if isinstance(event, CompositeEvent) and not isinstance(event.cause, PrimitiveEvent):
        return f"detected before what happened at {event.ts}"
    return f"detected at {event.ts}"


_SAID: dict[Reason, Callable[[_Case], str]] = {
    Reason.NEVER_OCCURRED: _too_few,
    Reason.WRONG_ORDER: _order,
    Reason.EXPIRED: _expired,
    Reason.GAP: _expired,
    Reason.NOT_CONTIGUOUS: _contiguous,
    Reason.ABSENCE_VIOLATED: _absence,
    Reason.RELATION_FALSE: _relation,
    Reason.HAVING_FALSE: _having,
    Reason.CONDITION_FALSE: _condition,
    Reason.NOT_RELEASED: _not_released,
    Reason.REPLACED: _replaced,
    Reason.WITHDRAWN: _withdrawn,
    Reason.WINDOW_CLOSED: _window_closed,
}
