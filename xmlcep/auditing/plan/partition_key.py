"""From rules to partition keys: which part of a document a pass over a log can replay by itself.

The argument, at length in `docs/audit.md`: every operator evaluates each group by itself (H1), a group is a
node (K1), and a composite goes up to a group whose node is an ancestor-or-self of the one that raised it (T4).
So all that can ever meet lies below the *key node* of an event: the outermost node on its path that can be the
group node of any operator of the trees concerned, whichever of several it is aligned to (P10). It depends on the
node's own path only, so two events with a group in common have the same key node.

One module because a plan and its reasons are found together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

from path_types import PathType, ends
from path_types.endings import ByEnding
from path_types.relations import offsets

from ...algebra import Termination
from ...events import CompositeType, PrimitiveType, Scope
from ...rules import Rules
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree, OperatorNode
from .reach import is_external, looks_outside, measured_trees, prompt_trees
from .reasons import reasons_for
from .timer_keys import TimerReach
from .value_keys import dividing_variables

DOCUMENT = -1
"""The key step of a pass whose trees see the whole document."""
VALUE = -2
"""The key step of a pass whose keys are the values of nodes."""


class Role(Enum):
    """What a record is to a pass."""

    FED = "fed"
    """It is replayed in its key's partition."""
    PASSING = "passing"
    """It lies in the key's part of the document but changes nothing there; it is dropped before the shuffle."""
    FOREIGN = "foreign"
    """It lies outside every key of the pass."""


class Route(NamedTuple):
    """Where records of one operation and path type go: the index of the key node's step (or `DOCUMENT`)."""

    role: Role
    step: int


FOREIGN = Route(Role.FOREIGN, DOCUMENT)


@dataclass(frozen=True, slots=True)
class Pass:
    """Event trees that are replayed together, each key of the document by itself.

    ``trees`` are in the order of G2 with their indexes in the whole graph. ``keys`` are the path types of the
    key nodes, empty when the trees see the whole document, or when the keys are values (``by_value``). ``reasons`` say
    in words why. A pass is replayed after those of lower ``level``; ``sources`` are the trees of other passes whose
    composites its own trees take, directly or not. ``asking`` are the indexes of its own trees and its sources that ask
    the document (U2); ``follows_edits`` says that edits matter to its own trees or to those that take what they raise.
    ``deferring`` are those of its own trees that wait for a release (D2, D3), and all whose composites these take.
    """

    index: int
    trees: tuple[EventTree, ...]
    keys: tuple[PathType, ...]
    reasons: tuple[str, ...]
    level: int = 0
    sources: tuple[EventTree, ...] = ()
    asking: frozenset[int] = frozenset()
    follows_edits: bool = False
    by_value: bool = False
    deferring: frozenset[int] = frozenset()

    @property
    def by_document(self) -> bool:
        """Whether the trees see each document as a whole."""
        return not (self.keys or self.by_value)

    @property
    def operators(self) -> Iterable[OperatorNode]:
        """The operators of all its trees."""
        return (operator for tree in self.trees for operator in tree.operators)

    @property
    def asks_document(self) -> bool:
        """Whether the state of the document below the key is needed (U2)."""
        return any(tree.index in self.asking for tree in self.trees)

    @property
    def measures(self) -> bool:
        """Whether durations matter, so that it has to be known what the clock of the document shows (W1, W2)."""
        return any(operator.windows for operator in self.operators)

    @property
    def has_timers(self) -> bool:
        """Whether anything is raised because time has passed (W5): the pass then follows the clock by itself."""
        return any(operator.has_timers for operator in self.operators)

    @property
    def fires_in_keys(self) -> bool:
        """Whether timers fire at time points that the records of their key do not tell (W5)."""
        return self.has_timers and not self.by_document

    @property
    def externals(self) -> tuple[str, ...]:
        """The external events that its trees are, or take (L7): what a rule raised is no record, and may come anywhere
        between two of them."""
        return tuple(tree.name for tree in self.trees if is_external(tree))

    @property
    def reads_clock(self) -> bool:
        """Whether each of its records has to say what the clock of the document shows there."""
        return self.measures and not self.by_document

    @property
    def watches_groups(self) -> bool:
        """Whether any event in a group matters, of whatever type (S3)."""
        return any(operator.watches_group for operator in self.operators)

    @property
    def has_boundaries(self) -> bool:
        """Whether it matters when the next change is elsewhere (D2)."""
        return any(operator.termination is Termination.NON_LOCAL for operator in self.operators)

    @property
    def has_flushes(self) -> bool:
        """Whether the ends of transactions and of the document release anything (D3), or make it due (Z14)."""
        return any(map(_is_released, self.trees)) or (self.has_timers and self.by_document)

    @property
    def closes_documents(self) -> bool:
        """Whether it matters where a document ends, or what it was before its first record; else all that is raised is
        raised at records."""
        return (
            self.has_boundaries or self.has_flushes or self.measures or self.follows_edits or self.asks_document
            or bool(self.externals)
        )  # fmt: skip

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

    def route(self, op: str, path: PathType) -> Route:
        """Where records of this operation and absolute path type go."""
        step = self.step(path)
        if step is None:
            return FOREIGN
        return Route(Role.FED if self._is_fed(op, path, step) else Role.PASSING, step)

    def is_touched(self, op: str, path: PathType) -> bool:
        """Whether such a record, itself or by what the sources raise at it, can leave something that waits for a
        release: for the end of the transaction (D3), or for what happens elsewhere (D2)."""
        step = self.step(path)
        if step is None:
            return False
        if self.measures or self.externals or self.watches_groups or self.by_value:
            if self._is_fed(op, path, step):
                return True
            concerned: Iterable[EventTree] = self.sources
        else:
            concerned = (tree for tree in (*self.trees, *self.sources) if tree.index in self.deferring)
        # A condition may become true at any record below its node, and the tree then raises.
        return any(tree.index in self.asking or _feeds(tree, op, path, step) for tree in concerned)

    def _is_fed(self, op: str, path: PathType, step: int) -> bool:
        """Whether such a record can change a result of its key."""
        if self.asks_document:
            return True  # expressions see all that happens below their node
        if self.externals or self.watches_groups or (self.measures and self.by_document):
            return True
        if self.sources and self.has_boundaries:
            return True  # what a composite completes may be released by the very record that raised it
        if self.by_value:
            return any(_takes(tree, op, path) for tree in self.trees)
        return any(_feeds(tree, op, path, step) for tree in self.trees)


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


