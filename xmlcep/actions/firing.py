"""Firings: a rule, what triggered it, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from path_types import PathType

from ..events import CompositeEvent, PrimitiveEvent
from ..rules.rule_programs import RuleProgram


class Anchor(NamedTuple):
    """For which node a composite fires: a path instance, which was there at the trigger. Where the composite's own
    node was
    deleted ``deleted`` is its path as text (L1)."""

    path: PathType
    ids: tuple[int, ...]
    deleted: str | None = None


@dataclass(slots=True, eq=False)
class Firing:
    """A rule that is triggered, by one composite or (set mode) by several, each with its anchor.

    ``owner`` is its rule set as it runs on the document; ``depth`` how many firings led to it, itself included, the
    last of them ``parent``.
    """

    rule: RuleProgram
    owner: Any
    composites: list[CompositeEvent]
    anchors: list[Anchor]
    depth: int
    parent: Firing | None = None

    @property
    def priority(self) -> int:
        """That of the rule: higher goes first (L5)."""
        return self.rule.definition.priority

    @property
    def order(self) -> int:
        """The place of the rule among all that are open on the document."""
        first: int = self.owner.first
        return first + self.rule.index

    @property
    def ts(self) -> int:
        """The time point of the trigger: the last, if there are several."""
        return self.composites[-1].cause.ts

    def __str__(self) -> str:
        first = self.composites[0]
        more = f" and {len(self.composites) - 1} more" if len(self.composites) > 1 else ""
        return f"{self.rule.name}, triggered by {first.name}({first.instance}) at {first.cause.ts}{more}"


def cycle_of(firing: Firing) -> tuple[list[str], list[str]]:
    """The rules of the cycle that a firing ends, in the order in which they trigger each other, with their firings."""
    chain = [firing]
    step = firing.parent
    while step is not None and step.rule is not firing.rule:
        chain.append(step)
        step = step.parent
    members = chain if step is None else [*chain[1:], step]
    members.reverse()
    return [each.rule.name for each in members], [str(each) for each in members]


@dataclass(frozen=True, slots=True)
class FiringRecord:
    """The record of a firing, given away when it is over: to ``on_fire``, and to functions that its rule calls.

    ``ts`` is the time point of the trigger, ``depth`` how many firings led to it, itself included; ``events`` are the
    composites that triggered it, ``bindings`` their variables, ``edits`` the events of what it did, ``raised`` the
    external events that it raised; ``counts`` says of each action to how many nodes it was done.
    """

    rule: str
    ts: int
    depth: int
    events: tuple[CompositeEvent, ...]
    bindings: Mapping[str, Any] = field(default_factory=dict)
    edits: tuple[PrimitiveEvent, ...] = ()
    raised: tuple[CompositeEvent, ...] = ()
    counts: tuple[int, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """The firing as plain data, as ``apply --format json`` prints it; events as records and findings."""
        return {
            "rule": self.rule, "ts": self.ts, "depth": self.depth,
            "events": [event.to_record() for event in self.events],
            "edits": [event.to_record() for event in self.edits],
            "raised": [event.to_record() for event in self.raised],
            "counts": list(self.counts),
        }  # fmt: skip

    def __str__(self) -> str:
        first = self.events[0]
        where = first.instance
        return f"{self.rule}({where}) at {self.ts}: {len(self.edits)} changes"


@dataclass(slots=True)
class FiringCounts:
    """What became of the firings of a rule set: ``fired``; ``refused`` by the condition; ``dropped``, since their
    node had gone; ``failed`` and undone. ``empty`` are actions that selected nothing."""

    fired: int = 0
    refused: int = 0
    dropped: int = 0
    failed: int = 0
    empty: int = 0


def bindings_of(composites: Sequence[CompositeEvent]) -> Mapping[str, Any]:
    """The variables of the composites: of one its own, of several lists of all values (L3)."""
    if len(composites) == 1:
        return composites[0].bindings or {}
    return gathered(composites)


def gathered(composites: Sequence[CompositeEvent]) -> dict[str, tuple[Any, ...]]:
    """The variables of composites, each with all values that it has in any of them."""
    found: dict[str, list[Any]] = {}
    for composite in composites:
        for name, value in (composite.bindings or {}).items():
            found.setdefault(name, []).extend(value if isinstance(value, tuple) else (value,))
    return {name: tuple(values) for name, values in found.items()}
