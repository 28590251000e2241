"""Events over documents in an audit (rule V11): what they are made of is kept while documents are replayed, in any
order, and is replayed in the order of all of them when that is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...engine import EvaluationError
from ...engine.across import Across, Part
from ...engine.durable import new_reader, new_writer
from ...events import CompositeEvent, PrimitiveEvent, TimePoint
from ...log.json_codec import FASTEST, STANDARD
from ...timestamps import microseconds, timestamp
from ..findings.order import Ranking
from ..request import AuditError


class PartsOfDocuments:
    """Finds what events over documents are made of, and gives it with its document to ``keep``; ``drop`` forgets what a
    document has of that. ``until``: as far as time goes on at the end of each document."""

    def __init__(
        self, across: Across, keep: Callable[[str, Part], None], drop: Callable[[str], None] | None = None, *,
        until: str | None = None,
    ) -> None:  # fmt: skip
        self.across = across
        self._keep = keep
        self._drop = drop
        self.end = 0 if until is None else microseconds(until)
        """Until when something can be due."""

    def take(
        self, doc: str, time: int | None, record: PrimitiveEvent | None, raised: list[CompositeEvent]
    ) -> int | None:
        """A record of a document, if it is one, and what it has raised; returns how late it is there, given how late it
        was (W1).

        Raises `UnknownTimeError` for what means something while no time of the document is known.
        """
        if record is not None and record.at is not None:
            time = _later(time, record.at)
            self.end = max(self.end, time - 1)  # what is due then is not due yet
        for part in self.across.parts(time, record, raised):
            self._keep(doc, part)
        return time

    def advance(self, time: int | None, at: str) -> int:
        """It is this time in a document, although nothing has changed (W6); returns how late it is."""
        time = _later(time, at)
        self.end = max(self.end, time)
        return time

    def drop(self, doc: str) -> None:
        """Forgets a document, which is going to be replayed anew."""
        if self._drop is not None:
            self._drop(doc)


def _later(time: int | None, at: str) -> int:
    """The time that a document shows after a record of this time: it never goes back (W1)."""
    now = microseconds(at)
    return now if time is None else max(time, now)


class Reached:
    """How far the runs of an audit that goes on have come in the order of all documents."""

    def __init__(self, end: int = -1, last: tuple[int, str] = (-1, "")) -> None:
        self._end = end
        self._last = last
        self._late = 0

    @classmethod
    def of(cls, state: Mapping[str, Any], parts: PartsOfDocuments) -> Reached:
        """As far as earlier runs have come; their events over documents go on."""
        parts.across.go_on(state)
        parts.end = max(parts.end, state["end"])
        return cls(state["end"], tuple(state["last"]))

    def state(self, parts: PartsOfDocuments) -> dict[str, Any]:
        """For the next run."""
        return {"end": parts.end, "last": self._last, **parts.across.state()}

    def noted(self, parts: Iterable[tuple[str, Part]]) -> Iterator[Part]:
        """The parts, which come in order in this run; those that earlier runs have passed are counted."""
        last = self._last
        for doc, part in parts:
            self._late += part.time <= self._end or (part.time, doc) < last
            self._last = max(self._last, (part.time, doc))
            yield part

    def notes(self) -> Iterator[str]:
        """That some came after later ones, and so are of another time for events over documents."""
        if self._late:
            were = "1 change was" if self._late == 1 else f"{self._late:,} changes were"
            yield (
                f"{were} made before what earlier runs have read of other documents: events over documents take them as"
                f" of {timestamp(max(self._end, self._last[0]))} (V11)"
            )


def written(part: Part) -> bytes:
    """The state of a part as one line of JSON."""
    writer = new_writer()
    item = {
        "time": part.time, "cause": writer.event(part.cause), "is_change": part.is_change,
        "composites": list(map(writer.event, part.composites)),
    }  # fmt: skip
    return STANDARD.dumps(item | writer.state())


def part_of(line: bytes) -> Part:
    """What `written` wrote."""
    item: dict[str, Any] = FASTEST.loads(line)
    reader = new_reader(item)
    return Part(
        item["time"],
        reader.event(item["cause"]),
        item["is_change"],
        list(map(reader.event, item["composites"])),
    )


def raised_in_order(
    across: Across, ranking: Ranking, parts: Iterable[Part], end: int
) -> Iterator[tuple[int, CompositeEvent]]:
    """What parts raise, which come in their order, and what is due until the ``end``: with the place of its time, by
    that, document, time point, event and values. At one time what is due comes last.

    Raises `AuditError` for what cannot be evaluated.
    """
    for place, together in groupby(_raised(across, parts, end), key=itemgetter(0)):
        for _, each in sorted(
            together, key=lambda one: (one[1].cause.doc, one[1].ts, *ranking.place(one[1]))
        ):
            yield place, each


def _raised(across: Across, parts: Iterable[Part], end: int) -> Iterator[tuple[int, CompositeEvent]]:
    try:
        for part in parts:
            before = across.advance(part.time - 1)
            yield from ((_due_at(each), each) for each in before)
            yield from ((2 * part.time, each) for each in across.take(part))
        yield from ((_due_at(each), each) for each in across.advance(end))
    except EvaluationError as error:
        raise AuditError(str(error)) from error


def _due_at(composite: CompositeEvent) -> int:
    assert isinstance(composite.cause, TimePoint) and composite.cause.at is not None
    return 2 * microseconds(composite.cause.at) + 1
