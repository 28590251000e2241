"""The running state that every operator of an event tree has: groups, what it has raised, whom it serves.

The definition is the `OperatorNode`; here is what changes while events come in.

One module because it is one class, which says whatever an operator may be asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, TypeAlias

from contexts import Entry, Grouping, Owner
from contexts.constraints import Objection
from contexts.entry import AT, EMPTY_END, END, EVENT
from contexts.grouping import ByValue, Key, KeysByPlace, drop_key, note_key
from path_types import PathType

from ...algebra import Order, Promise, Unit
from ...events import Cause, CompositeEvent, PrimitiveEvent
from ...rules.trees import EventTree, OperatorNode
from ..clock import Clock
from ..composer import Composer
from ..grouping import grouping_of
from ..leaf import LeafState
from ..setting import Setting
from ..timers import Due
from ..values import Values

_new_tuple = tuple.__new__
_AT = itemgetter(AT)
Kept: TypeAlias = tuple[dict[Key, Any], ...]
"""What an operator has, by group."""
# What an operator takes at a time point: (operand, group key, arrivals).
Input: TypeAlias = tuple[int, Key, list[Entry]]
Arrivals: TypeAlias = tuple[int, Sequence[Entry]]
"""What arrives in one operand of a group."""


Acceptor: TypeAlias = Callable[[Key, PrimitiveEvent], None]
"""What takes a primitive event in a group, where it is the one arrival in its tree at its time point."""


class Blueprint(NamedTuple):
    """What a running state is made of: its operator and the tree of that, where composites are reported (None:
    nowhere), what the detector has for all, and what the operands promise."""

    node: OperatorNode
    tree: EventTree
    report: list[CompositeEvent] | None
    setting: Setting
    operands: Sequence[Promise]


class Taker(Protocol):
    """What takes an operator's arrivals."""

    def acceptor(self, child: int) -> Acceptor:
        """See `OperatorState.acceptor`."""

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        """See `OperatorState.take`."""

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """See `OperatorState.arrive`."""

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        """See `OperatorState.arrive_together`."""

    def create(self, key: Key, path: PathType, ids: tuple[int, ...], cause: Cause) -> None:
        """See `OperatorState.create`."""

    def fire(self, due: Due, cause: Cause) -> None:
        """See `OperatorState.fire`."""


class Account(NamedTuple):
    """What an operator has in one group, for whoever asks (Y1): of each operand, as they are written, the events that
    are stored; why they are not raised, if something speaks against it; whether a composite of what there is has been
    raised; and when something is due by a timer, by the measure ``unit``."""

    stored: tuple[Sequence[Entry], ...]
    objection: Objection | None = None
    raised: bool = False
    due: int | None = None
    unit: Unit = Unit.TIME


