"""Runs: the context `next`, skip till next match (S2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .events import Entry, Group

Admits = Callable[[list[Entry], bool], bool]
"""Whether these entries, the last one just added, satisfy the constraints; whether that makes the run complete."""


@dataclass(eq=False)
class Run:
    """The entries it has, in the order in which it took them."""

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
    run: Run,
    arrival: Entry,
    lacking: Callable[[Run], list[int]],
    is_whole: Callable[[list[Entry]], bool],
    admits: Admits,
) -> None:
    """The run takes an event when it arrives, or never: of an operand it lacks, if the constraints admit it. It is
    complete when it lacks none that it needs."""
    whole = is_whole([*run.entries, arrival])
    if not run.complete and arrival.child in lacking(run) and admits([*run.entries, arrival], whole):
        run.entries.append(arrival)
        run.complete = whole
