"""Which trees of an event graph a detector evaluates, and how these hang together (G1, G2).

Nothing here changes while events come in, so detectors of the same rules and the same trees share it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import and_

from path_types import PathType

from ..event_graph import EventGraph
from ..events import CompositeEvent
from ..trees import EventTree
from .promises import ALL, Promise, promise


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The chosen trees of a graph, in order of G2. Trees are meant by their index in the graph.

    ``reused`` is what is promised of the trees that each chosen one reuses; ``users`` are the chosen trees
    that use a tree, which may be an outside one; ``upstream`` are, for each chosen tree, the chosen deferring
    trees whose composites may still reach it, directly or by others; ``by_path`` are the trees by the path
    types of their leaves and operators, ``conditional`` those with a condition; ``names`` has all trees of
    the graph.
    """

    trees: tuple[EventTree, ...]
    reused: Mapping[int, Promise]
    users: Mapping[int, tuple[int, ...]]
    upstream: Mapping[int, frozenset[int]]
    by_path: Mapping[PathType, frozenset[int]]
    conditional: frozenset[int]
    names: Mapping[str, int]

    def candidates(self, path: PathType) -> list[int]:
        """The trees that have to be asked about primitive events of this path, in order of G2.

        A compatible leaf has this path or one that ends it (E2), and so has the operator of which a created
        or deleted node is a group; conditions are looked at for events below their node, too (D4).
        """
        indexes = set(self.conditional)
        for ending in (path, *(PathType.of(False, path.steps[start:]) for start in range(len(path)))):
            indexes |= self.by_path.get(ending, frozenset())
        return sorted(indexes)

    def by_outside_tree(self, composites: Iterable[CompositeEvent]) -> dict[int, list[CompositeEvent]]:
        """Composites of outside trees by the tree that raised them, in the order of N2; without those that
        no chosen tree uses.

        Raises `ValueError` for composites that cannot come from outside.
        """
        found: dict[int, list[CompositeEvent]] = {}
        for event in sorted(composites, key=lambda event: event.ids):
            index = self.names.get(event.name)
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


def select(graph: EventGraph, names: Collection[str] | None) -> Selection:
    """The selection of the trees with these names; None: of all trees.

    Raises `ValueError` for a name that no tree has.
    """
    return _select(graph, None if names is None else frozenset(names))


@lru_cache(maxsize=64)
def _select(graph: EventGraph, names: frozenset[str] | None) -> Selection:
    indexes = {tree.name: tree.index for tree in graph.trees}
    unknown = sorted(names - indexes.keys()) if names is not None else []
    if unknown:
        raise ValueError(
            f"trees has {unknown[0]!r}, which is no event of these rules: expected some of {', '.join(indexes)}"
        )
    chosen = tuple(tree for tree in graph.trees if names is None or tree.name in names)
    promises = _promises_of_reused(graph)
    return Selection(
        chosen,
        {tree.index: promises[tree.index] for tree in chosen},
        _users(chosen),
        _upstream(graph, chosen),
        _by_path(chosen),
        frozenset(tree.index for tree in chosen if any(operator.condition for operator in tree.operators)),
        indexes,
    )


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
