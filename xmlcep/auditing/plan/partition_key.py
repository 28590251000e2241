"""From rules to partition keys: which part of a document can be replayed by itself.

The argument: every operator evaluates each group by itself (H1), a group is a
node (H1), and a composite goes up to a group whose node is an ancestor-or-self of the one that raised it (T4).
So all that can ever meet lies below the *key node* of an event: the outermost node on its path that can be the
group node of any operator of the trees concerned, whichever of several it is aligned to (P10). It depends on the
node's own path only, so two events with a group in common have the same key node. Trees that depend on what happens
elsewhere, too, see documents as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from path_types import PathType, ends
from path_types.endings import ByEnding
from path_types.relations import offsets

from ...events import CompositeType, PrimitiveType, Scope
from ...log.records import Row
from ...rules import Rules
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree, OperatorNode
from .reach import whole_trees
from .reasons import reasons_for

DOCUMENT = -1
"""The key step of a pass whose trees see the whole document."""
VALUE = -2
"""The key step of a pass whose keys are the values of nodes."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Event trees that are replayed together, each key of the document by itself.

    ``trees`` are in the order of G2 with their indexes in the whole graph. ``keys`` are the path types of the
    key nodes, empty when the trees see the whole document, or when the keys are values (``by_value``). ``reasons`` say
    in words why. A pass is replayed after those of lower ``level``; ``sources`` are the trees of other passes whose
    composites its own trees take, directly or not: that which sees whole documents evaluates them anew.
    """

    index: int
    trees: tuple[EventTree, ...]
    keys: tuple[PathType, ...]
    reasons: tuple[str, ...]
    level: int = 0
    sources: tuple[EventTree, ...] = ()
    by_value: bool = False

    @property
    def by_document(self) -> bool:
        """Whether the trees see each document as a whole."""
        return not (self.keys or self.by_value)

    @property
    def across(self) -> bool:
        """Whether the trees see all documents (V11)."""
        return self.trees[0].across

    @property
    def operators(self) -> Iterable[OperatorNode]:
        """The operators of all its trees."""
        return (operator for tree in self.trees for operator in tree.operators)

    @property
    def watches_groups(self) -> bool:
        """Whether any event in a group matters, of whatever type (S3)."""
        return any(operator.watches_group for operator in self.operators)

    @property
    def names(self) -> frozenset[str]:
        """The names of its trees."""
        return frozenset(tree.name for tree in self.trees)

    def rules(self, rules: Rules) -> Rules:
        """The part of ``rules``, from which the plan was made, that defines its trees and their sources."""
        return rules.part(_named(rules.graph, [*self.trees, *self.sources]))

    def step(self, path: PathType) -> int | None:
        """The index of the key node's step in this absolute path type; None: it lies outside every key."""
        return VALUE if self.by_value else key_step(self.keys, path) if self.keys else DOCUMENT

    def fed_at(self, op: str, path: PathType) -> int | None:
        """The `step` of records of this operation and absolute path type; None: they can change no result of a key."""
        step = self.step(path)
        return step if step is not None and self._is_fed(op, path, step) else None

    def _is_fed(self, op: str, path: PathType, step: int) -> bool:
        """Whether such a record can change a result of its key."""
        if self.by_document or self.watches_groups:
            return True
        if self.by_value:
            return any(_takes(tree, op, path) for tree in self.trees)
        return any(_feeds(tree, op, path) for tree in self.trees)


def _named(graph: EventGraph, trees: Iterable[EventTree]) -> set[str]:
    """The names of these trees and of all that their leaves name, even if what those raise can never reach them."""
    by_name = {tree.name: tree for tree in graph.trees}
    found: set[str] = set()
    pending = [tree.name for tree in trees]
    while pending:
        name = pending.pop()
        if name in by_name and name not in found:
            found.add(name)
            types = [leaf.type for leaf in by_name[name].leaves()]
            pending += [type_.name for type_ in types if isinstance(type_, CompositeType) and type_.name]
    return found


