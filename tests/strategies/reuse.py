"""Random rule sets in which trees take what trees grouped by other nodes raise.

A chain is drawn, level by level: prices, items, orders, at last perhaps the whole document (flat). A tree takes
composites of the levels before its own and groups them by a node above theirs. The patterns are such that
`histories` has much for them; a few trees are drawn by `rule_sets`' own means, anywhere.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from hypothesis import strategies as st

from path_types import PathType
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.reference.paths import path_of
from xmlcep.algebra import (
    Conjunction,
    Disjunction,
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
from xmlcep.events import CompositeType
from xmlcep.rules import parse_rules

from .choices import Choices
from .meaningful import with_meaning
from .rules import CONDITIONS, ENDS, SNOOP, RuleBuilder, acyclic, fits

# Patterns of primitive events, by the element that groups them.
_PRICE = """
    event A(price) = ins(price)
    event A = ins(price) ; ins(price/text())
    event A(price) = ins(price) | upd(price/text())
    event A = x[1,2] *(price/text())
"""
_ITEM = """
    event A = ins(item) ; ins(item/price)
    event A = ins(item/price) & ins(item/quantity)
    event A = ins(item) & (x[0,1] ins(item/comment) & ins(item/price))
    event A = x[1,*] ins(item/quantity)
    event A(order/item) = ins(item) ; ins(item/quantity)
    event A(item) = ins(item)
    event A(item/item) = ins(item/item) | ins(item/item/price)
    event A = ins(item) ; (ins(item/price) | *(item/quantity) | del(item/comment))
"""
_ORDER = """
    event A(order) = ins(order/item)
    event A(order) = x[1,2] ins(item/price)
    event A(order) = ins(order/item) ; ins(item/price)
    event A(/order) = *(order/billTo) | ins(comment)
"""
_FLAT = """
    event A(/order) {flat} = ins(item) ; ins(price)
    event A(/order) {flat, order=detection} = ins(item) & ins(quantity)
"""
_GROUPED_BY = {
    "price": ("price",),
    "item": ("item", "item", "order/item"),
    "order": ("order", "order", "/order"),
    "flat": ("/order",),
}
# What else a tree may take beside composites.
_BESIDE = """
    event A(price) = ins(price)
    event A(item) = ins(item)
    event A(item) = ins(item/quantity)
    event A(order) = ins(order/item)
    event A(order) = *(comment)
    event A(order) = del(item)
    event A(order) = ins(order/billTo)
