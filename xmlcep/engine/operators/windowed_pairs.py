"""Two primitive events within a window, in chronicle context, made short: what is too old is let go, and of what is
left the oldest is taken (Q1, W3).

Primitive events come in the order of their moments, so that of those stored the oldest go first, and what is too far
from an arrival is too far from all that is still to come (G4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contexts.entry import FIRST, LAST
from contexts.grouping import Key

from ...events import Cause
from ..timers import MEASURE, Due
from .choosing import reach
from .pairs import Item
from .prompt_pairs import PromptPairState, items_of
from .state import Arrivals, Blueprint, Kept


class WindowedPairState(PromptPairState):
    """``watched`` says of groups until when their oldest event is not too old, as it was when a timer was set for
    that."""

    def __init__(self, of: Blueprint, *, ordered: bool) -> None:
        super().__init__(of, ordered=ordered)
        within = of.node.definition.options.within
        assert within is not None
        self.within = within
        self._reach, self._measure = reach(within), MEASURE[within.unit]
        self.watched: dict[Key, int] = {}

    def new_taking(self, child: int) -> Callable[..., None]:
        take, let_go, measure, most = super().new_taking(child), self._let_go, self._measure, self._reach

        def take_in_window(key: Key, item: Item, cause: Cause | None = None) -> None:
            let_go(1 - child, key, item[LAST][measure] - most)
            take(key, item, cause)
            if key not in self.watched:
                self._watch(key)

        return take_in_window

    def arrive_in(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        for child, entries in arrivals:
            self._let_go(1 - child, key, entries[0][LAST][self._measure] - self._reach)
        super().arrive_in(key, arrivals, cause)
        if key not in self.watched:
            self._watch(key)

    def _let_go(self, child: int, key: Key, oldest: int) -> None:
        """What an operand has that begins before this is too old."""
        queue = self.queues[child].get(key)
        if queue is None:
            return
        items, measure, gone = items_of(queue), self._measure, 0
        while gone < len(items) and items[gone][FIRST][measure] < oldest:
            gone += 1
        if gone:
            self.put(child, key, [*items[gone:]])

    def _watch(self, key: Key) -> None:
        begins = [items[0][FIRST][self._measure] for items in self.stored(key) if items]
        if begins:
            until = self.watched[key] = min(begins) + self._reach
            self.setting.expiries.set(self.within.unit, self.due(until, key))

    def expire(self, due: Due) -> None:
        if self.watched.get(due.key) != due.at:
            return
        del self.watched[due.key]
        for child in range(2):
            self._let_go(child, due.key, due.at - self._reach + 1)
        self._watch(due.key)

    def kept(self) -> Kept:
        return (*self.queues, self.watched)
