"""What a history has shown of one event: which events arrived where, what became of them (rule Y3).

What is stored says what a group has; why it has not more lies in the past. So a history that is asked about is
replayed by a detector as any other, and beside it is noted what arrived at the leaves of a tree, what was raised, what
filters and guards refused. These are facts; `answers` makes reasons of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from contexts import FLAT_KEY, Entry
from contexts.entry import AT, BINDINGS, EVENT
from contexts.grouping import Key
from path_types import PathType, equals_or_ends
from path_types.relations import leading, offsets

from ..algebra import Order
from ..documents import Replica
from ..engine.composer import instance_at
from ..engine.operators import OperatorState
from ..engine.setting import Setting
from ..engine.tree import TreeState
from ..engine.tree_dispatch import Delivery, primitive_dispatch
from ..events import IDS, OP, PATH, CompositeEvent, Event, PrimitiveEvent, PrimitiveType
from ..rules.alignment import length_to_group
from ..rules.programs import LeafProgram
from ..rules.trees import LeafNode, OperatorNode
from .causes import shown
from .groups import bindings_of
from .nearest import Types
from .nodes import Nodes, has_steps

LeafPlace = tuple[int, int]
"""An operator by its index, and which of its operands."""


class _Meaning(NamedTuple):
    """What events of a type mean to a tree: where they arrive, which leaves take them into no group (P10), whether
    they delete nodes of groups."""

    deliveries: tuple[Delivery, ...]
    strangers: tuple[LeafPlace, ...]
    deletes: bool


class Evidence:
    """What has been seen of one tree. ``initial`` is the document before the history, as far as it is known.
    ``is_partial`` says that not all of the history is known, only what is still stored or in findings at hand."""

    def __init__(
        self, tree: TreeState, setting: Setting, types: Types, nodes: Nodes,
        initial: Replica | None = None, *, is_partial: bool = False,
    ) -> None:  # fmt: skip
        self.tree = tree
        self.name = tree.tree.name
        self.nodes = nodes
        self.types = types
        self.initial = initial
        self.is_partial = is_partial
        self.used: dict[str, Evidence] = {}
        """Of the events that its leaves take, by name."""
        self._setting = setting
        self._extended, self._by_detection = tree.tree.extended, tree.tree.order is Order.DETECTION
        self._meanings: dict[tuple[str, PathType], _Meaning | None] = {}
        self.arrived: dict[int, dict[LeafPlace, list[Entry]]] = {}
        """Events by place of the root's group, then by leaf, in the order in which they came."""
        self.strangers: dict[LeafPlace, list[Event]] = defaultdict(list)
        self.raised: dict[int, list[CompositeEvent]] = defaultdict(list)
        """Composites of the tree and its inner operators, by place of the root's group."""
        self.deleted: dict[int, PrimitiveEvent] = {}
        self._filtered: dict[tuple[LeafPlace, int], str | None] = {}
        self.forbidden: dict[int, list[tuple[int, CompositeEvent, str]]] = defaultdict(list)
        """What guards forbade, by place of the root's group: the operator, the composite, what was seen."""
        self._answered: dict[tuple[LeafPlace, int], Mapping[str, object]] = {}  # what languages have bound
        self._binders = {place for place, leaf in tree.leaves.items() if leaf.program.binds}
        self._unread: list[tuple[int, int, list[Entry], int]] = []
        self._leaf_of = {id(leaf.program): place for place, leaf in tree.leaves.items()}

    def place(self, event: CompositeEvent) -> int | None:
        """The place of the root's group to which a composite of the tree, or of an inner operator, belongs."""
        nodes = (each for each in self.tree.tree.operators if each.parent is not None)
        labelled = next((node for node in nodes if node.label == event.operator), self.tree.tree.root)
        return self.tree.place_above(labelled, event.path, event.ids)

    def place_at(self, leaf: LeafPlace, event: Event, above: OperatorNode | None = None) -> int | None:
        """The place of the group of an operator above a leaf, by default of the root's, to which an event belongs that
        the leaf takes."""
        if self.tree.flat:
            return FLAT_KEY
        operator, operand = leaf
        node, path = self.tree.tree.operators[operator], event[PATH]
        length = None if path is None else length_to_group(node, operand, path)
        group = None if path is None or length is None else leading(path, length)
        return self.tree.place_above(node, group, event[IDS], above)

    # ---- noting ---------------------------------------------------------------------------------------

    def note(self, event: PrimitiveEvent) -> None:
        """A primitive event, after the detector was fed it."""
        type_ = event[OP], event[PATH]
        try:
            meaning = self._meanings[type_]
        except KeyError:
            meaning = self._meanings[type_] = self._meaning(*type_)
        if meaning is None:
            return
        if meaning.deletes:
            self.deleted[event[IDS][-1]] = event
        for leaf in meaning.strangers:
            self.strangers[leaf].append(event)
        if meaning.deliveries:
            clock = self._setting.clock
            # Which are not the same once a timer has fired (W5).
            ts = clock.point if self._by_detection else event.ts
            entry: Entry = (ts, ts, clock.point, event)
            if self._extended:
                moment = clock.moment()
                entry = (*entry, moment, moment, None)
            self._arrive(entry, meaning.deliveries)
        if not event.more:
            self.end_edit()

    def note_composite(self, event: CompositeEvent) -> None:
        """A composite that was raised, of this tree or of another."""
        if event.name == self.name:
            place = self.place(event)
            if place is not None:
                self.raised[place].append(event)
        if event.operator is None:
            deliveries = self.tree.composite_deliveries(event)
            if deliveries:
                self._arrive(self.tree._entry(event, event.cause), deliveries)
                self.end_edit()

    def filtered(self, program: LeafProgram, event: Event) -> None:
        """See `Witness`. What the filter saw is read now if it asks the document, which changes."""
        leaf = self._leaf_of[id(program)]
        self._filtered[leaf, id(event)] = self._seen(leaf, event) if program.needs_document else None

    def refused(self, program: LeafProgram, event: PrimitiveEvent, said: Mapping[str, Any] | None) -> None:
        """See `Witness`."""
        leaf = self._leaf_of[id(program)]
        assert program.opaque is not None
        self._filtered[leaf, id(event)] = (
            f"{program.opaque.language} says no" if said is None else self._seen(leaf, (event, said))
        )

    def answered(self, program: LeafProgram, event: PrimitiveEvent, bound: Mapping[str, object]) -> None:
        """See `Witness`."""
        if bound:
            self._answered[self._leaf_of[id(program)], id(event)] = bound

    def _seen(self, leaf: LeafPlace, subject: Any) -> str:
        return f"its filter {shown(self.tree.leaves[leaf].seen(subject))}"

    def guarded(self, operator: int, event: CompositeEvent) -> None:
        """See `Witness`."""
        place = self.place(event)
        if place is not None:
            seen = shown(self.tree.states[operator].values.seen_by_guard(event))
            self.forbidden[place].append((operator, event, seen))

    def _arrive(self, entry: Entry, deliveries: Iterable[Delivery]) -> None:
        event = entry[EVENT]
        for operator, child, _ in deliveries:
            leaf = operator, child
            place = self.place_at(leaf, event)
            if place is None:
                self.strangers[leaf].append(event)
                continue
            entries = self.arrived.setdefault(place, {}).setdefault(leaf, [])
            if leaf in self._binders:
                self._unread.append((operator, child, entries, len(entries)))
            entries.append(entry)

    def end_edit(self) -> None:
        """Reads the variables of what has arrived in the edit that ends, as the engine does (U1, V1)."""
        for operator, child, entries, index in self._unread:
            entry = entries[index]
            entries[index] = (*entry[:BINDINGS], self._bindings((operator, child), entry[EVENT]))
        self._unread.clear()

    def _bindings(self, place: LeafPlace, event: Event) -> Mapping[str, object] | None:
        leaf = self.tree.leaves[place]
        if leaf.program.opaque is not None:
            known = self._answered.get((place, id(event)))
            if known is not None or not self.is_partial:
                return known
        witness, leaf.witness = leaf.witness, None
        try:
            return leaf.read(event)
        finally:
            leaf.witness = witness

    def _meaning(self, operation: str, path: PathType) -> _Meaning | None:
        tree = self.tree.tree
        plan = primitive_dispatch(tree, operation, path)
        deliveries = () if plan is None else plan.deliveries
        known = {(operator, child) for operator, child, _ in deliveries}
        strangers = tuple(
            (node.index, leaf.child_index)
            for node in tree.operators
            for leaf in node.leaves()
            if isinstance(leaf.type, PrimitiveType) and leaf.type.accepts(operation, path)
            if (node.index, leaf.child_index) not in known
        )
        deletes = operation == "del" and any(equals_or_ends(node.path, path) for node in tree.operators)
        return _Meaning(deliveries, strangers, deletes) if deliveries or strangers or deletes else None

    # ---- asked -----------------------------------------------------------------------------------------

    def raised_in(self, state: OperatorState, key: Key) -> list[CompositeEvent]:
        """The composites that an operator has raised in one of its groups."""
        label = None if state is self.tree.root else state.node.label
        place = self.place_of_root(state, key)
        raised = [] if place is None else self.raised.get(place, [])
        return [event for event in raised if event.operator == label and self._is_of(state, key, event)]

    def forbidden_in(self, state: OperatorState, key: Key) -> list[tuple[CompositeEvent, str]]:
        """What the guard of an operator forbade in one of its groups, each with what it saw."""
        place = self.place_of_root(state, key)
        return [
            (event, seen)
            for operator, event, seen in (() if place is None else self.forbidden.get(place, ()))
            if operator == state.node.index and self._is_of(state, key, event)
        ]

    @staticmethod
    def _is_of(state: OperatorState, key: Key, event: CompositeEvent) -> bool:
        """Whether it is the group that a composite of the operator is of."""
        place = FLAT_KEY if state.flat else state.grouping.place(event.path, event.ids)
        return place is not None and state.grouping.key(place, event.bindings) == key

    def taker(self, event: Event, place: int) -> CompositeEvent | None:
        """The last composite that was raised with an event, of whatever operator."""
        raised = reversed(self.raised.get(place, ()))
        return next((one for one in raised if any(each is event for each in one.constituents)), None)

    def is_used(self, event: Event, place: int) -> bool:
        """Whether an event is part of a finding."""
        taker = self.taker(event, place)
        return taker is not None and (taker.operator is None or self.is_used(taker, place))

    def is_refused(self, leaf: LeafPlace, event: Event) -> bool:
        """Whether the leaf did not let an event in."""
        return (leaf, id(event)) in self._filtered

    def refusal(self, leaf: LeafPlace, event: Event) -> str:
        """What said so, and what it saw."""
        return self._filtered[leaf, id(event)] or self._seen(leaf, event)

    def unused(self, state: OperatorState, key: Key, place: int | None) -> list[list[Entry]]:
        """What has arrived in a group and is in nothing that was raised, by operand."""
        return [
            [entry for entry in entries if place is None or not self.is_used(entry[EVENT], place)]
            for entries in self.all_taken(state, key, place)
        ]

    def all_taken(self, state: OperatorState, key: Key, place: int | None) -> list[list[Entry]]:
        """What has arrived in a group, by operand."""
        return [self.taken(state, k, key, place) for k in range(len(state.node.children))]

    def taken(self, state: OperatorState, operand: int, key: Key, place: int | None) -> list[Entry]:
        """What an operand has let into a group, in the order in which it came."""
        return [
            entry
            for entry in self._arrivals(place, state, operand)
            if self.belongs(state, operand, entry, key)
        ]

    def taken_at(self, place: int, state: OperatorState, operand: int) -> list[Entry]:
        """What a leaf has let in at a place of the root's group."""
        leaf = state.node.index, operand
        return [
            entry
            for entry in self.arrived.get(place, {}).get(leaf, ())
            if not self.is_refused(leaf, entry[EVENT])
        ]

    def _arrivals(self, place: int | None, state: OperatorState, operand: int) -> Sequence[Entry]:
        if place is None:
            return ()
        if isinstance(state.node.children[operand], LeafNode):
            return self.taken_at(place, state, operand)
        child = state.children[operand]
        assert child is not None
        raised = [event for event in self.raised.get(place, ()) if event.operator == child.node.label]
        stored = ((child.composer.entry(event), event.ts) for event in raised)
        return [(*entry[:2], ts, *entry[3:]) for entry, ts in stored]  # when it was raised

    def emptied(self, state: OperatorState, operand: int, key: Key) -> Key | None:
        """Which of its groups the last event belongs to that has arrived at the inner operator in this group."""
        inner = state.children[operand]
        place = self.place_of_root(state, key)
        if inner is None or place is None:
            return None
        last: Entry | None = None
        found: Key | None = None
        for (operator, leaf), entries in self.arrived.get(place, {}).items():
            if not _is_below(self.tree.states[operator], inner):
                continue
            for entry in entries:
                own = self._key_in(inner, operator, leaf, entry)
                is_last = own is not None and (last is None or entry[AT] > last[AT])
                at = self.place_at((operator, leaf), entry[EVENT], state.node)
                if is_last and at == state.node_of(key):
                    last, found = entry, own
        return found

    def _key_in(self, state: OperatorState, operator: int, leaf: int, entry: Entry) -> Key | None:
        """The key of the group of an operator to which an arrival at it or below it belongs, if that is known."""
        if operator == state.node.index and leaf not in state.node.definition.optional_binders:
            return self.key_of(state, leaf, entry)
        return None if state.by_value else self.place_at((operator, leaf), entry[EVENT], state.node)

    def was_there(self, state: OperatorState, key: Key | None, type_: PrimitiveType) -> bool:
        """Whether the document had such a node before the history began, so that it was never inserted."""
        if type_.operation not in ("ins", "*"):
            return False
        steps = type_.path.steps
        if key is None or state.flat:
            root = None if self.initial is None else self.initial.tree()
            return root is not None and has_steps(root, steps, ".//")
        known = self.nodes.document if self.is_partial else self.initial
        element = None if known is None else known.element(state.grouping.place_of(key))
        found = offsets(state.node.path, type_.path)
        if element is None or not found:
            return False
        return has_steps(element, steps[found[0] + len(state.node.path) :], "")

    def stranger_at(
        self, leaf: LeafPlace, state: OperatorState, key: Key | None, root: Key | None
    ) -> Event | None:
        """The last event at or below the node of a group that the leaf takes into no group (P10)."""
        if state.flat or (key is None and root is None):
            return None
        node = self.tree.root.node_of(root) if key is None else state.node_of(key)
        return next((event for event in reversed(self.strangers.get(leaf, ())) if node in event[IDS]), None)

    # ---- places ---------------------------------------------------------------------------------------

    def place_of_root(self, state: OperatorState, key: Key | None) -> int | None:
        """The place of the root's group in which a group lies."""
        if key is None:
            return None
        if self.tree.flat:
            return FLAT_KEY
        own = state.node_of(key)
        if state is self.tree.root:
            return own
        for leaves in self.arrived.values():  # an inner group: by anything that arrived at or below its node
            for entries in leaves.values():
                event = entries[0][EVENT]
                if own in event[IDS]:
                    return self.tree.place_above(state.node, *instance_at(event, own))
        return None

    def belongs(self, state: OperatorState, operand: int, entry: Entry, key: Key) -> bool:
        """Whether an arrival concerns a group, although its operand may bind fewer variables (V4)."""
        if state.by_value and operand in state.node.definition.optional_binders:
            key = state.projected(operand, key)
        return bool(self.key_of(state, operand, entry) == key)

    def key_of(self, state: OperatorState, operand: int, entry: Entry) -> Key | None:
        """The key of the group in which an arrival belongs."""
        event = entry[EVENT]
        place = state.groupings[operand].place(event[PATH], event[IDS])
        if place is None or not state.by_value:
            return place
        leaf = self.tree.leaves.get((state.node.index, operand))
        bindings: Mapping[str, object] | None = None
        if leaf is not None:
            known = bindings_of(entry)
            bindings = self._bindings((state.node.index, operand), event) if known is None else known
        elif type(event) is CompositeEvent:
            bindings = event.bindings
        return state.key_at(operand, place, bindings)


def _is_below(state: OperatorState, above: OperatorState) -> bool:
    at: OperatorState | None = state
    while at is not None and at is not above:
        at = at.parent
    return at is not None
