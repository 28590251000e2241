"""Sequence at run time: operands each before the next (Q1), with what stands aside in between (A1, A2, A6)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from contexts import Entry, Group
from contexts.constraints import Constraint, Contiguity, Difference, FromEach, Gap, Objection, Order
from contexts.entry import EMPTY_END, END, START
from contexts.grouping import Key
from contexts.search import Constrained

from ...algebra import Promise
from ...events import Cause
from ..timers import MEASURE
from .aside import AsideState
from .choosing import reach
from .combining import window_constraints
from .state import Blueprint, Input


class SequenceState(AsideState):
    """All operands have occurred, each before the next, and between them as much as there may be of what stands aside.

    Where everything that the operands before k raise is never empty and ends when it arrives, an event of
    operand k that finds nothing of the operand before it never will, and is not kept (G4, Q4): ``hopeless_without[k]``
    is the place of that, None where that is not so.
    """

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self._last = self.places[self.positive[-1]]
        self.hopeless_without = {
            k: self.places[before] if self._is_hopeless(k, before, of.operands) else None
            for before, k in zip((-1, *self.positive), self.positive, strict=False)
            if before >= 0
        }
        # In cumulative context what ends a combination stays while ``having`` is false of all there is (Q1).
        self._waits_for_more = bool(self._completing) or (
            self.context.batches and self.values.having is not None
        )
        self.contiguity: Contiguity | None = None
        constraints = self._constraints()
        if self.shared and not all(of.operands[k].solid for k in self.positive):
            constraints.append(Difference())  # what is empty is before itself
        self.exists = Constrained(
            constraints, ordered=True, admit=self.admitter(), tries=self.setting.tries, binders=self.binders(),
            optional=frozenset(self.places[operand] for operand in of.node.optional),
            collected={self.places[k]: self.absences[k] for k in self.absences if k in self.places},
            compared=[absence for absence in self.absences.values() if absence.among is not None],
        )  # fmt: skip

    def _is_hopeless(self, k: int, before: int, operands: Sequence[Promise]) -> bool:
        """An empty composite of another tree is in order with everything. In recent context a newer event replaces an
        older one even if it is hopeless itself; runs see for themselves (S2)."""
        return (
            before not in self.node.optional
            and not (self.context.replaces or self.context.runs)
            and operands[k].solid
            and all(operands[other].prompt for other in self.positive if other < k)
        )

    def _constraints(self) -> list[Constraint]:
        options = self.node.definition.options
        constraints: list[Constraint] = [Order(), *window_constraints(self.node)]
        closely: list[Constraint] = []
        if options.gap is not None:
            closely.append(Gap(reach(options.gap), MEASURE[options.gap.unit]))
        if options.strict:
            self.contiguity = Contiguity(self.grouping.place_of)
            closely.append(self.contiguity)
        along = [absence for k, absence in self.absences.items() if k in self.places]
        constraints += [FromEach(each, along) for each in closely] if along else closely
        return constraints + [absence for absence in self.absences.values() if absence.among is None]

    def set_owners(self) -> None:
        super().set_owners()
        before = {
            k: [o for o in range(k) if o not in self.definition.negated] for k in self.definition.negated
        }
        self.restarting = {
            k: state
            for k, others in before.items()
            if others
            and (state := self.children[others[-1]]) is not None
            and state.node.definition.takes_back
        }

    # ---- arrivals -------------------------------------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        previous = self.hopeless_without.get(child)
        if previous is None:
            super().arrive(child, key, arrivals, cause)
            return
        position = self.places[child]
        group = self.groups.get(key)
        before = () if group is None else group.stored[previous]
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
        for k, previous in self.hopeless_without.items():
            position = self.places[k]
            stored = group.stored[position]
            if stored and previous is not None:
                before = group.stored[previous]
                first_end = before[0][END] if before else inf
                kept = [entry for entry in stored if first_end < entry[START]]
                stored.clear()
                if position < self._last or self._waits_for_more:
                    stored.extend(kept)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if self.hopeless_without.get(child) is None:
            super().take(child, key, entry, cause)
            return
        self.arrive(child, key, (entry,), cause)
        if self.outbox:
            self.hand_up(cause, key)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        if child in self.hopeless_without and (self.context.runs or self.hopeless_without[child] is not None):
            before = max(k for k in self.positive if k < child)
            if not any(other[END] < entry[START] for other in others[before]):
                return Objection("wrong-order", (*others[before][:1], entry))
            if not self._has_beginning(child, entry, others):
                return Objection("wrong-order", (entry,))
        return super().lost(child, key, entry, others)

    def _has_beginning(self, child: int, entry: Entry, others: Sequence[Sequence[Entry]]) -> bool:
        """Whether events of all that has to come before stand in their order before this one."""
        ended = EMPTY_END
        for k in self.positive:
            if k == child:
                break
            ends = [one[END] for one in others[k] if one[START] > ended and one[END] < entry[START]]
            if not ends:
                return False
            ended = min(ends)
        return True

    # ---- freeing (G4) ---------------------------------------------------------------------------------

    def forget(self, key: Key) -> None:
        super().forget(key)
        if self.contiguity is not None:
            self.contiguity.forget(self.grouping.place_of(key))

    def forget_at(self, place: int) -> None:
        super().forget_at(place)
        if self.contiguity is not None:
            self.contiguity.forget(place)

    def clear(self) -> None:
        super().clear()
        if self.contiguity is not None:
            self.contiguity.clear()

    def happened(self, place: int, ts: int) -> None:
        assert self.contiguity is not None
        if not self.prompt or any(key in self.groups for key in self.keys_at(place)):
            self.contiguity.happened(place, ts)
