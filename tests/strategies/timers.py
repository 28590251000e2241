"""Random rules with timers, most of which a key of the document can replay by itself."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from xmlcep.algebra import (
    Conjunction,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Operator,
    Options,
    Periodic,
    Plus,
    Sequence,
    Unit,
    Window,
    walk,
)

from .full_rules import EVERYTHING, full_rule_sets
from .meaningful import with_meaning

WITHOUT_DOCUMENT = EVERYTHING - {"edit", "release", "guard", "opaque", "reference"}
"""What asks no document, so that logs may be of any records."""
_TIMED = frozenset({"plus", "periodic", "trailing", "absence", "within", "gap", "by", "join", "variable"})
_SECOND = 1_000_000


@st.composite
def timer_rule_sets(draw: st.DrawFn, *, asking: bool = True) -> tuple[EventDefinition, ...]:
    """Rules of all constructs, with timers, in which hardly anything waits for a release; ``asking``: for what the
    document is, too."""
    constructs = [WITHOUT_DOCUMENT, _TIMED, *([EVERYTHING, _TIMED | {"edit", "guard"}] if asking else [])]
    root = draw(st.sampled_from((Plus, Periodic, Sequence, Sequence, Conjunction, None)))
    definitions = draw(full_rule_sets(root=root, constructs=draw(st.sampled_from(constructs))))
    way = draw(st.integers(0, 5))
    if way == 0:
        return definitions
    if way < 3:  # what waits for a release stands below a timer
        return tuple(
            with_meaning(replace(each, flat=False, expression=_below_plus(each.expression)))
            for each in definitions
        )
    return tuple(
        with_meaning(replace(each, flat=False, expression=_prompt(each.expression))) for each in definitions
    )


def _below_plus(expression: Expression) -> Expression:
    """It, and then a second; without releases if it has timers."""
    if any(isinstance(each, Operator) and each.has_timers for each in walk(expression)):
        return _prompt(expression)
    return Plus((_as_operand(expression),), Window(_SECOND, Unit.TIME))


def _prompt(expression: Expression) -> Expression:
    """The same without releases; timers measure time."""
    if isinstance(expression, Leaf):
        return expression
    assert isinstance(expression, Operator)
    operator = expression.with_operands(tuple(_as_operand(_prompt(each)) for each in expression.operands))
    options = replace(operator.options, end=None)
    if isinstance(operator, Sequence) and operator.trailing:
        within, gap = options.within or Window(2, Unit.CHANGES), options.gap
        options = replace(options, within=_timed(within), gap=None if gap is None else _timed(gap))
    return operator.with_options(options)


def _as_operand(expression: Expression) -> Expression:
    """A leaf alone, of which a definition makes a disjunction of one (T1), as it stands in an operator."""
    if isinstance(expression, Disjunction) and expression.options == Options():
        [*operands] = expression.operands
        return operands[0] if len(operands) == 1 else expression
    return expression


def _timed(window: Window) -> Window:
    """As many seconds as it counts."""
    return window if window.unit is Unit.TIME else Window(window.amount * _SECOND, Unit.TIME)
