"""Random rules and histories in which edits of several records, deletions, releases, conditions and timers meet.

`full_rule_sets` has all of these, but each by itself, mostly. Here elements lie in elements of the same name and groups
are of both (P10, D2); many operators wait, many conditions ask; many
composites are empty, also where time is measured; variables of composites join and group. In the histories nodes come
and go at the same few places, several in an edit.
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from path_types import PathType, Step
from xmlcep.algebra import (
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Sequence,
    Termination,
)

from .full_rules import EVERYTHING, Bound, FullRuleBuilder, full_rule_sets
from .histories import VALUES, History, Node
from .timed import TimedPlayer, played

_BELOW = {
    "item": {
        "element": ("price", "quantity", "comment", "", "", "item", "item/price", "item/comment"),
        "valued": ("price/text()", "@partNum", "item/@partNum"),
    },
    "price": {"element": ("", "", "price", "comment"), "valued": ("text()",)},
    "order": {
        "element": ("", "item", "item/price", "item/item", "price", "comment"),
        "valued": ("item/@partNum", "item/price/text()", "price/text()"),
    },
}


_OPERATIONS = {
    "element": ("ins", "ins", "ins", "ins", "*", "*", "del"),
    "valued": ("ins", "*", "*", "upd"),
}


class MeetingBuilder(FullRuleBuilder):
    """Draws a definition of elements in elements of the same name, with releases, conditions and empty composites."""

    anchors = (
        *("item",) * 4,
        *("price",) * 3,
        "item/item",
        "order/item",
        "/order/item",
        "price/price",
        "order",
    )
    bounds = ((0, None), (0, 1), (0, None), (0, 2), (1, None), (1, 2), (2, 2))
    conditions = (
        "price", "item", "not(comment)", "quantity", "count(*) mod 2 = 1", "not(price)", "string-length(.) > 1",
        "@partNum", ".//price", "not(item)",
    )  # fmt: skip
    operations = _OPERATIONS
    terminations = (Termination.CUSTOM, Termination.NON_LOCAL, Termination.NON_LOCAL)
    ends = 2
    asks = 2
    inner = 2
    flats = 12
    joins_composites = True

    def below(self, anchor: PathType) -> dict[str, tuple[str, ...]]:
        return _BELOW[anchor.last.test]

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        """What could be a leaf may be none or one of it, whatever depth there is left."""
        drawn, bound = super().expression(anchor, depth, context, joining=joining, plain=plain)
        if joining is None and isinstance(drawn, Leaf) and self._chance(4):
            repeated = Multiplicity((drawn,), 0, self._one((None, 1, 2)))
            return self._placed(repeated, anchor), Bound(dict.fromkeys(bound.names, True))
        return drawn, bound

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        """Operands are multiplicities, often."""
        return super().kinds(root=root) if root else [*super().kinds(root=root), *(Multiplicity,) * 6]


class WaitingBuilder(MeetingBuilder):
    """Draws a small definition that waits for a release and has a condition, mostly."""

    ends = 1
    asks = 1
    flats = 1000

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        return [Disjunction, Disjunction, Multiplicity, Multiplicity, Conjunction, Sequence]


class AskingBuilder(WaitingBuilder):
    """Draws a small definition that has a condition, and waits for that only, mostly."""

    ends = 5


class TogglingBuilder(WaitingBuilder):
    """Draws a small definition about what comes and goes in an item, which waits for that, and for events elsewhere."""

    anchors = ("item",)
    conditions = (
        "comment",
        "not(comment)",
        "quantity",
        "not(quantity)",
        "price",
        "not(price)",
        "count(*) = 2",
    )
    terminations = (Termination.NON_LOCAL, Termination.NON_LOCAL, Termination.CUSTOM)
    ends = 2
    asks = 2
    reuses = (1, 2)

    def below(self, anchor: PathType) -> dict[str, tuple[str, ...]]:
        inside = ("price", "quantity", "comment")
        return {"element": inside, "valued": inside}


_SOME = (
    EVERYTHING,
    frozenset({"edit", "release"}),
    frozenset({"edit", "release", "within", "trailing", "absence"}),
    frozenset({"edit", "release", "plus", "periodic", "periodic_star", "aperiodic", "aperiodic_star"}),
    frozenset({"edit", "release", "variable", "join", "by", "having", "guard"}),
    frozenset({"plus", "periodic", "periodic_star", "trailing", "within", "by", "variable", "having", "edit"}),
)  # fmt: skip


def waiting_rule_sets() -> st.SearchStrategy[tuple[EventDefinition, ...]]:
    """One definition that waits, and asks."""
    constructs = {"edit", "release"}
    return full_rule_sets(constructs=constructs, max_depth=1, max_events=1, builder=WaitingBuilder)


def asking_rule_sets() -> st.SearchStrategy[tuple[EventDefinition, ...]]:
    """One definition, or two, that ask at once, and again (D4)."""
    return full_rule_sets(constructs={"edit"}, max_depth=0, max_events=2, builder=AskingBuilder)


def toggling_rule_sets() -> st.SearchStrategy[tuple[EventDefinition, ...]]:
    """One to three definitions about what comes and goes in items, which take what others raise."""
    constructs = {"edit", "release"}
    return full_rule_sets(constructs=constructs, max_depth=0, max_events=3, builder=TogglingBuilder)


@st.composite
def meeting_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One to three definitions, most of them small, of all constructs, or of some that have to do with each other."""
    if draw(st.integers(0, 2)) == 0:
        return draw(waiting_rule_sets())
    return draw(
        full_rule_sets(
            constructs=draw(st.sampled_from(_SOME)), max_depth=draw(st.sampled_from((0, 1, 1, 2))),
            max_events=draw(st.sampled_from((1, 1, 2, 3))), builder=MeetingBuilder,
        )
    )  # fmt: skip


