"""Two primitive events within a window, in chronicle context, made short: what is too old is let go, and of what is
left the oldest is taken (Q1, W3).

Primitive events come in the order of their moments, so that of those stored the oldest go first, and what is too far
from an arrival is too far from all that is still to come (G4). All of them raise exactly what `ConjunctionState` and
`SequenceState` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contexts import CONTEXTS, Entry
from contexts.constraints import Order
from contexts.entry import FIRST, LAST
from contexts.grouping import Key
from contexts.pairing import Pair, Stored
from contexts.search import Constrained

from ...algebra import Order as TimeOrder
from ...events import Cause, CompositeEvent, PrimitiveType
from ...rules.trees import EventTree, LeafNode, OperatorNode
from ..setting import Setting
from ..timers import MEASURE, Due
from .choosing import reach
from .chronicle_pairs import ChroniclePairConjunction, ChroniclePairSequence
from .combining import window_constraints
from .pairs import Item, PairState


def is_windowed_pair(node: OperatorNode, tree: EventTree, setting: Setting) -> bool:
    """Whether an operator of two operands can be one of these."""
    definition, program = node.definition, setting.programs[tree.index][node.index]
    options = definition.options
    return (
        len(node.children) == 2
        and not setting.general
        and options.within is not None
        and node.windows == (options.within,)
        and CONTEXTS[node.context.value].takes_oldest
        and not (node.deferred or tree.flat or node.may_repeat or options.guard or options.strict)
        and tree.order is TimeOrder.INTERVAL
        and not (program.having or (program.grouping.names and definition.optional_binders))
        and all(isinstance(leaf, LeafNode) and isinstance(leaf.type, PrimitiveType) for leaf in node.children)
    )


class WindowedPairState(PairState):
    """What both have in common: ``watched`` says of groups until when the oldest event is not too old, as it was when
    a timer was set for that."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        within = node.definition.options.within
        assert within is not None
        self.within = within
        self._reach, self._measure = reach(within), MEASURE[within.unit]
        self.watched: dict[Key, int] = {}

    def let_go(self, groups: dict[Key, Stored], key: Key, oldest: int) -> Stored | None:
        """What a group has in this store that does not begin before this; None if that is nothing."""
        stored = groups.get(key)
        if stored is None:
            return None
        measure, gone = self._measure, 0
        while gone < len(stored) and stored[gone][FIRST][measure] < oldest:
            gone += 1
        if gone == len(stored):
            del groups[key]
            self.drop_key(key)
            return None
        del stored[:gone]
        return stored

    def keep(self, groups: dict[Key, Stored], key: Key, entry: Entry) -> None:
        """Stores an event."""
        stored = groups.get(key)
        if stored is not None:
            stored.append(entry)
            return
        groups[key] = [entry]
        self.note_key(key)
        if key not in self.watched:
            self._watch(key, entry)

    def first_since(self, entry: Entry) -> int:
        """Of events before this one those are not too old that begin then or later."""
        since: int = entry[LAST][self._measure] - self._reach
        return since

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        pairs = self.add(child, key, (entry,), self.clock.point)
        if pairs:
            self.raise_pairs(pairs, key, cause)

    def expire(self, due: Due) -> None:
        key = due.key
        if self.watched.get(key) != due.at:
            return
        del self.watched[key]
        stored = [self.let_go(groups, key, due.at - self._reach + 1) for groups in self.kept()]
        oldest = [entries[0] for entries in stored if entries]
        if oldest:
            self._watch(key, oldest[0])

    def by_group(self) -> tuple[dict[Key, Any], ...] | None:
        groups = super().by_group()
        return None if groups is None else (*groups, self.watched)

    def kept(self) -> Sequence[dict[Key, Stored]]:
        """Where events are stored, by group; of a group in one of them at most."""
        raise NotImplementedError

    def _watch(self, key: Key, entry: Entry) -> None:
        until = self.watched[key] = entry[FIRST][self._measure] + self._reach
        self.setting.expiries.set(self.within.unit, self.due(until, key))


class WindowedPairConjunction(WindowedPairState, ChroniclePairConjunction):
    """Both operands have occurred."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.exists = Constrained(window_constraints(node), ordered=False, tries=setting.tries)

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        own, others = (self._second, self._first) if child else (self._first, self._second)
        pairs = []
        for item in items:
            partners = self.let_go(others, key, self.first_since(item))
            if partners is None:
                self.keep(own, key, item)
                continue
            other = partners.pop(0)
            if not partners:
                del others[key]
                self.drop_key(key)
            pairs.append((other, item) if child else (item, other))
        return pairs

    def kept(self) -> Sequence[dict[Key, Stored]]:
        return self._first, self._second

    def forget(self, key: Key) -> None:
        super().forget(key)
        self.watched.pop(key, None)

    def clear(self) -> None:
        super().clear()
        self.watched.clear()


class WindowedPairSequence(WindowedPairState, ChroniclePairSequence):
    """The first operand has occurred, then the second."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.exists = Constrained([Order(), *window_constraints(node)], ordered=True, tries=setting.tries)

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        pairs = []
        for item in items:
            if not child:
                self.keep(self._firsts, key, item)
                continue
            firsts = self.let_go(self._firsts, key, self.first_since(item))
            if firsts is None or self._ends(firsts[0]) >= item[0]:
                continue
            pairs.append((firsts.pop(0), item))
            if not firsts:
                del self._firsts[key]
                self.drop_key(key)
        return pairs

    def kept(self) -> Sequence[dict[Key, Stored]]:
        return (self._firsts,)

    def forget(self, key: Key) -> None:
        super().forget(key)
        self.watched.pop(key, None)

    def clear(self) -> None:
        super().clear()
        self.watched.clear()
