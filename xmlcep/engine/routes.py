"""What an event of some type means to one detector: the running states behind a `Meaning`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from contexts import Entry
from path_types import PathType

from ..events import PrimitiveEvent
from .multiplicity import MultiplicityState
from .operator_state import OperatorState
from .plan import Plan
from .selection import Meaning, Selection
from .tree_state import TreeState

Direct: TypeAlias = tuple[Callable[[int, int, Entry, PrimitiveEvent], None], int, int]


@dataclass(frozen=True, slots=True)
class Route:
    """What primitive events of one type mean to a detector's trees, see `Meaning`.

    ``vanishing`` and ``freed`` are the multiplicities and the operators (with their trees) of which a deleted
    node can be a group (M5, G4). ``direct`` is for the common case: how to take the event, operand, index of
    its group key in ids; None if the case is not so simple.
    """

    direct: tuple[Direct, ...] | None
    steps: tuple[tuple[TreeState, Plan], ...]
    alone: bool
    vanishing: tuple[MultiplicityState, ...]
    freed: tuple[tuple[TreeState, OperatorState], ...]


class Routes(dict[PathType, Route | None]):
    """The routes of one operation by path type, each made when it is first asked for."""

    def __init__(self, operation: str, selection: Selection, trees: Mapping[int, TreeState]) -> None:
        super().__init__()
        self._operation = operation
        self._selection = selection
        self._trees = trees

    def __missing__(self, path: PathType) -> Route | None:
        meaning = self._selection.meanings[self._operation, path]
        route = self[path] = None if meaning is None else _route(meaning, self._trees)
        return route


def _route(meaning: Meaning, trees: Mapping[int, TreeState]) -> Route:
    freed = tuple((trees[tree], trees[tree].states[operator]) for tree, operator in meaning.freed)
    direct = None
    if meaning.direct:
        direct = tuple(
            (trees[tree].states[operator].take, child, index)
            for tree, plan in meaning.steps
            for operator, child, index in plan.deliveries
            if index is not None
        )
    return Route(
        direct,
        tuple((trees[tree], plan) for tree, plan in meaning.steps),
        meaning.alone,
        tuple(state for _, state in freed if isinstance(state, MultiplicityState) and state.refills),
        freed,
    )
