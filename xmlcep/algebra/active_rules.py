"""Rules that act, as values: on an event, if the document is in a state, do actions (rules L1 to L7).

They are called *active rules* where they could be mistaken for the events of a rules file. `xmlcep.language` reads and
prints them, `xmlcep.rules` compiles them, `xmlcep.actions` and `xmlcep.wrapping` run them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from path_types import PathType

from ..position import NOWHERE, Position
from .definition import EventDefinition


class Mode(Enum):
    """How often a rule fires for the events of one occasion (L3)."""

    INSTANCE = "instance"
    """Once for each of them."""
    SET = "set"
    """Once for all of them."""


class Coupling(Enum):
    """When a rule fires (L4)."""

    IMMEDIATE = "immediate"
    """When the edit that caused the event is over."""
    COMMIT = "commit"
    """At the end of the transaction."""


class Where(Enum):
    """Where something is put, seen from the target of an action."""

    FIRST_INTO = "first into"
    LAST_INTO = "last into"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class EventTrigger:
    """``on NAME`` or ``on NAME(path)``: the composites of a defined event, at such nodes if there is a path."""

    name: str
    path: PathType | None = None
    at: Position = field(default=NOWHERE, compare=False, repr=False)


Trigger: TypeAlias = EventTrigger | EventDefinition
"""A defined event, or one of the rule's own, which is called like the rule (L1)."""

Places: TypeAlias = Mapping[str, Position]


@dataclass(frozen=True, slots=True)
class _Written:
    """What all actions have: ``places`` says where their strings are in the text."""

    places: Places = field(default_factory=dict, compare=False, repr=False, hash=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Insert(_Written):
    """``insert "fragment" last into "target"``."""

    word: ClassVar[str] = "insert"
    fragment: str
    where: Where
    target: str


@dataclass(frozen=True, slots=True)
class Delete(_Written):
    """``delete "target"``."""

    word: ClassVar[str] = "delete"
    target: str


@dataclass(frozen=True, slots=True)
class SetValue(_Written):
    """``set "target" = "value"``."""

    word: ClassVar[str] = "set"
    target: str
    value: str


@dataclass(frozen=True, slots=True)
class Replace(_Written):
    """``replace "target" with "fragment"``."""

    word: ClassVar[str] = "replace"
    target: str
    fragment: str


@dataclass(frozen=True, slots=True)
class Move(_Written):
    """``move "source" last into "target"``."""

    word: ClassVar[str] = "move"
    source: str
    where: Where
    target: str


@dataclass(frozen=True, slots=True)
class Call(_Written):
    """``call "name"``: a function of the application."""

    word: ClassVar[str] = "call"
    function: str


@dataclass(frozen=True, slots=True)
class Raise(_Written):
    """``raise NAME("target")``: an external event; without a target at the context node."""

    word: ClassVar[str] = "raise"
    event: str
    target: str | None = None


Action: TypeAlias = Insert | Delete | SetValue | Replace | Move | Call | Raise
ACTIONS: Mapping[str, type[Action]] = MappingProxyType(
    {action.word: action for action in (Insert, Delete, SetValue, Replace, Move, Call, Raise)}
)
"""The actions by the words that they begin with."""


def parts_of_action(action: type[Action]) -> tuple[str, ...]:
    """What an action consists of, in the order in which it is written."""
    return tuple(field.name for field in fields(action) if field.name != "places")


@dataclass(frozen=True, slots=True)
class ActiveRule:
    """``rule NAME on trigger {options} if "condition" do actions``.

    ``mode`` None: as L3 says. ``places`` says where the strings are in the text: ``if``.
    """

    name: str
    trigger: Trigger
    actions: tuple[Action, ...]
    condition: str | None = None
    priority: int = 0
    mode: Mode | None = None
    coupling: Coupling = Coupling.IMMEDIATE
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    places: Places = field(default_factory=dict, compare=False, repr=False, hash=False)

    def place(self, name: str) -> Position:
        """Where a string of the rule is, if that is known; else where its name is."""
        return self.places.get(name, self.at)
