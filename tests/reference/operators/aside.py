"""What stands aside in a sequence or a conjunction: what must not happen, and what is taken along (A1 to A8, Q4).

The events of negated operands are kept for ever, by place: what happened before a group was there counts, too. Those of
which all is taken along are stored in their group, and nothing is chosen of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xmlcep.algebra import ContextName, Leaf, Termination, Unit

from .. import constraints, expressions, leaves, paths
from ..clock import Due
from ..contexts import is_in
from ..events import Composite, Entry, Event, Group, span
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
    """What is raised if nothing that must not happen does (A3): its entries, when it is due (None: at a
    release), and how many flushes there had been when it came to be (A7).

    ``waits``: it was due, and `when` was false (A3).
    """

    entries: list[Entry]
    due: Due | None
    since: int
    waits: bool = field(default=False)


Where = Callable[[Entry], bool]


class WithAside(Combining):
    """``behind`` are the operands that stand aside until an end, ``inside`` the others that do."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.known: list[Absent] = []
        # Of each negated operand, how many of its arrivals have been dealt with.
        self.dealt: dict[int, int] = {}

    @property
    def beside(self) -> list[int]:
        return sorted([*self.absent, *self.along])

    @property
    def behind(self) -> list[int]:
        raise NotImplementedError

    @property
    def inside(self) -> list[int]:
        return [index for index in self.beside if index not in self.behind]

    @property
    def chooses_at_once(self) -> bool:
        """The others are evaluated at once (A3)."""
        return bool(self.behind)

    def stands_aside(self, child: int) -> bool:
        return child in self.absent or child in self.behind

    # Storing

    def store(self, event: Event, child: int, group: Group, values: Variables) -> Entry | None:
        if child not in self.along:
            return super().store(event, child, group, values)
        entry = self.entry(event, child, values)
        group.stored.append(entry)
        return entry

    def let_go(self, group: Group, arrivals: list[Entry]) -> None:
        if self._is_asked_at_end:
            return
        aside = [entry for entry in group.stored if entry.child in self.along]
        group.stored = [entry for entry in group.stored if entry.child not in self.along]
        super().let_go(group, [entry for entry in arrivals if entry.child not in self.along])
        group.stored = sorted([*group.stored, *aside], key=lambda entry: entry.number)

    # What lies between neighbours

    def has_wrong_aside(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        """A1, A2, A6: whether something lies where it must not, or not so much as there must be."""
        for child in self.inside:
            where = self._between(child, combination, complete=complete)
            if where is not None and self.is_there(group, child, combination, where):
                return True
        return False

    def filled(self, group: Group, combination: list[Entry]) -> list[Entry]:
        """The combination with all that lies between its neighbours (A6)."""
        found = list(combination)
        for child in self.inside:
            where = self._between(child, combination, complete=True)
            if child in self.along and where is not None:
                found += self.lying(group, child, combination, where)
        return sorted(found, key=lambda entry: (entry.child, entry.rank))

    def lying(self, group: Group, child: int, combination: list[Entry], where: Where) -> list[Entry]:
        """What of a collected operand lies there, oldest first."""
        return [e for e in group.child(child) if where(e) and self.agrees(group, child, e, combination)]

    def _between(self, aside: int, combination: list[Entry], *, complete: bool) -> Where | None:
        """What lies between the neighbours of an operand (A1); None: these are not known yet."""
        left = [entry for entry in constraints.filled(combination) if entry.child < aside]
        right = [entry for entry in constraints.filled(combination) if entry.child > aside]
        if not complete and (not (left and right) or self.is_asked_later(aside)):
            return None
        before, after = (left[-1] if left else None), (right[0] if right else None)

        def between(entry: Entry) -> bool:
            if not self.lies(entry, before, after):
                return False
            return before is not None or self._back_within(entry, combination)

        return between

    def lies(self, entry: Entry, before: Entry | None, after: Entry | None) -> bool:
        """Whether it lies between these, as far as they are there; what is empty never does."""
        order = self.definition.order
        return (
            not entry.empty
            and (before is None or constraints.before(order, before, entry))
            and (after is None or constraints.before(order, entry, after))
        )

    def _back_within(self, entry: Entry, combination: list[Entry]) -> bool:
        """A2: whether it lies in the window, counted back from the end of the combination (W3)."""
        whole, own = span(combination), span([entry])
        if self.within is None or whole is None or own is None:
            return True
        return self.around.clock.fits(self.within, own[0], whole[1])

    def agrees(self, group: Group, child: int, entry: Entry, combination: list[Entry]) -> bool:
        """A8: whether the filter of what stands aside is true, where it asks for variables of the combination."""
        leaf = self.children[child]
        if not isinstance(leaf, Leaf) or not self.is_asked_later(child):
            return True
        assert leaf.filter is not None
        known = {
            **self.around.references,
            **self.bindings(group, combination),
            **leaves.knowledge(entry.event),
        }
        return expressions.is_true(leaves.ask(leaf, leaf.filter, entry.event, known, self.around.after, None))

    def is_asked_later(self, child: int) -> bool:
        leaf = self.children[child]
        if child in self.positive or not isinstance(leaf, Leaf) or leaf.filter is None:
            return False
        bound = {name for other in self.positive for name in self.variables_of_child(other)}
        return bool(expressions.names_in(leaf.filter) & bound)

    def is_there(self, group: Group, child: int, combination: list[Entry], where: Where) -> bool:
        """Whether of what stands aside there is what there must not be, or not so much as there must be."""

        def counts(entry: Entry) -> bool:
            return where(entry) and self.agrees(group, child, entry, combination)

        if child not in self.along:
            return self._happened(group, child, counts)
        lower, upper = self.along[child]
        found = sum(map(counts, group.child(child)))
        return found < lower or (upper is not None and found > upper)

    def _happened(self, group: Group, absent: int, where: Where) -> bool:
        """Whether something of a negated operand happened there; of a multiplicity enough of it (A1)."""
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

    def take_aside(self, child: int, event: Event, values: Variables) -> None:
        mine = self.values_in(child, values)
        if mine is None:
            return
        if child in self.along:
            self.store(event, child, self.group(self.key_of(child, event), mine), values)
            return
        self.known.append(Absent(child, self.key_of(child, event), mine, self.entry(event, child, values)))

    def aside_taken(self) -> None:
        for group in self.groups.values():
            group.candidates = [c for c in group.candidates if not self._is_ended(group, c)]
        for absent in self.absent:
            for key, values, entry in self._newly_arrived(absent):
                self.start_over_before(absent, key, values, entry)

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

    def start_over_before(self, absent: int, key: int | None, values: dict[str, str], event: Entry) -> None:
        """Q4: what the multiplicity directly before a `not` has kept from before this event of it counts no more, if
        that, with what has come before, is what must not occur (A1)."""
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
                    self.lies(event, entry, None)
                    and self._happened(above, absent, lambda other: self.lies(other, entry, None))
                ),
            )

    def _group_above(self, child: MultiplicityState, group: Group) -> Group | None:
        """As it were the group to which what a multiplicity raises of a group of its own belongs; None: none."""
        for entry in group.accumulated:
            key = None
            if not self.flat:
                place = paths.composite_instance(group.key, [entry.event.instance])
                key = paths.node_of(self.path, child.path, place)
            if self.flat or key is not None:
                return Group(key, self._joined_of(dict(group.values)))
        return None

    # Candidates (A3)

    def complete(self, group: Group, chosen: list[Entry], consumed: list[Entry]) -> None:
        if not self.behind:
            super().complete(group, chosen, consumed)
            return
        candidate = Candidate(chosen, self._due(chosen), self.around.flushes)
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
        """T(first member) + w (A3); of nothing, w from now (A3); None: at a release."""
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
        """Whether something that must not happen, or too much of something, counts for it (A3, A7, W5)."""
        if candidate.waits:
            return False
        return any(
            self._is_too_much(group, child, candidate, lambda entry: self._counts(candidate, entry))
            for child in self.behind
        )

    def _is_too_much(self, group: Group, child: int, candidate: Candidate, where: Where) -> bool:
        if child not in self.along:
            return self.is_there(group, child, candidate.entries, where)
        upper = self.along[child][1]
        return upper is not None and len(self.lying(group, child, candidate.entries, where)) > upper

    def _counts(self, candidate: Candidate, entry: Entry) -> bool:
        """Whether an event of what stands aside until an end counts for a candidate: none of its own does (A7)."""
        own = any(member.event is entry.event for member in candidate.entries)
        return (
            not (own or entry.empty) and in_time(entry, candidate.due) and self.lies_around(candidate, entry)
        )

    def lies_around(self, candidate: Candidate, entry: Entry) -> bool:
        raise NotImplementedError

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
        """Raises them with what is collected until then, unless that is too little. Chronicle uses each event of that
        once, the others those of all that are raised together, after the last."""
        group.candidates = [other for other in group.candidates if other not in candidates]
        together: list[Entry] = []
        for candidate in candidates:
            along = self._along(group, candidate)
            if along is None:
                continue
            whole = sorted([*candidate.entries, *along], key=lambda entry: (entry.child, entry.rank))
            if self._is_asked_at_end and not self.has(group, whole):
                continue
            self.raise_and_consume(group, whole, along if self.context is ContextName.CHRONICLE else [])
            together += [entry for entry in along if not is_in(entry, together)]
        if self.context not in (ContextName.CHRONICLE, ContextName.UNRESTRICTED):
            self.consume(group, together)

    def _along(self, group: Group, candidate: Candidate) -> list[Entry] | None:
        """What is collected until it is raised; None: too little of it."""
        found: list[Entry] = []
        for child in self.behind:
            if child in self.along:
                part = self.lying(
                    group, child, candidate.entries, lambda entry: self._counts(candidate, entry)
                )
                if len(part) < self.along[child][0]:
                    return None
                found += part
        return found

    @property
    def _is_asked_at_end(self) -> bool:
        """A3: whether more can come to a candidate, so that `having` is asked when it is due."""
        cumulative = self.context is ContextName.CUMULATIVE
        return bool(self.behind) and (cumulative or any(child in self.along for child in self.behind))

    def choose(self, group: Group, chosen: list[Entry], consumed: list[Entry]) -> None:
        if self._is_asked_at_end:
            self.complete(group, chosen, consumed)
        else:
            super().choose(group, chosen, consumed)

    def is_had(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        return self._is_asked_at_end or super().is_had(group, combination, complete=complete)

    def dues(self) -> list[Due]:
        return [
            candidate.due
            for group in self.groups.values()
            for candidate in group.candidates
            if candidate.due is not None and not candidate.waits
        ]

    def fire(self, due: Due) -> None:
        """What is due is raised, or waits for its condition (A3)."""
        for group in sorted(self.groups.values(), key=lambda group: group.order):
            found = [c for c in group.candidates if c.due == due and not c.waits]
            if found and self.condition_holds(group):
                self._raise(group, found)
            else:
                for candidate in found:
                    candidate.waits = True

    def fire_at_flush(self) -> None:
        """A window in transactions is over at the flush that ends the last of them (A3, W5)."""
        over = [
            due for due in self.dues() if due.unit is Unit.TRANSACTIONS and due.value <= self.around.ordinal
        ]
        for due in sorted(set(over)):
            self.fire(due)


def in_time(entry: Entry, due: Due | None) -> bool:
    """Whether it happened no later than something is due (W5)."""
    if due is None:
        return True
    stored = entry.stored_at
    if due.unit is Unit.TIME:
        return stored.now is not None and stored.now <= due.value
    return (stored.ts if due.unit is Unit.CHANGES else stored.ordinal) <= due.value
