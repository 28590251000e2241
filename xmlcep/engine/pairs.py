"""Two operands in chronicle context, raised at once: the default, made short.

Every combination is raised and consumed when it becomes possible, so between events no group holds one. Of a
conjunction at most one operand has events waiting then, and a sequence, if its first operand raises what ends
when it arrives, keeps none of its second. So the state of a group is one list, and an arrival completes at
most one combination. These states raise exactly what `ConjunctionState` and `SequenceState` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from contexts import Entry

from ..algebra import Conjunction, ContextName, Multiplicity, Promise
from ..algebra import Sequence as SequenceDefinition
from ..documents.replica import Replica
from ..events import CompositeEvent, PrimitiveEvent
from ..rules.trees import EventTree, LeafNode, OperatorNode
from .operator_state import OperatorState

_new_tuple = tuple.__new__
Pair: TypeAlias = tuple[Entry, Entry]
Waiting: TypeAlias = dict[int, list[Entry]]


def is_plain_pair(node: OperatorNode, tree: EventTree, operands: Sequence[Promise]) -> bool:
    """Whether the states of this module can stand for this operator, given what its operands promise."""
    if not isinstance(node.definition, (Conjunction, SequenceDefinition)) or len(operands) != 2:
        return False
    in_time = isinstance(node.definition, Conjunction) or (operands[0].prompt and operands[1].solid)
    return (
        in_time
        and node.context is ContextName.CHRONICLE
        and not (tree.flat or node.deferred or node.may_repeat)
        # Multiplicities take back what they raised, and want to know of its consumption (M1, H7).
        and not any(
            isinstance(child.definition, Multiplicity)
            for child in node.children
            if not isinstance(child, LeafNode)
        )
    )


class PairState(OperatorState):
    """What the two have in common: ``stores`` are the waiting entries by group key."""

    stores: tuple[Waiting, ...]

    def combine(self, child: int, key: int, entry: Entry) -> Pair | None:
        """Stores the arrival, or consumes what it completes a combination with and returns both."""
        raise NotImplementedError  # conjunction and sequence define their own

    def take(self, child: int, key: int, entry: Entry, cause: PrimitiveEvent) -> None:
        pair = self.combine(child, key, entry)
        if pair is None:
            return
        # What compose and hand_up do, without their calls and lists: most composites are raised here.
        (start, end, _, first, _), (other_start, other_end, _, second, _) = pair
        if other_start < start:
            start = other_start
        if other_end > end:
            end = other_end
        path, length = self.ancestors.get(first[2]) or self.ancestor(first[2])
        parts = (self.name, self.label, path, first[3][:length], (first, second), start, end, cause)
        composite = _new_tuple(CompositeEvent, parts)
        if self.report is not None:
            self.report.append(composite)
        parent = self.parent
        if parent is not None:
            above = key if self.same_groups else parent.grouping.key(path, composite[3])
            if above is not None:
                parent.take(self.child_index, above, (start, end, cause[0], composite, False), cause)

    def arrive(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        for entry in arrivals:
            pair = self.combine(child, key, entry)
            if pair is not None:
                self.raise_combination(pair, cause)

    def forget(self, key: int) -> None:
        for waiting in self.stores:
            waiting.pop(key, None)

    def clear(self, document: Replica | None) -> None:
        for waiting in self.stores:
            waiting.clear()

    def size(self) -> int:
        return sum(len(entries) for waiting in self.stores for entries in waiting.values())


class PairConjunction(PairState):
    """Both operands have occurred; the oldest event of each is taken (H4)."""

    def __init__(self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None) -> None:
        super().__init__(node, tree, report)
        self._first: Waiting = {}
        self._second: Waiting = {}
        self.stores = (self._first, self._second)

    def combine(self, child: int, key: int, entry: Entry) -> Pair | None:
        others = self._first if child else self._second
        partners = others.get(key)
        if partners is not None:
            partner = partners.pop(0)
            if not partners:
                del others[key]
            return (partner, entry) if child else (entry, partner)
        _store(self._second if child else self._first, key, entry)
        return None


class PairSequence(PairState):
    """The first operand has occurred, then the second; the oldest first event is taken (H5).

    A second event that finds no first one before it never will, and is not kept (G4, C9).
    """

    def __init__(self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None) -> None:
        super().__init__(node, tree, report)
        self._waiting: Waiting = {}
        self.stores = (self._waiting,)

    def combine(self, child: int, key: int, entry: Entry) -> Pair | None:
        if not child:
            _store(self._waiting, key, entry)
            return None
        waiting = self._waiting.get(key)
        if waiting is None or waiting[0][1] >= entry[0]:
            return None
        first = waiting.pop(0)
        if not waiting:
            del self._waiting[key]
        return first, entry


def _store(waiting: Waiting, key: int, entry: Entry) -> None:
    entries = waiting.get(key)
    if entries is None:
        waiting[key] = [entry]
    else:
        entries.append(entry)
