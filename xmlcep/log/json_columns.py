"""Blocks of JSON Lines logs: read by the JSON reader, then checked column by column by loops in C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, compress, repeat
from operator import itemgetter, lt
from typing import Any

from ..errors import RecordError
from .columns import Item, Kinds, Stretch
from .decoding import LARGEST, is_meta
from .json_codec import JsonCodec
from .records import FIELDS

_fields = itemgetter(*FIELDS)
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
        try:
            return _stretches(list(map(_fields, map(self._codec.loads, self._lines))), kinds)
        except (RecordError, LookupError, TypeError, ValueError):
            return None  # no JSON, no change record, or one with values that cannot be


def _stretches(records: list[tuple[Any, ...]], kinds: Kinds) -> list[Stretch] | None:
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
    wanted = [kind.wanted for kind in known]
    rows = zip(
        compress(ts, wanted), compress(op, wanted), [kind.path for kind in known if kind.wanted],
        map(tuple, compress(ids, wanted)), compress(value, wanted), compress(old, wanted), repeat(None),
        compress(at, wanted), compress(doc, wanted), compress(txn, wanted), repeat(None),
    )  # fmt: skip
    if len(docs) == 1:
        return [Stretch(doc[0], ts[0], ts[-1], len(ts), list(rows))] if _ascends(ts) else None
    times: dict[str, list[int]] = {each: [] for each in doc}
    for name, time in zip(doc, ts, strict=True):
        times[name].append(time)
    if not all(map(_ascends, times.values())):
        return None
    rows_of: dict[str, list[Any]] = {each: [] for each in times}
    for row in rows:
        rows_of[row[8]].append(row)
    return [Stretch(name, its[0], its[-1], len(its), rows_of[name]) for name, its in times.items()]


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
