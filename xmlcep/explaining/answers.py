"""Why operands have nothing and what became of events: the reasons that evidence gives (rule Y3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contexts import CONTEXTS, Entry
from contexts.constraints import Objection
from contexts.entry import EVENT
from contexts.grouping import Key

from ..algebra import Multiplicity
from ..engine.operators import OperatorState
from ..events import IDS, PATH, CompositeEvent, CompositeType, Event, PrimitiveEvent, PrimitiveType
from ..rules.trees import LeafNode
from .causes import cause_of
from .evidence import Evidence, LeafPlace
from .groups import TreeGroups
from .nearest import nearest
from .nodes import written
from .reasons import Reason
from .values import Cause

_OF_WHAT_IS_STORED = ("consumed", "replaced", "withdrawn")
"""Objections that are concluded from what a group still has, where one whose node is gone has nothing."""


class Answers:
    """What evidence says to a tree's groups (`Reasons`): the first reason for each leaf that is missing.

    ``ask`` says why an event of another rule, of which there is evidence, has not been raised.
    """

    def __init__(self, evidence: Evidence, ask: Callable[[Evidence], Cause | None]) -> None:
        self.evidence = evidence
        self.tree = evidence.tree
        self.nodes = evidence.nodes
        self._ask = ask
        root = self.tree.root
        self._operators = {None if state is root else state.node.label: state for state in self.tree.states}

    def groups(self) -> TreeGroups:
        """The groups of the tree as they are now, with what this evidence says of them."""
        return TreeGroups(self.tree, self.nodes, self)

    # ---- asked by `TreeGroups` (`Reasons`) -----------------------------------------------------------

    def of_leaf(
        self, state: OperatorState, operand: int, key: Key | None, root: Key | None
    ) -> tuple[Cause, ...]:
        leaf = state.node.index, operand
        node = state.node.children[operand]
        assert isinstance(node, LeafNode)
        place = self.evidence.place_of_root(state, key)
        here = self.evidence.arrived.get(place, {}).get(leaf, []) if place is not None else []
        if key is not None:
            own = [entry for entry in here if self.evidence.belongs(state, operand, entry, key)]
            taken = [entry for entry in own if not self.evidence.is_refused(leaf, entry[EVENT])]
            stored = {id(e[EVENT]) for entries in self.tree.account(state, key).stored for e in entries}
            free = [entry for entry in taken if id(entry[EVENT]) not in stored]
            if taken and not free:
                return (self._no_other(state, operand, key, node, taken, here),)
            if free:
                return (self.fate(state, operand, key, free[-1], place),)
            if own:
                return (self.refused(leaf, own[-1]),)
        elif root is not None:
            fate = self._of_no_group(state, operand, self.tree.root.grouping.place_of(root))
            if fate is not None:
                return (fate,)
        return (self._not_here(state, operand, key, root, node, here),)

    def of_operator(self, state: OperatorState, operand: int, key: Key | None) -> tuple[Cause, ...]:
        """What became of the composites that the operand did raise, and of those its guard forbade."""
        child = state.children[operand]
        place = self.evidence.place_of_root(state, key)
        if child is None or place is None or key is None:
            return ()
        guarded = [
            seen
            for operator, event, seen in self.evidence.forbidden.get(place, ())
            if operator == child.node.index
            if self.evidence.belongs(state, operand, child.composer.entry(event), key)
        ]
        if guarded:
            return (Cause(Reason.GUARD_FALSE, f"if {guarded[-1]}"),)
        for event in reversed(self.evidence.raised.get(place, ())):
            if event.operator == child.node.label and self.evidence.belongs(
                state, operand, child.composer.entry(event), key
            ):
                cause = self._consumed(event, place)
                return (cause,) if cause is not None else ()
        return ()

    def emptied(self, state: OperatorState, operand: int, key: Key) -> Key | None:
        return self.evidence.emptied(state, operand, key)

    def sharper(self, state: OperatorState, key: Key, objection: Objection) -> Objection:
        """Something newer may have taken the place of what would have done."""
        if objection.reason in ("not-released", "condition-false"):
            return objection
        place = self.evidence.place_of_root(state, key)
        if place is None:
            return objection
        others = self.evidence.unused(state, key, place)
        return state.superseded(key, others) or objection

    def gone(self, state: OperatorState, key: Key) -> Cause | None:
        gone = None if state.flat else self.evidence.deleted.get(state.grouping.place_of(key))
        return None if gone is None else self.of_deleted(gone)

    def guarded(self, state: OperatorState, key: Key) -> Cause | None:
        """The last composite that the guard of an operator forbade in one of its groups."""
        forbidden = self.evidence.forbidden_in(state, key)
        if not forbidden:
            return None
        event, seen = forbidden[-1]
        return Cause(
            Reason.GUARD_FALSE,
            f"at {event.ts} everything was there, but if {seen}",
            "",
            tuple(event.constituents),
        )

    def short(self, state: OperatorState, key: Key) -> Cause | None:
        place = self.evidence.place_of_root(state, key)
        if place is None:
            return None
        account = self.tree.account(state, key)
        used: Cause | None = None
        for operand, child in enumerate(state.node.children):
            if not account.stored[operand] or not isinstance(child, LeafNode):
                continue
            stored = {id(entry[EVENT]) for entry in account.stored[operand]}
            for entry in reversed(self.evidence.taken(state, operand, key, place)):
                if id(entry[EVENT]) in stored:
                    continue
                cause = self.fate(state, operand, key, entry, place)
                if cause.reason is not Reason.CONSUMED:
                    return cause
                used = used or cause
        return used

    # ---- what became of an event ----------------------------------------------------------------------

    def fate(self, state: OperatorState, operand: int, key: Key, entry: Entry, place: int | None) -> Cause:
        """What became of an event that arrived in a group and is not stored there."""
        event, cause = entry[EVENT], None
        if place is not None:
            cause = self._consumed(event, place) or self._in_inner(event, place)
            if cause is not None and not self._is_kept(state):
                return cause
            for _, forbidden, seen in reversed(self.evidence.forbidden.get(place, ())):
                if any(one is event for one in forbidden.flattened()):
                    return Cause(Reason.GUARD_FALSE, f"at {forbidden.ts} everything was there, but if {seen}")
        gone = self.gone(state, key)
        if gone is not None:
            return gone
        lost = state.lost(operand, key, entry, self.evidence.unused(state, key, place))
        if lost.reason == "wrong-order" and self._is_kept(state):
            # What has been raised is before others still.
            lost = state.lost(operand, key, entry, self.evidence.all_taken(state, key, place))
        if lost.reason == "consumed":
            return cause or Cause(
                Reason.CONSUMED, f"{self.nodes.event(event)} is no longer kept", "", (event,)
            )
        return cause_of(lost, self.tree, state, key, self.nodes)

    def _is_kept(self, state: OperatorState) -> bool:
        """Whether what an operator raises takes nothing from what it has stored."""
        context = CONTEXTS.get(state.node.context.value)
        return context is not None and context.keeps

    def of_deleted(self, gone: PrimitiveEvent) -> Cause:
        """The node of its group is gone."""
        return Cause(
            Reason.NODE_DELETED, f"its node was deleted: {self.nodes.event_in_full(gone)}", "", (gone,)
        )

    def of_gone(self, key: Key, place: int, gone: PrimitiveEvent, missing: Sequence[str]) -> Cause:
        """Why a group whose node is gone has not raised what it had: what had not come by then, what had become of the
        rest, else the deletion. ``missing`` are the leaves of which it has nothing now, as they are written."""
        arrived = {
            self._written(child)
            for state in self.tree.states
            for operand, child in enumerate(state.node.children)
            if isinstance(child, LeafNode) and self.evidence.taken_at(place, state, operand)
        }
        cause = self.of_deleted(gone)
        lacks = [text for text in missing if text not in arrived]
        if lacks:
            refused = self._last_refused(place, lacks)
            if refused is not None:
                return refused
            text = f"{cause.text}; it had no {', '.join(lacks)} by then"
            return Cause(cause.reason, text, "", cause.events)
        root = self.tree.root
        others = self.evidence.unused(root, key, place)
        for operand, entries in enumerate(others):
            if entries and isinstance(root.node.children[operand], LeafNode):
                lost = root.lost(operand, key, entries[-1], others)
                if lost.reason not in _OF_WHAT_IS_STORED:
                    return cause_of(lost, self.tree, root, key, self.nodes)
        definition, behind = root.node.definition, ""
        if isinstance(definition, Multiplicity) and len(others[0]) < definition.lower:
            behind = f"; it had {len(others[0])} of the {definition.lower} events that are needed by then"
        elif definition.options.when is not None:
            behind = f"; so when {definition.options.when} cannot become true there any more (U6)"
        return Cause(cause.reason, f"{cause.text}{behind}", "", cause.events)

    def _last_refused(self, place: int, lacks: Sequence[str]) -> Cause | None:
        """What was refused last of these leaves at a place of the root's group."""
        found = [
            (entries[-1][EVENT].ts, (operator, operand), entries[-1])
            for (operator, operand), entries in self.evidence.arrived.get(place, {}).items()
            if isinstance(leaf := self.tree.states[operator].node.children[operand], LeafNode)
            if entries and self._written(leaf) in lacks
        ]
        if not found:
            return None
        _, at, entry = max(found, key=lambda one: one[:2])
        return self.refused(at, entry)

    def _consumed(self, event: Event, place: int) -> Cause | None:
        """By which finding an event was used up, if it was."""
        raised = self.evidence.taker(event, place)
        if raised is None:
            return None
        return self._part_of(event, raised) if raised.operator is None else self._consumed(raised, place)

    def _in_inner(self, event: Event, place: int) -> Cause | None:
        """What an inner operator raised with an event, of which nothing more has become."""
        return self._part_of(event, raised) if (raised := self.evidence.taker(event, place)) else None

    def _part_of(self, event: Event, raised: CompositeEvent) -> Cause:
        text = f"{self.nodes.event(event)} is part of {self.nodes.event_in_full(raised)}"
        by = self._operators[raised.operator]
        kept = isinstance(by.node.definition, Multiplicity) or self._is_kept(by)
        return Cause(Reason.CONSUMED, text, "" if kept else Reason.CONSUMED.fix, (event, raised))

    # ---- what is not here -----------------------------------------------------------------------------

    def _no_other(
        self,
        state: OperatorState,
        operand: int,
        key: Key,
        node: LeafNode,
        own: Sequence[Entry],
        here: Sequence[Entry],
    ) -> Cause:
        """One more is needed than those that the group has (``own``), in another operand."""
        leaf = state.node.index, operand
        anywhere = [entry for at in self.evidence.arrived.values() for entry in at.get(leaf, ())]
        others = [
            entry
            for entry in anywhere
            if not self.evidence.belongs(state, operand, entry, key)
            if not self.evidence.is_refused(leaf, entry[EVENT])
        ]
        if others and state.by_value:
            foreign = set(map(id, others))
            joined = self.of_other_values(state, operand, key, [e for e in here if id(e) in foreign])
            if joined is not None:
                return joined
        if others:
            return self._of_other_group(others)
        if leaf in self.evidence.strangers:
            return self._of_stranger(state, operand, self.evidence.strangers[leaf][-1])
        before = "" if len(own) == 1 else f", and {len(own) - 1:,} before"
        last = self.nodes.event(own[-1][EVENT])
        text = f"no other {self._written(node)} has occurred than {last}{before}"
        return Cause(Reason.NEVER_OCCURRED, text)

    def _of_no_group(self, state: OperatorState, operand: int, place: int) -> Cause | None:
        """What became of an event in a group of the root, where its operator has none: what closes windows of whatever
        values came when there was none (V4)."""
        let_in = self.evidence.taken_at(place, state, operand)
        if not let_in:
            return None
        event = let_in[-1][EVENT]
        cause = self._consumed(event, place) or self._in_inner(event, place)
        if cause is None and operand in state.node.definition.optional_binders:
            text = f"{self.nodes.event(event)}: no window was open"
            cause = Cause(Reason.WINDOW_CLOSED, text, "", (event,))
        return cause

    def _not_here(
        self, state: OperatorState, operand: int, key: Key | None, root: Key | None, node: LeafNode,
        here: Sequence[Entry],
    ) -> Cause:  # fmt: skip
        leaf = state.node.index, operand
        if key is not None and state.by_value and here:
            joined = self.of_other_values(state, operand, key, here)
            if joined is not None:
                return joined
        if isinstance(node.type, PrimitiveType) and self.evidence.was_there(state, key, node.type):
            return self._before_all(node)
        inside = self.evidence.stranger_at(leaf, state, key, root)
        if inside is not None:
            return self._of_stranger(state, operand, inside)
        elsewhere = list(here) or [
            entry for at in self.evidence.arrived.values() for entry in at.get(leaf, ())[-1:]
        ]
        taken = [entry for entry in elsewhere if not self.evidence.is_refused(leaf, entry[EVENT])]
        if elsewhere and not taken:
            return self.refused(leaf, elsewhere[-1])
        if taken and state.by_value:  # what has no value is in no group at all
            in_group = [e for e in taken if self.evidence.key_of(state, operand, e) is not None]
            if not in_group:
                return self._without_value(state, taken[-1])
            taken = in_group
        if taken and key is not None:
            return self._of_other_group(taken)
        if leaf in self.evidence.strangers:
            return self._of_stranger(state, operand, self.evidence.strangers[leaf][-1])
        if taken:  # in some group
            return self._of_other_group(taken)
        if isinstance(node.type, CompositeType):
            return self._of_used(node.type)
        if self.evidence.is_partial:
            text = (
                f"no {self._written(node)} is stored: none has come since the watch began, or it was consumed"
            )
            return Cause(Reason.NEVER_OCCURRED, text, "a log knows all that has come: xmlcep why-not")
        near = nearest(node.type, self.evidence.types, self.nodes)
        return Cause(Reason.NEVER_OCCURRED, f"no {self._written(node)} has occurred; {near.text}", near.fix)

    def _of_stranger(self, state: OperatorState, operand: int, event: Event) -> Cause:
        """A leaf takes an event, but into no group, of its operator or of the whole (H1)."""
        taken = state.groupings[operand].place(event[PATH], event[IDS]) is not None
        own = self.nodes.path((self.tree.root if taken else state).node.path)
        text = (
            f"{self.nodes.event(event)}: it is not at or below any {own}, and the groups are those of {own}"
        )
        return Cause(Reason.NULL_PROJECTION, text, Reason.NULL_PROJECTION.fix, (event,))

    def _before_all(self, node: LeafNode) -> Cause:
        path = self.nodes.path(node.path)
        text = f"{path} was there before the first event, so there is no event of it"
        if self.evidence.is_partial:
            text = f"{path} has been there since before the trees were opened, or its event was consumed and forgotten"
        return Cause(Reason.NOT_OPEN, text, Reason.NOT_OPEN.fix)

    def _of_other_group(self, taken: Sequence[Entry]) -> Cause:
        event = max((entry[EVENT] for entry in taken), key=lambda one: int(one.ts))
        times = "" if len(taken) == 1 else f", and {len(taken) - 1:,} more"
        text = f"{self.nodes.event(event)}{times}: in another group"
        return Cause(Reason.ELSEWHERE, text, Reason.ELSEWHERE.fix, (event,))

    def of_other_values(
        self, state: OperatorState, operand: int, key: Key, here: Sequence[Entry]
    ) -> Cause | None:
        """What has arrived at the place of a group and has other values."""
        names = state.values.program.grouping.names
        place, place_of = state.node_of(key), state.groupings[operand].place
        at_place = [e for e in here if place_of(e[EVENT][PATH], e[EVENT][IDS]) == place]
        if not at_place:
            return None
        entry = at_place[-1]
        found = self.evidence.key_of(state, operand, entry)
        wanted = ", ".join(f"${name} = {value!r}" for name, value in zip(names, key[1:], strict=True))
        if found is None:
            return self._without_value(state, entry)
        values = ", ".join(f"${name} = {value!r}" for name, value in zip(names, found[1:], strict=True))
        text = f"{self.nodes.event(entry[EVENT])} has {values}, and the others have {wanted}"
        return Cause(Reason.JOIN_MISMATCH, text, "", (entry[EVENT],))

    def _without_value(self, state: OperatorState, entry: Entry) -> Cause:
        variables = ", ".join(f"${name}" for name in state.values.program.grouping.names)
        text = f"{self.nodes.event(entry[EVENT])} has no value for {variables}"
        return Cause(Reason.NO_VALUE, text, "", (entry[EVENT],))

    def refused(self, leaf: LeafPlace, entry: Entry) -> Cause:
        """Its filter, or its language, did not let an event in."""
        event = entry[EVENT]
        refusal = self.evidence.refusal(leaf, event)
        return Cause(Reason.FILTERED, f"{self.nodes.event(event)}, but {refusal}", "", (event,))

    def _of_used(self, type_: CompositeType) -> Cause:
        """An event of another rule: what keeps that from being raised."""
        used = None if type_.name is None else self.evidence.used.get(type_.name)
        if used is None:
            return Cause(Reason.NEVER_OCCURRED, f"no {type_} has been raised")
        whole = [one for raised in used.raised.values() for one in raised if one.operator is None]
        if whole:
            last = max(whole, key=lambda one: one.ts)
            where = "other places" if last.path is None else self.nodes.path(last.path)
            text = f"{type_.name} has been raised, but at {where}, not at {self.nodes.path(type_.path)}"
            return Cause(Reason.NEVER_OCCURRED, text, "", (last,))
        cause = self._ask(used)
        behind = "" if cause is None else f": {cause}"
        fix = "" if cause is None else cause.fix
        return Cause(Reason.NEVER_OCCURRED, f"{type_.name} has not been raised{behind}", fix)

    def _written(self, node: LeafNode) -> str:
        return written(node.leaf, self.nodes.namespaces)
