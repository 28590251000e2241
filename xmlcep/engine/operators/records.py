"""Primitive events that have accumulated in one group, in lists side by side: entries are made where somebody asks."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, overload

from contexts import Entry
from contexts.entry import AT, BINDINGS, EMPTY_END, EMPTY_START, EVENT, FIRST, Moment
from path_types import PathType

from ...algebra import Unit
from ...events import Event, PrimitiveEvent
from ...xpath import RunningValues
from ..clock import NOWHERE
from ..leaf import Bindings
from ..timers import MEASURE, NEVER
from .accumulation import Integrated, SlidingAccumulation

_new_tuple = tuple.__new__
_UNKNOWN = -NEVER
_CHANGES, _TIME, _TRANSACTIONS = MEASURE[Unit.CHANGES], MEASURE[Unit.TIME], MEASURE[Unit.TRANSACTIONS]

Read: TypeAlias = Callable[[PrimitiveEvent], Bindings | None]
"""What says the variables of an event."""


class Records(Sequence[Entry]):
    """Entries of primitive events in the order in which they came, made when they are looked at.

    ``events`` may be tuples of the layout of events; ``times``, ``transactions`` and ``points`` say when each came, the
    first two only where anybody measures. Their variables follow from the events, as ``read`` says. Numbers stand side
    by side, for what drops out has been out of the processor's caches for long.
    """

    __slots__ = ("events", "points", "read", "times", "transactions")

    def __init__(self, read: Read) -> None:
        self.read = read
        self.events: list[PrimitiveEvent] = []
        self.points: list[int] = []
        self.times = array("q")
        self.transactions = array("q")

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Records:
        """Those that these entries stand for, with the variables that they have."""
        known = {entry[EVENT].ts: entry[BINDINGS] for entry in entries}
        records = cls(lambda event: known.get(event[0]))
        for entry in entries:
            records.add(entry)
        return records

    def event(self, index: int) -> PrimitiveEvent:
        """One of the events, which is the same object each time."""
        event = self.events[index]
        if type(event) is not PrimitiveEvent:
            event = self.events[index] = _new_tuple(PrimitiveEvent, event)
        return event

    def variables(self, index: int) -> Bindings | None:
        """The variables of one of the events."""
        return self.read(self.events[index])

    def moment(self, index: int) -> Moment:
        """When one of the events came."""
        if not self.times:
            return NOWHERE
        return _new_tuple(Moment, (self.events[index][0], self.times[index], self.transactions[index]))

    def measured(self, index: int, unit: int) -> int:
        """The same by one measure."""
        if unit == _CHANGES:
            return self.events[index][0]
        return self.times[index] if unit == _TIME else self.transactions[index]

    def behind(self, index: int) -> Records:
        """Those from this index on, in lists of their own."""
        other = Records(self.read)
        other.events, other.points = self.events[index:], self.points[index:]
        other.times, other.transactions = self.times[index:], self.transactions[index:]
        return other

    def add(self, entry: Entry) -> None:
        """One more of them."""
        moment = entry[FIRST]
        self.events.append(entry[EVENT])
        self.points.append(entry[AT])
        if moment != NOWHERE:
            self.times.append(moment[_TIME])
            self.transactions.append(moment[_TRANSACTIONS])

    def __len__(self) -> int:
        return len(self.events)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self.events)))]
        event, moment = self.event(index), self.moment(index)
        ts = event[0]
        return (ts, ts, self.points[index], event, moment, moment, self.read(event))

    def __iter__(self) -> Iterator[Entry]:
        return (self[index] for index in range(len(self.events)))


class RecordAccumulation(SlidingAccumulation):
    """An accumulation of primitive events, which come in the order of their moments."""

    entries: Records  # type: ignore[assignment]

    def __init__(self, read: Read) -> None:
        self.entries = Records(read)
        self.begin = 0
        self.told = 0
        self.current = None
        self.expiry = None
        self.oldest = _UNKNOWN
        """When the first came, by the measure of the window, or less."""
        self.head: tuple[int, Moment] | None = None
        """Start and moment of the first, None until they are asked for."""
        self.place_of_all: tuple[PathType | None, tuple[int, ...]] | None = None
        """Where composites are, None until that is asked: at the node of the group, which keeps its ancestors (H1)."""
        self.known: Mapping[str, Any] | None = None
        """The variables of the group, where each event says the same of them; None: the first says them."""
        self.running: Mapping[str, RunningValues] | None = None
        """The lists of all values that have been asked for, by name, and the only one if there is one."""
        self.only: RunningValues | None = None
        self.has_one_of_each = True
        """Whether each event has one value in each list."""

    def add(self, entry: Entry) -> None:
        self.entries.add(entry)
        self.known = None
        if self.running is not None:
            self.add_values(entry[BINDINGS])

    def add_values(self, bindings: Bindings | None) -> None:
        """The variables of what has come, where lists of all values have been asked for."""
        for name, values in (self.running or {}).items():
            value = None if bindings is None else bindings.get(name)
            if value is None:
                self.has_one_of_each = False
            else:
                values.append(value)

    def values(self, names: Iterable[str]) -> Mapping[str, RunningValues]:
        if self.running is None:
            self.running = {name: RunningValues() for name in names}
            self.only = next(iter(self.running.values())) if len(self.running) == 1 else None
            for index in range(self.begin, len(self.entries)):
                self.add_values(self.entries.variables(index))
        return self.running

    def integrated(self) -> Integrated:
        return IntegratedRecords(self.entries, self.begin, len(self.entries))

    # What it has of those that stay follows from the first and the last.

    @property
    def start(self) -> float:  # type: ignore[override]
        events = self.entries.events
        return events[self.begin][0] if self.begin < len(events) else EMPTY_START

    @property
    def end(self) -> float:  # type: ignore[override]
        events = self.entries.events
        return events[-1][0] if self.begin < len(events) else EMPTY_END

    @property
    def span(self) -> tuple[Moment, Moment] | None:  # type: ignore[override]
        records, stop = self.entries, len(self.entries)
        return (records.moment(self.begin), records.moment(stop - 1)) if self.begin < stop else None

    def would_lose(self, entry: Entry, within: tuple[int, int]) -> bool:
        return False

    def drop_old(self, within: tuple[int, int]) -> None:
        amount, unit = within
        self.drop_before(self.entries.measured(-1, unit) - amount, unit)

    def drop_before(self, limit: int, unit: int) -> None:
        records, begin, only = self.entries, self.begin, self.only
        count = len(records.events)
        until = begin
        if unit == _CHANGES:
            events = records.events
            while until < count and events[until][0] < limit:
                until += 1
        else:
            column = records.times if unit == _TIME else records.transactions
            while until < count and column[until] < limit:
                until += 1
        self.oldest = records.measured(until, unit) if until < count else _UNKNOWN
        if until == begin:
            return
        if only is not None and self.has_one_of_each:
            only.first += until - begin
        elif self.running is not None:
            self._drop_values(until)
        self._begin_at(until)
        self.head = None

    def _behind(self, index: int) -> Records:  # type: ignore[override]
        if self.only is not None:
            self.only.tidy()
        return self.entries.behind(index)

    def _drop_values(self, until: int) -> None:
        """What the events before this index say."""
        begin = self.begin
        for name, values in (self.running or {}).items():
            count = until - begin
            if not self.has_one_of_each:
                bound = [self.entries.variables(index) or {} for index in range(begin, until)]
                count = sum(variables.get(name) is not None for variables in bound)
            values.drop(count)

    def oldest_begin(self, unit: int, after: int | None = None) -> int | None:
        records = self.entries
        for index in range(self.begin, len(records)):
            begin = records.measured(index, unit)
            if after is None or begin > after:
                return begin
        return None

    def replace(self, entries: Iterable[Entry], told: int = 0) -> None:
        records = Records(self.entries.read)
        for entry in entries:
            records.add(entry)
        self.entries = records
        self.begin, self.told, self.oldest = 0, told, _UNKNOWN
        self.head = self.known = self.running = self.only = None
        self.has_one_of_each = True


class IntegratedRecords(Integrated):
    """Accumulated primitive events, as constituents."""

    __slots__ = ()
    _entries: Records

    def __iter__(self) -> Iterator[Event]:
        records = self._entries
        return (records.event(index) for index in range(self._start, self._stop))

    def values(self, name: str) -> tuple[Any, ...]:
        records = self._entries
        bound = (records.variables(index) or {} for index in range(self._start, self._stop))
        return tuple([value for variables in bound if (value := variables.get(name)) is not None])
