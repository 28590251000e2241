"""What all operators do: taking arrivals, grouping them by place and values, raising, consuming (H, V2 to V5).

What an operator makes of its arrivals stands in the module that is called like its kind; when a group is evaluated
at once and when it waits is said in `tests.reference.termination`.
"""

from __future__ import annotations

from collections.abc import Sequence as Several
from importlib import import_module

from path_types import PathInstance, PathType
from xmlcep.algebra import (
    ContextName,
    EventDefinition,
    Leaf,
    Multiplicity,
    Operator,
    Order,
    Termination,
    Unit,
    Window,
)
from xmlcep.events import PrimitiveEvent

from .. import expressions, paths
from ..clock import Due, TimeUnknown
from ..events import Cause, Composite, Entry, Event, Group, as_set, interval, variables_of
from ..leaves import taken
from ..values import Value, Variables, as_text, single
from .surroundings import Surroundings

Arrival = tuple[Event, Variables]


class OperatorState:
    """One operator of one event tree with all its groups. ``children`` has leaves and operators.

    ``within`` is its window, perhaps that of the operator above (Q4); ``joined`` are the variables that extend
    its groups (V2, V3), ``variables`` those of its composites, each with whether it can have several values;
    ``counted`` are those among them that nobody bound, which join nothing (W10).
    """

    raises_at_once = True
    """Whether it has no termination: each arrival is dealt with when it comes (H6 without D, W7 to W10)."""
    joins = True
    """Whether a variable of several operands joins them (V2)."""
    extra: tuple[str, ...] = ()
    """Variables that its composites have of themselves (W10)."""

    def __init__(
        self,
        expression: Operator,
        definition: EventDefinition,
        parent: OperatorState | None,
        around: Surroundings,
        *,
        below_not: bool = False,
    ) -> None:
        path = paths.path_of(expression)
        assert path is not None or definition.flat, f"{expression} has no path type (T2)"
        options = expression.options
        self.expression = expression
        self.definition = definition
        self.path: PathType | None = path  # None: the document
        self.parent = parent
        self.around = around
        self.flat = definition.flat
        below = ContextName.UNRESTRICTED if below_not else definition.context  # A1
        self.context = options.context or below
        self.end = options.end or Termination.EARLIEST
        self.condition = options.when
        self.guard = options.guard
        self.having = options.having
        self.within: Window | None = options.within
        if self.within is None and isinstance(expression, Multiplicity) and parent is not None:
            self.within = parent.within
        self.label = options.name or ""
        self.groups: dict[tuple[int | None, tuple[str, ...]], Group] = {}
        self.raised: list[Composite] = []
        absent = getattr(expression, "negated", ())
        self.children: list[Leaf | OperatorState] = [
            operand
            if isinstance(operand, Leaf)
            else new_state(operand, definition, self, around, below_not=below_not or index in absent)
            for index, operand in enumerate(expression.operands)
        ]
        self.absent: tuple[int, ...] = tuple(absent)
        along = getattr(expression, "collected", ())
        self.along = {each.operand: each.bounds for each in along}
        self._find_variables()

    def postorder(self) -> list[OperatorState]:
        """The operators of this subtree, this one last."""
        inner = [child for child in self.children if isinstance(child, OperatorState)]
        return [below for child in inner for below in child.postorder()] + [self]

    # Variables, known before any event (V1 to V5)

    @property
    def needed(self) -> tuple[int, ...]:
        """The children that must bind a variable of the join; the others may (V2, V4)."""
        return tuple(index for index in range(len(self.children)) if index not in self.absent)

    @property
    def positive(self) -> tuple[int, ...]:
        """The children of which combinations have one event each; of the others that are needed all is taken along
        (A6)."""
        return tuple(index for index in self.needed if index not in self.along)

    @property
    def constituents(self) -> tuple[int, ...]:
        """The children whose events are in the composite."""
        return self.needed

    def name_of(self, index: int) -> str | None:
        """What an operand is called (V10)."""
        operand = self.expression.operands[index]
        return operand.name if isinstance(operand, Leaf) else operand.options.name

    def variables_of_child(self, index: int) -> dict[str, bool]:
        """The variables that a child binds, each with whether it can have several values."""
        child = self.children[index]
        if isinstance(child, OperatorState):
            return child.variables
        declared: Several[str] = ()
        if child.opaque is not None:
            compiled = self.around.languages[child.opaque.language](child.opaque.text)
            declared = getattr(compiled, "variables", ())
        return dict.fromkeys([*declared, *(binding.name for binding in child.bindings)], False)

    def _find_variables(self) -> None:
        options = self.expression.options
        bound = [self.variables_of_child(index) for index in range(len(self.children))]
        names = {name for variables in bound for name in variables}
        counted = [child.counted if isinstance(child, OperatorState) else set() for child in self.children]
        self.counted = {*self.extra, *(name for inner in counted for name in inner)}
        joined = set(options.by)
        if self.joins:
            binding = [set(variables) - inner for variables, inner in zip(bound, counted, strict=True)]
            joined |= {name for name in names if sum(name in variables for variables in binding) > 1}
        for name in joined:
            assert all(name in bound[index] for index in self.needed), f"${name} is not bound by all (V2, V3)"
            assert not any(variables.get(name) for variables in bound), (
                f"${name} can have several values (V2)"
            )
        self.joined = tuple(sorted(joined))
        handed_on = {
            name: any(bound[index].get(name) or index in self.along for index in self.constituents)
            or self.gathers
            for name in sorted(names)
            if any(name in bound[index] for index in self.constituents)
        }
        one = dict.fromkeys([*self.joined, *(let.name for let in options.let), *self.extra], False)
        self.variables: dict[str, bool] = {**handed_on, **one}
        self.single = tuple(one)

    @property
    def gathers(self) -> bool:
        """Whether a composite can have several events of one operand (V2)."""
        return self.context is ContextName.CUMULATIVE

    # Arrivals

    def order_of_turns(self) -> list[int]:
        """In which order the children's arrivals are taken (H3); what stands aside comes first (A1)."""
        aside = sorted([*self.absent, *self.along])
        return [*aside, *(index for index in range(len(self.children)) if index not in aside)]

    def arrivals(self, child: int, occurred: list[Event]) -> list[Arrival]:
        """What arrives in this child at this time point: what a leaf stores (T5, E2, F1), or what the child
        operator raised of something and has not withdrawn since (M1, H3, M5); each with its variables."""
        source = self.children[child]
        found: list[Arrival] = []
        if isinstance(source, Leaf):
            for event in occurred:
                values = taken(source, event, self.around, unasked=self.is_asked_later(child))
                if values is not None:
                    found.append((event, values))
                    self.check_time()
        else:
            found = [
                (composite, dict(composite.bindings or {}))
                for composite in source.raised
                if composite.constituents and not composite.withdrawn
            ]
        return [
            (event, values) for event, values in found if self.flat or self.node_of(child, event) is not None
        ]

    def check_time(self) -> None:
        """W1: a rule with durations needs to know what time it is."""
        if self.around.now is None and any(map(_uses_time, self.root().postorder())):
            raise TimeUnknown(f"{self.definition.name} has durations and no time is known (W1)")

    def root(self) -> OperatorState:
        """The root of the tree."""
        return self if self.parent is None else self.parent.root()

    def node_of(self, child: int, event: Event) -> int | None:
        """The node to which an event of a child is aligned (P10)."""
        operand = self.children[child]
        return paths.node_of(
            self.path, operand if isinstance(operand, Leaf) else operand.path, event.instance
        )

    def key_of(self, child: int, event: Event) -> int | None:
        """The place that an event of a child belongs to (H1)."""
        return None if self.flat else self.node_of(child, event)

    def values_in(self, child: int, values: Variables) -> dict[str, str] | None:
        """The values of the variables that group, those which the child binds; None: it takes no part (V2, V4)."""
        bound = self.variables_of_child(child)
        found: dict[str, str] = {}
        for name in self.joined:
            if name in bound:
                value = single(values.get(name))
                if value is None:
                    return None
                found[name] = as_text(value)
        return found

    def groups_of(self, child: int, event: Event, values: Variables) -> list[Group]:
        """The group of an arrival; of a child that need not bind what joins, all groups it concerns (V4)."""
        key, mine = self.key_of(child, event), self.values_in(child, values)
        if mine is None:
            return []
        if child in self.needed:
            return [self.group(key, mine)]
        found = [group for group in self.groups.values() if group.key == key and agree(group, mine)]
        return sorted(found, key=lambda group: group.order)

    def group(self, key: int | None, values: dict[str, str] | None = None) -> Group:
        """The group of this place and these values."""
        given = values or {}
        return self.groups.setdefault((key, tuple(given[n] for n in sorted(given))), Group(key, given))

    def entry(self, event: Event, child: int, values: Variables) -> Entry:
        """An event as it is stored now."""
        around, whole = self.around, interval(event)
        if self.definition.order is Order.DETECTION:
            end = around.round
        else:
            end = int(self.cause().ts if whole is None else whole[1])  # what is empty ends when it is raised
        return Entry(event, child, around.round, next(around.numbers), end, around.instant(), values)

    # What the kinds of operators do in their own ways

    @property
    def chooses_at_once(self) -> bool:
        """Whether what waits for its termination is chosen already (A3)."""
        return False

    def store(self, event: Event, child: int, group: Group, values: Variables) -> Entry | None:
        """Stores an arrival; None if it is not taken (W3)."""
        entry = self.entry(event, child, values)
        group.stored.append(entry)
        return entry

    def let_go(self, group: Group, arrivals: list[Entry]) -> None:
        """What these arrivals, just stored, have made too old is gone (Q5)."""

    def arrive(self, event: Event, child: int, group: Group, values: Variables) -> None:
        """What raises at once deals with an arrival."""
        raise NotImplementedError

    def dealt_with(self, event: Event, child: int) -> None:
        """What raises at once has dealt with an arrival in all its groups."""

    def evaluate(self, group: Group) -> None:
        """Raises what is possible with what is new (Q1, H6, M1)."""
        raise NotImplementedError

    def release(self, group: Group) -> None:
        """The same for a group that is released (D5)."""
        self.evaluate(group)

    def potential(self, group: Group) -> bool:
        """Whether there is anything to raise that contains something new (D2)."""
        return False

    def is_asked_later(self, child: int) -> bool:
        """Whether a leaf's filter is about more than its event (A8)."""
        return False

    def stands_aside(self, child: int) -> bool:
        """Whether nothing that happens in a child completes anything (A1, A3)."""
        return False

    def take_aside(self, child: int, event: Event, values: Variables) -> None:
        """Something happened in such a child."""
        raise NotImplementedError

    def aside_taken(self) -> None:
        """All of it at this time point has been taken: candidates end (A3), multiplicities start over (Q4)."""

    def condition_holds(self, group: Group) -> bool:
        """D4, U2: the condition is true at the group's node, or there is none."""
        if self.condition is None:
            return True
        return group.key is not None and self.around.after.holds(
            self.condition, group.key, self.around.references
        )

    def changed(self, event: PrimitiveEvent) -> None:
        """A record of an edit has been dealt with (B1)."""

    def dues(self) -> list[Due]:
        """When something of it will be due (W5)."""
        return []

    def fire(self, due: Due) -> None:
        """Raises what is due then, group by group."""

    def fire_at_flush(self) -> None:
        """Raises what a flush makes due (A3, B3)."""

    def node_deleted(self, node: int) -> None:
        """A node's deletion has been dealt with."""

    # Raising and consuming

    def bindings(self, group: Group, entries: list[Entry]) -> Variables:
        """The variables of a composite of these entries (V5)."""
        found: Variables = {}
        for name, _ in self.variables.items():
            values = variables_of(entries, name)
            if name in self.joined:
                found[name] = values[0]
            elif name not in self.single:
                found[name] = values
        found.update(self.extra_values(entries))
        for let in self.expression.options.let:
            value = expressions.value_of(self.of_variables(let.expression, found))
            found.pop(let.name, None)
            if value is not None:
                found[let.name] = value
        return found

    def extra_values(self, entries: list[Entry]) -> dict[str, Value]:
        """The values of its `extra` variables."""
        return {}

    def of_variables(self, expression: str, variables: Variables) -> object:
        """What an expression over variables only is."""
        known = {**self.around.references, **variables}
        return expressions.evaluate(expression, expressions.NOWHERE, known)

    def has(self, group: Group, entries: list[Entry]) -> bool:
        """V6: whether `having` is true of a composite of these entries."""
        if self.having is None:
            return True
        return expressions.is_true(self.of_variables(self.having, self.bindings(group, entries)))

    def lets_pass(self, group: Group, entries: list[Entry]) -> bool:
        """D4: whether the guard is true when these are about to be raised."""
        if self.guard is None:
            return True
        variables = {**self.around.references, **self.bindings(group, entries)}
        if not expressions.asks_document(self.guard, dot_does=True):
            return expressions.is_true(expressions.evaluate(self.guard, expressions.NOWHERE, variables))  # D4
        assert group.key is not None, "no guards in flat context (D4)"
        return expressions.is_true(self.around.after.ask(self.guard, group.key, variables))

    def raise_(self, group: Group, entries: list[Entry], instance: PathInstance | None = None) -> Composite:
        """Raises a composite of these; one of nothing (M4), or of what turned true (B2), has the instance given."""
        kept = as_set(entries)
        members = [entry.event for entry in kept]
        if members and instance is None:
            instance = paths.composite_instance(group.key, [e.instance for e in members])
        composite = Composite(
            self.definition.name, instance, members, self.cause(), self.shown_label,
            bindings=self.bindings(group, entries) if self.variables else None, rank=group.order[1],
            names=[self.name_of(entry.child) for entry in kept],
        )  # fmt: skip
        self.raised.append(composite)
        return composite

    def raise_and_consume(self, group: Group, chosen: list[Entry], consumed: list[Entry]) -> None:
        """Raises these, unless the guard is false, and consumes those all the same (D4)."""
        if self.lets_pass(group, chosen):
            self.raise_(group, chosen)
        self.consume(group, consumed)

    def consume(self, group: Group, entries: list[Entry]) -> None:
        """Removes the entries and tells the children that raised them (H7)."""
        group.stored = [other for other in group.stored if not any(other is entry for entry in entries)]
        for entry in entries:
            self.tell_consumed(entry)

    def tell_consumed(self, entry: Entry) -> None:
        """H7."""
        child = self.children[entry.child]
        if isinstance(child, OperatorState) and isinstance(entry.event, Composite):
            child.consumed(entry.event)

    def consumed(self, composite: Composite) -> None:
        """What it raised was consumed (M3)."""

    def take_back(self, composite: Composite) -> None:
        """M1: a composite of a child is withdrawn: it is no longer stored; what it forbade stays forbidden (Q1)."""
        for group in self.groups.values():
            for entries in (group.stored, group.accumulated):
                for entry in entries:
                    entry.withdrawn = entry.withdrawn or entry.event is composite
                entries[:] = [entry for entry in entries if entry.event is not composite]

    @property
    def shown_label(self) -> str | None:
        """Its label in findings; the root's is not shown (G5)."""
        return None if self.parent is None else self.label

    def cause(self) -> Cause:
        """Where and when something raised now is raised."""
        assert self.around.cause is not None
        return self.around.cause


def new_state(
    expression: Operator, definition: EventDefinition, parent: OperatorState | None, around: Surroundings,
    *, below_not: bool = False,
) -> OperatorState:  # fmt: skip
    """What runs an operator: the ``STATE`` of the module that is called like its kind."""
    kind: type[OperatorState] = import_module(f"{__package__}.{expression.kind}").STATE
    return kind(expression, definition, parent, around, below_not=below_not)


def agree(group: Group, values: dict[str, str]) -> bool:
    """Whether a group has these values (V4)."""
    return all(group.values[name] == value for name, value in values.items())


def _uses_time(operator: OperatorState) -> bool:
    options = operator.expression.options
    windows = [options.within, options.gap]
    windows += [getattr(operator.expression, name, None) for name in ("delay", "beat")]
    return any(window is not None and window.unit is Unit.TIME for window in windows)
