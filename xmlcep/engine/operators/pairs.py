"""Two operands that nothing but perhaps their order joins, made short, in every context but next.

What is stored is kept as it comes, of a leaf the event itself and of an operator its entry, in lists by group key; the
context's `contexts.pairing.Pairing` says what is chosen. `chronicle_pairs` has the states of the default context, in
which there is nothing to choose; `waiting_pairs` the deferred ones. All of them raise
exactly what `ConjunctionState` and `SequenceState` do.

One module because conjunction and sequence store and raise in one way, which is what is to be read side by side.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from contexts import CONTEXTS, AnyOrder, Chains, Entry
from contexts.constraints import Objection
from contexts.entry import AT, EMPTY_END, EMPTY_START, END, EVENT, START
from contexts.grouping import Key
from contexts.pairing import Ending, Pair, Pairing, Stored, Waiting

from ...algebra import Order
from ...events import Cause, CompositeEvent, Event, PrimitiveEvent, PrimitiveType, as_event
from ...rules.trees import EventTree, LeafNode, OperatorNode
from ..composer import instance_at
from ..setting import Setting
from .choosing import ChoosingState
from .state import Acceptor, Account, Arrivals, Input, by_group

_new_tuple = tuple.__new__
Item: TypeAlias = Any
"""What is stored of an event: of a leaf the event (or a tuple of its layout), of an operator an entry."""


def is_plain_pair(node: OperatorNode, tree: EventTree, setting: Setting) -> bool:
    """Whether an operator of two operands can be one of these, as far as its context and options go."""
    definition, program = node.definition, setting.programs[tree.index][node.index]
    return (
        len(node.children) == 2
        and not setting.general
        and CONTEXTS[node.context.value].pairing is not None
        and not (tree.flat or node.may_repeat or node.optional)
        and tree.order is Order.INTERVAL
        # Between its events there is nothing to ask; that they carry moments and variables is no obstacle.
        and not (node.needs_moments or program.having or (tree.extended and node.deferred))
        and not (program.grouping.names and definition.optional_binders)
        # What takes back what it raised wants to know of its consumption (M1, H7).
        and not any(child.takes_back for child in node.children if not isinstance(child, LeafNode))
    )


class PairState(ChoosingState):
    """What all of them have in common.

    ``bare[k]`` says that of operand k events are stored as they are: not where entries have more to say.
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        pairing = self.context.pairing
        assert pairing is not None
        self.pairing: Pairing = pairing
        self._in_full = tree.extended
        self.bare = tuple(
            isinstance(child, LeafNode) and isinstance(child.type, PrimitiveType) and not tree.extended
            for child in node.children
        )
        self._raise: Callable[..., None] = (
            self._raise_allowed
            if self.values.guard is not None
            else self._raise_all_of
            if self.context.batches
            else self._raise_in_full
            if self._in_full
            else self.raise_pair
        )

    # ---- arrivals -------------------------------------------------------------------------------------

    @abstractmethod
    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        """Stores what arrives at one time point; what combines with it, and has been consumed."""

    def acceptor(self, child: int) -> Acceptor:
        return partial(self._accept, child) if self.bare[child] else super().acceptor(child)

    def _accept(self, child: int, key: Key, event: PrimitiveEvent) -> None:
        pairs = self.add(child, key, (event,), self.clock.point)
        if pairs:
            self.raise_pairs(pairs, key, as_event(event))

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        pairs = self.add(child, key, (entry[EVENT] if self.bare[child] else entry,), entry[AT])
        if pairs:
            self.raise_pairs(pairs, key, cause)

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        items = [entry[EVENT] for entry in arrivals] if self.bare[child] else arrivals
        for first, second in self.add(child, key, items, arrivals[0][AT]):
            self._raise(first, second, key, cause, alone=False)

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        for key, arrivals in by_group(inputs):
            self.arrive_in(key, arrivals, cause)

    def arrive_in(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        """Takes what arrives in a group at one time point."""
        for (
            child,
            entries,
        ) in arrivals:  # as good as together: neither is before the other, or each is used once
            self.arrive(child, key, entries, cause)

    # ---- raising --------------------------------------------------------------------------------------

    def raise_pairs(self, pairs: Sequence[Pair], key: Key, cause: Cause) -> None:
        """Raises the composites of these combinations of a time point, which go on up the tree at once."""
        if len(pairs) == 1:
            first, second = pairs[0]
            self._raise(first, second, key, cause)
        else:
            for first, second in pairs:
                self._raise(first, second, key, cause, alone=False)
        if self.outbox:
            self.hand_up(cause)

    # It may be given by place whether it is alone: Python calls a function with keywords of its own the long way.
    def raise_pair(self, first: Item, second: Item, key: Key, cause: Cause, alone: bool = True) -> None:
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
            None, None, None, False,
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

    def _raise_in_full(
        self, first: Entry, second: Entry, key: Key, cause: Cause, *, alone: bool = True
    ) -> None:
        """The same where entries carry moments and variables; it goes into the outbox, if anybody is to have it."""
        start, end, _, event, begin, finish, _ = first
        other_start, other_end, _, other, other_begin, other_finish, _ = second
        if begin is None or other_begin is None:  # empty
            pair = (first, second)
            composite = self.composer.compose(pair, self.node_of(key), cause, self.values.of(pair))
            self.outbox.append(self.composer.report_and_store(composite))
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
            composer.names((first, second)), None, None, False,
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if composer.report is not None:
            composer.report.append(composite)
        if self.parent is not None or not alone:
            self.outbox.append((start, end, self.clock.point, composite, *span, bindings))

    def _raise_all_of(
        self, firsts: Stored, seconds: Stored, key: Key, cause: Cause, *, alone: bool = True
    ) -> None:
        """The same of all events of both operands; it goes into the outbox if it is not of one each."""
        if len(firsts) == len(seconds) == 1:
            raise_ = self._raise_in_full if self._in_full else self.raise_pair
            raise_(firsts[0], seconds[0], key, cause, alone=alone)
            return
        if self._in_full:
            members = [*self._entries(0, firsts), *self._entries(1, seconds)]
            composite = self.composer.compose(members, self.node_of(key), cause, self.values.of(members))
            self.outbox.append(self.composer.report_and_store(composite))
            return
        start, end = EMPTY_START, EMPTY_END
        events: list[Event] = []
        for items, is_bare in zip((firsts, seconds), self.bare, strict=True):
            if is_bare:
                start, end = min(start, items[0][0]), max(end, items[-1][0])
                events += [as_event(item) for item in items]
                continue
            for other_start, other_end, _, event in items:
                start, end = min(start, other_start), max(end, other_end)
                events.append(event)
        path, ids = instance_at(events[0], self.node_of(key))
        composite = self.composer.composite(path, ids, tuple(events), start, end, cause)
        if self.composer.report is not None:
            self.composer.report.append(composite)
        self.outbox.append((start, end, self.clock.point, composite))

    def _raise_allowed(
        self, first: Item | Stored, second: Item | Stored, key: Key, cause: Cause, *, alone: bool = True
    ) -> None:
        """The same where a guard has to allow it (D4); it goes into the outbox."""
        firsts, seconds = (first, second) if self.context.batches else ((first,), (second,))
        self.raise_combination([*self._entries(0, firsts), *self._entries(1, seconds)], key, cause)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    @abstractmethod
    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        """What a group stores, by operand."""

    def account(self, key: Key) -> Account:
        stored = tuple([self._entries(child, items) for child, items in enumerate(self.stored(key))])
        return Account(stored, raised=all(stored))

    def _entries(self, child: int, items: Iterable[Item]) -> list[Entry]:
        """What is stored of an operand, as entries."""
        if not self.bare[child]:
            return list(items)
        return [(item[0], item[0], item[0], as_event(item)) for item in items]


class PairConjunction(PairState):
    """Both operands have occurred (Q1)."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.exists = AnyOrder()
        self._groups: dict[Key, tuple[Stored, Stored]] = {}

    def acceptor(self, child: int) -> Acceptor:
        if not self.bare[child]:
            return super().acceptor(child)
        groups, any_order, raise_pairs = self._groups, self.pairing.any_order, self.raise_pairs

        def accept(key: Key, event: PrimitiveEvent) -> None:
            # What add does, without its call: this is how most events come.
            stored = groups.get(key)
            if stored is None:
                groups[key] = ([], [event]) if child else ([event], [])
                return
            pairs = any_order(stored, child, (event,))
            if not (stored[0] or stored[1]):
                del groups[key]
            if pairs:
                if type(event) is not PrimitiveEvent:
                    event = _new_tuple(PrimitiveEvent, event)
                raise_pairs(pairs, key, event)

        return accept

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        stored = self._groups.get(key)
        if stored is None:
            self._groups[key] = ([], [*items]) if child else ([*items], [])
            if self.by_value:
                self.note_key(key)
            return ()
        pairs = self.pairing.any_order(stored, child, items)
        if not (stored[0] or stored[1]):
            self.forget(key)
        return pairs

    def arrive_in(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        if len(arrivals) == 1 or not self.pairing.waits:
            super().arrive_in(key, arrivals, cause)
            return
        stored = self._groups.get(key)
        if stored is None:
            stored = self._groups[key] = ([], [])
            self.note_key(key)
        waiting = Waiting(stored)
        waiting.told = (len(stored[0]), len(stored[1]))
        for child, entries in arrivals:
            items = [entry[EVENT] for entry in entries] if self.bare[child] else entries
            if self.context.replaces:
                stored[child].clear()
                items = items[-1:]
            stored[child].extend(items)
        for first, second in self.pairing.released(waiting):
            self._raise(first, second, key, cause, alone=False)
        if not (stored[0] or stored[1]):
            self.forget(key)

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        return self._groups.get(key, ((), ()))

    def group_keys(self) -> Collection[Key]:
        return self._groups.keys()

    def forget(self, key: Key) -> None:
        if self._groups.pop(key, None) is not None:
            self.drop_key(key)

    def by_group(self) -> tuple[dict[Key, Any], ...] | None:
        return None if self.by_value else (self._groups,)

    def clear(self) -> None:
        self._groups.clear()
        super().clear()

    def size(self) -> int:
        return sum(len(firsts) + len(seconds) for firsts, seconds in self._groups.values())


class PairSequence(PairState):
    """The first operand has occurred, then the second (Q1).

    A second event that finds no first one before it never will, and is not kept (G4, Q4).
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.exists = Chains()
        self._firsts: dict[Key, Any] = {}  # lists of items; in chronicle context one may stand alone
        self._ends = ends_of(self.bare[0])

    def acceptor(self, child: int) -> Acceptor:
        if not self.bare[child]:
            return super().acceptor(child)
        return self._accept_second if child else self._accept_first

    def _accept_first(self, key: Key, event: PrimitiveEvent) -> None:
        firsts = self._firsts.setdefault(key, [])
        if self.context.replaces:
            firsts.clear()
        firsts.append(event)

    def _accept_second(self, key: Key, event: PrimitiveEvent) -> None:
        if key in self._firsts:
            self._accept(1, key, event)

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        firsts = self._firsts.get(key)
        if not child:
            if self.context.replaces:
                items = items[-1:]
            if firsts is None:
                self._firsts[key] = [*items]
                if self.by_value:
                    self.note_key(key)
            elif self.context.replaces:
                firsts[:] = items
            else:
                firsts += items
            return ()
        if firsts is None:
            return ()
        if len(items) == 1:
            (item,) = items
            before = count_before(firsts, self._ends, item[0])
            pairs = self.pairing.ended(firsts, before, item) if before else ()
        else:
            endings = endings_after(firsts, self._ends, items, at)
            pairs = self.pairing.in_order(firsts, endings) if endings else ()
        if not firsts:
            self.forget(key)
        return pairs

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        return self._firsts.get(key, ()), ()

    def group_keys(self) -> Collection[Key]:
        return self._firsts.keys()

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        if child and not any(other[END] < entry[START] for other in others[0]):
            return Objection("wrong-order", (*others[0][:1], entry))
        return super().lost(child, key, entry, others)

    def forget(self, key: Key) -> None:
        if self._firsts.pop(key, None) is not None:
            self.drop_key(key)

    def by_group(self) -> tuple[dict[Key, Any], ...] | None:
        return None if self.by_value else (self._firsts,)

    def clear(self) -> None:
        self._firsts.clear()
        super().clear()

    def size(self) -> int:
        return sum(map(len, self._firsts.values()))


# ---- what is stored -----------------------------------------------------------------------------------


def ends_of(bare: bool) -> Callable[[Item], float]:
    """What says when a first event ends."""
    return itemgetter(0) if bare else itemgetter(END)


def endings_after(
    firsts: Stored, ends: Callable[[Item], float], seconds: Iterable[Item], at: int
) -> list[Ending]:
    """Those of the second events that something is before (of both kinds the start stands first)."""
    found = []
    for second in seconds:
        before = count_before(firsts, ends, second[0])
        if before:
            found.append(Ending(second, at, before))
    return found


def count_before(firsts: Stored, ends: Callable[[Item], float], start: float) -> int:
    """How many of the first events are before a second one that starts then: the oldest ones."""
    return len(firsts) if ends(firsts[-1]) < start else bisect_left(firsts, start, key=ends)
