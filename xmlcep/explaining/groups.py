"""What an event tree has, group by group, read from its running state (rule Y1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from contexts import FLAT_KEY, Entry
from contexts.constraints import Objection
from contexts.entry import BINDINGS, EVENT, SILENT
from contexts.grouping import Key
from path_types import PathType

from ..algebra import Expression, Operator, Share, Unit
from ..engine.operators import Account, OperatorState
from ..engine.timers import MEASURE
from ..engine.tree import TreeState
from ..events import Event
from ..rules.trees import LeafNode
from ..timestamps import timestamp
from .causes import cause_of
from .nodes import Nodes, short, span, written
from .reasons import Reason
from .values import Cause, Part, PendingGroup

KEPT = 50
"""Of how many events of an operand a part tells, the newest."""
_ONE, _NONE = Share(1, 1), Share(0, 1)


class Reasons(Protocol):
    """Whoever knows why an operand has nothing."""

    def of_leaf(self, state: OperatorState, operand: int, key: Key | None) -> tuple[Cause, ...]:
        """Why there is no event of a leaf in a group; key None: in any group."""

    def sharper(self, state: OperatorState, key: Key, objection: Objection) -> Objection:
        """What is behind an objection, where the past knows more."""

    def guarded(self, state: OperatorState, key: Key) -> Cause | None:
        """What the guard of an operator saw in a group where it has forbidden something."""

    def short(self, state: OperatorState, key: Key) -> Cause | None:
        """What became of events of an operator's leaves that are not left in a group where too few are; None if no
        others have come."""

    def of_operator(self, state: OperatorState, operand: int, key: Key | None) -> tuple[Cause, ...]:
        """Why there is no composite of an inner operator in a group, apart from what its operands say."""

    def emptied(self, state: OperatorState, operand: int, key: Key) -> Key | None:
        """The group of an inner operator in this one that stores nothing any more."""


class TreeGroups:
    """The groups of a tree as they are now, each with those of inner operators that lie in it.

    ``reasons`` knows why operands have nothing; without it they are said to be missing.
    """

    def __init__(self, tree: TreeState, nodes: Nodes, reasons: Reasons | None = None) -> None:
        self.tree = tree
        self.nodes = nodes
        self._namespaces = nodes.namespaces
        self._reasons = reasons
        self._shares: list[dict[tuple[int, ...], Share]] = [{} for _ in tree.states]
        self._empty: dict[int, Share] = {}
        # By operator and group, the groups of inner operators that would raise into it.
        self._inner: list[dict[Key, list[tuple[int, Key]]]] = [{} for _ in tree.states]
        for state in tree.states[:-1]:
            if not state.node.is_negated:
                self._place_inner(state)

    # ---- groups ---------------------------------------------------------------------------------------

    def root_keys(self) -> list[Key]:
        """The groups of the root that have something, in it or in inner operators."""
        root = self.tree.root
        inner = self._inner[root.node.index]
        return list(dict.fromkeys([*root.group_keys(), *inner]))

    def _place_inner(self, state: OperatorState) -> None:
        """Where the groups of an inner operator would raise."""
        assert state.parent is not None
        parent = state.parent
        into = self._inner[parent.node.index]
        own = self._inner[state.node.index]
        for key in dict.fromkeys([*state.group_keys(), *own]):
            event = self._any_event(state, key)
            if event is None:
                continue
            for above in self.keys_above(state, key, event):
                into.setdefault(above, []).append((state.child_index, key))

    def keys_above(self, state: OperatorState, key: Key, event: Event) -> Sequence[Key]:
        """The groups of the parent into which a group of an inner operator that has this event would raise."""
        parent = state.parent
        assert parent is not None
        if parent.flat:
            place: int | None = FLAT_KEY
        else:
            place = parent.grouping.place(*state.composer.place(event))
        if place is None:
            return ()
        if not parent.by_value:
            return (place,)
        known = state.values.of([e for entries in state.account(key).stored for e in entries])
        found = parent.key_at(state.child_index, place, known)
        if found is None:
            return parent.keys_at(place)
        if state.child_index in parent.node.definition.optional_binders:
            return parent.matching(state.child_index, found)
        return (found,)

    def _any_event(self, state: OperatorState, key: Key) -> Event | None:
        for entries in state.account(key).stored:
            for entry in entries:
                event: Event = entry[EVENT]
                return event
        for operand, inner in self._inner[state.node.index].get(key, ()):
            child = state.children[operand]
            assert child is not None
            return self._any_event(child, inner)
        return None

    def is_gone(self, key: Key) -> bool:
        """Whether the node of a group of the root has been deleted, and something may be raised there still (G4)."""
        root = self.tree.root
        return not root.flat and (self.tree.tree.index, root.grouping.place_of(key)) in self.tree.setting.gone

    # ---- shares ---------------------------------------------------------------------------------------

    def share(self, state: OperatorState, key: Key, account: Account | None = None) -> Share:
        """How much there is in a group."""
        index = state.node.index
        account = self.tree.account(state, key) if account is None else account
        counts = tuple([len(entries) for entries in account.stored])
        inner = self._inner[index].get(key)
        if inner is None:
            share = self._shares[index].get(counts)
            if share is None:
                zero = [self._nothing(state, k) for k in range(len(counts))]
                share = self._shares[index][counts] = state.node.definition.share(zero, counts)
        else:
            best = [self._nothing(state, k) for k in range(len(counts))]
            for operand, child_key in inner:
                child = state.children[operand]
                assert child is not None
                begun = self.share(child, child_key)
                if begun.fraction > best[operand].fraction:
                    best[operand] = begun
            share = state.node.definition.share(best, counts)
        if account.raised and share.is_full and share.needed:
            return Share(share.needed - 1, share.needed)  # one more event raises another
        return share

    def _nothing(self, state: OperatorState, operand: int) -> Share:
        """The share of an operand of which there is nothing."""
        if isinstance(state.node.children[operand], LeafNode):
            return _NONE
        child = state.children[operand]
        assert child is not None
        index = child.node.index
        if index not in self._empty:
            width = len(child.node.children)
            zero = [self._nothing(child, k) for k in range(width)]
            self._empty[index] = child.node.definition.share(zero, [0] * width)
        return self._empty[index]

    # ---- parts ----------------------------------------------------------------------------------------

    def group(self, key: Key | None, doc: str, share: Share | None = None) -> PendingGroup:
        """A group of the root with all that is known of it; key None: of no group in particular."""
        root = self.tree.root
        account = None if key is None else self.tree.account(root, key)
        path, ids = self._instance(key)
        node = (
            "any node"
            if key is None
            else self.nodes.name(path, ids)
            if path is not None
            else self._flat_name(key)
        )
        part = self.part(root, key)
        if key is not None and self.is_gone(key) and not part.share.is_full:
            cause = Cause(Reason.NODE_DELETED, "its node was deleted, so that nothing more can come")
            part = replace(part, causes=(*part.causes, cause))
        return PendingGroup(
            self.tree.tree.name, doc, node, path, ids, part.share if share is None else share, part,
            () if key is None else _values(root, key), account is not None and account.raised, nodes=self.nodes,
        )  # fmt: skip

    def part(
        self, state: OperatorState, key: Key | None, place: str = "", *, has_raised: bool = False
    ) -> Part:
        """An operator in one of its groups (key None: in none), with its operands; ``has_raised``: a composite of it is
        stored above, be it a silent one."""
        width = len(state.node.children)
        account = Account(((),) * width) if key is None else self.tree.account(state, key)
        causes = []
        if account.objection is not None and key is not None and self._reasons is not None:
            account = account._replace(objection=self._reasons.sharper(state, key, account.objection))
        if account.objection is not None:
            causes.append(self._cause(account.objection, state, key))
        causes += self._due(state, account)
        if not causes and not has_raised and not any(account.stored) and _denies_nothing(state):
            causes.append(self._cause(Objection("having-false"), state, key))
        parts = tuple(self._operand(state, key, account, k) for k in range(width))
        share = self._nothing_of(state) if key is None else self.share(state, key, account)
        silent = not causes and all(part.first_cause() is None for part in parts if not part.negated)
        if self._reasons is not None and silent and not (share.is_full or account.raised):
            short = None if key is None else self._reasons.short(state, key)
            text = f"{share.satisfied} of the {share.needed} events that are needed have occurred"
            causes.append(Cause(Reason.NEVER_OCCURRED, text) if short is None else short)
        return Part(
            self._written(state.node.definition), share, place, (), tuple(causes), parts, is_leaf=False,
            enough=_enough(state.node.definition, parts),
        )  # fmt: skip

    def _cause(self, objection: Objection, state: OperatorState, key: Key | None) -> Cause:
        """What an objection says; what a guard saw only those know who were there."""
        if objection.reason == "guard-false" and self._reasons is not None and key is not None:
            guarded = self._reasons.guarded(state, key)
            if guarded is not None:
                return guarded
        return cause_of(objection, self.tree, state, key, self.nodes)

    def _operand(self, state: OperatorState, key: Key | None, account: Account, k: int) -> Part:
        child, entries = state.node.children[k], [e for e in account.stored[k] if not e[SILENT]]
        events = tuple(entry[EVENT] for entry in entries[-KEPT:])
        negated = k in state.node.definition.negated
        if isinstance(child, LeafNode):
            causes: tuple[Cause, ...] = ()
            needed = k in state.node.definition.required and bool(self._nothing_of(state).needed)
            if not entries and needed and self._reasons is not None:
                causes = self._reasons.of_leaf(state, k, key)
            share = _ONE if entries else _NONE if needed else Share(0, 0)
            return Part(self._written(child.leaf), share, "", events, causes, (), negated)
        inner = state.children[k]
        assert inner is not None
        if negated:
            return Part(self._written(inner.node.definition), Share(0, 0), "", events, negated=True)
        best = self.best_inner(state, key, k)
        if best is None and key is not None and self._reasons is not None:
            best = self._reasons.emptied(state, k, key)
        stored = bool(account.stored[k])
        of_nothing = inner.node.definition.creates_empty and not stored
        if best is None and key is not None and of_nothing and inner.node.path == state.node.path:
            best = (
                key if not (inner.by_value or state.by_value) else None
            )  # the node is there, if no event of it is
        begun = self.part(inner, best, self._inner_place(state, inner, key, best), has_raised=stored)
        if entries:
            return Part(begun.text, begun.share.full(), "", events, is_leaf=False)
        if self._reasons is not None:
            known = {cause.reason for cause in begun.causes}
            more = [one for one in self._reasons.of_operator(state, k, key) if one.reason not in known]
            begun = replace(begun, causes=(*begun.causes, *more))
        if not stored and key is not None and begun.share.is_full and begun.first_cause() is None:
            begun = replace(begun, causes=(self._why_not_of_nothing(state, inner),))
        return begun

    def _why_not_of_nothing(self, state: OperatorState, inner: OperatorState) -> Cause:
        """Why there is no composite of an inner operator in a group, although nothing more is needed for it: it waits
        for its release, its path type is that of other nodes, of which there is none (M4), or what is asked before it
        is raised was false (Z9)."""
        own, above = (self.nodes.path(path) for path in (inner.node.path, state.node.path))
        if inner.node.path == state.node.path and inner.values.guard is not None:
            return Cause(Reason.GUARD_FALSE, Reason.GUARD_FALSE.sentence)
        if not inner.node.definition.creates_empty:
            reason = Reason.NOT_RELEASED if inner.node.deferred else Reason.NEVER_OCCURRED
            return Cause(
                reason, "all that it needs may be there, but it has raised nothing there that is left"
            )
        text = f"no {own} has been inserted there, for which it is raised of nothing (M4)"
        if inner.node.deferred:
            text += ", or that has not been released yet"
        fix = (
            ""
            if own == above
            else f"write {{path={above}}} behind it, if it is to be raised for each {above}"
        )
        return Cause(Reason.NEVER_OCCURRED, text, fix)

    def inner(self, state: OperatorState, key: Key) -> Sequence[tuple[int, Key]]:
        """The groups of inner operators in a group, each with its operand."""
        return self._inner[state.node.index].get(key, ())

    def best_inner(self, state: OperatorState, key: Key | None, operand: int) -> Key | None:
        """Of the groups of an inner operator in this one that of which most is there."""
        child = state.children[operand]
        assert child is not None
        keys = [one for k, one in self._inner[state.node.index].get(key, ()) if k == operand]
        return max(keys, key=lambda one: self.share(child, one).fraction, default=None)

    def _inner_place(
        self, state: OperatorState, inner: OperatorState, key: Key | None, own: Key | None
    ) -> str:
        """The node of an inner group, where it is another one than that of the group above."""
        if own is None or self.tree.flat:
            return ""
        if key is not None and state.grouping.place_of(key) == inner.grouping.place_of(own):
            return ""
        path, ids = self.instance(inner, own)
        return self.nodes.of_id(inner.grouping.place_of(own)) if path is None else self.nodes.name(path, ids)

    def _nothing_of(self, state: OperatorState) -> Share:
        width = len(state.node.children)
        return state.node.definition.share([self._nothing(state, k) for k in range(width)], [0] * width)

    def _due(self, state: OperatorState, account: Account) -> list[Cause]:
        """Y1: what a timer waits for."""
        if account.due is None:
            return []
        by_time = account.unit is Unit.TIME
        when = timestamp(account.due) if by_time else f"after {span(account.due, MEASURE[account.unit])}"
        what = "it" if state is self.tree.root else self._written(state.node.definition)
        return [Cause(Reason.NOT_RELEASED, f"{what} is due {when}, unless something ends it before")]

    # ---- places ---------------------------------------------------------------------------------------

    def _instance(self, key: Key | None) -> tuple[PathType | None, tuple[int, ...]]:
        return (None, ()) if key is None else self.instance(self.tree.root, key)

    def instance(self, state: OperatorState, key: Key) -> tuple[PathType | None, tuple[int, ...]]:
        """The node of a group, by any event that is in it."""
        if self.tree.flat:
            return None, ()
        event = self._any_event(state, key)
        if event is None:
            return None, ()
        return state.composer.place(event)

    def _flat_name(self, key: Key) -> str:
        return "the document" if self.tree.flat else self.nodes.of_id(self.tree.root.grouping.place_of(key))

    def _written(self, expression: Expression) -> str:
        return written(expression, self._namespaces)


def _enough(definition: Operator, parts: Sequence[Part]) -> int:
    """How many of its operands that are not complete an operator has need of."""
    there = [part.share.is_full and not part.negated for part in parts]
    lacking = [k for k, part in enumerate(parts) if not part.share.is_full and not part.negated]
    for count, k in enumerate(lacking, 1):
        there[k] = True
        if definition.may_raise(there):
            return count
    return len(lacking)


def _values(state: OperatorState, key: Key) -> tuple[tuple[str, str], ...]:
    if not state.by_value:
        return ()
    return tuple(
        (name, short(value)) for name, value in zip(state.values.program.grouping.names, key[1:], strict=True)
    )


def bindings_of(entry: Entry) -> Mapping[str, object] | None:
    """The variables of an entry, if the tree has any."""
    found: Mapping[str, object] | None = entry[BINDINGS] if len(entry) > BINDINGS else None
    return found


def _denies_nothing(state: OperatorState) -> bool:
    """Whether ``having`` is false of the composite of nothing, so that there is none (M4, Z9)."""
    asks = state.node.definition.creates_empty and state.values.having is not None
    return asks and not state.values.admits(())
