"""The options of operators and events: what stands in braces behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum

from path_types import PathType

from ..position import NOWHERE, Position


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
class Options:
    """What stands in braces behind an operator; None means not given.

    ``places`` says where the values stand in the text, by the option's name.
    """

    context: ContextName | None = None
    end: Termination | None = None
    path: PathType | None = None
    when: str | None = None
    name: str | None = None
    places: Mapping[str, Position] = field(default_factory=dict, compare=False, repr=False, hash=False)

    def given(self) -> dict[str, object]:
        """The options that are given, by name, in the order in which they are printed."""
        return {
            option.name: value
            for option in fields(self)
            if option.compare and (value := getattr(self, option.name)) is not None
        }

    def place(self, name: str, otherwise: Position) -> Position:
        """Where the value of an option stands, if that is known."""
        at = self.places.get(name, NOWHERE)
        return at if at.line else otherwise


NO_OPTIONS = Options()
