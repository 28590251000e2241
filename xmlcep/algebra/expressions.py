"""Expressions over event types, before any event is seen (rules T1, T6): leaves, and what every operator says.

An expression says what a composite event is; it has no state. `xmlcep.language` reads and prints expressions,
`xmlcep.rules` derives path types and checks them, `xmlcep.engine` runs them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, cast

from path_types import PathType, left_bound_intersection

from ..events import EventType
from ..position import NOWHERE, Position
from .options import Options
from .promises import Promise


@dataclass(frozen=True, slots=True)
class Leaf:
    """An event type node: it stores every occurring event of a compatible type (T1, T5)."""

    type: EventType
    at: Position = field(default=NOWHERE, compare=False, repr=False)


class Argument(NamedTuple):
    """A number or string between an operator's brackets, as it stands in the text; None is ``*``."""

    value: int | str | None
    at: Position


Report: TypeAlias = Callable[[Position, str, str], None]
"""Takes a mistake: where it stands, what is wrong, what to write instead."""


class Operator(ABC):
    """The declaration of an operator: all that is to be known of it before it runs.

    A subclass is a frozen dataclass with ``operands``, ``options`` and ``at``, and what stands between its brackets.
    Its running state is the module of `xmlcep.engine.operators` that is called like its ``kind``.

    ``kind`` is its name in labels and messages, ``symbol`` its sign in the event language, ``sign`` the paper's.
    ``rule`` is its rule in the grammar. An *infix* operator stands between its operands, any other before them.
    """

    __slots__ = ()

    kind: ClassVar[str]
    rule: ClassVar[str]
    symbol: ClassVar[str]
    sign: ClassVar[str]
    infix: ClassVar[bool] = False
    fewest: ClassVar[int] = 2
    """How many operands it has at least where it is written down."""

    operands: tuple[Expression, ...]
    options: Options
    at: Position

    @classmethod
    @abstractmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        """The operator that a text says; what is wrong with its arguments is reported and replaced."""

    def with_options(self, options: Options) -> Self:
        """The same with these options instead of its own."""
        return cast("Self", replace(cast("Any", self), options=options))

    def with_operands(self, operands: tuple[Expression, ...]) -> Self:
        """The same of these operands."""
        return cast("Self", replace(cast("Any", self), operands=operands))

    def brackets(self) -> str:
        """Its arguments as they stand behind the symbol: ``[1,*]``."""
        return ""

    @property
    def drawn(self) -> str:
        """How it is drawn: the paper's sign with the arguments."""
        return f"{self.sign}{self.brackets()}"

    @property
    def title(self) -> str:
        """How messages call it."""
        return self.kind

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
        """What is wrong with its arguments, each with what to write instead."""
        yield from ()

    @abstractmethod
    def promise(self, operands: Sequence[Promise]) -> Promise:
        """What is promised of the composites it raises at once, given what its operands promise."""

    @property
    def creates_empty(self) -> bool:
        """Whether it raises an empty composite for a node that is created (M4)."""
        return False

    @property
    def stores_composites(self) -> bool:
        """Whether it keeps what operands raise until that is consumed, silent empties included (M5)."""
        return False

    @property
    def takes_back(self) -> bool:
        """Whether it takes back composites, and wants to know what becomes of them (M1, M3)."""
        return False


Expression: TypeAlias = Leaf | Operator


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


def path_of(expression: Expression) -> PathType | None:
    """The path type of a leaf or operator: as given, else derived (T2); None if it cannot be derived."""
    if isinstance(expression, Leaf):
        return expression.type.path
    if expression.options.path is not None:
        return expression.options.path
    paths = [path for operand in expression.operands if (path := path_of(operand)) is not None]
    return expression.derived_path(paths) if len(paths) == len(expression.operands) else None


def all_promise(operands: Sequence[Promise]) -> Promise:
    """What all operands promise."""
    return reduce(Promise.__and__, operands)
