"""What a constraint is: a small automaton that goes through the events of a combination in order of operand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, ClassVar, NamedTuple, TypeAlias

from ..entry import Entry
from ..group import Group

State: TypeAlias = Any
"""What a constraint remembers of the events before; hashable, so that equal states are looked at once."""


class Refused(Hashable):
    """The state of a constraint that an event violates."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "REFUSED"


REFUSED = Refused()


class Objection(NamedTuple):
    """Why events are no combination, or are not raised: a word for the reason, and the events it is about.

    ``by``: how much too far apart they are, by the measure ``unit`` (the place of it in a `Moment`), where ``most`` is
    what is allowed. ``times`` are time points at which something happened that must not. ``operand``: of which there
    are too many or too few, all of them.
    """

    reason: str
    entries: tuple[Entry, ...] = ()
    by: int = 0
    most: int = 0
    unit: int = 0
    times: tuple[int, ...] = ()
    operand: int | None = None


class Constraint(ABC):
    """A constraint between the events of a combination (Q1).

    It is taken through the events in order of operand, those that take no part left out; so whether a beginning can be
    extended to a combination depends on the constraints' states only, and is found out once for each (Q5).
    ``reason`` is the word for what is wrong with events that it refuses.
    """

    reason: ClassVar[str]

    @abstractmethod
    def begin(self, group: Group) -> State:
        """The state before the first event."""

    @abstractmethod
    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        """The state after operand ``operand``'s event, `REFUSED` if that violates the constraint."""

    def ends(self, group: Group, state: State) -> bool:
        """Whether the combination is complete as far as this constraint goes."""
        return True

    def objection(self, group: Group, state: State, operand: int, entry: Entry) -> Objection:
        """Why `step` refuses this event after those that have led to ``state``."""
        return Objection(self.reason, (entry,))

    def objection_at_end(self, group: Group, state: State) -> Objection:
        """Why `ends` says no."""
        return Objection(self.reason)
