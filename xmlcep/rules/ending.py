"""What rules alone say of the end of events: of which a finding is known to be the last at its node (rule Y11)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from path_types import PathType
from path_types.relations import either_ends, equals_or_ends, offsets

from ..algebra import ContextName
from ..events import ANY, CompositeType, PrimitiveType, Scope
from .event_graph import EventGraph
from .trees import EventTree, LeafNode, OperatorNode

_JOINING = ("conjunction", "sequence")
_USING_UP = (ContextName.CHRONICLE, ContextName.CUMULATIVE)


class Ending(NamedTuple):
    """``once``: an event is raised at a node at most once; ``with_node``: when the node is deleted, perhaps, and
    not later."""

    once: bool
    with_node: bool


@lru_cache(maxsize=64)
def endings(graph: EventGraph) -> Mapping[str, Ending]:
    """How events end, by name; without those of which nothing is known."""
    once: dict[str, PathType] = {}
    found = {}
    for tree in graph.trees:  # dependencies come first (G2)
        if not tree.flat and _at_most_once(tree.root, graph, tree, once):
            once[tree.name] = tree.path
        used = graph.with_used([tree])
        ending = Ending(tree.name in once, any(map(_takes_deletions, used)) and all(map(_is_prompt, used)))
        if any(ending):
            found[tree.name] = ending
    return found


def _takes_deletions(tree: EventTree) -> bool:
    return any(
        isinstance(leaf.type, PrimitiveType) and leaf.type.operation in ("del", ANY) for leaf in tree.leaves()
    )


def _is_prompt(tree: EventTree) -> bool:
    """Whether whatever it raises it raises at a change of its node or below, as soon as it can."""
    late = any(each.deferred or each.has_timers or each.kind == "external" for each in tree.operators)
    return not (tree.flat or late)


def _at_most_once(
    node: OperatorNode, graph: EventGraph, tree: EventTree, once: Mapping[str, PathType]
) -> bool:
    """Whether an operator uses up an event that there is once in each of its groups; ``once`` are events that are
    raised once, with their paths."""
    if graph.programs[tree.index][node.index].grouping.names:
        return False
    unique = [
        _at_most_once(child, graph, tree, once) and child.path is node.path
        if isinstance(child, OperatorNode)
        else occurs_once(child, node.path, "ins", "del") or _is_raised_once(child, node.path, once)
        for child in node.children
    ]
    if node.kind == "disjunction":
        return unique == [True]
    definition = node.definition
    needed = set(definition.required).difference(definition.aside, node.optional)
    return node.kind in _JOINING and node.context in _USING_UP and any(unique[k] for k in needed)


def occurs_once(leaf: LeafNode, group: PathType, *operations: str) -> bool:
    """Whether a leaf takes nothing but one of these operations on the node of its group, of which there is one."""
    type_ = leaf.type
    is_of_node = (
        isinstance(type_, PrimitiveType) and type_.scope is Scope.NODE and type_.operation in operations
    )
    return is_of_node and _is_at(leaf.path, group)


def _is_raised_once(leaf: LeafNode, group: PathType, once: Mapping[str, PathType]) -> bool:
    type_ = leaf.type
    used = (
        once.get(type_.name or "") if isinstance(type_, CompositeType) and type_.scope is Scope.NODE else None
    )
    return used is not None and _is_at(leaf.path, group) and either_ends(leaf.path, used)


def _is_at(path: PathType, group: PathType) -> bool:
    """Whether nodes of a path are the nodes of groups; ``item`` is the outer one in ``item/item``, too."""
    return equals_or_ends(group, path) and len(offsets(group, path)) == 1
