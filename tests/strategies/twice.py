"""Random rules in which one event arrives in several operands at once, empty composites (M4, M5) among them.

`rule_sets` draws leaves one by one, so that two operands seldom take the same event; and what an operator makes of that
depends on the turns of its operands (H3, C8).
"""

from __future__ import annotations

from hypothesis import strategies as st

from path_types import PathType
from xmlcep.algebra import (
    Conjunction,
    ContextName,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Options,
    Order,
    Sequence,
    Termination,
)
from xmlcep.events import PrimitiveType

_ITEM = PathType.parse("item")
_LEAVES = tuple(
    Leaf(PrimitiveType(operation, PathType.parse(path)))
    for operation, path in (
        ("ins", "item/price"),
        ("*", "item/price"),
        ("ins", "item/quantity"),
        ("ins", "item"),
    )
)
_BOUNDS = ((0, 1), (0, 2), (0, None), (0, 3), (1, 2), (1, None), (2, 2))
_ENDS = (None, None, None, None, Termination.CUSTOM, Termination.NON_LOCAL)


@st.composite
def rules_with_one_event_twice(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One event: conjunction or sequence of multiplicities of few leaves, all grouped by item, perhaps two deep."""

    def options(context: ContextName | None, *, path: bool = True) -> Options:
        return Options(context=context, end=draw(st.sampled_from(_ENDS)), path=_ITEM if path else None)

    def operand(depth: int) -> Expression:
        kind = draw(st.integers(0, 5))
        if kind == 0:
            return draw(st.sampled_from(_LEAVES))
        if kind == 1 and depth:
            return combined(depth - 1, draw(st.sampled_from((None, *ContextName))))
        lower, upper = draw(st.sampled_from(_BOUNDS))
        inner = operand(depth - 1) if depth and kind == 2 else draw(st.sampled_from(_LEAVES))
        return Multiplicity((inner,), lower, upper, options=options(None))

    def combined(depth: int, context: ContextName | None) -> Operator:
        kind = draw(st.sampled_from((Conjunction, Sequence)))
        count = draw(st.integers(2, 3))
        return kind(tuple(operand(depth) for _ in range(count)), options=options(context))

    contexts = tuple(name for name in ContextName if name is not ContextName.UNRESTRICTED)
    context = draw(st.sampled_from(contexts))
    order = draw(st.sampled_from((Order.INTERVAL, Order.DETECTION)))
    return (EventDefinition("E0", combined(1, None), context, False, order),)
