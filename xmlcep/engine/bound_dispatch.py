"""What an event of some type means to one detector: the running states behind a `TypeDispatch`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from contexts import Entry
from contexts.grouping import Key
from path_types import PathType

from ..events import Cause
from .dispatch import ActiveTrees, TreeDispatch, TypeDispatch
from .leaf import Bindings, Reader
from .operators import OperatorState
from .operators.state import Acceptor
from .tree import TreeState

Direct: TypeAlias = tuple[Acceptor, int]
"""What takes an event, and which of its ids is the key of its group there."""


Take: TypeAlias = Callable[[int, Key, Entry, Cause], None]


class DirectInFull(NamedTuple):
    """How to take an event where the entry is more than its interval: it has a moment and variables, or "before" is
    about detection. ``read`` is what its leaf binds, None if that asks and binds nothing; ``key_of`` is None where
    groups are places."""

    tree: TreeState
    read: Reader | None
    key_of: Callable[[int, Bindings | None], Key | None] | None
    take: Take
    child: int
    position: int


@dataclass(frozen=True, slots=True)
class BoundDispatch:
    """What primitive events of one type mean to a detector's trees, see `TypeDispatch`.

    ``vanishing`` and ``freed`` are the multiplicities and the operators (with their trees) of which a deleted
    node can be a group (M5, G4). ``direct`` is for the common case; ``filtered`` likewise, where a leaf has to be asked
    before (F1); ``in_full`` where an entry is not so short. None if the case is not so simple. ``touched`` are the
    trees, of the ``watchers``, with conditions that read what such an event changes; ``is_silent`` says that it only
    matters for these and for conditions.
    """

    direct: tuple[Direct, ...] | None
    filtered: tuple[tuple[Reader, Direct], ...]
    in_full: tuple[DirectInFull, ...]
    steps: tuple[tuple[TreeState, TreeDispatch], ...]
    watchers: Mapping[int, TreeDispatch]
    touched: tuple[tuple[TreeState, TreeDispatch], ...]
    alone: bool
    is_silent: bool
    vanishing: tuple[tuple[TreeState, OperatorState], ...]
    freed: tuple[tuple[TreeState, OperatorState], ...]


class BoundDispatches(dict[PathType, BoundDispatch | None]):
    """The dispatch of one operation by path type, each made when it is first asked for."""

    def __init__(self, operation: str, active: ActiveTrees, trees: Mapping[int, TreeState]) -> None:
        super().__init__()
        self._operation = operation
        self._active = active
        self._trees = trees

    def __missing__(self, path: PathType) -> BoundDispatch | None:
        dispatch = self._active.by_type[self._operation, path]
        bound = self[path] = None if dispatch is None else _bound(dispatch, path, self._trees)
        return bound


def _bound(dispatch: TypeDispatch, path: PathType, trees: Mapping[int, TreeState]) -> BoundDispatch:
    freed = tuple((trees[tree], trees[tree].states[operator]) for tree, operator in dispatch.freed)
    direct: list[Direct] = []
    filtered: list[tuple[Reader, Direct]] = []
    in_full: list[DirectInFull] = []
    for tree, plan in dispatch.steps if dispatch.direct else ():
        state = trees[tree]
        for operator, child, index in plan.deliveries:
            assert index is not None
            leaf, taking = state.leaves.get((operator, child)), state.states[operator]
            if not state.has_short_entries:
                read = None if leaf is None else leaf.reader(path)
                key_of = taking.key_reader(child)
                in_full.append(DirectInFull(state, read, key_of, taking.taker.take, child, index))
            elif leaf is None:
                direct.append((taking.taker.acceptor(child), index))
            else:
                filtered.append((leaf.reader(path), (taking.taker.acceptor(child), index)))
    return BoundDispatch(
        tuple(direct) if dispatch.direct else None,
        tuple(filtered),
        tuple(in_full),
        tuple((trees[tree], plan) for tree, plan in dispatch.steps),
        dispatch.watchers,
        tuple((trees[tree], plan) for tree, plan in dispatch.watchers.items() if any(plan.touches.values())),
        dispatch.alone,
        not (dispatch.steps or freed),
        tuple((tree, state) for tree, state in freed if state.refills),
        freed,
    )
