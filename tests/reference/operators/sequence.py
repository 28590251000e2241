"""Sequence ``a ; not b ; c …`` (H5), what must not happen in it (A1 to A4), and how closely it follows (S3, W4).

The events of negated operands are kept for ever, by place: what happened before a group was there counts, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xmlcep.algebra import ContextName, Sequence, Termination, Unit

from .. import constraints, paths
from ..clock import Due
from ..contexts import Choice
from ..events import Composite, Entry, Event, Group, span
from ..runs import Run
from ..values import Variables
from .combining import Combining
from .multiplicity import MultiplicityState
from .operator import agree


@dataclass
class Absent:
    """An event of a negated operand: whose, at which place, with which of the values that group."""

    child: int
    key: int | None
    values: dict[str, str]
    entry: Entry


@dataclass(eq=False)
class Candidate:
    """What is raised if nothing that must not happen does (A3): its entries, when it is due (None: at a release).

    ``waits``: it was due, and `when` was false (Z16).
    """

    entries: list[Entry]
    due: Due | None
    waits: bool = field(default=False)


class SequenceState(Combining):
    """A sequence. ``behind`` are the negated operands behind the last that has to occur, ``inside`` the others."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.known: list[Absent] = []
        self.dealt: dict[
            int, int
        ] = {}  # of each negated operand, how many of its arrivals have been dealt with

    def _sequence(self) -> Sequence:
        assert isinstance(self.expression, Sequence)
        return self.expression

    @property
    def behind(self) -> list[int]:
        return [index for index in self.absent if index > self.needed[-1]]

    @property
    def inside(self) -> list[int]:
        return [index for index in self.absent if index < self.needed[-1]]

    @property
    def chooses_at_once(self) -> bool:
        """The operands before a `not` at the end are evaluated at once (A3)."""
        return bool(self.behind)

    # Constraints

    def is_related(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        options = self._sequence().options
        if not constraints.in_order(self.definition.order, combination):
            return False
        if options.gap is not None and not constraints.gaps(self.around.clock, options.gap, combination):
            return False
        if options.strict and not constraints.contiguous(self, group.key, combination):
            return False
        return not any(self._forbidden(group, k, combination, complete=complete) for k in self.inside)

    def _forbidden(self, group: Group, absent: int, combination: list[Entry], *, complete: bool) -> bool:
        """A1, A2: whether an event of the negated operand lies between its neighbours (Z6)."""
        left = [entry for entry in constraints.filled(combination) if entry.child < absent]
        right = [entry for entry in constraints.filled(combination) if entry.child > absent]
        if not complete and not (left and right):
            return False
        before, after = (left[-1] if left else None), (right[0] if right else None)

        def between(entry: Entry) -> bool:
            if not self._lies(entry, before, after):
                return False
            return before is not None or self._back_within(entry, combination)

        return self._happened(group, absent, between)

    def _lies(self, entry: Entry, before: Entry | None, after: Entry | None) -> bool:
        """Whether it lies between these, as far as they are there; what is empty never does."""
        order = self.definition.order
        return (
            not entry.empty
            and (before is None or constraints.before(order, before, entry))
            and (after is None or constraints.before(order, entry, after))
        )

    def _back_within(self, entry: Entry, combination: list[Entry]) -> bool:
        """A2: whether it lies in the window, counted back from the end of the combination (Z7)."""
        whole, own = span(combination), span([entry])
        if self.within is None or whole is None or own is None:
            return True
        return self.around.clock.fits(self.within, own[0], whole[1])

    def _happened(self, group: Group, absent: int, where) -> bool:  # type: ignore[no-untyped-def]
        """Whether something of a negated operand happened there; of a multiplicity enough of it (Z5)."""
        child = self.children[absent]
        if isinstance(child, MultiplicityState):
            return any(
                child.would_raise([entry for entry in entries if where(entry)])
                for key, values, entries in child.arrived_in(self.path)
                if key == group.key and agree(group, self._joined_of(values))
            )
        return any(where(entry) for entry in self._absent_events(group, absent))

    def _absent_events(self, group: Group, absent: int) -> list[Entry]:
        return [
            known.entry
            for known in self.known
            if known.child == absent and known.key == group.key and agree(group, known.values)
        ]

    def take_absent(self, child: int, event: Event, values: Variables) -> None:
        mine = self.values_in(child, values)
        if mine is None:
            return
        self.known.append(Absent(child, self.key_of(child, event), mine, self.entry(event, child, values)))

    def absent_taken(self) -> None:
        for group in self.groups.values():
            group.candidates = [c for c in group.candidates if not self._is_ended(group, c)]
        for absent in self.absent:
            for key, values, entry in self._newly_arrived(absent):
                self._start_over(absent, key, values, entry)

    def _newly_arrived(self, absent: int) -> list[tuple[int | None, dict[str, str], Entry]]:
        """What has arrived in a negated operand since this was asked last, with its place and values."""
        child = self.children[absent]
        if isinstance(child, MultiplicityState):
            places = child.arrivals_in(self.path)
            found = [(key, self._joined_of(values), entry) for key, values, (_, entry) in places]
        else:
            found = [(known.key, known.values, known.entry) for known in self.known if known.child == absent]
        dealt, self.dealt[absent] = self.dealt.get(absent, 0), len(found)
        return found[dealt:]

    def _joined_of(self, values: dict[str, str]) -> dict[str, str]:
        return {name: values[name] for name in self.joined if name in values}

    def _start_over(self, absent: int, key: int | None, values: dict[str, str], event: Entry) -> None:
        """Q4: what the multiplicity directly before a `not` has kept from before this event of it counts no more, if
        that, with what has come before, is what must not occur (Z5)."""
        left = absent
        while left in self.absent:
            left -= 1
        child = self.children[left] if left >= 0 else None
        if not isinstance(child, MultiplicityState):
            return
        for group in child.groups.values():
            above = self._group_above(child, group)
            if above is None or above.key != key or not agree(above, values):
                continue
            child.start_over(
                group,
                lambda entry, above=above: (
                    self._lies(event, entry, None)
                    and self._happened(above, absent, lambda other: self._lies(other, entry, None))
                ),
            )

    def _group_above(self, child: MultiplicityState, group: Group) -> Group | None:
        """As it were the group to which what a multiplicity raises of a group of its own belongs; None: none."""
        key = None
        if not self.flat and group.accumulated:
            place = paths.composite_instance(group.key, [group.accumulated[0].event.instance])
            key = paths.node_of(self.path, child.path, place)
        takes_part = group.accumulated and (self.flat or key is not None)
        return Group(key, self._joined_of(dict(group.values))) if takes_part else None

    # Choosing

    def lacking(self, run: Run) -> list[int]:
        """The next one; behind what may be left out, those behind that, too."""
        return self._until_needed([index for index in self.needed if index > run.entries[-1].child])

    def begins(self, entry: Entry) -> bool:
        return entry.child in self._until_needed(list(self.needed))

    def _until_needed(self, operands: list[int]) -> list[int]:
        needed = [place for place, index in enumerate(operands) if index not in self.optional]
        return operands[: needed[0] + 1] if needed else operands

    def choice(self, group: Group, new: list[Entry]) -> Choice:
        return Choice(lambda: self.combinations(group), new, first=self.needed[0], last=self.needed[-1])

    # Candidates (A3)

    def complete(self, group: Group, chosen: list[Entry], consumed: list[Entry]) -> None:
        if not self.behind:
            super().complete(group, chosen, consumed)
            return
        candidate = Candidate(chosen, self._due(chosen))
        self.consume(group, consumed)
        if self._is_ended(group, candidate):
            return
        waiting = [other for other in group.candidates if not other.waits]
        if self.context is ContextName.CUMULATIVE and waiting:
            waiting[0].entries = sorted(
                [*waiting[0].entries, *chosen], key=lambda entry: (entry.child, entry.rank)
            )
            return
        if self.context is ContextName.RECENT:
            group.candidates = [other for other in group.candidates if other.waits]
        group.candidates.append(candidate)

    def _due(self, entries: list[Entry]) -> Due | None:
        """T(first member) + w (A3); of nothing, w from now (Z16); None: at a release."""
        if self.within is None or self.end is not Termination.EARLIEST:
            return None
        whole = span(entries)
        if whole is not None:
            return self.around.clock.due(self.within, whole[0])
        unit, amount = self.within.unit, self.within.amount
        if unit is Unit.TIME:
            assert self.around.now is not None
            return Due(unit, self.around.now + amount)
        return Due(unit, (self.around.ts if unit is Unit.CHANGES else self.around.ordinal) + amount - 1)

    def _is_ended(self, group: Group, candidate: Candidate) -> bool:
        """Whether something that must not happen lies behind it, in time (A3, Z15, Z16)."""
        if candidate.waits:
            return False
        filled = constraints.filled(candidate.entries)

        def behind(entry: Entry) -> bool:
            order = self.definition.order
            return (
                not entry.empty
                and all(constraints.before(order, member, entry) for member in filled)
                and in_time(entry, candidate.due)
            )

        return any(self._happened(group, absent, behind) for absent in self.behind)

    def _given_up(self, group: Group) -> None:
        """A candidate with a withdrawn member is given up (A3)."""
        group.candidates = [
            candidate
            for candidate in group.candidates
            if not any(entry.withdrawn for entry in candidate.entries)
        ]

    def take_back(self, composite: Composite) -> None:
        super().take_back(composite)
        for group in self.groups.values():
            self._given_up(group)

    def potential(self, group: Group) -> bool:
        if not self.behind:
            return super().potential(group)
        return any(candidate.due is None or candidate.waits for candidate in group.candidates)

    def release(self, group: Group) -> None:
        if not self.behind:
            super().release(group)
            return
        self._raise(group, [c for c in group.candidates if c.due is None or c.waits])

    def _raise(self, group: Group, candidates: list[Candidate]) -> None:
        group.candidates = [other for other in group.candidates if other not in candidates]
        for candidate in candidates:
            self.raise_and_consume(group, candidate.entries, [])

    def dues(self) -> list[Due]:
        return [
            candidate.due
            for group in self.groups.values()
            for candidate in group.candidates
            if candidate.due is not None and not candidate.waits
        ]

    def fire(self, due: Due) -> None:
        """What is due is raised, or waits for its condition (Z16)."""
        for group in sorted(self.groups.values(), key=lambda group: group.order):
            found = [c for c in group.candidates if c.due == due and not c.waits]
            if found and self.condition_holds(group):
                self._raise(group, found)
            else:
                for candidate in found:
                    candidate.waits = True

    def fire_at_flush(self) -> None:
        """A window in transactions is over at the flush that ends the last of them (A3, Z14)."""
        over = [
            due for due in self.dues() if due.unit is Unit.TRANSACTIONS and due.value <= self.around.ordinal
        ]
        for due in sorted(set(over)):
            self.fire(due)


def in_time(entry: Entry, due: Due | None) -> bool:
    """Whether it happened no later than something is due (Z15)."""
    if due is None:
        return True
    stored = entry.stored_at
    if due.unit is Unit.TIME:
        return stored.now is not None and stored.now <= due.value
    return (stored.ts if due.unit is Unit.CHANGES else stored.ordinal) <= due.value


STATE = SequenceState
