"""Blocks of JSON Lines logs: read by the JSON reader, then checked column by column by loops in C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, compress, repeat
from operator import add, attrgetter, itemgetter, lt
from typing import Any, NamedTuple

from ...errors import RecordError
from ..decoding import LARGEST, is_meta
from ..json_codec import JsonCodec
from ..records import FIELDS
from .blocks import Item, Kind, Kinds, Sifted, Span, Stretch

_fields = itemgetter(*FIELDS)
_number = attrgetter("number")
_NOTHING = type(None)
_TEXT = {str, _NOTHING}
_NUMBER = {int, _NOTHING}


class LinesBlock:
    """Lines of a log; ``items`` reads them record by record."""

    def __init__(self, lines: Sequence[bytes], codec: JsonCodec, items: Callable[[], Iterator[Item]]) -> None:
        self._lines = lines
        self._codec = codec
        self.items = items

    def stretches(self, kinds: Kinds) -> list[Stretch] | None:
        """See `Block`."""
        records = self._records(kinds)
        return None if records is None else records.stretches()

    def sifted(self, kinds: Kinds) -> Sifted | None:
        """See `Block`."""
        records = self._records(kinds)
        try:
            return None if records is None else records.sifted()
        except OverflowError:
            return None  # a transaction's number beyond 64 bits

    def _records(self, kinds: Kinds) -> _Records | None:
        try:
            return _checked(list(map(_fields, map(self._codec.loads, self._lines))), kinds)
        except (RecordError, LookupError, TypeError, ValueError):
            return None  # no JSON, no change record, or one with values that cannot be


class _Records(NamedTuple):
    """The columns of good records, each a sequence of as many values."""

    doc: Sequence[str]
    ts: Sequence[int]
    kind: Sequence[Kind]
    ids: Sequence[list[int]]
    value: Sequence[str | None]
    old: Sequence[str | None]
    at: Sequence[str | None]
    txn: Sequence[int | None]
    times: dict[str, Sequence[int]]
    """The time points of each document."""
    met: Sequence[Kind]
    """The kinds by number."""

    def stretches(self) -> list[Stretch]:
        wanted = [kind.wanted for kind in self.kind]
        rows = zip(
            compress(self.ts, wanted), [kind.op for kind in self.kind if kind.wanted],
            [kind.path for kind in self.kind if kind.wanted], map(tuple, compress(self.ids, wanted)),
            compress(self.value, wanted), compress(self.old, wanted), repeat(None), compress(self.at, wanted),
            compress(self.doc, wanted), compress(self.txn, wanted), repeat(None), repeat(False),
        )  # fmt: skip
        counts = self._counts()
        if len(self.times) == 1:
            return [Stretch(*span, list(rows), counts[span.doc]) for span in self._spans()]
        rows_of: dict[str, list[Any]] = {each: [] for each in self.times}
        for row in rows:
            rows_of[row[8]].append(row)
        return [Stretch(*span, rows_of[span.doc], counts[span.doc]) for span in self._spans()]

    def _counts(self) -> dict[str, list[tuple[Kind, int]]]:
        """How many records of each wanted kind the documents have."""
        docs, size = list(self.times), len(self.met)
        numbers = map(_number, self.kind)
        if len(docs) > 1:
            places = {doc: place * size for place, doc in enumerate(docs)}
            numbers = map(add, map(places.__getitem__, self.doc), numbers)
        found: dict[str, list[tuple[Kind, int]]] = {doc: [] for doc in docs}
        for place, count in Counter(numbers).items():
            kind = self.met[place % size]
            if kind.wanted:
                found[docs[place // size]].append((kind, count))
        return found

    def sifted(self) -> Sifted:
        import pyarrow as pa

        wanted = [kind.wanted for kind in self.kind]
        kinds = [kind for kind in self.kind if kind.wanted]
        number, text = pa.int64(), pa.string()
        if len(self.times) == 1:
            docs = pa.repeat(pa.scalar(0, number), len(kinds))
        else:
            places = {doc: place for place, doc in enumerate(self.times)}
            docs = pa.array([places[doc] for doc in compress(self.doc, wanted)], number)
        offsets = list(accumulate((kind.length for kind in kinds), initial=0))
        flat = list(chain.from_iterable(compress(self.ids, wanted)))
        columns = {
            "doc": docs,
            "kind": pa.array([kind.number for kind in kinds], number),
            "ts": pa.array(list(compress(self.ts, wanted)), number),
            "ids": pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat, number)),
            "value": pa.array(list(compress(self.value, wanted)), text),
            "old": pa.array(list(compress(self.old, wanted)), text),
            "at": pa.array(list(compress(self.at, wanted)), text),
            "txn": pa.array(list(compress(self.txn, wanted)), number),
        }
        return Sifted(list(self._spans()), columns)

    def _spans(self) -> Iterator[Span]:
        for doc, times in self.times.items():
            yield Span(doc, times[0], times[-1], len(times))


def _checked(records: list[tuple[Any, ...]], kinds: Kinds) -> _Records | None:
    """The columns of these records; None if anything in them is out of the ordinary."""
    doc, ts, op, path, ids, value, old, pos, at, txn, meta = zip(*records, strict=True)
    docs = set(doc)
    known = list(map(kinds.__getitem__, zip(op, path, strict=True)))
    if not (
        set(map(type, docs)) == {str}
        and set(map(type, ts)) == {int}
        and min(ts) >= 1
        and max(ts) <= LARGEST
        and _are_ids(ids, [kind.length for kind in known])
        and set(map(type, value)) | set(map(type, old)) | set(map(type, at)) <= _TEXT
        and set(map(type, pos)) | set(map(type, txn)) <= _NUMBER
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
    return _Records(doc, ts, known, ids, value, old, at, txn, times, kinds.met)


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
