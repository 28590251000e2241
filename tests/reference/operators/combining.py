"""What conjunction, sequence, relation and any have in common: combinations, constraints, contexts (Q1 to Q3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from xmlcep.algebra import ContextName, Multiplicity

from .. import constraints, contexts, expressions, runs
from ..contexts import all_in, is_in
from ..events import Composite, Entry, Event, Group, span
from ..runs import Run
from ..values import Variables
from .operator import OperatorState


class Combining(OperatorState):
    """An operator that stores the events of its children and chooses among their combinations."""

    raises_at_once = False

    # Storing

    def store(
        self, event: Event, child: int, group: Group, values: Variables, *, waits: bool
    ) -> Entry | None:
        """In recent context an arrival replaces what its child had (H4, C10); a real composite takes the place of a
        silent one of the same multiplicity group (M5). In context `next` runs go on and begin (S2)."""
        entry = self.entry(event, child, values)
        if isinstance(event, Composite):
            event.arrived = True
        if self.context is ContextName.RECENT:
            for other in group.child(child):
                self.replace(group, other)
        for other in group.stored:
            other.withdrawn = other.withdrawn or (other.silent and same_raiser(other, event))
        group.stored = [other for other in group.stored if not (other.silent and other.withdrawn)]
        group.stored.append(entry)
        if self.context is ContextName.NEXT:
            runs.prune(group)
            for run in group.runs:
                self.go_on(group, run)
            self.begin_run(group, entry)
        return entry

    def replace(self, group: Group, entry: Entry) -> None:
        """An entry makes place for a newer one; that is not consumption (H7)."""
        group.stored = [other for other in group.stored if other is not entry]

    # Combinations

    def enumerate(self, group: Group) -> Iterator[list[Entry]]:
        """One entry of every child that takes part, whatever the constraints, in lexicographic order."""
        for combination in product(*(group.child(index) for index in self.needed)):
            yield list(combination)

    def combinations(self, group: Group) -> list[list[Entry]]:
        """Every combination that there is (Q1). `having` of cumulative is asked of the whole, later."""
        return [c for c in self.enumerate(group) if self.admits(group, c, complete=True)]

    def let_go(self, group: Group, arrivals: list[Entry]) -> None:
        """Z27: with a window, what `having` was false of is gone if it lies further back than that from the latest
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
        """Whether the constraints are satisfied, as far as they can be asked while it is not complete (Z21)."""
        if complete and not constraints.counts(combination):
            return False
        if self.within is not None and not constraints.within(self.around.clock, self.within, combination):
            return False
        return self.is_related(group, combination, complete=complete) and self.is_had(
            group, combination, complete=complete
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

    @property
    def constrained(self) -> bool:
        """Whether it has constraints beside those of H4 (Z1)."""
        return self.within is not None or self.having is not None

    # Choosing

    def evaluate_arrivals(self, group: Group, child: int, arrivals: list[Entry]) -> None:
        if self.context is ContextName.NEXT:
            self.raise_runs(group)
            return
        for chosen, consumed in self.on_arrival(group, arrivals):
            self.choose(group, chosen, consumed)

    def release(self, group: Group) -> None:
        if self.context is ContextName.NEXT:
            self.raise_runs(group)
            return
        for chosen, consumed in self.on_release(group):
            self.choose(group, chosen, consumed)

    def on_arrival(self, group: Group, arrivals: list[Entry]) -> Iterator[contexts.Selection]:
        """H4 for arrivals in one child."""

        def combinations() -> list[list[Entry]]:
            return self.combinations(group)

        if self.constrained:
            return contexts.constrained(self.context, combinations, arrivals, contexts.from_the_last)
        return contexts.conjunction(self.context, group, len(self.children), combinations, arrivals)

    def on_release(self, group: Group) -> Iterator[contexts.Selection]:
        """D5."""

        def combinations() -> list[list[Entry]]:
            return self.combinations(group)

        if self.constrained:
            return contexts.constrained_released(self.context, combinations, contexts.from_the_last)
        return contexts.conjunction_released(self.context, group, len(self.children), combinations)

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
        return len(self.needed)

    def lacking(self, run: Run) -> list[int]:
        """The children of which a run may take an event."""
        return [index for index in self.needed if index not in [entry.child for entry in run.entries]]

    def begins(self, entry: Entry) -> bool:
        """Whether an event begins a run."""
        return True

    def begin_run(self, group: Group, entry: Entry) -> None:
        """Every event stored in the first operand, or in any, begins a run."""
        if self.begins(entry):
            run = Run(entry.number, [entry])
            if self.admits(group, [entry], complete=self.width == 1):
                run.complete = self.width == 1
                group.runs.append(run)
                self.go_on(group, run)

    def go_on(self, group: Group, run: Run) -> None:
        """A run takes what it can."""

        def admits(entries: list[Entry], complete: bool) -> bool:
            combination = sorted(entries, key=lambda entry: entry.child)
            return self.admits(group, combination, complete=complete)

        runs.go_on(group, run, self.lacking, self.width, admits, ordered=self.in_sequence)

    in_sequence = False
    """Whether its operands have an order."""

    def raise_runs(self, group: Group) -> None:
        """Complete runs are raised in the order in which they began, and end; what is in them is consumed, once. What
        takes the place of something begins runs, too, perhaps complete ones."""
        while complete := [run for run in group.runs if run.complete]:
            group.runs = [run for run in group.runs if not run.complete]
            for run in complete:
                self.complete(group, run.combination, [])
                self._consume_run(group, run)

    def _consume_run(self, group: Group, run: Run) -> None:
        """Runs share what is in them, which is consumed once (S2); what is empty makes place for a silent one."""
        taken = [entry for entry in self.consumed_with(group, run.combination) if not entry.used]
        for entry in taken:
            entry.used = True
        group.stored = [other for other in group.stored if not (other.empty and other in taken)]
        for entry in taken:
            self.tell_consumed(entry)
        silent = [self._keep_available(group, entry) for entry in taken]
        for kept in silent:
            if kept is not None:
                self.begin_run(group, kept)

    def consumed_with(self, group: Group, combination: list[Entry]) -> list[Entry]:
        """What is consumed when these are."""
        return combination

    # Consuming

    def consume(self, group: Group, entries: list[Entry]) -> None:
        """Removes the entries, tells the children that raised them (H7); when all are gone, puts silent empties in
        their place, in their order (M5, C5)."""
        super().consume(group, entries)
        for entry in entries:
            self._keep_available(group, entry)

    def _keep_available(self, group: Group, entry: Entry) -> Entry | None:
        """M5, C5: while the node exists and no other composite of the multiplicity group is stored here, or raised and
        about to be."""
        child, event = self.children[entry.child], entry.event
        if not (isinstance(child, OperatorState) and isinstance(event, Composite)):
            return None
        if not (isinstance(child.expression, Multiplicity) and child.expression.lower == 0):
            return None
        if not self.around.exists(event.group if isinstance(event.group, int) else None):
            return None
        if any(same_raiser(other, event) and not other.used for other in group.child(entry.child)):
            return None
        if any(o.group == event.group and not (o.arrived or o.withdrawn) for o in child.raised):
            return None
        if not child.has(child.group(event.group if isinstance(event.group, int) else None), []):
            return None  # Z9
        silent = Composite(
            event.name, event.instance, [], self.cause(), event.operator, child, event.group, silent=True,
            bindings=child.bindings(group, []) if child.variables else None,
        )  # fmt: skip
        kept = self.entry(silent, entry.child, dict(silent.bindings or {}))
        kept.fresh = False
        group.stored.append(kept)
        return kept

    def take_back(self, composite: Composite) -> None:
        super().take_back(composite)
        for group in self.groups.values():
            runs.prune(group)

    def _take_back_silent(self, is_meant: Callable[[Composite], bool]) -> None:
        super()._take_back_silent(is_meant)
        for group in self.groups.values():
            runs.prune(group)


def same_raiser(entry: Entry, event: Event) -> bool:
    """Whether both are composites of one group of one multiplicity."""
    stored = entry.event
    return (
        isinstance(stored, Composite)
        and isinstance(event, Composite)
        and stored.raiser is event.raiser
        and stored.group == event.group
        and isinstance(event.raiser, OperatorState)
        and isinstance(event.raiser.expression, Multiplicity)
    )
