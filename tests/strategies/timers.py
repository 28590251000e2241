"""Random rules with timers, most of which a key of the document can replay by itself."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from xmlcep.algebra import EventDefinition, Expression, Leaf, Operator, Periodic, Plus, Sequence, Unit, Window

from .full_rules import EVERYTHING, full_rule_sets

WITHOUT_DOCUMENT = EVERYTHING - {"edit", "release", "guard", "opaque", "reference"}
"""What asks no document, so that logs may be of any records."""
_TIMED = frozenset({"plus", "periodic", "trailing", "absence", "within", "gap", "by", "join", "variable"})
_SECOND = 1_000_000


@st.composite
def timer_rule_sets(draw: st.DrawFn, *, asking: bool = True) -> tuple[EventDefinition, ...]:
    """Rules of all constructs, with timers, in which hardly anything waits for a release; ``asking``: for what the
    document is, too."""
    constructs = [WITHOUT_DOCUMENT, _TIMED, *([EVERYTHING, _TIMED | {"edit", "guard"}] if asking else [])]
    root = draw(st.sampled_from((Plus, Periodic, Sequence, Sequence)))
    definitions = draw(full_rule_sets(root=root, constructs=draw(st.sampled_from(constructs))))
    if draw(st.integers(0, 4)) == 0:
        return definitions
    return tuple(replace(each, flat=False, expression=_prompt(each.expression)) for each in definitions)


def _prompt(expression: Expression) -> Expression:
    """The same without releases; timers measure time."""
    if isinstance(expression, Leaf):
        return expression
    assert isinstance(expression, Operator)
    operator = expression.with_operands(tuple(map(_prompt, expression.operands)))
    options = replace(operator.options, end=None)
    if isinstance(operator, Sequence) and operator.trailing:
        within, gap = options.within or Window(2, Unit.CHANGES), options.gap
        options = replace(options, within=_timed(within), gap=None if gap is None else _timed(gap))
    return operator.with_options(options)


def _timed(window: Window) -> Window:
    """As many seconds as it counts."""
    return window if window.unit is Unit.TIME else Window(window.amount * _SECOND, Unit.TIME)
