"""Random rules that ask something of combinations as a whole (V6), of every aggregate, mostly in a window.

What is asked is seldom true at once: values of texts and attributes, how many there are, their sum, the first of them.
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
    Multiplicity,
    Operator,
    Relation,
    Sequence,
    Termination,
    Unit,
    Window,
)

from .full_rules import Bound, FullRuleBuilder, full_rule_sets

_CONSTRUCTS = frozenset(
    {"within", "variable", "having", "any", "relation", "absence", "trailing", "release", "next"}
)
_MORE = ("gap", "join", "by", "plus", "edit", "strict", "slide", "guard", "filter", "aperiodic_star")
_ASKED = (
    "count(${0}) >= 3", "count(${0}) mod 2 = 0", "sum(${0}) > 6", "sum(${0}) mod 3 = 0", "avg(${0}) < 3",
    "min(${0}) > 1", "max(${0}) > 4", "max(${0}) > min(${0})", "string(${0}) != '1'", "${0}[last()] = 5",
    "count(distinct-values(${0})) > 1", "${0}[2] != ${0}[1]", "not(${0} = '1')", "count(${0}) = count(${1})",
    "sum(${0}) > sum(${1})", "${0} = ${1}",
)  # fmt: skip
_WINDOWS = (
    *(Window(1_000_000 * s, Unit.TIME) for s in (1, 2, 3, 5, 10)),
    *(Window(n, Unit.CHANGES) for n in (2, 3, 5, 8, 12)),
    *(Window(n, Unit.TRANSACTIONS) for n in (1, 2, 3, 4)),
)


class WholeBuilder(FullRuleBuilder):
    """Draws a small definition whose operands have values."""

    anchors = (*("item",) * 4, "/order/item", "/order", "price")
    ends = 2
    asks = 8
    inner = 4
    terminations = (Termination.CUSTOM, Termination.NON_LOCAL)

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        """Every other leaf without a variable is drawn once more."""
        drawn, bound = super().expression(anchor, depth, context, joining=joining, plain=plain)
        if not bound.names and self._chance(2):
            return super().expression(anchor, depth, context, joining=joining, plain=plain)
        return drawn, bound

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        kinds: list[type[Operator]] = [Conjunction, Sequence, Sequence, AnyOf, Relation, Multiplicity]
        return kinds if root else [*kinds, *super().kinds(root=root)]

    def _window(self, one_in: int) -> Window | None:
        return self._one(_WINDOWS) if not self._chance(4) else None

    def _having(self, bound: Bound) -> str | None:
        names = sorted(name for name, several in bound.names.items() if several)
        if not names or self._chance(4):
            return super()._having(bound)
        return str(self._one(_ASKED)).format(self._one(names), self._one(names))


@st.composite
def whole_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One or two definitions; half of them in cumulative context."""
    cumulative = draw(st.booleans())
    return draw(
        full_rule_sets(
            constructs={*_CONSTRUCTS, *draw(st.sets(st.sampled_from(_MORE), max_size=3))},
            contexts=(ContextName.CUMULATIVE,) if cumulative else tuple(ContextName),
            max_depth=draw(st.sampled_from((0, 1, 1))), max_events=draw(st.sampled_from((1, 1, 2))),
            builder=WholeBuilder,
        )
    )  # fmt: skip
