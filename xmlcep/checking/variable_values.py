"""What is known of the values of variables: of what a leaf binds, an operator's composites have, an event passes on.

Values are followed upwards as the variables are (V1 to V5): whatever a constituent that binds a variable can have the
composite's variable can have. Of a variable that something unknown binds nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..algebra import EventDefinition, Expression, Leaf, Operator
from ..events import CompositeType
from ..rules.ruleset import Rules
from ..xpath.parser import parse_written
from .definitions import events_by_name
from .values import EMPTY, Values, any_of, of_variables, value_of

Known = Mapping[str, Values]
"""What is known of variables; of others nothing is."""
Bound = Callable[[Leaf, "str | None", Known], "Values | None"]
"""What a leaf binds by an expression that sees these variables, or without one: the values, None if not known."""

NOTHING: Known = {}
_OF_COMPOSITES: Known = {"old": EMPTY, "new": EMPTY, "op": EMPTY}
"""What a leaf knows of a composite by itself (F2)."""
_Binding = dict[str, "Values | None"]


class VariableValues:
    """What is known of the values of the variables of some rules.

    ``of_event`` says what is known of a leaf's event by itself, ``bound`` what the leaf binds.
    """

    def __init__(self, rules: Rules, of_event: Callable[[Leaf], Known], bound: Bound) -> None:
        self._namespaces = rules.namespaces
        self._of_event = of_event
        self._bound = bound
        self._events = events_by_name(rules)
        self._found: dict[int, _Binding | None] = {}

    def seen_by(self, leaf: Leaf) -> Known:
        """Of what the filter and the expressions of a leaf see."""
        if not isinstance(leaf.type, CompositeType):
            return self._of_event(leaf)
        used = self._events.get(leaf.type.name or "")
        return {**(NOTHING if used is None else self.of_event(used)), **_OF_COMPOSITES}

    def of_operator(self, operator: Operator) -> Known:
        """Of what ``having``, ``if`` and ``let`` of an operator see."""
        return _only_known(self._passed_on(operator))

    def of_event(self, definition: EventDefinition) -> Known:
        """Of the variables of an event."""
        return _only_known(self._passed_on(definition.expression))

    def _passed_on(self, expression: Expression) -> _Binding | None:
        """The variables of an operand, with their values or None; None if it can have any."""
        if id(expression) not in self._found:
            found = self._leaf(expression) if isinstance(expression, Leaf) else self._operator(expression)
            self._found[id(expression)] = found
        return self._found[id(expression)]

    def _leaf(self, leaf: Leaf) -> _Binding | None:
        if leaf.opaque is not None:
            return None  # its engine binds what it will (O1)
        seen = self.seen_by(leaf)
        return {name: self._bound(leaf, expression, seen) for name, expression in leaf.bindings}

    def _operator(self, operator: Operator) -> _Binding | None:
        operands = [self._passed_on(operator.operands[k]) for k in operator.constituent_operands]
        if None in operands:
            return None
        binding = [operand for operand in operands if operand is not None]
        found: _Binding = dict.fromkeys(operator.own_variables)
        for name in dict.fromkeys(name for operand in binding for name in operand):
            if name not in found:
                each = [operand[name] for operand in binding if name in operand]
                found[name] = (
                    None if None in each else any_of(values for values in each if values is not None)
                )
        for let in operator.options.let:
            written = parse_written(let.expression, self._namespaces)
            found[let.name] = value_of(written.syntax, of_variables(_only_known(found)))
        return found


def _only_known(found: _Binding | None) -> Known:
    return {name: values for name, values in (found or NOTHING).items() if values is not None}
