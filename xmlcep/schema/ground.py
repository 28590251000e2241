"""The nodes that documents of a schema have, as a graph of its declarations: what rules are checked against.

A kind of node is an element declaration by its index, of an attribute or text that of its element, or `UNKNOWN`: an
element that a wildcard lets in and the schema does not declare, in which anything can be. Where a path begins with a
name that the schema declares, that declaration is meant (`vocabulary`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache, cached_property

from path_types import PathType, Step

from ..checking.ground import UNKNOWN, Kinds
from .vocabulary import Vocabulary


class SchemaGround:
    """Which nodes valid documents of a schema can have; a `Ground`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = self.names = vocabulary
        self._globals = [i for i, each in enumerate(vocabulary.schema.declarations) if each.is_global]
        # Methods of an object that lives as long as a check.
        self.ending = cache(self._ending)
        self.below = cache(self._below)
        self._children = cache(self._all_children)
        self._inside = cache(self._all_inside)

    def _ending(self, path: PathType) -> Kinds:
        """The kinds of the nodes whose path is, or ends with, ``path``."""
        return frozenset(kind for start in self._starts(path) for kind in self.onward(start, path.steps[1:]))

    def onward(self, kind: int, steps: Sequence[Step]) -> Kinds:
        """The kinds of the nodes to which these steps lead from a node of this kind."""
        kinds = {kind}
        for step in steps:
            kinds = {following for each in kinds for following in self._step(each, step)}
            if not kinds:
                break
        return frozenset(kinds)

    def _below(self, kind: int, path: PathType) -> Kinds:
        """The kinds of the nodes to which ``path`` leads from anywhere inside a node of this kind."""
        starts = {
            each for place in self._inside(kind) for each in self._step(place, path.steps[0], begins=True)
        }
        return frozenset(node for start in starts for node in self.onward(start, path.steps[1:]))

    def example(self, path: PathType) -> PathType | None:
        """A short absolute path that is, or ends with, ``path``."""
        if path.absolute:
            return path
        for start in sorted(self._starts(path)):
            shortest = self._shortest(start)
            if shortest is not None and self.onward(start, path.steps[1:]):
                own = (path.steps[0],) if not path.steps[0].is_element else ()
                return PathType.of(True, (*shortest, *own, *path.steps[1:]))
        return None

    # the graph

    def _starts(self, path: PathType) -> Kinds:
        """The kinds of the nodes of a path's first step."""
        starts = self.vocabulary.starting(path)
        if starts is None:
            return frozenset([UNKNOWN])
        if not path.steps[0].is_element and self.vocabulary.is_open:
            return frozenset([UNKNOWN, *starts])
        return frozenset(starts)

    def _step(self, kind: int, step: Step, *, begins: bool = False) -> Iterable[int]:
        """The kinds of nodes one step further; ``begins``: with a step in which a path of the rules begins."""
        if kind == UNKNOWN:
            if not step.is_element:
                return (UNKNOWN,)
            known, unknown = self.vocabulary.globals_called(step.test), True
        elif not step.is_element:
            return (kind,) if self.vocabulary.has(kind, step) else ()
        else:
            known, unknown = self.vocabulary.called(kind, step.test)
        if begins and self.vocabulary.is_declared(step.test):
            unknown = False
        return (*known, UNKNOWN) if unknown else known

    def _all_children(self, kind: int) -> Kinds:
        """The kinds of the child elements."""
        if kind == UNKNOWN:
            return frozenset([*self._globals, UNKNOWN])
        found = self.vocabulary.all_children(kind)
        return frozenset([*found, UNKNOWN] if self.vocabulary.lets_in_unknown(kind) else found)

    def _all_inside(self, kind: int) -> Kinds:
        """This kind, and those of all elements inside."""
        found, waiting = {kind}, [kind]
        while waiting:
            fresh = self._children(waiting.pop()) - found
            found |= fresh
            waiting += fresh
        return frozenset(found)

    def _shortest(self, kind: int) -> tuple[Step, ...] | None:
        """The steps of a shortest path to an element of this kind; None if it leads through unknown ones."""
        steps: list[Step] = []
        above = self._above
        at: int | None = kind
        while at is not None:
            if at == UNKNOWN or at not in above:
                return None
            steps.append(Step.element(self.vocabulary.schema.declarations[at].name))
            at = above[at]
        return tuple(reversed(steps))

    @cached_property
    def _above(self) -> dict[int, int | None]:
        """For each kind the one above it on a shortest path, None for roots."""
        above: dict[int, int | None] = dict.fromkeys(self.vocabulary.schema.roots)
        waiting = deque(above)
        while waiting:
            kind = waiting.popleft()
            for child in sorted(self._children(kind)):
                if child not in above:
                    above[child] = kind
                    waiting.append(child)
        return above
