"""What is said of composites that go to the outside: severity, message, whether it is the last (rules Y10, Y11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..events import CompositeEvent, TimePoint
from ..rules.ending import Ending
from ..rules.programs import Says
from ..xpath import Environment, Expression
from ..xpath.syntax import Variable
from ..xpath.values import text_of
from .leaf import last_change, of_finding, own_value
from .setting import Setting


class Saying:
    """What findings of some events say, by the events' names; nothing is said of others."""

    def __init__(self, says: Mapping[str, Says], endings: Mapping[str, Ending], setting: Setting) -> None:
        self._says = says
        self._endings = endings
        self._setting = setting  # whose document is another one after a reset

    def __bool__(self) -> bool:
        # Whoever explains knows events by their identity, and asks for no messages.
        return bool(self._says or self._endings) and not self._setting.witnesses

    def of(self, raised: Iterable[CompositeEvent]) -> list[CompositeEvent]:
        """The composites with what is said of them."""
        return [self._said(composite) for composite in raised]

    def _said(self, composite: CompositeEvent) -> CompositeEvent:
        if composite.operator is not None:
            return composite
        if self._is_last(composite):
            composite = composite._replace(ended=True)
        says = self._says.get(composite.name)
        if says is None:
            return composite
        message = None
        if says.message is not None:
            message = "".join(
                [part if isinstance(part, str) else self._value(part, composite) for part in says.message]
            )
        return composite._replace(severity=says.severity, message=message)

    def _is_last(self, composite: CompositeEvent) -> bool:
        """Whether rules and cause alone say so: then all who replay the same changes say the same."""
        ending, cause = self._endings.get(composite.name), composite.cause
        if ending is None or ending.once or isinstance(cause, TimePoint):
            return ending is not None and ending.once
        return ending.with_node and cause[1] == "del" and cause[3][-1] in composite.ids

    def _value(self, expression: Expression, composite: CompositeEvent) -> str:
        """The string value of an expression, of a list of values all of them; "" where its node is gone."""
        references = self._setting.references
        variables: dict[str, Any] = {
            name: references[name] if name in references else of_finding(name)(composite)
            for name in expression.variables
        }
        if isinstance(expression.syntax, Variable) and isinstance(
            values := variables[expression.syntax.name], tuple
        ):
            return ", ".join(map(text_of, values))
        if not expression.needs_document:
            change = last_change(composite)
            return expression.string(Environment(variables, value=(change and own_value(change)) or ""))
        if composite.path is None:
            return ""
        environment = self._setting.sees(composite.path, composite.ids, variables)
        return "" if environment is None else expression.string(environment)
