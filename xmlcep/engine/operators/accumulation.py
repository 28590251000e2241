"""What a multiplicity has accumulated in one group (M1), and composites that share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from contexts import Entry
from contexts.entry import EMPTY_END, EMPTY_START, EVENT
from path_types import PathType

from ...events import Event


class Integrated(Sequence[Event]):
    """Accumulated events from one index to before another, as constituents.

    Accumulation only appends to a list (or starts a new one), so every integrating composite can share it: a
    composite of all so far costs the same however many there are.
    """

    __slots__ = ("_entries", "_start", "_stop")

    def __init__(self, entries: list[Entry], start: int, stop: int) -> None:
        self._entries = entries
        self._start = start
        self._stop = stop

    def __len__(self) -> int:
        return self._stop - self._start

    def __iter__(self) -> Iterator[Event]:
        for position in range(self._start, self._stop):
            yield self._entries[position][EVENT]

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, Integrated)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class Accumulation:
    """The arrivals since accumulation started over, oldest first.

    ``entries[begin:]`` are those that have not dropped out; ``current`` is the composite (raised or silent) that
    later ones integrate, ``told`` up to which index entries count as consumed (H7). For a deferred operator
    ``batches`` have been set aside for the release (Z8), and ``created`` is the created node's path and ids, while its
    empty composite is due (M4).
    """

    __slots__ = ("batches", "begin", "created", "current", "end", "entries", "expiry", "start", "told")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.begin = 0
        self.current: Entry | None = None
        self.told = 0
        self.start, self.end = EMPTY_START, EMPTY_END
        self.batches: list[list[Entry]] = []
        self.created: tuple[PathType, tuple[int, ...]] | None = None
        self.expiry: int | None = None

    def count(self) -> int:
        """How many there are."""
        return len(self.entries) - self.begin

    def live(self) -> list[Entry]:
        """All of them."""
        return self.entries[self.begin :]

    def add(self, entry: Entry) -> None:
        """One more arrival."""
        self.entries.append(entry)
        if entry[0] < self.start:
            self.start = entry[0]
        if entry[1] > self.end:
            self.end = entry[1]

    def start_over(self, entries: Iterable[Entry] = ()) -> None:
        """Accumulation starts over, with ``entries`` left over."""
        self.replace(entries)
        self.current = None

    def replace(self, entries: Iterable[Entry], told: int = 0) -> None:
        """These are the entries now; of the first ``told`` of them it has been told that they are consumed."""
        self.entries = list(entries)
        self.begin = 0
        self.told = told
        self._span()

    def drop_first(self, count: int) -> None:
        """The oldest ones drop out."""
        self.begin += count
        self.told = max(self.told, self.begin)
        if self.begin > 32 and 2 * self.begin > len(self.entries):
            self.replace(self.live(), self.told - self.begin)
        else:
            self._span()

    def keep(self, kept: Sequence[Entry]) -> None:
        """All but these drop out."""
        identities = set(map(id, kept))
        told = sum(id(entry) in identities for entry in self.entries[self.begin : self.told])
        self.replace(kept, told)

    def is_idle(self) -> bool:
        """Whether it is as if nothing had ever come."""
        return not (self.count() or self.current or self.created or self.batches)

    def size(self) -> int:
        """How many events it keeps."""
        return self.count() + (self.current is not None) + sum(map(len, self.batches))

    def _span(self) -> None:
        live = self.live()
        self.start = min((entry[0] for entry in live), default=EMPTY_START)
        self.end = max((entry[1] for entry in live), default=EMPTY_END)
