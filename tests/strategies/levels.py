"""Random rules in which trees take what trees raise that take what others raise, of every construct.

`reusing_rule_sets` has such levels, of the paper's operators, without variables and time; here trees of any construct
stand above one another, each with its own context, termination, condition and place, and most leaves take composites.
"""

from __future__ import annotations

from hypothesis import strategies as st

from xmlcep.algebra import Disjunction, EventDefinition, Leaf, Multiplicity, Operator

from .full_rules import EVERYTHING, Bound, full_rule_sets
from .meetings import MeetingBuilder

_SOME = (
    EVERYTHING - {"opaque", "reference"},
    frozenset({"release", "edit", "within", "trailing"}),
    frozenset({"variable", "join", "by", "having", "guard", "edit"}),
    frozenset({"plus", "periodic", "periodic_star", "aperiodic", "aperiodic_star", "trailing", "within", "release"}),
    frozenset({"any", "relation", "next", "strict", "gap", "slide", "within", "absence"}),
)  # fmt: skip


class LevelBuilder(MeetingBuilder):
    """Two of three leaves take a composite, where there is one."""

    anchors = (*("item",) * 5, "price", "order", "/order/item", "order/item", "/order")
    reuses = (2, 3)
    ends = 3
    asks = 6
    inner = 4
    flats = 8

    def _composite_leaf(self, joining: str | None) -> tuple[Leaf, Bound]:
        """The latest definition's, mostly."""
        known, self.known = self.known, self.known[-1:] if self._chance(2) else self.known
        try:
            return super()._composite_leaf(joining)
        finally:
            self.known = known

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        kinds = super().kinds(root=root)
        return [*kinds, Disjunction, Multiplicity] if root else kinds


@st.composite
def levelled_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """Three to five definitions, small."""
    return draw(
        full_rule_sets(
            constructs=draw(st.sampled_from(_SOME)), max_depth=draw(st.sampled_from((0, 0, 1))),
            min_events=3, max_events=5, builder=LevelBuilder,
        )
    )  # fmt: skip
