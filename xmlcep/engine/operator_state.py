"""The running state that every operator of an event tree has: groups, and how composites are raised.

The definition is the `OperatorNode`; here is what changes while events come in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import MutableSequence, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from contexts import Entry, Flat, Group, Grouping, Hierarchical, Owner
from contexts.group import EMPTY_END, EMPTY_START, discard
from path_types import PathType, absolute_path_intersection

from ..algebra import Order
from ..documents.replica import Replica
from ..events import CompositeEvent, Event, PrimitiveEvent
from ..rules.trees import EventTree, OperatorNode

if TYPE_CHECKING:
    from .termination import Deferral

# What an operator takes at a time point: (operand, group key, arrivals).
Input: TypeAlias = tuple[int, int, list[Entry]]

_new_tuple = tuple.__new__
_NO_NODE: tuple[PathType | None, int] = (None, 0)


class OperatorState:
    """What an operator has stored, by group key (K1), and what it has raised and not yet handed on.

    ``outbox`` are the composites raised at the current time point that its parent has still to store;
    ``report`` is the list to which composites are added for the outside, None if this operator is not
    reported (G5). ``ancestors`` is what `ancestor` has found.
    """

    def __init__(self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None) -> None:
        self.node = node
        self.grouping: Grouping = Flat() if tree.flat else Hierarchical(node.path)
        self.flat = tree.flat
        self.by_detection = tree.order is Order.DETECTION
        self.name = tree.name
        self.label = None if node.parent is None else node.label
        self.parent: OperatorState | None = None
        self.child_index = node.child_index
        self.same_groups = False  # whether the parent groups by the same path type
        self.children: list[OperatorState | None] = [None] * len(node.children)
        self.deferral: Deferral | None = None
        self.groups: dict[int, Group] = {}
        self.outbox: list[Entry] = []
        self.report = report
        self._is_plain = not (node.may_repeat or self.flat or self.by_detection)
        self._owners: tuple[Owner | None, ...] | None = None
        self.ancestors: dict[PathType | None, tuple[PathType | None, int]] = {}

    def set_owners(self, owners: Sequence[Owner | None]) -> None:
        """Names for each operand who is to be told of consumption; None for those who do not care (H7)."""
        self._owners = tuple(owners) if any(owner is not None for owner in owners) else None

    # ---- what each kind of operator defines -----------------------------------------------------------

    def arrive(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        """Takes the arrivals of one operand in one group and raises what that makes possible (H3)."""
        raise NotImplementedError  # every operator defines its own

    def take(self, child: int, key: int, entry: Entry, cause: PrimitiveEvent) -> None:
        """`arrive` for the one arrival of a time point; what it raises goes on up the tree at once.

        Only where no operator of the tree is deferred and no other leaf takes the event.
        """
        self.arrive(child, key, (entry,), cause)
        if self.outbox:
            self.hand_up(cause)

    def hand_up(self, cause: PrimitiveEvent) -> None:
        """Gives what was raised to the parent, which hands up in turn."""
        entries, self.outbox = self.outbox, []
        parent = self.parent
        if parent is not None:
            for child, key, arrivals in parent.grouped(self.child_index, entries):
                parent.arrive(child, key, arrivals, cause)
            if parent.outbox:
                parent.hand_up(cause)

    def grouped(self, child: int, entries: list[Entry]) -> list[Input]:
        """What operand ``child`` raised at a time point, by group, in order of first arrival (K3)."""
        key_at = self.grouping.key
        if len(entries) == 1:
            event = entries[0][3]
            key = key_at(event[2], event[3])
            return [] if key is None else [(child, key, entries)]
        groups: dict[int, list[Entry]] = {}
        for entry in entries:
            key = key_at(entry[3][2], entry[3][3])
            if key is not None:
                groups.setdefault(key, []).append(entry)
        return [(child, key, arrivals) for key, arrivals in groups.items()]

    def hold(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        """Stores arrivals without evaluating them; a deferred operator does (X1)."""
        raise NotImplementedError  # every operator defines its own

    def evaluate_held(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        """Evaluates arrivals that were held because of a condition, which turned out to hold (X4)."""
        raise NotImplementedError  # every operator defines its own

    @property
    def one_by_one(self) -> bool:
        """Whether several arrivals of one time point are evaluated one after the other (H3)."""
        return False

    def is_possible(self, key: int) -> bool:
        """Whether the group has a combination that has not been raised (D2)."""
        raise NotImplementedError  # every operator defines its own

    def release(self, key: int, cause: PrimitiveEvent) -> None:
        """Raises what a deferred group has to raise (D5)."""
        raise NotImplementedError  # every operator defines its own

    # ---- groups ---------------------------------------------------------------------------------------

    def open_group(self, key: int) -> Group:
        """A new group under this key."""
        # A flat group can become long and loses its oldest events first: a deque does that in one step.
        stored: list[MutableSequence[Entry]]
        if self.flat:
            stored = [deque() for _ in self.children]
        elif len(self.children) == 2:
            stored = [[], []]
        else:
            stored = [[] for _ in self.children]
        group = self.groups[key] = Group(stored, self._owners)
        return group

    def drop_if_empty(self, key: int) -> None:
        """Forgets a group in which nothing is stored."""
        group = self.groups.get(key)
        if group is not None and not any(group.stored):
            del self.groups[key]

    def withdraw(self, child: int, entry: Entry) -> None:
        """Takes back a composite of operand ``child`` that another one now includes (M1)."""
        event = entry[3]
        key = self.grouping.key(event[2], event[3])
        group = None if key is None else self.groups.get(key)
        if group is not None and key is not None and discard(group.stored[child], entry):
            self.drop_if_empty(key)

    def forget(self, key: int) -> None:
        """Frees the state of a group that can no longer change (G4)."""
        self.groups.pop(key, None)
        if self.deferral is not None:
            self.deferral.forget(key)

    def clear(self, document: Replica | None) -> None:
        """Forgets everything; ``document`` is the one that conditions see from now on."""
        self.groups.clear()
        if self.deferral is not None:
            self.deferral.clear(document)

    def size(self) -> int:
        """How many events are stored."""
        return sum(len(stored) for group in self.groups.values() for stored in group.stored)

    # ---- raising --------------------------------------------------------------------------------------

    def raise_combination(self, combination: Sequence[Entry], cause: PrimitiveEvent) -> None:
        """Raises the composite of these events and puts it into the outbox."""
        self.outbox.append(self.compose(combination, cause))

    def compose(self, combination: Sequence[Entry], cause: PrimitiveEvent) -> Entry:
        """Raises the composite of these events (E4, E5, T4)."""
        start, end = EMPTY_START, EMPTY_END
        events = []
        for entry in combination:
            if entry[0] < start:
                start = entry[0]
            if entry[1] > end:
                end = entry[1]
            events.append(entry[3])
        if self._is_plain:
            path, ids = self._place(events[0])
        else:
            if self.node.may_repeat:
                events = _without_repetition(events)
            if self.by_detection:
                start, end = interval(events)
            path, ids = nearest_common_ancestor(events) if self.flat else self._place(events[0])
        return self.new_composite(path, ids, tuple(events), start, end, cause)

    def new_composite(
        self,
        path: PathType | None,
        ids: tuple[int, ...],
        constituents: Sequence[Event],
        start: float,
        end: float,
        cause: PrimitiveEvent,
    ) -> Entry:
        """Reports a composite with this path instance and interval (an empty one is +inf, -inf)."""
        ts = cause[0]
        entry: Entry
        if start == EMPTY_START:
            parts = (self.name, self.label, path, ids, constituents, None, None, cause)
            event = _new_tuple(CompositeEvent, parts)
            entry = (EMPTY_START, EMPTY_END, ts, event, False)
        else:
            event = _new_tuple(
                CompositeEvent, (self.name, self.label, path, ids, constituents, start, end, cause)
            )
            entry = (ts, ts, ts, event, False) if self.by_detection else (start, end, ts, event, False)
        if self.report is not None:
            self.report.append(event)
        return entry

    def _place(self, event: Event) -> tuple[PathType | None, tuple[int, ...]]:
        """The path instance of a composite of which ``event`` is any constituent (T4)."""
        ancestor, length = self.ancestors.get(event[2]) or self.ancestor(event[2])
        return ancestor, event[3][:length]

    def ancestor(self, path: PathType | None) -> tuple[PathType | None, int]:
        """The path type of composites with a constituent of this path type, and its length (T4)."""
        place = self.ancestors[path] = _ancestor(self.node.path, path)
        return place


@lru_cache(maxsize=10_000)  # detectors of many documents ask the same
def _ancestor(operator: PathType, path: PathType | None) -> tuple[PathType | None, int]:
    found = absolute_path_intersection(operator, path)
    return _NO_NODE if found is None else (found, len(found))


def _without_repetition(events: list[Event]) -> list[Event]:
    """Each event once, at its first place (K4)."""
    return list({id(event): event for event in events}.values())


def interval(events: Sequence[Event]) -> tuple[float, float]:
    """From the least start to the greatest end (E5); (+inf, -inf) if all are empty."""
    spans = [
        (event.start, event.end) for event in events if event.start is not None and event.end is not None
    ]
    return min([s for s, _ in spans], default=EMPTY_START), max([e for _, e in spans], default=EMPTY_END)


def nearest_common_ancestor(events: Sequence[Event]) -> tuple[PathType | None, tuple[int, ...]]:
    """The path instance of the node that all these events have at or above them (T4 in flat context, K5)."""
    path, ids = events[0][2], events[0][3]
    for event in events[1:]:
        length = 0
        for a, b in zip(ids, event[3], strict=False):
            if a != b:
                break
            length += 1
        ids = ids[:length]
    if path is None or not ids:
        return None, ()
    return PathType.of(True, path.steps[: len(ids)]), ids
