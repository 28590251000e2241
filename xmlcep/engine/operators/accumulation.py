"""What a multiplicity has accumulated in one group (M1), and composites that share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from contexts import Entry
from contexts.constraints.counting import young
from contexts.entry import EMPTY_END, EMPTY_START, EVENT, FIRST, LAST
from path_types import PathType

from ...events import Event
from ...xpath import RunningValues
from ..composer import span_of
from ..values import all_values
from .followers import CommonAncestor, EventInterval, Follower, ValueLists

_T = TypeVar("_T")
_NOTHING: Any = ()


class _Part(Sequence[_T], Generic[_T]):
    """A list from one index to before another.

    Accumulation only appends to a list (or starts a new one), so every integrating composite can share it: a
    composite of all so far costs the same however many there are.
    """

    __slots__ = ("_entries", "_start", "_stop")

    def __init__(self, entries: Sequence[Entry], start: int, stop: int) -> None:
        self._entries = entries
        self._start = start
        self._stop = stop

    def arrivals(self) -> Arrivals:
        """The same arrivals, as they are stored."""
        return Arrivals(self._entries, self._start, self._stop)

    def values(self, name: str) -> tuple[Any, ...]:
        """All values of a variable of theirs."""
        return all_values(self.arrivals(), name)

    @property
    def bounds(self) -> tuple[Sequence[Entry], int, int]:
        """The list, from which index, and to before which."""
        return self._entries, self._start, self._stop

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_T]: ...
    def __getitem__(self, index: int | slice) -> _T | Sequence[_T]:
        return tuple(self)[index]

    def __repr__(self) -> str:
        return repr(tuple(self))


class Arrivals(_Part[Entry]):
    """Accumulated arrivals, as they are stored."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        if index == 0 and self._start < self._stop:
            return self._entries[self._start]
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Entry]:
        entries = self._entries
        return (entries[position] for position in range(self._start, self._stop))


