"""Runs: what context next has begun in a group and not yet completed (rule S2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .entry import Combination, Entry


class Member(NamedTuple):
    """A stored event, with the operand in which it is stored."""

    operand: int
    entry: Entry

    @property
    def identity(self) -> tuple[int, int]:
        """This very entry in this very operand: equal ones, and one in two operands, are different members."""
        return self.operand, id(self.entry)


class Run:
    """``members`` in the order in which it took them; the first began it, as the event stored with number ``began``.

    ``chosen`` is what it has by operand, None where it has nothing.
    """

    __slots__ = ("began", "chosen", "is_complete", "members")

    def __init__(self, began: int, member: Member, operands: int) -> None:
        self.began = began
        self.members: list[Member] = []
        self.chosen: list[Entry | None] = [None] * operands
        self.is_complete = False
        self.take(member)

    def take(self, member: Member) -> None:
        """It has one more."""
        self.members.append(member)
        self.chosen[member.operand] = member.entry

    def with_(self, member: Member) -> list[Entry | None]:
        """What it would have with one more, by operand."""
        chosen = self.chosen.copy()
        chosen[member.operand] = member.entry
        return chosen

    def combination(self) -> Combination:
        """What it has, by operand."""
        return tuple(self.chosen)

    def lacks(self, operand: int) -> bool:
        """Whether it has nothing of this operand."""
        return self.chosen[operand] is None

    def leave(self, gone: Member) -> None:
        """A member leaves, with those behind it."""
        for index, member in enumerate(self.members):
            if member.identity == gone.identity:
                for left in self.members[index:]:
                    self.chosen[left.operand] = None
                del self.members[index:]
                self.is_complete = False
                return


class Runs:
    """The runs of a group, in the order in which they began.

    ``only_new`` says that what no run takes when it is stored, none ever will. ``taken_back[k]`` says that what
    operand k stores can be withdrawn (M1): it stays until it is consumed, for whoever raised it asks whether it is
    there (Z3). ``used`` are the events that have been consumed and that other runs still have.
    """

    __slots__ = ("_last", "_numbers", "only_new", "open", "taken_back", "used")

    def __init__(self, *, only_new: bool, taken_back: Sequence[bool]) -> None:
        self.only_new = only_new
        self.taken_back = taken_back
        self.open: list[Run] = []
        self.used: set[tuple[int, int]] = set()
        self._numbers: dict[tuple[int, int], int] = {}
        self._last = 0

    def add(self, member: Member) -> int:
        """An event is stored; returns its number in the order of storing."""
        self._last += 1
        self.used.discard(member.identity)  # that of a former one
        self._numbers[member.identity] = self._last
        return self._last

    def number(self, member: Member) -> int:
        """In which order it was stored."""
        return self._numbers[member.identity]

    def forget_others(self, known: set[tuple[int, int]]) -> None:
        """Forgets what is neither stored nor in a run."""
        self.used &= known
        self._numbers = {identity: number for identity, number in self._numbers.items() if identity in known}

    def has_complete(self) -> bool:
        """Whether any run is complete."""
        for run in self.open:  # noqa: SIM110 - it is asked at every arrival, and a generator costs more
            if run.is_complete:
                return True
        return False

    def held(self) -> set[tuple[int, int]]:
        """The members of all runs."""
        return {member.identity for run in self.open for member in run.members}
