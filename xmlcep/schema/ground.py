"""The nodes that documents of a schema have, as a graph of its declarations: what rules are checked against.

A kind of node is an element declaration by its index, of an attribute or text that of its element, or `UNKNOWN`: an
element that a wildcard lets in and the schema does not declare, in which anything can be. Where a path begins with a
name that the schema declares, that declaration is meant (`vocabulary`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property

from path_types import PathType, Step

from ..checking.ground import UNKNOWN, Kinds
from .vocabulary import Vocabulary

_Place = tuple[int, int]
"""A kind of node, and how much of a group's path stands at the end of the path to it."""


class SchemaGround:
    """Which nodes valid documents of a schema can have; a `Ground`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = self.names = vocabulary
        self._globals = [i for i, each in enumerate(vocabulary.schema.declarations) if each.is_global]
        # Methods of an object that lives as long as a check.
        self.ending = cache(self._ending)
        self.alone = cache(self._alone)
        self._free = cache(self._reached_without)
        self._children = cache(self._all_children)
        self._called = cache(
            lambda name: frozenset(vocabulary.starting(PathType.of(False, [Step.element(name)])) or ())
        )

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

    def _alone(self, path: PathType, group: PathType) -> Kinds:
        """Those of the nodes at ``path`` in whose path ``group``, which stands in ``path``, stands once only (P3)."""
        if group.absolute or path.absolute:
            return self.ending(path)  # whoever asks has looked at the steps
        occurrences = _Occurrences(group)
        behind = path.steps[1:] if path.steps[0].is_element else path.steps
        found: set[int] = set()
        doubtful: dict[int, Kinds] = {}
        for start in self._starts(path):
            kinds = self.onward(start, path.steps[1:])
            shortest = self._shortest(start)
            if shortest is None or occurrences.count((*shortest, *behind)) == 1:
                found |= kinds
            elif not kinds <= found:
                doubtful[start] = kinds
        for start, matched in self._free(group) if doubtful else ():
            if start in doubtful and occurrences.count(behind, matched) == 1:
                found |= doubtful[start]
        return frozenset(found)

    def below(self, kind: int, path: PathType, group: PathType) -> Iterator[int]:
        """The kinds of the nodes to which ``path`` leads from anywhere inside a node of this kind, where ``group`` does
        not stand once more on the way."""
        occurrences = _Occurrences(group)
        rest, own = path.steps[1:], occurrences.count(path.steps)
        for place, matched in self._reached([(kind, occurrences.again)], occurrences):
            for start in self._step(place, path.steps[0], begins=True):
                if occurrences.count(path.steps, matched) == own:
                    yield from self.onward(start, rest)

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
        found = {child for _, children in self.vocabulary.all_children(kind) for child in children}
        return frozenset([*found, UNKNOWN] if self.vocabulary.lets_in_unknown(kind) else found)

    def _onwards(self, place: _Place, occurrences: _Occurrences) -> Iterator[tuple[Kinds, int, bool]]:
        """The places of child elements, in sets: their kinds, how much of the group's path stands there at the end,
        whether it is all."""
        kind, matched = place
        children = self._children(kind)
        for name in occurrences.names:
            called = children & self._called(name)
            if called:
                following, complete = occurrences.advance(matched, name)
                yield called, following, complete
                children -= called
        yield children, 0, False

    def _reached(self, begin: Iterable[_Place], occurrences: _Occurrences) -> Iterator[_Place]:
        """These places and all inside them, as far as the group's path does not stand there once more."""
        waiting = deque(begin)
        seen: dict[int, set[int]] = {}
        for kind, matched in waiting:
            seen.setdefault(matched, set()).add(kind)
        while waiting:
            place = waiting.popleft()
            yield place
            for children, following, complete in self._onwards(place, occurrences):
                if not complete:
                    known = seen.setdefault(following, set())
                    fresh = children - known
                    known |= fresh
                    waiting.extend((child, following) for child in fresh)

    def _reached_without(self, group: PathType) -> frozenset[_Place]:
        """All places to which a path leads in which ``group`` does not stand, but perhaps at the end."""
        occurrences = _Occurrences(group)
        found: set[_Place] = set()
        begin = []
        for root in self.vocabulary.schema.roots:
            matched, complete = occurrences.advance(0, self.vocabulary.schema.declarations[root].name)
            found.add((root, occurrences.length if complete else matched))
            if not complete:
                begin.append((root, matched))
        for place in self._reached(begin, occurrences):
            for children, following, complete in self._onwards(place, occurrences):
                found.update((child, occurrences.length if complete else following) for child in children)
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


class _Occurrences:
    """Where the steps of a relative path type end in longer paths, step by step (Knuth, Morris, Pratt)."""

    def __init__(self, group: PathType) -> None:
        self.wanted = () if group.absolute else tuple(map(_key, group.steps))
        self.names = frozenset(self.wanted)
        self.length = len(self.wanted)
        self.shorter = [0] * (self.length + 1)
        """How much of the path stands at the end of its first so many steps, and is less than that."""
        matched = 0
        for at in range(1, self.length):
            while matched and self.wanted[at] != self.wanted[matched]:
                matched = self.shorter[matched]
            matched += self.wanted[at] == self.wanted[matched]
            self.shorter[at + 1] = matched

    @property
    def again(self) -> int:
        """How much stands at the end of a path in which all of it does."""
        return self.shorter[self.length]

    def advance(self, matched: int, name: str) -> tuple[int, bool]:
        """How much stands at the end with one step more, and whether it is all, which is then taken as `again`."""
        if not self.length:
            return 0, False  # an absolute path stands at the beginning only
        if matched == self.length:
            matched = self.again
        while matched and self.wanted[matched] != name:
            matched = self.shorter[matched]
        matched += self.wanted[matched] == name
        return (self.again, True) if matched == self.length else (matched, False)

    def count(self, steps: Iterable[Step], matched: int = 0) -> int:
        """How often it ends in these steps behind ``matched``; what is matched in full there counts, too."""
        found = int(bool(self.length) and matched == self.length)
        for step in steps:
            matched, complete = self.advance(matched, _key(step))
            found += complete
        return found


def _key(step: Step) -> str:
    """A step as a name that no other step has: elements are by far the most."""
    return step.test if step.is_element else str(step)
