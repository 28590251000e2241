"""How a multiplicity takes primitive events without an entry, or a dictionary of variables, for each (M1, W3, V6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contexts.entry import Moment
from contexts.grouping import Key
from path_types import PathType

from ...algebra import Unit
from ...events import Cause, CompositeEvent, PrimitiveEvent
from ..clock import NOWHERE
from ..composer import instance_at
from ..leaf import LeafState
from ..timers import MEASURE
from ..values import GatheredBindings
from .accumulation import Accumulation
from .integrating import MultiplicityState
from .records import IntegratedRecords, Read, RecordAccumulation
from .state import Acceptor, Blueprint

_new_tuple = tuple.__new__


class RecordState(MultiplicityState):
    """A multiplicity over primitive events, which it keeps as `Records` (M1, W3, V6).

    These come in the order of their moments, so what drops out is always the oldest, and never the arrival. What it
    raises is exactly what `MultiplicityState` does.
    """

    accumulations: dict[Key, RecordAccumulation]  # type: ignore[assignment]

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        (program,) = self.setting.programs[of.tree.index][of.node.index].leaves
        self.read: Read = (
            _nothing if program is None else LeafState(program, of.tree.name, self.setting).bound
        )

    def record_acceptor(
        self,
        leaf: LeafState | None,
        operation: str,
        path: PathType,
        check_time: Callable[[Cause], None] | None,
    ) -> Acceptor | None:
        """What does for each event of a type what `take` does for its entry.

        ``leaf`` is None if it asks and binds nothing; ``check_time`` is called where the time has to be known and is
        not (W1). What every event needs is written out here instead of called: of what it costs most is calls.
        """
        grouping = self.values_of_groups(0)
        clock, composer, values = self.clock, self.composer, self.values
        accumulations, watch_over = self.accumulations, self._watch_over
        lower, upper = max(self.lower, 1), self.upper
        within, unit = self.within or (None, 0)
        is_time, is_changes = unit == MEASURE[Unit.TIME], unit == MEASURE[Unit.CHANGES]
        measures, is_root, report = clock.follows_time, self.parent is None, composer.report
        name, label, operand = composer.name, composer.label, composer.one_name
        has_variables, lists, asked, sees = (
            values.has_variables,
            values.lists,
            values.asked_lists,
            values.sees_list,
        )
        is_simple = not (values.lets or values.guard) and (values.having is None or sees is not None)

        takes = None if leaf is None else leaf.filter(path)
        variables = {} if leaf is None else leaf.values(operation, path)
        read = self.read
        key_of, only_name = (None, "") if grouping is None else (grouping.key, grouping.only or "")
        only_value = variables.get(only_name, _nothing)
        list_value = variables.get(asked[0], _nothing) if len(asked) == 1 else _nothing

        def accept(node: Key, event: PrimitiveEvent) -> None:
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
                key, value = node, None
            else:
                # What `ByValue.key` says of one variable that is text, without its call.
                value = only_value(event)
                if type(value) is str:
                    key = (node, value)
                else:
                    key, value = key_of(node, read(event)), None
                    if key is None:
                        return
            accumulation = accumulations.get(key)
            if accumulation is None:
                accumulation = self._accumulation(key)
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
                self._evaluate(key, accumulation)
                return
            if sees is not None:
                if only is None:
                    accumulation.values(asked)
                    only = accumulation.only
                    assert only is not None
                if not sees(only):
                    if count == upper:
                        self._start_over(key, accumulation)
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
            if accumulation.place_of_all is None:
                accumulation.place_of_all = instance_at(event, node)
            ancestor, ids = accumulation.place_of_all
            known = accumulation.known
            if known is None:
                known = values.singles_of(records[begin : begin + 1])
            moment = _new_tuple(Moment, (ts, time, transaction)) if measures else NOWHERE
            part = IntegratedRecords(records, begin, stop)
            bindings = GatheredBindings(known, lists, part) if has_variables else None
            parts: tuple[Any, ...] = (
                name, label, ancestor, ids, part, start, ts, event, bindings, (first, moment), operand, None, None,
                False,
            )  # fmt: skip
            composite = _new_tuple(CompositeEvent, parts)
            if is_root:
                if report is not None:
                    report.append(composite)
                accumulation.current = (start, ts, clock.point, composite)
                accumulation.told = stop
                if count == upper:
                    self._start_over(key, accumulation)
            else:
                self._raise_above(key, accumulation, composite, is_full=count == upper)

        return accept

    def _evaluate(self, key: Key, accumulation: RecordAccumulation) -> None:
        records = accumulation.entries
        cause = records.event(len(records) - 1)
        self.integrate(key, accumulation, cause)
        if self.outbox:
            self.hand_up(cause, key)

    def _raise_above(
        self, key: Key, accumulation: RecordAccumulation, composite: CompositeEvent, *, is_full: bool
    ) -> None:
        self._integrated(accumulation, composite)
        if is_full:  # before it is consumed: what takes its place (M5) belongs to what is counted next
            self._start_over(key, accumulation)
        self.hand_up(composite.cause, key)

    def _start_over(self, key: Key, accumulation: RecordAccumulation) -> None:
        accumulation.start_over()
        self._drop(key)

    def _accumulation(self, key: Key) -> RecordAccumulation:
        accumulation = super()._accumulation(key)
        assert isinstance(accumulation, RecordAccumulation)
        return accumulation

    def _new_accumulation(self) -> Accumulation:
        return RecordAccumulation(self.read)


def _nothing(event: PrimitiveEvent) -> None:
    """What a leaf says of events that it asks and binds nothing of, or of a variable that it does not bind."""
