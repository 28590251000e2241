"""Two operands in chronicle context, raised at once: the default, made short.

Every combination is raised and consumed when it becomes possible, so between events no group holds one. Of a
conjunction at most one operand has events waiting then, and a sequence, if its first operand raises what ends
when it arrives, keeps none of its second. So the state of a group is one list, and an arrival completes at
most one combination. These states raise exactly what `ConjunctionState` and `SequenceState` do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import TypeAlias

from contexts import CONTEXTS, Entry
from contexts.constraints import Objection
from contexts.grouping import Key

from ...algebra import Order
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, LeafNode, OperatorNode
from ..setting import Setting
from .state import Account, OperatorState

_new_tuple = tuple.__new__
Pair: TypeAlias = tuple[Entry, Entry]
Waiting: TypeAlias = dict[Key, list[Entry]]


def is_plain_pair(node: OperatorNode, tree: EventTree) -> bool:
    """Whether an operator of two operands can be one of these, as far as its context and termination go."""
    return (
        len(node.children) == 2
        and CONTEXTS[node.context.value].takes_oldest
        and not (
            tree.flat or tree.extended or node.deferred or node.may_repeat or node.definition.options.guard
        )
        and tree.order is Order.INTERVAL
        # What takes back what it raised wants to know of its consumption (M1, H7).
        and not any(child.definition.takes_back for child in node.children if not isinstance(child, LeafNode))
    )


class PairState(OperatorState, ABC):
    """What the two have in common: ``waiting`` are the waiting entries by group key."""

    waiting: tuple[Waiting, ...]

    @abstractmethod
    def combine(self, child: int, key: Key, entry: Entry) -> Pair | None:
        """Stores the arrival, or consumes what it completes a combination with and returns both."""

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        pair = self.combine(child, key, entry)
        if pair is None:
            return
        # What compose and hand_up do, without their calls and lists: most composites are raised here.
        (start, end, _, first, _), (other_start, other_end, _, second, _) = pair
        if other_start < start:
            start = other_start
        if other_end > end:
            end = other_end
        composer = self.composer
        path, length = composer.ancestors.get(first[2]) or composer.ancestor(first[2])
        parts = (
            composer.name, composer.label, path, first[3][:length], (first, second), start, end, cause, None, None,
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if composer.report is not None:
            composer.report.append(composite)
        parent = self.parent
        if parent is not None:
            above = key if self.same_groups else parent.grouping.place(path, composite[3])
            if above is not None:
                entry = (start, end, self.clock.point, composite, False)
                parent.taker.take(self.child_index, above, entry, cause)

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        for entry in arrivals:
            pair = self.combine(child, key, entry)
            if pair is not None:
                self.raise_combination(pair, cause)

    def forget(self, key: Key) -> None:
        for waiting in self.waiting:
            waiting.pop(key, None)

    def clear(self) -> None:
        for waiting in self.waiting:
            waiting.clear()
        super().clear()

    def size(self) -> int:
        return sum(len(entries) for waiting in self.waiting for entries in waiting.values())

    def group_keys(self) -> Collection[Key]:
        if len(self.waiting) == 1:
            return self.waiting[0].keys()
        return self.waiting[0].keys() | self.waiting[1].keys()


class PairConjunction(PairState):
    """Both operands have occurred; the oldest event of each is taken (H4)."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self._first: Waiting = {}
        self._second: Waiting = {}
        self.waiting = (self._first, self._second)

    def combine(self, child: int, key: Key, entry: Entry) -> Pair | None:
        others = self._first if child else self._second
        partners = others.get(key)
        if partners is not None:
            partner = partners.pop(0)
            if not partners:
                del others[key]
            return (partner, entry) if child else (entry, partner)
        _store(self._second if child else self._first, key, entry)
        return None

    def account(self, key: Key) -> Account:
        return Account((tuple(self._first.get(key, ())), tuple(self._second.get(key, ()))))


class PairSequence(PairState):
    """The first operand has occurred, then the second; the oldest first event is taken (H5).

    A second event that finds no first one before it never will, and is not kept (G4, C9).
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self._waiting: Waiting = {}
        self.waiting = (self._waiting,)

    def combine(self, child: int, key: Key, entry: Entry) -> Pair | None:
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

    def account(self, key: Key) -> Account:
        return Account((tuple(self._waiting.get(key, ())), ()))

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        if child and not any(other[1] < entry[0] for other in others[0]):
            return Objection("wrong-order", (*others[0][:1], entry))
        return super().lost(child, key, entry, others)


def _store(waiting: Waiting, key: Key, entry: Entry) -> None:
    entries = waiting.get(key)
    if entries is None:
        waiting[key] = [entry]
    else:
        entries.append(entry)
