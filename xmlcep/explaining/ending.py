"""Whether more can be raised in a group at all (Y11): "no" only where nothing that may still happen could."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..engine.departed import Departure
from ..engine.operators import OperatorState
from ..engine.tree import TreeState
from ..errors import ArgumentError
from ..events import CompositeType
from ..rules.ending import occurs_once
from ..rules.trees import LeafNode

_JOINING = ("conjunction", "sequence")


def can_still_raise(
    trees: Mapping[int, TreeState], event: str, place: int, departed: Iterable[Departure], *, exists: bool
) -> bool:
    """Whether an event may be raised again in the group of a node, which ``exists`` or has been deleted.

    Raises `ValueError` for an event that there is not.
    """
    by_name = {tree.tree.name: tree for tree in trees.values()}
    if event not in by_name:
        raise ArgumentError(f"there is no event {event!r}; there are {', '.join(by_name)}")
    tree = by_name[event]
    used = _used(by_name, event)
    if tree.flat or any(name not in by_name or by_name[name].flat for name in used):
        return True  # no node ends what is of none, and external events may come from anywhere (L7)
    if exists:
        return _may_raise(tree, tree.root, place)
    late = any(state.outlasts(place) for name in used for state in by_name[name].states)
    return late or any(of.tree.name in used and place in ids for of, _, ids in departed)


def _used(trees: Mapping[str, TreeState], event: str) -> Collection[str]:
    """An event with all that its tree is built on; external ones, and any (``?``), are among them by their names."""
    found = {event: None}
    for name in (queue := [event]):
        if name not in trees:
            continue
        for state in trees[name].states:
            for leaf in state.node.leaves():
                if isinstance(leaf.type, CompositeType) and (used := str(leaf.type.name)) not in found:
                    found[used] = None
                    queue.append(used)
    return found


def _may_raise(tree: TreeState, state: OperatorState, place: int) -> bool:
    """Whether an operator may raise something more at a node that exists."""
    node = state.node
    known = node.kind in _JOINING or node.kind == "disjunction"
    if not known or node.optional or tree.waits_at(state) or state.outlasts(place):
        return True
    if node.kind == "disjunction":
        return any(_may_come(tree, state, k, place) for k in range(len(node.children)))
    accounts = [state.account(key) for key in state.group_keys() if state.grouping.place_of(key) == place]
    if any(account.due is not None for account in accounts):
        return True
    required = node.definition.required
    comes = {k: _may_come(tree, state, k, place) for k in required}
    there = {k for k in required if any(account.stored[k] for account in accounts)}
    return any(comes.values()) and all(comes[k] or k in there for k in required)


def _may_come(tree: TreeState, state: OperatorState, operand: int, place: int) -> bool:
    child = state.node.children[operand]
    if isinstance(child, LeafNode):
        return not occurs_once(child, state.node.path, "ins")  # which has been, for the node is there
    inner = state.children[operand]
    return inner is None or not inner.same_groups or _may_raise(tree, inner, place)
