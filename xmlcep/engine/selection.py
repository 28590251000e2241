"""Which trees of an event graph a detector evaluates, and what events mean to them (G1, G2).

Nothing here changes by what happens, so detectors of the same rules and the same trees share it: what an
event of some type means is worked out once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from operator import and_
from typing import Generic, TypeAlias, TypeVar

from path_types import PathType, equals_or_ends

from ..algebra import ALL, Promise
from ..events import CompositeEvent
from ..rules.event_graph import EventGraph
from ..rules.trees import EventTree
from .plan import Delivery, Plan, composite_plan, primitive_plan
from .promises import promise

_MOST_TYPES = 10_000  # of which something is kept: documents may have names without end

Answer = TypeVar("Answer")
ByType: TypeAlias = Mapping[tuple[str, PathType], Answer]


class _Answers(dict[tuple[str, PathType], Answer], Generic[Answer]):
    """Answers about event types (an operation or a name, and a path type), each found when first asked for."""

    def __init__(self, find: Callable[[str, PathType], Answer]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: tuple[str, PathType]) -> Answer:
        if len(self) >= _MOST_TYPES:
            self.clear()
        answer = self[key] = self._find(*key)
        return answer


@dataclass(frozen=True, slots=True)
class Meaning:
    """What primitive events of one type mean to the chosen trees.

    ``steps`` are the trees that take them, in order of G2; ``alone`` says that none of these is used by
    another chosen tree; ``freed`` are the operators (tree, postorder index) of which a deleted node can be a
    group (G4). ``direct`` says that in each tree there is but one arrival, and nothing deferred.
    """

    steps: tuple[tuple[int, Plan], ...]
    alone: bool
    freed: tuple[tuple[int, int], ...]
    direct: bool


class Selection:
    """The chosen trees of a graph, in order of G2. Elsewhere they go by their index in the graph.

    ``reused`` is what is promised of the trees that each chosen one reuses; ``users`` are the chosen trees
    that use a tree, which may be an outside one; ``upstream`` are, for each chosen tree, the chosen deferring
    trees whose composites may still reach it, directly or by others; ``conditional`` are those with a
    condition. ``meanings`` has the meaning of primitive events by operation and path type, None if they mean
    nothing; ``composite_plans``, for each chosen tree, where it stores composites, by name and path type.
    """

    def __init__(self, graph: EventGraph, names: Collection[str]) -> None:
        self.trees = tuple(tree for tree in graph.trees if tree.name in names)
        promises = _promises_of_reused(graph)
        self.reused = {tree.index: promises[tree.index] for tree in self.trees}
        self.users = _users(self.trees)
        self.upstream = _upstream(graph, self.trees)
        self.conditional = frozenset(
            tree.index for tree in self.trees if any(operator.condition for operator in tree.operators)
        )
        self.meanings: ByType[Meaning | None] = _Answers(self._meaning)
        self.composite_plans: dict[int, ByType[tuple[Delivery, ...]]] = {
            tree.index: _Answers(partial(composite_plan, tree)) for tree in self.trees
        }
        self._graph = graph
        self._by_path = _by_path(self.trees)
        self._indexes = {tree.name: tree.index for tree in graph.trees}

    def by_outside_tree(self, composites: Iterable[CompositeEvent]) -> dict[int, list[CompositeEvent]]:
        """Composites of outside trees by the tree that raised them, in the order of N2; without those that
        no chosen tree uses.

        Raises `ValueError` for composites that cannot come from outside.
        """
        found: dict[int, list[CompositeEvent]] = {}
        for event in sorted(composites, key=lambda event: event.ids):
            index = self._indexes.get(event.name)
            if index is None or index in self.reused:
                where = "no event of these rules" if index is None else "evaluated by this very detector"
                raise ValueError(
                    f"a composite of {event.name!r} was fed, which is {where}: feed those of trees outside"
                )
            if event.operator is not None:
                raise ValueError(
                    f"a composite of {event.operator!r}, an inner operator of {event.name!r}, was fed: "
                    "feed what the root of the tree raises (its operator is None)"
                )
            if index in self.users:
                found.setdefault(index, []).append(event)
        return found

    def _meaning(self, operation: str, path: PathType) -> Meaning | None:
        steps = []
        freed: list[tuple[int, int]] = []
        direct = True
        for tree in self._candidates(path):
            plan = primitive_plan(tree, operation, path)
            if plan is not None:
                steps.append((tree.index, plan))
                deferred = any(operator.deferred for operator in tree.operators)
                direct = direct and plan.direct and not (deferred or tree.flat)
            if operation == "del" and not tree.flat:
                freed += [
                    (tree.index, node.index) for node in tree.operators if equals_or_ends(node.path, path)
                ]
        if not (steps or freed):
            return None
        alone = not any(index in self.users for index, _ in steps)
        return Meaning(tuple(steps), alone, tuple(freed), direct and alone and not freed)

    def _candidates(self, path: PathType) -> list[EventTree]:
        """The trees that have to be asked about primitive events of this path, in order of G2.

        A compatible leaf has this path or one that ends it (E2), and so has the operator of which a created
        or deleted node is a group; conditions are looked at for events below their node, too (D4).
        """
        indexes = set(self.conditional)
        for ending in path.endings:
            indexes |= self._by_path.get(ending, frozenset())
        return [self._graph.trees[index] for index in sorted(indexes)]


def select(graph: EventGraph, names: Collection[str] | None) -> Selection:
    """The selection of the trees with these names; None: of all trees.

    Raises `ValueError` for a name that no tree has.
    """
    return _select(graph, None if names is None else frozenset(names))


@lru_cache(maxsize=64)
def _select(graph: EventGraph, names: frozenset[str] | None) -> Selection:
    known = [tree.name for tree in graph.trees]
    if names is None:
        return Selection(graph, known)
    unknown = sorted(names.difference(known))
    if unknown:
        raise ValueError(
            f"trees has {unknown[0]!r}, which is no event of these rules: expected some of {', '.join(known)}"
        )
    return Selection(graph, names)


def _promises_of_reused(graph: EventGraph) -> list[Promise]:
    """For each tree of the graph what is promised of the trees that it reuses, wherever these run."""
    promised: list[Promise] = []
    reused: list[Promise] = []
    for tree in graph.trees:
        reused.append(reduce(and_, (promised[index] for index in tree.dependencies), ALL))
        promised.append(promise(tree.root, reused[-1]))
    return reused


def _users(chosen: Iterable[EventTree]) -> dict[int, tuple[int, ...]]:
    users: dict[int, tuple[int, ...]] = {}
    for tree in chosen:
        for used in tree.dependencies:
            users[used] = (*users.get(used, ()), tree.index)
    return users


def _upstream(graph: EventGraph, chosen: Collection[EventTree]) -> dict[int, frozenset[int]]:
    """Outside trees raise nothing later than they could (see `Detector.feed`), but they may pass on."""
    deferring = {tree.index for tree in chosen if any(operator.deferred for operator in tree.operators)}
    above: list[frozenset[int]] = []
    for tree in graph.trees:
        above.append(
            frozenset(deferring.intersection(tree.dependencies)).union(
                *(above[used] for used in tree.dependencies)
            )
        )
    return {tree.index: above[tree.index] for tree in chosen}


def _by_path(chosen: Iterable[EventTree]) -> dict[PathType, frozenset[int]]:
    found: dict[PathType, set[int]] = {}
    for tree in chosen:
        for path in (*(leaf.path for leaf in tree.leaves()), *(node.path for node in tree.operators)):
            found.setdefault(path, set()).add(tree.index)
    return {path: frozenset(indexes) for path, indexes in found.items()}