class OperatorState(ABC):
    """What an operator has stored, by group key (H1), and what it has raised and not yet handed on.

    ``outbox`` are the composites raised at the current time point that its parent has still to store.
    """

    # Slots beside a dictionary, for what operators have in common: objects with more than thirty attributes in theirs
    # do not share its layout, and each look-up costs more.
    __slots__ = (
        "__dict__", "_keys", "_owners", "_same_keys", "by_value", "child_index", "children",
        "clock", "composer", "end_of", "flat", "grouping", "groupings", "node", "outbox", "parent", "same_groups",
        "setting",
        "taker", "tree_index", "turn", "values",
    )  # fmt: skip
    owner: Owner | None = None
    """Who is to be told what becomes of the composites it raises (H7); None: nobody."""
    comes_late = False
    """Whether what it has at a node outlasts that, as its time comes by a timer."""

    def __init__(self, of: Blueprint) -> None:
        node, tree, report, setting = of.node, of.tree, of.report, of.setting
        self.node = node
        self.setting = setting
        self.tree_index = tree.index
        self.clock = setting.clock
        program = setting.programs[tree.index][node.index]
        self.grouping: Grouping = grouping_of(node, program, flat=tree.flat)
        self.flat = tree.flat
        self.by_value = bool(program.grouping.names)
        # The same of the events of each operand.
        self.groupings = tuple(
            [grouping_of(node, program, operand, flat=tree.flat) for operand in range(len(node.children))]
        )
        self._keys: KeysByPlace = {}
        self.values = Values(program, setting)
        self.composer = Composer(node, tree, report, setting.clock)
        # What orders events from the oldest to the newest: when they end (Q1).
        self.end_of: Callable[[Entry], float] = _AT if tree.order is Order.DETECTION else end_of
        self.parent: OperatorState | None = None
        # Who takes its arrivals: itself, or what makes it wait (D2 to D4).
        self.taker: Taker = self
        self.child_index = node.child_index
        self.same_groups = False  # whether the parent's groups are the same nodes
        self._same_keys = False  # whether they have the same keys, too
        self.children: list[OperatorState | None] = [None] * len(node.children)
        self.outbox: list[Entry] = []
        self._owners: tuple[Owner | None, ...] | None = None
        # The place of each operand in the order in which they are fed (H3).
        self.turn = {operand: turn for turn, operand in enumerate(node.definition.turns)}

    def connect(self, parent: OperatorState) -> None:
        """Says to whom it hands what it raises."""
        self.parent = parent
        self.same_groups = parent.node.path is self.node.path and not self.flat
        self._same_keys = self.same_groups and not (self.by_value or parent.by_value)
        parent.children[self.child_index] = self

    def set_owners(self) -> None:
        """Notes for each operand who is to be told of consumption, once all are connected (H7)."""
        owners = tuple(None if child is None else child.owner for child in self.children)
        self._owners = owners if any(owner is not None for owner in owners) else None

    # ---- what each kind of operator defines -----------------------------------------------------------

    @abstractmethod
    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Takes the arrivals of one operand in one group and raises what that makes possible (H3)."""

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        """Takes what arrives in several operands or groups at one time point, in the order of their turns (H3)."""
        for child, key, arrivals in inputs:
            self.arrive(child, key, arrivals, cause)

    def kept(self) -> Kept:
        """All that it has, by group."""
        return ()

    def forget(self, key: Key) -> None:
        """Frees the state of a group that can no longer change (G4)."""
        for kept in self.kept():
            kept.pop(key, None)
        self.drop_key(key)

    def forget_at(self, place: int) -> None:  # noqa: B027
        """Frees what it has at a node that is gone beside its groups, which it may have of values without a group."""

    def by_group(self) -> Kept | None:
        """What it has, where to `forget` a group is no more than to take it out of these; None where it is more."""
        is_more = self.by_value or type(self).forget is not OperatorState.forget
        return None if is_more else self.kept()

    def clear(self) -> None:
        """Forgets everything."""
        self._keys.clear()
        for kept in self.kept():
            kept.clear()

    def size(self) -> int:
        """How many events are stored."""
        return sum(len(events) for kept in self.kept() for events in kept.values())

    # What explanations ask (Y1 to Y5): none of it changes anything.

    def group_keys(self) -> Collection[Key]:
        """The groups that have something."""
        return dict.fromkeys(key for kept in self.kept() for key in kept)

    def account(self, key: Key) -> Account:
        """What it has in a group."""
        return Account(tuple(() for _ in self.node.children))

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        """Why an event of operand ``child`` that arrived in a group is no longer stored, although nothing that was
        raised has it; ``others`` are all events that have arrived there, by operand."""
        return Objection("consumed", (entry,))

    def superseded(self, key: Key, others: Sequence[Sequence[Entry]]) -> Objection | None:
        """That something newer has taken the place of what would have been a combination, if that is the reason why
        there is none; ``others`` are all events that have arrived and are in nothing that was raised, by operand."""
        return None

    # What most operators have no need of.

    def start_over(  # noqa: B027
        self, concerns: Callable[[Key | None], bool], is_gone: Callable[[Entry], bool]
    ) -> None:
        """What it keeps of this kind in the groups concerned, by the key above, counts no more (Q4)."""

    def withdraw(self, child: int, entry: Entry) -> None:  # noqa: B027
        """Takes back a composite of operand ``child`` that another one now includes (M1)."""

    def create(  # noqa: B027
        self, key: Key, path: PathType, ids: tuple[int, ...], cause: Cause
    ) -> None:
        """M4: the node was created."""

    def outlasts(self, node: int) -> bool:
        """Whether a timer may raise something of it at a node, or below, that is gone."""
        return False

    def leave(self, node: int) -> None:  # noqa: B027
        """The node is gone, and something may come to its groups still."""

    def fire(self, due: Due, cause: Cause) -> None:  # noqa: B027
        """Something that the operator set a timer for is due (W5)."""

    def awaits(self, due: Due) -> bool:
        """Whether a timer that it has set still means something."""
        return False

    def expire(self, due: Due) -> None:  # noqa: B027
        """Something has become too old to matter (G4)."""

    def happened(self, place: int, ts: int) -> None:  # noqa: B027
        """An event, of whatever type, at the group's place or below it."""

    def due(self, at: int, key: Key) -> Due:
        """That something is due in a group of this operator."""
        return Due(at, self.tree_index, self.node.index, key)

    def consumed_by(self, child: int, entries: Iterable[Entry]) -> None:
        """Tells who raised operand ``child``'s events that they are consumed (H7)."""
        owner = None if self._owners is None else self._owners[child]
        if owner is not None:
            for entry in entries:
                owner.consumed(entry)

    # ---- arrivals that are alone ----------------------------------------------------------------------

    def acceptor(self, child: int) -> Acceptor:
        """What takes the events of a leaf, operand ``child``, as `take` does; they may be tuples of their layout.

        Only where nothing of the tree is released, and no other leaf takes the event.
        """
        return acceptor_of(self, self.clock, child)

    def record_acceptor(
        self,
        leaf: LeafState | None,
        operation: str,
        path: PathType,
        check_time: Callable[[Cause], None] | None,
    ) -> Acceptor | None:
        """What takes the events of a leaf of this type, of a tree whose entries have moments and variables, without
        an entry for each; None if it needs them. ``check_time`` is called where the time has to be known and is not."""
        return None

    def take_creation(self, key: Key, event: PrimitiveEvent) -> None:
        """`create` for an event, which may be a tuple of the layout of events, that creates the group's node.

        Only where nothing of the tree is released, and nothing else comes to the operators between here and the root.
        """
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        self.taker.create(key, event[2], event[3], event)
        if self.outbox:
            self.hand_up(event)

    # ---- handing on -----------------------------------------------------------------------------------

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        """`arrive` for the one arrival of a time point; what it raises goes on up the tree at once.

        Only where nothing of the tree is released, and no other leaf takes the event.
        """
        self.arrive(child, key, (entry,), cause)
        if self.outbox:
            self.hand_up(cause, key)

    def hand_up(self, cause: Cause, key: Key | None = None) -> None:
        """Gives what was raised, in the group ``key`` if that is known, to the parent, which hands up in turn."""
        entries, self.outbox = self.outbox, []
        parent = self.parent
        if parent is None:
            return
        if key is not None and self._same_keys:
            if len(entries) == 1:
                parent.taker.take(self.child_index, key, entries[0], cause)
                return
            parent.taker.arrive(self.child_index, key, entries, cause)
        else:
            key = None
            for child, above, arrivals in parent.grouped(self.child_index, entries):
                parent.taker.arrive(child, above, arrivals, cause)
        if parent.outbox:
            parent.hand_up(cause, key)

    def hand_over(self, entry: Entry, key: Key, cause: Cause) -> None:
        """Gives the one composite that was raised in the group ``key`` to the parent, which hands up what that makes
        it raise; where groups are places."""
        parent = self.parent
        if parent is not None:
            above = key if self.same_groups else parent.groupings[self.child_index].key_of(entry)
            if above is not None:
                parent.taker.take(self.child_index, above, entry, cause)

    def grouped(self, child: int, entries: list[Entry]) -> list[Input]:
        """What operand ``child`` raised at a time point, by group, in order of first arrival (P10)."""
        key_of = self.groupings[child].key_of
        if len(entries) == 1:
            key = key_of(entries[0])
            return [] if key is None else [(child, key, entries)]
        groups: dict[Key, list[Entry]] = {}
        for entry in entries:
            key = key_of(entry)
            if key is not None:
                groups.setdefault(key, []).append(entry)
        return [(child, key, arrivals) for key, arrivals in groups.items()]

    # ---- raising --------------------------------------------------------------------------------------

    def raise_combination(
        self, combination: Sequence[Entry], key: Key, cause: Cause, values: Mapping[str, object] | None = None
    ) -> None:
        """Raises the composite of these events of a group, with ``values`` of its operator's own, unless the guard
        forbids it (D4), and puts it into the outbox."""
        node = self.node_of(key)
        if self.values.is_silent:
            self.outbox.append(
                self.composer.report_and_store(self.composer.compose(combination, node, cause))
            )
            return
        self.raise_composite(
            self.composer.compose(combination, node, cause, self.values.of(combination, values))
        )

    def raise_composite(self, event: CompositeEvent) -> None:
        """Raises it, unless the guard forbids it (D4), and puts it into the outbox."""
        if self.values.guard is None or self.values.allows(event):
            self.outbox.append(self.composer.report_and_store(event))
        else:
            self.tell_of_guard(event)

    def tell_of_guard(self, event: CompositeEvent) -> None:
        """The guard forbade a composite: whoever asks questions wants to know (Y3)."""
        witness = self.setting.witnesses.get(self.tree_index)
        if witness is not None:
            witness.guarded(self.node.index, event)

    # ---- groups at a place ----------------------------------------------------------------------------

    def key_at(self, child: int, place: int, bindings: Mapping[str, object] | None) -> Key | None:
        """The key of the group in which operand ``child``'s event at this place belongs; None if in none (V2)."""
        if not self.by_value:
            return place
        return self.groupings[child].key(place, bindings)

    def values_of_groups(self, child: int) -> ByValue | None:
        """What says the keys of operand ``child``'s events, given places and variables; None: they are the places."""
        grouping = self.groupings[child]
        return grouping if isinstance(grouping, ByValue) else None

    def node_of(self, key: Key) -> int:
        """The node of a group, or what is in its place in flat context."""
        node: int = key[0] if self.by_value else key
        return node

    def keys_at(self, place: int) -> list[Key]:
        """The keys of its groups at a place."""
        return sorted(self._keys.get(place, ())) if self.by_value else [place]

    def rank(self, event: CompositeEvent) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """What orders the composites that it raises at one time point (V7): path ids, then the values of the group."""
        return event.ids, self.values.joined(event.bindings)

    def projected(self, operand: int, key: Key) -> Key:
        """From the key of a group to that of the events of an operand that may bind fewer variables (V4)."""
        if not self.by_value:
            return key
        bound = self.groupings[operand]
        if not isinstance(bound, ByValue):
            return key[0]
        assert isinstance(self.grouping, ByValue)
        names = self.grouping.names
        return (key[0], *(key[1 + names.index(name)] for name in bound.names))

    def matching(self, operand: int, key: Key) -> list[Key]:
        """The groups there are that an event of such an operand with this key concerns."""
        if not self.by_value:
            return [key]
        place = self.groupings[operand].place_of(key)
        return [group for group in self.keys_at(place) if self.projected(operand, group) == key]

    def note_key(self, key: Key) -> None:
        """There is a group with this key now."""
        if self.by_value:
            note_key(self._keys, key)

    def drop_key(self, key: Key) -> None:
        """There is none any more."""
        if self.by_value:
            drop_key(self._keys, key)

    def stores(self, child: int, key: Key, node: int) -> bool:
        """Whether the group has a composite of operand ``child`` that was raised for this node."""
        return False

    def have_seen(self, flushes: int) -> None:  # noqa: B027, most do not count them
        """It comes from a detector that has counted so many flushes more (G7)."""

    def _check(self) -> None:
        """Checks the invariants that hold between events; AssertionError shows what breaks one."""
        assert not self.outbox, (self.node.label, self.outbox)


def end_of(entry: Entry) -> float:
    """When an event ends; one that is empty when it is raised."""
    end: float = entry[END]
    return float(entry[EVENT].ts) if end == EMPTY_END else end


def by_group(inputs: Iterable[Input]) -> Iterator[tuple[Key, list[Arrivals]]]:
    """What arrives, group by group in the order of their first arrivals."""
    groups: dict[Key, list[Arrivals]] = {}
    for child, key, arrivals in inputs:
        groups.setdefault(key, []).append((child, arrivals))
    return iter(groups.items())


def acceptor_of(taker: Taker, clock: Clock, child: int) -> Acceptor:
    """Lets an operator, or what makes it wait, take the events of a leaf as entries."""
    take = taker.take

    def accept(key: Key, event: PrimitiveEvent) -> None:
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        ts = event[0]
        take(child, key, (ts, ts, clock.point, event), event)

    return accept
