"""How many records of a log each pass would replay, and where most of them are: for ``--explain`` and ``--dry-run``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from path_types import PathType

from ...log import Batch, ClockCheck
from ...log.decoding import RowDecoder
from ..inputs import LogFile, whole
from ..splits import PartReader
from .partition_key import Plan, key_at

Key: TypeAlias = tuple[str | None, int | str | None]
"""A document (None: of all, V11), and a node or a value in it (None: all of it)."""

_SHOWN = 3
_MOST_KEYS = 1_000_000
_SKEWED = 0.2  # of a pass's records: what one core has to do by itself, however many there are


class PassCount:
    """Counts the records that a pass replays by key; of very many keys the smallest are forgotten."""

    def __init__(self) -> None:
        self.records = 0
        self.keys: Counter[Key] = Counter()
        self._are_all = True

    def add(self, key: Key) -> None:
        """Counts a record of this key."""
        self.records += 1
        self.keys[key] += 1

    def forget_small(self) -> None:
        """Of very many keys the smallest go."""
        if len(self.keys) > 2 * _MOST_KEYS:
            self.keys = Counter(dict(self.keys.most_common(_MOST_KEYS)))
            self._are_all = False

    def said(self, records: int) -> Iterator[str]:
        """What there is to say of the pass, in lines as `describe_pass` has them; the log has so many records."""
        number = f"{len(self.keys):,}" if self._are_all else f"more than {_MOST_KEYS:,}"
        yield f"records     {self.records:,} of {records:,} replayed, under {number} keys"
        if self.records > 1:
            largest = self.keys.most_common(_SHOWN)
            yield f"largest     {', '.join(f'{_named(key)} {count:,}' for key, count in largest)}"
            skew = largest[0][1] / self.records
            if skew > _SKEWED:
                yield (
                    f"skew        {skew:.0%} of the records are under one key, which one core replays: further cores"
                    " help with the rest only"
                )


def _named(key: Key) -> str:
    doc, node = key
    if node is None:
        return repr(doc)
    return f"{'' if doc is None else f'{doc!r} '}{'value' if isinstance(node, str) else 'node'} {node!r}"


def count_records(files: Sequence[LogFile], plan: Plan) -> tuple[int, list[PassCount]]:
    """Reads the logs and counts, all records and those of each pass; bad records are left out."""
    counts = [PassCount() for _ in plan.passes]
    routes: dict[tuple[str, PathType], list[tuple[int, int]]] = {}
    records = 0
    decoder = RowDecoder(ClockCheck.ANY)
    for file in files:
        for item in PartReader(whole(file), decoder, lambda _: None).read():
            if not isinstance(item, Batch):
                continue
            records += len(item.rows)
            for row in item.rows:
                type_ = (row[1], row[2])
                route = routes.get(type_)
                if route is None:
                    route = routes[type_] = plan.feeds(*type_)
                for index, step in route:
                    counts[index].add((None if plan.passes[index].across else row[8], key_at(row, step)))
            for count in counts:
                count.forget_small()
    return records, counts
