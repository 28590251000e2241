"""What a sum in a window costs, part by part: loops for this one query that make ever more of what the engine makes.

Of each user the changes of prices within an hour, where there are three or more and they come to more than a number.
Unlike `count_sums` these keep the changes, know when each came, and have exact sums. None knows groups of places,
several rules, expressions, expiry, or an event of another type. Each writes out what another does: a call would
be measured, too.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from contexts import Entry
from contexts.entry import BINDINGS, FIRST, Moment
from path_types import PathType
from xmlcep.engine.operators.accumulation import Integrated
from xmlcep.engine.values import GatheredBindings
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.timestamps import microseconds

from .histories import Row

_new_tuple = tuple.__new__
_WITHIN = 3_600_000_000
_TIDY = 1_000
_PRICE = PathType.parse("/order/item/price/text()")
_PLACE = PathType.parse("/order/item/price")


class _Lists:
    """Changes of one user: rows or events, when they came, and the sum of their prices, side by side."""

    __slots__ = ("begin", "events", "numbers", "times", "total", "transactions")

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.times, self.transactions, self.numbers = array("q"), array("q"), array("d")
        self.begin, self.total = 0, 0.0

    def drop_before(self, limit: int) -> None:
        times, numbers, begin = self.times, self.numbers, self.begin
        while times[begin] < limit:
            self.total -= numbers[begin]
            begin += 1
        if begin > _TIDY and 2 * begin > len(times):
            self.events = self.events[begin:]
            del times[:begin], numbers[:begin], self.transactions[:begin]
            begin = 0
        self.begin = begin


def count_in_lists(rows: Iterable[Row], more_than: float) -> int:
    """How often; the rows are kept as they are."""
    users: dict[tuple[int, str], _Lists] = {}
    matches = transaction = 0
    for row in rows:
        if row[1] == "upd" and row[2] is _PRICE:
            at, value, meta = row[7], row[4], row[10]
            assert at is not None and value is not None and meta is not None
            now, transaction, number = microseconds(at), transaction + 1, float(value)
            key = (row[3][2], meta["user"])
            lists = users.get(key)
            if lists is None:
                lists = users[key] = _Lists()
            lists.events.append(row)
            lists.times.append(now)
            lists.transactions.append(transaction)
            lists.numbers.append(number)
            before = lists.total
            total = lists.total = before + number
            if total - before != number or total - number != before:
                raise ArithmeticError("the sum of these prices takes more than one double")
            if lists.times[lists.begin] < now - _WITHIN:
                lists.drop_before(now - _WITHIN)
            if lists.total > more_than and len(lists.events) - lists.begin >= 3:
                matches += 1
    return matches


def composites_in_lists(rows: Iterable[Row], more_than: float) -> Iterator[CompositeEvent]:
    """The composites, each with two views of all that is in its window, which nobody looks at: they are of rows."""
    users: dict[tuple[int, str], _Lists] = {}
    transaction = 0
    for row in rows:
        if row[1] == "upd" and row[2] is _PRICE:
            at, value, meta = row[7], row[4], row[10]
            assert at is not None and value is not None and meta is not None
            now, transaction, number = microseconds(at), transaction + 1, float(value)
            user = meta["user"]
            key = (row[3][2], user)
            lists = users.get(key)
            if lists is None:
                lists = users[key] = _Lists()
            lists.events.append(row)
            lists.times.append(now)
            lists.transactions.append(transaction)
            lists.numbers.append(number)
            before = lists.total
            total = lists.total = before + number
            if total - before != number or total - number != before:
                raise ArithmeticError("the sum of these prices takes more than one double")
            if lists.times[lists.begin] < now - _WITHIN:
                lists.drop_before(now - _WITHIN)
            begin, stop = lists.begin, len(lists.events)
            if lists.total > more_than and stop - begin >= 3:
                event = _new_tuple(PrimitiveEvent, row)
                first, last = lists.events[begin][0], row[0]
                part = Integrated(lists.events, begin, stop)
                span = (
                    _new_tuple(Moment, (first, lists.times[begin], lists.transactions[begin])),
                    _new_tuple(Moment, (last, now, transaction)),
                )
                bindings = GatheredBindings({"u": user}, ("p",), part)
                parts = ("Most", None, _PLACE, row[3][:3], part, first, last, event, bindings, span)
                yield _new_tuple(CompositeEvent, parts)


def composites_of_entries(rows: Iterable[Row], more_than: float) -> Iterator[CompositeEvent]:
    """The same, where each change is an event with its moment and its variables in an entry of its own, as operators
    store what comes to them."""
    users: dict[tuple[int, str], list[Entry]] = {}
    begins: dict[tuple[int, str], int] = {}
    totals: dict[tuple[int, str], float] = {}
    transaction = 0
    for row in rows:
        if row[1] == "upd" and row[2] is _PRICE:
            at, value, meta = row[7], row[4], row[10]
            assert at is not None and value is not None and meta is not None
            now, transaction, number = microseconds(at), transaction + 1, float(value)
            user = meta["user"]
            key = (row[3][2], user)
            entries = users.get(key)
            if entries is None:
                entries = users[key] = []
                begins[key], totals[key] = 0, 0.0
            event, ts = _new_tuple(PrimitiveEvent, row), row[0]
            moment = _new_tuple(Moment, (ts, now, transaction))
            variables = {"p": value, "u": user}
            entries.append((ts, ts, ts, event, moment, moment, variables))
            before = totals[key]
            total = totals[key] = before + number
            if total - before != number or total - number != before:
                raise ArithmeticError("the sum of these prices takes more than one double")
            begin, limit = begins[key], now - _WITHIN
            if entries[begin][FIRST][1] < limit:
                while entries[begin][FIRST][1] < limit:
                    total -= float(entries[begin][BINDINGS]["p"])
                    begin += 1
                totals[key] = total
                if begin > _TIDY and 2 * begin > len(entries):
                    entries = users[key] = entries[begin:]
                    begin = 0
                begins[key] = begin
            stop = len(entries)
            if total > more_than and stop - begin >= 3:
                first = entries[begin]
                part = Integrated(entries, begin, stop)
                bindings = GatheredBindings({"u": user}, ("p",), part)
                span = (first[FIRST], moment)
                parts = ("Most", None, _PLACE, row[3][:3], part, first[0], ts, event, bindings, span)
                yield _new_tuple(CompositeEvent, parts)


def _counted(
    composites: Callable[[Iterable[Row], float], Iterator[CompositeEvent]],
) -> Callable[[Iterable[Row], float], int]:
    return lambda rows, more_than: sum(1 for _ in composites(rows, more_than))


STEPS: dict[str, Callable[[Iterable[Row], float], int]] = {
    "lists by hand, counted": count_in_lists,
    "lists by hand": _counted(composites_in_lists),
    "entries by hand": _counted(composites_of_entries),
}
"""What each makes of the rows, in order of how much that is; each returns how many composites there are."""
