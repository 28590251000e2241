"""Two operands in any order, raised at a release (D2, D3, D5) in chronicle context: see `pairs`.

The oldest of each go together and both are consumed, so a release leaves something of one operand at most: whoever has
both has a combination that has not been raised. What waits is kept as in `chronicle_pairs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contexts import Entry
from contexts.entry import EVENT
from contexts.grouping import Key
from contexts.pairing import Pair

from ...events import Cause, PrimitiveEvent
from .chronicle_pairs import ChroniclePairConjunction, items_of, push
from .deferrable import DeferrableState
from .pairs import Item
from .state import Account


class WaitingChroniclePairConjunction(ChroniclePairConjunction, DeferrableState):
    """Both operands have occurred (H4); the oldest event of each is taken."""

    def keeper(self, child: int) -> Callable[[Key, PrimitiveEvent], bool] | None:
        if not self.bare[child]:
            return None
        own, others = (self._second, self._first) if child else (self._first, self._second)

        def keep(key: Key, event: PrimitiveEvent) -> bool:
            queue = own.setdefault(key, event)
            if queue is not event:
                push(own, key, queue, event)
            return key in others

        return keep

    def keep(self, child: int, key: Key, entry: Entry, cause: Cause) -> bool:
        item = entry[EVENT] if self.bare[child] else entry
        own, others = (self._second, self._first) if child else (self._first, self._second)
        queue = own.setdefault(key, item)
        if queue is not item:
            push(own, key, queue, item)
        return key in others

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        raise NotImplementedError("what arrives waits for a release")

    def hold(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        for entry in arrivals:
            self.keep(child, key, entry, cause)

    def evaluate_held(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.release(key, cause)

    def evaluate_newest(self, key: Key, cause: Cause) -> None:
        self.release(key, cause)

    def is_possible(self, key: Key) -> bool:
        return key in self._first and key in self._second

    def release(self, key: Key, cause: Cause) -> None:
        first, second = self._first.pop(key), self._second.pop(key)
        if not (type(first) is list or type(second) is list):
            self._raise(first, second, key, cause, alone=False)
            return
        firsts, seconds = items_of(first), items_of(second)
        count = min(len(firsts), len(seconds))
        for queues, items in ((self._first, firsts[count:]), (self._second, seconds[count:])):
            if items:
                queues[key] = [*items] if len(items) > 1 else items[0]
        for one, other in zip(firsts[:count], seconds[:count], strict=True):
            self._raise(one, other, key, cause, alone=False)

    def release_alone(self, key: Key, cause: Cause) -> None:
        first, second = self._first.get(key), self._second.get(key)
        if first is None or second is None:
            return
        if self.parent is not None or type(first) is list or type(second) is list:
            self.release(key, cause)
            return
        del self._first[key], self._second[key]
        self._raise(first, second, key, cause)

    def account(self, key: Key) -> Account:
        return super().account(key)._replace(raised=False)
