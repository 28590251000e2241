"""Random rules of one operator with one constraint, and histories in which most events lie at the edge of that.

What is exactly as far apart as a window or a gap lets it (W3, W4, A2, Q4, A1), what happens at the very moment at
which a candidate is due (A3, W5), between neighbours that touch (S3): `dense` has all of it, and among so much else
that a ``<`` in the place of a ``<=`` is seldom seen. Here rules are as small as the constraint allows, all leaves take
what is inserted into one item, time goes on by what windows are made of, and several arrive at once, late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import count

from hypothesis import strategies as st

from path_types import PathType, Step
from xmlcep.algebra import (
    Binding,
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Options,
    Order,
    Plus,
    Relation,
    Sequence,
    Termination,
    Unit,
    Window,
)
from xmlcep.events import PrimitiveType

from .choices import Choices
from .histories import History
from .meaningful import with_meaning
from .timed import TimedPlayer
from .vocabulary import RELATIONS

_ITEM = PathType.parse("item")
_PRICE, _QUANTITY, _COMMENT, _ANY_PRICE = (
    PrimitiveType(operation, PathType.parse(f"item/{name}"))
    for operation, name in (("ins", "price"), ("ins", "quantity"), ("ins", "comment"), ("*", "price"))
)
_SECOND = 1_000_000
_WINDOWS = (
    *(Window(n * _SECOND, Unit.TIME) for n in (1, 1, 2)),
    *(Window(n, Unit.CHANGES) for n in (1, 2, 3, 4)),
    *(Window(n, Unit.TRANSACTIONS) for n in (1, 2)),
)
_WIDE = (*(Window(n * _SECOND, Unit.TIME) for n in (2, 3)), *(Window(n, Unit.CHANGES) for n in (3, 5, 7)))
_BOUNDS = ((0, 1), (0, None), (1, 1), (1, 2), (1, None), (2, 2), (2, 3), (2, None))
_COUNTED = ((0, 2), (1, 1), (1, 2), (2, 2), (2, 2), (2, 3), (2, None), (3, 3))
_HAVING = ("count(${0}) mod 2 = 0", "sum(${0}) > 0", "${0}[1] = 1", "${0}[last()] = 0", "count(${0}) > 2")
_ENDS = (Termination.CUSTOM, Termination.NON_LOCAL)


class _Edge(Choices):
    """Draws one definition."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__(draw)
        self.names = (f"v{n}" for n in count(1))
        self.flat = self._chance(8)
        self.context = self._one(ContextName)

    def definition(self, name: str, kinds: Iterable[Callable[[_Edge], Operator]]) -> EventDefinition:
        """A definition of one of the kinds."""
        expression = self._one(kinds)(self)
        order = self._one((Order.INTERVAL, Order.INTERVAL, Order.DETECTION))
        return with_meaning(EventDefinition(name, expression, self.context, self.flat, order))

    # What is asked

    def near(self) -> Operator:
        """W4."""
        gap, within = self._one(_WINDOWS), self._one((None, None, *_WIDE))
        return Sequence(self._operands((2, 2, 3)), Options(path=_ITEM, gap=gap, within=within))

    def contiguous(self) -> Operator:
        """S3."""
        within = self._one((None, None, *_WIDE))
        return Sequence(self._operands((2, 2, 3)), Options(path=_ITEM, strict=True, within=within))

    def without(self) -> Operator:
        """A1, A2."""
        operands = self._operands((1, 2, 2, 3))
        place = self._one(range(len(operands)))
        absent = (*operands[:place], self._absent(), *operands[place:])
        return Sequence(absent, Options(path=_ITEM, within=self._one((None, *_WINDOWS))), negated=(place,))

    def followed(self) -> Operator:
        """A3, W5, with candidates of one operand or two; perhaps something must not lie in between, either."""
        if self._chance(2):
            self.context = ContextName.CUMULATIVE
        operands = (*self._operands((1, 2)), self._absent())
        negated: tuple[int, ...] = (len(operands) - 1,)
        if len(operands) == 3 and self._chance(4):
            operands, negated = (operands[0], self._absent(), *operands[1:]), (1, 3)
        options = Options(path=_ITEM, within=self._one((*_WINDOWS, *_WIDE)))
        if self._chance(4):
            options = Options(path=_ITEM, end=Termination.CUSTOM if self.flat else self._one(_ENDS))
        return Sequence(operands, options, negated=negated)

    def within(self) -> Operator:
        """W3, Q4: multiplicities below have windows of their own, wider ones."""
        operands = tuple(
            self._several(self._leaf(), within=self._one((None, *_WINDOWS, *_WIDE)))
            if self._chance(2)
            else self._operand()
            for _ in range(2)
        )
        made: Operator = self._one((Conjunction, Sequence))(
            operands, Options(path=_ITEM, within=self._one(_WINDOWS))
        )
        return made

    def accumulated(self) -> Operator:
        """W3, S4."""
        lower, upper = self._one(_BOUNDS)
        slide = upper is not None and self._chance(3)
        options = Options(path=_ITEM, within=self._one(_WINDOWS), slide=slide)
        return Multiplicity((self._operand(),), lower, upper, options)

    def whole(self) -> Operator:
        """V6, Q5."""
        name = next(self.names)
        operands = (self._leaf(name), self._several(self._leaf()) if self._chance(3) else self._leaf())
        if not self._chance(3):
            self.context = ContextName.CUMULATIVE
        having = str(self._one(_HAVING)).format(name)
        made: Operator = self._one((Conjunction, Sequence))(
            operands, Options(path=_ITEM, within=self._one(_WINDOWS), having=having)
        )
        return made

    def related(self) -> Operator:
        """R1."""
        operands = (self._both() if self._chance(2) else self._operand() for _ in range(2))
        options = Options(path=_ITEM, within=self._one((None, *_WINDOWS)))
        return Relation(tuple(operands), self._one(RELATIONS), options)

    def later(self) -> Operator:
        """W5, W7: what is due meets what is due, and what happens then."""
        plus = Plus((self._operand(),), Window(self._one((1, 2)) * _SECOND, Unit.TIME), Options(path=_ITEM))
        window = self._one(_WINDOWS)
        if self._chance(2):
            return Sequence((self._leaf(), plus), Options(path=_ITEM, gap=window))
        return Conjunction((plus, self._operand()), Options(path=_ITEM, within=window))

    # Of what

    def _leaf(self, name: str | None = None) -> Leaf:
        type_ = self._one((_PRICE, _PRICE, _PRICE, _QUANTITY, _QUANTITY, _ANY_PRICE))
        return Leaf(type_, bindings=() if name is None else (Binding(name, "$ts mod 2"),))

    def _operand(self) -> Expression:
        """A leaf, mostly; several of it; two that are one interval; one that comes late."""
        way = self._one(range(9))
        if way < 4:
            return self._leaf()
        if way < 6:
            return self._several(self._leaf())
        return self._both() if way < 8 else self._late(self._leaf())

    def _operands(self, sizes: tuple[int, ...]) -> tuple[Expression, ...]:
        return tuple(self._operand() for _ in range(self._one(sizes)))

    def _several(self, operand: Expression, within: Window | None = None) -> Multiplicity:
        return Multiplicity((operand,), *self._one(_BOUNDS), Options(path=_ITEM, within=within))

    def _both(self, one: Leaf | None = None) -> Operator:
        return Conjunction((one or self._leaf(), self._leaf()), Options(path=_ITEM))

    def _late(self, leaf: Leaf) -> Operator:
        return Disjunction((leaf,), Options(path=_ITEM, end=Termination.CUSTOM))

    def _absent(self) -> Expression:
        """What must not occur: a leaf; several of it by number, value and time; what takes a while; what is late."""
        leaf = Leaf(self._one((_COMMENT, _COMMENT, _QUANTITY)))
        way = self._one(range(8))
        if way < 2:
            return leaf
        if way < 4:
            return self._both(leaf) if way == 2 else self._late(leaf)
        lower, upper = self._one(_COUNTED)
        within = self._one((None, *_WINDOWS)) if self._chance(2) else None
        if way > 5:
            return Multiplicity((leaf,), lower, upper, Options(path=_ITEM, within=within))
        name = next(self.names)
        options = Options(path=_ITEM, within=within, having=str(self._one(_HAVING)).format(name))
        if lower > 0 and way == 5:
            options = Options(path=_ITEM, within=within, by=(name,))
        leaf = Leaf(leaf.type, bindings=(Binding(name, "$ts mod 2"),))
        return Multiplicity((leaf,), lower, upper, options)