def _takes(tree: EventTree, op: str, path: PathType) -> bool:
    """Whether a leaf of the tree takes such a record."""
    return any(isinstance(leaf.type, PrimitiveType) and leaf.type.accepts(op, path) for leaf in tree.leaves())


def _feeds(tree: EventTree, op: str, path: PathType) -> bool:
    """Whether a leaf of the tree takes such a record, or an operator looks at it."""
    return _takes(tree, op, path) or any(_concerns(operator, op, path) for operator in tree.operators)


def _concerns(operator: OperatorNode, op: str, path: PathType) -> bool:
    """Whether the operator looks at records that none of its leaves takes."""
    if op == "ins":
        return operator.definition.creates_empty and _is_group_node(operator, path)
    # The end of a node ends its silent empties (M5) and frees its groups (G4).
    return op == "del" and _is_group_node(operator, path)


def _is_group_node(operator: OperatorNode, path: PathType) -> bool:
    return operator.path is path or ends(operator.path, path)


def key_step(keys: Sequence[PathType], path: PathType) -> int | None:
    """The index of the outermost step of ``path`` that ends one of ``keys``; None if there is none.

    >>> key_step([PathType.parse("item")], PathType.parse("/order/item/price"))
    1
    """
    steps = path.steps
    for index in range(len(steps)):
        for key in keys:
            size = len(key)
            if (size == index + 1 if key.absolute else size <= index + 1) and (
                steps[index + 1 - size : index + 1] == key.steps
            ):
                return index
    return None


