"""Random rules and histories in which things happen at nodes that are gone.

What waits for a release or for a timer outlasts its node (A4, D2, W7); here it stands below operators of every kind,
of the same tree and of others, and in the histories whole items go, early, and time passes afterwards.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from path_types import PathType
from xmlcep.algebra import (
    Conjunction,
    ContextName,
    EventDefinition,
    Expression,
    Multiplicity,
    Operator,
    Options,
    Plus,
    Sequence,
    Termination,
    Unit,
    Window,
)

from .full_rules import EVERYTHING, Bound, full_rule_sets
from .histories import History
from .meetings import MeetingBuilder, meeting_histories

_TIMED = frozenset(
    {"plus", "periodic", "periodic_star", "aperiodic", "aperiodic_star", "trailing", "release"}
)
_SOME = (
    EVERYTHING - {"opaque", "reference", "filter"},
    _TIMED,
    _TIMED | {"any", "relation", "within", "next"},
    _TIMED | {"variable", "join", "by", "having"},
    _TIMED | {"edit", "guard"},
)
_DELAYS = (1, 2, 3, 5, 9, 30)


class LateBuilder(MeetingBuilder):
    """Draws a definition of which many operands come late: by `plus`, as an absence, after a release."""

    anchors = (*("item",) * 6, "/order/item", "order/item", "item/item", "price", "price", "order")
    terminations = (Termination.CUSTOM, Termination.NON_LOCAL)
    ends = 3
    asks = 8
    flats = 8
    inner = 3

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        """Half of what could be any expression is late."""
        drawn, bound = super().expression(anchor, depth, context, joining=joining, plain=plain)
        if plain or not self._chance(2):
            return drawn, bound
        several = Bound({name: name != joining for name in bound.names})
        way = self.draw(st.integers(0, 3))
        if way == 3 and joining is None and not self.flat:
            bounds = self._one(((1, None), (2, 2), (0, None)))
            options = Options(end=self._one(self.terminations))
            return self._placed(Multiplicity((drawn,), *bounds, options), anchor), several
        if way == 2 and joining is None:
            forbidden, _ = self.leaf(anchor)
            window = self._one(Window(s * 1_000_000, Unit.TIME) for s in _DELAYS)
            absence = Sequence((drawn, forbidden), Options(within=window), negated=(1,))
            return self._placed(absence, anchor), several
        by = (joining,) if joining is not None else ()
        plus = Plus((drawn,), Window(self._one(_DELAYS) * 1_000_000, Unit.TIME), Options(by=by))
        return self._placed(plus, anchor), several if context is ContextName.CUMULATIVE else bound

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        """At the root all alike."""
        if not root:
            return [Conjunction, Sequence, Multiplicity, *super().kinds(root=root)]
        return list(dict.fromkeys(super().kinds(root=root)))


@st.composite
def late_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One to three definitions, small."""
    return draw(
        full_rule_sets(
            constructs=draw(st.sampled_from(_SOME)), max_depth=draw(st.sampled_from((1, 1, 2))),
            max_events=draw(st.sampled_from((1, 1, 2, 3))), builder=LateBuilder,
        )
    )  # fmt: skip


def late_histories(**given: Any) -> st.SearchStrategy[History]:
    """As those in which everything meets; whole items go as often as anything else happens."""
    return meeting_histories(removes=True, **given)
