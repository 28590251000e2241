"""Windows that a parameter says: ``within="$grace"`` with ``param grace = "3 days"`` (rule V9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, cast

from ..algebra import (
    EventDefinition,
    Expression,
    Leaf,
    Position,
    RuleParameter,
    Window,
    WindowError,
    parse_window,
)
from ..errors import RuleProblem
from ..language import ParsedRules
from ..suggestions import did_you_mean_or_list


def with_windows(
    parsed: ParsedRules, parameters: Sequence[RuleParameter], problems: list[RuleProblem]
) -> ParsedRules:
    """The rules with every such window as long as the parameter says; what is wrong is appended to ``problems``."""
    windows = _Windows({parameter.name: parameter.value for parameter in parameters}, problems)
    rules = [
        replace(rule, trigger=windows.of_event(rule.trigger))
        if isinstance(rule.trigger, EventDefinition)
        else rule
        for rule in parsed.active_rules
    ]
    return parsed._replace(
        definitions=tuple(map(windows.of_event, parsed.definitions)), active_rules=tuple(rules)
    )


class _Windows:
    def __init__(self, values: Mapping[str, float | str], problems: list[RuleProblem]) -> None:
        self._values = values
        self._problems = problems

    def of_event(self, definition: EventDefinition) -> EventDefinition:
        expression = self._expression(definition.expression)
        return (
            definition if expression is definition.expression else replace(definition, expression=expression)
        )

    def _expression(self, expression: Expression) -> Any:
        """The same expression object where nothing in it is such a window, as in most."""
        if isinstance(expression, Leaf):
            return expression
        operands = tuple(map(self._expression, expression.operands))
        changed: dict[str, Any] = {}
        if any(new is not old for new, old in zip(operands, expression.operands, strict=True)):
            changed["operands"] = operands
        for each in fields(cast("Any", expression)):
            window = getattr(expression, each.name)
            if isinstance(window, Window) and window.parameter:
                changed[each.name] = self._window(window, expression.at)
        options: dict[str, Any] = {
            name: self._window(window, expression.options.place(name, expression.at))
            for name in ("within", "gap")
            if (window := getattr(expression.options, name)) is not None and window.parameter
        }
        if options:
            changed["options"] = replace(expression.options, **options)
        return replace(cast("Any", expression), **changed) if changed else expression

    def _window(self, window: Window, at: Position) -> Window:
        name = window.parameter
        value = self._values.get(name)
        if isinstance(value, str):
            try:
                return replace(parse_window(value), parameter=name)
            except WindowError as error:
                problem, hint = f"${name} is not a window: {error.problem}", error.hint
        elif value is None:
            problem, hint = f"there is no parameter ${name}", did_you_mean_or_list(name, self._values)
        else:
            problem, hint = f"${name} is a number, not a window", f'write param {name} = "3 days"'
        self._problems.append(RuleProblem(problem, f"{hint} (V9)", at))
        return window
