"""Operators at work: taking arrivals, raising, consuming, withdrawing (H3 to H8, M1 to M6).

When a group is evaluated at once and when it waits is said in `termination`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from path_types import PathInstance, PathType
from xmlcep.algebra import (
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Leaf,
    Multiplicity,
    Operator,
    Sequence,
    Termination,
)
from xmlcep.events import PrimitiveEvent

from . import contexts, paths
from .events import Composite, Entry, Event, Group, as_set
from .relations import compatible


class Surroundings:
    """What all operators of an evaluation share: the clock, the current event, deleted nodes, numbering."""

    def __init__(self) -> None:
        self.cause: PrimitiveEvent | None = None
        self.deleted: set[int] = set()
        self.numbers: Iterator[int] = count()

    def exists(self, node: int | None) -> bool:
        """Whether the node exists, that is: was not seen to be deleted; always in flat context (C5)."""
        return node not in self.deleted


class OperatorState:
    """One operator of one event tree with all its groups. ``children`` has leaves and operators."""

    def __init__(
        self,
        expression: Operator,
        definition: EventDefinition,
        parent: OperatorState | None,
        around: Surroundings,
    ) -> None:
        path = paths.path_of(expression)
        assert path is not None, f"{expression} has no path type (T2)"
        self.expression = expression
        self.definition = definition
        self.path: PathType = path
        self.parent = parent
        self.around = around
        self.flat = definition.flat
        self.context = expression.options.context or definition.context
        self.end = expression.options.end or Termination.EARLIEST
        self.condition = expression.options.when
        self.label = expression.options.name or ""
        self.groups: dict[int | None, Group] = {}
        self.raised: list[Composite] = []
        self.children: list[Leaf | OperatorState] = [
            operand if isinstance(operand, Leaf) else OperatorState(operand, definition, self, around)
            for operand in expression.operands
        ]

    def postorder(self) -> list[OperatorState]:
        """The operators of this subtree, this one last."""
        inner = [child for child in self.children if isinstance(child, OperatorState)]
        return [below for child in inner for below in child.postorder()] + [self]

    def group(self, key: int | None) -> Group:
        """The group of this key."""
        return self.groups.setdefault(key, Group(key))

    # Arrivals

    def arrivals(self, child: int, occurred: list[Event]) -> list[Event]:
        """What arrives in this child at this time point: what a leaf stores (T5, E2), or what the child
        operator raised and has not withdrawn since (C6, C8)."""
        source = self.children[child]
        if isinstance(source, Leaf):
            events = [event for event in occurred if compatible(event, source.type)]
        else:
            events = [composite for composite in source.raised if not composite.withdrawn]
        return [e for e in events if paths.takes_part(self.path, e.instance, flat=self.flat)]

    def store(self, event: Event, child: int, group: Group) -> Entry:
        """Stores an arrival. In recent context it replaces what its child had (H4, C10); a real composite
        takes the place of a silent one of the same multiplicity group (M5)."""
        entry = Entry(event, child, self._now().ts, next(self.around.numbers))
        if isinstance(self.expression, Multiplicity):
            group.accumulated.append(entry)
            return entry
        if self.context is ContextName.RECENT and not isinstance(self.expression, Disjunction):
            group.stored = [other for other in group.stored if other.child != child]
        group.stored = [other for other in group.stored if not (other.silent and _same_raiser(other, event))]
        group.stored.append(entry)
        return entry

    # Evaluation

    def evaluate_arrivals(self, group: Group, child: int, arrivals: list[Entry]) -> None:
        """As without termination: H4, H5, H6, M1 for arrivals that have just been stored in one child."""
        if isinstance(self.expression, Multiplicity):
            for arrival in arrivals:
                self._integrate(group, arrival)
        elif isinstance(self.expression, Disjunction):
            for arrival in arrivals:
                self._raise_and_consume(group, [arrival], [arrival])
        elif isinstance(self.expression, Conjunction):
            selections = contexts.conjunction_on_arrival(self.context, group, len(self.children), arrivals)
            for chosen, consumed in selections:
                self._raise_and_consume(group, chosen, consumed)
        else:
            self._evaluate_sequence(group, lambda entry: any(entry is arrival for arrival in arrivals))

    def release(self, group: Group) -> None:
        """D5: raises what is possible with all that is stored."""
        if isinstance(self.expression, Multiplicity):
            self._release_multiplicity(group)
        elif isinstance(self.expression, Disjunction):
            self._release_disjunction(group)
        elif isinstance(self.expression, Conjunction):
            for chosen, consumed in contexts.conjunction_on_release(self.context, group, len(self.children)):
                self._raise_and_consume(group, chosen, consumed)
        else:
            self._evaluate_sequence(group, lambda entry: entry.fresh)

    def _evaluate_sequence(self, group: Group, is_new: contexts.Callable[[Entry], bool]) -> None:
        order = self.definition.order
        for chosen, consumed in contexts.sequence_on_arrival(
            self.context, order, group, len(self.children), is_new
        ):
            self._raise_and_consume(group, chosen, consumed)

    def _integrate(self, group: Group, arrival: Entry) -> None:
        """M1, M2: one more arrival (already accumulated, those behind it not counted yet)."""
        counted = group.accumulated[: group.accumulated.index(arrival) + 1]
        if len(counted) < self._lower:
            return
        self._withdraw_current(group)
        composite = self._raise(group, [entry.event for entry in counted])
        for entry in counted:
            self._tell_consumed(entry)
        group.current = composite
        if len(counted) == self._upper:
            group.current = None
            group.accumulated = group.accumulated[len(counted) :]

    def _release_multiplicity(self, group: Group) -> None:
        """D5, X8: full batches of u, then the rest if it has at least l; accumulation starts over."""
        self._withdraw_current(group)
        instance, group.empty = group.empty, None
        if not group.accumulated:
            if instance is not None:
                self._raise_empty(group, instance)
            group.current = None
            return
        rest = group.accumulated
        while rest and len(rest) >= max(self._lower, 1):
            size = len(rest) if self._upper is None else min(self._upper, len(rest))
            batch, rest = rest[:size], rest[size:]
            self._raise(group, [entry.event for entry in batch])
            for entry in batch:
                self._tell_consumed(entry)
        group.accumulated = rest

    def _release_disjunction(self, group: Group) -> None:
        """D5: cumulative, one composite of all pending (in order of operand); else one per arrival."""
        pending = list(group.stored)
        if self.context is ContextName.CUMULATIVE:
            pending.sort(key=lambda entry: (entry.child, entry.number))
            self._raise_and_consume(group, pending, pending)
        else:
            for entry in pending:
                self._raise_and_consume(group, [entry], [entry])

    # Raising and consuming

    def create(self, group: Group, instance: PathInstance) -> None:
        """M4: an empty composite for a node that was created, if nothing has accumulated (C6)."""
        if not group.accumulated:
            self._withdraw_current(group)
            group.current = self._raise_empty(group, instance)

    def _raise_empty(self, group: Group, instance: PathInstance) -> Composite:
        composite = Composite(self._name, instance, [], self._now(), self._shown_label, self, group.key)
        self.raised.append(composite)
        return composite

    def _raise(self, group: Group, events: list[Event]) -> Composite:
        members = as_set(events)
        instance = paths.composite_instance(self.path, [event.instance for event in members], flat=self.flat)
        composite = Composite(self._name, instance, members, self._now(), self._shown_label, self, group.key)
        self.raised.append(composite)
        return composite

    def _raise_and_consume(self, group: Group, chosen: list[Entry], consumed: list[Entry]) -> None:
        self._raise(group, [entry.event for entry in chosen])
        for entry in consumed:
            self._consume(group, entry)

    def _consume(self, group: Group, entry: Entry) -> None:
        """Removes the entry, tells the child that raised it (H7), puts a silent empty in its place (M5)."""
        group.stored = [other for other in group.stored if other is not entry]
        self._tell_consumed(entry)
        if isinstance(self.expression, (Conjunction, Sequence)):
            self._keep_available(group, entry)

    def _tell_consumed(self, entry: Entry) -> None:
        child = self.children[entry.child]
        if isinstance(child, OperatorState) and isinstance(entry.event, Composite):
            child.consumed(entry.event)

    def consumed(self, composite: Composite) -> None:
        """M3, C7: when the composite that is still integrating is consumed, accumulation starts over.

        Arrivals that wait for a release were not integrated and stay."""
        for group in self.groups.values():
            if group.current is composite:
                group.current = None
                group.accumulated = [
                    entry for entry in group.accumulated
                    if not any(entry.event is inside for inside in composite.constituents)
                ]  # fmt: skip

    def _keep_available(self, group: Group, entry: Entry) -> None:
        """M5, C5: while the node exists and no other composite of the multiplicity group is stored here."""
        child, event = self.children[entry.child], entry.event
        if not (isinstance(child, OperatorState) and isinstance(event, Composite)):
            return
        if not (isinstance(child.expression, Multiplicity) and child.expression.lower == 0):
            return
        if not self.around.exists(event.group if isinstance(event.group, int) else None):
            return
        if any(_same_raiser(other, event) for other in group.child(entry.child)):
            return
        silent = Composite(
            event.name, event.instance, [], self._now(), event.operator, child, event.group, silent=True
        )
        kept = Entry(silent, entry.child, self._now().ts, next(self.around.numbers), fresh=False)
        group.stored.append(kept)

    def _withdraw_current(self, group: Group) -> None:
        """M1: the former composite, if not consumed, is withdrawn from the parent."""
        former, group.current = group.current, None
        if former is None:
            return
        former.withdrawn = True
        for parent_group in self.parent.groups.values() if self.parent else ():
            for entries in (parent_group.stored, parent_group.accumulated):
                entries[:] = [entry for entry in entries if entry.event is not former]

    def forget_silent(self, node: int) -> None:
        """C5: the node is being deleted, so the constraint no longer holds."""
        for group in self.groups.values():
            group.stored = [
                entry for entry in group.stored
                if not (entry.silent and isinstance(entry.event, Composite) and entry.event.group == node)
            ]  # fmt: skip

    @property
    def _name(self) -> str:
        return self.definition.name

    @property
    def _shown_label(self) -> str | None:
        return None if self.parent is None else self.label

    @property
    def _lower(self) -> int:
        assert isinstance(self.expression, Multiplicity)
        return self.expression.lower

    @property
    def _upper(self) -> int | None:
        assert isinstance(self.expression, Multiplicity)
        return self.expression.upper

    def _now(self) -> PrimitiveEvent:
        assert self.around.cause is not None
        return self.around.cause


def _same_raiser(entry: Entry, event: Event) -> bool:
    stored = entry.event
    return (
        isinstance(stored, Composite)
        and isinstance(event, Composite)
        and stored.raiser is event.raiser
        and stored.group == event.group
        and isinstance(event.raiser, OperatorState)
        and isinstance(event.raiser.expression, Multiplicity)
    )