class Integrated(_Part[Event]):
    """Accumulated events, as constituents."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Event]:
        for position in range(self._start, self._stop):
            yield self._entries[position][EVENT]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, Integrated)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


class Accumulation:
    """The arrivals since accumulation started over, oldest first.

    ``entries[begin:]`` are those that have not dropped out; ``current`` is the composite that later ones integrate,
    ``told`` up to which index entries count as consumed (H7), ``evaluated`` up to which they are not new. For a
    deferred operator ``created`` is the created node's path and ids, while its empty composite is due (M4). ``start``
    and ``end`` are their interval, ``span`` the moments of the first and the last primitive event in them, where
    arrivals have such.

    What has been asked of them (`values`, `place`, `interval`) is kept up to date by ``followers``, until arrivals go
    from among others.
    """

    # As in a new one: of most that is all there ever is. The list is made of the first arrival.
    entries: list[Entry] = _NOTHING
    begin = 0
    current: Entry | None = None
    told = 0
    evaluated = 0
    start, end = EMPTY_START, EMPTY_END
    span: tuple[object, object] | None = None
    created: tuple[PathType, tuple[int, ...]] | None = None
    expiry: int | None = None
    followers: tuple[Follower, ...] = ()
    _lists: ValueLists | None = None
    _ancestor: CommonAncestor | None = None
    _interval: EventInterval | None = None

    def count(self) -> int:
        """How many there are."""
        return len(self.entries) - self.begin

    def live(self) -> list[Entry]:
        """All of them."""
        return self.entries[self.begin :]

    def arrivals(self) -> Arrivals:
        """All of them, as they are now: in no time."""
        return Arrivals(self.entries, self.begin, len(self.entries))

    def integrated(self) -> Integrated:
        """The same as constituents of a composite."""
        return Integrated(self.entries, self.begin, len(self.entries))

    def add(self, entry: Entry) -> None:
        """One more arrival."""
        entries = self.entries
        if entries:
            entries.append(entry)
        else:
            self.entries = [entry]
        if entry[0] < self.start:
            self.start = entry[0]
        if entry[1] > self.end:
            self.end = entry[1]
        if len(entry) > FIRST and entry[FIRST] is not None:
            first, last = entry[FIRST], entry[LAST]
            self.span = (
                (first, last) if self.span is None else (min(self.span[0], first), max(self.span[1], last))
            )  # fmt: skip
        for follower in self.followers:
            follower.append(entry)

    def append(self, entry: Entry) -> None:
        """`add` where nothing is asked of them, and entries have neither moments nor variables."""
        entries = self.entries
        if not entries:
            self.entries = [entry]
            self.start, self.end = entry[0], entry[1]
            return
        entries.append(entry)
        if entry[0] < self.start:
            self.start = entry[0]
        if entry[1] > self.end:
            self.end = entry[1]

    # ---- what is asked of them, in a time that does not depend on how many they are -----------------------

    def values(self, names: Iterable[str]) -> Mapping[str, RunningValues]:
        """The lists of all values of variables, which are the same ones each time."""
        if self._lists is None:
            arrivals = self.arrivals()
            lists = {name: RunningValues(all_values(arrivals, name)) for name in names}
            self._lists = ValueLists(lists, arrivals)
            self.followers = (*self.followers, self._lists)
        return self._lists.by_name

    def place(self) -> tuple[PathType | None, tuple[int, ...]]:
        """The path instance of the nearest common ancestor (T4 in flat context, T4)."""
        if self._ancestor is None:
            self._ancestor = CommonAncestor(self.arrivals())
            self.followers = (*self.followers, self._ancestor)
        return self._ancestor.place(self.entries[self.begin])

    def interval(self) -> tuple[float, float]:
        """From the least start to the greatest end (E5), in detection order, too."""
        if self._interval is None:
            self._interval = EventInterval(self.arrivals())
            self.followers = (*self.followers, self._interval)
        return self._interval.interval()

    # ---- starting over ------------------------------------------------------------------------------------

    def start_over(self, entries: Iterable[Entry] = ()) -> None:
        """Accumulation starts over, with ``entries`` left over."""
        self.replace(entries)
        self.current = None

    def replace(self, entries: Iterable[Entry], told: int = 0) -> None:
        """These are the entries now; of the first ``told`` of them it has been told that they are consumed."""
        self.entries = list(entries)
        self.begin = 0
        self.told, self.evaluated = told, 0
        self.followers = ()
        self._lists = self._ancestor = self._interval = None
        self._measure()

    def keep(self, kept: Sequence[Entry]) -> None:
        """All but these drop out."""
        identities = set(map(id, kept))
        told, evaluated = (
            sum(id(entry) in identities for entry in self.entries[self.begin : until])
            for until in (self.told, self.evaluated)
        )
        self.replace(kept, told)
        self.evaluated = evaluated

    def is_idle(self) -> bool:
        """Whether it is as if nothing had ever come."""
        return not (self.count() or self.current or self.created)

    def size(self) -> int:
        """How many events it keeps."""
        return self.count() + (self.current is not None)

    def _measure(self) -> None:
        live = self.live()
        self.start = min((entry[0] for entry in live), default=EMPTY_START)
        self.end = max((entry[1] for entry in live), default=EMPTY_END)
        self.span = span_of(live) if live and len(live[0]) > FIRST else None


class SlidingAccumulation(Accumulation):
    """An accumulation whose oldest arrivals drop out (W3, S4).

    While each arrival begins and ends no earlier than the one before it, as primitive events do, the oldest are the
    first: letting them go costs the same however many stay. Among others all are looked at.
    """

    _ordered = True

    def __init__(self) -> None:
        self.entries = []

    def add(self, entry: Entry) -> None:
        entries, span = self.entries, self.span
        if self._ordered:
            if span is not None and self.begin < len(entries) and _has_interval(entry):
                self._ordered = _follows(entry, entries[-1])
                if self._ordered:  # what follows widens at the end
                    entries.append(entry)
                    self.end = entry[1]
                    self.span = (span[0], entry[LAST])
                    for follower in self.followers:
                        follower.append(entry)
                    return
            else:
                is_first = self.begin == len(entries)
                self._ordered = _has_interval(entry) and (is_first or _follows(entry, entries[-1]))
        super().add(entry)

    def replace(self, entries: Iterable[Entry], told: int = 0) -> None:
        super().replace(entries, told)
        self._ordered = self._ordered or not self.entries

    def _let_go(self, until: int) -> None:
        """Those before this index drop out."""
        entries, begin = self.entries, self.begin
        for follower in self.followers:
            for position in range(begin, until):
                follower.drop(entries[position])
        self._begin_at(until)

    def _begin_at(self, index: int) -> None:
        """What is before this index has dropped out."""
        if self.told < index:
            self.told = index
        if index > _TIDY and 2 * index > len(self.entries):
            self.entries = self._behind(index)  # composites may have the list as it was
            self.told -= index
            self.evaluated = max(self.evaluated - index, 0)
            index = 0
        self.begin = index

    def _behind(self, index: int) -> list[Entry]:
        """Those from this index on, in a list of their own."""
        return self.entries[index:]

    def drop_first(self, count: int) -> None:
        """The oldest ones drop out."""
        self._let_go(self.begin + count)
        if not self._ordered or self.begin == len(self.entries):
            self._measure()
            self._ordered = self._ordered or not self.count()
            return
        oldest = self.entries[self.begin]
        self.start = oldest[0]
        if self.span is not None:
            self.span = (oldest[FIRST], self.span[1])

    def drop_old(self, within: tuple[int, int]) -> None:
        """Those drop out that begin more than so long before the latest end of all (W3)."""
        if self._ordered:
            amount, unit = within
            self.drop_before(self.entries[-1][LAST][unit] - amount, unit)
            return
        live = self.live()
        kept = young(live, within)
        if len(kept) < len(live):
            self.keep(kept)

    def drop_before(self, limit: int, unit: int) -> None:
        """Those drop out that begin before this."""
        if not self._ordered:
            live = self.live()
            kept = [entry for entry in live if entry[FIRST] is None or entry[FIRST][unit] >= limit]
            if len(kept) < len(live):
                self.keep(kept)
            return
        entries, until = self.entries, self.begin
        while until < len(entries) and entries[until][FIRST][unit] < limit:
            until += 1
        if until > self.begin:
            self.drop_first(until - self.begin)

    def oldest_begin(self, unit: int, after: int | None = None) -> int | None:
        """When the oldest begins (of those that do so after this); None if there is none."""
        if self._ordered and self.count():
            begin: int = self.entries[self.begin][FIRST][unit]
            if after is None or begin > after:
                return begin
        begins = (entry[FIRST][unit] for entry in self.live() if entry[FIRST] is not None)
        return min((begin for begin in begins if after is None or begin > after), default=None)

    def would_lose(self, entry: Entry, within: tuple[int, int]) -> bool:
        """Whether an arrival would drop out at once: it begins more than so long before the latest end of all (W3)."""
        if entry[FIRST] is None:
            return False
        amount, unit = within
        latest = entry[LAST][unit]
        before = self.entries[-1:] if self._ordered and self.count() else self.live()
        for other in before:
            if other[LAST] is not None and other[LAST][unit] > latest:
                latest = other[LAST][unit]
        return bool(entry[FIRST][unit] < latest - amount)


_TIDY = 32


def _has_interval(entry: Entry) -> bool:
    return entry[0] <= entry[1] and (len(entry) <= FIRST or entry[FIRST] is not None)


def _follows(entry: Entry, before: Entry) -> bool:
    """Whether an arrival begins and ends no earlier than another, by every measure: moments are in the order of time
    points, and none of what they measure goes back (W1)."""
    if entry[0] < before[0] or entry[1] < before[1]:
        return False
    if len(entry) <= FIRST:
        return True
    return bool(entry[FIRST] >= before[FIRST] and entry[LAST] >= before[LAST])
