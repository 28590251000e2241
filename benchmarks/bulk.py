"""Large change logs, made as columns: a hundred million records need minutes, and the memory of one chunk.

The model is that of `histories`: ``window`` items are open at a time, each step takes the next event of a random
open item, an item that is through makes way for a new one. Here a chunk of steps draws its items at once, and the
items' lives come from `lives`. A log of one shape has one document:

- ``many``: one order with all items, ``/order/item``. Under rules by item: many small groups.
- ``few``: eight orders, ``/orders/order/item``. Under rules by order: few large groups.
- ``skew``: as ``few`` with a thousand orders, of which the first has a third of the items.

A log begins with its orders, each with an address the bill goes to (seven nodes, for the sample rules).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from xmlcep.log.parquet import arrow_schema

from .lives import EVENT, IDS_PER_LIFE, KINDS, NUMBERS, Events, make_lives

ShapeName: TypeAlias = Literal["many", "few", "skew"]
CHUNK = 500_000
_EVENTS_PER_LIFE = 11  # a little less than the mean: rather a second round than lives nobody needs yet
_TEXTS = [*map(str, range(NUMBERS)), "as soon as possible"]


class Shape(NamedTuple):
    """How many orders a document has (0: it is the order itself) and which share of the items the first has."""

    orders: int = 0
    first_has: float = 0.0


SHAPES: dict[ShapeName, Shape] = {"many": Shape(), "few": Shape(8), "skew": Shape(1000, 1 / 3)}

# Below an order: path, position among its siblings, index of its parent's id, text.
_BILL_TO = (
    ("/billTo", 0, None), ("/billTo/address", 0, None), ("/billTo/address/street", 0, None),
    ("/billTo/address/street/text()", 0, "8 Oak Avenue"), ("/billTo/address/city", 1, None),
    ("/billTo/address/city/text()", 0, "Old Town"),
)  # fmt: skip
_ABOVE = ((), (0,), (0, 1), (0, 1, 2), (0, 1), (0, 1, 4))
_IDS_PER_ORDER = 1 + len(_BILL_TO)


@dataclass(frozen=True, slots=True)
class BulkLog:
    """A log that can be made again: the same values give the same records.

    ``names`` are the element names of items (an item takes them in turn), ``deleted`` the share of items
    that are deleted at the end of their life, ``transaction`` how many records share a ``txn``.
    """

    events: int
    shape: ShapeName = "many"
    window: int = 1000
    names: tuple[str, ...] = ("item",)
    deleted: float = 0.3
    transaction: int | None = None
    seed: int = 1

    def tables(self) -> Iterator[pa.Table]:
        """The records in order, in tables of the columns of a Parquet log."""
        columns = _Columns(self)
        begin = columns.beginning().slice(0, self.events)
        yield begin
        done = len(begin)
        random = np.random.default_rng(self.seed)
        places = _Places(self, random)
        while done < self.events:
            size = min(CHUNK, self.events - done)
            drawn = random.integers(0, self.window, size, dtype=np.uint16)
            yield columns.table(places.take(drawn), done + 1)
            done += size


class _Places:
    """The open items: for each place the events still to come, of the item that is there and of those after it."""

    def __init__(self, log: BulkLog, random: np.random.Generator) -> None:
        self._log = log
        self._random = random
        self._shape = SHAPES[log.shape]
        self._lives = 0
        self._place = np.zeros(0, np.uint16)  # ascending; those of a place in their order
        self._events = np.zeros(0, EVENT)

    def take(self, drawn: NDArray[np.uint16]) -> Events:
        """The next events of the places drawn, one by one."""
        wanted = np.bincount(drawn, minlength=self._log.window)
        there = np.bincount(self._place, minlength=self._log.window)
        while (missing := np.maximum(wanted - there, 0)).any():
            self._add(missing)
            there = np.bincount(self._place, minlength=self._log.window)
        # The n-th draw of a place takes the n-th of its events.
        by_place = np.argsort(drawn, kind="stable")
        sources = _starts(there)[drawn[by_place]] + _counted(wanted)
        taken = np.empty(len(drawn), EVENT)
        taken[by_place] = self._events[sources]
        kept = np.ones(len(self._events), bool)
        kept[sources] = False
        self._place, self._events = self._place[kept], self._events[kept]
        return taken

    def _add(self, missing: NDArray[np.int64]) -> None:
        """New items where events are missing, probably enough of them."""
        lives = -(-missing // _EVENTS_PER_LIFE)
        places = np.repeat(np.arange(self._log.window, dtype=np.uint16), lives)
        events = make_lives(self._lives, self._draw_orders(len(places)), self._log.deleted, self._random)
        place = places[events["life"] - self._lives]
        self._lives += len(places)
        place, events = np.concatenate((self._place, place)), np.concatenate((self._events, events))
        order = np.argsort(place, kind="stable")
        self._place, self._events = place[order], events[order]

    def _draw_orders(self, count: int) -> NDArray[np.int32]:
        orders, first_has = self._shape
        drawn = self._random.integers(0, max(orders, 1), count, dtype=np.int32)
        if first_has:
            drawn = np.where(self._random.random(count) < first_has, 0, np.maximum(drawn, 1))
        return drawn.astype(np.int32)


def _starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of the runs of these lengths starts."""
    return np.cumsum(counts) - counts


