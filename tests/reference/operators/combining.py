"""What conjunction, sequence, relation and any have in common: combinations, constraints, contexts (Q1, D5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from xmlcep.algebra import ContextName, Multiplicity

from .. import constraints, contexts, expressions, runs
from ..contexts import Choice, all_in, is_in
from ..events import Composite, Entry, Event, Group, span
from ..runs import Run
from ..values import Variables
from .operator import OperatorState


class Combining(OperatorState):
    """An operator that stores the events of its children and chooses among their combinations."""

    raises_at_once = False

    # Storing

    def store(self, event: Event, child: int, group: Group, values: Variables) -> Entry | None:
        """In recent context a child keeps its newest (Q1). In `next` runs go on and begin (S2)."""
        entry = self.entry(event, child, values)
        group.stored.append(entry)
        if self.context is ContextName.RECENT:
            for older in group.child(child)[:-1]:
                self.replace(group, older)
        if self.context is ContextName.NEXT:
            runs.prune(group)
            for run in group.runs:
                self.go_on(group, run, entry)
            self.begin_run(group, entry)
        return entry

    def replace(self, group: Group, entry: Entry) -> None:
        """An entry makes place for a newer one; that is not consumption (H7)."""
        group.stored = [other for other in group.stored if other is not entry]

    # Combinations

    @property
    def optional(self) -> list[int]:
        """The operands that may be left out: `x[0,u]` (M5)."""
        children = ((index, self.children[index]) for index in self.positive)
        return [
            index
            for index, child in children
            if isinstance(child, OperatorState)
            and isinstance(child.expression, Multiplicity)
            and child.expression.lower == 0
        ]

    def enumerate(self, group: Group) -> Iterator[list[Entry]]:
        """One entry of every child that takes part, or none of one that is optional, in lexicographic order."""
        pools: list[list[Entry | None]] = [
            [*group.child(index), *([None] if index in self.optional else [])] for index in self.positive
        ]
        for combination in product(*pools):
            found = [entry for entry in combination if entry is not None]
            if found and are_different(found):
                yield found

    def combinations(self, group: Group) -> list[list[Entry]]:
        """Every combination that there is (Q1), with what is taken along (A6). `having` of cumulative is asked of the
        whole, later."""
        found = [c for c in self.enumerate(group) if self.admits(group, c, complete=True)]
        return [self.filled(group, combination) for combination in found]

    def filled(self, group: Group, combination: list[Entry]) -> list[Entry]:
        """A combination with all that is taken along with it."""
        return combination

    def let_go(self, group: Group, arrivals: list[Entry]) -> None:
        """Q5: with a window, what `having` was false of is gone if it lies further back than that from the latest
        event, unless it is in a combination with what arrives."""
        if self.context is not ContextName.CUMULATIVE or self.within is None or self.having is None:
            return
        with_new = all_in([c for c in self.combinations(group) if any(is_in(e, arrivals) for e in c)])
        latest = span(group.stored)
        for entry in list(group.stored):
            own = span([entry])
            if own is None or latest is None or is_in(entry, with_new):
                continue
            if not self.around.clock.fits(self.within, own[0], latest[1]):
                self.replace(group, entry)

    def admits(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        """Whether its events are different ones and satisfy the constraints, as far as these can be asked while it is
        not complete (S2)."""
        if not are_different(combination):
            return False
        if self.within is not None and not constraints.within(self.around.clock, self.within, combination):
            return False
        return self.is_related(group, combination, complete=complete) and self.is_had(
            group, self.filled(group, combination) if complete else combination, complete=complete
        )

    def is_related(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        """Whether the constraints of this kind of operator are satisfied."""
        return True

    def is_had(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        """`having`, when the last of its variables is bound (S2); not of a combination in cumulative context (Q1)."""
        if self.having is None or self.context is ContextName.CUMULATIVE:
            return True
        wanted = self._asked_for(self.having)
        children = {entry.child for entry in combination}
        if not complete and not all(self._binding(name) <= children for name in wanted):
            return True
        return self.has(group, combination)

    def _asked_for(self, expression: str) -> set[str]:
        """The variables of constituents that an expression needs, by way of `let`, too."""
        found = expressions.names_in(expression)
        for let in reversed(self.expression.options.let):
            if let.name in found:
                found = (found - {let.name}) | expressions.names_in(let.expression)
        return found

    def _binding(self, name: str) -> set[int]:
        return {index for index in self.needed if name in self.variables_of_child(index)}

    # Choosing

    def evaluate(self, group: Group) -> None:
        if self.context is ContextName.NEXT:
            self.raise_runs(group)
            return
        new = [entry for entry in group.stored if entry.fresh and not self.stands_aside(entry.child)]
        for chosen, consumed in contexts.chosen(self.context, self.choice(group, new)):
            self.choose(group, chosen, consumed)

    def choice(self, group: Group, new: list[Entry]) -> Choice:
        """What a context is to choose among."""
        return Choice(lambda: self.combinations(group), new)

    def choose(self, group: Group, chosen: list[Entry], consumed: list[Entry]) -> None:
        """What a context has chosen is raised, or, in cumulative context, not, as long as `having` is false (Q1)."""
        if self.context is ContextName.CUMULATIVE and not self.has(group, chosen):
            return
        self.complete(group, chosen, consumed)

    def complete(self, group: Group, chosen: list[Entry], consumed: list[Entry]) -> None:
        """A combination is complete."""
        self.raise_and_consume(group, chosen, consumed)

    def potential(self, group: Group) -> bool:
        if self.context is ContextName.NEXT:
            return any(run.complete for run in group.runs)
        if not any(entry.fresh for entry in group.stored):
            return False
        found = self.combinations(group)
        if self.context is ContextName.CUMULATIVE:
            whole = contexts.all_in(found)
            return any(entry.fresh for entry in whole) and self.has(group, whole)
        return any(any(entry.fresh for entry in combination) for combination in found)

    # Runs (S2)

    @property
    def width(self) -> int:
        """How many events a combination has."""
        return len(self.positive)

    def lacking(self, run: Run) -> list[int]:
        """The children of which a run may take an event."""
        return [index for index in self.positive if index not in [entry.child for entry in run.entries]]

    def is_whole(self, entries: list[Entry]) -> bool:
        """Whether these lack nothing that has to be there."""
        have = [entry.child for entry in entries]
        return all(index in have or index in self.optional for index in self.positive)

    def begins(self, entry: Entry) -> bool:
        """Whether an event begins a run."""
        return True

    def begin_run(self, group: Group, entry: Entry) -> None:
        """Every event stored in the first operand, or in any, begins a run."""
        if self.begins(entry):
            run = Run([entry])
            whole = self.is_whole([entry])
            if self.admits(group, [entry], complete=whole):
                run.complete = whole
                group.runs.append(run)

    def go_on(self, group: Group, run: Run, arrival: Entry) -> None:
        """A run takes an arrival if it can."""

        def admits(entries: list[Entry], complete: bool) -> bool:
            combination = sorted(entries, key=lambda entry: entry.child)
            return self.admits(group, combination, complete=complete)

        runs.go_on(run, arrival, self.lacking, self.is_whole, admits)

    def raise_runs(self, group: Group) -> None:
        """Complete runs are raised in the order in which they began, and end; what is in them is consumed, once."""
        complete = [run for run in group.runs if run.complete]
        group.runs = [run for run in group.runs if not run.complete]
        for run in complete:
            whole = self.filled(group, run.combination)
            self.complete(group, whole, [])
            for entry in self.consumed_with(group, whole):
                if not entry.used:
                    entry.used = True
                    self.tell_consumed(entry)
        group.stored = [e for e in group.stored if not (e.used and e.child in self.along)]

    # Consuming

    def consume(self, group: Group, entries: list[Entry]) -> None:
        """What is consumed in one operand is consumed in all."""
        super().consume(group, self.consumed_with(group, entries))

    def consumed_with(self, group: Group, entries: list[Entry]) -> list[Entry]:
        """What is consumed when these are: an event that is stored in several operands is in all of them."""
        others = [
            other
            for other in group.stored
            if not is_in(other, entries) and any(other.event is entry.event for entry in entries)
        ]
        return [*entries, *others]

    def take_back(self, composite: Composite) -> None:
        super().take_back(composite)
        for group in self.groups.values():
            runs.prune(group)


def are_different(combination: list[Entry]) -> bool:
    """Whether no event stands in it twice (Q1)."""
    return all(
        entry.event is not other.event
        for index, entry in enumerate(combination)
        for other in combination[:index]
    )
