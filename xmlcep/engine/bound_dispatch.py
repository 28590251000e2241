"""What an event of some type means to one detector: the running states behind a `TypeDispatch`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from path_types import PathType

from .deliveries import Delivering, filtered, in_full
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

    ``vanishing`` and ``freed`` are the multiplicities and the operators (with their trees) of which a deleted
    node can be a group (M5, G4). ``direct`` is for the common case, None if the case is not so simple; ``further`` are
    deliveries where a leaf has to be asked before, or an entry is not so short. ``touched`` are the trees, of the
    ``watchers``, with conditions that read what such an event changes; ``is_silent`` says that it only matters for
    these and for conditions. ``forgets`` are the functions that free the groups of a deleted node to which nothing can
    come any more, ``awaited`` the operators of which that is not known; ``only_forgets`` says that there is nothing but
    the first to be done. ``turns`` are the ``steps`` by the tree's index, in order, and, if one delivery that may come
    before all releases is all there is to do, that delivery.
    """

    direct: tuple[Direct, ...] | None
    further: tuple[Delivering, ...]
    steps: tuple[tuple[TreeState, TreeDispatch], ...]
    turns: Mapping[int, Step]
    watchers: Mapping[int, TreeDispatch]
    touched: tuple[tuple[TreeState, TreeDispatch], ...]
    alone: bool
    is_silent: bool
    vanishing: tuple[tuple[TreeState, OperatorState], ...]
    freed: tuple[tuple[TreeState, OperatorState], ...]
    forgets: tuple[Callable[[int], None], ...]
    awaited: tuple[tuple[TreeState, OperatorState], ...]
    only_forgets: bool


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
    freed = tuple((trees[tree], trees[tree].states[operator]) for tree, operator in dispatch.freed)
    at_once = tuple((tree, state) for tree, state in freed if _nothing_comes(tree, state, active))
    awaited = tuple(each for each in freed if each not in at_once)
    direct: list[Direct] = []
    further: list[Delivering] = []
    for tree, plan in dispatch.steps if dispatch.direct else ():
        state = trees[tree]
        for operator, child, index in plan.deliveries:
            assert index is not None
            taker = state.states[operator].taker
            leaf = state.leaves.get((operator, child))
            if not state.has_short_entries:
                read = None if leaf is None else leaf.reader(operation, path)
                key_of = state.states[operator].key_reader(child)
                further.append(in_full(state, read, key_of, taker.take, child, index))
            elif leaf is None:
                direct.append((taker.acceptor(child), index))
            else:
                further.append(filtered(leaf.reader(operation, path), taker.acceptor(child), index))
    return BoundDispatch(
        tuple(direct) if dispatch.direct else None,
        tuple(further),
        tuple((trees[tree], plan) for tree, plan in dispatch.steps),
        {tree: (trees[tree], plan, _first(trees[tree], plan)) for tree, plan in dispatch.steps},
        dispatch.watchers,
        tuple((trees[tree], plan) for tree, plan in dispatch.watchers.items() if any(plan.touches.values())),
        dispatch.alone,
        not (dispatch.steps or freed),
        tuple((tree, state) for tree, state in freed if state.refills),
        freed,
        tuple([partial(tree.free, state) if tree.deferrals else state.forget for tree, state in at_once]),
        awaited,
        bool(freed) and not (awaited or dispatch.steps or any(s.refills for _, s in freed)),
    )


def _first(tree: TreeState, plan: TreeDispatch) -> Direct | None:
    """The one delivery of an event in a tree, if it may come before all that the event releases there."""
    if not plan.direct or not tree.has_short_entries or tree.flat:
        return None
    ((operator, child, index),) = plan.deliveries
    if index is None or (operator, child) in tree.leaves or not tree.may_deliver_first(operator):
        return None
    return tree.states[operator].taker.acceptor(child), index


def _nothing_comes(tree: TreeState, state: OperatorState, active: ActiveTrees) -> bool:
    """Whether nothing can still come to the groups of a node of this operator when the node is gone."""
    return not (tree.awaits_release or active.upstream[tree.tree.index] or state.by_value)
