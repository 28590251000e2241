"""How many values a variable can have at most: ``x[1,2] a`` has two of what ``a`` binds, ``count($x) > 2`` never holds.

Counts are followed upwards as the values are (`variable_values`): a leaf binds one value, a combination has those of
all its constituents, and of each operand there is one event in it. A cumulative one takes any number; only the upper
bound of a multiplicity holds there, too (M2).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..algebra import (
    AnyOf,
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Relation,
    Sequence,
)
from ..events import CompositeType
from ..rules.ruleset import Rules
from .definitions import events_by_name

Most = Mapping[str, "int | None"]
"""The most values that variables can have; None: any number. Of a variable that is not in it nothing is known."""

NO_COUNTS: Most = {}


class VariableCounts:
    """How many values the variables of some rules can have at most."""

    def __init__(self, rules: Rules) -> None:
        self._events = events_by_name(rules)
        self._found: dict[int, Most] = {}

    def seen_by(self, leaf: Leaf) -> Most:
        """Of what the filter and the expressions of a leaf see: the variables of the event that it takes."""
        used = self._events.get(leaf.type.name or "") if isinstance(leaf.type, CompositeType) else None
        return NO_COUNTS if used is None else self.of_event(used)

    def of_event(self, definition: EventDefinition) -> Most:
        """Of the variables of an event."""
        return self.of_expression(definition.expression, definition.context)

    def of_expression(self, expression: Expression, default: ContextName) -> Most:
        """Of what an operand passes on; of an operator also of what its own ``having``, ``if`` and ``let`` see."""
        if isinstance(expression, Leaf):
            return {} if expression.opaque is not None else {name: 1 for name, _ in expression.bindings}
        if id(expression) not in self._found:
            self._found[id(expression)] = self._operator(expression, default)
        return self._found[id(expression)]

    def _operator(self, operator: Operator, default: ContextName) -> Most:
        context = operator.options.context or default
        operands = [self.of_expression(operator.operands[k], default) for k in operator.constituent_operands]
        names = dict.fromkeys(name for operand in operands for name in operand)
        found = {
            name: _together(operator, context, [each[name] for each in operands if name in each])
            for name in names
        }
        single = (*operator.options.by, *operator.own_variables, *(let.name for let in operator.options.let))
        return {**found, **dict.fromkeys(single, 1)}


def _together(operator: Operator, context: ContextName, counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return None
    if operator.joins and len(counts) > 1:
        return 1  # a variable that several bind has one value (V2)
    if isinstance(operator, Multiplicity):
        return None if operator.upper is None else operator.upper * known[0]
    if context is ContextName.CUMULATIVE or not isinstance(
        operator, Conjunction | Sequence | Relation | Disjunction | AnyOf
    ):
        return None
    return max(known) if isinstance(operator, Disjunction) else sum(known)
