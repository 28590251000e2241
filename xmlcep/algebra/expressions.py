"""Expressions over event types, before any event is seen (rules T1, T6): leaves, and what every operator says.

An expression says what a composite event is; it has no state. `xmlcep.language` reads and prints expressions,
`xmlcep.rules` derives path types and checks them, `xmlcep.engine` runs them.

One module because all that an operator can say of itself is declared by one class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeAlias, cast

from path_types import PathType, left_bound_intersection

from ..events import EventType
from ..position import NOWHERE, Position
from .options import ContextName, Options
from .promises import Promise
from .shares import Share, together
from .windows import Window


class Binding(NamedTuple):
    """``as $name`` or ``as $name = (expression)``: a variable of a leaf (V1); no expression: the node's value."""

    name: str
    expression: str | None


class Opaque(NamedTuple):
    """``opaque["language", "text"]``: a leaf takes an event if an engine of that language says so (O1)."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """An event type node: it stores every occurring event of a compatible type (T1, T5) that its filter admits (F1).

    ``name`` is what the operand is called (V10). ``places`` says where filter and expressions are in the text:
    ``filter``, ``as NAME``, ``opaque``.
    """

    type: EventType
    filter: str | None = None
    bindings: tuple[Binding, ...] = ()
    opaque: Opaque | None = None
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    places: dict[str, Position] = field(default_factory=dict, compare=False, repr=False, hash=False)
    name: str | None = None

    def place(self, name: str) -> Position:
        """Where an expression of the leaf is, if that is known; else where the leaf is."""
        return self.places.get(name, self.at)


class Argument(NamedTuple):
    """A number, string or word between an operator's brackets, as it stands in the text; None is ``*``."""

    value: int | str | None
    at: Position


class ParameterKind(Enum):
    """What can be given for a parameter."""

    COUNT = "a whole number"
    BOUND = "a whole number, or * for no bound"
    WINDOW = 'a duration such as "3 days"'
    RELATION = "an interval relation such as during"
    EXPRESSION = "an XPath expression such as not(price)"


class Collected(NamedTuple):
    """``all[lower,upper]`` before the operand at a position: all of it is taken along (A6); upper None: no bound."""

    operand: int
    lower: int
    upper: int | None

    @property
    def bounds(self) -> tuple[int, int | None]:
        """How many events there may be."""
        return self.lower, self.upper

    def __str__(self) -> str:
        return f"all[{self.lower},{'*' if self.upper is None else self.upper}]"


class Parameter(NamedTuple):
    """What an operator has to be given besides its operands; ``name`` is what it is called in XML."""

    name: str
    kind: ParameterKind


Report: TypeAlias = Callable[[Position, str, str], None]
"""Takes a mistake: where it is, what is wrong, what to write instead."""


class Writer(Protocol):
    """Writes parts of an operator in the event language."""

    def expression(self, expression: Expression) -> str:
        """An expression between brackets or commas."""

    def operand(self, expression: Expression) -> str:
        """An operand, in parentheses where they are needed."""

    def quoted(self, text: str) -> str:
        """A string."""


COMMON_OPTIONS = frozenset({"path", "if", "name", "let"})
"""What every operator can have."""
CHOOSING = COMMON_OPTIONS | {"context"}
"""What an operator can have that chooses among what has come (Q1)."""
DEFERRABLE = frozenset({"end", "when"})
"""What an operator can have that can wait (D2 to D4)."""


