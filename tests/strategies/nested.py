"""Random rules and histories of items in items in items, whose paths have a name several times (P10).

`meetings` have an item in an item, among much else; here almost every path repeats a name, in operators and in leaves,
of which some say where they lie by a longer path and some by a shorter one.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from path_types import PathType
from tests.reference.paths import path_of
from xmlcep.algebra import EventDefinition, Leaf, Operator
from xmlcep.events import CompositeType, PrimitiveType

from .full_rules import EVERYTHING, Bound, full_rule_sets
from .histories import History
from .meetings import MeetingBuilder, MeetingPlayer, Slot, actions_on
from .rules import fits
from .timed import played

_BELOW = {
    "element": (
        "", "price", "quantity", "comment", "item", "item/price", "item/quantity", "item/item", "item/item/price",
        "price", "quantity",
    ),
    "valued": ("price/text()", "@partNum", "item/@partNum", "item/price/text()", "item/item/@partNum"),
}  # fmt: skip
_PLACES = (
    "item",
    "item",
    "item/item",
    "order/item",
    "/order/item",
    "/order",
    "item/item/item",
    "/order/item/item",
)
_SHORT = ("price", "quantity", "comment", "item", "item/price", "item/item")
_SOME = (
    frozenset({"edit", "release", "scope"}),
    frozenset({"edit", "release", "scope"}),
    EVERYTHING - {"opaque", "reference"},
    frozenset({"strict", "absence", "trailing", "within", "gap", "release", "scope"}),
    frozenset({"variable", "join", "by", "having", "guard", "edit"}),
    frozenset(
        {"plus", "periodic", "periodic_star", "aperiodic", "aperiodic_star", "any", "relation", "next"}
    ),
)


class NestedBuilder(MeetingBuilder):
    """Draws a definition of items in items, with path types of its own where it likes."""

    anchors = (
        "item",
        "item",
        "item",
        "item/item",
        "item/item",
        "order/item",
        "/order/item",
        "item/item/item",
    )
    ends = 3
    asks = 4
    inner = 2
    flats = 20
    reuses = (1, 4)

    def below(self, anchor: PathType) -> dict[str, tuple[str, ...]]:
        return _BELOW

    def leaf(self, anchor: PathType, *, joining: str | None = None) -> tuple[Leaf, Bound]:
        """Some say less of where they are than the operator does."""
        leaf, bound = super().leaf(anchor, joining=joining)
        is_plain = (
            isinstance(leaf.type, PrimitiveType) and leaf.type.path.last.is_element and leaf.filter is None
        )
        if is_plain and not (anchor.absolute or bound.names) and self._chance(3):
            leaf = replace(leaf, type=leaf.type._replace(path=PathType.parse(self._one(_SHORT))))
        return leaf, bound

    def _composite_leaf(self, joining: str | None) -> tuple[Leaf, Bound]:
        """Some say more of where they are than the operator that raises them does."""
        leaf, bound = super()._composite_leaf(joining)
        assert isinstance(leaf.type, CompositeType)
        path = leaf.type.path
        if not path.absolute and path.steps[0].test == "item" and self._chance(3):
            longer = PathType.of(False, (path.steps[0], *path.steps))
            leaf = replace(leaf, type=leaf.type._replace(path=longer))
        return leaf, bound

    def _placed(self, operator: Operator, anchor: PathType) -> Operator:
        placed = super()._placed(operator, anchor)
        path = PathType.parse(self._one(_PLACES))
        derived = path_of(operator) is not None
        if (derived and not self._chance(3)) or not fits(path, operator):
            return placed
        return placed.with_options(replace(placed.options, path=path))


@st.composite
def nested_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One to three definitions, most of them small."""
    return draw(
        full_rule_sets(
            constructs=draw(st.sampled_from(_SOME)), max_depth=draw(st.sampled_from((0, 1, 1, 2))),
            max_events=draw(st.sampled_from((1, 1, 2, 3))), builder=NestedBuilder,
        )
    )  # fmt: skip


# Items in items, and what is in each.
_ITEMS = (None, 0, 1, 1, 2, None)
_SLOTS = (
    *(Slot(above, "item") for above in _ITEMS),
    *(
        Slot(item, name)
        for item in range(len(_ITEMS))
        for name in ("price", "quantity", "comment", "@partNum")
    ),
    Slot(6, "text()"), Slot(10, "text()"), Slot(14, "text()"),
)  # fmt: skip
_ACTIONS = actions_on((*range(1, len(_SLOTS)), *range(len(_ITEMS), len(_SLOTS))))


class NestedPlayer(MeetingPlayer):
    """Plays on slots of items in items."""

    places = _SLOTS


@st.composite
def nested_histories(draw: st.DrawFn, *, max_edits: int = 24, doc: str = "doc") -> History:
    """A random history of items in items, and of what is in them, which come and go, in edits of several records."""
    player = NestedPlayer(doc, draw(st.sampled_from((1, 37))), edits=True)
    actions = draw(st.sampled_from(_ACTIONS))
    return played(draw, player, actions, max_edits=max_edits, min_edits=6, advances=True)
