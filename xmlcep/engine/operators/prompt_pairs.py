"""Two operands that nothing but perhaps their order joins, raised at once (Q1): see `pairs`.

Most groups have one event of an operand, which is stored as it is; only several of them are a list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property, partial
from typing import TypeAlias

from contexts import Entry
from contexts.entry import AT, EVENT
from contexts.grouping import Key
from contexts.pairing import Stored, oriented

from ...events import Cause, PrimitiveEvent
from .pairs import Item, PairState
from .state import Acceptor, Arrivals, Blueprint, Input, Kept, by_group

_new_tuple = tuple.__new__
Queue: TypeAlias = Item | list[Item]
"""What a group has of an operand, the oldest first: an item, which is never a list, or several."""


def items_of(queue: Queue) -> Sequence[Item]:
    """The items of a queue."""
    return queue if type(queue) is list else (queue,)


class PromptPairState(PairState):
    """``firsts`` and ``seconds`` are stored; a second event of a sequence that finds no first one before it never will,
    and is not (G4, Q4)."""

    def __init__(self, of: Blueprint, *, ordered: bool) -> None:
        super().__init__(of, ordered=ordered)
        self.firsts: dict[Key, Queue] = {}
        self.seconds: dict[Key, Queue] = {}
        self.queues = (self.firsts, self.seconds)
        self._is_of_one, self._uses, self._stays = (
            self.pairing.is_of_one,
            self.pairing.uses,
            self.pairing.stays,
        )

    # ---- arrivals -------------------------------------------------------------------------------------

    def acceptor(self, child: int) -> Acceptor:
        return self._taking[child] if self.bare[child] else super().acceptor(child)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        self._taking[child](key, entry[EVENT] if self.bare[child] else entry, cause)

    @cached_property
    def _taking(self) -> tuple[Callable[..., None], ...]:
        """What takes the one arrival of a time point, by operand; without a cause it is that itself."""
        return tuple([self.new_taking(child) for child in range(2)])

    def new_taking(self, child: int) -> Callable[..., None]:
        """Made from what the context declares: the combinations that an arrival ends go on up the tree."""
        pairing, ordered, by_value, ends, raise_one = (
            self.pairing, self.ordered, self.by_value, self.ends, self.raise_one
        )  # fmt: skip
        own, others, keep = self.queues[child], self.queues[1 - child], partial(self.keep, child)
        is_of_one, uses, stays = pairing.is_of_one, pairing.uses[1 - child], pairing.stays[child]

        def begin(key: Key, item: Item, cause: Cause | None = None) -> None:
            if own.setdefault(key, item) is not item or by_value:
                keep(key, item)

        if ordered and not child:
            return begin

        def take(key: Key, item: Item, cause: Cause | None = None) -> None:
            queue = others.get(key)
            if queue is None:
                if not ordered and (own.setdefault(key, item) is not item or by_value):
                    keep(key, item)
                return
            if cause is None:
                if type(item) is not PrimitiveEvent:
                    item = _new_tuple(PrimitiveEvent, item)
                cause = item
            if not is_of_one:
                self._end_all(child, key, item, cause)
                return
            is_one = type(queue) is not list
            other = queue if is_one else queue[0]
            if ordered and ends(other) >= item[0]:
                return
            if uses:
                if is_one:
                    del others[key]
                    if by_value:
                        self.drop_key(key)
                else:
                    del queue[0]
                    if len(queue) == 1:
                        others[key] = queue[0]
            if stays:
                keep(key, item)
            if child:
                raise_one(other, item, key, cause)
            else:
                raise_one(item, other, key, cause)
            if self.outbox:
                self.hand_up(cause)

        return take

    def keep(self, child: int, key: Key, item: Item, cause: Cause | None = None) -> None:
        """Stores what arrives."""
        queues = self.queues[child]
        queue = queues.setdefault(key, item)
        if queue is item:
            if self.by_value:
                self.note_key(key)
        elif self.pairing.replaces:
            queues[key] = item
        elif type(queue) is list:
            queue.append(item)
        else:
            queues[key] = [queue, item]

    def _end_all(self, child: int, key: Key, item: Item, cause: Cause) -> None:
        """The same where it is combined with all that there are."""
        stored = [*items_of(self.queues[1 - child][key])]
        before = self.count_before(stored, item) if self.ordered else len(stored)
        if not before:
            return
        others = self.pairing.partners(stored[:before])
        if self.pairing.uses[1 - child]:
            self.put(1 - child, key, stored[before:])
        if self.pairing.stays[child]:
            self.keep(child, key, item)
        if len(others) == 1:
            first, second = oriented(child, item, others[0])
            self.raise_one(first, second, key, cause)
        elif self.pairing.batches:
            self.raise_pairs((oriented(child, (item,), others),), key, cause)
        else:
            self.raise_pairs([oriented(child, item, other) for other in others], key, cause)
        if self.outbox:
            self.hand_up(cause)

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.arrive_in(key, ((child, arrivals),), cause)

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        for key, arrivals in by_group(inputs):
            self.arrive_in(key, arrivals, cause)

    def arrive_in(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        """Takes what arrives in a group at one time point: all is stored, then combined (H3)."""
        stored: tuple[Stored, Stored] = ([*self._items(0, key)], [*self._items(1, key)])
        told, pairs = (len(stored[0]), len(stored[1])), []
        for child, entries in arrivals:
            items = [entry[EVENT] for entry in entries] if self.bare[child] else entries
            if self.ordered and child:
                endings = self.endings_after(stored[0], items, entries[0][AT])
                pairs += self.pairing.in_order(stored[0], endings) if endings else []
                continue
            if self.pairing.replaces:
                stored[child].clear()
                items = items[-1:]
            stored[child].extend(items)
            if not self.ordered and self.pairing.shares:  # as good as together
                pairs += self.pairing.any_order(stored, told)
                told = (len(stored[0]), len(stored[1]))
        if not (self.ordered or self.pairing.shares):
            pairs = self.pairing.any_order(stored, told)
        for child, items in enumerate(stored):
            self.put(child, key, items)
        self.raise_pairs(pairs, key, cause)

    def put(self, child: int, key: Key, items: Stored) -> None:
        """These are the events of an operand now."""
        queues = self.queues[child]
        if items:
            queues[key] = items if len(items) > 1 else items[0]
            self.note_key(key)
        elif queues.pop(key, None) is not None and key not in self.queues[1 - child]:
            self.drop_key(key)

    # ---- asked (Y1, Y3), freed (G4) -------------------------------------------------------------------

    def _items(self, child: int, key: Key) -> Sequence[Item]:
        return items_of(self.queues[child].get(key, []))

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        return self._items(0, key), self._items(1, key)

    def group_keys(self) -> Collection[Key]:
        # In the order of their oldest events.
        began: dict[Key, int] = {}
        for child, queues in enumerate(self.queues):
            for key, queue in queues.items():
                (oldest,) = self.entries(child, items_of(queue)[:1])
                began[key] = min(oldest[AT], began.get(key, oldest[AT]))
        return sorted(began, key=lambda key: began[key])

    def kept(self) -> Kept:
        return self.queues

    def size(self) -> int:
        return sum(len(items_of(queue)) for queues in self.queues for queue in queues.values())