"""
_CHAINS = (
    ("item", "order"), ("item", "order"), ("price", "item"), ("price", "order"), ("item", "item"),
    ("price", "item", "order"), ("item", "order", "flat"), ("item", "flat"), ("price", "item", "flat"),
    ("flat", "item"), ("item", "flat", "order"), ("price", "item", "order", "flat"),
)  # fmt: skip
_BOUNDS = ((1, None), (1, 3), (1, 1), (1, 2), (2, 2), (2, 3), (0, 2), (0, None))


def _each(patterns: str) -> tuple[EventDefinition, ...]:
    """The definitions, which all have the same name."""
    return tuple(
        chain.from_iterable(parse_rules(line).definitions for line in patterns.split("\n") if line.strip())
    )


_PATTERNS = {"price": _each(_PRICE), "item": _each(_ITEM), "order": _each(_ORDER), "flat": _each(_FLAT)}
_LEAVES = tuple(leaf for each in _each(_BESIDE) for leaf in each.expression.operands)


def taking(definitions: tuple[EventDefinition, ...]) -> set[str]:
    """The names of the definitions that take composites of others."""

    def takes(expression: Expression) -> bool:
        if isinstance(expression, Leaf):
            return isinstance(expression.type, CompositeType)
        return any(map(takes, expression.operands))

    return {definition.name for definition in definitions if takes(definition.expression)}


@st.composite
def reusing_rule_sets(
    draw: st.DrawFn, *, conditions: bool = True, ends: tuple[Termination, ...] = ENDS
) -> tuple[EventDefinition, ...]:
    """Two to seven definitions, in any order: at least one takes what another raises, mostly under another node.

    ``conditions``: whether there are any; ``ends``: which to draw from.
    """
    made: list[EventDefinition] = []
    first, *rest = draw(st.sampled_from(_CHAINS))
    for _ in range(draw(st.integers(1, 2))):
        made.append(_ReuseBuilder(draw, made, conditions, ends).taken(f"E{len(made)}", first))
    for level in rest:
        below = list(made)
        for _ in range(draw(st.sampled_from((1, 1, 1, 2)))):
            builder = _ReuseBuilder(draw, below, conditions, ends)
            made.append(builder.taking(f"E{len(made)}", level))
    if draw(st.integers(1, 8)) == 8:
        changed = [*made[:-1], _whatever_its_name(made[-1])]
        made = changed if acyclic(changed) else made
    return tuple(draw(st.permutations(made)))


class _ReuseBuilder(Choices):
    """Draws one definition. ``below`` are those of the levels before, the latest last."""

    def __init__(
        self, draw: st.DrawFn, below: list[EventDefinition], conditions: bool, ends: tuple[Termination, ...]
    ) -> None:
        super().__init__(draw)
        self.below = below
        self.conditions = conditions
        self.ends = ends
        self.flat = False

    def taken(self, name: str, level: str) -> EventDefinition:
        """A definition that takes primitive events only."""
        if self._chance(8) and level != "flat":
            return RuleBuilder(
                self.draw, [], 2, self.conditions, self.ends, SNOOP
            ).definition(name, flat=False)  # fmt: skip
        pattern = self._one(_PATTERNS[level])
        self.flat = pattern.flat
        expression = pattern.expression
        taken = replace(
            pattern, name=name, context=self._one(SNOOP),
            expression=self._ending(expression, path_of(expression), one_in=5),
        )  # fmt: skip
        return with_meaning(taken)

    def taking(self, name: str, level: str) -> EventDefinition:
        """A definition grouped by the nodes of this level that takes composites of those below."""
        self.flat = level == "flat"
        taken = [self.below[-1], *(self._one(self.below) for _ in range(self.draw(st.integers(0, 1))))]
        operands: list[Expression] = [self._leaf(each) for each in taken]
        if self._chance(2):
            operands.append(self._one(_LEAVES))
        path = PathType.parse(self._one(_GROUPED_BY[level]))
        if not all(fits(path, Disjunction((operand,))) for operand in operands):
            path = PathType.parse("/order")
        operands = [self._repeated(operand, path) if self._chance(4) else operand for operand in operands]
        operands = list(self.draw(st.permutations(operands)))
        order = self._one((Order.INTERVAL, Order.DETECTION))
        return with_meaning(
            EventDefinition(name, self._operator(operands, path), self._one(SNOOP), self.flat, order)
        )

    def _operator(self, operands: list[Expression], path: PathType) -> Operator:
        operator: Operator
        if len(operands) == 1 and (not isinstance(operands[0], Leaf) or not self._chance(4)):
            operator = Multiplicity((operands[0],), *self._one(_BOUNDS), options=Options(path=path))
        elif len(operands) == 1:
            operator = Disjunction(tuple(operands), options=Options(path=path))
        else:
            kind = self._one((Conjunction, Sequence, Conjunction, Sequence, Disjunction))
            operator = kind(tuple(operands), options=Options(path=path))
        return self._ending(operator, path, one_in=3)

    def _repeated(self, operand: Expression, path: PathType) -> Expression:
        repeated = Multiplicity((operand,), *self._one(_BOUNDS), options=Options(path=path))
        return self._ending(repeated, path, one_in=5)

    def _leaf(self, taken: EventDefinition) -> Leaf:
        path = path_of(taken.expression)
        assert path is not None
        whole = path if not self.flat or not taken.flat else PathType.of(False, path.steps)
        shorter = PathType.of(False, path.steps[-1:])
        return Leaf(CompositeType(taken.name, self._one((shorter, whole))))

    def _ending(self, operator: Operator, path: PathType | None, *, one_in: int) -> Operator:
        """The operator with a termination and a condition, now and then."""
        assert path is not None
        end = self._one(self.ends) if self._chance(one_in) else None
        if self.flat and end is Termination.NON_LOCAL:
            end = None
        when = None
        asks = end in (None, Termination.EARLIEST) or "release" not in UNKNOWN_TO_THE_ENGINE
        if self.conditions and asks and not self.flat and path.last.is_element and self._chance(12):
            when = self._one(CONDITIONS)
        return replace(operator, options=replace(operator.options, end=end, when=when))


def _whatever_its_name(definition: EventDefinition) -> EventDefinition:
    """The definition with leaves that take any composites in place of those that name them."""

    def nameless(expression: Expression) -> Expression:
        if isinstance(expression, Leaf):
            made = expression.type
            return Leaf(CompositeType(None, made.path)) if isinstance(made, CompositeType) else expression
        if isinstance(expression, Multiplicity):
            return replace(expression, operands=(nameless(expression.operand),))
        return replace(expression, operands=tuple(map(nameless, expression.operands)))

    expression = nameless(definition.expression)
    assert not isinstance(expression, Leaf)
    return replace(definition, expression=expression)
