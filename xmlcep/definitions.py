"""Event definitions as values: expressions over event types, before any event is seen (rules T1, T6).

A definition says what a composite event is; it has no state. `xmlcep.language` reads and prints
definitions, `xmlcep.rules.trees` derives path types and checks them, `xmlcep.engine` runs them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, TypeAlias

from path_types import PathType

from .events import EventType


class Termination(Enum):
    """When an operator raises a composite that has become possible (D1 to D3)."""

    EARLIEST = "earliest"
    NON_LOCAL = "non-local"
    CUSTOM = "custom"


class Order(Enum):
    """What "before" means to a sequence (H2, E5)."""

    INTERVAL = "interval"
    DETECTION = "detection"


class ContextName(Enum):
    """The Snoop contexts by name (H4, H5)."""

    UNRESTRICTED = "unrestricted"
    RECENT = "recent"
    CHRONICLE = "chronicle"
    CONTINUOUS = "continuous"
    CUMULATIVE = "cumulative"


@dataclass(frozen=True, slots=True)
class Position:
    """Where something stands in a rules text: line and column from 1, width in characters."""

    line: int = 0
    column: int = 0
    width: int = 1


NOWHERE = Position()


@dataclass(frozen=True, slots=True)
class Options:
    """What stands in braces behind an operator; None means not given.

    ``when_at`` and ``path_at`` are where the condition and the path type stand in the text.
    """

    context: ContextName | None = None
    end: Termination | None = None
    path: PathType | None = None
    when: str | None = None
    name: str | None = None
    when_at: Position = field(default=NOWHERE, compare=False, repr=False)
    path_at: Position = field(default=NOWHERE, compare=False, repr=False)


NO_OPTIONS = Options()


@dataclass(frozen=True, slots=True)
class Leaf:
    """An event type node: it stores every occurring event of a compatible type (T1, T5)."""

    type: EventType
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Conjunction:
    """``a & b & …``: all operands have occurred, in any order (H4)."""

    kind: ClassVar[str] = "conjunction"
    symbol: ClassVar[str] = "&"
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """``a ; b ; …``: all operands have occurred, each before the next (H5)."""

    kind: ClassVar[str] = "sequence"
    symbol: ClassVar[str] = ";"
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """``a | b | …``: any operand has occurred (H6). With one operand: an event that is a single leaf."""

    kind: ClassVar[str] = "disjunction"
    symbol: ClassVar[str] = "|"
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Multiplicity:
    """``x[l,u] a``: ``lower`` to ``upper`` (None: unbounded) occurrences of the operand (M1 to M6)."""

    kind: ClassVar[str] = "multiplicity"
    symbol: ClassVar[str] = "x"
    operand: Expression
    lower: int
    upper: int | None
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The one operand, as the other operators give theirs."""
        return (self.operand,)


Operator: TypeAlias = Conjunction | Sequence | Disjunction | Multiplicity
Expression: TypeAlias = Leaf | Operator


@dataclass(frozen=True, slots=True)
class EventDefinition:
    """``event NAME {context, flat, order} = expression``: a named composite event type.

    ``expression`` is always an operator: a definition that is a single leaf has a disjunction of that one
    leaf. The path type written behind the name, and ``end`` and ``when`` of the event, stand in the options
    of that root operator.
    """

    name: str
    expression: Operator
    context: ContextName = ContextName.CHRONICLE
    flat: bool = False
    order: Order = Order.INTERVAL
    at: Position = field(default=NOWHERE, compare=False, repr=False)