def _feeds(tree: EventTree, op: str, path: PathType, step: int) -> bool:
    """Whether a leaf of the tree takes such a record, or an operator looks at it."""
    return _takes(tree, op, path) or any(_concerns(operator, op, path, step) for operator in tree.operators)


def _concerns(operator: OperatorNode, op: str, path: PathType, step: int) -> bool:
    """Whether the operator looks at records that none of its leaves takes."""
    # Within the key, a record elsewhere than a group is a boundary (D2). Other groups may lie in the key node's, unless
    # that is the only one of an absolute path.
    is_only = operator.path.absolute and len(operator.path) == step + 1
    if operator.termination is Termination.NON_LOCAL and not is_only:
        return True
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
        routes = [(index, self.passes[index].route(op, path)) for index in sorted(candidates)]
        return [(index, route.step) for index, route in routes if route.role is Role.FED]

    @property
    def asks_document(self) -> bool:
        """Whether any pass needs document state."""
        return any(each.asks_document for each in self.passes)

    @property
    def closes_documents(self) -> bool:
        """Whether it matters to any pass where documents end."""
        return any(each.closes_documents for each in self.passes)

    @property
    def reads_clock(self) -> bool:
        """Whether records have to say what the clock of their document shows."""
        return any(each.reads_clock for each in self.passes)

    @property
    def fires_in_keys(self) -> bool:
        """Whether any pass has timers and sees parts of documents: findings of these get their time points later."""
        return any(each.fires_in_keys for each in self.passes)


