"""Random rules in which every operator gets what it has by lot: triples of operator, context and termination with all
that an operator takes.

Of 2,982 triples (operator, context of the event or its own, termination, one option or kind of operand) that the rules
allow, 100 rule sets of each other mode have 1,602: what is common is drawn again and again. Here each operator has a
kind, a context, a termination and up to three options by lot, all alike, whatever else there is. In `inner_lots`
operands are operators, mostly, those of what waits and what must not occur, too, which are else among the rarest.

In `tower_rule_sets` such trees stand above one another, with events from outside, timers, releases and conditions in
one rule set; each takes what any before it raises, under another node.
"""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from path_types import PathType
from xmlcep.algebra import (
    OPERATORS,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Plus,
    Sequence,
    Termination,
    Window,
)

from .aimed import aimed_histories
from .externals import DECLARED, with_externals
from .full_rules import EVERYTHING, Bound, full_rule_sets
from .histories import History
from .pairs import PairBuilder, pair_histories

# What an operator may have besides a context and a termination: the construct of `tests.constructs`, and the option
# that an operator which may have it takes.
_OF_OPTIONS = (
    ("within", "within"), ("gap", "gap"), ("strict", "strict"), ("slide", "slide"), ("by", "by"),
    ("having", "having"), ("variable", "let"), ("guard", "if"), ("edit", "when"),
)  # fmt: skip
_ALONE = (Multiplicity, Disjunction, Plus)
"""Operators that join nothing."""


def _having(kind: type[Operator]) -> tuple[str, ...]:
    """The constructs that operators of this kind may have."""
    found = [construct for construct, option in _OF_OPTIONS if option in kind.takes]
    if kind not in _ALONE:
        found.append("join")
    if kind is Sequence:
        found += ["absence", "absence", "trailing"]
    return tuple(found)


_MAY_HAVE: Mapping[type[Operator], tuple[str, ...]] = {kind: _having(kind) for kind in OPERATORS}
_DECIDED = frozenset(construct for each in _MAY_HAVE.values() for construct in each)
_TERMINATIONS = (None, Termination.CUSTOM, Termination.NON_LOCAL)
_CONSTRUCTS = EVERYTHING - {"opaque", "reference", "scope"}


class LotBuilder(PairBuilder):
    """Draws a definition of operators of any kind, each with what fell to it."""

    lot: frozenset[str] = frozenset()
    flats = 8
    inner = 2

    def operator(
        self, kind: type[Operator], anchor: PathType, depth: int, context: ContextName, *, root: bool
    ) -> tuple[Operator, Bound]:  # fmt: skip
        outer, self.lot = self.lot, self._lot(kind)
        try:
            made, bound = super().operator(kind, anchor, depth, context, root=root)
        finally:
            self.lot = outer
        return made, bound

    def _lot(self, kind: type[Operator]) -> frozenset[str]:
        some = _MAY_HAVE[kind]
        return (
            frozenset(self._one(some) for _ in range(self._one((0, 1, 1, 2, 2, 3)))) if some else frozenset()
        )

    def _has(self, construct: str, one_in: int) -> bool:
        return construct in self.lot if construct in _DECIDED else super()._has(construct, one_in)

    def _end(self, ends: tuple[Termination, ...]) -> Termination | None:
        end = self._one(_TERMINATIONS)
        return end if end is None or end in ends else self._one(ends)

    def _window(self, one_in: int) -> Window | None:
        return self._one(self.windows) if self._has("within", one_in) else None

    def _gap(self) -> Window | None:
        return self._one(self.windows) if self._has("gap", 1) else None

    def _multiplicity(self, anchor: PathType, depth: int, context: ContextName) -> tuple[Operator, Bound]:
        """One that slides has an upper bound."""
        bounds, self.bounds = (
            self.bounds,
            tuple(each for each in self.bounds if each[1] is not None or "slide" not in self.lot),
        )
        try:
            return super()._multiplicity(anchor, depth, context)
        finally:
            self.bounds = bounds


class InnerLotBuilder(LotBuilder):
    """Draws a definition whose operands are operators, whatever waits above them, and whatever must not occur."""

    inner = 1
    flats = 12

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        kinds = super().kinds(root=root)
        return [*kinds, *(Sequence,) * len(kinds), *(Multiplicity,) * 4] if root else kinds

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        """One operand in three is a leaf, so that not all of them are seldom raised; none that must not occur."""
        depth = 0 if not plain and self._chance(3) else depth
        return super().expression(anchor, depth, context, joining=joining, plain=plain)

    def _lot(self, kind: type[Operator]) -> frozenset[str]:
        lot = super()._lot(kind)
        return lot | {self._one(("absence", "trailing"))} if kind is Sequence and self._chance(2) else lot


class TowerBuilder(LotBuilder):
    """Two of three leaves take a composite, where there is one; half of them the latest definition's."""

    anchors = (*("item",) * 5, "price", "order", "/order/item", "order/item", "/order", "item/item")
    reuses = (2, 3)
    joins_composites = True
    inner = 4

    def _composite_leaf(self, joining: str | None) -> tuple[Leaf, Bound]:
        known, self.known = self.known, self.known[-1:] if self._chance(2) else self.known
        try:
            return super()._composite_leaf(joining)
        finally:
            self.known = known


@st.composite
def lot_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One definition, or two, of operators of leaves or of operators of these."""
    return draw(
        full_rule_sets(
            constructs=_CONSTRUCTS, max_depth=draw(st.sampled_from((0, 1, 1, 1))),
            max_events=draw(st.sampled_from((1, 1, 2))), builder=LotBuilder,
        )
    )  # fmt: skip


@st.composite
def inner_lots(draw: st.DrawFn) -> tuple[tuple[EventDefinition, ...], History]:
    """One definition of operators of operators with a history that is aimed at it."""
    definitions = draw(
        full_rule_sets(
            constructs=_CONSTRUCTS, max_depth=draw(st.sampled_from((1, 1, 2))), max_events=1, builder=InnerLotBuilder,
        )
    )  # fmt: skip
    return definitions, draw(aimed_histories(definitions, max_edits=30))


@st.composite
def lots(draw: st.DrawFn) -> tuple[tuple[EventDefinition, ...], History]:
    """Such rules with a history that is aimed at them, mostly."""
    definitions = draw(lot_rule_sets())
    return definitions, draw(
        pair_histories() if draw(st.integers(0, 3)) == 3 else aimed_histories(definitions)
    )


@st.composite
def tower_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """Three to six definitions, small, behind those of external events."""
    return draw(
        full_rule_sets(
            constructs=_CONSTRUCTS, max_depth=draw(st.sampled_from((0, 0, 1))), min_events=3, max_events=6,
            builder=TowerBuilder, known=DECLARED,
        )
    )  # fmt: skip


@st.composite
def towers(draw: st.DrawFn) -> tuple[tuple[EventDefinition, ...], History]:
    """Such rules with a history that is aimed at them, mostly, in which events come from outside."""
    definitions = draw(tower_rule_sets())
    history = pair_histories() if draw(st.integers(0, 3)) == 3 else aimed_histories(definitions, max_edits=18)
    return definitions, draw(with_externals(history))