def _counted(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2 … for each of the runs of these lengths.

    >>> _counted(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(counts.sum()) - np.repeat(_starts(counts), counts)


class _Columns:
    """Makes the columns of a log from events."""

    def __init__(self, log: BulkLog) -> None:
        self._log = log
        self._schema = arrow_schema()
        self._orders = SHAPES[log.shape].orders
        self._doc = "orders" if self._orders else "order"
        self._order_path = "/orders/order" if self._orders else "/order"
        self._first_order = 2 if self._orders else 1
        self._first_item = self._first_order + max(self._orders, 1) * _IDS_PER_ORDER
        self._ops = pa.array([op for op, _ in KINDS])
        paths = [f"{self._order_path}/{name}{below}" for name in log.names for _, below in KINDS]
        self._paths = pa.array(paths)
        self._texts = pa.array(_TEXTS)

    def beginning(self) -> pa.Table:
        """The first records: the document and its orders."""
        records: list[dict[str, Any]] = []
        if self._orders:
            records.append({"path": "/orders", "ids": [1], "pos": 0})
        for number in range(max(self._orders, 1)):
            first = self._first_order + number * _IDS_PER_ORDER
            above = [1, first] if self._orders else [first]
            records.append({"path": self._order_path, "ids": above, "pos": number})
            for index, ((path, pos, value), places) in enumerate(zip(_BILL_TO, _ABOVE, strict=True), 1):
                ids = [*above, *(first + 1 + place for place in places), first + index]
                records.append({"path": self._order_path + path, "ids": ids, "pos": pos, "value": value})
        for ts, record in enumerate(records, 1):
            record |= {"doc": self._doc, "ts": ts, "op": "ins", "txn": self._transaction(ts)}
        return pa.Table.from_pylist(records, self._schema)

    def table(self, events: Events, first: int) -> pa.Table:
        """The records of items' events; the first of them has the time point ``first``."""
        size = len(events)
        ts = np.arange(first, first + size)
        paths = events["kind"] + events["life"] % len(self._log.names) * len(KINDS)
        txn = self._transaction(ts)
        columns = {
            "doc": pa.repeat(pa.scalar(self._doc), size),
            "ts": pa.array(ts),
            "op": _chosen(events["kind"].astype(np.int32), self._ops),
            "path": _chosen(paths.astype(np.int32), self._paths),
            "ids": self._ids(events),
            "value": _chosen(events["value"].astype(np.int32), self._texts),
            "old": _chosen(events["old"].astype(np.int32), self._texts),
            "pos": pa.array(events["pos"].astype(np.int64), mask=events["pos"] < 0),
            "txn": pa.nulls(size, pa.int64()) if txn is None else pa.array(txn),
        }
        arrays = [columns.get(field.name, pa.nulls(size, field.type)) for field in self._schema]
        return pa.Table.from_arrays(arrays, schema=self._schema)

    def _ids(self, events: Events) -> pa.ListArray:
        item = self._first_item + events["life"] * IDS_PER_LIFE
        everywhere = np.ones(len(events), bool)
        steps = [(np.ones_like(item), everywhere)]
        if self._orders:
            steps.append((self._first_order + events["order"].astype(np.int64) * _IDS_PER_ORDER, everywhere))
        steps.append((item, everywhere))
        steps += [(item + events[node], events[node] > 0) for node in ("element", "text")]
        ids = np.stack([ids for ids, _ in steps], axis=1)
        present = np.stack([present for _, present in steps], axis=1)
        ends = np.cumsum(present.sum(axis=1), dtype=np.int32)
        return pa.ListArray.from_arrays(np.concatenate(([np.int32(0)], ends)), ids[present])

    def _transaction(self, ts: Any) -> Any:
        """The number of the transaction of a time point, or of an array of them."""
        size = self._log.transaction
        return None if size is None else (ts - 1) // size + 1


def _chosen(indexes: NDArray[np.int32], values: pa.Array) -> pa.Array:
    """The values at these indexes, null where the index is negative."""
    return pa.DictionaryArray.from_arrays(pa.array(indexes, mask=indexes < 0), values).dictionary_decode()
