"""Sequence at run time: operands each before the next (H5), with nothing of the negated ones in between (A1, A2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from operator import itemgetter

from contexts import Chains, Entry, Group
from contexts.constraints import (
    Absence,
    Constraint,
    Contiguity,
    Difference,
    Gap,
    Objection,
    Order,
    Violations,
)
from contexts.entry import EMPTY_END, EMPTY_START, END, FIRST, LAST, START
from contexts.grouping import Key
from contexts.search import Constrained

from ...algebra import Promise, Window
from ...algebra import Sequence as SequenceDefinition
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from ..timers import MEASURE, Due
from .choosing import reach
from .combining import CombiningState, window_constraints
from .negation import violations_of
from .state import Arrivals, Input


class SequenceState(CombiningState):
    """All operands have occurred, each before the next, and nothing of the negated ones in between.

    Where everything that the operands before k raise is never empty and ends when it arrives, an event of
    operand k that finds nothing of operand k-1 before it never will, and is not kept (G4, C9):
    ``hopeless_without[k]``. Operands are counted without the negated ones, but for ``violations``: by operand.
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
        operands: Sequence[Promise],
    ) -> None:  # fmt: skip
        definition = node.definition
        assert isinstance(definition, SequenceDefinition)
        positive = definition.positive
        super().__init__(node, tree, report, setting, [operands[k] for k in positive])
        self._position = {operand: position for position, operand in enumerate(positive)}
        self._last = len(positive) - 1
        # An empty composite of another tree is in order with everything. In recent context a
        # newer event replaces an older one even if it is hopeless itself; runs see for themselves (S2).
        self.hopeless_without = [
            position > 0
            and positive[position - 1] not in node.optional
            and not (self.context.replaces or self.context.runs)
            and operands[k].solid
            and all(operands[before].prompt for before in positive[:position])
            for position, k in enumerate(positive)
        ]
        # In cumulative context what ends a combination stays while ``having`` is false of all there is (Q1).
        self._waits_for_more = self.context.batches and self.values.having is not None
        self.violations: dict[int, Violations] = {}
        # Of each negated operand, how many operands stand before it, and whether all of these may be left out.
        self._before = {k: sum(other < k for other in positive) for k in definition.negated}
        self._leads = {
            k for k in definition.negated if node.optional.issuperset(o for o in positive if o < k)
        }
        self.contiguity: Contiguity | None = None
        constraints = self._constraints(definition)
        optional = frozenset(self._position[operand] for operand in node.optional)
        if self.shared and not all(operands[k].solid for k in positive):
            constraints.append(Difference())  # what is empty is before itself
        if len(constraints) > 1 or self.values.having is not None or optional:
            self.exists = Constrained(
                constraints, ordered=True, admit=self.values.admitter(), tries=setting.tries,
                binders=self.binders(), optional=optional,
            )  # fmt: skip
        else:
            self.exists = Chains()

    def _constraints(self, definition: SequenceDefinition) -> list[Constraint]:
        options = definition.options
        constraints: list[Constraint] = [Order(), *window_constraints(self.node)]
        if options.gap is not None:
            constraints.append(Gap(reach(options.gap), MEASURE[options.gap.unit]))
        if options.strict:
            self.contiguity = Contiguity(self.grouping.place_of)
            constraints.append(self.contiguity)
        for k, before in self._before.items():
            violations = self.violations[k] = violations_of(
                self.node.children[k], self.setting, self.tree_index, flat=self.flat
            )
            if self.by_value:
                violations.project = partial(self.projected, k)
            if before > self._last:
                continue  # trailing (A3)
            if options.within is not None:
                amount, unit = reach(options.within), MEASURE[options.within.unit]
                constraints.append(Absence(violations, before - 1, amount, unit))
            else:
                constraints.append(Absence(violations, before - 1))
        return constraints

    def set_owners(self) -> None:
        super().set_owners()
        positive = list(self._position)
        # Of each negated operand the multiplicity directly before it, which it lets start over (Q4).
        self._restarting = {
            k: state
            for k, before in self._before.items()
            if before
            and (state := self.children[positive[before - 1]]) is not None
            and state.node.definition.takes_back
        }

    def position(self, child: int) -> int:
        return self._position[child]

    # ---- arrivals -------------------------------------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        if child in self.violations:
            self.forbid(child, key, arrivals, cause)
            return
        position = self._position[child]
        if not self.hopeless_without[position]:
            super().arrive(position, key, arrivals, cause)
            return
        group = self.groups.get(key)
        before = () if group is None else group.stored[position - 1]
        first_end = before[0][END] if before else inf
        if len(arrivals) > 1 or arrivals[0][0] <= first_end:
            arrivals = [entry for entry in arrivals if first_end < entry[0]]
            if not arrivals:
                return
        if group is None:
            group = self.open_group(key)
        self.admit(group, position, key, arrivals, cause)
        if position == self._last and not self._waits_for_more:
            group.stored[position].clear()  # what has found nothing before it never will
            self.drop_if_empty(key)

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        super().arrive_together(inputs, cause)
        for _, key, _ in inputs:
            group = self.groups.get(key)
            if group is not None:
                self._drop_hopeless(group)
                self.drop_if_empty(key)

    def _drop_hopeless(self, group: Group) -> None:
        for position, stored in enumerate(group.stored):
            if stored and self.hopeless_without[position]:
                before = group.stored[position - 1]
                first_end = before[0][END] if before else inf
                kept = [entry for entry in stored if first_end < entry[START]]
                stored.clear()
                if position < self._last or self._waits_for_more:
                    stored.extend(kept)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        position = self._position.get(child)
        if position is None or self.hopeless_without[position]:
            self.arrive(child, key, (entry,), cause)
            if self.outbox:
                self.hand_up(cause, key)
            return
        super().take(position, key, entry, cause)

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        mine = []
        for child, entries in arrivals:
            if child in self.violations:
                self.forbid(child, key, entries, cause)
            else:
                mine.append((self._position[child], entries))
        if mine:
            super().hold(key, mine, cause)

    def forbid(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Events of a negated operand (A1)."""
        violations, leads = self.violations[child], child in self._leads
        is_counted = child in self._restarting and not violations.one_is_enough
        if (
            leads or is_counted or not self.prompt
            or any(k in self.groups for k in self.matching(child, key))
        ):  # fmt: skip
            violations.add(key, arrivals)
        self.start_over_before(child, key, arrivals)
        if leads and self.node.definition.options.within is not None:
            self._watch_over_violations(key, arrivals)

    def start_over_before(self, child: int, key: Key, arrivals: Sequence[Entry]) -> None:
        """What the multiplicity directly before a negated operand has kept from before these events counts no more."""
        state, violations = self._restarting.get(child), self.violations[child]
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
        return tuple(self._position)

    def by_operand(self, stored: Sequence[Sequence[Entry]]) -> tuple[Sequence[Entry], ...]:
        return tuple(
            list(stored[self._position[k]]) if k in self._position else ()
            for k in range(len(self.node.children))
        )

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        position = self._position.get(child, 0)
        if position and (self.context.runs or self.hopeless_without[position]):
            before = next(k for k, other in self._position.items() if other == position - 1)
            if not any(other[END] < entry[START] for other in others[before]):
                return Objection("wrong-order", (*others[before][:1], entry))
            if not self._has_beginning(position, entry, others):
                return Objection("wrong-order", (entry,))
        return super().lost(child, key, entry, others)

    def _has_beginning(self, position: int, entry: Entry, others: Sequence[Sequence[Entry]]) -> bool:
        """Whether events of all that has to come before stand in their order before this one."""
        ended = EMPTY_END
        for k, other in sorted(self._position.items(), key=itemgetter(1)):
            if other == position:
                break
            ends = [one[END] for one in others[k] if one[START] > ended and one[END] < entry[START]]
            if not ends:
                return False
            ended = min(ends)
        return True

    # ---- freeing (G4) ---------------------------------------------------------------------------------

    def forget(self, key: Key) -> None:
        super().forget(key)
        for violations in self.violations.values():
            if violations.stored:
                violations.forget(violations.project(key))
        if self.contiguity is not None:
            self.contiguity.forget(self.grouping.place_of(key))

    def forget_at(self, place: int) -> None:
        for violations in self.violations.values():
            if violations.stored:
                violations.forget_at(place)
        if self.contiguity is not None:
            self.contiguity.forget(place)

    def clear(self) -> None:
        super().clear()
        for violations in self.violations.values():
            violations.clear()
        if self.contiguity is not None:
            self.contiguity.clear()

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
                may_end = group.stored if self.exists.optional else group.stored[-1:]
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

    def happened(self, place: int, ts: int) -> None:
        assert self.contiguity is not None
        if not self.prompt or any(key in self.groups for key in self.keys_at(place)):
            self.contiguity.happened(place, ts)

    def _watch_over_violations(self, key: Key, arrivals: Sequence[Entry]) -> None:
        window = self.node.window
        assert window is not None
        unit = MEASURE[window.unit]
        for entry in arrivals:
            if entry[FIRST] is not None:
                self.setting.expiries.set(window.unit, self.due(entry[FIRST][unit] + reach(window), key))