class Operator(ABC):
    """The declaration of an operator: all that is to be known of it before it runs.

    A subclass is a frozen dataclass with ``operands``, ``options`` and ``at``, and what is between its brackets.
    Its running state is the module of `xmlcep.engine.operators` that is called like its ``kind``.

    ``kind`` is its name in labels and messages, ``symbol`` its sign in the event language, ``sign`` the paper's.
    ``rule`` is its rule in the grammar. An *infix* operator is between its operands, any other before them.
    ``syntax`` is what is behind the symbol, as the grammar writes it; "" for the paper's operators and the infix
    ones, whose rules stand in the grammar themselves.
    ``takes`` are the options it can have, ``contexts`` the contexts in which it can be evaluated.
    """

    __slots__ = ()

    kind: ClassVar[str]
    rule: ClassVar[str]
    symbol: ClassVar[str]
    sign: ClassVar[str]
    syntax: ClassVar[str] = ""
    infix: ClassVar[bool] = False
    takes: ClassVar[frozenset[str]] = CHOOSING | DEFERRABLE
    contexts: ClassVar[frozenset[ContextName]] = frozenset(ContextName)
    fewest: ClassVar[int] = 2
    """How many operands it has at least where it is written down."""
    most: ClassVar[int | None] = None
    """How many at most; None: there is no limit."""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    """What it is given besides operands, in the order of the text (`read` takes the arguments in this order)."""

    aside_words: ClassVar[frozenset[str]] = frozenset()
    """What can be before its operands: ``not`` (A1), ``all`` (A6)."""
    takes_events: ClassVar[bool] = True
    """Whether events arrive in its operands; else these only say which nodes it is about (B1)."""

    operands: tuple[Expression, ...]
    options: Options
    at: Position

    # ---- text -----------------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        """The operator that a text says; what is wrong with its arguments is reported and replaced."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What its parameters are given, as text."""
        return ()

    @property
    def written(self) -> tuple[Expression, ...]:
        """Its operands in the order in which they are written down (`read` takes them so)."""
        return self.operands

    def brackets(self) -> str:
        """Its arguments as they are behind the symbol: ``[1,*]``."""
        return ""

    def notation(self, write: Writer, braces: str) -> str:
        """The operator in the event language, with these options in braces behind it."""
        if self.infix:
            joined = f" {self.infix_sign} ".join(self.written_operands(write))
            return f"({joined}){braces}" if braces else joined
        return f"{self.symbol}{self.brackets()}{braces} {' '.join(map(write.operand, self.operands))}"

    @property
    def infix_sign(self) -> str:
        """What is between the operands of an infix operator."""
        return self.symbol

    def written_operands(self, write: Writer) -> Iterator[str]:
        """The operands of an infix operator as they are beside its sign."""
        return map(write.operand, self.operands)

    def word_before(self, operand: int) -> str:
        """What is before an operand, with a blank behind it."""
        if operand in self.negated:
            return "not "
        return next((f"{each} " for each in self.collected if each.operand == operand), "")

    @property
    def drawn(self) -> str:
        """How it is drawn: the paper's sign with the arguments."""
        return f"{self.sign}{self.brackets()}"

    @property
    def title(self) -> str:
        """How messages call it."""
        return self.kind

    # ---- values ---------------------------------------------------------------------------------------

    def with_options(self, options: Options) -> Self:
        """The same with these options instead of its own."""
        return cast("Self", replace(cast("Any", self), options=options))

    def with_operands(self, operands: tuple[Expression, ...]) -> Self:
        """The same of these operands."""
        return cast("Self", replace(cast("Any", self), operands=operands))

    def standing_aside(self, negated: Sequence[int], collected: Sequence[Collected]) -> Self:
        """The same with these operands aside; only one that has `aside_words` can have any."""
        assert not (negated or collected)
        return self

    # ---- what is known of it beforehand ---------------------------------------------------------------

    def derived_path(self, paths: Sequence[PathType]) -> PathType | None:
        """T2: its path type, given its operands'; None if it cannot be derived."""
        common: PathType | None = paths[0]
        for path in paths[1:]:
            common = left_bound_intersection(common, path)
        return common

    def no_derived_path(self, paths: Sequence[PathType]) -> str:
        """Why there is no path type that could be derived from its operands'."""
        return f"{', '.join(map(str, paths))} have no leading step in common"

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with it by itself, each with what to write instead."""
        yield from ()

    @abstractmethod
    def promise(self, operands: Sequence[Promise]) -> Promise:
        """What is promised of the composites it raises at once, given what its operands promise."""

    @property
    def creates_empty(self) -> bool:
        """Whether it raises an empty composite for a node that is created (M4)."""
        return False

    @property
    def leaves_out(self) -> bool:
        """Whether an operand that may have nothing is left out of its combinations where nothing of it fits (M5)."""
        return False

    @property
    def takes_back(self) -> bool:
        """Whether it takes back composites, and wants to know what becomes of them (M1, M3)."""
        return False

    @property
    def durations(self) -> tuple[Window, ...]:
        """The windows among its arguments."""
        return ()

    @property
    def has_timers(self) -> bool:
        """Whether it can raise because time has passed, without any record of its group (W5)."""
        return False

    @property
    def watches_group(self) -> bool:
        """Whether it has to know of every event in its groups, of whatever type."""
        return False

    @property
    def negated(self) -> tuple[int, ...]:
        """Which operands must not occur (A1); their events never are constituents."""
        return ()

    @property
    def collected(self) -> tuple[Collected, ...]:
        """Of which operands all is taken along, and how much that may be (A6)."""
        return ()

    @property
    def aside(self) -> tuple[int, ...]:
        """The operands of which no event is chosen: those that are negated or collected."""
        return ()

    @property
    def required(self) -> tuple[int, ...]:
        """Which operands have to occur before it can raise anything."""
        return tuple(k for k in range(len(self.operands)) if k not in self.negated)

    def may_raise(self, there: Sequence[bool]) -> bool:
        """Whether it can raise anything where events of operand k ever occur only if ``there[k]``."""
        return all(there[k] for k in self.required)

    def share(self, operands: Sequence[Share], counts: Sequence[int]) -> Share:
        """Y1: how much of it has come to be. ``counts[k]`` is how many events of operand k there are, ``operands[k]``
        how much there is of one more."""
        return together(operands[k].full() if counts[k] else operands[k] for k in self.required)

    def choices(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Y4: operands of which one more event each, in this order, may be enough where there are so many already; the
        shortest first. Whether they are is for the engine to say."""
        missing = tuple(k for k in self.required if not counts[k])
        if missing:
            yield missing
        else:
            yield from ((k,) for k in self.required)  # all of that has been raised: one more of it
        yield self.required

    @property
    def constituent_operands(self) -> tuple[int, ...]:
        """The operands whose events are constituents of its composites."""
        return tuple(k for k in range(len(self.operands)) if k not in self.negated)

    # ---- the names of its operands (V10) --------------------------------------------------------------

    @property
    def operand_names(self) -> tuple[str | None, ...]:
        """What its operands are called, None for those without a name."""
        return tuple(map(name_of, self.operands))

    @property
    def tells_operands_apart(self) -> bool:
        """Whether its entries have to say which operand they are of, as some of several have names."""
        return len(self.operands) > 1 and any(self.operand_names)

    # ---- its variables (V2 to V5) ---------------------------------------------------------------------

    joins: ClassVar[bool] = True
    """Whether a variable that several operands bind has to have one value (V2)."""
    gathers: ClassVar[bool] = False
    """Whether its composites can have several values of a variable of one operand."""
    own_variables: ClassVar[tuple[str, ...]] = ()
    """Variables that it adds to its composites."""

    @property
    def optional_binders(self) -> tuple[int, ...]:
        """The operands that need not bind what the others join by (V4)."""
        return self.negated

    @property
    def turns(self) -> tuple[int, ...]:
        """The operands in the order in which they are fed at a time point (H3): what stands aside first (A1)."""
        others = (k for k in range(len(self.operands)) if k not in self.aside)
        return (*self.aside, *others)


