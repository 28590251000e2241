"""Random valid rule sets, valid by construction (T2, T3, M6, D2, G1, G5, D4).

An expression is drawn below an *anchor*, the path type its leaves begin with, so that its path type can
be derived; where it cannot, the anchor is given explicitly. Nothing is filtered.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from hypothesis import strategies as st

from path_types import PathType, left_bound_intersection
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.reference.graph import evaluation_order
from tests.reference.paths import path_of
from tests.reference.relations import occurrences
from xmlcep.algebra import (
    Conjunction,
    ContextName,
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
from xmlcep.events import CompositeType, PrimitiveType
from xmlcep.language import print_definitions

from .choices import Choices
from .meaningful import with_meaning

_ANCHORS = (
    "item",
    "item",
    "item",
    "order/item",
    "/order/item",
    "order",
    "/order",
    "item/item",
    "price",
    "/order/item/item",
)
_BELOW = (
    "",
    "",
    "price",
    "price",
    "quantity",
    "quantity",
    "comment",
    "price/text()",
    "quantity/text()",
    "@partNum",
    "item",
    "item/price",
    "item/item",
)
_FREE = (
    "item",
    "price",
    "quantity",
    "comment",
    "item/price",
    "price/text()",
    "@partNum",
    "/order",
    "/order/item",
)
_BOUNDS = ((1, None), (0, 1), (0, None), (1, 1), (2, 2), (2, 3), (0, 2), (1, 2), (2, None), (3, None), (0, 3))
CONDITIONS = (
    "true()", "price", "count(price) >= count(quantity)", "not(comment)", "price > 3", "/item/price",
    "count(*) mod 2 = 1", "@partNum or quantity", "string-length(.) > 1", ".//item",
)  # fmt: skip
SNOOP = tuple(name for name in ContextName if name is not ContextName.NEXT)
_CONTEXTS = SNOOP
ENDS = (Termination.EARLIEST, Termination.NON_LOCAL, Termination.CUSTOM)


@st.composite
def rule_sets(
    draw: st.DrawFn, *, max_events: int = 3, max_depth: int = 3, conditions: bool = True, flat: bool = True,
    ends: tuple[Termination, ...] = ENDS, contexts: tuple[ContextName, ...] = _CONTEXTS, reuse: bool = True,
) -> tuple[EventDefinition, ...]:  # fmt: skip
    """Up to ``max_events`` valid event definitions, in any order, some with leaves that reuse others.

    ``conditions``, ``flat``, ``reuse``: whether there are any; ``ends`` and ``contexts``: which to draw from.
    """
    size = draw(st.integers(1, max_events))
    made: list[EventDefinition] = []
    for number in range(size):
        builder = RuleBuilder(draw, made if reuse else [], max_depth, conditions, ends, contexts)
        definition = builder.definition(f"E{number}", flat=flat and draw(st.integers(0, 4)) == 4)
        made.append(definition if acyclic([*made, definition]) else _without_reuse(definition))
    return tuple(draw(st.permutations(made)))


class RuleBuilder(Choices):
    """Draws one definition. ``known`` are the definitions that its leaves may reuse."""

    def __init__(
        self, draw: st.DrawFn, known: list[EventDefinition], max_depth: int, conditions: bool,
        ends: tuple[Termination, ...], contexts: tuple[ContextName, ...],
    ) -> None:  # fmt: skip
        super().__init__(draw)
        self.known = known
        self.max_depth = max_depth
        self.conditions = conditions
        self.ends = ends
        self.contexts = contexts
        self.labels = count(1)
        self.flat = False

    def definition(self, name: str, *, flat: bool) -> EventDefinition:
        """A definition of this name."""
        self.flat = flat
        context = self._one(self.contexts)
        anchor = PathType.parse(self._one(_ANCHORS))
        if self._chance(12):
            leaf = self.leaf(anchor)
            root: Operator = self._with_options(Disjunction((leaf,)), anchor, root=True)
        else:
            root = self.operator(anchor, self.max_depth, context, root=True)
        order = self._one((Order.INTERVAL, Order.DETECTION))
        return with_meaning(EventDefinition(name, root, context, flat, order))

    def expression(self, anchor: PathType, depth: int, context: ContextName) -> Expression:
        """A leaf or, while there is depth left, perhaps an operator."""
        if depth <= 0 or not self._chance(2):
            return self.leaf(anchor)
        deeper = _path(anchor, self._one(("", "", "", "price", "item")))
        return self.operator(deeper, depth - 1, context, root=False)

    def operator(self, anchor: PathType, depth: int, context: ContextName, *, root: bool) -> Operator:
        """An operator over expressions below the anchor."""
        # Unrestricted contexts raise every combination: three operands would give too many to look at.
        widest = 2 if ContextName.UNRESTRICTED in self.contexts else 3
        kind = self._one((Conjunction, Sequence, Multiplicity, Disjunction, Conjunction, Sequence))
        if kind is Multiplicity:
            lower, upper = self._one(_BOUNDS)
            inner = self.expression(anchor, depth - 1, context)
            return self._with_options(Multiplicity((inner,), lower, upper), anchor, root=root)
        operands = tuple(
            self.expression(anchor, depth - 1, context)
            for _ in range(self.draw(st.integers(2, widest if context is ContextName.UNRESTRICTED else 3)))
        )
        return self._with_options(kind(operands), anchor, root=root)

    def leaf(self, anchor: PathType) -> Leaf:
        """A primitive leaf below the anchor (now and then anywhere), or a composite one."""
        if self.known and self._chance(3):
            return self._composite_leaf()
        path = PathType.parse(self._one(_FREE)) if self._chance(8) else _path(anchor, self._one(_BELOW))
        valued = not path.last.is_element
        operations = ("ins", "upd", "*", "upd", "del") if valued else ("ins", "ins", "ins", "*", "del")
        return Leaf(PrimitiveType(self._one(operations), path))

    def _composite_leaf(self) -> Leaf:
        reused = self._one(tuple(self.known))
        path = path_of(reused.expression) or PathType.parse("/order")  # flat: anything
        shorter = PathType.of(False, path.steps[self._one(range(len(path.steps))) :])
        return Leaf(
            CompositeType(None if self._chance(5) else reused.name, self._one((path, shorter, shorter)))
        )

    def _with_options(self, operator: Operator, anchor: PathType, *, root: bool) -> Operator:
        derived = path_of(operator)
        path = anchor if derived is None and not (self.flat and self._chance(2)) else None
        if self._chance(5):
            steps = anchor.steps[: self._one(range(1, len(anchor.steps) + 1))]
            # Absolute path types begin at the root, which is always an order.
            path = PathType.of(anchor.absolute or (steps[0].test == "order" and self._chance(2)), steps)
        if path is not None and not fits(path, operator):
            path = None if derived is not None else PathType.parse("/order")
        end = self._one(self.ends) if self._chance(3) else None
        if self.flat and end is Termination.NON_LOCAL:
            end = None
        context = self._one(self.contexts) if not root and self._chance(5) else None
        if self.contexts == _CONTEXTS and context is ContextName.UNRESTRICTED and len(operator.operands) > 2:
            context = None
        name = f"L{next(self.labels)}" if not root and self._chance(3) else None
        given = replace(operator, options=Options(context=context, end=end, path=path, name=name))
        final = path_of(given)
        asks = end in (None, Termination.EARLIEST) or "release" not in UNKNOWN_TO_THE_ENGINE
        of_element = not self.flat and final is not None and final.last.is_element
        if self.conditions and asks and of_element and self._chance(6):
            given = replace(given, options=replace(given.options, when=self._one(CONDITIONS)))
        return given


def _path(anchor: PathType, below: str) -> PathType:
    return PathType.parse(f"{anchor}/{below}") if below and anchor.last.is_element else anchor


def fits(path: PathType, operator: Operator) -> bool:
    """T3 for all children of the operator."""
    for operand in operator.operands:
        child = path_of(operand)
        if child is None:
            continue  # flat: it may be about anything
        if child.absolute and path.absolute and left_bound_intersection(path, child) is None:
            return False
        if child.absolute and not path.absolute and not occurrences(path, child):
            return False
    return True


def acyclic(definitions: list[EventDefinition]) -> bool:
    """Whether the definitions do not depend on one another in a cycle (G1)."""
    try:
        evaluation_order(definitions)
    except ValueError:
        return False
    return True


def _without_reuse(definition: EventDefinition) -> EventDefinition:
    """The definition with insertions in place of composite leaves; it depends on nothing."""

    def plain(expression: Expression) -> Expression:
        if isinstance(expression, Leaf):
            made = expression.type
            return Leaf(PrimitiveType("ins", made.path)) if isinstance(made, CompositeType) else expression
        if isinstance(expression, Multiplicity):
            return replace(expression, operands=(plain(expression.operand),))
        return replace(expression, operands=tuple(map(plain, expression.operands)))

    expression = plain(definition.expression)
    assert not isinstance(expression, Leaf)
    return replace(definition, expression=expression)


DOCUMENTS = {"parts": '<parts><part n="5" state="old">x</part><part n="1"/><part n="x" state="new"/></parts>'}
"""The reference documents (V8) that drawn rules ask."""


def show_rules(definitions: tuple[EventDefinition, ...]) -> str:
    """The definitions in the event language, in their order, with the reference documents that they ask."""
    text = print_definitions(definitions)
    return "".join(f'reference {name} = "{name}.xml"\n' for name in DOCUMENTS if f"${name}" in text) + text
