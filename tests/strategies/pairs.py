"""Random rules of what other builders never put together: operators below operators of every kind, with every option.

Counted over what all other modes draw, these never met: what groups by values (`by`, a join) above operators; `not`
above anything but conjunctions, sequences and counts; gaps, `strict`, `slide` and a `not` between above windows that
events open, timers, relations. Here half of the operands are operators of any kind while there is depth left, and what
has to bind a variable is one as often as a leaf.
"""

from __future__ import annotations

from hypothesis import strategies as st

from path_types import PathType
from xmlcep.algebra import (
    OPERATORS,
    AnyOf,
    Aperiodic,
    AperiodicStar,
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Multiplicity,
    Operator,
    Options,
    Periodic,
    PeriodicStar,
    Plus,
    Relation,
    Sequence,
    Unit,
    Window,
)

from .dense import DenseBuilder, dense_histories
from .full_rules import EVERYTHING, Bound, full_rule_sets
from .histories import History
from .late import late_histories
from .meetings import meeting_histories
from .moves import moving_histories
from .timed import timed_histories
from .vocabulary import SECOND

_KINDS = frozenset(kind.kind for kind in OPERATORS) & EVERYTHING
_OPTIONS = (
    *({"within"}, {"gap"}, {"strict"}, {"gap", "strict"}, {"slide"}, {"absence"}, {"absence"}, {"trailing"}),
    *({"next"}, {"edit"}, {"edit", "release"}, {"guard"}, {"filter"}, {"variable", "having"}, {"variable"}),
    *({"join", "variable"}, {"by", "variable"}, {"by", "join", "variable"}),
)  # fmt: skip
_WINDOWS = (
    *(Window(n * SECOND, Unit.TIME) for n in (2, 5, 10)),
    *(Window(n, Unit.CHANGES) for n in (3, 6, 10)),
    *(Window(n, Unit.TRANSACTIONS) for n in (2, 4, 6)),
)


class PairBuilder(DenseBuilder):
    """Draws operators of operators."""

    anchors = (*("item",) * 6, "/order/item", "/order", "price")
    windows = _WINDOWS
    inner = 2
    ends = 4
    asks = 8
    flats = 8

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        return [kind for kind in OPERATORS if kind.kind in self.wanted or kind.kind not in EVERYTHING]

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        if joining is None:
            return super().expression(anchor, depth, context, plain=False)
        if depth <= 0 or self._chance(2):
            return self.leaf(anchor, joining=joining)
        return self._binding(joining, anchor, depth - 1, context)

    def _binding(
        self, name: str, anchor: PathType, depth: int, context: ContextName
    ) -> tuple[Expression, Bound]:
        """An operator that binds a variable, with one value: by it, or joined by it."""
        kinds = [Multiplicity, Disjunction, Conjunction, Sequence, AnyOf, Relation, Plus]
        kinds += [Aperiodic, AperiodicStar, Periodic, PeriodicStar]
        kind: type[Operator] = self._one([kind for kind in kinds if kind in self.kinds(root=False)])
        size = kind.most or 2
        closing = {Aperiodic: 2, AperiodicStar: 2, Periodic: 1, PeriodicStar: 1}.get(kind)
        if kind in (Periodic, PeriodicStar) and context is ContextName.CUMULATIVE:
            closing = None  # of several windows it would have several values, were it not joined (V2)
        operands = tuple(
            self.leaf(anchor)[0] if k == closing else self.expression(anchor, depth, context, joining=name)[0]
            for k in range(size if kind not in (Multiplicity, Plus) else 1)
        )
        made: Operator
        if kind is Multiplicity:
            bounds = self._one([bounds for bounds in self.bounds if bounds[0]])
            options = Options(by=(name,), within=self._window(3))
            made = Multiplicity(operands, *bounds, self._ending(options))
        elif kind is Plus:
            made = Plus(operands, Window(self._one((1, 2, 3)) * SECOND, Unit.TIME), Options(by=(name,)))
        elif kind is Disjunction:
            made = Disjunction(operands, self._ending(Options(by=(name,))))
        else:
            made = self._made(kind, operands, Options(), {name: False}, (), trailing=False)
        return self._placed(made, anchor), Bound({name: False})

    def _negated(self, kind: type[Operator], size: int) -> tuple[int, tuple[int, ...], bool]:
        """One of three between two others, as often as one at an end."""
        if kind is Sequence and "absence" in self.wanted and self._chance(4):
            return 3, (1,), False
        return super()._negated(kind, size)

    def _window(self, one_in: int) -> Window | None:
        return self._one(self.windows) if "within" in self.wanted and self._chance(2) else None


@st.composite
def pair_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One or two definitions, two operators deep, or three."""
    return draw(
        full_rule_sets(
            constructs=_KINDS.union(*draw(st.lists(st.sampled_from(_OPTIONS), min_size=1, max_size=3))),
            max_depth=draw(st.sampled_from((1, 1, 1, 1, 2))),
            max_events=draw(st.sampled_from((1, 1, 2))), builder=PairBuilder,
        )
    )  # fmt: skip


@st.composite
def pair_histories(draw: st.DrawFn) -> History:
    """Histories in which much happens at few nodes, which come and go."""
    whole = (
        dense_histories,
        dense_histories,
        timed_histories,
        meeting_histories,
        late_histories,
        moving_histories,
    )
    return draw(draw(st.sampled_from(whole))())
