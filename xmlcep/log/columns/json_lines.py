"""Blocks of JSON Lines logs: read by the JSON reader, then checked column by column by loops in C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, compress, repeat
from operator import add, attrgetter, itemgetter, lt
from typing import Any, NamedTuple

from ...errors import RecordError
from ..decoding import is_meta
from ..errors import BadRecord
from ..json_codec import JsonCodec, key_bounds, refuse_repeated_keys
from ..records import FIELDS, LARGEST, ClockRecord, is_clock
from .blocks import (
    Block,
    Item,
    Meta,
    NumberedClock,
    RecordType,
    RecordTypes,
    Run,
    Span,
    are_times,
    are_xml,
    clocks_by_document,
)

_fields = itemgetter(*FIELDS)
_number = attrgetter("number")
_NOTHING = type(None)
_TEXT = {str, _NOTHING}
_NUMBER = {int, _NOTHING}
_FLAG = {bool, _NOTHING}


class LinesBlock(Block):
    """Lines of a log, the first of which has the number ``first``."""

    def __init__(
        self, lines: Sequence[bytes], codec: JsonCodec, items: Callable[[], Iterator[Item]],
        complain: Callable[[int, str], BadRecord], first: int = 1,
    ) -> None:  # fmt: skip
        super().__init__(items, complain, first)
        self._lines = lines
        self._codec = codec

    def __len__(self) -> int:
        return len(self._lines)

    def _checked(self, types: RecordTypes) -> _Columns | None:
        try:
            records = list(map(self._codec.loads, self._lines))
            # As a rule no change record has a field more, and then there is nothing to look for. None can have less:
            # that is found when the fields are taken out.
            usual = sum(map(len, records)) == len(FIELDS) * len(records)
            bounds = key_bounds(self._lines)
            # A bound is never below the number of keys: if the sums agree, all do. (A meta that is not an object
            # is found below.)
            metas = [record["meta"] for record in records if "meta" in record]
            if sum(bounds) != sum(map(len, records)) + sum(map(len, filter(None, metas))):
                for line, record, bound in zip(self._lines, records, bounds, strict=True):
                    refuse_repeated_keys(line, record, bound)
            if not usual and any(map(is_clock, records)):
                return self._checked_with_clocks(records, types)
            return _checked(records, types, usual=usual)
        except (RecordError, LookupError, TypeError, ValueError, AttributeError):
            return None  # no JSON, no change record, or one with values that cannot be

    def _checked_with_clocks(self, records: list[dict[str, Any]], types: RecordTypes) -> _Columns | None:
        changes: list[dict[str, Any]] = []
        clocks: list[NumberedClock] = []
        places: list[int] = []
        for number, record in enumerate(records, start=self.first):
            if is_clock(record):
                clocks.append((number, ClockRecord.from_record(record)))
                places.append(len(changes))
            else:
                changes.append(record)
        columns = _checked(changes, types, usual=False) if changes else None
        if columns is None:
            return None
        found = clocks_by_document(clocks, places, zip(columns.doc, columns.ts, columns.txn, strict=True))
        return None if found is None else columns._replace(clocks=found)


class _Columns(NamedTuple):
    """The columns of good records, each a sequence of as many values."""

    doc: Sequence[str]
    ts: Sequence[int]
    type: Sequence[RecordType]
    ids: Sequence[list[int]]
    value: Sequence[str | None]
    old: Sequence[str | None]
    pos: Sequence[int | None] | None
    """None where it does not matter."""
    at: Sequence[str | None]
    txn: Sequence[int | None]
    meta: Sequence[Meta | None]
    more: Sequence[bool | None] | None
    """None where no record has the field."""
    times: dict[str, Sequence[int]]
    """The time points of each document."""
    by_number: Sequence[RecordType]
    clocks: dict[str, list[NumberedClock]]

    def runs(self) -> list[Run]:
        """See `Columnar.runs`."""
        needed = [each.needed for each in self.type]
        types = list(compress(self.type, needed))
        rows = zip(
            compress(self.ts, needed), [each.op for each in types], [each.path for each in types],
            map(tuple, compress(self.ids, needed)), compress(self.value, needed), compress(self.old, needed),
            repeat(None) if self.pos is None else compress(self.pos, needed), compress(self.at, needed),
            compress(self.doc, needed), compress(self.txn, needed), compress(self.meta, needed),
            repeat(False) if self.more is None else map(bool, compress(self.more, needed)),
            strict=False,
        )  # fmt: skip
        counts, clocks, edits = self._counts(), self.clocks, self._goes_on()
        if len(self.times) == 1:
            return [
                Run(span, rows, counts[span.doc], clocks.get(span.doc, ()), edits) for span in self._spans()
            ]
        rows_of: dict[str, list[Any]] = {each: [] for each in self.times}
        for row in rows:
            rows_of[row[8]].append(row)
        return [
            Run(span, rows_of[span.doc], counts[span.doc], clocks.get(span.doc, ()), edits)
            for span in self._spans()
        ]

    def _goes_on(self) -> bool:
        """Whether the edit of any of the records continues in the next (U1)."""
        return self.more is not None and any(self.more)

    def _counts(self) -> dict[str, list[tuple[RecordType, int]]]:
        """How many records of each needed type the documents have."""
        docs, size = list(self.times), len(self.by_number)
        numbers = map(_number, self.type)
        if len(docs) > 1:
            places = {doc: place * size for place, doc in enumerate(docs)}
            numbers = map(add, map(places.__getitem__, self.doc), numbers)
        found: dict[str, list[tuple[RecordType, int]]] = {doc: [] for doc in docs}
        for place, count in Counter(numbers).items():
            type_ = self.by_number[place % size]
            if type_.needed:
                found[docs[place // size]].append((type_, count))
        return found

    def _spans(self) -> Iterator[Span]:
        if len(self.times) == 1:
            yield Span(self.doc[0], self.ts[0], self.ts[-1], len(self.ts), self.txn[0], self.txn[-1])
            return
        first = dict(zip(reversed(self.doc), reversed(self.txn), strict=True))
        last = dict(zip(self.doc, self.txn, strict=True))
        for doc, times in self.times.items():
            yield Span(doc, times[0], times[-1], len(times), first[doc], last[doc])


def _checked(records: list[dict[str, Any]], types: RecordTypes, *, usual: bool) -> _Columns | None:
    """The columns of these change records; None if anything in them is out of the ordinary.

    ``usual``: none has a field that change records need not have.
    """
    doc, ts, op, path, ids, value, old, pos, at, txn, meta = zip(*map(_fields, records), strict=True)
    more = None if usual else [record.get("more") for record in records]
    docs = set(doc)
    known = list(map(types.__getitem__, zip(op, path, strict=True)))
    if not (
        set(map(type, docs)) == {str}
        and set(map(type, ts)) == {int}
        and min(ts) >= 1
        and max(ts) <= LARGEST
        and _are_ids(ids, [each.length for each in known])
        and set(map(type, value)) | set(map(type, old)) | set(map(type, at)) <= _TEXT
        and set(map(type, pos)) | set(map(type, txn)) <= _NUMBER
        and max(filter(None, txn), default=0) <= LARGEST
        and max(filter(None, pos), default=0) <= LARGEST
        and (not types.check_times or are_times(at))
        and (not types.applied or (are_xml(value) and are_xml(old)))
        and (more is None or set(map(type, more)) <= _FLAG)
        and (set(map(type, meta)) == {_NOTHING} or all(each is None or is_meta(each) for each in meta))
    ):
        return None
    times: dict[str, Sequence[int]] = {doc[0]: ts}
    if len(docs) > 1:
        lists: dict[str, list[int]] = {each: [] for each in doc}
        for name, time in zip(doc, ts, strict=True):
            lists[name].append(time)
        times = dict(lists)
    if not all(map(_ascends, times.values())):
        return None
    places = pos if types.applied else None
    return _Columns(doc, ts, known, ids, value, old, places, at, txn, meta, more, times, types.by_number, {})


def _are_ids(ids: Sequence[Any], lengths: list[int]) -> bool:
    """Whether these are lists of as many whole numbers of 64 bits as there are steps in the paths."""
    return (
        set(map(type, ids)) == {list}
        and list(map(len, ids)) == lengths
        and set(map(type, chain.from_iterable(ids))) == {int}
        and max(chain.from_iterable(ids)) <= LARGEST
    )


def _ascends(ts: Sequence[int]) -> bool:
    return all(map(lt, ts, ts[1:]))
