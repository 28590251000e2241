"""The syntax tree of an expression: frozen values that know where they are.

Names are resolved, ``//`` is ``/descendant-or-self::node()/``, ``..`` and ``.`` are steps, functions have their context
node as an argument (``string()`` is ``string(.)``), and operators of one level that follow each other are one node,
so a long expression is wide and not deep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from path_types.names import clark_name


class Span(NamedTuple):
    """Where something is in the text of the expression: what an error marks."""

    start: int
    width: int


class Axis(Enum):
    """The axes of XPath 1.0 but ``namespace``."""

    CHILD = "child"
    DESCENDANT = "descendant"
    DESCENDANT_OR_SELF = "descendant-or-self"
    SELF = "self"
    ATTRIBUTE = "attribute"
    PARENT = "parent"
    ANCESTOR = "ancestor"
    ANCESTOR_OR_SELF = "ancestor-or-self"
    FOLLOWING = "following"
    FOLLOWING_SIBLING = "following-sibling"
    PRECEDING = "preceding"
    PRECEDING_SIBLING = "preceding-sibling"


class NameTest(NamedTuple):
    """Elements (on the attribute axis: attributes) of a namespace and local name; None: any."""

    uri: str | None
    local: str | None

    @property
    def name(self) -> str | None:
        """The one name that it asks for, in Clark notation; None if there can be others."""
        return None if self.uri is None or self.local is None else clark_name(self.uri, self.local)


class NodeTest(Enum):
    """A kind of node."""

    NODE = "node()"
    TEXT = "text()"


Test: TypeAlias = NameTest | NodeTest


class Root(Enum):
    """Where a path starts that does not start at the context node of the place where it is written."""

    ROOT = "/"
    CURRENT = "current()"
    """The context node of the whole expression, in predicates, too."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A string."""

    value: str
    at: Span


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    value: float
    at: Span


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``; ``name`` is without the ``$``."""

    name: str
    at: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments."""

    function: str
    arguments: tuple[Syntax, ...]
    at: Span


@dataclass(frozen=True, slots=True)
class Negation:
    """One minus or more before an operand; ``negative`` if their number is odd."""

    operand: Syntax
    negative: bool
    at: Span


@dataclass(frozen=True, slots=True)
class Operation:
    """Operands joined from left to right by operators of one level: ``a - b + c``."""

    first: Syntax
    rest: tuple[tuple[str, Syntax], ...]
    at: Span


@dataclass(frozen=True, slots=True)
class Union:
    """``a | b``."""

    operands: tuple[Syntax, ...]
    at: Span


@dataclass(frozen=True, slots=True)
class Filter:
    """Predicates of something that is not a step: ``$v[1]``, ``(a | b)[last()]``."""

    operand: Syntax
    predicates: tuple[Syntax, ...]
    at: Span


@dataclass(frozen=True, slots=True)
class Step:
    """``axis::test[predicate]…``."""

    axis: Axis
    test: Test
    predicates: tuple[Syntax, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the context node (``start`` is None), from the root, or from what an expression selects."""

    start: Syntax | Root | None
    steps: tuple[Step, ...]
    at: Span

    @property
    def is_context(self) -> bool:
        """Whether it is ``.`` alone."""
        return self.start is None and self.steps == (CONTEXT_STEP,)


Syntax: TypeAlias = Literal | Number | Variable | Call | Negation | Operation | Union | Filter | Path

CONTEXT_STEP = Step(Axis.SELF, NodeTest.NODE)
BOOLEAN_OPERATORS = frozenset({"or", "and", "=", "!=", "<", "<=", ">", ">="})


def compared_in(syntax: Syntax) -> Iterator[Syntax]:
    """The parts of a truth: what its comparisons compare, and what is asked for its own truth; no literals."""
    match syntax:
        case Operation() if syntax.rest[0][0] in BOOLEAN_OPERATORS:
            for operand in (syntax.first, *(operand for _, operand in syntax.rest)):
                yield from compared_in(operand)
        case Call() if syntax.function in ("not", "boolean"):
            for argument in syntax.arguments:
                yield from compared_in(argument)
        case Literal() | Number():
            pass
        case _:
            yield syntax


def variables_in(syntax: Syntax | Step) -> Iterator[Variable]:
    """All references to variables, from left to right."""
    if isinstance(syntax, Variable):
        yield syntax
    for part in _parts(syntax):
        yield from variables_in(part)


def parts_of(syntax: Syntax | Step) -> Iterator[Syntax]:
    """An expression and all expressions in it, from left to right."""
    if not isinstance(syntax, Step):
        yield syntax
    for part in _parts(syntax):
        yield from parts_of(part)


def paths_from_variables_in(syntax: Syntax | Step) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The steps of paths that start at a variable, each with the variable's name: ``$parts/parts/part``."""
    if isinstance(syntax, Path) and isinstance(syntax.start, Variable):
        yield syntax.start.name, syntax.steps
    for part in _parts(syntax):
        yield from paths_from_variables_in(part)


def _parts(syntax: Syntax | Step) -> tuple[Syntax | Step, ...]:
    match syntax:
        case Step():
            return syntax.predicates
        case Call():
            return syntax.arguments
        case Negation():
            return (syntax.operand,)
        case Operation():
            return (syntax.first, *(operand for _, operand in syntax.rest))
        case Union():
            return syntax.operands
        case Filter():
            return (syntax.operand, *syntax.predicates)
        case Path():
            start = () if syntax.start is None or isinstance(syntax.start, Root) else (syntax.start,)
            return (*start, *syntax.steps)
    return ()


def same_focus(syntax: Syntax) -> tuple[Syntax, ...]:
    """The parts of an expression that are evaluated with the same context node as it is."""
    match syntax:
        case Filter(operand):
            return (operand,)
        case Path(start):
            return () if start is None or isinstance(start, Root) else (start,)
    return _parts(syntax)  # type: ignore[return-value]  # only paths have steps


def starts_at_context(syntax: Syntax) -> bool:
    """Whether a path that is in no predicate starts at the context node."""
    if isinstance(syntax, Path) and syntax.start in (None, Root.CURRENT):
        return True
    return any(map(starts_at_context, same_focus(syntax)))


def is_constant(syntax: Syntax) -> bool:
    """Whether the value is always the same: it asks for no variable, no node, and no place in a list."""
    return all(
        isinstance(part, Literal | Number | Negation | Operation)
        or (isinstance(part, Call) and part.function not in ("last", "position", "lang"))
        for part in parts_of(syntax)
    )