def make_plan(rules: Rules) -> Plan:
    """The plan for these rules: trees of one level with equal keys share a pass."""
    timers = TimerReach(rules.graph)
    parts, levels = _parts(rules.graph, timers)
    groups: dict[tuple[int, tuple[PathType, ...], bool], list[list[EventTree]]] = {}
    for part, level in sorted(zip(parts, levels, strict=True), key=lambda each: each[1]):
        by_value = all(dividing_variables(rules.graph, tree) for tree in part)
        groups.setdefault((level, _keys(rules.graph, timers, part), by_value), []).append(part)
    asking = frozenset(tree.index for tree in rules.graph.trees if rules.graph.asks_document(tree))
    waiting = rules.graph.waiting_for_edits
    following = waiting.union(*(rules.graph.trees[index].dependencies for index in waiting))
    passes = []
    for index, ((level, keys, by_value), together) in enumerate(groups.items()):
        trees = sorted((tree for part in together for tree in part), key=lambda tree: tree.index)
        sources = _sources(rules.graph, trees)
        reasons = tuple(reasons_for(rules.graph, timers, keys, together, sources, by_value=by_value))
        concerned = asking.intersection(tree.index for tree in (*trees, *sources))
        follows = not following.isdisjoint(tree.index for tree in trees)
        deferring = frozenset(
            tree.index for tree in rules.graph.with_used([tree for tree in trees if _is_released(tree)])
        )
        passes.append(
            Pass(
                index, tuple(trees), keys, reasons, level, sources, concerned, follows, by_value, deferring
            )
        )  # fmt: skip
    seeing_all = tuple(each.index for each in passes if _sees_all(each))
    return Plan(rules, tuple(passes), ByEnding(_by_path(passes)), seeing_all)


def _is_released(tree: EventTree) -> bool:
    """Whether anything in the tree waits for a release (D2, D3)."""
    return any(operator.termination is not Termination.EARLIEST for operator in tree.operators)


def _sees_all(each: Pass) -> bool:
    """Whether it may be fed with records of paths that none of its leaves and operators has."""
    if (
        each.externals
        or each.asks_document
        or each.has_boundaries
        or each.watches_groups
        or (each.measures and each.by_document)
    ):
        return True
    return any(leaf.type.scope is not Scope.NODE for tree in each.trees for leaf in tree.leaves())


def _by_path(passes: Sequence[Pass]) -> dict[PathType, tuple[int, ...]]:
    found: dict[PathType, dict[int, None]] = {}
    for each in passes:
        for tree in each.trees:
            for path in [*(leaf.path for leaf in tree.leaves()), *(node.path for node in tree.operators)]:
                found.setdefault(path, {})[each.index] = None
    return {path: tuple(indexes) for path, indexes in found.items()}


def _parts(graph: EventGraph, timers: TimerReach) -> tuple[list[list[EventTree]], list[int]]:
    """The trees in parts that are replayed together, and the level of each part.

    A tree and one whose composites it takes are in one part if their keys are the same anyway, if the
    latter's composites may come at other times than with a record of its own key (then the order in which
    they come can only be known where both are), or if the moments of what these are made of matter. No two parts depend
    on each other.
    """
    prompt, measured = prompt_trees(graph), measured_trees(graph)
    joined = [
        (tree.index, used)
        for tree in graph.trees
        for used in tree.dependencies
        if not prompt[used] or tree.index in measured
    ]
    while True:
        parts = _joined(graph, joined)
        place = {tree.index: number for number, part in enumerate(parts) for tree in part}
        above = {
            number: {place[used] for tree in part for used in tree.dependencies} - {number}
            for number, part in enumerate(parts)
        }
        keys = [_keys(graph, timers, part) for part in parts]
        same = [(number, other) for number in above for other in above[number] if keys[number] == keys[other]]
        if not same:
            try:
                return parts, _levels(above)
            except CycleError as error:
                same = list(pairwise(error.args[1]))
        joined += [(parts[number][0].index, parts[other][0].index) for number, other in same]


def _joined(graph: EventGraph, pairs: Iterable[tuple[int, int]]) -> list[list[EventTree]]:
    """The trees in groups: two that are a pair are in one group."""
    leader = list(range(len(graph.trees)))

    def find(index: int) -> int:
        while leader[index] != index:
            index = leader[index]
        return index

    for one, other in pairs:
        first, second = sorted((find(one), find(other)))
        leader[second] = first
    found: dict[int, list[EventTree]] = {}
    for tree in graph.trees:
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


def _keys(graph: EventGraph, timers: TimerReach, trees: list[EventTree]) -> tuple[PathType, ...]:
    """The key path types of trees that belong together; none: the document."""
    if any(tree.flat or looks_outside(graph, tree) for tree in trees):
        return ()
    if any(next(timers.obstacles(tree), None) is not None for tree in trees):
        return ()
    if any(map(is_external, trees)):
        # What a rule has raised has its place between all records; what takes it is in the same part.
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
