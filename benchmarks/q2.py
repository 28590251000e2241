"""Q2: `upd(item/price/text()) & upd(item/quantity/text())` per item, chronicle consumption."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from .duck import columns, query
from .engine import detection
from .floor import count_both_modified
from .frame import Figure, Settings
from .histories import History
from .measure import measure, per_event
from .queries import ITEM, SQL_Q2, both_rule, rows_in_memory

TITLE = "Q2, price and quantity both modified: 1, 10 and 1000 items open at once, rows in memory"
WINDOWS = (1, 10, 1000)


def run(settings: Settings) -> Iterator[Figure]:
    """Engine, floor and DuckDB for each number of open items; the bare mix besides for the widest."""
    for window in WINDOWS:
        history = History(settings.events, window, seed=settings.seed)
        yield from _one(f"W={window}", history, settings)
    bare = History(settings.events, WINDOWS[-1], "bare", seed=settings.seed)
    yield from _one(f"W={WINDOWS[-1]}, bare mix", bare, settings)


def _one(case: str, history: History, settings: Settings) -> Iterator[Figure]:
    rows = rows_in_memory(history)
    with columns(history) as source:
        alternatives: dict[str, Callable[[], object]] = {
            "floor": partial(count_both_modified, rows, ITEM),
            "engine": detection(both_rule(), rows),
        }
        if source is not None:
            alternatives["DuckDB"] = query(SQL_Q2, source)
        timings = measure(alternatives, runs=settings.runs)
    yield from per_event("q2", case, timings, events=history.events)
