"""Multiplicity x[l,u] at run time: arrivals accumulate and are integrated (M1 to M6, W3, S4).

One module because what arrives, what is taken back and what drops out change one accumulation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from contexts import Entry, Owner
from contexts.constraints import Objection
from contexts.entry import AT, EMPTY_END, EMPTY_START, EVENT, FIRST, LAST
from contexts.group import discard
from contexts.grouping import ByValue, Key
from path_types import PathType

from ...algebra import Multiplicity, Order
from ...events import Cause, CompositeEvent, Event
from ..composer import event_of, instance_at, interval, nearest_common_ancestor, span_of
from ..leaf import Bindings
from ..timers import MEASURE, Due
from .accumulation import Accumulation, Integrated, SlidingAccumulation
from .choosing import reach
from .state import Account, Blueprint, Kept, OperatorState

_TOGETHER = 2  # how many times while a window lasts what has become too old is freed
_new_tuple = tuple.__new__


class MultiplicityState(OperatorState):
    """Raises a composite of all so far from the l-th arrival on, up to u of them."""

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        definition = of.node.definition
        assert isinstance(definition, Multiplicity)
        self._by_detection = of.tree.order is Order.DETECTION
        self.lower = definition.lower
        self.upper = definition.upper
        self.slides = definition.options.slide
        self.prompt = of.operands[0].prompt
        self.within = (
            None if of.node.window is None else (reach(of.node.window), MEASURE[of.node.window.unit])
        )
        outer = of.node.outer_window
        self._outer = None if outer is None else (reach(outer), MEASURE[outer.unit])
        self.accumulations: dict[Key, Accumulation] = {}
        self.owner: Owner | None = self if of.node.takes_back else None

        values, slides = self.values, self.slides or self.within is not None or self._outer is not None
        asks = values.having is not None or values.guard is not None
        # Whether nothing is asked of what has accumulated, and nothing drops out of it.
        self._is_short = not (
            self.setting.general or of.tree.flat or of.tree.extended or self._by_detection or slides or asks
        )
        # Whether nothing waits, either.
        self._raises_at_once = self._is_short and not of.node.deferred

    # ---- arrivals (M1, M2) and creations (M4) ---------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        accumulation = self.accumulations.get(key) or self._accumulation(key)
        taken = [self._accumulates(key, accumulation, entry) for entry in arrivals]
        if any(taken):
            self.evaluate(key, accumulation, cause)
        else:
            self._drop_if_idle(key, accumulation)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if not self._is_short:
            super().take(child, key, entry, cause)
            return
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            accumulation = self.accumulations[key] = Accumulation()
        accumulation.append(entry)
        count = len(accumulation.entries)
        if count >= self.lower:
            whole = self._whole(accumulation, cause)
            self._succeed(accumulation, whole)
            if count == self.upper:
                self._drop(key)
            self.hand_over(whole, key, cause)

    def _accumulates(self, key: Key, accumulation: Accumulation, entry: Entry) -> bool:
        """Whether the arrival is taken; what has become too old drops out first (W3, S4, Q4)."""
        if self._outer is not None:
            self._start_over_if_old(accumulation, entry, *self._outer)
        if not isinstance(accumulation, SlidingAccumulation):
            accumulation.add(entry)
            return True
        if self.within is not None and accumulation.would_lose(entry, self.within):
            return False  # nor does anything else drop out for it
        accumulation.add(entry)
        if self.within is not None:
            accumulation.drop_old(self.within)
            self._watch_over(key, accumulation)
        if self.slides and self.upper is not None and accumulation.count() > self.upper:
            accumulation.drop_first(1)
        return True

    def _start_over_if_old(self, accumulation: Accumulation, entry: Entry, amount: int, unit: int) -> None:
        """Q4: with a window of its own it starts over when its composite has become too old for the operator's."""
        current = accumulation.current
        if current is None or current[FIRST] is None or entry[LAST] is None:
            return
        if max(entry[LAST][unit], current[LAST][unit]) - current[FIRST][unit] > amount:
            self._start_over_behind(accumulation)

    def _start_over_behind(self, accumulation: Accumulation) -> None:
        """Accumulation starts over with what its composite has not integrated (M3)."""
        accumulation.start_over(accumulation.entries[accumulation.told :])

    def evaluate(self, key: Key, accumulation: Accumulation, cause: Cause) -> None:
        """Raises what there is: full batches of u, then the rest, which what comes integrates (M1, M2)."""
        upper = self.upper
        if upper is not None and accumulation.count() > upper and not self.slides:
            live = accumulation.live()
            full = len(live) - len(live) % upper
            for begin in range(0, full, upper):
                self.raise_batch(key, accumulation, live[begin : begin + upper], cause)
            accumulation.start_over(live[full:])
        self.integrate(key, accumulation, cause)
        self._drop_if_idle(key, accumulation)

    def raise_batch(self, key: Key, accumulation: Accumulation, entries: list[Entry], cause: Cause) -> None:
        """Raises a batch of its own, which takes the place of what it integrates; raised or not, it is used up (V6)."""
        composite = self._of_batch(key, entries, cause)
        if composite is not None:
            if accumulation.current is not None:
                self._withdraw(accumulation.current)
            self._raise(composite)
        accumulation.current = None
        self.consumed_by(0, entries)

    def _of_batch(self, key: Key, entries: list[Entry], cause: Cause) -> CompositeEvent | None:
        """The composite of these; None if ``having`` or the guard is false."""
        values = self.values
        if values.having is not None and not values.admits(entries):
            return None
        constituents = Integrated(entries, 0, len(entries))
        path, ids = (
            nearest_common_ancestor(constituents)
            if self.flat
            else instance_at(entries[0][EVENT], self.node_of(key))
        )
        composite = self.composer.composite(
            path, ids, constituents, *interval(constituents), cause,
            span_of(entries) if self.composer.extended else None, values.of(entries),
        )  # fmt: skip
        return composite if self._is_allowed(composite) else None

    def integrate(self, key: Key, accumulation: Accumulation, cause: Cause) -> None:
        """Raises the composite of all so far if they are enough; at u accumulation starts over (M1, M2, V6)."""
        if self._is_short:
            self._integrate_short(key, accumulation, cause)
            return
        count = accumulation.count()
        if count < max(self.lower, 1):
            return
        entries, values = accumulation.entries, self.values
        seen: Bindings | None = None
        if values.has_variables or values.having is not None:
            seen = values.seen_of(accumulation.arrivals(), accumulation.values(values.asked_lists))
            if values.having is not None and not values.holds(seen):
                self._start_over_if_full(key, accumulation, count)
                return
        start, end = accumulation.interval() if self._by_detection else (accumulation.start, accumulation.end)
        path, ids = (
            accumulation.place()
            if self.flat
            else instance_at(entries[accumulation.begin][EVENT], self.node_of(key))
        )
        integrated = accumulation.integrated()
        composite = self.composer.composite(
            path, ids, integrated, start, end, cause, accumulation.span,
            None if seen is None else values.carried(seen, integrated),
        )  # fmt: skip
        if self._is_allowed(composite, seen):
            self._integrated(accumulation, composite)
        self._start_over_if_full(key, accumulation, count)

    def _integrate_short(self, key: Key, accumulation: Accumulation, cause: Cause) -> None:
        """The same where nothing is asked, and nothing drops out."""
        count = len(accumulation.entries)
        if count < self.lower or not count:
            return
        whole = self._whole(accumulation, cause)
        self._succeed(accumulation, whole)
        self._send(whole)
        if count == self.upper:
            self._drop(key)

    def _whole(self, accumulation: Accumulation, cause: Cause) -> Entry:
        """The composite of all so far, which is reported, as it is stored; where nothing is asked."""
        # What compose and report_and_store do, without their calls.
        entries, composer = accumulation.entries, self.composer
        start, end, _, first = entries[0]
        constituents: Sequence[Event] = (first,)
        if len(entries) > 1:
            start, end = accumulation.start, accumulation.end
            constituents = Integrated(entries, 0, len(entries))
        path, upto = composer.ancestors.get(first[2]) or composer.ancestor(first[2])
        parts: tuple[Any, ...] = (
            composer.name, composer.label, path, first[3][upto], constituents, start, end, cause, None, None,
            composer.one_name, None, None, False,
        )  # fmt: skip
        composite = _new_tuple(CompositeEvent, parts)
        if end < start:  # empty
            composite = composite._replace(start=None, end=None)
        if composer.report is not None:
            composer.report.append(composite)
        return (start, end, self.clock.point, composite)

    def _integrated(self, accumulation: Accumulation, composite: CompositeEvent) -> None:
        """Raises the composite of all so far, which integrates the former one."""
        whole = self.composer.report_and_store(composite)
        self._succeed(accumulation, whole)
        self._send(whole)

    def _succeed(self, accumulation: Accumulation, whole: Entry) -> None:
        """The composite of all so far takes the place of the former one; its parts count as consumed."""
        if accumulation.current is not None:
            self._withdraw(accumulation.current)
        accumulation.current = whole
        if self._owners is not None:
            self._tell(accumulation, len(accumulation.entries))
        else:
            accumulation.told = len(accumulation.entries)

    def _start_over_if_full(self, key: Key, accumulation: Accumulation, count: int) -> None:
        if count == self.upper and not self.slides:
            self._tell(accumulation, len(accumulation.entries))  # a no uses up, too (V6)
            accumulation.start_over()
            self._drop(key)

    def create(self, key: Key, path: PathType, ids: tuple[int, ...], cause: Cause) -> None:
        """M4: the node was created, so a composite of nothing is raised for it. No operator above takes it (M5)."""
        self._raise_nothing(path, ids, cause)

    def _raise_nothing(self, path: PathType | None, ids: tuple[int, ...], cause: Cause) -> None:
        composite = self._empty(path, ids, cause)
        if composite is not None:
            entry = self.composer.report_and_store(composite)
            if self.parent is None:
                self.outbox.append(entry)

    def _accumulation(self, key: Key) -> Accumulation:
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            accumulation = self.accumulations[key] = self._new_accumulation()
            if self.by_value:
                self.note_key(key)
        return accumulation

    def _new_accumulation(self) -> Accumulation:
        return Accumulation() if self.within is None and not self.slides else SlidingAccumulation()

    def _is_allowed(self, composite: CompositeEvent, seen: Bindings | None = None) -> bool:
        """Whether the guard is true (D4)."""
        if self.values.guard is None or self.values.allows(composite, seen):
            return True
        self.tell_of_guard(composite)
        return False

    def _empty(self, path: PathType | None, ids: tuple[int, ...], cause: Cause) -> CompositeEvent | None:
        """The composite of nothing; None if ``having`` or the guard is false (V6)."""
        values = self.values
        if values.having is not None and not values.admits(()):
            return None
        composite = self.composer.composite(path, ids, (), EMPTY_START, EMPTY_END, cause, None, values.of(()))
        return composite if self._is_allowed(composite) else None

    def _raise(self, composite: CompositeEvent) -> Entry:
        entry = self.composer.report_and_store(composite)
        self._send(entry)
        return entry

    def _send(self, entry: Entry) -> None:
        """What was raised is to go to the parent."""
        self.outbox.append(entry)

    def _tell(self, accumulation: Accumulation, until: int) -> None:
        """The arrivals before this index stand in a raised composite, so they count as consumed (H7)."""
        if self._owners is not None:
            self.consumed_by(0, accumulation.entries[accumulation.told : until])
        accumulation.told = until

    def _withdraw(self, former: Entry) -> None:
        """Takes the former composite out of the parent's store, or out of the post (M1).

        What the root of a tree has raised is not taken back: other trees keep it (H8).
        """
        if self.parent is not None and not discard(self.outbox, former):
            self.parent.withdraw(self.node.child_index, former)

    def withdraw(self, child: int, entry: Entry) -> None:
        """A child multiplicity takes back a composite: out of the accumulation with it (M1)."""
        key = self.groupings[child].key_of(entry)
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            return
        kept = [other for other in accumulation.live() if other is not entry]
        if len(kept) < accumulation.count():
            accumulation.keep(kept)
        self._drop_if_idle(key, accumulation)

    def _drop_if_idle(self, key: Key, accumulation: Accumulation) -> None:
        if accumulation.is_idle():
            self._drop(key)

    def _drop(self, key: Key) -> None:
        if self.accumulations.pop(key, None) is not None and self.by_value:
            self.drop_key(key)

    # ---- what the parent tells (M3) ----------------------------------------------------------------

    def consumed(self, entry: Entry) -> None:
        """M3: if it is the composite that still integrates, accumulation starts over.

        Arrivals that wait for a release were not integrated, and stay (M3).
        """
        # Where nothing is asked groups are places, and what was raised in one is of its node.
        key = entry[EVENT][3][-1] if self._is_short else self.grouping.key_of(entry)
        accumulation = self.accumulations.get(key)
        if accumulation is None or accumulation.current is not entry:
            return
        is_used_up = accumulation.told == len(accumulation.entries)
        if is_used_up and self._raises_at_once:
            del self.accumulations[key]
        elif is_used_up and not accumulation.created:
            self._drop(key)
        else:
            self._start_over_behind(accumulation)
            self._drop_if_idle(key, accumulation)

    def start_over(self, concerns: Callable[[Key | None], bool], is_gone: Callable[[Entry], bool]) -> None:
        for key, accumulation in list(self.accumulations.items()):
            if accumulation.count() and concerns(self._key_above(key, accumulation)):
                live = accumulation.live()
                kept = [entry for entry in live if not is_gone(entry)]
                if len(kept) < len(live):
                    accumulation.start_over(kept)
                    self._drop_if_idle(key, accumulation)

    def _key_above(self, key: Key, accumulation: Accumulation) -> Key | None:
        """The group of the operator above in which what is raised of a group arrives."""
        assert self.parent is not None
        if self._same_keys:
            return key
        first = event_of(accumulation.entries[accumulation.begin])
        path, ids = (None, ()) if self.flat else instance_at(first, self.node_of(key))
        place = self.parent.groupings[self.child_index].place(path, ids)
        names = self.grouping.names if isinstance(self.grouping, ByValue) else ()
        values = dict(zip(names, key[1:], strict=True)) if isinstance(key, tuple) else None
        return None if place is None else self.parent.key_at(self.child_index, place, values)

    # ---- freeing (G4) ------------------------------------------------------------------------------

    def _watch_over(self, key: Key, accumulation: Accumulation, after: int | None = None) -> None:
        """Says when the oldest arrival (that does so ``after`` some time) will drop out at whatever comes next."""
        window = self.node.window
        if accumulation.expiry is not None or window is None or not self.prompt:
            return
        assert isinstance(accumulation, SlidingAccumulation)
        amount, unit = reach(window), MEASURE[window.unit]
        begin = accumulation.oldest_begin(unit, None if after is None else after - amount)
        if begin is not None:
            accumulation.expiry = begin + amount
            if after is not None:
                # Together with others: whatever comes lets it drop out at once.
                accumulation.expiry = max(accumulation.expiry, after + amount // _TOGETHER)
            self.setting.expiries.set(window.unit, self.due(accumulation.expiry, key))

    def expire(self, due: Due) -> None:
        accumulation = self.accumulations.get(due.key)
        if not isinstance(accumulation, SlidingAccumulation) or accumulation.expiry != due.at:
            return
        assert self.within is not None
        accumulation.expiry = None
        if self.node.deferred and accumulation.count() >= self.lower:
            return  # it may be raised still, as it is; what arrives or is released watches over the rest
        amount, unit = self.within
        accumulation.drop_before(due.at - amount + 1, unit)
        if self.parent is None and not accumulation.count():
            accumulation.current = None  # nobody has it any more, to take it back from
        self._drop_if_idle(due.key, accumulation)
        if accumulation.count():
            self._watch_over(due.key, accumulation, due.at)

    def kept(self) -> Kept:
        return (self.accumulations,)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    def account(self, key: Key) -> Account:
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            return super().account(key)
        live = self._not_too_old(accumulation.live())
        raised = accumulation.current is not None
        return Account((live,), None if raised else self._refused(self._wholes(accumulation, live)), raised)

    def _wholes(self, accumulation: Accumulation, live: list[Entry]) -> list[list[Entry]]:
        """What of that which has accumulated would be raised, each by itself."""
        return [live] if live and len(live) >= self.lower else []

    def _refused(self, wholes: list[list[Entry]]) -> Objection | None:
        """What forbids all that would be raised; that the guard does is known where it has been asked."""
        values = self.values
        if wholes and values.having is not None and not any(map(values.admits, wholes)):
            return Objection("having-false", tuple(wholes[-1]))
        return Objection("guard-false", tuple(wholes[-1])) if wholes and values.guard is not None else None

    def _not_too_old(self, entries: list[Entry]) -> list[Entry]:
        """Those of them that drop out by themselves (G4) and have not yet been freed left out."""
        window = self.node.window
        if window is None or self.within is None or self.node.deferred or not self.prompt:
            return entries
        amount, unit = self.within
        oldest = self.clock.reading(window.unit, self.clock.ts) - amount
        return [entry for entry in entries if entry[FIRST] is None or entry[FIRST][unit] >= oldest]

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        newer = [other for other in others[0] if other[AT] > entry[AT]]
        if self.within is not None and entry[FIRST] is not None:
            most, unit = self.within
            last = [other for other in newer[-1:] if other[LAST] is not None]
            until = last[0][LAST] if last else self.clock.moment()
            apart = until[unit] - entry[FIRST][unit]
            if apart > most:
                return Objection("expired", (entry, *last), apart - most, most, unit)
        if self.slides:
            return Objection("withdrawn", (entry, *newer[-1:]))
        if (
            self.upper is not None and self.values.having is not None
        ):  # when it is full it starts over (M2, V6)
            place = sum(other[AT] < entry[AT] for other in others[0])
            begin = place - place % self.upper
            full = others[0][begin : begin + self.upper]
            if len(full) == self.upper and not self.values.admits(full):
                return Objection("having-false", tuple(full))
        if self.node.deferred and self.values.having is not None and not self.values.admits(others[0]):
            return Objection("having-false", tuple(others[0]))  # as at the release (V6)
        return super().lost(child, key, entry, others)

    def size(self) -> int:
        return sum(accumulation.size() for accumulation in self.accumulations.values())
