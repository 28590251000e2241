"""What Q1 and Q2 share: one rule by engine, hand-written loop and DuckDB, for 1, 10 and 1000 items open at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from .duck import columns, query
from .engine import detection
from .frame import Figure, Settings
from .histories import History, ItemPaths, Row
from .measure import measure, per_event
from .queries import ITEM, rows_in_memory

WINDOWS = (1, 10, 1000)
Floor = Callable[[Iterable[Row], ItemPaths], int]


def compare(name: str, rule: str, floor: Floor, sql: str, settings: Settings) -> Iterator[Figure]:
    """The figures for each number of open items, and for the bare mix with the most of them."""
    cases = {f"W={window}": History(settings.events, window, seed=settings.seed) for window in WINDOWS}
    cases[f"W={WINDOWS[-1]}, bare mix"] = History(settings.events, WINDOWS[-1], "bare", seed=settings.seed)
    for case, history in cases.items():
        rows = rows_in_memory(history)
        with columns(history) as source:
            alternatives: dict[str, Callable[[], object]] = {
                "floor": partial(floor, rows, ITEM),
                "engine": detection(rule, rows),
            }
            if source is not None:
                alternatives["DuckDB"] = query(sql, source)
            timings = measure(alternatives, runs=settings.runs)
        yield from per_event(name, case, timings, events=history.events)
