"""Expressions of rules that can never select anything: what `xmlcep check` warns of.

Most come from a context node that is not where its author thinks: that of an event at an attribute or a text is the
attribute or the text itself (L3), from which ``@status`` leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..checking.definitions import in_order
from ..errors import RuleProblem
from ..position import Position
from ..rules.rule_programs import DELTA, Form, RuleProgram, Triggers
from ..xpath import Expression, NodeKind, VariableKind
from .effects import context_of, focus_of


def idle(triggers: Triggers) -> list[RuleProblem]:
    """What in the rules selects nothing, whatever the document, with what to write instead, in order of the text."""
    return in_order(problem for rule in triggers.programs for problem in _of_rule(rule))


def _of_rule(rule: RuleProgram) -> Iterator[RuleProblem]:
    # The first form is that of the event's own node; the other one is for what has been deleted (L1).
    form = next(iter(rule.forms.values()))
    focus, of_delta = focus_of(rule, form), {DELTA: context_of(rule)}
    for what, expression, at in _expressions(rule, form):
        if expression.result is VariableKind.NODES and expression.places(focus, of_delta) == frozenset():
            yield RuleProblem(
                f"rule {rule.name}: {what} {expression.text!r} selects nothing, whatever the document",
                _hint(form, expression),
                at,
            )


def _expressions(rule: RuleProgram, form: Form) -> Iterator[tuple[str, Expression, Position]]:
    if form.condition is not None:
        yield "the condition", form.condition, rule.definition.place("if")
    for program in form.actions:
        action = program.action
        named = (
            ("target", None if program.target is None else program.target.expression),
            ("source", None if program.source is None else program.source.expression),
            ("value", program.value),
        )
        for name, expression in named:
            if expression is not None:
                at = action.places.get(name, rule.definition.at)
                yield f"the {name} of {action.word}", expression, at
        for expression in () if program.fragment is None else program.fragment.expressions:
            at = action.places.get("fragment", rule.definition.at)
            yield f"in the fragment of {action.word}", expression, at


def _hint(form: Form, expression: Expression) -> str:
    if form.node is NodeKind.ELEMENT:
        return "no step leads there from the context node"
    return (
        f"the context node is the {form.node.value}: write ../{expression.text}, "
        "or give the rule the path of the element, such as {path=item}"
    )
