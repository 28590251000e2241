"""When groups are raised: at once, non-locally, at a flush, while a condition holds (D1 to D6, U2, G3, U6)."""

from __future__ import annotations

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
    """D6: M4, then all arrivals, child by child, then what is due (W5) or can be released.

    ``current`` is the primitive event of this time point, ``due`` what time it is if a timer fires; neither, and no
    ``flush``: an external event, which releases nothing (L7).
    """
    operator.raised = []
    if current is not None:
        _create(operator, current)
    together: list[tuple[int, Arrival]] = []
    for child in operator.order_of_turns():
        arrivals = operator.arrivals(child, occurred)
        if operator.stands_aside(child):
            for event, values in arrivals:
                operator.take_aside(child, event, values)
            operator.aside_taken()
        elif operator.raises_at_once:
            for event, values in arrivals:
                for group in operator.groups_of(child, event, values):
                    operator.arrive(event, child, group, values)
                operator.dealt_with(event, child)
        else:
            together += [(child, arrival) for arrival in arrivals]
    _take_arrivals(operator, together)
    if current is not None:
        operator.changed(current)
    if due is not None:
        operator.fire(due)
    elif flush:
        operator.fire_at_flush()
    _release_groups(operator, current, flush=flush)
    if current is not None and current.op == "del":
        operator.node_deleted(current.ids[-1])


def _take_arrivals(operator: OperatorState, together: list[tuple[int, Arrival]]) -> None:
    """H3: group by group, in the order of their first arrivals, all are stored, then the group is evaluated."""
    groups: list[Group] = []
    arrived: dict[int, list[tuple[int, Arrival]]] = {}
    for child, (event, values) in together:
        for group in operator.groups_of(child, event, values):
            if id(group) not in arrived:
                groups.append(group)
            arrived.setdefault(id(group), []).append((child, (event, values)))
    for group in groups:
        _take_batch(operator, group, arrived[id(group)])


def _take_batch(operator: OperatorState, group: Group, arrivals: list[tuple[int, Arrival]]) -> None:
    waited = operator.potential(group)
    stored = [operator.store(event, child, group, values) for child, (event, values) in arrivals]
    if not waited:
        operator.let_go(group, [entry for entry in stored if entry is not None])
    if operator.chooses_at_once:
        operator.evaluate(group)
        _nothing_is_new(group)
    elif operator.end is Termination.EARLIEST:
        _release(operator, group)


def _release(operator: OperatorState, group: Group) -> None:
    """D4: what there is is raised, if the condition holds; if not, it waits. After that nothing is new."""
    if operator.potential(group) and operator.condition_holds(group):
        operator.release(group)
        _nothing_is_new(group)


def _nothing_is_new(group: Group) -> None:
    for entry in [*group.stored, *group.accumulated]:
        entry.fresh = False


def _create(operator: OperatorState, current: PrimitiveEvent) -> None:
    """M4, H1: at once, or pending like any arrival."""
    expression = operator.expression
    if not isinstance(expression, Multiplicity) or expression.lower > 0 or current.op != "ins":
        return
    assert isinstance(operator, MultiplicityState)
    if operator.flat or not paths.creates_node_of(operator.path, current.path):
        return
    group = operator.group(current.ids[-1])
    if not operator.only_counts:
        group.empty = current.instance
        if operator.end is Termination.EARLIEST:
            _release(operator, group)


def _release_groups(operator: OperatorState, current: PrimitiveEvent | None, *, flush: bool) -> None:
    """D6: in ascending order of the group keys, then of the values (G2, V7)."""
    for group in sorted(operator.groups.values(), key=lambda group: group.order):
        if _is_released(operator, group, current, flush=flush):
            _release(operator, group)


def _is_released(
    operator: OperatorState, group: Group, current: PrimitiveEvent | None, *, flush: bool
) -> bool:
    """D4: an earliest group waits for its condition, and is asked at records at or below its node. D2, D3."""
    if operator.end is Termination.EARLIEST:
        return current is not None and group.key in current.ids
    if flush or current is None:
        return flush
    if operator.end is Termination.CUSTOM:
        return False
    return group.key not in current.ids