Expression: TypeAlias = Leaf | Operator


class Aside(NamedTuple):
    """``not operand`` or ``all[lower,upper] operand`` as it stands in a text, until the operator above takes it up (A1,
    A5, A6); ``not`` is what has the bounds 0 and 0."""

    operand: Expression
    at: Position
    lower: int = 0
    upper: int | None = 0

    @property
    def word(self) -> str:
        """``not`` or ``all``."""
        return "all" if self.upper != 0 else "not"


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all it is made of, operands before their operator (postorder)."""
    if isinstance(expression, Operator):
        for operand in expression.operands:
            yield from walk(operand)
    yield expression


def operators_of(expression: Expression) -> Iterator[Operator]:
    """The operators in an expression, in postorder."""
    return (part for part in walk(expression) if isinstance(part, Operator))


def leaves_of(expression: Expression) -> Iterator[Leaf]:
    """The leaves of an expression, from left to right."""
    return (part for part in walk(expression) if isinstance(part, Leaf))


def name_of(expression: Expression) -> str | None:
    """What an operand is called, if it has been given a name (V10)."""
    return expression.name if isinstance(expression, Leaf) else expression.options.name


def path_of(expression: Expression) -> PathType | None:
    """The path type of a leaf or operator: as given, else derived (T2); None if it cannot be derived."""
    if isinstance(expression, Leaf):
        return expression.type.path
    if expression.options.path is not None:
        return expression.options.path
    paths = [path for operand in expression.operands if (path := path_of(operand)) is not None]
    return expression.derived_path(paths) if len(paths) == len(expression.operands) else None
