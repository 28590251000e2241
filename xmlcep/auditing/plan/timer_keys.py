"""Trees with timers that a key can replay by itself (rule W5).

In its key a timer fires when it does in the whole document, and between the same records, which bring the time along.
But at which time point that is comes out only where the findings of all keys are put in order. So nothing may ask for
it, and nothing may depend on what else happens there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...algebra import Sequence, Termination, Unit
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree, LeafNode, OperatorNode


class TimerReach:
    """How far what the timers of some rules raise gets, and what comes later than the records that it is made of."""

    def __init__(self, graph: EventGraph) -> None:
        self._graph = graph
        self._timed: set[int] = set()
        self._late: set[int] = set()
        for tree in graph.trees:  # dependencies come first (G2): each is asked once, however often it is used
            if self._is_timed(tree, tree.root):
                self._timed.add(tree.index)
            if self._comes_late(tree, tree.root):
                self._late.add(tree.index)

    def obstacles(self, tree: EventTree) -> Iterator[str]:
        """What keeps nodes from dividing a tree that may raise because time has passed, in words that go on after its
        name; nothing if it is none."""
        for operator in tree.operators:
            if operator.has_timers and any(window.unit is not Unit.TIME for window in operator.windows):
                yield "counts until something is due, and any record of the document counts (Z14)"
            sequence = isinstance(operator.definition, Sequence)
            if operator.has_timers and sequence and self._begins_late(tree, operator):
                yield "may wait for a time that is over when it begins to wait (A3)"
            if not any(self._is_timed(tree, child) for child in operator.children):
                continue
            if operator.termination is not Termination.EARLIEST:
                yield "waits for a release of what a timer raised, which any record of the document may be (D2, D3)"
            if any(window.unit is not Unit.TIME for window in operator.windows):
                yield "counts from or to what a timer raised, and any record of the document counts (W2)"
            program = self._graph.programs[tree.index][operator.index]
            if program.having is not None:
                yield "asks 'having' of what a timer raised, and says at which record if that takes too long (Q5)"
            for child, leaf in zip(operator.children, program.leaves, strict=True):
                asked = () if leaf is None else leaf.expressions
                if self._is_timed(tree, child) and any("ts" in expression.variables for expression in asked):
                    yield "asks for the $ts of what a timer raised, which any record of the document may be (W5)"

    def _is_timed(self, tree: EventTree, node: OperatorNode | LeafNode) -> bool:
        """Whether what it hands on may have been raised because time has passed."""
        if isinstance(node, LeafNode):
            return any(used.index in self._timed for used in self._graph.taken(tree, node))
        return node.has_timers or any(self._is_timed(tree, child) for child in node.children)

    def _begins_late(self, tree: EventTree, node: OperatorNode) -> bool:
        """Whether one of the operands of a sequence that have to occur may be handed to it late."""
        assert isinstance(node.definition, Sequence)
        return any(self._comes_late(tree, node.children[position]) for position in node.definition.positive)

    def _comes_late(self, tree: EventTree, node: OperatorNode | LeafNode) -> bool:
        """Whether it may hand on something later than at the last record of what that is made of: by a release, by a
        condition that came to hold, by a timer."""
        if isinstance(node, LeafNode):
            return any(used.index in self._late for used in self._graph.taken(tree, node))
        return (
            node.deferred or node.has_timers or any(self._comes_late(tree, child) for child in node.children)
        )
