"""How many records of a log each pass would replay: the numbers of ``--explain`` and ``--dry-run``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from path_types import PathType

from ...log import Batch, ClockCheck
from ...log.decoding import RowDecoder
from ..inputs import LogFile, SplitReader, whole
from .partition_key import Plan

_MOST_KEYS = 1_000_000


@dataclass(frozen=True, slots=True)
class Counts:
    """Records in all, and per pass how many are replayed and under how many keys (as text, it may be a bound)."""

    records: int
    fed: tuple[int, ...]
    keys: tuple[str, ...]


def count_records(files: Sequence[LogFile], plan: Plan) -> Counts:
    """Reads the logs and counts; bad records are left out."""
    fed = [0] * len(plan.passes)
    keys: list[set[tuple[str, int]]] = [set() for _ in plan.passes]
    routes: dict[tuple[str, PathType], list[tuple[int, int]]] = {}
    records = 0
    decoder = RowDecoder(ClockCheck.ANY)
    for file in files:
        for item in SplitReader(whole(file), decoder, lambda _: None).read():
            if not isinstance(item, Batch):
                continue
            records += len(item.rows)
            for row in item.rows:
                kind = (row[1], row[2])
                route = routes.get(kind)
                if route is None:
                    route = routes[kind] = plan.feeds(*kind)
                for index, step in route:
                    fed[index] += 1
                    if len(keys[index]) < _MOST_KEYS:
                        keys[index].add((row[8], 0 if step < 0 else row[3][step]))
    shown = tuple(
        f"{len(each):,}" if len(each) < _MOST_KEYS else f"more than {_MOST_KEYS:,}" for each in keys
    )
    return Counts(records, tuple(fed), shown)
