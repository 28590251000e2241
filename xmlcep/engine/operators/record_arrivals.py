"""How a multiplicity takes primitive events without an entry, or a dictionary of variables, for each (M1, W3, V6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from contexts.entry import Moment
from contexts.grouping import ByValue, Key
from path_types import PathType

from ...algebra import Unit
from ...events import Cause, CompositeEvent, PrimitiveEvent
from ..clock import NOWHERE, Clock
from ..composer import Composer
from ..leaf import LeafState
from ..timers import MEASURE
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
    is_time, is_changes = unit == MEASURE[Unit.TIME], unit == MEASURE[Unit.CHANGES]
    measures, is_root, report = clock.follows_time, state.parent is None, composer.report
    name, label = composer.name, composer.label
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
    key_of, only_name = (None, "") if grouping is None else (grouping.key, grouping.only or "")
    only_value = variables.get(only_name, _no_value)
    list_value = variables.get(asked[0], _no_value) if len(asked) == 1 else _no_value

    def accept(place: Key, event: PrimitiveEvent) -> None:
        time = clock.time
        if time is None:
            if check_time is not None:
                check_time(event)
            time = 0
        if takes is not None and not takes(event):
            return
        key: Key | None
        value: Any
        if key_of is None:
            key, value = place, None
        else:
            # What `ByValue.key` says of one variable that is text, without its call.
            value = only_value(event)
            if type(value) is str:
                key = (place, value)
            else:
                key, value = key_of(place, read(event)), None
                if key is None:
                    return
        accumulation = accumulations.get(key)
        if accumulation is None:
            accumulation = state.accumulation_of(key)
            # Of one leaf a variable is text for all events, or for none.
            accumulation.known = {} if key_of is None else None if value is None else {only_name: value}

        ts, transaction = event[0], clock.transaction
        records = accumulation.entries
        records.events.append(event)
        records.points.append(clock.point)
        if measures:
            records.times.append(time)
            records.transactions.append(transaction)
        only = accumulation.only
        if only is not None:
            value = list_value(event)
            if value is None:
                accumulation.has_one_of_each = False
            else:
                only.values.append(value)
        elif accumulation.running is not None:
            accumulation.add_values(read(event))
        if within is not None:
            limit = (time if is_time else ts if is_changes else transaction) - within
            if accumulation.oldest < limit:
                accumulation.drop_before(limit, unit)
                records = accumulation.entries
            if accumulation.expiry is None:
                watch_over(key, accumulation)

        begin, stop = accumulation.begin, len(records.events)
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
            start = records.events[begin][0]
            first = (
                _new_tuple(Moment, (start, records.times[begin], records.transactions[begin]))
                if measures
                else NOWHERE
            )
            head = accumulation.head = (start, first)
        start, first = head
        node = accumulation.place_of_all
        if node is None:
            node = accumulation.place_of_all = composer.place(event)
        ancestor, ids = node
        known = accumulation.known
        if known is None:
            known = values.singles_of(records[begin : begin + 1])
        moment = _new_tuple(Moment, (ts, time, transaction)) if measures else NOWHERE
        part = IntegratedRecords(records, begin, stop)
        bindings = GatheredBindings(known, lists, part) if has_variables else None
        parts: tuple[Any, ...] = (
            name, label, ancestor, ids, part, start, ts, event, bindings, (first, moment),
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if is_root:
            if report is not None:
                report.append(composite)
            accumulation.current = (start, ts, clock.point, composite, False)
            accumulation.told = stop
        else:
            state.succeed(key, accumulation, composite)
        if count == upper:
            state.start_over(key, accumulation)

    return accept


def _no_value(event: PrimitiveEvent) -> None:
    return None
