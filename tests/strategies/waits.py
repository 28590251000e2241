"""Random rules that wait for a condition while something else decides as well whether they do (D4, Q4, W3).

In `counts` what a group waits with comes and goes by events, mostly. Here counts with a window lose what is too old,
of composites of several groups, which others integrate, or an operator above consumes; and arrivals come with timers
and flushes: of what is due later, beats, is absent until then, or was itself released.
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
    Periodic,
    PeriodicStar,
    Plus,
    Sequence,
    Unit,
    Window,
)

from .aimed import aimed_histories
from .counts import CountBuilder
from .full_rules import full_rule_sets
from .histories import History
from .vocabulary import SECOND

_WINDOWS = (
    *(Window(n * SECOND, Unit.TIME) for n in (1, 2, 4)),
    *(Window(n, Unit.CHANGES) for n in (1, 2, 3, 4, 6)),
    *(Window(n, Unit.TRANSACTIONS) for n in (1, 2, 3)),
)
_WAITS = frozenset({"edit", "release", "within"})
_TIMED = _WAITS | {"plus", "periodic", "periodic_star", "trailing"}
_OTHERS: tuple[frozenset[str], ...] = (
    frozenset(), frozenset(), frozenset({"variable", "having"}), frozenset({"by", "variable"}), frozenset({"guard"}),
    frozenset({"slide"}), frozenset({"any", "next", "gap"}),
)  # fmt: skip


class BatchBuilder(CountBuilder):
    """Draws counts with a window and a condition, of counts, mostly."""

    anchors = (*("item",) * 3, *("order",) * 4, "/order/item")
    bounds = ((0, None), (1, None), (1, None), (1, 2), (1, 2), (1, 1), (2, 2), (2, 3), (2, None))
    conditions = (
        ".//comment", "not(.//comment)", "count(.//price) mod 2 = 0", "count(.//*) mod 2 = 1", ".//quantity",
        ".//price > 3", ".//@partNum",
    )  # fmt: skip
    windows = _WINDOWS
    ends = 3

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        others: list[type[Operator]] = [Conjunction, Sequence] if root else [Disjunction, AnyOf, Conjunction]
        return [*(Multiplicity,) * 3, *others]

    def below(self, anchor: object) -> dict[str, tuple[str, ...]]:
        inside = ("price", "quantity", "comment", "price")
        valued = ("price/text()", "@partNum", "price/text()")
        above = "item/" if str(anchor) == "order" else ""
        return {
            "element": tuple(f"{above}{name}" for name in inside),
            "valued": tuple(f"{above}{name}" for name in valued),
        }

    def _has(self, construct: str, one_in: int) -> bool:
        if construct in ("having", "slide"):
            return construct in self.wanted and self._chance(5)
        return super()._has(construct, one_in)

    def _window(self, one_in: int) -> Window | None:
        return self._one(self.windows) if not self._chance(4) else None


class TimedWaitBuilder(CountBuilder):
    """Draws operators with a condition, of what timers and releases bring, and of such with one."""

    anchors = (*("item",) * 6, "order", "/order/item", "price")
    inner = 1
    ends = 3
    asks = 2

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        if root:
            return [Multiplicity, Conjunction, Sequence, Sequence, AnyOf, Disjunction]
        return [
            Plus,
            Plus,
            Periodic,
            PeriodicStar,
            Sequence,
            Sequence,
            Multiplicity,
            Disjunction,
            Conjunction,
        ]


@st.composite
def batches(draw: st.DrawFn) -> tuple[tuple[EventDefinition, ...], History]:
    """One definition of counts with a window that wait, with a history that is aimed at it."""
    return draw(_waiting(_WAITS, BatchBuilder))


@st.composite
def timed_waits(draw: st.DrawFn) -> tuple[tuple[EventDefinition, ...], History]:
    """One definition that waits with what timers bring, or two, with a history that is aimed at it."""
    return draw(_waiting(_TIMED, TimedWaitBuilder, max_events=draw(st.sampled_from((1, 1, 2)))))


@st.composite
def _waiting(
    draw: st.DrawFn, constructs: frozenset[str], builder: type[CountBuilder], max_events: int = 1
) -> tuple[tuple[EventDefinition, ...], History]:
    definitions = draw(
        full_rule_sets(
            constructs=constructs | draw(st.sampled_from(_OTHERS)), max_depth=draw(st.sampled_from((1, 1, 2))),
            max_events=max_events, builder=builder,
        )
    )  # fmt: skip
    return definitions, draw(aimed_histories(definitions))
