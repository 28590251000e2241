"""Sending records to the keys they concern, with the markers that stand for what happens elsewhere.

A key's partition does not see foreign records. Two things about them matter there, and a marker says each:
the first change elsewhere after a run of the key's own (it releases non-local groups, D2), and the end of a
transaction in which the key was touched (a flush, D3).

A log is read in segments, each by itself. What is open at the end of a segment is settled afterwards from
the segments' summaries (`edges`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from path_types import PathType

from ..log import BadRecord, Origin
from ..log.records import Row
from .inputs import Split, duplicate
from .plan import FOREIGN, Plan, Role


class Kind:
    """What a routed row is. Rows of a key are replayed in the order of ts, then of these numbers."""

    FRAGMENT = 0
    """The key's part of the document before the first record (its XML text and ids)."""
    RECORD = 1
    """A record of the key."""
    BOUNDARY = 2
    """The first change elsewhere after records of the key."""
    FLUSH = 3
    """The end of a transaction."""
    OPEN = 4
    """The key was touched and its segment ended before a transaction did: a flush may have to follow."""


class Routed(NamedTuple):
    """A row for a key: `Kind`, which pass, document and key node, when, and the fields of a record."""

    kind: int
    pass_index: int
    doc: str
    key: int
    ts: int
    at: str | None
    segment: int
    op: str | None = None
    path: str | None = None
    ids: tuple[int, ...] | None = None
    value: str | None = None
    old: str | None = None
    pos: int | None = None


class Point(NamedTuple):
    """A time point of a document: its number, its wall-clock time, the transaction it belongs to."""

    ts: int
    at: str | None
    txn: int | None


class Course(NamedTuple):
    """What a segment has of a document: first and last time point, how many records, and what is open.

    ``position``: in which split and where in it the first record stands.
    ``head_keys``: the key of the first record per pass with boundaries (None: foreign). ``open_runs``: per such
    pass the key whose run reaches to the end. ``first_flush``: where the first transaction in it ended.
    ``disordered``: a ts was below the one before. ``duplicates``: how many records repeated a time point.
    """

    segment: int
    doc: str
    position: tuple[int, int]
    head: Point
    tail: Point
    records: int
    disordered: bool
    duplicates: int
    head_keys: dict[int, int | None]
    open_runs: dict[int, int]
    first_flush: Point | None


