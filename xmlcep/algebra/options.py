"""The options of operators and events: what is in braces behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from path_types import PathType

from ..position import NOWHERE, Position
from .windows import Window


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
    """The Snoop contexts by name (Q1), and skip till next match (S2)."""

    UNRESTRICTED = "unrestricted"
    RECENT = "recent"
    CHRONICLE = "chronicle"
    CONTINUOUS = "continuous"
    CUMULATIVE = "cumulative"
    NEXT = "next"


SNOOP = frozenset(ContextName) - {ContextName.NEXT}
"""Those of Snoop."""


class Severity(Enum):
    """How much an event matters to whoever reads findings (Y10)."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """Its place, from the least severe on."""
        return list(Severity).index(self)


class Let(NamedTuple):
    """``let name = "expression"``: a variable of the composite from those of its constituents (V1)."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True)
class Options:
    """What is in braces behind an operator; None, empty or False means not given.

    ``guard`` is the option ``if`` (D4). ``places`` says where the values are in the text, by the option's name
    as it is written (``let NAME`` for a variable).
    """

    context: ContextName | None = None
    end: Termination | None = None
    path: PathType | None = None
    when: str | None = None
    guard: str | None = None
    within: Window | None = None
    gap: Window | None = None
    having: str | None = None
    let: tuple[Let, ...] = ()
    by: tuple[str, ...] = ()
    strict: bool = False
    slide: bool = False
    name: str | None = None
    places: Mapping[str, Position] = field(default_factory=dict, compare=False, repr=False, hash=False)

    def place(self, name: str, otherwise: Position) -> Position:
        """Where the value of an option is, if that is known."""
        at = self.places.get(name, NOWHERE)
        return at if at.line else otherwise


NO_OPTIONS = Options()
