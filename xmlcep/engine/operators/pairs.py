"""Two operands that nothing but perhaps their order joins, made short, in every context but next.

What is stored is kept as it comes, of a leaf the event itself and of an operator its entry; the context's
`contexts.pairing.Pairing` says what is taken. `prompt_pairs` has the states that raise at once, `windowed_pairs` those
with a window, `waiting_pairs` the deferred ones. All of them raise exactly what `ConjunctionState` and `SequenceState`
do.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from contexts import Entry
from contexts.constraints import Objection, Order
from contexts.entry import END, START
from contexts.grouping import Key
from contexts.pairing import Ending, Pair, Pairing, Stored
from contexts.search import Constrained

from ...events import Cause, CompositeEvent, PrimitiveEvent, PrimitiveType, as_event
from ...rules.trees import LeafNode
from .choosing import ChoosingState
from .combining import window_constraints
from .state import Account, Blueprint

_new_tuple = tuple.__new__
Item: TypeAlias = Any
"""What is stored of an event: of a leaf the event (or a tuple of its layout), of an operator an entry."""


class PairState(ChoosingState):
    """What all of them have in common; ``ordered``: one before the other (Q1).

    ``bare[k]`` says that of operand k events are stored as they are: not where entries have more to say.
    """

    def __init__(self, of: Blueprint, *, ordered: bool) -> None:
        super().__init__(of)
        self.ordered = ordered
        constraints = [*([Order()] if ordered else ()), *window_constraints(of.node)]
        self.exists = Constrained(constraints, ordered=ordered, tries=self.setting.tries)
        self.pairing = Pairing(self.context, ordered=ordered)
        self.bare = tuple(
            isinstance(child, LeafNode) and isinstance(child.type, PrimitiveType) and not of.tree.extended
            for child in of.node.children
        )
        # What says when a first event ends.
        self.ends: Callable[[Item], float] = itemgetter(0) if self.bare[0] else itemgetter(END)
        self.raise_one: Callable[..., None] = (
            self._raise_allowed
            if self.values.guard is not None
            else self._raise_in_full
            if of.tree.extended
            else self._raise_pair
        )

    # ---- raising --------------------------------------------------------------------------------------

    # It may be given by place whether it is alone: Python calls a function with keywords of its own the long way.
    def _raise_pair(self, first: Item, second: Item, key: Key, cause: Cause, alone: bool = True) -> None:
        """Raises the composite of two events, which goes on up the tree at once; into the outbox if it is not the only
        one of a time point."""
        # What compose does, without its calls and lists: most composites are made here.
        is_bare, is_second_bare = self.bare
        if is_bare:
            start = end = first[0]
            if type(first) is not PrimitiveEvent:
                first = _new_tuple(PrimitiveEvent, first)
        else:
            start, end, _, first = first
        if is_second_bare:
            other_start = other_end = second[0]
            if type(second) is not PrimitiveEvent:
                second = _new_tuple(PrimitiveEvent, second)
        else:
            other_start, other_end, _, second = second
        if other_start < start:
            start = other_start
        if other_end > end:
            end = other_end
        composer = self.composer
        path, upto = composer.ancestors.get(first[2]) or composer.ancestor(first[2])
        ids = first[3][upto]
        parts = (
            composer.name, composer.label, path, ids, (first, second), start, end, cause, None, None,
            None, None, None, composer.once,
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if end < start:  # empty
            composite = composite._replace(start=None, end=None)
        if composer.report is not None:
            composer.report.append(composite)
        if not alone:
            self.outbox.append((start, end, self.clock.point, composite))
        elif self.parent is not None:
            above = key if self.same_groups else self.parent.groupings[self.child_index].place(path, ids)
            if above is not None:
                entry = (start, end, self.clock.point, composite)
                self.parent.taker.take(self.child_index, above, entry, cause)

    def _raise_in_full(self, first: Entry, second: Entry, key: Key, cause: Cause, alone: bool = True) -> None:
        """The same where entries carry moments and variables; it goes into the outbox, if anybody is to have it."""
        start, end, _, event, begin, finish, _ = first
        other_start, other_end, _, other, other_begin, other_finish, _ = second
        if begin is None or other_begin is None:  # empty
            self.raise_combination((first, second), key, cause)
            return
        if other_start < start:
            start = other_start
        if other_end > end:
            end = other_end
        span = (
            other_begin if other_begin < begin else begin, other_finish if other_finish > finish else finish,
        )  # fmt: skip
        composer = self.composer
        path, upto = composer.ancestors.get(event[2]) or composer.ancestor(event[2])
        bindings = self.values.of((first, second))
        parts = (
            composer.name, composer.label, path, event[3][upto], (event, other), start, end, cause, bindings, span,
            composer.names((first, second)), None, None, composer.once,
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if composer.report is not None:
            composer.report.append(composite)
        if self.parent is not None or not alone:
            self.outbox.append((start, end, self.clock.point, composite, *span, bindings))

    def _raise_allowed(self, first: Item, second: Item, key: Key, cause: Cause, alone: bool = True) -> None:
        """The same where a guard has to allow it (D4); it goes into the outbox."""
        self.raise_combination([*self.entries(0, (first,)), *self.entries(1, (second,))], key, cause)

    def raise_pairs(self, pairs: Iterable[Pair], key: Key, cause: Cause) -> None:
        """Raises the composites of these combinations of a time point, into the outbox."""
        batches = self.pairing.batches
        for first, second in pairs:
            if not batches:
                self.raise_one(first, second, key, cause, False)
            elif len(first) == len(second) == 1:
                self.raise_one(first[0], second[0], key, cause, False)
            else:
                self.raise_combination([*self.entries(0, first), *self.entries(1, second)], key, cause)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    @abstractmethod
    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        """What a group stores, by operand."""

    def account(self, key: Key) -> Account:
        stored = tuple([self.entries(child, items) for child, items in enumerate(self.stored(key))])
        return Account(stored, raised=all(stored))

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        if self.ordered and child and not any(other[END] < entry[START] for other in others[0]):
            return Objection("wrong-order", (*others[0][:1], entry))
        return super().lost(child, key, entry, others)

    def entries(self, child: int, items: Iterable[Item]) -> list[Entry]:
        """What is stored of an operand, as entries."""
        if not self.bare[child]:
            return list(items)
        return [(item[0], item[0], item[0], as_event(item)) for item in items]

    # ---- what is before what --------------------------------------------------------------------------

    def endings_after(self, firsts: Stored, seconds: Iterable[Item], at: int) -> list[Ending]:
        """Those of the second events that something is before (of both kinds the start is first)."""
        found = [Ending(second, at, self.count_before(firsts, second)) for second in seconds]
        return [ending for ending in found if ending.before]

    def count_before(self, firsts: Stored, second: Item) -> int:
        """How many of the first events are before a second one: the oldest ones."""
        if not firsts or self.ends(firsts[-1]) < second[0]:
            return len(firsts)
        return bisect_left(firsts, second[0], key=self.ends)
