"""When groups are raised: at once, non-locally, at a flush, while a condition holds (D1 to D6, X1 to X9)."""

from __future__ import annotations

from itertools import groupby

from xmlcep.algebra import ContextName, Disjunction, Multiplicity, Sequence, Termination
from xmlcep.events import PrimitiveEvent

from . import contexts, paths
from .document import NaiveDocument
from .events import Entry, Event, Group
from .operators import OperatorState
from .relations import project


def take_turn(
    operator: OperatorState, occurred: list[Event], current: PrimitiveEvent | None, document: NaiveDocument
) -> None:
    """X2: M4, then all arrivals, child by child, then what can be released. ``current``: None at a flush."""
    operator.raised = []
    if current is not None:
        _create(operator, current, document)
    for child in range(len(operator.children)):
        _take_arrivals(operator, child, operator.arrivals(child, occurred), document)
    _release_groups(operator, current, document)


def _take_arrivals(operator: OperatorState, child: int, events: list[Event], document: NaiveDocument) -> None:
    """H3: group by group, the arrivals are stored, then the group is evaluated, unless it waits."""

    def key_of(event: Event) -> int | None:
        return paths.group_key(operator.path, event.instance, flat=operator.flat)

    in_order_of_first = list(dict.fromkeys(map(key_of, events)))
    ordered = sorted(events, key=lambda event: in_order_of_first.index(key_of(event)))
    for key, same_group in groupby(ordered, key=key_of):
        arrivals = list(same_group)
        one_by_one = operator.context is ContextName.RECENT
        for batch in [[event] for event in arrivals] if one_by_one else [arrivals]:
            _take_batch(operator, operator.group(key), child, batch, document)


def _take_batch(
    operator: OperatorState, group: Group, child: int, events: list[Event], document: NaiveDocument
) -> None:
    waits = potential(operator, group)
    entries = [operator.store(event, child, group) for event in events]
    if waits or operator.end is not Termination.EARLIEST or not condition_holds(operator, group, document):
        return
    operator.evaluate_arrivals(group, child, entries)
    _nothing_fresh(group)


def _create(operator: OperatorState, current: PrimitiveEvent, document: NaiveDocument) -> None:
    """M4, K2: at once, or pending like any arrival."""
    expression = operator.expression
    if not isinstance(expression, Multiplicity) or expression.lower > 0 or current.op != "ins":
        return
    if not paths.creates_node_of(operator.path, current.path):
        return
    if not paths.takes_part(operator.path, current.instance, flat=operator.flat):
        return
    group = operator.group(paths.group_key(operator.path, current.instance, flat=operator.flat))
    if operator.end is Termination.EARLIEST and condition_holds(operator, group, document):
        operator.create(group, current.instance)
    else:
        group.empty = current.instance


def _release_groups(operator: OperatorState, current: PrimitiveEvent | None, document: NaiveDocument) -> None:
    """X2: in ascending order of the group keys (G2)."""
    for group in sorted(operator.groups.values(), key=lambda group: group.key or 0):
        if not potential(operator, group):
            group.released = False  # what was to be released is no longer possible
        elif _is_released(operator, group, current):
            group.released = True
            if condition_holds(operator, group, document):
                operator.release(group)
                group.released = False
                _nothing_fresh(group)


def _is_released(operator: OperatorState, group: Group, current: PrimitiveEvent | None) -> bool:
    """X4: an earliest group waits for its condition only. X3: a release is remembered. D2, D3: see there."""
    if current is None or group.released or operator.end is Termination.EARLIEST:
        return True
    if operator.end is Termination.CUSTOM:
        return False
    projection = project(operator.path, current.instance)
    return projection is None or projection.ids[-1] != group.key


def potential(operator: OperatorState, group: Group) -> bool:
    """X1: whether a combination exists that contains an arrival since the group's last release."""
    expression = operator.expression
    if isinstance(expression, Multiplicity):
        if not group.accumulated:
            return group.empty is not None
        enough = len(group.accumulated) >= expression.lower
        return enough and (group.empty is not None or any(entry.fresh for entry in group.accumulated))
    if isinstance(expression, Disjunction):
        return bool(group.stored)
    if not any(entry.fresh for entry in group.stored):
        return False
    combinations = contexts.conjunction_combinations(group, len(operator.children))
    if isinstance(expression, Sequence):
        order = operator.definition.order
        combinations = [c for c in combinations if contexts.in_order(order, c)]
    return any(any(entry.fresh for entry in combination) for combination in combinations)


def condition_holds(operator: OperatorState, group: Group, document: NaiveDocument) -> bool:
    """D4: the condition is true at the group's node, or there is none."""
    if operator.condition is None:
        return True
    return group.key is not None and document.holds(operator.condition, group.key)


def _nothing_fresh(group: Group) -> None:
    entries: list[Entry] = [*group.stored, *group.accumulated]
    for entry in entries:
        entry.fresh = False
