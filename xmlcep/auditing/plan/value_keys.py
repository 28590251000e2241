"""Flat trees that values divide: what has one value never meets what has another (rules V2, V3).

In flat context the group is the join values alone. Where all operators of a tree group by one variable, and all its
leaves bind that to the value of the event's own node, each record has one value and belongs to that value's part.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...events import PrimitiveType, Scope
from ...rules.across import joined_throughout
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree, LeafNode


def dividing_variables(graph: EventGraph, tree: EventTree) -> frozenset[str]:
    """The variables whose values divide a tree; none: the tree sees the document as a whole."""
    if tree.across:
        return joined_throughout(graph.programs[tree.index], tree.operators)
    if not tree.flat or next(obstacles(graph, tree), None) is not None:
        return frozenset()
    return _joining(graph, tree)


def obstacles(graph: EventGraph, tree: EventTree) -> Iterator[str]:
    """What keeps values from dividing a flat tree, in words that go on after its name."""
    if tree.dependencies or any(tree.index in other.dependencies for other in graph.trees):
        yield "uses the events of others, or is used by others (G1)"
    if any(node.watches_group for node in tree.operators):
        yield "looks at whatever happens in a group (S3)"
    if not _joining(graph, tree):
        yield "is not joined throughout by a variable that all its leaves bind to their nodes' values (V2)"


def _joining(graph: EventGraph, tree: EventTree) -> frozenset[str]:
    programs = graph.programs[tree.index]
    found = joined_throughout(programs, tree.operators)
    for node, program in zip(tree.operators, programs, strict=True):
        for child, leaf in zip(node.children, program.leaves, strict=True):
            if isinstance(child, LeafNode):
                if leaf is None or leaf.opaque is not None or not _is_one_node(child):
                    return frozenset()
                found &= frozenset(
                    name
                    for asked in leaf.questions.values()
                    for name, expression in asked.bindings
                    if expression is None
                )
    grouping = any(program.grouping.names for program in programs)
    return found if grouping else frozenset()


def _is_one_node(leaf: LeafNode) -> bool:
    """Whether it takes primitive events at nodes of its own path type only."""
    return isinstance(leaf.type, PrimitiveType) and leaf.type.scope is Scope.NODE
