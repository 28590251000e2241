"""Becoming true ``becomes["expression"](path)``: at a node an expression has turned true (B1 to B4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from path_types import PathType

from ...events import ANY, PrimitiveType, Scope
from ...position import NOWHERE, Position
from ..expressions import (
    COMMON_OPTIONS,
    Argument,
    Expression,
    Leaf,
    Operator,
    Parameter,
    ParameterKind,
    Report,
    Writer,
)
from ..options import NO_OPTIONS, Options, Termination
from ..promises import ALL, Promise
from ..shares import Share


@dataclass(frozen=True, slots=True)
class Becomes(Operator):
    """``becomes["test"](path)``: an edit has made an expression true at such an element (B1).

    Its one operand, the ``subject``, says at which elements, with filter and variables (B2); no event arrives there.
    ``test_at`` is where the expression is in the text.
    """

    kind: ClassVar[str] = "becomes"
    rule: ClassVar[str] = "becomes"
    symbol: ClassVar[str] = "becomes"
    syntax: ClassVar[str] = '"[" STRING "]" [options] subject'
    sign: ClassVar[str] = "becomes"
    takes: ClassVar[frozenset[str]] = COMMON_OPTIONS | {"end"}
    fewest: ClassVar[int] = 1
    most: ClassVar[int | None] = 1
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("test", ParameterKind.EXPRESSION),)
    takes_events: ClassVar[bool] = False
    operands: tuple[Expression, ...]
    test: str
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    test_at: Position = field(default=NOWHERE, compare=False, repr=False)

    @property
    def subject(self) -> Leaf:
        """The one operand."""
        (subject,) = self.operands
        assert isinstance(subject, Leaf)
        return subject

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        (subject,) = operands
        (test,) = arguments
        assert isinstance(test.value, str)
        if not isinstance(subject, Leaf) or not _is_of_nodes(subject):
            problem = "becomes takes the path of an element, not an operation, an event or a scope (B1)"
            report(subject.at, problem, 'write a path: becomes["not(price)"](order/item)')
            subject = Leaf(PrimitiveType(ANY, PathType.parse("any")))
        return cls((subject,), test.value, options, at, test.at)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.test,)

    def brackets(self) -> str:
        return f"[{self.test}]"

    def notation(self, write: Writer, braces: str) -> str:
        subject = write.expression(self.subject).removeprefix(ANY)
        return f"{self.symbol}[{write.quoted(self.test)}]{braces}{subject}"

    def derived_path(self, paths: Sequence[PathType]) -> PathType | None:
        """B2: that of the elements."""
        return self.subject.type.path

    def problems(self) -> Iterator[tuple[str, str]]:
        path = self.subject.type.path
        if not path.last.is_element:
            yield (
                f"becomes takes the path of an element, and {path} is none (B1)",
                f"ask at the element above it: {path.parent or 'item'}",
            )
        if self.options.path not in (None, path):
            yield (
                f"becomes is about the element that it asks, {path}, not about {self.options.path} (B2)",
                "leave the path out",
            )
        if self.options.end is Termination.NON_LOCAL:
            yield (
                "becomes has no end=non-local (B3)",
                "it is evaluated at the end of an edit, or with end=custom of a transaction",
            )

    @property
    def required(self) -> tuple[int, ...]:
        """Nothing has to occur in its operand."""
        return ()

    def share(self, operands: Sequence[Share], counts: Sequence[int]) -> Share:
        """One is needed."""
        return Share(min(1, sum(counts)), 1)

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return ALL


def _is_of_nodes(leaf: Leaf) -> bool:
    return leaf.opaque is None and leaf.type == PrimitiveType(ANY, leaf.type.path, Scope.NODE)