_KINDS: tuple[Callable[[_Edge], Operator], ...] = (
    _Edge.near, _Edge.contiguous, _Edge.without, _Edge.followed, _Edge.within, _Edge.accumulated, _Edge.whole,
    _Edge.related, _Edge.later,
)  # fmt: skip
EDGES = tuple(kind.__name__ for kind in _KINDS)
"""What a definition can be about."""


@st.composite
def edge_rule_sets(draw: st.DrawFn, *, about: str | None = None) -> tuple[EventDefinition, ...]:
    """One definition; ``about``: one of `EDGES`."""
    kinds = tuple(kind for kind in _KINDS if about in (None, kind.__name__))
    return (_Edge(draw).definition("E0", kinds),)


# What is done, and how many seconds later; all in one draw, because most of what an example costs are draws.
_DONE = ("price", "price", "price", "quantity", "quantity", "comment", "both", "out", "beside", "new")
_MOVES = (
    *((done, later) for done in _DONE for later in (0, 0, 1, 1, 2)),
    *[("transaction", 0)] * 6, *[("flush", 0)] * 3, ("time", 1), ("time", 1), ("time", 2), ("time", -1),
)  # fmt: skip


@st.composite
def edge_histories(draw: st.DrawFn, *, max_edits: int = 24, doc: str = "doc") -> History:
    """A random history of one item after the other, into which something is inserted again and again."""
    player = _EdgePlayer(doc, 1, edits=True)
    player.start()
    for done, later in draw(_moves(max_edits)):
        if done == "transaction":
            player.transaction_or_flush(0)
        elif done == "flush":
            player.flush()
        elif done == "time":
            player.say_time(later * 1000)
        else:
            player.edit(later * 1000, None, [(done,)], 0)
    return player.history()


@cache
def _moves(most: int) -> st.SearchStrategy[list[tuple[str, int]]]:
    return st.lists(st.sampled_from(_MOVES), min_size=6, max_size=most)


class _EdgePlayer(TimedPlayer):
    """Plays on an item; what is inserted there comes in edits of one record, or of two."""

    def start(self) -> None:
        self.begin(unseen=False)
        self.act("new")

    def flush(self) -> None:
        """Also within a transaction."""
        self.steps.append("flush")

    def act(self, done: str) -> None:  # type: ignore[override]
        assert self.root is not None
        if done == "new":
            self.item = self.insert_child(self.root, Step.element("item"), 0, None)
        elif done == "beside":
            self.insert_child(self.root, Step.element("billTo"), 0, None)
        elif done == "both":
            self.act("price")
            self.act("quantity")
        elif done != "out":
            self.insert_child(self.item, Step.element(done), 0, None)
        elif self.item.children:
            self.delete(self.item.children[-1])
