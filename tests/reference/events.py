"""What the reference evaluator stores: primitive events, its own composites, and stored entries (E4, E5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from path_types import PathInstance
from xmlcep.events import PrimitiveEvent

from .clock import Later, in_time
from .values import Value, Variables, in_json


class Cause(NamedTuple):
    """Where and when something is raised: that of the primitive event, or of a firing, which nobody did (W5)."""

    ts: int
    at: str | None
    doc: str
    txn: int | None = None
    meta: Mapping[str, str] | None = None

    @classmethod
    def of(cls, event: PrimitiveEvent) -> Cause:
        """That of a primitive event."""
        return cls(event.ts, event.at, event.doc, event.txn, event.meta)


class Instant(NamedTuple):
    """When something was stored: the document time (W1), the time point, the transaction's number (W2), and how many
    flushes there had been."""

    now: int | None
    ts: int
    ordinal: int
    flushes: int


@dataclass(eq=False)
class Composite:
    """A composite event (E4).

    ``bindings`` are its variables (V5), None where the event has none (V7); ``rank`` the values of its group as
    text (V7); ``names`` those of the operands of its constituents (V10); ``severity`` and ``message`` what is said
    of it (Y10).
    """

    name: str
    instance: PathInstance | None
    constituents: list[Event]
    cause: Cause | PrimitiveEvent
    operator: str | None
    withdrawn: bool = False
    bindings: Variables | None = None
    rank: tuple[str, ...] = ()
    names: list[str | None] = field(default_factory=list)
    severity: str | None = None
    message: str | None = None
    interval: tuple[Any, ...] = ()
    """What `interval` has found once: constituents stay what they are."""

    def record(self) -> dict[str, Any]:
        """The finding record."""
        first_and_last = interval(self)
        found = {
            "doc": self.cause.doc,
            "ts": self.cause.ts,
            "at": self.cause.at,
            **_composite_constituent(self),
            "name": self.name,  # G5: always the event's; only among constituents the label names it
            "start": first_and_last[0] if first_and_last else None,
            "end": first_and_last[1] if first_and_last else None,
            "operator": self.operator,
            **_where_given(self.cause, "txn", "meta"),
            **_where_given(self, "severity", "message"),
        }
        if self.bindings is not None:
            found["bindings"] = {name: in_json(self.bindings[name]) for name in sorted(self.bindings)}
        return found


@dataclass(eq=False)
class External(Composite):
    """An external event (L7): nothing in the document makes it; its interval is that of the last record, its time that
    of the document when it is raised."""

    happened: Later = field(default_factory=Later)


Event: TypeAlias = PrimitiveEvent | Composite


@dataclass(eq=False)
class Entry:
    """An event stored by an operator: in which child, at which time point, the ``number``-th of all stored.

    ``time`` counts time points, timers' included (W5), ``stored_at`` is document time, ``end`` orders entries by their
    ends (Q1). ``values`` are the variables
    that the event has there (V1, V5). ``fresh`` until the group's next evaluation or release (D2). ``withdrawn``
    once it was taken back (M1), ``used`` once a run with it was raised (S2).
    """

    event: Event
    child: int
    time: int
    number: int
    end: int
    stored_at: Instant
    values: Variables = field(default_factory=dict)
    fresh: bool = True
    withdrawn: bool = False
    used: bool = False

    @property
    def rank(self) -> tuple[int, int]:
        """What makes one older than another: it ends, then it arrived, earlier (Q1)."""
        return self.end, self.number

    @property
    def empty(self) -> bool:
        """Whether its interval is empty (E5)."""
        return interval(self.event) is None


@dataclass(eq=False)
class Group:
    """One group of one operator (H1, V2): the entries stored in it, and what its termination remembers.

    ``key`` is the id of the group's node, None in flat context (H1), ``values`` those of its join and ``by``, as
    text. ``accumulated`` are the arrivals of a multiplicity, ``current``
    its composite that is still integrating (M1), ``empty`` the instance of a created node for which an empty
    composite has not been raised yet (M4, D5). ``runs`` are those of `next` (S2), ``candidates`` those of an absence
    (A3), ``beats`` says when the open windows of `periodic` beat next (W10).
    """

    key: int | None
    values: Mapping[str, str] = field(default_factory=dict)
    stored: list[Entry] = field(default_factory=list)
    accumulated: list[Entry] = field(default_factory=list)
    current: Composite | None = None
    empty: PathInstance | None = None
    runs: list[Any] = field(default_factory=list)
    candidates: list[Any] = field(default_factory=list)
    beats: dict[Entry, int] = field(default_factory=dict)

    @property
    def order(self) -> tuple[int, tuple[str, ...]]:
        """What orders the groups of an operator: the node, then the values (G2, V7)."""
        return self.key or 0, tuple(self.values[name] for name in sorted(self.values))

    def child(self, index: int) -> list[Entry]:
        """What is stored of this child, oldest first."""
        return sorted((entry for entry in self.stored if entry.child == index), key=lambda entry: entry.rank)


def interval(event: Event) -> tuple[int, int] | None:
    """From the least start to the greatest end of what is in it; None is the empty interval (E5)."""
    if isinstance(event, PrimitiveEvent):
        return (event.ts, event.ts)
    if isinstance(event, External):
        return (event.happened, event.happened)
    if not event.interval:
        found = _whole([span for span in map(interval, event.constituents) if span is not None])
        if found is not None and {*map(type, found)} != {int}:
            return found  # it depends on what comes later
        event.interval = (found,)
    known: tuple[int, int] | None = event.interval[0]
    return known


def span(entries: Iterable[Entry]) -> tuple[int, int] | None:
    """From the first to the last primitive event in these entries; None if there is none (W3)."""
    inner = [found for entry in entries if (found := interval(entry.event)) is not None]
    return _whole(inner)


def _whole(spans: list[tuple[int, int]]) -> tuple[int, int] | None:
    first, last = [start for start, _ in spans], [end for _, end in spans]
    return (min(first, key=in_time), max(last, key=in_time)) if spans else None


def as_set(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, each event once, at its first place (E4): what is cumulative may have one in several operands."""
    kept: list[Entry] = []
    for entry in entries:
        if not any(entry.event is other.event for other in kept):
            kept.append(entry)
    return kept


def variables_of(entries: Iterable[Entry], name: str) -> list[Value]:
    """The values of a variable in these entries, one after the other, lists flattened, each event once (V5)."""
    found: list[Value] = []
    seen: list[Event] = []
    for entry in entries:
        if name in entry.values and not any(entry.event is event for event in seen):
            seen.append(entry.event)
            value = entry.values[name]
            found += value if isinstance(value, list) else [value]
    return found


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
        "constituents": [
            ({"as": name} if name else {}) | _document(inner, event) | _constituent(inner)
            for name, inner in zip(event.names, event.constituents, strict=True)
        ],
    }


def _document(inner: Event, event: Composite) -> dict[str, Any]:
    """What is about no node says of which document its constituents are (V11)."""
    if event.instance is not None:
        return {}
    if isinstance(inner, PrimitiveEvent):
        return {"doc": inner.doc}
    return {} if inner.instance is None else {"doc": inner.cause.doc}


def _where_given(event: PrimitiveEvent | Cause | Composite, *fields: str) -> dict[str, Any]:
    """These fields of an event, without those it does not have."""
    return {field: getattr(event, field) for field in fields if getattr(event, field) is not None}
