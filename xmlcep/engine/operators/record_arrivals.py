"""How a multiplicity takes primitive events without an entry, or a dictionary of variables, for each (M1, W3, V6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from contexts.entry import Moment
from contexts.grouping import ByValue, Key
from path_types import PathType

from ...events import Cause, CompositeEvent, PrimitiveEvent
from ..clock import NOWHERE, Clock
from ..composer import Composer
from ..leaf import LeafState
from ..values import GatheredBindings, Values
from .records import IntegratedRecords, Read, RecordAccumulation
from .state import Acceptor, OperatorState

_new_tuple = tuple.__new__


class Accumulating(Protocol):
    """The multiplicity that takes them."""

    accumulations: dict[Key, RecordAccumulation]
    clock: Clock
    composer: Composer
    lower: int
    parent: OperatorState | None
    read: Read
    upper: int | None
    values: Values
    within: tuple[int, int] | None

    def accumulation_of(self, key: Key) -> RecordAccumulation:
        """What has accumulated in a group, new if that is."""

    def watch_over(self, key: Key, accumulation: RecordAccumulation) -> None:
        """Says when the oldest will drop out."""

    def evaluate(self, key: Key, accumulation: RecordAccumulation) -> None:
        """Raises the composite of all so far, if nothing speaks against it."""

    def succeed(self, key: Key, accumulation: RecordAccumulation, composite: CompositeEvent) -> None:
        """Raises this one, which is of all so far, for the operator above."""

    def start_over(self, key: Key, accumulation: RecordAccumulation) -> None:
        """Accumulation starts over: there are u of them."""


def record_acceptor(
    state: Accumulating, leaf: LeafState | None, grouping: ByValue | None, operation: str, path: PathType,
    check_time: Callable[[Cause], None] | None,
) -> Acceptor:  # fmt: skip
    """What does for each event of a type what `MultiplicityState.take` does for its entry.

    ``leaf`` is None if it asks and binds nothing, ``grouping`` where groups are places; ``check_time`` is called where
    the time has to be known and is not (W1). What every event needs is written out here instead of called: of what it
    costs most is calls.
    """
    clock, composer, values = state.clock, state.composer, state.values
    accumulations, watch_over = state.accumulations, state.watch_over
    lower, upper = max(state.lower, 1), state.upper
    within, unit = state.within or (None, 0)
    measures, is_root, report = clock.follows_time, state.parent is None, composer.report
    name, label, ancestors = composer.name, composer.label, composer.ancestors
    has_variables, lists, asked, sees = (
        values.has_variables,
        values.lists,
        values.asked_lists,
        values.sees_list,
    )
    is_simple = not (values.lets or values.guard) and (values.having is None or sees is not None)

    takes = None if leaf is None else leaf.filter(path)
    variables = {} if leaf is None else leaf.values(operation, path)
    read = state.read
    key_of, only_name = (None, None) if grouping is None else (grouping.key, grouping.only)
    only_value = _reader(variables, only_name)
    list_value = _reader(variables, asked[0] if len(asked) == 1 else None)

    def accept(place: Key, event: PrimitiveEvent) -> None:
        if check_time is not None and clock.time is None:
            check_time(event)
        if takes is not None and not takes(event):
            return
        key: Key | None = place
        value: Any = None
        if key_of is not None:
            # What `ByValue.key` says of one variable that is text, without its call.
            value = None if only_value is None else only_value(event)
            key = (place, value) if type(value) is str else key_of(place, read(event))
            if key is None:
                return
        accumulation = accumulations.get(key)
        if accumulation is None:
            accumulation = state.accumulation_of(key)
            if key_of is None:
                accumulation.known = {}
            elif type(value) is str and only_name is not None:
                accumulation.known = {only_name: value}
        elif key_of is not None and type(value) is not str:
            accumulation.known = None

        records = accumulation.entries
        events, moments = records.events, records.moments
        moment = _new_tuple(Moment, (event[0], clock.time or 0, clock.transaction)) if measures else NOWHERE
        events.append(event)
        moments.append(moment)
        records.points.append(clock.point)
        only = accumulation.only
        if only is not None and list_value is not None:
            value = list_value(event)
            if value is None:
                accumulation.has_one_of_each = False
            else:
                only.values.append(value)
        elif accumulation.running is not None:
            accumulation.add_values(read(event))
        begin = accumulation.begin
        if within is not None:
            limit = moment[unit] - within
            if moments[begin][unit] < limit:
                accumulation.drop_before(limit, unit)
                begin, records = accumulation.begin, accumulation.entries
                events, moments = records.events, records.moments
            if accumulation.expiry is None:
                watch_over(key, accumulation)

        stop = len(events)
        count = stop - begin
        if count < lower:
            return
        if not is_simple:
            state.evaluate(key, accumulation)
            return
        if sees is not None:
            if only is None:
                accumulation.values(asked)
                only = accumulation.only
                assert only is not None
            if not sees(only):
                if count == upper:
                    state.start_over(key, accumulation)
                return
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        head = accumulation.head
        if head is None:
            first = events[begin]
            ancestor, upto = ancestors.get(first[2]) or composer.ancestor(first[2])
            known = accumulation.known
            if known is None:
                known = values.singles_of(records[begin : begin + 1])
            head = accumulation.head = (first[0], moments[begin], ancestor, first[3][upto], known)
        start, earliest, ancestor, ids, known = head
        part = IntegratedRecords(records, begin, stop)
        bindings = GatheredBindings(known, lists, part) if has_variables else None
        ts = event[0]
        parts: tuple[Any, ...] = (
            name, label, ancestor, ids, part, start, ts, event, bindings, (earliest, moment),
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if is_root:
            if report is not None:
                report.append(composite)
            accumulation.current = (start, ts, clock.point, composite, False, earliest, moment, bindings)
            accumulation.told = stop
        else:
            state.succeed(key, accumulation, composite)
        if count == upper:
            state.start_over(key, accumulation)

    return accept


def _reader(variables: Any, name: str | None) -> Callable[[PrimitiveEvent], Any] | None:
    """What reads a variable, if it is read at all."""
    return None if name is None else variables.get(name)
