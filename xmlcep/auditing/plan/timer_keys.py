"""Trees with timers that a key can replay by itself (rule W5).

In its key a timer fires when it does in the whole document, and between the same records, which bring the time along.
But at which time point that is comes out only where the findings of all keys are put in order. So nothing may ask for
it, and nothing may depend on what else happens there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...algebra import Termination, Unit
from ...events import CompositeType
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree, LeafNode, OperatorNode


def timer_obstacles(graph: EventGraph, tree: EventTree) -> Iterator[str]:
    """What keeps nodes from dividing a tree that may raise because time has passed, in words that go on after its name;
    nothing if it is none."""
    reach = _Reach(graph, tree)
    for operator in tree.operators:
        if operator.has_timers and any(window.unit is not Unit.TIME for window in operator.windows):
            yield "counts until something is due, and any record of the document counts (Z14)"
        if operator.has_timers and operator.kind == "sequence" and reach.comes_late(tree, operator):
            yield "may wait for a time that is over when it begins to wait (A3)"
        if not any(reach.is_timed(tree, child) for child in operator.children):
            continue
        if operator.termination is not Termination.EARLIEST:
            yield "waits for a release of what a timer raised, which any record of the document may be (D2, D3)"
        if any(window.unit is not Unit.TIME for window in operator.windows):
            yield "counts from or to what a timer raised, and any record of the document counts (W2)"
        program = graph.programs[tree.index][operator.index]
        if program.having is not None:
            yield "asks 'having' of what a timer raised, and says at which record if that takes too long (Q5)"
        for child, leaf in zip(operator.children, program.leaves, strict=True):
            asked = () if leaf is None else leaf.expressions
            if reach.is_timed(tree, child) and any("ts" in expression.variables for expression in asked):
                yield "asks for the $ts of what a timer raised, which any record of the document may be (W5)"


class _Reach:
    """How far what timers raise gets, and what comes later than the records that it is made of."""

    def __init__(self, graph: EventGraph, tree: EventTree) -> None:
        self._graph = graph
        # Of all that the tree is built on, dependencies first (G2): asked once each, however often they are used.
        self._timed: set[int] = set()
        self._late: set[int] = set()
        for index in sorted(_below(graph, tree)):
            used = graph.trees[index]
            if self.is_timed(used, used.root):
                self._timed.add(index)
            if _is_late(used.root) or self.comes_late(used, used.root):
                self._late.add(index)

    def is_timed(self, tree: EventTree, node: OperatorNode | LeafNode) -> bool:
        """Whether what it hands on may have been raised because time has passed."""
        if isinstance(node, LeafNode):
            return any(used.index in self._timed for used in self._taken(tree, node))
        return node.has_timers or any(self.is_timed(tree, child) for child in node.children)

    def comes_late(self, tree: EventTree, node: OperatorNode) -> bool:
        """Whether it may be handed something later than at the last record of what that is made of: by a release, by a
        condition that came to hold, by a timer."""
        for child in node.children:
            if isinstance(child, LeafNode):
                if any(used.index in self._late for used in self._taken(tree, child)):
                    return True
            elif _is_late(child) or self.comes_late(tree, child):
                return True
        return False

    def _taken(self, tree: EventTree, leaf: LeafNode) -> list[EventTree]:
        """The trees whose composites a leaf may take."""
        if not isinstance(leaf.type, CompositeType):
            return []
        used = (self._graph.trees[index] for index in tree.dependencies)
        return [each for each in used if leaf.type.name in (None, each.name)]


def _below(graph: EventGraph, tree: EventTree) -> set[int]:
    """The trees that it uses, directly or not."""
    found: set[int] = set()
    todo = [*tree.dependencies]
    while todo:
        index = todo.pop()
        if index not in found:
            found.add(index)
            todo += graph.trees[index].dependencies
    return found


def _is_late(node: OperatorNode) -> bool:
    return node.deferred or node.has_timers