class Slot(NamedTuple):
    """A place in the document where a node is, or is not: the slot of its parent (None: the root), and its name."""

    above: int | None
    name: str


_SLOTS = (
    Slot(None, "item"), Slot(None, "item"), Slot(0, "price"), Slot(0, "quantity"), Slot(0, "comment"), Slot(0, "item"),
    Slot(5, "price"), Slot(5, "comment"), Slot(2, "price"), Slot(2, "text()"), Slot(0, "@partNum"), Slot(1, "price"),
    Slot(1, "comment"), Slot(1, "quantity"), Slot(None, "price"), Slot(14, "price"), Slot(14, "text()"),
    Slot(14, "comment"), Slot(5, "@partNum"),
)  # fmt: skip
CHOSEN = (0, 1, *range(2, len(_SLOTS)), *range(2, len(_SLOTS)), 2, 3, 4, 5, 2, 3, 4, 5, 11, 12)


# The same where items go as often as anything else happens.
_REMOVED = (*CHOSEN, *(0, 1, 5) * 10)


def actions_on(slots: tuple[int, ...]) -> tuple[st.SearchStrategy[list[tuple[int, int]]], ...]:
    """The actions of an edit: on which of these slots, with which value."""
    return tuple(
        st.lists(st.tuples(st.sampled_from(slots), st.integers(0, 3)), min_size=1, max_size=most) for most in (1, 2, 4)
    )  # fmt: skip


# What is in two items, and sometimes the items.
_INSIDE = (*(2, 3, 4) * 6, *(11, 12, 13) * 3, 0, 1)
_ACTIONS, _REMOVALS, _TOGGLES = actions_on(CHOSEN), actions_on(_REMOVED), actions_on(_INSIDE)


@st.composite
def meeting_histories(
    draw: st.DrawFn, *, max_edits: int = 24, removes: bool = False, toggles: bool = False, doc: str = "doc"
) -> History:
    """A random history of a few places at which nodes come and go, again and again, in edits of several records;
    ``removes``: whole items, often; ``toggles``: what is in two items, mostly."""
    actions = draw(st.sampled_from(_REMOVALS if removes else _TOGGLES if toggles else _ACTIONS))
    player = MeetingPlayer(doc, draw(st.sampled_from((1, 37))), edits=True)
    return played(draw, player, actions, max_edits=max_edits, min_edits=6, advances=True)


class MeetingPlayer(TimedPlayer):
    """Plays on the slots: a node that is not there is inserted, with those above; one that is goes, or changes."""

    places: tuple[Slot, ...] = _SLOTS

    def start(self) -> None:
        self.begin(unseen=False)
        self.slots: dict[int, Node] = {}
        self.act(2, 0)

    def act(self, slot: int, value: int) -> None:
        """What is there has another value then, or goes."""
        above, name = self.places[slot]
        node = self.slots.get(slot)
        if node is not None:
            if node.value is not None and node.value != VALUES[value]:
                self.update(node, value)
            else:
                self.remove(node)
            return
        if above is not None and above not in self.slots:
            self.act(above, value)
        parent = self.root if above is None else self.slots[above]
        assert parent is not None
        if name.startswith("@"):
            self.slots[slot] = self.insert_attribute(parent, VALUES[value])
        elif name == "text()":
            self.slots[slot] = self.insert_child(parent, Step.text(), 0, VALUES[value])
        else:
            position = value % (len(parent.children) + 1)
            self.slots[slot] = self.insert_child(parent, Step.element(name), position, None)

    def remove(self, node: Node) -> None:
        """With all that is in it."""
        gone = set(map(id, node.subtree()))
        self.delete(node)
        self.slots = {slot: each for slot, each in self.slots.items() if id(each) not in gone}
