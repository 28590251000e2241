"""Operands that stand aside at run time: what must not happen, and of what all is taken along (A1 to A8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from contexts import Entry
from contexts.combinations import Admit
from contexts.constraints import Absence, Among, Violations
from contexts.constraints import Collection as Collected
from contexts.entry import EMPTY_START, END, EVENT, FIRST, LAST, START
from contexts.grouping import Key

from ...algebra import Window
from ...algebra.operators.aside import WithAside
from ...events import Cause
from ..leaf import LeafState
from ..timers import MEASURE, Due
from .choosing import reach
from .combining import CombiningState
from .negation import violations_of
from .state import Arrivals, Blueprint, OperatorState


class AsideState(CombiningState):
    """What stands aside is kept by operand in ``violations``; the group has the others, and a place for what is taken
    along between them: ``places`` says where which operand is.

    ``absences`` say of those that do not stand aside until an end where they lie. ``restarting`` has of each negated
    operand the multiplicity directly before it, which it lets start over (Q4).
    """

    restarting: Mapping[int, OperatorState] = MappingProxyType({})

    def __init__(self, of: Blueprint) -> None:
        definition = of.node.definition
        assert isinstance(definition, WithAside)
        self.definition = definition
        self.positive = definition.positive
        collected = {each.operand for each in definition.collected}
        chosen = sorted({*self.positive, *collected.difference(definition.trailing)})
        self.places = {operand: place for place, operand in enumerate(chosen)}
        super().__init__(of._replace(operands=[of.operands[k] for k in self.positive]))
        self.width = len(chosen)
        self.violations = {k: self._kept(k) for k in definition.aside}
        # Of each operand that stands aside, how many places there are before it, and whether all of these may be empty.
        self._before = {k: sum(other < k for other in chosen) for k in definition.aside}
        self._leads = {
            k for k in definition.aside if of.node.optional.issuperset(o for o in self.positive if o < k)
        }
        self.absences = {k: self._absence(k) for k in definition.aside if k not in definition.trailing}
        self.collections = {
            place: violations
            for k, place in self.places.items()
            if isinstance(violations := self.violations.get(k), Collected)
        }
        more_may_come = self.context.batches or not collected.isdisjoint(definition.trailing)
        self.asked_at_end = self.values.having is not None and bool(definition.trailing) and more_may_come
        self._moves_on = self._moves_on and not self.asked_at_end
        # Those of which an event can complete a combination: it comes late, or lies before nothing.
        self._completing = {
            k
            for k in collected.intersection(self.places)
            if (not self.context.runs and not (of.operands[k].prompt and self.prompt))
            or not any(o > k and o not in of.node.optional and of.operands[o].solid for o in self.positive)
        }

    def _kept(self, k: int) -> Violations:
        """Where the events of an operand that stands aside are kept."""
        if k not in self.definition.negated:
            return Collected(*self.definition.bounds(k))
        violations = violations_of(self.node.children[k], self.setting, self.tree_index, flat=self.flat)
        if self.by_value:
            violations.project = partial(self.projected, k)
        return violations

    def _absence(self, k: int) -> Absence:
        window = self.node.definition.options.within
        place, compared = self._before[k] - 1, self.compared(k)
        if window is None:
            return Absence(self.violations[k], place, among=compared)
        return Absence(self.violations[k], place, reach(window), MEASURE[window.unit], compared)

    def admitter(self) -> Admit | None:
        """What is asked of combinations as a whole; where more can come to a candidate, at its end (A3)."""
        return None if self.asked_at_end else self.values.admitter()

    def compared(self, k: int) -> Among | None:
        """What says which events of an operand count beside a combination, if an expression does (A8)."""
        program = self.values.program.leaves[k]
        if program is None or not program.compares:
            return None
        leaf = LeafState(program, self.composer.name, self.setting)

        def among(entries: Sequence[Entry], chosen: Sequence[Entry]) -> list[Entry]:
            variables = self.values.of(chosen) or {}
            return [entry for entry in entries if leaf.agrees(entry[EVENT], variables)]

        return among

    # ---- groups ---------------------------------------------------------------------------------------

    def position(self, child: int) -> int:
        return self.places[child]

    def close_group(self, key: Key) -> None:
        super().close_group(key)
        if self.prompt:  # what is between neighbours begins behind what is to come
            for k in self.absences:
                if k not in self._leads and k not in self.definition.negated:
                    self.violations[k].forget(key)

    def withdraw(self, child: int, entry: Entry) -> None:
        """What is taken along is taken back; what has violated has (Q1)."""
        if child in self.places:
            super().withdraw(child, entry)
        stored = self.violations.get(child)
        if isinstance(stored, Collected):
            stored.take_out(self.groupings[child].key_of(entry), (entry[EVENT],))

    def stores(self, child: int, key: Key, node: int) -> bool:
        stored = self.violations.get(child)
        if stored is None:
            return super().stores(child, key, node)
        return any(entry[EVENT][3][-1:] == (node,) for entry in stored.of(key))

    # ---- arrivals -------------------------------------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        if child not in self.violations:
            super().arrive(self.places[child], key, arrivals, cause)
            return
        self.set_aside(child, key, arrivals)
        group = self.groups.get(key) if child in self._completing else None
        if group is not None and self.exists.enough(group):
            self.raise_all(key, group, cause, self.places[child], arrivals)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if child not in self.violations:
            super().take(self.places[child], key, entry, cause)
            return
        self.arrive(child, key, (entry,), cause)
        if self.outbox:
            self.hand_up(cause, key)

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        mine: list[Arrivals] = []
        completing: list[Arrivals] = []
        for child, entries in arrivals:
            if child not in self.violations:
                mine.append((self.places[child], entries))
                continue
            self.set_aside(child, key, entries)
            if child in self._completing:
                completing.append((self.places[child], entries))
        if mine:
            super().hold(key, mine, cause)
        if completing and key in self.groups:
            for place, entries in completing:
                self.groups[key].hold(place, entries)

    def set_aside(self, child: int, key: Key, arrivals: Sequence[Entry]) -> None:
        """Events of an operand that stands aside (A1, A6)."""
        violations, leads = self.violations[child], child in self._leads
        is_counted = child in self.restarting and not violations.one_is_enough
        if (
            leads or is_counted or not self.prompt
            or any(k in self.groups for k in self.matching(child, key))
        ):  # fmt: skip
            violations.add(key, arrivals)
        self.start_over_before(child, key, arrivals)
        if leads and self.node.definition.options.within is not None:
            self._watch_over_violations(key, arrivals)
        elif child in self.places and not leads and self.prompt:
            self._let_go_of(self.violations[child].of(key), key, self.places[child])

    def _let_go_of(self, stored: list[Entry], key: Key, place: int) -> None:
        """What lies before all that is stored before it will be between no neighbours any more (Q4)."""
        group = self.groups.get(key)
        begins = [entries[0][END] for entries in group.stored[:place] if entries] if group is not None else []
        gone = 0
        while begins and gone < len(stored) and stored[gone][START] <= min(begins):
            gone += 1
        del stored[:gone]

    def start_over_before(self, child: int, key: Key, arrivals: Sequence[Entry]) -> None:
        """What the multiplicity directly before a negated operand has kept from before these events counts no more."""
        state, violations = self.restarting.get(child), self.violations[child]
        if state is None:
            return

        def is_gone(entry: Entry) -> bool:
            if not any(entry[END] < other[START] for other in arrivals if other[START] != EMPTY_START):
                return False
            return violations.one_is_enough or violations.forbid(
                [other for other in violations.stored.get(key, ()) if entry[END] < other[START]]
            )

        state.start_over(lambda above: above is not None and self.projected(child, above) == key, is_gone)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    @property
    def stored_operands(self) -> Sequence[int]:
        return tuple(self.places)

    def by_operand(self, key: Key, stored: Sequence[Sequence[Entry]]) -> tuple[Sequence[Entry], ...]:
        found: list[Sequence[Entry]] = [()] * len(self.node.children)
        for k, violations in self.violations.items():
            if isinstance(violations, Collected):
                found[k] = list(violations.of(key))
        for k in self.positive:
            found[k] = list(stored[self.places[k]])
        return tuple(found)

    # ---- freeing (G4) ---------------------------------------------------------------------------------

    def forget(self, key: Key) -> None:
        super().forget(key)
        for violations in self.violations.values():
            if violations.stored:
                violations.forget(violations.project(key))

    def forget_at(self, place: int) -> None:
        for violations in self.violations.values():
            if violations.stored:
                violations.forget_at(place)

    def clear(self) -> None:
        super().clear()
        for violations in self.violations.values():
            violations.clear()

    def size(self) -> int:
        return super().size() + sum(violations.size() for violations in self.violations.values())

    def expire(self, due: Due) -> None:
        is_group = due.key in self.groups
        super().expire(due)
        if self.node.window is not None and self.prompt:
            for child, violations in self.violations.items():
                key = violations.project(due.key) if is_group else due.key
                if key in violations.stored:
                    self._free_violations(self.node.window, child, key, due.at)

    def release(self, key: Key, cause: Cause) -> None:
        super().release(key, cause)
        window = self.node.window
        if window is not None and self.prompt:
            before = self.clock.reading(window.unit, self.clock.ts) - 1
            for child, violations in self.violations.items():
                if violations.stored:
                    self._free_violations(window, child, violations.project(key), before)

    def _free_violations(self, window: Window, child: int, key: Key, now: int) -> None:
        """Frees what was last in time for something at ``now``, which has passed, or for what is stored: what waits for
        a release, or ends a combination that was forbidden and is looked at again (A2)."""
        violations, unit, most = self.violations[child], MEASURE[window.unit], reach(window)
        passed, again = now, None
        for group in [self.groups[k] for k in self.matching(child, key) if k in self.groups]:
            if group.fresh is not None:
                ends = [e[LAST][unit] for stored in group.stored for e in stored if e[LAST] is not None]
            else:  # which end in the order in which they are stored
                may_end = group.stored if self.node.optional else group.stored[-1:]
                firsts = [next((e for e in stored if e[LAST] is not None), None) for stored in may_end]
                ends = [first[LAST][unit] for first in firsts if first is not None]
                if ends and now < min(ends) + most:  # by then it is gone
                    again = min(ends) + most
            now = min([now, *(end - 1 for end in ends)])
        left = [e for e in violations.stored.get(key, ()) if e[FIRST][unit] + most > now]
        if left:
            violations.stored[key] = left
            if again is not None and left[0][FIRST][unit] + most <= passed:
                self.setting.expiries.set(window.unit, self.due(again, key))
        else:
            violations.forget(key)

    def _watch_over_violations(self, key: Key, arrivals: Sequence[Entry]) -> None:
        window = self.node.window
        assert window is not None
        unit = MEASURE[window.unit]
        for entry in arrivals:
            if entry[FIRST] is not None:
                self.setting.expiries.set(window.unit, self.due(entry[FIRST][unit] + reach(window), key))
