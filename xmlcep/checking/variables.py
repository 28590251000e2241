"""What is known of variables: of what a leaf binds, an operator's composites have, an event passes on.

Values are followed upwards as the variables are (V1 to V5): whatever a constituent that binds a variable can have the
composite's variable can have. Of a variable that something unknown binds nothing is known. So are counts: a leaf binds
one value, a combination has those of all its constituents, and of each operand there is one event in it, so that
``x[1,2] a`` has two of what ``a`` binds. A cumulative one takes any number; only the upper bound of a multiplicity
holds there, too (M2).
"""

from __future__ import annotations

from collections.abc import Callable

from ..algebra import (
    AnyOf,
    Becomes,
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
    operators_of,
)
from ..events import CompositeType
from ..rules.ruleset import Rules
from ..xpath.parser import parse_written
from .definitions import definitions_of, events_by_name
from .values import EMPTY, Held, Values, Variables, any_of, of_variables, value_of

Bound = Callable[[Leaf, "str | None", Variables], "Values | None"]
"""What a leaf binds by an expression that sees these variables, or without one: the values, None if not known."""

NOTHING: Variables = {}
_EMPTY = Held(EMPTY, 1)
_OF_COMPOSITES: Variables = {"old": _EMPTY, "new": _EMPTY, "op": _EMPTY}
"""What a leaf knows of a composite by itself (F2)."""


class KnownVariables:
    """What is known of the variables of some rules.

    ``of_primitive`` says what is known of a leaf's event by itself, ``bound`` what the leaf binds.
    """

    def __init__(self, rules: Rules, of_primitive: Callable[[Leaf], Variables], bound: Bound) -> None:
        self._namespaces = rules.namespaces
        self._of_primitive = of_primitive
        self._bound = bound
        self._events = events_by_name(rules)
        self._contexts = {
            id(operator): operator.options.context or definition.context
            for _, definition in definitions_of(rules)
            for operator in operators_of(definition.expression)
        }
        self._subjects = {
            id(operator.subject)
            for _, definition in definitions_of(rules)
            for operator in operators_of(definition.expression)
            if isinstance(operator, Becomes)
        }
        self._found: dict[int, dict[str, Held] | None] = {}

    def seen_by(self, leaf: Leaf) -> Variables:
        """Of what the filter and the expressions of a leaf see; any change may turn something true (B2)."""
        if id(leaf) in self._subjects:
            return NOTHING
        if not isinstance(leaf.type, CompositeType):
            return self._of_primitive(leaf)
        used = self._events.get(leaf.type.name or "")
        return {**(NOTHING if used is None else self.of_event(used)), **_OF_COMPOSITES}

    def of_event(self, definition: EventDefinition) -> Variables:
        """Of the variables of an event."""
        return self.of_expression(definition.expression)

    def of_expression(self, expression: Expression) -> Variables:
        """Of what an operand passes on; of an operator also of what its own ``having``, ``if`` and ``let`` see."""
        return self._passed_on(expression) or NOTHING

    def _passed_on(self, expression: Expression) -> dict[str, Held] | None:
        """The variables of an operand; None if it can have any."""
        if id(expression) not in self._found:
            found = self._leaf(expression) if isinstance(expression, Leaf) else self._operator(expression)
            self._found[id(expression)] = found
        return self._found[id(expression)]

    def _leaf(self, leaf: Leaf) -> dict[str, Held] | None:
        if leaf.opaque is not None:
            return None  # its engine binds what it will (O1)
        seen = self.seen_by(leaf)
        return {name: Held(self._bound(leaf, expression, seen), 1) for name, expression in leaf.bindings}

    def _operator(self, operator: Operator) -> dict[str, Held] | None:
        operands = [self._passed_on(operator.operands[k]) for k in operator.constituent_operands]
        binding = [operand for operand in operands if operand is not None]
        if len(binding) < len(operands):
            return None
        found = {name: Held(None, 1) for name in operator.own_variables}
        for name in dict.fromkeys(name for operand in binding for name in operand):
            if name not in found:
                held = [operand[name] for operand in binding if name in operand]
                values = [each.values for each in held if each.values is not None]
                most = (
                    1 if name in operator.options.by else self._most(operator, [each.most for each in held])
                )
                found[name] = Held(any_of(values) if len(values) == len(held) else None, most)
        for let in operator.options.let:
            written = parse_written(let.expression, self._namespaces)
            found[let.name] = Held(value_of(written.syntax, of_variables(found)), 1)
        return found

    def _most(self, operator: Operator, counts: list[int | None]) -> int | None:
        """How many values there are together, None: any number."""
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            return None
        if operator.joins and len(counts) > 1:
            return 1  # a variable that several bind has one value (V2)
        if isinstance(operator, Multiplicity):
            return None if operator.upper is None else operator.upper * known[0]
        if self._contexts.get(id(operator)) is ContextName.CUMULATIVE or not isinstance(
            operator, Conjunction | Sequence | Relation | Disjunction | AnyOf
        ):
            return None
        return max(known) if isinstance(operator, Disjunction) else sum(known)
