"""At which elements an edit turns an expression true or false (rules B1 to B4).

Nothing is remembered of elements: what an expression was before an edit is asked before it, of the document as it is
then. So an element is asked twice at an edit that changes something which the expression reads there, and otherwise
never.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from path_types import PathType

from ..events import PrimitiveEvent
from .dispatch import ActiveTrees
from .operators.becomes import BecomesState, Turn
from .timers import Due
from .tree import TreeState

Turns: TypeAlias = Mapping[int, Mapping[int, list[Due]]]
"""What turns at a record, by its time point and the tree: the operators' elements, as what is due there."""


class Asked:
    """What an expression was at elements before an edit, by the ids that lead to them, with their absolute path types;
    ``everywhere``: at all that there were."""

    def __init__(self, state: BecomesState) -> None:
        self.state = state
        self.elements: dict[tuple[int, ...], tuple[PathType, bool]] = {}
        self.everywhere = False

    def ask(self, path: PathType, ids: tuple[int, ...]) -> None:
        """What it is at an element."""
        if ids not in self.elements:
            self.elements[ids] = (path, self.state.is_true(path, ids))

    def ask_everywhere(self) -> None:
        """The edit changes something outside of elements: it may be another at any (B1)."""
        if not self.everywhere:
            self.everywhere = True
            for path, ids in self.state.elements():
                self.ask(path, ids)

    def turned(self) -> Iterator[Turn]:
        """Where it is another after the edit."""
        if self.everywhere:
            for path, ids in self.state.elements():
                self.elements.setdefault(ids, (path, False))
        for ids, (path, was_true) in self.elements.items():
            if self.state.is_true(path, ids) != was_true:
                yield Turn(path, ids, not was_true)


class Becoming:
    """Asks the states of what becomes true about the elements that an edit touches."""

    def __init__(self, active: ActiveTrees, trees: Mapping[int, TreeState]) -> None:
        self._touched = active.becoming
        self._states = {
            (index, state.node.index): state
            for index, tree in trees.items()
            for state in tree.states
            if isinstance(state, BecomesState)
        }

    def concerns(self, event: PrimitiveEvent) -> bool:
        """Whether such a record, which may be a tuple of its layout, can turn an expression true or false."""
        return bool(self._states) and bool(self._touched[event[1], event[2]])

    def before(self, events: Collection[PrimitiveEvent]) -> list[Asked]:
        """Asks what may turn in the edit that is about to happen."""
        asked = {place: Asked(state) for place, state in self._states.items()}
        for event in events if asked else ():
            for place, above in self._touched[event.op, event.path]:
                if above is None:
                    asked[place].ask_everywhere()
                for path in above or ():
                    asked[place].ask(path, event.ids[: len(path)])
        return list(asked.values())

    def after(self, asked: Collection[Asked], events: Sequence[PrimitiveEvent]) -> Turns:
        """What has turned in the edit that has happened, at the records that did it (B2)."""
        turns: dict[int, dict[int, list[Due]]] = {}
        last: dict[int, int] = {}
        for each in asked:
            for turn in each.turned():
                last = last or {node: event.ts for event in events for node in event.ids}
                node = turn.ids[-1]
                ts = last.get(node, events[-1].ts)
                each.state.turns[node] = turn
                turns.setdefault(ts, {}).setdefault(each.state.tree_index, []).append(
                    each.state.due(ts, node)
                )
        return turns
