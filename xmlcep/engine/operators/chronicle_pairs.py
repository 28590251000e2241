"""Two operands that nothing but perhaps their order joins, in chronicle context: see `pairs`.

The oldest events are taken, and every combination is raised when it becomes possible: between events only one operand
of a group has something, and who arrives takes the first that stands there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import Any

from contexts import AnyOrder, Entry
from contexts.entry import AT, EVENT, START
from contexts.grouping import Key
from contexts.pairing import Pair, Stored, oriented

from ...events import Cause, CompositeEvent, PrimitiveEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .pairs import Item, PairSequence, PairState
from .state import Acceptor

_new_tuple = tuple.__new__


class ChroniclePairConjunction(PairState):
    """Both operands have occurred; the oldest event of each is taken."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.exists = AnyOrder()
        self._first: dict[Key, Stored] = {}
        self._second: dict[Key, Stored] = {}

    def acceptor(self, child: int) -> Acceptor:
        return (
            super().acceptor(child)
            if not self.bare[child] or self.values.guard is not None
            else self._accept_second
            if child
            else self._accept_first
        )

    def _accept_first(self, key: Key, event: PrimitiveEvent) -> None:
        others = self._second.get(key)
        if others is None:
            self._first.setdefault(key, []).append(event)
            return
        other = others.pop(0)
        if not others:
            del self._second[key]
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        self.raise_pair(event, other, key, event)

    def _accept_second(self, key: Key, event: PrimitiveEvent) -> None:
        others = self._first.get(key)
        if others is None:
            self._second.setdefault(key, []).append(event)
            return
        other = others.pop(0)
        if not others:
            del self._first[key]
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        self.raise_pair(other, event, key, event)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if not self._in_full:
            super().take(child, key, entry, cause)
            return
        own, others = (self._second, self._first) if child else (self._first, self._second)
        partners = others.get(key)
        if partners is None:
            own.setdefault(key, []).append(entry)
            if self.by_value:
                self.note_key(key)
            return
        other = partners.pop(0)
        if not partners:
            del others[key]
            if self.by_value:
                self.drop_key(key)
        first, second = (other, entry) if child else (entry, other)
        self._raise(first, second, key, cause)
        if self.outbox:
            self.hand_up(cause)

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        own, others = (self._second, self._first) if child else (self._first, self._second)
        pairs = []
        for item in items:
            partners = others.get(key)
            if partners is None:
                own.setdefault(key, []).append(item)
                if self.by_value:
                    self.note_key(key)
                continue
            pairs.append(oriented(child, item, partners.pop(0)))
            if not partners:
                del others[key]
                if self.by_value:
                    self.drop_key(key)
        return pairs

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        return self._first.get(key, ()), self._second.get(key, ())

    def group_keys(self) -> Collection[Key]:
        # In the order in which they came to be; a key is in one of both.
        began = [(key, self._at(0, items[0])) for key, items in self._first.items()]
        began += [(key, self._at(1, items[0])) for key, items in self._second.items()]
        return dict(sorted(began, key=itemgetter(1))).keys()

    def _at(self, child: int, item: Item) -> int:
        at: int = item[0] if self.bare[child] else item[AT]
        return at

    def forget(self, key: Key) -> None:
        self._first.pop(key, None)
        self._second.pop(key, None)
        self.drop_key(key)

    def by_group(self) -> tuple[dict[Key, Any], ...] | None:
        return None if self.by_value else (self._first, self._second)

    def clear(self) -> None:
        self._first.clear()
        self._second.clear()
        super().clear()

    def size(self) -> int:
        return sum(map(len, self._first.values())) + sum(map(len, self._second.values()))


class ChroniclePairSequence(PairSequence):
    """The oldest first event is taken."""

    def _accept_first(self, key: Key, event: PrimitiveEvent) -> None:
        self._firsts.setdefault(key, []).append(event)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        item = entry[EVENT] if self.bare[child] else entry
        if not child:
            self._firsts.setdefault(key, []).append(item)
            self.note_key(key)
            return
        firsts = self._firsts.get(key)
        if firsts is None or self._ends(firsts[0]) >= entry[START]:
            return
        first = firsts.pop(0)
        if not firsts:
            del self._firsts[key]
            if self.by_value:
                self.drop_key(key)
        self._raise(first, item, key, cause)
        if self.outbox:
            self.hand_up(cause)
