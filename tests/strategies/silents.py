"""Random rules in which one group has empty composites of several nodes (M4, M5), and much else that is one.

`twice` groups all by item, so that an operand has one silent empty composite at most. Here operators are of an order,
and what they take is counted item by item: which silent ones stand before which others, whether they make up a
combination by themselves and what is looked for then is decided where there are several.
"""

from __future__ import annotations

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
    Relation,
    Sequence,
    Termination,
    Unit,
    Window,
)
from xmlcep.events import PrimitiveType

from .choices import Choices
from .dense import dense_histories
from .histories import History, histories
from .meaningful import with_meaning
from .moves import moving_histories

_ORDER = PathType.parse("order")
_OF_ITEM, _OF_ORDER = (
    tuple(Leaf(PrimitiveType(operation, PathType.parse(f"order{path}"))) for operation, path in drawn)
    for drawn in (
        (("*", "/item/price"), ("ins", "/item/comment"), ("*", "/item/@partNum"), ("ins", "/item/quantity")),
        (
            ("ins", ""),
            ("ins", "/item"),
            ("*", "/item/comment"),
            ("ins", "/billTo"),
            ("*", "/item/price/text()"),
        ),
    )
)
_BOUNDS = ((0, 1), (0, 1), (0, 2), (0, None), (0, None), (1, 1), (1, 2))
_FROM_NONE = ((0, 1), (0, 2), (0, None))
_ENDS = (None, None, None, Termination.CUSTOM, Termination.NON_LOCAL)
_WINDOWS = (None, None, None, Window(3, Unit.CHANGES), Window(8, Unit.CHANGES))
_WORDS = ("before", "after", "before", "par", "overlaps")


class _Silent(Choices):
    """Draws one definition."""

    def definition(self) -> EventDefinition:
        """Of an operator of two or three operands."""
        context = self._one((ContextName.CONTINUOUS, ContextName.CONTINUOUS, *ContextName))
        self.flat = self._chance(4)
        root = self._beside_several() if self._chance(4) else self._combined(depth=1)
        order = self._one((Order.INTERVAL, Order.INTERVAL, Order.DETECTION))
        return with_meaning(EventDefinition("E", root, context, self.flat, order))

    def _beside_several(self) -> Operator:
        """One or two counts, and what raises several composites at once."""
        counted = [
            Multiplicity(
                (self._leaf(_OF_ITEM),), *self._one(_FROM_NONE), Options(path=_ORDER if self.flat else None)
            )
            for _ in range(self._one((1, 1, 2)))
        ]
        leaves = (self._leaf((*_OF_ITEM, *_OF_ORDER)), self._leaf((*_OF_ITEM, *_OF_ORDER)))
        several = Conjunction(leaves, Options(context=ContextName.UNRESTRICTED, path=_ORDER))
        kind = self._one((Conjunction, Conjunction, Sequence))
        options = Options(path=_ORDER, within=self._one(_WINDOWS))
        return kind((several, *counted) if self._chance(2) else (*counted, several), options)

    def _end(self) -> Termination | None:
        end: Termination | None = self._one(_ENDS)
        return None if self.flat and end is Termination.NON_LOCAL else end

    def _combined(self, depth: int) -> Operator:
        kind = self._one((Conjunction, Conjunction, Sequence, Sequence, Sequence, AnyOf, Relation))
        options = Options(
            context=self._one((None, None, None, *ContextName)),
            end=self._end(),
            path=_ORDER,
            within=self._one(_WINDOWS),
        )
        if kind is Relation:
            return Relation((self._operand(depth), self._operand(depth)), self._one(_WORDS), options)
        operands = tuple(self._operand(depth) for _ in range(self._one((2, 2, 3))))
        if kind is AnyOf:
            return AnyOf(operands, self._one((1, 2, len(operands))), options)
        if kind is Sequence:
            return self._sequence(operands, options)
        return Conjunction(operands, options)

    def _sequence(self, operands: tuple[Expression, ...], options: Options) -> Sequence:
        """Perhaps with what must not happen, between operands or behind them."""
        if not self._chance(4):
            return Sequence(operands, options)
        places = [0, len(operands) - 1]
        if options.end is not None and options.within is None:
            places.append(len(operands))
        place = self._one(places)
        absent = self._one((*_OF_ITEM, *_OF_ORDER))
        return Sequence((*operands[:place], absent, *operands[place:]), options, negated=(place,))

    def _operand(self, depth: int) -> Expression:
        kind = self._one(range(8))
        if kind == 0:
            return self._leaf(_OF_ORDER)
        if kind == 1 and depth:
            return self._combined(depth - 1)
        if kind == 2:
            return Multiplicity(
                (self._leaf(_OF_ORDER),), *self._one(_BOUNDS), Options(path=_ORDER, end=self._end())
            )
        inner: Expression = self._leaf(_OF_ITEM)
        options = Options(end=self._end())
        if self.flat:
            options = Options(end=self._end(), path=_ORDER)
        return Multiplicity((inner,), *self._one(_BOUNDS), options)

    def _leaf(self, leaves: tuple[Leaf, ...]) -> Leaf:
        leaf: Leaf = self._one(leaves)
        return leaf


@st.composite
def silent_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One definition."""
    return (_Silent(draw).definition(),)


@st.composite
def silent_histories(draw: st.DrawFn) -> History:
    """Histories of several items."""
    whole = draw(st.sampled_from((0, 1, 1, 2)))
    if whole == 2:
        return draw(moving_histories())
    return draw(dense_histories() if whole else histories(min_actions=6, max_actions=16, busy=True))
