"""From the values of a change record to a checked row: the loop every reader goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from path_types import PathSyntaxError, PathType

from ..errors import RecordError
from ..events import PrimitiveEvent
from .records import Row

LARGEST = 2**63 - 1
"""Time points and node ids are signed 64-bit numbers, which is what Parquet holds."""

_NO_DOC = object()  # unlike any document's name, None included
_OPERATIONS = {"ins": "ins", "upd": "upd", "del": "del"}


class ClockCheck(Enum):
    """Whether a reader insists that ts increases within each document."""

    INCREASING = "increasing"
    """A record whose ts does not exceed that of the document's record before is bad."""
    ANY = "any"
    """Records may come in any order; the caller sorts them."""


class _Paths(dict[str, tuple[PathType, list[type]]]):
    """Path types by their text, each with the list of types that its ids must have."""

    def __missing__(self, text: str) -> tuple[PathType, list[type]]:
        if type(text) is not str:
            raise RecordError(f"path is {text!r}: expected a string such as '/order/item'")
        try:
            path = PathType.parse(text)
        except PathSyntaxError as error:
            raise RecordError(str(error)) from error
        if not path.absolute:
            raise RecordError(f"path is {text!r}: expected an absolute path (it starts with '/')")
        found = self[text] = (path, [int] * len(path))
        return found


class RowDecoder:
    """Checks the values of change records and makes rows of them.

    It remembers the clock of every document, so one decoder reads all files of a log, in their order.
    """

    def __init__(self, clock: ClockCheck = ClockCheck.INCREASING) -> None:
        self.clocks: dict[str, int] = {}
        self._checks_clock = clock is ClockCheck.INCREASING
        self._paths = _Paths()

    def decode(
        self,
        source: Iterator[tuple[Any, ...]],
        rows: list[Row],
        skipped: list[int],
        irregular: Callable[[int], Row | None],
    ) -> None:
        """Appends a row per item of ``source`` (tuples in the order of `FIELDS`) to the empty ``rows``.

        An item that cannot be used, or whose making raises, goes to ``irregular`` by its index; it answers
        with a row to be used all the same (see `admit`), or with None: then the index goes to ``skipped``.
        """
        # Everything in local names and in one loop: this is the floor under the cost of reading a log.
        append, paths, operations, clocks = rows.append, self._paths, _OPERATIONS, self.clocks
        checks_clock = self._checks_clock
        current: Any = _NO_DOC
        last = 0
        known_meta: Any = None  # most records of a transaction share it: one object for all of them
        while True:
            try:
                for doc, ts, op, path_text, ids, value, old, pos, at, txn, meta in source:
                    path, types = paths[path_text]
                    if doc != current:
                        if type(doc) is not str:
                            raise RecordError
                        if current is not _NO_DOC:
                            clocks[current] = last
                        current, last = doc, clocks.get(doc, 0)
                    if (
                        list(map(type, ids)) != types
                        or type(ts) is not int
                        or not last < ts <= LARGEST
                        or max(ids) > LARGEST
                        or (value is not None and type(value) is not str)
                        or (old is not None and type(old) is not str)
                        or (pos is not None and type(pos) is not int)
                        or (at is not None and type(at) is not str)
                        or (txn is not None and type(txn) is not int)
                    ):
                        raise RecordError
                    if meta is not None and meta != known_meta:
                        if not is_meta(meta):
                            raise RecordError
                        known_meta = meta
                    shared = None if meta is None else known_meta
                    nodes = tuple(ids)
                    append(
                        (ts, operations[op], path, nodes, value, old, pos, at, current, txn, shared, False)
                    )
                    if checks_clock:
                        last = ts
                break
            except (RecordError, LookupError, TypeError, ValueError):
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
        if record.get("doc") is None:
            record = record | {"doc": header_doc}
        event = PrimitiveEvent.from_record(record)
        if record["doc"] is None:
            raise RecordError("doc is missing: expected the name of the document, here or in a header before")
        for field, numbers in (("ts", (event.ts,)), ("ids", event.ids)):
            if not all(-LARGEST - 1 <= number <= LARGEST for number in numbers):
                raise RecordError(f"{field} is {record[field]!r}: a number beyond 64 bits")
        if self._checks_clock:
            last = self.clocks.get(event.doc, 0)
            if event.ts <= last:
                raise RecordError(
                    f"ts is {event.ts} after {last} of the same document ({event.doc!r}):"
                    " expected a greater one"
                )
            self.clocks[event.doc] = event.ts
        return tuple(event)  # type: ignore[return-value]


def is_meta(meta: object) -> bool:
    """Whether this is an object of strings, as the meta of a record is."""
    return type(meta) is dict and all(type(text) is str for pair in meta.items() for text in pair)
