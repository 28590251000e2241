"""What an event tree has, group by group, read from its running state (rule Y1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from contexts import Entry
from contexts.constraints import Objection
from contexts.entry import BINDINGS, EVENT
from contexts.grouping import Key
from path_types import PathType
from path_types.relations import leading

from ..algebra import Expression, Multiplicity, Operator, Share, Unit
from ..engine.operators import Account, OperatorState
from ..engine.operators.becomes import BecomesState
from ..engine.timers import MEASURE
from ..engine.tree import TreeState
from ..events import Event
from ..rules.ending import occurs_once
from ..rules.trees import LeafNode, OperatorNode
from ..timestamps import timestamp
from .causes import cause_of, not_turned
from .nodes import Nodes, short, span, written
from .reasons import Reason
from .shares import NONE, NOTHING_NEEDED, Shares
from .values import Cause, Part, PendingGroup

KEPT = 50
"""How many events of an operand a part shows: the newest."""
_ONE = Share(1, 1)


class Reasons(Protocol):
    """Whoever knows why an operand has nothing."""

    def of_leaf(
        self, state: OperatorState, operand: int, key: Key | None, root: Key | None
    ) -> tuple[Cause, ...]:
        """Why there is no event of a leaf in a group (key None: in any group) that lies in this one of the root."""

    def sharper(self, state: OperatorState, key: Key, objection: Objection) -> Objection:
        """What is behind an objection, where the past knows more."""

    def gone(self, state: OperatorState, key: Key) -> Cause | None:
        """That the node of a group was deleted, if it was."""

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
        # By operator and group, the groups of inner operators that would raise into it.
        self._inner: list[dict[Key, list[tuple[int, Key]]]] = [{} for _ in tree.states]
        # By operator and place of the root's group, those of operands that may bind fewer variables (V4), where none of
        # the groups that they would raise into is there.
        self._apart: dict[tuple[int, int | None], list[tuple[int, Key]]] = {}
        for state in tree.states[:-1]:
            if not state.node.is_negated:
                self._place_inner(state)
        self.shares = Shares(tree, self._inner)

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
            if self._below(state, key) is None:
                continue
            above = self.keys_above(state, key)
            for one in above:
                into.setdefault(one, []).append((state.child_index, key))
            if not above and state.child_index in parent.node.definition.optional_binders:
                place = self._place_above(state, key, self.tree.root.node)
                self._apart.setdefault((parent.node.index, place), []).append((state.child_index, key))

    def keys_above(self, state: OperatorState, key: Key) -> Sequence[Key]:
        """The groups of the parent into which a group of an inner operator would raise."""
        parent = state.parent
        assert parent is not None
        place = self._place_above(state, key, parent.node)
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

    def _place_above(self, state: OperatorState, key: Key, above: OperatorNode) -> int | None:
        """The place of the group of an operator above into which a group would raise."""
        return self.tree.place_above(state.node, *self.instance(state, key), above)

    def _below(self, state: OperatorState, key: Key) -> tuple[PathType | None, tuple[int, ...]] | None:
        """Some path instance at or below the node of a group: of any event that is in it."""
        if isinstance(state, BecomesState):
            return state.places.get(key)
        for entries in state.account(key).stored:
            for entry in entries:
                event: Event = entry[EVENT]
                return event.path, event.ids
        for operand, inner in self._inner[state.node.index].get(key, ()):
            child = state.children[operand]
            assert child is not None
            return self._below(child, inner)
        return None

    def is_gone(self, key: Key) -> bool:
        """Whether the node of a group of the root has been deleted, and something may be raised there still (G4)."""
        root = self.tree.root
        return not root.flat and (self.tree.tree.index, root.grouping.place_of(key)) in self.tree.setting.gone

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
        part = self.part(root, key, key)
        if key is not None and self.is_gone(key) and not part.share.is_full:
            cause = None if self._reasons is None else self._reasons.gone(root, key)
            if cause is None:
                cause = Cause(Reason.NODE_DELETED, "its node was deleted, so that nothing more can come")
            part = replace(part, causes=(*part.causes, cause))
        return PendingGroup(
            self.tree.tree.name, doc, node, path, ids, part.share if share is None else share, part,
            () if key is None else _values(root, key), account is not None and account.raised, nodes=self.nodes,
        )  # fmt: skip

    def part(
        self,
        state: OperatorState,
        key: Key | None,
        root: Key | None,
        place: str = "",
        *,
        share: Share | None = None,
    ) -> Part:
        """An operator in one of its groups (key None: in none), with its operands; ``root`` is the group of the root
        in which it is; ``share``: how much there is, where that is known."""
        width = len(state.node.children)
        account = Account(((),) * width) if key is None else self.tree.account(state, key)
        causes = []
        if account.objection is not None and key is not None and self._reasons is not None:
            account = account._replace(objection=self._reasons.sharper(state, key, account.objection))
        if account.objection is not None:
            causes.append(self._cause(account.objection, state, key))
        causes += self._due(state, account)
        if share is None:
            share = self.shares.anywhere(state) if key is None else self.shares.of(state, key, account)
        parts = tuple(self._operand(state, key, root, account, k, share) for k in range(width))
        silent = not causes and all(part.first_cause() is None for part in parts if not part.negated)
        if self._reasons is not None and silent and not (share.is_full or account.raised):
            short = None if key is None else self._reasons.short(state, key)
            if isinstance(state, BecomesState):
                here = root is not None and not state.flat and state.node.path is self.tree.root.node.path
                short = not_turned(
                    state, self.tree.root.grouping.place_of(root) if here else None, self.nodes
                )
            text = f"{share.satisfied} of the {share.needed} events that are needed have occurred"
            causes.append(Cause(Reason.NEVER_OCCURRED, text) if short is None else short)
        of_change = () if parts else tuple(entry[EVENT] for entries in account.stored for entry in entries)
        return Part(
            self._written(state.node.definition), share, place, of_change, tuple(causes), parts, is_leaf=False,
            enough=_enough(state.node.definition, parts),
        )  # fmt: skip

    def _cause(self, objection: Objection, state: OperatorState, key: Key | None) -> Cause:
        """What an objection says; what a guard saw only those know who were there."""
        if objection.reason == "guard-false" and self._reasons is not None and key is not None:
            guarded = self._reasons.guarded(state, key)
            if guarded is not None:
                return guarded
        return cause_of(objection, self.tree, state, key, self.nodes)

    def _operand(
        self, state: OperatorState, key: Key | None, root: Key | None, account: Account, k: int, whole: Share
    ) -> Part:
        child, entries = state.node.children[k], account.stored[k]
        events = tuple(entry[EVENT] for entry in entries[-KEPT:])
        negated = k in state.node.definition.negated
        if isinstance(child, LeafNode):
            needed = k in state.node.definition.required and bool(whole.needed)
            causes: tuple[Cause, ...] = ()
            if not entries and needed and self._reasons is not None:
                causes = self._reasons.of_leaf(state, k, key, root)
            share = _ONE if entries else NONE if needed else Share(0, 0)
            return Part(
                self._written(child.leaf), share, "", events, causes, (), negated,
                is_single=not self.tree.flat and occurs_once(child, state.node.path, "ins"),
            )  # fmt: skip
        if negated:
            return Part(self._written(child.definition), Share(0, 0), "", events, negated=True)
        begun = self._begun(state, key, root, k, is_stored=bool(entries))
        definition = state.node.definition
        if isinstance(definition, Multiplicity) and 0 < len(entries) < definition.lower:
            return replace(begun, events=events)  # of the next one something may be there, too
        if entries:
            return Part(begun.text, begun.share.full(), "", events, is_leaf=False)
        return self._with_reasons(begun, state, key, k)

    def _begun(
        self, state: OperatorState, key: Key | None, root: Key | None, k: int, *, is_stored: bool
    ) -> Part:
        """What an inner operator has begun in a group: in that of its own groups of which most is there."""
        inner = state.children[k]
        assert inner is not None
        best = self.best_inner(state, key, k, root)
        if best is None and key is not None and self._reasons is not None:
            best = self._reasons.emptied(state, k, key)
        counted = None
        if k in state.node.optional and not is_stored:  # it may be left out (M5)
            counted = NOTHING_NEEDED
        elif best is None and key is not None:
            counted = self.shares.of_nothing(state, k)
        return self.part(inner, best, root, self._inner_place(state, inner, key, best), share=counted)

    def _with_reasons(self, begun: Part, state: OperatorState, key: Key | None, k: int) -> Part:
        """The same with what keeps the inner operator from having raised anything that is left."""
        inner = state.children[k]
        assert inner is not None
        if self._reasons is not None:
            known = {cause.reason for cause in begun.causes}
            more = [one for one in self._reasons.of_operator(state, k, key) if one.reason not in known]
            begun = replace(begun, causes=(*begun.causes, *more))
        is_free = k in state.node.optional
        if is_free or key is None or not begun.share.is_full or begun.first_cause() is not None:
            return begun
        reason = Reason.NOT_RELEASED if inner.node.deferred else Reason.NEVER_OCCURRED
        text = "all that it needs may be there, but it has raised nothing there that is left"
        if inner.values.guard is not None and inner.node.path == state.node.path:
            reason, text = Reason.GUARD_FALSE, Reason.GUARD_FALSE.sentence
        return replace(begun, causes=(Cause(reason, text),))

    def inner(self, state: OperatorState, key: Key) -> Sequence[tuple[int, Key]]:
        """The groups of inner operators in a group, each with its operand."""
        return self._inner[state.node.index].get(key, ())

    def best_inner(
        self, state: OperatorState, key: Key | None, operand: int, root: Key | None = None
    ) -> Key | None:
        """Of the groups of an inner operator in this one (key None: in none that lies in this one of the root) that of
        which most is there."""
        child = state.children[operand]
        assert child is not None
        if key is not None:
            inner: Sequence[tuple[int, Key]] = self._inner[state.node.index].get(key, ())
        else:
            place = None if root is None else self.tree.root.grouping.place_of(root)
            inner = self._apart.get((state.node.index, place), ())
        keys = [one for k, one in inner if k == operand]
        return max(keys, key=lambda one: self.shares.of(child, one).fraction, default=None)

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
        below = None if self.tree.flat else self._below(state, key)
        if below is None:
            return None, ()
        path, ids = below
        length = ids.index(state.node_of(key)) + 1
        return None if path is None else leading(path, length), ids[:length]

    def _flat_name(self, key: Key) -> str:
        return (
            self.nodes.name(None, ())
            if self.tree.flat
            else self.nodes.of_id(self.tree.root.grouping.place_of(key))
        )

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
