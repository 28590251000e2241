"""Runs: the context `next`, skip till next match (S2, Z21)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .events import Entry, Group

Admits = Callable[[list[Entry], bool], bool]
"""Whether these entries, the last one just added, satisfy the constraints; whether that makes the run complete."""


@dataclass(eq=False)
class Run:
    """The entries it has, in the order in which it took them; ``began`` is the number of the first."""

    began: int
    entries: list[Entry] = field(default_factory=list)
    complete: bool = False

    @property
    def combination(self) -> list[Entry]:
        """Its entries in order of their operands."""
        return sorted(self.entries, key=lambda entry: entry.child)


def prune(group: Group) -> None:
    """What was withdrawn leaves its run, and what is behind it leaves with it; a run of nothing is none."""
    for run in group.runs:
        for index, entry in enumerate(run.entries):
            if entry.withdrawn:
                run.entries = run.entries[:index]
                run.complete = False
                break
    group.runs = [run for run in group.runs if run.entries]


def go_on(
    group: Group, run: Run, lacking: Callable[[Run], list[int]], width: int, admits: Admits, *, ordered: bool
) -> None:
    """The run takes, as long as there is one, the first entry that was stored after it began, for an operand it lacks.

    ``ordered``: it is of a sequence, in which an empty one may have been stored before, and a silent one counts (Z21).
    """
    while not run.complete:
        for entry in sorted(group.stored, key=lambda entry: entry.number):
            if ordered:
                later = entry.number > run.began or entry.empty
            else:
                later = entry.number > run.began and not entry.silent
            last = len(run.entries) + 1 == width
            if later and entry.child in lacking(run) and admits([*run.entries, entry], last):
                run.entries.append(entry)
                run.complete = last
                break
        else:
            return
