"""Random sequences with several operands that stand aside, also in a row, beside operands that may be nothing.

`full_rule_sets` negates one operand inside a sequence and the last one. What an absence does to what is next to it (Q4,
Q4, A1, A3) depends on how often there is what: here most operands are multiplicities, with a lower bound of 0 or
negated, and few leaves stand in several operands, so that one event is there and must not be.
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
    Sequence,
)

from .full_rules import Bound, full_rule_sets
from .meetings import MeetingBuilder

_SOME = (
    frozenset({"absence"}),
    frozenset({"absence", "within", "gap"}),
    frozenset({"absence", "trailing"}),
    frozenset({"absence", "trailing", "within"}),
    frozenset({"absence", "trailing", "variable", "join", "by", "having"}),
    frozenset({"absence", "trailing", "within", "edit", "release", "guard"}),
    frozenset({"absence", "trailing", "within", "plus", "next", "strict", "slide"}),
    frozenset({"absence", "trailing", "within", "collected", "strict", "gap", "variable", "having"}),
    frozenset({"absence", "trailing", "collected", "compared", "variable", "join", "by"}),
    frozenset({"absence", "trailing", "around", "collected", "within", "compared", "variable", "having"}),
)


class AbsenceBuilder(MeetingBuilder):
    """Draws a sequence of one to three operands, with up to three that must not occur among them."""

    anchors = (*("item",) * 5, "order", "/order/item", "price")
    ends = 3
    asks = 8
    flats = 6
    counts = False
    """Whether what is drawn next is counted."""

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        if root:
            return [Sequence, Conjunction] if "around" in self.wanted else [Sequence]
        return [Multiplicity, Multiplicity, *super().kinds(root=root)]

    def leaf(self, anchor: PathType, *, joining: str | None = None) -> tuple[Leaf, Bound]:
        """One of those there are already, often."""
        known = self.__dict__.setdefault("drawn", [])
        same = [pair for pair in known if pair[1] == anchor] if joining is None else []
        if same and self._chance(3):
            return self._one(same)[0], Bound({})
        leaf, bound = super().leaf(anchor, joining=joining)
        if not bound.names:
            known.append((leaf, anchor))
        return leaf, bound

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        """Half of what must not occur must not occur several times, or in a while; what is counted takes its time, now
        and then, so that what must not occur does meanwhile (Q4)."""
        if self.counts and joining is None and self._chance(4):
            self.counts = False
            return self.operator(self._one((Conjunction, Sequence)), anchor, 0, context, root=False)
        drawn, bound = super().expression(anchor, depth, context, joining=joining, plain=plain)
        if plain and joining is None and isinstance(drawn, Leaf) and self._chance(2):
            repeated, bound = self._multiplicity(anchor, 0, context)
            return self._placed(repeated, anchor), bound
        return drawn, bound

    def _multiplicity(self, anchor: PathType, depth: int, context: ContextName) -> tuple[Operator, Bound]:
        self.counts = True
        try:
            return super()._multiplicity(anchor, depth, context)
        finally:
            self.counts = False

    def _negated(self, kind: type[Operator], size: int) -> tuple[int, tuple[int, ...], bool]:
        """So many before each that has to occur, of which there may be one only, and behind the last."""
        if kind is not Sequence:
            return super()._negated(kind, size)
        before = [self._one((0, 0, 1, 1, 2)) for _ in range(size - self._chance(3))]
        places: list[int] = []
        place = 0
        for many in before:
            places += range(place, place + many)
            place += many + 1
        behind = self._one((0, 1, 1, 2)) if "trailing" in self.wanted else 0
        places += range(place, place + behind)
        if place + behind == 1:  # one alone is no sequence
            return 2, (0,), False
        return place + behind, tuple(places), behind > 0


@st.composite
def absence_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One or two definitions."""
    return draw(
        full_rule_sets(
            constructs=draw(st.sampled_from(_SOME)), max_depth=draw(st.sampled_from((0, 0, 1))),
            max_events=draw(st.sampled_from((1, 1, 2))), builder=AbsenceBuilder,
        )
    )  # fmt: skip
