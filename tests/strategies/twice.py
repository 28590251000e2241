"""Random rules in which one event arrives in several operands at once, empty composites (M4, M5) among them.

`rule_sets` draws leaves one by one, so that two operands seldom take the same event; and what an operator makes of that
depends on the turns of its operands (H3), on what is consumed where, and on windows.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from path_types import PathType
from xmlcep.algebra import (
    AnyOf,
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
    Unit,
    Window,
)
from xmlcep.events import CompositeType, PrimitiveType

_ITEM = PathType.parse("item")
_PRICE, _QUANTITY, *_OTHERS = (
    Leaf(PrimitiveType(operation, PathType.parse(path)))
    for operation, path in (
        ("ins", "item/price"),
        ("ins", "item/quantity"),
        ("*", "item/price"),
        ("ins", "item"),
    )
)
_SEVERAL = EventDefinition("E1", Conjunction((_PRICE, _QUANTITY)), ContextName.UNRESTRICTED)
"""Raises several composites at one time point."""
_LEAVES = (_PRICE, _QUANTITY, *_OTHERS, Leaf(CompositeType("E1", _ITEM)))
_BOUNDS = ((0, 1), (0, 2), (0, None), (0, 3), (1, 2), (1, None), (2, 2))
_ENDS = (None, None, None, None, Termination.CUSTOM, Termination.NON_LOCAL)
_WINDOWS = (None, None, None, Window(4, Unit.CHANGES), Window(2, Unit.CHANGES))
_CONTEXTS = tuple(name for name in ContextName if name is not ContextName.UNRESTRICTED)


@st.composite
def rules_with_one_event_twice(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """Conjunctions, sequences and `any` of multiplicities of few leaves, all grouped by item, perhaps two deep."""

    def options(context: ContextName | None, *, windows: bool) -> Options:
        window = draw(st.sampled_from(_WINDOWS)) if windows else None
        return Options(context=context, end=draw(st.sampled_from(_ENDS)), path=_ITEM, within=window)

    def operand(depth: int) -> Expression:
        kind = draw(st.integers(0, 5))
        if kind == 0:
            return replace(draw(st.sampled_from(_LEAVES)), name=draw(st.sampled_from((None, "one"))))
        if kind == 1 and depth:
            return combined(depth - 1, draw(st.sampled_from((None, *_CONTEXTS))))
        lower, upper = draw(st.sampled_from(_BOUNDS))
        inner = operand(depth - 1) if depth and kind == 2 else draw(st.sampled_from(_LEAVES))
        return Multiplicity((inner,), lower, upper, options=options(None, windows=False))

    def combined(depth: int, context: ContextName | None) -> Operator:
        kind = draw(st.sampled_from((Conjunction, Sequence, AnyOf)))
        operands = tuple(operand(depth) for _ in range(draw(st.integers(2, 3))))
        how_many = {"count": draw(st.integers(1, len(operands)))} if kind is AnyOf else {}
        return kind(operands, options=options(context, windows=True), **how_many)

    order = draw(st.sampled_from((Order.INTERVAL, Order.DETECTION)))
    definition = EventDefinition("E0", combined(1, None), draw(st.sampled_from(_CONTEXTS)), order=order)
    return (_SEVERAL, definition)
