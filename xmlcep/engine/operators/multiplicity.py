"""Multiplicity x[l,u] at run time: arrivals accumulate and are integrated (M1 to M6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from contexts import Entry, Owner
from contexts.entry import EMPTY_END, EMPTY_START
from contexts.group import discard
from contexts.grouping import Key
from path_types import PathType

from ...algebra import Multiplicity, Order, Promise
from ...events import Cause, CompositeEvent, Event
from ...rules.trees import EventTree, OperatorNode
from ..clock import Clock
from ..composer import interval, nearest_common_ancestor
from .state import DeferrableState, OperatorState

_FEW = 64  # deleted nodes that are kept without asking whether they are still needed


class Integrated(Sequence[Event]):
    """The first ``length`` accumulated events, as constituents.

    Accumulation only appends to a list (or starts a new one), so every integrating composite can share it: a
    composite of all so far costs the same however many there are.
    """

    __slots__ = ("_entries", "_length")

    def __init__(self, entries: list[Entry], length: int) -> None:
        self._entries = entries
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Event]:
        for position in range(self._length):
            yield self._entries[position][3]

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
    """What one group has accumulated: ``entries`` since it started over, ``current`` the composite (raised or
    silent) that later ones integrate, ``told`` how many entries count as consumed (H7)."""

    __slots__ = ("created", "current", "end", "entries", "start", "told")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.current: Entry | None = None
        self.told = 0
        self.start, self.end = EMPTY_START, EMPTY_END
        # For a deferred operator: the created node's path and ids, while its empty composite is due (M4).
        self.created: tuple[PathType, tuple[int, ...]] | None = None

    def start_over(self, entries: Iterable[Entry] = ()) -> None:
        """Accumulation starts over, with ``entries`` left over."""
        self.entries = list(entries)
        self.current = None
        self.told = 0
        self.start = min((entry[0] for entry in self.entries), default=EMPTY_START)
        self.end = max((entry[1] for entry in self.entries), default=EMPTY_END)

    def add(self, entry: Entry) -> None:
        """One more arrival."""
        self.entries.append(entry)
        self.start = min(self.start, entry[0])
        self.end = max(self.end, entry[1])

    def is_idle(self) -> bool:
        """Whether it is as if nothing had ever come."""
        return not self.entries and self.current is None and self.created is None


class MultiplicityState(DeferrableState):
    """Raises a composite of all so far from the l-th arrival on, up to u of them."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, clock: Clock
    ) -> None:
        super().__init__(node, tree, report, clock)
        definition = node.definition
        assert isinstance(definition, Multiplicity)
        self._by_detection = tree.order is Order.DETECTION
        self.lower = definition.lower
        self.upper = definition.upper
        self.accumulations: dict[Key, Accumulation] = {}
        # Deleted nodes of which a composite may still be consumed, so that no silent one is made for them (M5), each
        # with the key of the parent's group that it is stored in.
        self.gone: dict[int, Key] = {}
        self._most_gone = _FEW
        self.owner: Owner | None = self

    @property
    def one_by_one(self) -> bool:
        return True

    def evaluate_held(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.integrate(key, self.accumulations[key], cause)

    def connect(self, parent: OperatorState) -> None:
        super().connect(parent)
        self.refills = self.lower == 0 and parent.node.definition.stores_composites

    # ---- arrivals (M1, M2) and creations (M4) ---------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        for entry in arrivals:
            accumulation = self._accumulation(key)
            accumulation.add(entry)
            self.integrate(key, accumulation, cause)

    def integrate(self, key: Key, accumulation: Accumulation, cause: Cause) -> None:
        """Raises the composite of all so far if they are enough; at u accumulation starts over (M1, M2)."""
        count = len(accumulation.entries)
        if count < max(self.lower, 1):
            return
        former = accumulation.current
        if former is not None:
            self._withdraw(former)
        accumulation.current = self._raise(accumulation, accumulation.entries, cause)
        self._tell(accumulation, count)
        if count == self.upper:
            accumulation.start_over()
            del self.accumulations[key]

    def create(self, key: Key, path: PathType, ids: tuple[int, ...], cause: Cause) -> None:
        """M4: the node was created, so a composite without constituents is raised for it."""
        accumulation = self._accumulation(key)
        if accumulation.entries:
            return  # only in flat context (C6)
        if accumulation.current is not None:
            self._withdraw(accumulation.current)
        accumulation.current = self._raise_empty(path, ids, cause)

    def _accumulation(self, key: Key) -> Accumulation:
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            accumulation = self.accumulations[key] = Accumulation()
        return accumulation

    def _raise(self, accumulation: Accumulation, entries: list[Entry], cause: Cause) -> Entry:
        constituents = Integrated(entries, len(entries))
        start, end = accumulation.start, accumulation.end
        if self._by_detection or entries is not accumulation.entries:
            start, end = interval(constituents)
        path, ids = nearest_common_ancestor(constituents) if self.flat else self.composer.place(entries[0][3])
        entry = self.composer.new(path, ids, constituents, start, end, cause)
        self.outbox.append(entry)
        return entry

    def _raise_empty(self, path: PathType, ids: tuple[int, ...], cause: Cause) -> Entry:
        entry = self.composer.new(path, ids, (), EMPTY_START, EMPTY_END, cause)
        self.outbox.append(entry)
        return entry

    def _tell(self, accumulation: Accumulation, count: int) -> None:
        """The first ``count`` arrivals stand in a raised composite, so they count as consumed (H7)."""
        owner = self._owners[0] if self._owners is not None else None
        if owner is not None:
            for entry in accumulation.entries[accumulation.told : count]:
                owner.consumed(entry)
        accumulation.told = count

    def _withdraw(self, former: Entry) -> None:
        """Takes the former composite out of the parent's store, or out of the post (M1, C6).

        What the root of a tree has raised is not taken back: other trees keep it (H8).
        """
        if self.parent is not None and not discard(self.outbox, former):
            self.parent.withdraw(self.node.child_index, former)

    def withdraw(self, child: int, entry: Entry) -> None:
        """A child multiplicity takes back a composite: out of the accumulation with it (M1)."""
        key = self.grouping.key_of(entry)
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            return
        rest = [other for other in accumulation.entries if other is not entry]
        if len(rest) < len(accumulation.entries):
            current, told = accumulation.current, accumulation.told
            accumulation.start_over(rest)
            accumulation.current, accumulation.told = current, told
            self._drop_if_idle(key, accumulation)

    def _drop_if_idle(self, key: Key, accumulation: Accumulation) -> None:
        if accumulation.is_idle():
            self.accumulations.pop(key, None)

    # ---- what the parent tells (M3, M5) ----------------------------------------------------------------

    def consumed(self, entry: Entry) -> None:
        """M3: if it is the composite that still integrates, accumulation starts over.

        Arrivals that wait for a release were not integrated, and stay (C7).
        """
        key = self.grouping.key_of(entry)
        accumulation = self.accumulations.get(key)
        if accumulation is not None and accumulation.current is entry:
            accumulation.start_over(accumulation.entries[accumulation.told :])
            self._drop_if_idle(key, accumulation)

    def successor(self, entry: Entry, stored: Iterable[Entry], at: int) -> Entry | None:
        """M5: a silent empty composite, unless another of this group is unconsumed or the node is gone."""
        if not self.refills:
            return None
        event = entry[3]
        if self.flat:
            if any(True for _ in stored):
                return None
        elif event.ids[-1] in self.gone or any(other[3].ids == event.ids for other in stored):
            return None
        return self.composer.entry(event._replace(constituents=(), start=None, end=None), silent=True)

    def available(self, silent: Entry) -> None:
        """A silent composite stands in the parent's store: the next one replaces it."""
        key = self.grouping.key_of(silent)
        assert key is not None
        accumulation = self._accumulation(key)
        if accumulation.current is None:
            accumulation.current = silent

    def vanish(self, path: PathType, ids: tuple[int, ...]) -> None:
        assert self.parent is not None
        key: Key = ids[-1]
        self.gone[key] = self.parent.grouping.place(path, ids)
        accumulation = self.accumulations.get(key)
        if accumulation is not None and accumulation.current is not None and accumulation.current[4]:
            self._withdraw(accumulation.current)
            accumulation.current = None
            self._drop_if_idle(key, accumulation)

    # ---- deferred (D5, X8) ------------------------------------------------------------------------------

    def hold(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        accumulation = self._accumulation(key)
        for entry in arrivals:
            accumulation.add(entry)

    def hold_creation(self, key: Key, path: PathType, ids: tuple[int, ...]) -> None:
        """M4 for a deferred operator: an empty composite is due."""
        accumulation = self._accumulation(key)
        if not accumulation.entries:
            accumulation.created = (path, ids)

    def is_possible(self, key: Key) -> bool:
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            return False
        return len(accumulation.entries) >= max(self.lower, 1) or accumulation.created is not None

    def release(self, key: Key, cause: Cause) -> None:
        """Full batches of u, then the rest if there is at least l of it (D5)."""
        accumulation = self.accumulations[key]
        if accumulation.current is not None:
            self._withdraw(accumulation.current)
        entries = accumulation.entries
        while self.upper is not None and len(entries) >= self.upper:
            self._raise(accumulation, entries[: self.upper], cause)
            entries = entries[self.upper :]
        if entries and len(entries) >= self.lower:
            self._raise(accumulation, list(entries), cause)
            entries = []
        elif accumulation.created is not None and not accumulation.entries:
            path, ids = accumulation.created
            self._raise_empty(path, ids, cause)
        accumulation.created = None
        self._tell(accumulation, len(accumulation.entries) - len(entries))
        accumulation.start_over(entries)
        self._drop_if_idle(key, accumulation)

    def forget(self, key: Key) -> None:
        self.accumulations.pop(key, None)
        place = self.grouping.place_of(key)
        if place in self.gone and not self._is_stored_above(place):
            del self.gone[place]
        elif len(self.gone) > self._most_gone:
            self.gone = {gone: at for gone, at in self.gone.items() if self._is_stored_above(gone)}
            self._most_gone = max(_FEW, 2 * len(self.gone))

    def _is_stored_above(self, node: int) -> bool:
        """Whether the parent has a composite of a node that is gone: its group lasts longer if its path is shorter."""
        assert self.parent is not None
        return self.parent.stores(self.child_index, self.gone[node], node)

    def clear(self) -> None:
        self.accumulations.clear()
        self.gone.clear()

    def size(self) -> int:
        return sum(
            len(accumulation.entries) + (accumulation.current is not None)
            for accumulation in self.accumulations.values()
        )


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, clock: Clock,
    operands: Sequence[Promise],
) -> MultiplicityState:  # fmt: skip
    """The running state of a multiplicity."""
    return MultiplicityState(node, tree, report, clock)
