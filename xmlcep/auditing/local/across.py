"""Events over documents in an audit (rule V11): what they are made of is kept while documents are replayed, in any
order, and is replayed in the order of all of them when that is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

from ...engine import EvaluationError
from ...engine.across import Across, Part
from ...engine.durable import new_reader, new_writer
from ...events import CompositeEvent, PrimitiveEvent, TimePoint
from ...log.json_codec import FASTEST, STANDARD
from ...timestamps import microseconds
from ..findings.order import Ranking
from ..request import AuditError


class Shelf(Protocol):
    """Where parts are kept until all documents have been replayed."""

    def add_across(self, part: Part, doc: str, line: bytes) -> None:
        """Keeps a part of a document, and what is written of it."""

    def drop_across(self, doc: str) -> None:
        """Forgets what a document has of that."""


class PartsOfDocuments:
    """Finds what events over documents are made of; ``until``: as far as time goes on at the end of each document."""

    def __init__(self, across: Across, shelf: Shelf, *, until: str | None) -> None:
        self.across = across
        self._shelf = shelf
        self._times: dict[str, int] = {}  # how late it is in each document (W1)
        self.end = 0 if until is None else microseconds(until)
        """Until when something can be due."""

    def take(self, doc: str, record: PrimitiveEvent | None, raised: list[CompositeEvent]) -> None:
        """A record of a document, if it is one, and what it has raised.

        Raises `UnknownTimeError` for what means something while no time of the document is known.
        """
        if record is not None and record.at is not None:
            self._pass(doc, microseconds(record.at))
            self.end = max(self.end, self._times[doc] - 1)  # what is due then is not due yet
        for part in self.across.parts(self._times.get(doc), record, raised):
            self._shelf.add_across(part, doc, written(part))

    def advance(self, doc: str, at: str) -> None:
        """It is this time in a document, although nothing has changed (W6)."""
        self._pass(doc, microseconds(at))
        self.end = max(self.end, self._times[doc])

    def _pass(self, doc: str, time: int) -> None:
        self._times[doc] = max(time, self._times.get(doc, time))

    def drop(self, doc: str) -> None:
        """Forgets a document, which is going to be replayed anew."""
        self._times.pop(doc, None)
        self._shelf.drop_across(doc)


def written(part: Part) -> bytes:
    writer = new_writer()
    item = {
        "time": part.time, "cause": writer.event(part.cause), "is_change": part.is_change,
        "composites": list(map(writer.event, part.composites)),
    }  # fmt: skip
    return STANDARD.dumps(item | writer.state())


def _read(line: bytes) -> Part:
    item: dict[str, Any] = FASTEST.loads(line)
    reader = new_reader(item)
    return Part(
        item["time"],
        reader.event(item["cause"]),
        item["is_change"],
        list(map(reader.event, item["composites"])),
    )


def raised_in_order(
    across: Across, ranking: Ranking, lines: Iterable[bytes], end: int
) -> Iterator[tuple[int, CompositeEvent]]:
    """What parts raise, which come in their order, and what is due until the ``end``: with the place of its time, by
    that, document, time point, event and values. At one time what is due comes last.

    Raises `AuditError` for what cannot be evaluated.
    """
    for place, together in groupby(_raised(across, lines, end), key=itemgetter(0)):
        for _, each in sorted(
            together, key=lambda one: (one[1].cause.doc, one[1].ts, *ranking.place(one[1]))
        ):
            yield place, each


def _raised(across: Across, lines: Iterable[bytes], end: int) -> Iterator[tuple[int, CompositeEvent]]:
    try:
        for line in lines:
            part = _read(line)
            before = across.advance(part.time - 1)
            yield from ((_due_at(each), each) for each in before)
            yield from ((2 * part.time, each) for each in across.take(part))
        yield from ((_due_at(each), each) for each in across.advance(end))
    except EvaluationError as error:
        raise AuditError(str(error)) from error


def _due_at(composite: CompositeEvent) -> int:
    assert isinstance(composite.cause, TimePoint) and composite.cause.at is not None
    return 2 * microseconds(composite.cause.at) + 1
