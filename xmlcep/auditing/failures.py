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
from ..timestamps import microseconds
from .inputs import LogFile, whole
from .quarantine import AuditQuarantine, raw_record
from .splits import PartReader


class ReplayError(XmlCepError, RuntimeError):
    """A document cannot be replayed; says which, at which time point, and what happened there."""


class Failure(NamedTuple):
    """Why a document cannot be replayed any further, in words."""

    problem: str
    leap: int = 0
    """The time to which the clock has leapt, by more than a hundred years, so that a record is likely to be wrong."""

    @classmethod
    def of(cls, error: EvaluationError) -> Failure:
        """The failure that an error of the engine is."""
        if isinstance(error, EndlessBeatError) and error.time - error.due > _CENTURY:
            return cls(str(error), error.time)
        return cls(str(error))


_CENTURY = 36_525 * 86_400 * 1_000_000  # microseconds


class Failures:
    """The documents that failed; they are left alone, and the others are replayed all the same."""

    def __init__(self) -> None:
        self._found: dict[str, Failure] = {}

    def add(self, doc: str, failure: Failure) -> None:
        """A document has failed."""
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
