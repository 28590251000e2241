"""What an event of some type means to one detector: the running states behind a `TypeDispatch`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

from contexts.grouping import Key
from path_types import PathType

from ..events import PrimitiveEvent
from .deliveries import filtered, in_full, limited
from .dispatch import ActiveTrees, TypeDispatch
from .operators import OperatorState
from .operators.state import Acceptor
from .tree import TreeState
from .tree_dispatch import Part, TreeDispatch

_new_tuple = tuple.__new__
Direct: TypeAlias = tuple[Acceptor, int]
"""What takes an event, and which of its ids is the key of its group there."""
Step: TypeAlias = tuple[TreeState, TreeDispatch, Sequence[Direct] | None]
NO_STEPS: Mapping[int, Step] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Freeing:
    """How what some operators have at a node is freed when it is gone (G4): it is taken out of ``stores``, or by
    ``forgets``."""

    stores: tuple[dict[Key, Any], ...]
    forgets: tuple[Callable[[int], None], ...]

    def free(self, place: int) -> None:
        """The node is gone."""
        for groups in self.stores:
            groups.pop(place, None)
        for forget in self.forgets:
            forget(place)


@dataclass(frozen=True, slots=True)
class BoundDispatch:
    """What primitive events of one type mean to a detector's trees, see `TypeDispatch`.

    ``direct`` is what takes such an event in each tree, in order of the trees (G2), where nothing waits elsewhere;
    None if there is more to do between trees: one of them may use what another raises.

    ``touched`` are the trees, of the ``watchers``, with conditions that read what such an event changes,
    ``readers`` the nodes that wait there for these, with the index among the event's ids of what may be one;
    ``is_silent`` says that it only matters for these and for conditions. ``freed`` are the operators (with their trees)
    of which a deleted node can be a group (G4); ``at_rest`` frees them all, where nothing waits for a release or, if
    ``timed``, for a timer, ``at_once`` those to which nothing can come any more in any case; of the others,
    ``awaited``, that is not known. ``turns`` are the ``steps`` by the tree's index, in order, and, if that may come
    first, what takes the event there.
    """

    direct: tuple[Direct, ...] | None
    steps: tuple[tuple[TreeState, TreeDispatch], ...]
    turns: Mapping[int, Step]
    watchers: Mapping[int, TreeDispatch]
    touched: tuple[tuple[TreeState, TreeDispatch], ...]
    readers: tuple[tuple[Container[int], int], ...]
    is_silent: bool
    freed: tuple[tuple[TreeState, OperatorState], ...]
    at_once: Freeing
    awaited: tuple[tuple[TreeState, OperatorState], ...]
    timed: bool
    at_rest: Freeing


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
    if any(tree.setting.general for tree in trees.values()):
        dispatch = _in_general(dispatch)
    steps = tuple((trees[tree], plan) for tree, plan in dispatch.steps)
    freed = tuple((trees[tree], trees[tree].states[operator]) for tree, operator in dispatch.freed)
    at_once = tuple((tree, state) for tree, state in freed if _nothing_comes(tree, state, active))
    awaited = tuple(each for each in freed if each not in at_once)
    direct = (
        None
        if dispatch.passes_on
        else _as_one([direct for tree, plan in steps for direct in _direct(tree, plan, operation, path)])
    )
    at_rest = _freeing(freed)
    return BoundDispatch(
        direct,
        steps,
        {tree.tree.index: (tree, plan, _first(tree, plan, operation, path)) for tree, plan in steps},
        dispatch.watchers,
        tuple((trees[tree], plan) for tree, plan in dispatch.watchers.items() if any(plan.touches.values())),
        tuple([reader for tree, plan in dispatch.watchers.items() for reader in trees[tree].readers(plan)]),
        not (steps or freed),
        freed,
        _freeing(at_once),
        awaited,
        any(_outlasts(tree, state, active) for tree, state in awaited),
        at_rest,
    )


def _in_general(dispatch: TypeDispatch) -> TypeDispatch:
    """The same with no short way: trees take the event one after the other, and it may change whatever is read."""

    def of_tree(plan: TreeDispatch) -> TreeDispatch:
        return replace(plan, alone=None, touches=plan.rechecks)

    steps = tuple((tree, of_tree(plan)) for tree, plan in dispatch.steps)
    watchers = {tree: of_tree(plan) for tree, plan in dispatch.watchers.items()}
    return replace(dispatch, steps=steps, watchers=watchers, passes_on=True)


def _freeing(freed: Collection[tuple[TreeState, OperatorState]]) -> Freeing:
    """What frees the groups of these operators, in which nothing waits for a release."""
    stores: list[dict[Key, Any]] = []
    forgets: list[Callable[[int], None]] = []
    for tree, state in freed:
        groups = None if tree.waits_for_conditions else state.by_group()
        if groups is None:
            forgets.append(partial(tree.forget, state) if tree.deferrals or state.by_value else state.forget)
        else:
            stores += groups
    return Freeing(tuple(stores), tuple(forgets))


def _direct(tree: TreeState, plan: TreeDispatch, operation: str, path: PathType) -> tuple[Direct, ...]:
    """What takes an event of this type in a tree."""
    if plan.alone is None or (plan.creations and tree.reports_operators):
        return ((partial(tree.take_turns, plan), 0),)
    return ((_acceptor(tree, plan.alone, operation, path), plan.alone[2]),)


def _as_one(directs: Sequence[Direct]) -> tuple[Direct, ...]:
    """Where several take an event it is made once for all of them, of a tuple of its layout."""
    if len(directs) < 2:
        return tuple(directs)
    _, here = directs[0]
    accepts = tuple([accept if index == here else _elsewhere(accept, index) for accept, index in directs])

    def deliver(place: Key, event: PrimitiveEvent) -> None:
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        for accept in accepts:
            accept(place, event)

    return ((deliver, here),)


def _elsewhere(accept: Acceptor, index: int) -> Acceptor:
    """Lets an event be taken at another of its nodes than it is given with."""

    def accept_there(place: Key, event: PrimitiveEvent) -> None:
        accept(event[3][index], event)

    return accept_there


def _acceptor(tree: TreeState, part: Part, operation: str, path: PathType) -> Acceptor:
    operator, child, _ = part
    state = tree.states[operator]
    if child is None:
        return state.take_creation
    leaf = tree.leaves.get((operator, child))
    take_record = state.record_acceptor(leaf, operation, path, tree.check_time if tree.needs_time else None)
    if take_record is not None:
        return take_record if state.parent is None else limited(tree, take_record)
    if not tree.has_short_entries:
        read = None if leaf is None else leaf.reader(operation, path)
        return in_full(tree, read, state.values_of_groups(child), state.taker.take, child)
    accept = state.taker.acceptor(child)
    takes = None if leaf is None else leaf.filter(path)
    return accept if takes is None else filtered(takes, accept)


def _first(tree: TreeState, plan: TreeDispatch, operation: str, path: PathType) -> tuple[Direct, ...] | None:
    """The same if it may come before all that the event releases in the tree; None if there is none."""
    if plan.alone is None or tree.may_deliver_first(plan.alone[0]):
        return _direct(tree, plan, operation, path)
    return None


def _nothing_comes(tree: TreeState, state: OperatorState, active: ActiveTrees) -> bool:
    """Whether nothing can still come to the groups of a node of this operator when the node is gone."""
    return not (
        tree.awaits_release
        or active.upstream[tree.tree.index]
        or state.by_value
        or _outlasts(tree, state, active)
    )


def _outlasts(tree: TreeState, state: OperatorState, active: ActiveTrees) -> bool:
    """Whether a timer can bring something to its groups when their node is gone, or from them to others."""
    index = tree.tree.index
    brings = state.comes_late and (state.parent is not None or index in active.users)
    return brings or bool(active.timed[index]) or tree.has_late_below(state)