def key_at(row: Row, step: int) -> int | str | None:
    """The key of a record whose key's step is this: a node's id, a value; None: the document."""
    if step == VALUE:
        return (row[5] if row[1] == "del" else row[4]) or ""
    return None if step == DOCUMENT else row[3][step]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a log is replayed under some rules: the passes, each over keys of its own."""

    rules: Rules
    passes: tuple[Pass, ...]
    by_path: ByEnding[tuple[int, ...]]
    """The passes that have a leaf or an operator of this path type."""
    seeing_all: tuple[int, ...]
    """The passes that may be fed with records of any path."""

    def feeds(self, op: str, path: PathType) -> list[tuple[int, int]]:
        """The passes that are fed with records of this operation and absolute path type, and the key's step.

        Passes that have nothing to do with the path are not looked at.
        """
        candidates = set(self.seeing_all).union(*self.by_path.of(path))
        steps = [(index, self.passes[index].fed_at(op, path)) for index in sorted(candidates)]
        return [(index, step) for index, step in steps if step is not None]

    @property
    def divided(self) -> tuple[Pass, ...]:
        """The passes whose keys are parts of documents."""
        return tuple(each for each in self.passes if not (each.by_document or each.across))

    @property
    def whole(self) -> Pass | None:
        """The pass that sees documents as a whole, if there is one."""
        return next((each for each in self.passes if each.by_document), None)


def make_plan(rules: Rules) -> Plan:
    """The plan for these rules: trees of one level with equal keys share a pass."""
    graph = rules.graph
    whole = whole_trees(graph)
    divided = [tree for tree in graph.trees if not (tree.index in whole or tree.across)]
    parts, levels = _parts(graph, divided)
    groups: dict[tuple[int, tuple[PathType, ...]], list[list[EventTree]]] = {}
    for part, level in sorted(zip(parts, levels, strict=True), key=lambda each: each[1]):
        groups.setdefault((level, _keys(part)), []).append(part)
    if graph.across:  # behind all others, as their keys are values, whatever the document is (V11)
        groups[len(parts), ()] = [[tree] for tree in graph.across]
    if whole:
        groups[-1, ()] = [[tree for tree in graph.trees if tree.index in whole]]
    passes = []
    for index, ((level, keys), together) in enumerate(groups.items()):
        trees = sorted((tree for part in together for tree in part), key=lambda tree: tree.index)
        by_value = level >= 0 and not keys
        sources = _sources(graph, trees)
        reasons = tuple(reasons_for(graph, keys, together, sources, by_value=by_value))
        passes.append(Pass(index, tuple(trees), keys, reasons, max(level, 0), sources, by_value))
    seeing_all = tuple(each.index for each in passes if _sees_all(each))
    return Plan(rules, tuple(passes), ByEnding(_by_path(passes)), seeing_all)


def _sees_all(each: Pass) -> bool:
    """Whether it may be fed with records of paths that none of its leaves and operators has."""
    if each.by_document or each.watches_groups:
        return True
    return any(leaf.type.scope is not Scope.NODE for tree in each.trees for leaf in tree.leaves())


def _by_path(passes: Sequence[Pass]) -> dict[PathType, tuple[int, ...]]:
    found: dict[PathType, dict[int, None]] = {}
    for each in passes:
        for tree in each.trees:
            for path in [*(leaf.path for leaf in tree.leaves()), *(node.path for node in tree.operators)]:
                found.setdefault(path, {})[each.index] = None
    return {path: tuple(indexes) for path, indexes in found.items()}


def _parts(graph: EventGraph, trees: Sequence[EventTree]) -> tuple[list[list[EventTree]], list[int]]:
    """These trees in parts that are replayed together, and the level of each part.

    A tree and one whose composites it takes are in one part if their keys are the same anyway. No two parts depend on
    each other.
    """
    joined: list[tuple[int, int]] = []
    while True:
        parts = _joined(trees, joined)
        place = {tree.index: number for number, part in enumerate(parts) for tree in part}
        above = {
            number: {place[used] for tree in part for used in tree.dependencies} - {number}
            for number, part in enumerate(parts)
        }
        keys = list(map(_keys, parts))
        same = [(number, other) for number in above for other in above[number] if keys[number] == keys[other]]
        if not same:
            try:
                return parts, _levels(above)
            except CycleError as error:
                same = list(pairwise(error.args[1]))
        joined += [(parts[number][0].index, parts[other][0].index) for number, other in same]


def _joined(trees: Sequence[EventTree], pairs: Iterable[tuple[int, int]]) -> list[list[EventTree]]:
    """The trees in groups: two that are a pair are in one group."""
    leader = {tree.index: tree.index for tree in trees}

    def find(index: int) -> int:
        while leader[index] != index:
            index = leader[index]
        return index

    for one, other in pairs:
        first, second = sorted((find(one), find(other)))
        leader[second] = first
    found: dict[int, list[EventTree]] = {}
    for tree in trees:
        found.setdefault(find(tree.index), []).append(tree)
    return list(found.values())


def _levels(above: Mapping[int, set[int]]) -> list[int]:
    """By part: how many parts, at most, have to come one after the other before it; `CycleError` for a cycle."""
    found: dict[int, int] = {}
    for number in TopologicalSorter(above).static_order():
        found[number] = max((found[other] + 1 for other in above[number]), default=0)
    return [found[number] for number in range(len(above))]


def _sources(graph: EventGraph, trees: Sequence[EventTree]) -> tuple[EventTree, ...]:
    """The trees outside whose composites these trees take, directly or not."""
    own = {tree.index for tree in trees}
    return tuple(tree for tree in graph.with_used(trees) if tree.index not in own)


def _keys(trees: Sequence[EventTree]) -> tuple[PathType, ...]:
    """The key path types of trees that belong together; none: their keys are values."""
    if any(tree.flat for tree in trees):
        return ()
    paths = dict.fromkeys(operator.path for tree in trees for operator in tree.operators)
    return tuple(sorted((path for path in paths if not _is_implied(path, paths)), key=str))


def _is_implied(path: PathType, paths: Iterable[PathType]) -> bool:
    """Whether wherever ``path`` ends a step, another of ``paths`` ends an earlier one or the same."""
    return any(
        offsets(other, path) and (len(other) < len(path) or path.absolute)
        for other in paths
        if other is not path
    )
