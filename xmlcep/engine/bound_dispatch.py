"""What an event of some type means to one detector: the running states behind a `TypeDispatch`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from path_types import PathType

from .deliveries import filtered, in_full
from .dispatch import ActiveTrees, TreeDispatch, TypeDispatch
from .operators import OperatorState
from .operators.state import Acceptor
from .tree import TreeState

Direct: TypeAlias = tuple[Acceptor, int]
"""What takes an event, and which of its ids is the key of its group there."""
Step: TypeAlias = tuple[TreeState, TreeDispatch, Direct | None]
NO_STEPS: Mapping[int, Step] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class BoundDispatch:
    """What primitive events of one type mean to a detector's trees, see `TypeDispatch`.

    ``direct`` is what takes such an event in each tree, in order of the trees (G2), where nothing waits elsewhere;
    ``first`` likewise, where that may come before all that the event releases and before all that is passed on to other
    trees. None if there is more to do between trees: one of them uses what another raises, or silent composites have to
    go before. ``passes_on`` says that a tree may use what they raise; nothing is direct then.

    ``touched`` are the trees, of the ``watchers``, with conditions that read what such an event changes; ``is_silent``
    says that it only matters for these and for conditions. ``vanishing`` and ``freed`` are the multiplicities and the
    operators (with their trees) of which a deleted node can be a group (M5, G4); ``forgets`` are the functions that
    free the groups to which nothing can come any more, ``awaited`` the operators of which that is not known. ``turns``
    are the ``steps`` by the tree's index, in order, and, if that may come first, what takes the event there.
    """

    direct: tuple[Direct, ...] | None
    first: tuple[Direct, ...] | None
    passes_on: bool
    steps: tuple[tuple[TreeState, TreeDispatch], ...]
    turns: Mapping[int, Step]
    watchers: Mapping[int, TreeDispatch]
    touched: tuple[tuple[TreeState, TreeDispatch], ...]
    is_silent: bool
    vanishing: tuple[tuple[TreeState, OperatorState], ...]
    freed: tuple[tuple[TreeState, OperatorState], ...]
    forgets: tuple[Callable[[int], None], ...]
    awaited: tuple[tuple[TreeState, OperatorState], ...]


class BoundDispatches(dict[PathType, BoundDispatch | None]):
    """The dispatch of one operation by path type, each made when it is first asked for."""

    def __init__(self, operation: str, active: ActiveTrees, trees: Mapping[int, TreeState]) -> None:
        super().__init__()
        self._operation = operation
        self._active = active
        self._trees = trees

    def __missing__(self, path: PathType) -> BoundDispatch | None:
        dispatch = self._active.by_type[self._operation, path]
        bound = self[path] = (
            None if dispatch is None else _bound(dispatch, self._operation, path, self._trees, self._active)
        )
        return bound


def _bound(
    dispatch: TypeDispatch,
    operation: str,
    path: PathType,
    trees: Mapping[int, TreeState],
    active: ActiveTrees,
) -> BoundDispatch:
    steps = tuple((trees[tree], plan) for tree, plan in dispatch.steps)
    first = [_first(tree, plan, operation, path) for tree, plan in steps]
    freed = tuple((trees[tree], trees[tree].states[operator]) for tree, operator in dispatch.freed)
    at_once = tuple((tree, state) for tree, state in freed if _nothing_comes(tree, state, active))
    stepped = {tree for tree, _ in dispatch.steps}
    vanishing = tuple(
        (tree, state)
        for tree, state in freed
        if state.refills and not (tree.tree.index not in stepped and _goes_with_parent(tree, state, at_once))
    )
    alone = dispatch.alone and not vanishing
    return BoundDispatch(
        tuple([_direct(tree, plan, operation, path) for tree, plan in steps])
        if alone and not dispatch.passes_on
        else None,
        tuple([each for each in first if each is not None]) if alone and None not in first else None,
        dispatch.passes_on,
        steps,
        {tree.tree.index: (tree, plan, each) for (tree, plan), each in zip(steps, first, strict=True)},
        dispatch.watchers,
        tuple((trees[tree], plan) for tree, plan in dispatch.watchers.items() if any(plan.touches.values())),
        not (steps or freed),
        vanishing,
        freed,
        tuple([partial(tree.forget, state) if tree.deferrals else state.forget for tree, state in at_once]),
        tuple(each for each in freed if each not in at_once),
    )


def _direct(tree: TreeState, plan: TreeDispatch, operation: str, path: PathType) -> Direct:
    """What takes an event of this type in a tree."""
    if not plan.direct or tree.flat:
        return partial(tree.take_turns, plan), 0
    ((operator, child, index),) = plan.deliveries
    assert index is not None
    state, leaf = tree.states[operator], tree.leaves.get((operator, child))
    read = None if leaf is None else leaf.reader(operation, path)
    if not tree.has_short_entries:
        return in_full(tree, read, state.values_of_groups(child), state.taker.take, child), index
    accept = state.taker.acceptor(child)
    return (accept if read is None else filtered(read, accept)), index


def _first(tree: TreeState, plan: TreeDispatch, operation: str, path: PathType) -> Direct | None:
    """The same if it may come before all that the event releases in the tree; None if there is none."""
    if plan.direct and not tree.flat and not tree.may_deliver_first(plan.deliveries[0][0]):
        return None
    return _direct(tree, plan, operation, path)


def _goes_with_parent(
    tree: TreeState, state: OperatorState, at_once: Collection[tuple[TreeState, OperatorState]]
) -> bool:
    """Whether the group above, which is of the same node, is freed together with the operator's and neither has
    anything to do before: so that nothing can be consumed any more."""
    parent = state.parent
    return (
        parent is not None
        and state.same_groups
        and not (tree.tree.dependencies or tree.deferrals)
        and (tree, state) in at_once
        and (tree, parent) in at_once
    )


def _nothing_comes(tree: TreeState, state: OperatorState, active: ActiveTrees) -> bool:
    """Whether nothing can still come to the groups of a node of this operator when the node is gone."""
    return not (tree.awaits_release or active.upstream[tree.tree.index] or state.by_value)
