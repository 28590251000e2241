"""The event graph: which tree depends on which, and the order in which they are processed (G1, G2, N1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush

from path_types import PathType, ends

from ..algebra import EventDefinition, leaves_of
from ..errors import RuleProblem
from ..events import CompositeType
from ..suggestions import KnownNames
from .trees import EventTree, build_tree, composite_leaves


@dataclass(frozen=True, slots=True, eq=False)
class EventGraph:
    """All event trees in the order in which they are processed (G2, N1)."""

    trees: tuple[EventTree, ...]

    @property
    def has_conditions(self) -> bool:
        """Whether any operator has a termination condition, so that document state is needed (D4)."""
        return any(operator.condition for tree in self.trees for operator in tree.operators)


def build_graph(
    definitions: Iterable[EventDefinition],
    problems: list[RuleProblem],
    *,
    namespaces: Mapping[str, str] | None = None,
) -> EventGraph:
    """The event graph of these definitions; what is wrong with them is appended to ``problems``.

    ``namespaces`` (prefix to URI, ``""`` for the default) are those of the conditions' XPath expressions.
    A graph with problems must not be run.
    """
    given = list(definitions)
    trees: list[EventTree] = []
    for definition in given:
        tree = build_tree(definition, len(trees), problems, namespaces=namespaces)
        if tree is not None:
            trees.append(tree)
    _check_names(given, problems)
    return EventGraph(_in_processing_order(trees, problems))


def _in_processing_order(trees: list[EventTree], problems: list[RuleProblem]) -> tuple[EventTree, ...]:
    """The trees in the order of N1, their dependencies filled in; a cycle is a problem."""
    needs = _dependencies(trees)
    users: list[list[int]] = [[] for _ in trees]
    for user, used in enumerate(needs):
        for index in used:
            users[index].append(user)
    missing = [len(used) for used in needs]
    ready = [index for index, count in enumerate(missing) if not count]
    order: list[int] = []
    while ready:
        order.append(heappop(ready))
        for user in users[order[-1]]:
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, user)
    if len(order) < len(trees):
        _report_cycle(trees, needs, set(order), problems)
        return tuple(trees)
    place = {old: new for new, old in enumerate(order)}
    placed = [
        replace(trees[old], index=new, dependencies=tuple(sorted(place[i] for i in needs[old])))
        for new, old in enumerate(order)
    ]
    extended = _extended(placed)
    return tuple(replace(tree, extended=tree.index in extended) for tree in placed)


def _extended(trees: list[EventTree]) -> set[int]:
    """The trees whose composites carry moments and variables: those that need them, and all that these use."""
    found: set[int] = set()
    for tree in reversed(trees):
        if tree.index in found or tree.needs_moments:
            found |= {tree.index, *tree.dependencies}
    return found


def _dependencies(trees: list[EventTree]) -> list[list[int]]:
    """G1 for every tree: the trees whose composites may be compatible with one of its composite leaves."""
    named: dict[str, list[EventTree]] = {}
    for tree in trees:
        named.setdefault(tree.name, []).append(tree)
    return [
        sorted(
            {
                used.index
                for leaf in composite_leaves(user)
                for used in (trees if leaf.name is None else named.get(leaf.name, ()))
                if used.flat or _related(leaf.path, used.path)
            }
        )
        for user in trees
    ]


def _related(a: PathType, b: PathType) -> bool:
    return a is b or ends(a, b) or ends(b, a)


def _check_names(definitions: list[EventDefinition], problems: list[RuleProblem]) -> None:
    known = {definition.name for definition in definitions}
    names = KnownNames(known)
    for definition in definitions:
        for leaf in leaves_of(definition.expression):
            if not isinstance(leaf.type, CompositeType) or leaf.type.name is None or leaf.type.name in known:
                continue
            hint = names.did_you_mean(leaf.type.name) or "define it with  event NAME = …  (? takes any name)"
            problems.append(
                RuleProblem(
                    f"event {definition.name}: there is no event called {leaf.type.name}", hint, leaf.at
                )
            )


def _report_cycle(
    trees: list[EventTree], needs: list[list[int]], placed: set[int], problems: list[RuleProblem]
) -> None:
    """Names one cycle: from any unplaced tree along unplaced dependencies until one comes again."""
    path = [next(i for i in range(len(trees)) if i not in placed)]
    while True:
        following = next(i for i in needs[path[-1]] if i not in placed)
        if following in path:
            path = path[path.index(following) :]
            break
        path.append(following)
    first = trees[path[0]].definition
    names = " → ".join(trees[i].name for i in [*path, path[0]])
    problems.append(
        RuleProblem(
            f"events depend on each other in a cycle: {names} (G1)",
            "an event cannot be made of itself: break the cycle",
            first.at,
        )
    )
