"""Filters, joins and aggregates: what values cost beside Q1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import cast

from path_types import PathType

from .engine import detection
from .floor import count_sums
from .frame import Figure, Settings
from .histories import History, Row
from .measure import measure, per_event
from .queries import complete_rule, rows_in_memory

TITLE = "Values: filters, joins by a variable, aggregates over sliding windows"

ITEM_PRICE = PathType.parse("/order/item/price/text()")
ITEM_QUANTITY = PathType.parse("/order/item/quantity/text()")
WINDOWS = (100, 1_000, 10_000)
"""How many arrivals are in the window of an aggregate."""
USERS = 10
MOST = (
    'event Most = x[3,*]{by="u", within="1 h", having="sum($p) > 100"} '
    "upd(item/price/text()) as $p as $u = ($meta:user)"
)
"""One user changed prices by more than 100 within an hour."""


def run(settings: Settings) -> Iterator[Figure]:
    yield from _filters(settings)
    yield from _joins(settings)
    yield from _aggregates(settings)


def _filters(settings: Settings) -> Iterator[Figure]:
    """A filter that is false, against a rule that looks at no event: what a look costs."""
    rows = _prices(settings.events)
    timings = measure(
        {
            "a rule about other events": detection("event F = upd(item/other/text())", rows),
            "[number(.) > number($old)]": detection(
                "event F = upd(item/price/text())[number(.) > number($old)]", rows
            ),
            "[$meta:user = 'nobody']": detection(
                "event F = upd(item/price/text())[$meta:user = 'nobody']", rows
            ),
        },
        runs=settings.runs,
    )
    yield from per_event(
        "values", "filter", timings, events=len(rows), base="a rule about other events", what="composites"
    )


def _joins(settings: Settings) -> Iterator[Figure]:
    rows = _pairs(settings.events)
    price, quantity = "upd(item/price/text())", "upd(item/quantity/text())"
    timings = measure(
        {
            "without": detection(f"event J = {price} & {quantity}", rows),
            "by one variable": detection(f"event J = {price} as $v & {quantity} as $v", rows),
        },
        runs=settings.runs,
    )
    yield from per_event("values", "join", timings, events=len(rows), base="without", what="composites")


def _aggregates(settings: Settings) -> Iterator[Figure]:
    """The time between changes says how many are in an hour; the floor knows the one query by heart."""
    q1 = rows_in_memory(History(settings.events, 1000, seed=settings.seed))
    alternatives = {"q1": detection(complete_rule(), q1)}
    for window in WINDOWS:
        rows = _prices(settings.events, in_an_hour=window * USERS)
        alternatives[f"floor of {window:,}"] = partial(
            count_sums, rows, ITEM_PRICE, within=timedelta(hours=1), more_than=100
        )
        for name, rule in (("raised each time", MOST), ("never raised", MOST.replace("> 100", "< 0"))):
            alternatives[f"sum($p) of {window:,}, {name}"] = detection(rule, rows)
    timings = measure(alternatives, runs=settings.runs)
    yield from per_event("values", "having", timings, events=settings.events, base="q1", what="composites")


def _prices(count: int, in_an_hour: int = 1000) -> Sequence[Row]:
    """Changes of the price of one item by ten users in turn, each below the one before."""
    gap = 3_600_000 // in_an_hour  # in milliseconds
    return [
        _row(ts, ITEM_PRICE, f"{count - ts + 50}.25", f"{count - ts + 51}.25", ts * gap, f"user{ts % USERS}")
        for ts in range(1, count + 1)
    ]


def _pairs(count: int) -> Sequence[Row]:
    """Changes of price and quantity of an item, both to the same value."""
    paths = (ITEM_PRICE, ITEM_QUANTITY)
    return [_row(ts, paths[ts % 2], f"{ts // 2 % 50}", "0", ts, "ann") for ts in range(2, count + 2)]


def _row(ts: int, path: object, value: str, old: str, milliseconds: int, user: str) -> Row:
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    at = f"2026-01-{1 + days:02}T{hours:02}:{minutes:02}:{rest / 1000:06.3f}Z"
    ids = (1, 2, 3, 4) if path is ITEM_PRICE else (1, 2, 5, 6)
    return cast("Row", (ts, "upd", path, ids, value, old, None, at, "order", None, {"user": user}, False))
