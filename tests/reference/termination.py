"""When groups are raised: at once, non-locally, at a flush, while a condition holds (D1 to D6, U3, U4, X1 to X13)."""

from __future__ import annotations

from itertools import groupby

from xmlcep.algebra import Multiplicity, Termination
from xmlcep.events import PrimitiveEvent

from . import paths
from .clock import Due
from .events import Event, Group
from .operators import OperatorState
from .operators.multiplicity import MultiplicityState
from .operators.operator import Arrival


def take_turn(
    operator: OperatorState, occurred: list[Event], current: PrimitiveEvent | None, due: Due | None, *, flush: bool
) -> None:  # fmt: skip
    """X2: M4, then all arrivals, child by child, then what is due (W5) or can be released.

    ``current`` is the primitive event of this time point, ``due`` what time it is if a timer fires; neither, and no
    ``flush``: an external event, which releases nothing (L7).
    """
    operator.raised = []
    if current is not None:
        _create(operator, current)
        _note(operator, current)
    for child in operator.order_of_turns():
        arrivals = operator.arrivals(child, occurred)
        if child in operator.absent:
            for event, values in arrivals:
                operator.take_absent(child, event, values)
            operator.absent_taken()
        elif operator.raises_at_once:
            for event, values in arrivals:
                for group in operator.groups_of(child, event, values):
                    operator.arrive(event, child, group, values)
                operator.dealt_with(event, child)
        else:
            _take_arrivals(operator, child, arrivals)
    if current is not None:
        operator.changed(current)
    if due is not None:
        operator.fire(due)
    elif flush:
        operator.fire_at_flush()
    _release_groups(operator, current, flush=flush)
    if current is not None and current.op == "del":
        operator.node_deleted(current.ids[-1])


def _take_arrivals(operator: OperatorState, child: int, arrivals: list[Arrival]) -> None:
    """H3: group by group, the arrivals are stored, then the group is evaluated, unless it waits."""
    grouped = [
        (group, event, values)
        for event, values in arrivals
        for group in operator.groups_of(child, event, values)
    ]
    in_order_of_first: list[Group] = []
    for group, _, _ in grouped:
        if not any(group is other for other in in_order_of_first):
            in_order_of_first.append(group)
    grouped.sort(key=lambda arrival: in_order_of_first.index(arrival[0]))
    for _, same_group in groupby(grouped, key=lambda arrival: id(arrival[0])):
        together = list(same_group)
        for batch in [[one] for one in together] if operator.one_by_one() else [together]:
            _take_batch(operator, batch[0][0], child, [(event, values) for _, event, values in batch])


def _take_batch(operator: OperatorState, group: Group, child: int, arrivals: list[Arrival]) -> None:
    waits = operator.holds_back(group)
    is_pending = waits and operator.potential(group)
    if operator.end is Termination.EARLIEST and not is_pending:
        operator.give_up(group)
    stored = [operator.store(event, child, group, values, waits=waits) for event, values in arrivals]
    entries = [entry for entry in stored if entry is not None]
    if not is_pending:
        operator.let_go(group, entries)
    if waits and operator.end is Termination.EARLIEST and not operator.potential(group):
        operator.give_up(group)
    if waits or not entries:
        return
    operator.evaluate_arrivals(group, child, entries)
    _nothing_fresh(group)


def _create(operator: OperatorState, current: PrimitiveEvent) -> None:
    """M4, K2: at once, or pending like any arrival."""
    expression = operator.expression
    if not isinstance(expression, Multiplicity) or expression.lower > 0 or current.op != "ins":
        return
    assert isinstance(operator, MultiplicityState)
    if operator.flat or not paths.creates_node_of(operator.path, current.path):
        return
    group = operator.group(current.ids[-1])
    if operator.end is Termination.EARLIEST and operator.condition_holds(group):
        operator.create(group, current.instance)
    else:
        group.empty = current.instance


def _note(operator: OperatorState, current: PrimitiveEvent) -> None:
    """U4: something happened at or below a group's node, so its condition may be asked again."""
    for group in operator.groups.values():
        if group.key in current.ids:
            group.asked = False


def _release_groups(operator: OperatorState, current: PrimitiveEvent | None, *, flush: bool) -> None:
    """X2: in ascending order of the group keys, then of the values (G2, V7)."""
    for group in sorted(operator.groups.values(), key=lambda group: group.order):
        if not operator.potential(group):
            group.asked = False  # what comes to be next has not been asked
        elif _is_released(operator, group, current, flush=flush):
            if operator.condition_holds(group):
                operator.release(group)
                group.asked = False
                _nothing_fresh(group)
            else:
                group.asked = True


def _is_released(
    operator: OperatorState, group: Group, current: PrimitiveEvent | None, *, flush: bool
) -> bool:
    """U3: an earliest group waits for its condition only, and is asked at records at or below its node; U4: another
    is not asked twice before something happens there. D2, D3: see there."""
    if operator.end is Termination.EARLIEST:
        return current is not None and group.key in current.ids
    if group.asked:
        return False
    if flush or current is None:
        return flush
    if operator.end is Termination.CUSTOM:
        return False
    return group.key not in current.ids


def _nothing_fresh(group: Group) -> None:
    for entry in [*group.stored, *group.accumulated]:
        entry.fresh = False
