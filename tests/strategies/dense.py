"""Random histories in which much happens at few nodes, and small rules that are about that, with constraints.

Of what `histories` and `timed_histories` draw most groups get one event of each operand, if any. What a context makes
of several, which constraint refuses which of them, what lies exactly at the edge of a window (W3, W4, A2), what is out
of order (E5): that is decided where one item has many prices, and time goes on in as small steps as windows have.
"""

from __future__ import annotations

from hypothesis import strategies as st

from path_types import PathType, Step
from xmlcep.algebra import (
    AnyOf,
    Conjunction,
    ContextName,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Options,
    Relation,
    Sequence,
    Unit,
    Window,
)

from .full_rules import Bound, FullRuleBuilder, full_rule_sets
from .histories import VALUES, History
from .timed import TimedPlayer, played

_NAMES = ("price", "quantity", "price", "quantity", "comment")
_ACTIONS = st.lists(
    st.tuples(st.sampled_from((0, 0, 0, 0, 0, 0, 1, 1, 2, 3)), st.integers(0, 7), st.integers(0, 4), st.integers(0, 3)),
    min_size=1, max_size=2,
)  # fmt: skip
_OPERATIONS = {"element": ("ins", "ins", "ins", "ins", "*"), "valued": ("*", "upd", "*", "ins")}
_SECOND = 1_000_000
_WINDOWS = (
    *(Window(n * _SECOND, Unit.TIME) for n in (1, 1, 2, 3, 4)),
    *(Window(n, Unit.CHANGES) for n in (1, 2, 3, 4, 5)),
    *(Window(n, Unit.TRANSACTIONS) for n in (1, 2, 3)),
)
_SOME = (
    frozenset[str](),
    frozenset({"within"}),
    frozenset({"within", "gap", "strict"}),
    frozenset({"gap", "any", "relation", "next"}),
    frozenset({"within", "having", "variable", "join", "by"}),
    frozenset({"absence", "within", "trailing"}),
    frozenset({"slide", "within", "any", "next"}),
    frozenset({"aperiodic", "aperiodic_star", "periodic", "periodic_star", "plus", "within"}),
)


@st.composite
def dense_histories(draw: st.DrawFn, *, max_edits: int = 22, doc: str = "doc") -> History:
    """A random history of two items that get more and more."""
    player = _DensePlayer(doc, draw(st.sampled_from((1, 37))), edits=draw(st.booleans()))
    return played(draw, player, _ACTIONS, min_edits=8, max_edits=max_edits, advances=True)


class _DensePlayer(TimedPlayer):
    """Plays on two items, one of which gets most."""

    def start(self) -> None:
        self.begin(unseen=False)
        assert self.root is not None
        self.items = [self.insert_child(self.root, Step.element("item"), n, None) for n in range(2)]

    def act(self, kind: int, target: int, content: int, value: int) -> None:
        """0 inserts into an item, 1 changes a value, 2 takes something out of an item, 3 makes an item a new one."""
        assert self.root is not None
        item = self.items[target == 7]
        if kind == 0:
            child = self.insert_child(
                item, Step.element(_NAMES[content]), value % (len(item.children) + 1), None
            )
            if target % 2:
                self.insert_child(child, Step.text(), 0, VALUES[value])
        elif kind == 1:
            valued = [node for node in item.subtree() if node.value is not None]
            if valued and content:
                self._update(valued, target, value)
            elif not item.attributes:
                self.insert_attribute(item, VALUES[value])
        elif kind == 2 and item.children:
            self.delete(item.children[value % len(item.children)])
        elif kind == 3 and value == 0:
            self.delete(item)
            self.items[target == 7] = self.insert_child(self.root, Step.element("item"), 0, None)


class DenseBuilder(FullRuleBuilder):
    """Draws an operator over a few leaves, of which one may be none or several."""

    anchors = (*("item",) * 8, "/order/item", "/order")
    bounds = ((0, 1), (0, None), (0, 2), (1, None), (1, 2), (2, 2), (2, 3))
    ends = 5
    inner = 4
    flats = 6
    operations = _OPERATIONS
    windows = _WINDOWS

    def below(self, anchor: PathType) -> dict[str, tuple[str, ...]]:
        below = super().below(anchor)
        return {
            **below,
            "element": tuple(name for name in below["element"] if name.split("/")[-1] != "item" and name),
        }

    def expression(
        self, anchor: PathType, depth: int, context: ContextName, *, joining: str | None = None, plain: bool = False
    ) -> tuple[Expression, Bound]:  # fmt: skip
        drawn, bound = super().expression(anchor, depth, context, joining=joining, plain=plain)
        if joining is None and not plain and isinstance(drawn, Leaf) and self._chance(5):
            repeated = Multiplicity((drawn,), *self._one(self.bounds), Options())
            return self._placed(repeated, anchor), Bound(dict.fromkeys(bound.names, True))
        return drawn, bound

    def kinds(self, *, root: bool) -> list[type[Operator]]:
        kinds: list[type[Operator]] = [Conjunction, Conjunction, Sequence, Sequence, Sequence]
        kinds += [kind for kind in (AnyOf, Relation) if kind.kind in self.wanted]
        return [*kinds, *kinds, *super().kinds(root=root)]

    def _window(self, one_in: int) -> Window | None:
        return self._one(self.windows) if "within" in self.wanted and not self._chance(3) else None

    def _gap(self) -> Window | None:
        return self._one(self.windows) if "gap" in self.wanted and self._chance(2) else None


@st.composite
def dense_rule_sets(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """One or two definitions, small."""
    return draw(
        full_rule_sets(
            constructs=draw(st.sampled_from(_SOME)), max_depth=draw(st.sampled_from((0, 0, 1))),
            max_events=draw(st.sampled_from((1, 1, 2))), builder=DenseBuilder,
        )
    )  # fmt: skip
