"""Operators that can match and are easily taken for something else: what `xmlcep check` asks about.

Each warning says what happens and gives the line to write. Where somebody may well mean what is written, nothing is
said: an event that takes the same change twice, a window whose sums are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from ..algebra import (
    AnyOf,
    Collected,
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Order,
    Relation,
    Sequence,
    Termination,
    leaves_of,
    operators_of,
    path_of,
)
from ..errors import RuleProblem
from ..events import CompositeType, PrimitiveType
from ..language import print_expression
from ..rules.ruleset import Rules
from .definitions import definitions_of, events_by_name, in_order, takes_all
from .time_points import Found, counts_before

_NO_NAMES: frozenset[str] = frozenset()
_LONGEST = 100
"""How long a line may be that a hint gives."""


def misread(rules: Rules) -> list[RuleProblem]:
    """What most likely does not do what its author means, from top to bottom."""
    return in_order(_Reader(rules).problems())


class _Reader:
    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._events: Mapping[str, EventDefinition] = events_by_name(rules)

    def problems(self) -> Iterator[RuleProblem]:
        for subject, definition in definitions_of(self._rules):
            for part, message, hint in self._definition(definition):
                yield RuleProblem(f"{subject}: {message}", hint, part.at)

    def _definition(self, definition: EventDefinition) -> Iterator[Found]:
        yield from self._repeating_window(definition)
        yield from self._endless(definition)
        for operator in operators_of(definition.expression):
            if operator.joins:
                yield from self._without_value(operator)
        if definition.order is Order.INTERVAL:
            for operator in operators_of(definition.expression):
                if isinstance(operator, Sequence):
                    yield from self._negated(operator)
                    yield from self._counted(operator, flat=definition.flat)

    # ---- several documents ------------------------------------------------------------------------------

    def _endless(self, definition: EventDefinition) -> Iterator[Found]:
        """What an event over documents keeps for every value there ever is (V11)."""
        root = definition.expression
        context = root.options.context or definition.context
        keeps = context in (ContextName.UNRESTRICTED, ContextName.RECENT)
        if definition.across and keeps and root.options.within is None and not isinstance(root, Disjunction):
            said = f"context={context.value} uses nothing up, so all documents are kept for ever (V11)"
            yield root, said, 'give it a window, such as within="3 days", or another context'

    # ---- joins ----------------------------------------------------------------------------------------

    def _without_value(self, operator: Operator) -> Iterator[Found]:
        """``(a as $n | b) & c as $n``: b has no value that could be equal (V2, V5)."""
        bound = [_bound(operand) for operand in operator.operands]
        for k, operand in enumerate(operator.operands):
            elsewhere = frozenset[str]().union(*(names for j, names in enumerate(bound) if j != k))
            for alternative in _alternatives(operand):
                for name in sorted((bound[k] & elsewhere) - _bound(alternative)):
                    said = f"{self._shown(alternative)} binds no ${name}, by which the {operator.title} joins"
                    yield (
                        alternative,
                        f"{said}: it is never part of this event (V2)",
                        f"add  as ${name}  to it",
                    )

    # ---- not ------------------------------------------------------------------------------------------

    def _negated(self, operator: Sequence) -> Iterator[Found]:
        """``Raised ; not Approved``, where Approved begins with the same Raised: that lies not behind it (A3)."""
        for k in sorted(operator.negated):
            negated = operator.operands[k]
            if isinstance(negated, Leaf) and not isinstance(negated.type, CompositeType):
                continue
            for before in (operator.operands[j] for j in operator.positive if j < k):
                if self._is_part(before, negated):
                    said = f"{self._shown(negated)} can contain the {self._shown(before)} before the 'not': it begins"
                    said += " too early then to come after it, and does not prevent this event (A3)"
                    yield negated, said, self._instead_of(operator, k, before)
                    break

    def _is_part(self, before: Expression, negated: Expression) -> bool:
        """Whether what comes before can be one part of several of what is negated."""
        if before == negated or not self._has_parts(negated):
            return False
        if isinstance(before, Leaf) and isinstance(negated, Leaf) and takes_all(negated, before):
            return False
        return self._is_among(before, self._needed(negated, _NO_NAMES))

    def _has_parts(self, expression: Expression) -> bool:
        if isinstance(expression, Leaf):
            used = self._used(expression)
            return used is not None and self._has_parts(used.expression)
        if isinstance(expression, Disjunction):
            return all(map(self._has_parts, expression.operands))
        return isinstance(expression, Operator) and len(expression.required) > 1

    def _is_among(self, expression: Expression, needed: list[Leaf]) -> bool:
        """Whether all that an expression needs is needed there, too, and once: else another one may be meant."""
        if isinstance(expression, Leaf):
            if sum(takes_all(each, expression) for each in needed) == 1:
                return True
            used = self._used(expression)
            return used is not None and self._is_among(used.expression, needed)
        if not isinstance(expression, Sequence | Conjunction | Disjunction | Relation):
            return False
        required = [expression.operands[k] for k in expression.required]
        return bool(required) and all(self._is_among(each, needed) for each in required)

    def _used(self, leaf: Leaf) -> EventDefinition | None:
        """The event of the rules that a leaf takes."""
        name = leaf.type.name if isinstance(leaf.type, CompositeType) else None
        return None if name is None else self._events.get(name)

    def _needed(self, expression: Expression, seen: frozenset[str]) -> list[Leaf]:
        """The leaves without whose events an expression is never raised, those of the events that it uses, too."""
        if isinstance(expression, Leaf):
            used = self._used(expression)
            if used is None or used.name in seen:
                return [expression]
            inside = self._needed(used.expression, seen | {used.name})
            return [expression, *inside]
        if isinstance(expression, Disjunction):
            first, *others = (self._needed(operand, seen) for operand in expression.operands)
            return [leaf for leaf in first if all(any(takes_all(o, leaf) for o in each) for each in others)]
        if not isinstance(expression, Sequence | Conjunction | Relation):
            return []  # of several that are counted the one before may be none
        return [leaf for k in expression.required for leaf in self._needed(expression.operands[k], seen)]

    def _instead_of(self, operator: Sequence, k: int, before: Expression) -> str:
        """What to write: the other part of what is negated, if that is one leaf."""
        negated = operator.operands[k]
        used = self._used(negated) if isinstance(negated, Leaf) else None
        expression = negated if used is None else used.expression
        if isinstance(expression, Sequence | Conjunction) and len(expression.operands) == 2:
            rest = [
                each
                for each in expression.operands
                if not self._is_among(before, self._needed(each, _NO_NAMES))
            ]
            if len(rest) == 1 and isinstance(rest[0], Leaf):
                line = self._line(
                    operator, [rest[0] if n == k else each for n, each in enumerate(operator.operands)]
                )
                if len(line) <= _LONGEST:
                    return f"write {line}"
        return "negate only the part that comes later, or count events by when they are complete: {order=detection}"

    # ---- x[l,*] ---------------------------------------------------------------------------------------

    def _counted(self, operator: Sequence, *, flat: bool) -> Iterator[Found]:
        """``a ; x[1,*] b ; c``: the count begins with the first b, and one before a spoils it (A1, M1)."""
        operands = [(k, operator.operands[k]) for k in operator.positive]
        for (j, before), (k, counted) in pairwise(operands):
            if not isinstance(counted, Multiplicity) or counted.upper is not None or counted.lower == 0:
                continue
            options, path = counted.options, path_of(operator)
            if (options.within or options.gap or options.having or options.end) is not None:
                continue
            if counts_before(before, counted, path, flat=flat):
                continue  # which never matches, as is said elsewhere
            if isinstance(before, Leaf) and _is_begin(before, counted.operand):
                continue
            what = self._shown(counted.operand)
            said = f"x[{counted.lower},*] counts from the first {what} on: if one comes before {self._shown(before)},"
            said += " it is counted, too, and the sequence does not match any more"
            yield counted, said, self._instead_of_count(operator, counted, j, k)

    def _instead_of_count(self, operator: Sequence, count: Multiplicity, before: int, counted: int) -> str:
        first, what = self._shown(operator.operands[before]), self._shown(count.operand)
        if counted < operator.positive[-1]:
            operands = [count.operand if each is count else each for each in operator.operands]
            along = (*operator.collected, Collected(counted, count.lower, None))
            written = operator.standing_aside(operator.negated, along)
            return f"for all {what} in between write {self._line(written, operands)} (A6)"
        if len(operator.operands) == 2:
            return f"write {' ; '.join([first, *[what] * count.lower])}" if count.lower < 4 else _UPPER
        return _UPPER

    def _repeating_window(self, definition: EventDefinition) -> Iterator[Found]:
        """``x[3,*]{within=…}`` raises all that it has with every arrival (M1)."""
        root = definition.expression
        if not isinstance(root, Multiplicity) or root.upper is not None or root.lower < 2:
            return
        options = root.options
        asks = (options.having, options.when, options.guard) != (None, None, None) or options.let
        if options.within is None or asks or options.end not in (None, Termination.EARLIEST):
            return
        said = f"x[{root.lower},*] raises all that is in the window again with every further"
        said += f" {self._shown(root.operand)}"
        yield root, said, f"for the last {root.lower} write x[{root.lower},{root.lower}]{{slide}} (S4)"

    def _line(self, operator: Sequence, operands: Iterable[Expression]) -> str:
        """The sequence with these operands, as one writes it."""
        return " ; ".join(f"{operator.word_before(n)}{self._shown(each)}" for n, each in enumerate(operands))

    def _shown(self, expression: Expression) -> str:
        return print_expression(expression, self._rules.namespaces)


_UPPER = "give the count an upper bound, at which it starts again (M2)"


def _is_begin(before: Leaf, counted: Expression) -> bool:
    """Whether nothing that is counted happens before an insertion, which is of the node it is in (E6)."""
    type_ = before.type
    if not isinstance(type_, PrimitiveType) or type_.operation != "ins" or not isinstance(counted, Leaf):
        return False
    steps = type_.path.steps
    return len(steps) < len(counted.type.path) and counted.type.path.steps[: len(steps)] == steps


def _bound(expression: Expression) -> frozenset[str]:
    """The variables that an operand, or something in it, binds by name."""
    return frozenset(binding.name for leaf in leaves_of(expression) for binding in leaf.bindings)


def _alternatives(operand: Expression) -> tuple[Expression, ...]:
    """The operands of which one by itself is enough."""
    if isinstance(operand, Disjunction) or (isinstance(operand, AnyOf) and operand.count == 1):
        return operand.operands
    return ()
