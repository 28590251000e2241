"""What the reference evaluator stores: primitive events, its own composites, and stored entries (E4, E5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from path_types import PathInstance
from xmlcep.events import PrimitiveEvent


@dataclass(eq=False)
class Composite:
    """A composite event (E4). ``raiser`` and ``group`` say which group of which operator raised it (H7)."""

    name: str
    instance: PathInstance | None
    constituents: list[Event]
    cause: PrimitiveEvent
    operator: str | None
    raiser: object
    group: object
    silent: bool = False
    withdrawn: bool = False

    def record(self) -> dict[str, Any]:
        """The finding record."""
        first_and_last = interval(self)
        return {
            "doc": self.cause.doc,
            "ts": self.cause.ts,
            "at": self.cause.at,
            **_composite_constituent(self),
            "name": self.name,  # N7: always the event's; only among constituents the label names it
            "start": first_and_last[0] if first_and_last else None,
            "end": first_and_last[1] if first_and_last else None,
            "operator": self.operator,
            **_where_given(self.cause, "txn", "meta"),
        }


Event: TypeAlias = PrimitiveEvent | Composite


@dataclass(eq=False)
class Entry:
    """An event stored by an operator: in which child, at which time point, the how-manieth of all stored.

    ``fresh`` until the group's next evaluation or release (X1).
    """

    event: Event
    child: int
    time: int
    number: int
    fresh: bool = True

    @property
    def silent(self) -> bool:
        """Whether it is a silent empty composite (M5)."""
        return isinstance(self.event, Composite) and self.event.silent


@dataclass(eq=False)
class Group:
    """One group of one operator (H1): the entries stored in it, and what its termination remembers.

    ``key`` is the id of the group's node, None in flat context (K1). ``accumulated`` are the arrivals of
    a multiplicity, ``current`` its composite that is still integrating (M1), ``empty`` the instance of a
    created node for which an empty composite has not been raised yet (M4, D5). ``released`` says that a
    release is remembered until the condition holds (X3).
    """

    key: int | None
    stored: list[Entry] = field(default_factory=list)
    accumulated: list[Entry] = field(default_factory=list)
    current: Composite | None = None
    empty: PathInstance | None = None
    released: bool = False

    def child(self, index: int) -> list[Entry]:
        """What is stored of this child, oldest first."""
        return [entry for entry in self.stored if entry.child == index]


def instance_of(event: Event) -> PathInstance | None:
    """The event's path instance."""
    return event.instance


def detection_time(event: Event) -> int:
    """The time point at which it occurred or was raised (E5)."""
    return event.ts if isinstance(event, PrimitiveEvent) else event.cause.ts


def interval(event: Event) -> tuple[int, int] | None:
    """From the least start to the greatest end of what is in it; None is the empty interval (E5)."""
    if isinstance(event, PrimitiveEvent):
        return (event.ts, event.ts)
    inner = [span for span in map(interval, event.constituents) if span is not None]
    return (min(span[0] for span in inner), max(span[1] for span in inner)) if inner else None


def as_set(events: Iterable[Event]) -> list[Event]:
    """The events, each once, at its first place (K4)."""
    kept: list[Event] = []
    for event in events:
        if not any(event is other for other in kept):
            kept.append(event)
    return kept


def _constituent(event: Event) -> dict[str, Any]:
    if isinstance(event, PrimitiveEvent):
        return {
            "ts": event.ts,
            "op": event.op,
            "path": str(event.path),
            "ids": list(event.ids),
            "value": event.value,
            "old": event.old,
            **_where_given(event, "at", "txn", "meta"),
        }
    return _composite_constituent(event)


def _composite_constituent(event: Composite) -> dict[str, Any]:
    return {
        "name": event.operator or event.name,
        "path": None if event.instance is None else str(event.instance.path),
        "ids": [] if event.instance is None else list(event.instance.ids),
        "constituents": [_constituent(inner) for inner in event.constituents],
    }


def _where_given(event: PrimitiveEvent, *fields: str) -> dict[str, Any]:
    """These fields of an event, without those it does not have."""
    return {field: getattr(event, field) for field in fields if getattr(event, field) is not None}
