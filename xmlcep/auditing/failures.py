"""Documents that cannot be replayed to their end: which of them an audit names, whatever the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ..engine import EvaluationError
from ..engine.errors import EndlessBeatError
from ..errors import XmlCepError
from ..log import BadRecord, Batch, ClockCheck, Origin
from ..log.decoding import RowDecoder
from ..log.json_codec import FASTEST
from ..log.records import ClockRecord
from ..rules import Rules
from ..timestamps import microseconds
from .inputs import LogFile, whole
from .quarantine import AuditQuarantine, raw_record
from .splits import PartReader


class ReplayError(XmlCepError, RuntimeError):
    """A document cannot be replayed; says which, at which time point, and what happened there."""


BEFORE, AT, BEHIND = -1, 0, 1
"""How something is raised at a time point: by a timer before its record (W5), by that, or by a timer when a clock
record comes behind it (W6)."""


class Failure(NamedTuple):
    """Why a document cannot be replayed any further: the time point, the event that cannot be evaluated, in words; on
    which side of the record that was, and when the timer was due that raised it."""

    ts: int
    event: str
    problem: str
    side: int = AT
    due: int = 0
    leap: int = 0
    """The time to which the clock has leapt, by more than a hundred years, so that a record is likely to be wrong."""

    @classmethod
    def of(cls, error: EvaluationError) -> Failure:
        """The failure that an error of the engine is."""
        failure = cls(error.ts, error.event, str(error))
        if isinstance(error, EndlessBeatError) and error.time - error.due > _CENTURY:
            return failure._replace(leap=error.time)
        return failure


_CENTURY = 36_525 * 86_400 * 1_000_000  # microseconds


class Failures:
    """The first failure of each document.

    A document that failed is left alone, and the others are replayed all the same: which of several failures is found
    first depends on the engine, which one is told must not.
    """

    def __init__(self, rules: Rules) -> None:
        self._places = {tree.name: tree.index for tree in rules.graph.trees}
        self._found: dict[str, Failure] = {}

    def add(self, doc: str, failure: Failure) -> None:
        """A document has failed, perhaps once more."""
        known = self._found.get(doc)
        if known is None or self._place(failure) < self._place(known):
            self._found[doc] = failure

    @property
    def by_document(self) -> Mapping[str, Failure]:
        """The failures by document."""
        return self._found

    def put_aside(self, files: Sequence[LogFile], quarantine: AuditQuarantine) -> None:
        """Quarantines the record that has made a document fail because its time is far from all others; that costs
        the findings of its document and of no other."""
        leaps = {doc: failure for doc, failure in self._found.items() if failure.leap}
        for file in files if leaps else ():
            reader = PartReader(whole(file), RowDecoder(ClockCheck.ANY), lambda bad: None)
            for origin, doc, at, raw in _times(reader, file):
                failure = leaps.get(doc)
                if failure is not None and at is not None and microseconds(at) == failure.leap:
                    reason = (
                        f"its time is {at}, more than a hundred years behind the others: {failure.problem}"
                    )
                    quarantine.add(file, BadRecord(origin, None, reason, raw()))
                    quarantine.withhold(doc)
                    self._found.pop(doc, None)

    def check(self) -> None:
        """Raises `ReplayError` for the first document by name, if any has failed."""
        if self._found:
            doc = min(self._found)
            others = len(self._found) - 1
            more = f" (and {others:,} more document{'s' if others > 1 else ''})" if others else ""
            raise ReplayError(f"document {doc!r}{more} cannot be replayed: {self._found[doc].problem}")

    def _place(self, failure: Failure) -> tuple[int, int, int, int]:
        return failure.ts, failure.side, failure.due, self._places[failure.event]


def _times(
    reader: PartReader, file: LogFile
) -> Iterator[tuple[Origin, str, str | None, Callable[[], bytes]]]:
    """The records of a file that say what time it is: where they are, document, time, and the record itself."""
    for item in reader.read():
        if isinstance(item, Batch):
            for index, row in enumerate(item.rows):
                yield item.origin(index), row[8], row[7], partial(raw_record, row)
        elif isinstance(item[1], ClockRecord):
            clock = item[1]
            yield Origin(file.name, item[0]), clock.doc, clock.at, partial(FASTEST.dumps, clock.to_record())
