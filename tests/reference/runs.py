"""Runs: the context `next`, skip till next match (S2)."""

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
    group: Group,
    run: Run,
    lacking: Callable[[Run], list[int]],
    is_whole: Callable[[list[Entry]], bool],
    admits: Admits,
) -> None:
    """The run takes, as long as there is one, the first entry that was stored after it began, for an operand it lacks;
    it is complete when it lacks none that it needs."""
    while not run.complete:
        for entry in sorted(group.stored, key=lambda entry: entry.number):
            whole = is_whole([*run.entries, entry])
            if (
                entry.number > run.began
                and entry.child in lacking(run)
                and admits([*run.entries, entry], whole)
            ):
                run.entries.append(entry)
                run.complete = whole
                break
        else:
            return
