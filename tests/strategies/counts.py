"""Random rules of counts that wait, while what they wait with comes and goes (V6, D4, D5, S4, W3).

In `pairs` and `lots` few counts have a condition, fewer `having` as well, and hardly any a count below it whose
composites go as others integrate them. But whether a group waits is decided by what there is of all that: with every
arrival a combination may have ceased to exist that there was before, or another may be the one.
"""

from __future__ import annotations

from hypothesis import strategies as st

from xmlcep.algebra import (
    AnyOf,
    Conjunction,
    Disjunction,
    EventDefinition,
    Multiplicity,
    Operator,
    Sequence,
    Window,
)

from .aimed import aimed_histories
from .dense import DenseBuilder
from .full_rules import full_rule_sets
from .histories import History

_CONSTRUCTS = frozenset({"variable", "having", "edit", "release", "any"})
_OTHERS: tuple[frozenset[str], ...] = (
    frozenset(), frozenset({"slide"}), frozenset({"within"}), frozenset({"by"}), frozenset({"slide", "within"}),
    frozenset({"guard"}), frozenset({"guard", "slide"}), frozenset({"next", "join"}),
)  # fmt: skip


class CountBuilder(DenseBuilder):
    """Draws counts, most of them with a condition, and operators of such."""

    anchors = (*("item",) * 6, "/order/item", "price", "order")
    bounds = ((0, None), (0, 2), (1, None), (1, None), (1, 2), (1, 3), (1, 1), (2, 2), (2, 3))
    conditions = (
        "comment", "not(comment)", "count(price) mod 2 = 0", "count(*) mod 2 = 1", "price > 3", "@partNum", "quantity",
    )  # fmt: skip
    ends = 4
    asks = 1
    inner = 2
    flats = 12

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        return [*(Multiplicity,) * 5, Conjunction, Sequence, AnyOf, Disjunction]

    def _has(self, construct: str, one_in: int) -> bool:
        if construct in ("having", "slide", "guard"):
            return construct in self.wanted and self._chance(2)
        return super()._has(construct, one_in)

    def _window(self, one_in: int) -> Window | None:
        return super()._window(one_in) if self._chance(2) else None


@st.composite
def counts(draw: st.DrawFn) -> tuple[tuple[EventDefinition, ...], History]:
    """One definition of such with a history that is aimed at it."""
    definitions = draw(
        full_rule_sets(
            constructs=_CONSTRUCTS | draw(st.sampled_from(_OTHERS)), max_depth=draw(st.sampled_from((0, 1, 1, 2))),
            max_events=1, builder=CountBuilder,
        )
    )  # fmt: skip
    return definitions, draw(aimed_histories(definitions))
