"""Runs: what context next has begun in a group and not yet completed (rule S2)."""

from __future__ import annotations

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
    """``members`` in the order in which it took them; the first began it.

    ``chosen`` is what it has by operand, None where it has nothing.
    """

    __slots__ = ("chosen", "is_complete", "members")

    def __init__(self, member: Member, operands: int) -> None:
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
    """The runs of a group, in the order in which they began; what no run has is not stored.

    ``used`` are the events that have been consumed and that other runs still have.
    """

    __slots__ = ("open", "used")

    def __init__(self) -> None:
        self.open: list[Run] = []
        self.used: set[tuple[int, int]] = set()

    def has_complete(self) -> bool:
        """Whether any run is complete."""
        for run in self.open:  # noqa: SIM110 - it is asked at every arrival, and a generator costs more
            if run.is_complete:
                return True
        return False

    def held(self) -> set[tuple[int, int]]:
        """The members of all runs."""
        return {member.identity for run in self.open for member in run.members}
