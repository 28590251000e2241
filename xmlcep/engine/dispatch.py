"""Dispatch: what events of a type mean, worked out at the first event of that type and looked up from then on.

`tree_dispatch` says what they mean to one tree, `TypeDispatch` to all trees that a detector evaluates (`ActiveTrees`).
Both depend on rules only, so all detectors of the same rules share them; `bound_dispatch` joins them to the running
states of one detector. So the work per event depends on the trees that can match it, not on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from path_types import PathType, equals_or_ends
from path_types.endings import ByEnding
from path_types.relations import offsets

from ..algebra import Promise, Termination
from ..algebra.promises import of_one
from ..arguments import COMPOSITE, ITERABLE, NAMES, check, optional
from ..errors import ArgumentError
from ..events import CompositeEvent, Scope
from ..rules.ending import endings
from ..rules.event_graph import EventGraph
from ..rules.trees import EventTree
from ..xpath import Expression
from .needs import document_needs
from .operators import promise
from .tree_dispatch import Delivery, TreeDispatch, composite_deliveries, primitive_dispatch, raised_at

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


class Touch(NamedTuple):
    """Whose expression (tree, postorder index) an event can turn true or false: at the elements at or above its node
    that have these absolute path types, None: at any (B1)."""

    place: tuple[int, int]
    above: tuple[PathType, ...] | None


@dataclass(frozen=True, slots=True)
class TypeDispatch:
    """What primitive events of one type mean to the chosen trees.

    ``steps`` are the trees that take them, in order of G2; ``watchers`` those that only have to know of them while a
    condition waits, by index; ``passes_on`` says that some tree may use what they raise at such an event; ``freed`` are
    the operators (tree, postorder index) of which a deleted node can be a group (G4).
    """

    steps: tuple[tuple[int, TreeDispatch], ...]
    watchers: Mapping[int, TreeDispatch]
    passes_on: bool
    freed: tuple[tuple[int, int], ...]


class ActiveTrees:
    """The chosen trees of a graph, in order of G2. Elsewhere they go by their index in the graph.

    ``reused`` is what is promised of the trees that each chosen one reuses; ``users`` are the chosen trees
    that use a tree, which may be an outside one; ``upstream`` are, for each chosen tree, the chosen deferring
    trees whose composites may still reach it, directly or by others, and ``timed`` those with timers; ``conditional``
    are those with a condition; ``asking`` those that ask the document or use the event of one that does (U2).
    ``becoming`` says what turns true or false at events of a type (B1). ``graph`` is the whole one; ``remembering`` is
    the language, if there is one, of an expression that remembers events (O1).
    ``by_type`` says what primitive events mean, by operation and path type, None if they mean nothing;
    ``composite_dispatch``, for each chosen tree, where it stores composites, by name and path type.
    """

    def __init__(self, graph: EventGraph, names: Collection[str]) -> None:
        self.trees = tuple(tree for tree in graph.trees if tree.name in names)
        promises = _promises_of_reused(graph)
        self.reused = {tree.index: promises[tree.index] for tree in self.trees}
        self.users = _users(self.trees)
        self.upstream = _upstream(graph, self.trees, _defers)
        self.timed = _upstream(graph, self.trees, _has_timers)
        self.conditional = frozenset(
            tree.index for tree in self.trees if any(operator.condition for operator in tree.operators)
        )
        self.asking = _asking(graph, self.trees)
        # Whether a leaf asks the document as it was before the edit that deletes its node (U2).
        self.asks_before = any(
            leaf is not None and leaf.needs_document
            for index in self.asking
            for program in graph.programs[index]
            for leaf in program.leaves
        )
        self.by_type: ByType[TypeDispatch | None] = _Answers(self._of_type)
        self.composite_dispatch: dict[int, ByType[tuple[Delivery, ...]]] = {
            tree.index: _Answers(partial(composite_deliveries, tree)) for tree in self.trees
        }
        self.becoming: ByType[tuple[Touch, ...]] = _Answers(self._touches)
        self._becomes = [
            ((tree.index, node.index), node.path, program.test)
            for tree in self.trees
            for node, program in zip(tree.operators, graph.programs[tree.index], strict=True)
            if program.test is not None
        ]
        self.graph = graph
        known = endings(graph)
        self.endings = {tree.name: known[tree.name] for tree in self.trees if tree.name in known}
        self.follows_time = any(tree.measured for tree in self.trees)
        self.defers = any(node.deferred for tree in self.trees for node in tree.operators)
        self.uses_time = graph.needs_time
        # Whether what is stored is all that they know of the past.
        self.forget = not any(
            node.definition.aside or node.definition.creates_empty or node.watches_group
            for tree in self.trees
            for node in tree.operators
        )
        self.remembering = _remembering(graph)
        self.needs = document_needs(self.trees, graph.programs) if self.asking else None
        self._candidates = lru_cache(_MOST_TYPES)(self._candidates_at)  # for all operations
        self._by_path = ByEnding(_by_path(self.trees))
        self._by_scope = _by_scope(self.trees)
        # Trees that events of any path may concern: for conditions (D4), or because something looks at its group.
        self._everywhere = self.conditional | {
            tree.index for tree in self.trees if any(node.watches_group for node in tree.operators)
        }
        self._indexes = {tree.name: tree.index for tree in graph.trees}

    def index_of(self, name: str) -> int:
        """The index of the event called so; raises `ValueError` if there is none."""
        try:
            return self._indexes[name]
        except KeyError:
            raise ValueError(f"{name!r} is not an event of these rules") from None

    def by_outside_tree(self, composites: Iterable[CompositeEvent]) -> dict[int, list[CompositeEvent]]:
        """Composites of outside trees by the tree that raised them, in the order of G2; without those that
        no chosen tree uses.

        Raises `ValueError` for composites that cannot come from outside.
        """
        check("feed()", composites=(composites, ITERABLE))
        composites = list(composites)
        for event in composites:
            check("feed()", composites=(event, COMPOSITE))
        found: dict[int, list[CompositeEvent]] = {}
        for event in sorted(composites, key=lambda event: event.ids):
            index = self._indexes.get(event.name)
            if index is None or index in self.reused:
                where = "not an event of these rules" if index is None else "evaluated by this very detector"
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

    def _of_type(self, operation: str, path: PathType) -> TypeDispatch | None:
        steps = []
        watchers: dict[int, TreeDispatch] = {}
        freed: list[tuple[int, int]] = []
        for tree in self._candidates(path):
            plan = primitive_dispatch(tree, operation, path)
            if plan is not None and plan.rechecks:
                watchers[tree.index] = plan
            if plan is not None and (plan.operators or plan.presences):
                steps.append((tree.index, plan))
            if operation == "del" and not tree.flat:
                freed += [
                    (tree.index, node.index) for node in tree.operators if equals_or_ends(node.path, path)
                ]
        if not (steps or watchers or freed):
            return None
        passes_on = any(self._passes_on(self.graph.trees[index], plan, path) for index, plan in steps)
        return TypeDispatch(tuple(steps), watchers, passes_on, tuple(freed))

    def _touches(self, operation: str, path: PathType) -> tuple[Touch, ...]:
        """What such an event can turn true or false (B1, B4)."""
        found = []
        for place, element, test in self._becomes:
            if test.reads_from(element, truth=True).touched_by(path.steps):
                above = [PathType.of(True, path.steps[:length]) for length in range(1, len(path) + 1)]
                touched = [each for each in above if equals_or_ends(element, each)]
                if looks_outside(test):
                    found.append(Touch(place, None))
                    continue
            else:  # it comes, or goes
                touched = [path] if operation != "upd" and equals_or_ends(element, path) else []
            if touched:
                found.append(Touch(place, tuple(touched)))
        return tuple(found)

    def _passes_on(self, tree: EventTree, plan: TreeDispatch, path: PathType) -> bool:
        """Whether another tree may take what this one raises at an event of this path."""
        users = self.users.get(tree.index, ())
        if tree.flat or any(node.deferred for node in tree.operators):
            return bool(users)
        return any(
            self.composite_dispatch[user][tree.name, place]
            for place in raised_at(tree, plan, path)
            for user in users
        )

    def _candidates_at(self, path: PathType) -> list[EventTree]:
        """The trees that have to be asked about primitive events of this path, in order of G2.

        A compatible leaf has this path or one that ends it (E2), and so has the operator of which a created
        or deleted node is a group; conditions are looked at for events below their node, too (D4).
        """
        indexes = set(self._everywhere).union(*self._by_path.of(path))
        if self._by_scope:
            indexes.update(
                index for place, trees in self._by_scope.items() if offsets(place, path) for index in trees
            )
        return [self.graph.trees[index] for index in sorted(indexes)]


def select(graph: EventGraph, names: Collection[str] | None) -> ActiveTrees:
    """The selection of the trees with these names; None: of all that are of one document (V11).

    Raises `ValueError` for a name that no tree has.
    """
    check("a detector", trees=(names, optional(NAMES)))
    return _select(graph, None if names is None else frozenset(names))


@lru_cache(maxsize=64)
def _select(graph: EventGraph, names: frozenset[str] | None) -> ActiveTrees:
    known = [tree.name for tree in graph.trees]
    if names is None:
        return ActiveTrees(graph, [tree.name for tree in graph.trees if not tree.across])
    unknown = sorted(names.difference(known))
    if unknown:
        raise ArgumentError(
            f"trees has {unknown[0]!r}, which is not an event of these rules: expected some of {', '.join(known)}"
        )
    return ActiveTrees(graph, names)


def looks_outside(test: Expression) -> bool:
    """Whether what turns true at an element may depend on what is outside of it."""
    return test.needs_document and not test.reads.stays_inside


def _remembering(graph: EventGraph) -> str | None:
    for tree in graph.programs:
        for program in tree:
            for leaf in program.leaves:
                opaque = None if leaf is None else leaf.opaque
                if opaque is not None and getattr(opaque.ask, "keeps_state", False):
                    return opaque.language
    return None


def _promises_of_reused(graph: EventGraph) -> list[Promise]:
    """For each tree of the graph what is promised of the trees that it reuses, wherever these run."""
    promised: list[Promise] = []
    reused: list[Promise] = []
    for tree in graph.trees:
        reused.append(of_one(promised[index] for index in tree.dependencies))
        promised.append(promise(tree.root, reused[-1]))
    return reused


def _users(chosen: Iterable[EventTree]) -> dict[int, tuple[int, ...]]:
    users: dict[int, tuple[int, ...]] = {}
    for tree in chosen:
        for used in tree.dependencies:
            users[used] = (*users.get(used, ()), tree.index)
    return users


def _defers(tree: EventTree) -> bool:
    return any(each.deferred and each.termination is not Termination.EARLIEST for each in tree.operators)


def _has_timers(tree: EventTree) -> bool:
    return any(each.has_timers for each in tree.operators)


def _upstream(
    graph: EventGraph, chosen: Collection[EventTree], raises_late: Callable[[EventTree], bool]
) -> dict[int, frozenset[int]]:
    """Outside trees raise nothing later than they could (see `Detector.feed`), but they may pass on."""
    late = {tree.index for tree in chosen if raises_late(tree)}
    above: list[frozenset[int]] = []
    for tree in graph.trees:
        above.append(
            frozenset(late.intersection(tree.dependencies)).union(
                *(above[used] for used in tree.dependencies)
            )
        )
    return {tree.index: above[tree.index] for tree in chosen}


def _asking(graph: EventGraph, chosen: Sequence[EventTree]) -> frozenset[int]:
    """The trees that wait for the ends of edits (U2)."""
    if not any(graph.asks_document(tree) for tree in chosen):
        return frozenset()  # where the others run, they are held back
    return graph.waiting_for_edits.intersection(tree.index for tree in chosen)


def _by_scope(chosen: Iterable[EventTree]) -> dict[PathType, frozenset[int]]:
    """The trees with leaves that take what is below a place (F5), by that."""
    found: dict[PathType, set[int]] = {}
    for tree in chosen:
        for leaf in tree.leaves():
            if leaf.type.scope is not Scope.NODE:
                found.setdefault(leaf.path, set()).add(tree.index)
    return {path: frozenset(indexes) for path, indexes in found.items()}


def _by_path(chosen: Iterable[EventTree]) -> dict[PathType, frozenset[int]]:
    found: dict[PathType, set[int]] = {}
    for tree in chosen:
        for path in (*(leaf.path for leaf in tree.leaves()), *(node.path for node in tree.operators)):
            found.setdefault(path, set()).add(tree.index)
    return {path: frozenset(indexes) for path, indexes in found.items()}
