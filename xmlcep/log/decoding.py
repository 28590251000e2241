"""From the values of a change record to a checked row: the loop every reader goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from operator import itemgetter
from typing import Any, NamedTuple

from path_types import PathType

from ..errors import RecordError
from ..events import PrimitiveEvent, record_path
from ..timestamps import TimeError, microseconds
from .records import FIELDS, LARGEST, ClockRecord, Row, is_clock

_NO_DOC = object()  # unlike any document's name, None included
_OPERATIONS = {"ins": "ins", "upd": "upd", "del": "del"}


class ClockCheck(Enum):
    """Whether a reader insists that ts increases within each document."""

    INCREASING = "increasing"
    """The fewest records without which the ts of each document increases are bad (`xmlcep.log.order`)."""
    ANY = "any"
    """Records may come in any order; the caller sorts them."""


class Form(NamedTuple):
    """How the values of a change record are taken out of what a file holds of it.

    ``values`` gives those of `FIELDS` in their order, ``more`` that of ``more``; ``more`` is asked only of an
    item whose length is not that of `FIELDS`.
    """

    values: Callable[[Any], tuple[Any, ...]]
    more: Callable[[Any], Any]


def _more_of(record: dict[str, Any]) -> Any:
    if is_clock(record):
        raise RecordError
    return record.get("more")


FORM_OF_OBJECTS = Form(itemgetter(*FIELDS), _more_of)
"""Records as JSON objects."""
FORM_OF_TUPLES = Form(itemgetter(slice(len(FIELDS))), itemgetter(len(FIELDS)))
"""Records as tuples of the values of `FIELDS`, then ``more``."""


class _Paths(dict[str, tuple[PathType, list[type]]]):
    """Path types by their text, each with the list of types that its ids must have."""

    def __missing__(self, text: str) -> tuple[PathType, list[type]]:
        path = record_path(text)
        found = self[text] = (path, [int] * len(path))
        return found


class RowDecoder:
    """Checks the values of change records and makes rows of them.

    It remembers the clock of every document, so one decoder reads all files of a log, in their order. With
    ``check_times`` a record whose ``at`` is not a time is bad (W1); else that may be any text.
    """

    def __init__(self, clock: ClockCheck = ClockCheck.INCREASING, *, check_times: bool = False) -> None:
        self.clocks: dict[str, int] = {}
        """The last time point of each document, if their order matters."""
        self.begins: dict[str, int] = {}
        """The same before what was decoded last, of the documents in it."""
        self.disordered: set[str] = set()
        """Documents of what was decoded last in which a record did not come after the one before it."""
        self._advanced: dict[str, ClockRecord] = {}  # the last clock record of each document
        self._checks_clock = clock is ClockCheck.INCREASING
        self._check_times = check_times
        self._paths = _Paths()

    def decode(
        self,
        source: Iterator[Any],
        form: Form,
        rows: list[Row],
        skipped: list[int],
        irregular: Callable[[int], Row | None],
    ) -> None:
        """Appends a row per item of ``source`` (records of this form) to the empty ``rows``.

        An item that cannot be used, or whose making raises, goes to ``irregular`` by its index; it answers
        with a row to be used all the same (see `admit`), or with None: then the index goes to ``skipped``.
        """
        self.begins, self.disordered = {}, set()
        # Everything in local names and in one loop: this is the floor under the cost of reading a log.
        append, paths, operations = rows.append, self._paths, _OPERATIONS
        clocks, begins = self.clocks, self.begins
        checks_clock = self._checks_clock
        values, usual = form.values, len(FIELDS)
        current: Any = _NO_DOC
        last = 0
        check_times = self._check_times
        known_at: str | None = None  # so do most of its times
        known_meta: Any = None  # most records of a transaction share it: one object for all of them
        while True:
            try:
                for item in source:
                    doc, ts, op, path_text, ids, value, old, pos, at, txn, meta = values(item)
                    more = False
                    if len(item) != usual and (given := form.more(item)) is not None:
                        if type(given) is not bool:
                            raise RecordError
                        more = given
                    path, types = paths[path_text]
                    if doc != current:
                        if type(doc) is not str:
                            raise RecordError
                        if current is not _NO_DOC:
                            clocks[current] = last
                        current, last = doc, clocks.get(doc, 0)
                        begins.setdefault(doc, last)
                    if (
                        list(map(type, ids)) != types
                        or type(ts) is not int
                        or not last < ts <= LARGEST
                        or max(ids) > LARGEST
                        or (value is not None and type(value) is not str)
                        or (old is not None and type(old) is not str)
                        or (pos is not None and (type(pos) is not int or pos > LARGEST))
                        or (at is not None and type(at) is not str)
                        or (txn is not None and (type(txn) is not int or txn > LARGEST))
                    ):
                        raise RecordError
                    if check_times and at is not None and at != known_at:
                        microseconds(at)
                        known_at = at
                    if meta is not None and not is_same_meta(meta, known_meta):
                        if not is_meta(meta):
                            raise RecordError
                        known_meta = meta
                    shared = None if meta is None else known_meta
                    nodes = tuple(ids)
                    append((ts, operations[op], path, nodes, value, old, pos, at, current, txn, shared, more))
                    if checks_clock:
                        last = ts
                break
            except (RecordError, LookupError, TypeError, ValueError):  # `TimeError` is one of the last
                # The slow way finds out what is the matter. Every item before gave a row or was skipped.
                index = len(rows) + len(skipped)
                if current is not _NO_DOC:
                    clocks[current] = last
                row = irregular(index)
                if row is None:
                    skipped.append(index)
                else:
                    append(row)
                current = _NO_DOC
        if current is not _NO_DOC:
            clocks[current] = last

    def admit(self, record: dict[str, Any], header_doc: str | None = None) -> Row:
        """The row of a change record, after every check there is; raises `RecordError`.

        ``header_doc`` is the document of a record that names none: that of the header its file begins with.
        """
        if is_clock(record):
            raise RecordError("a clock record, where a change record was expected")
        if record.get("doc") is None:
            record = record | {"doc": header_doc}
        event = PrimitiveEvent.from_record(record)
        if record["doc"] is None:
            raise RecordError("doc is missing: expected the name of the document, here or in a header before")
        for field, numbers in (
            ("ts", (event.ts,)),
            ("ids", event.ids),
            ("txn", (event.txn or 0,)),
            ("pos", (event.pos or 0,)),
        ):
            if not all(-LARGEST - 1 <= number <= LARGEST for number in numbers):
                raise RecordError(f"{field} is {record[field]!r}: a number beyond 64 bits")
        if self._check_times and event.at is not None:
            try:
                microseconds(event.at)
            except TimeError as error:
                raise RecordError(f"at: {error}; the rules measure time (W1)") from None
        if self._checks_clock:
            last = self.clocks.get(event.doc, 0)
            self.begins.setdefault(event.doc, last)
            if event.ts <= last:
                self.disordered.add(event.doc)
            self.clocks[event.doc] = event.ts
        return tuple(event)  # type: ignore[return-value]

    def admit_clock(self, record: Mapping[str, Any], header_doc: str | None = None) -> ClockRecord:
        """The clock record that a record is, after every check there is; raises `RecordError`.

        ``header_doc`` as for `admit`. That it is not in a transaction only what follows it can tell.
        """
        clock = ClockRecord.from_record(record, header_doc)
        if self._checks_clock:
            last = self.clocks.get(clock.doc, 0)
            self.begins.setdefault(clock.doc, last)
            before = self._advanced.get(clock.doc)
            goes_back = before is not None and before.ts == clock.ts and clock.time < before.time
            if clock.ts < last or goes_back:
                self.disordered.add(clock.doc)
            self.clocks[clock.doc] = clock.ts
            self._advanced[clock.doc] = clock
        return clock


def is_meta(meta: object) -> bool:
    """Whether this is an object of strings, as the meta of a record is."""
    return type(meta) is dict and all(type(text) is str for pair in meta.items() for text in pair)


def is_same_meta(meta: object, other: object) -> bool:
    """Whether two metas are equal and have their pairs in the same order, in which findings show them."""
    return meta == other and list(meta) == list(other)  # type: ignore[call-overload]