class _Document:
    """What is known of a document while a segment is read."""

    __slots__ = (
        "at", "count", "disordered", "duplicates", "first_flush", "head", "head_keys", "name", "position", "runs",
        "touched", "ts", "txn",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.head: Point | None = None
        self.position = (0, 0)
        self.ts = 0
        self.at: str | None = None
        self.txn: int | None = None
        self.count = 0
        self.duplicates = 0
        self.disordered = False
        self.first_flush: Point | None = None
        self.head_keys: dict[int, int | None] = {}
        self.runs: dict[int, tuple[int, bool]] = {}  # pass -> key and whether it was fed since the run began
        self.touched: set[tuple[int, int]] = set()  # passes and keys fed since the last flush


class Router:
    """Routes the records of one segment after the other; ``emit`` gets every row.

    ``on_bad`` gets records that repeat a time point, with their document.
    """

    def __init__(
        self, plan: Plan, emit: Callable[[Routed], None], on_bad: Callable[[BadRecord, str], None]
    ) -> None:
        self._emit = emit
        self._on_bad = on_bad
        self._passes = plan.passes
        self._bounded = [each.index for each in plan.passes if each.has_boundaries and not each.by_document]
        self._flushed = {each.index for each in plan.passes if each.has_flushes}
        self._routes: dict[tuple[str, PathType], tuple[tuple[int, int, bool], ...]] = {}
        self.segment = 0
        self.taken = 0
        self._documents: dict[str, _Document] = {}

    def begin(self, segment: int) -> None:
        """Starts a segment; its number orders it among all."""
        self.segment = segment
        self.taken = 0
        self._documents = {}

    def take_all(self, rows: list[Row], split: Split, numbers: Sequence[int]) -> None:
        """Routes records in file order; ``numbers`` are their numbers in the split."""
        self.taken += len(rows)
        emit, routes, segment = self._emit, self._routes, self.segment
        flushed = self._flushed
        document = _Document("")
        name: str | None = None
        for index, row in enumerate(rows):
            ts, op, path, ids, value, old, pos, at, doc, txn, _ = row
            if doc != name:
                name, document = doc, self._document(doc)
            if ts <= document.ts:
                if ts == document.ts:
                    document.duplicates += 1
                    self._on_bad(duplicate(row, Origin(split.file.path, numbers[index])), doc)
                    continue
                document.disordered = True
            if document.head is None:
                document.head = Point(ts, at, txn)
                document.position = (split.name, numbers[index])
            elif txn != document.txn and document.txn is not None:
                self._end_transaction(document)
            document.count += 1
            document.ts, document.at, document.txn = ts, at, txn
            route = routes.get((op, path))
            if route is None:
                route = self._route(op, path)
            if self._bounded:
                self._bound(document, route, ids)
            for number, step, fed in route:
                if fed:
                    key = 0 if step < 0 else ids[step]
                    emit(
                        Routed(
                            Kind.RECORD,
                            number,
                            doc,
                            key,
                            ts,
                            at,
                            segment,
                            op,
                            str(path),
                            ids,
                            value,
                            old,
                            pos,
                        )
                    )
                    if number in flushed:
                        document.touched.add((number, key))

    def end(self) -> list[Course]:
        """Ends the segment: emits what is open and returns the courses of its documents."""
        courses = []
        for document in self._documents.values():
            for number, key in sorted(document.touched):
                self._emit(Routed(Kind.OPEN, number, document.name, key, 0, None, self.segment))
            if document.head is None:
                continue
            courses.append(
                Course(
                    self.segment, document.name, document.position, document.head,
                    Point(document.ts, document.at, document.txn), document.count, document.disordered,
                    document.duplicates, document.head_keys,
                    {number: key for number, (key, fed) in document.runs.items() if fed}, document.first_flush,
                )
            )  # fmt: skip
        self._documents = {}
        return courses

    def _document(self, name: str) -> _Document:
        found = self._documents.get(name)
        if found is None:
            found = self._documents[name] = _Document(name)
        return found

    def _route(self, op: str, path: PathType) -> tuple[tuple[int, int, bool], ...]:
        found = []
        for each in self._passes:
            route = each.route(op, path)
            if route is not FOREIGN:
                found.append((each.index, route.step, route.role is Role.FED))
        self._routes[op, path] = tuple(found)
        return tuple(found)

    def _bound(
        self, document: _Document, route: tuple[tuple[int, int, bool], ...], ids: tuple[int, ...]
    ) -> None:
        """Keeps the runs of the passes with boundaries and marks where they end."""
        here = {number: (ids[step], fed) for number, step, fed in route if step >= 0}
        first = document.count == 1
        for number in self._bounded:
            key, fed = here.get(number, (None, False))
            run = document.runs.get(number)
            if first:
                document.head_keys[number] = key
                if key is not None:
                    # The run may have begun in the segment before, where it may have been fed.
                    document.runs[number] = (key, True)
                continue
            if run is not None and run[0] == key:
                if fed and not run[1]:
                    document.runs[number] = (run[0], True)
                continue
            if run is not None:
                if run[1]:
                    self._emit(
                        Routed(
                            Kind.BOUNDARY,
                            number,
                            document.name,
                            run[0],
                            document.ts,
                            document.at,
                            self.segment,
                        )
                    )
                del document.runs[number]
            if key is not None:
                document.runs[number] = (key, fed)

    def _end_transaction(self, document: _Document) -> None:
        point = Point(document.ts, document.at, document.txn)
        if document.first_flush is None:
            document.first_flush = point
        for number, key in sorted(document.touched):
            self._emit(Routed(Kind.FLUSH, number, document.name, key, point.ts, point.at, self.segment))
        document.touched.clear()
