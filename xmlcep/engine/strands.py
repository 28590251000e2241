"""Strands: events that concern the same trees have to come in their order, others need not.

Where an event is over when it was taken, a tree knows nothing of what others take. So the events of one strand may be
replayed before those of the next, and what each strand needs stays at hand: of many rules all would be in use in turns.
"""

from __future__ import annotations

from collections.abc import Iterable

from path_types import PathType

from .dispatch import ActiveTrees


class Strands:
    """To which strand events of a type belong: that of all trees that take them, or that use what these raise."""

    def __init__(self, active: ActiveTrees) -> None:
        self._by_type = active.by_type
        # Towards the tree that stands for all of its strand.
        self._towards = {tree.index: tree.index for tree in active.trees}
        for used, users in active.users.items():
            self._join([each for each in (used, *users) if each in self._towards])

    def of(self, types: Iterable[tuple[str, PathType]]) -> list[int]:
        """For each of these types, operation and path, the number of its strand; -1 where no tree takes it.

        Strands become one where a type concerns trees of both, so all types that occur have to be asked for at once.
        """
        trees = [self._concerned(*each) for each in types]
        return [self._find(index) if index >= 0 else -1 for index in trees]

    def _concerned(self, operation: str, path: PathType) -> int:
        """One of the trees that a type concerns, which are all of one strand from now on."""
        dispatch = self._by_type[operation, path]
        if dispatch is None:
            return -1
        trees = [index for index, _ in (*dispatch.steps, *dispatch.freed)] + list(dispatch.watchers)
        self._join(trees)
        return trees[0]

    def _join(self, trees: list[int]) -> None:
        first = self._find(trees[0]) if trees else -1
        for index in trees[1:]:
            self._towards[self._find(index)] = first

    def _find(self, index: int) -> int:
        towards = self._towards
        while towards[index] != index:
            towards[index] = index = towards[towards[index]]
        return index
