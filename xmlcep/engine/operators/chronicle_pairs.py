"""Two operands that nothing but perhaps their order joins, in chronicle context: see `pairs`.

The oldest events are taken, and every combination is raised when it becomes possible: between events only one operand
of a group has something, and who arrives takes the first that stands there. That is mostly one event, which is stored
as it is; only several of them are a list.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from contexts import AnyOrder, Entry
from contexts.entry import AT, EVENT, START
from contexts.grouping import Key
from contexts.pairing import Pair, oriented

from ...events import Cause, CompositeEvent, PrimitiveEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .pairs import Item, PairSequence, PairState
from .state import Acceptor

_new_tuple = tuple.__new__
Queue: TypeAlias = Item | list[Item]
"""What a group has of an operand, the oldest first: an item, which is never a list, or several."""


def items_of(queue: Queue) -> Sequence[Item]:
    """What stands in a queue."""
    return queue if type(queue) is list else (queue,)


def push(queues: dict[Key, Queue], key: Key, queue: Queue, item: Item) -> None:
    """Adds an item to a group that has some."""
    if type(queue) is list:
        queue.append(item)
    else:
        queues[key] = [queue, item]


def pop(queues: dict[Key, Queue], key: Key, queue: list[Item]) -> Item:
    """Takes the oldest of several items of a group, which keeps its place among the groups."""
    oldest = queue.pop(0)
    if len(queue) == 1:
        queues[key] = queue[0]
    return oldest


class ChroniclePairConjunction(PairState):
    """Both operands have occurred; the oldest event of each is taken.

    What an event goes through is written out for each operand, and to the last step where one event stands alone: of
    what it costs most is calls.
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.exists = AnyOrder()
        # What raises the composite of two that nothing else comes with.
        self._raise_alone = self._raise_events if all(self.bare) else self.raise_pair
        self._first: dict[Key, Queue] = {}
        self._second: dict[Key, Queue] = {}

    def acceptor(self, child: int) -> Acceptor:
        return (
            super().acceptor(child)
            if not self.bare[child] or self.values.guard is not None
            else self._accept_second
            if child
            else self._accept_first
        )

    def _accept_first(self, key: Key, event: PrimitiveEvent) -> None:
        other = self._second.get(key)
        if other is None:
            queue = self._first.setdefault(key, event)
            if queue is not event:
                push(self._first, key, queue, event)
            return
        if type(other) is list:
            other = pop(self._second, key, other)
        else:
            del self._second[key]
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        self._raise_alone(event, other, key, event)

    def _accept_second(self, key: Key, event: PrimitiveEvent) -> None:
        other = self._first.get(key)
        if other is None:
            queue = self._second.setdefault(key, event)
            if queue is not event:
                push(self._second, key, queue, event)
            return
        if type(other) is list:
            other = pop(self._first, key, other)
        else:
            del self._first[key]
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        self._raise_alone(other, event, key, event)

    def _raise_events(self, first: Item, second: Item, key: Key, cause: Cause) -> None:
        """`raise_pair` of two primitive events: what they begin and end with is one time point each."""
        start, end = first[0], second[0]
        if end < start:
            start, end = end, start
        if type(first) is not PrimitiveEvent:
            first = _new_tuple(PrimitiveEvent, first)
        if type(second) is not PrimitiveEvent:
            second = _new_tuple(PrimitiveEvent, second)
        composer, parent = self.composer, self.parent
        path, upto = composer.ancestors.get(first[2]) or composer.ancestor(first[2])
        ids = first[3][upto]
        parts = (
            composer.name, composer.label, path, ids, (first, second), start, end, cause, None, None, None, None, None,
            False,
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if composer.report is not None:
            composer.report.append(composite)
        if parent is not None:
            above = key if self.same_groups else parent.groupings[self.child_index].place(path, ids)
            if above is not None:
                entry = (start, end, self.clock.point, composite)
                parent.taker.take(self.child_index, above, entry, cause)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if not self._in_full:
            super().take(child, key, entry, cause)
            return
        own, others = (self._second, self._first) if child else (self._first, self._second)
        other = others.get(key)
        if other is None:
            queue = own.setdefault(key, entry)
            if queue is not entry:
                push(own, key, queue, entry)
            elif self.by_value:
                self.note_key(key)
            return
        if type(other) is list:
            other = pop(others, key, other)
        else:
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
            other = others.get(key)
            if other is None:
                queue = own.setdefault(key, item)
                if queue is not item:
                    push(own, key, queue, item)
                elif self.by_value:
                    self.note_key(key)
                continue
            if type(other) is list:
                other = pop(others, key, other)
            else:
                del others[key]
                if self.by_value:
                    self.drop_key(key)
            pairs.append(oriented(child, item, other))
        return pairs

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        return items_of(self._first.get(key, [])), items_of(self._second.get(key, []))

    def group_keys(self) -> Collection[Key]:
        # In the order in which they came to be; a key is in one of both.
        began = [(key, self._at(0, items_of(queue)[0])) for key, queue in self._first.items()]
        began += [(key, self._at(1, items_of(queue)[0])) for key, queue in self._second.items()]
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
        return sum(
            len(items_of(queue)) for groups in (self._first, self._second) for queue in groups.values()
        )


class ChroniclePairSequence(PairSequence):
    """The oldest first event is taken."""

    def _accept_first(self, key: Key, event: PrimitiveEvent) -> None:
        queue = self._firsts.setdefault(key, event)
        if queue is not event:
            push(self._firsts, key, queue, event)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        item = entry[EVENT] if self.bare[child] else entry
        if not child:
            queue = self._firsts.setdefault(key, item)
            if queue is not item:
                push(self._firsts, key, queue, item)
            elif self.by_value:
                self.note_key(key)
            return
        first = self._firsts.get(key)
        if first is None:
            return
        if type(first) is list:
            if self._ends(first[0]) >= entry[START]:
                return
            first = pop(self._firsts, key, first)
        elif self._ends(first) >= entry[START]:
            return
        else:
            del self._firsts[key]
            if self.by_value:
                self.drop_key(key)
        self._raise(first, item, key, cause)
        if self.outbox:
            self.hand_up(cause)

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        firsts = [*items_of(self._firsts[key])] if key in self._firsts else []
        pairs = []
        if not child:
            firsts += items
        else:
            for item in items:
                if firsts and self._ends(firsts[0]) < item[0]:
                    pairs.append((firsts.pop(0), item))
        if not firsts:
            self.forget(key)
            return pairs
        if key not in self._firsts and self.by_value:
            self.note_key(key)
        self._firsts[key] = firsts if len(firsts) > 1 else firsts[0]
        return pairs

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        return items_of(self._firsts.get(key, [])), ()

    def size(self) -> int:
        return sum(len(items_of(queue)) for queue in self._firsts.values())
