"""Histories of purchase orders: many items edited at once, their events interleaved at random.

``window`` items are open at a time; each step takes the next event of a random open item. The life of an
item: ins item; ins price and ins quantity in random order (10 % never get a quantity); 30 % ins comment;
0 to 3 upd price/text() and 0 to 3 upd quantity/text() (if it has one), shuffled; 5 % del price then ins
price again; 30 % del item at the end. Two mixes of that:

- ``"valid"`` is a history that a document can have (E6): elements come and go with their text nodes, the
  children of an item are deleted before it, and the first event creates the order.
- ``"bare"`` has just the events named above, one each; other engines were measured with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias

from path_types import PathType, Step

TEXT = Step.text()
# ts, op, path, ids, value, old, pos, at, doc, txn, meta, more: the layout of PrimitiveEvent, without its class.
Row: TypeAlias = tuple[
    int, str, PathType, tuple[int, ...], str | None, str | None, int | None, str | None, str, int | None,
    dict[str, str] | None, bool,
]  # fmt: skip
# A row that has not got its time yet: op, path, ids, value, old, pos.
_Change: TypeAlias = tuple[str, PathType, tuple[int, ...], str | None, str | None, int | None]


class ItemPaths(NamedTuple):
    """The path types of an item and what is in it."""

    item: PathType
    price: PathType
    quantity: PathType
    comment: PathType

    @classmethod
    def below(cls, parent: str, item: str = "item", price: str = "price") -> ItemPaths:
        """The path types of items below the elements that ``parent`` (an absolute path) leads to."""
        top = PathType.parse(f"{parent}/{item}")
        inner = [PathType.parse(f"{parent}/{item}/{name}") for name in (price, "quantity", "comment")]
        return cls(top, *inner)


@dataclass(frozen=True, slots=True)
class History:
    """A history that can be made again: the same values give the same rows.

    ``names`` are the element names of items (an item takes them in turn), ``deleted`` the share of items
    that are deleted at the end of their life, ``transaction`` how many events share a ``txn``.
    """

    events: int
    window: int = 1000
    mix: Literal["valid", "bare"] = "valid"
    names: tuple[str, ...] = ("item",)
    deleted: float = 0.3
    transaction: int | None = None
    seed: int = 1

    def rows(self) -> Iterator[Row]:
        """The rows, one by one: a history of any length needs no more memory than its open items."""
        changes = islice(_interleaved(self), self.events)
        size = self.transaction
        for ts, (op, path, ids, value, old, pos) in enumerate(changes, 1):
            txn = None if size is None else (ts - 1) // size + 1
            yield ts, op, path, ids, value, old, pos, None, "order", txn, None, False


def _interleaved(history: History) -> Iterator[_Change]:
    """The changes of all items; each step takes the next of a random open item."""
    random = Random(history.seed)
    ids = iter(range(2, 1 << 62))
    paths = [ItemPaths.below("/order", name) for name in history.names]
    turns = iter(range(1 << 62))

    def life() -> list[_Change]:
        builder = _Life(paths[next(turns) % len(paths)], history, ids)
        changes = builder.changes(random)
        changes.reverse()
        return changes

    if history.mix == "valid":
        yield "ins", PathType.parse("/order"), (1,), None, None, 0
    window = history.window
    open_items = [life() for _ in range(window)]
    draw = random.random
    while True:
        place = int(draw() * window)
        item = open_items[place]
        yield item.pop()
        if not item:
            open_items[place] = life()


class _Life:
    """Builds the changes of one item's life, in order."""

    def __init__(self, paths: ItemPaths, history: History, ids: Iterator[int]) -> None:
        self._paths = paths
        self._bare = history.mix == "bare"
        self._deleted = history.deleted
        self._ids = ids
        self._item = (1, next(ids))
        self._children: list[tuple[PathType, tuple[int, ...], tuple[int, ...]]] = []
        self._values: dict[PathType, str] = {}
        self._changes: list[_Change] = [("ins", paths.item, self._item, None, None, 0)]

    def changes(self, random: Random) -> list[_Change]:
        """The whole life; every choice is made with ``random``."""
        draw, paths = random.random, self._paths
        has_quantity = draw() >= 0.1
        parts = [paths.price, paths.quantity] if has_quantity else [paths.price]
        if draw() < 0.5:
            parts.reverse()
        for part in parts:
            self._insert(part, str(int(draw() * 1000)))
        if draw() < 0.3:
            self._insert(paths.comment, "as soon as possible")
        updates = [paths.price] * int(draw() * 4)
        if has_quantity:
            updates += [paths.quantity] * int(draw() * 4)
        random.shuffle(updates)
        for part in updates:
            self._update(part)
        if draw() < 0.05:
            self._delete(next(i for i, child in enumerate(self._children) if child[0] is paths.price))
            self._insert(paths.price, str(int(draw() * 1000)))
        if draw() < self._deleted:
            while self._children and not self._bare:
                self._delete(-1)
            self._changes.append(("del", paths.item, self._item, None, None, None))
        return self._changes

    def _insert(self, path: PathType, value: str) -> None:
        ids = (*self._item, next(self._ids))
        text = (*ids, next(self._ids))
        self._changes.append(("ins", path, ids, None, None, len(self._children)))
        if not self._bare:
            self._changes.append(("ins", path.child(TEXT), text, value, None, 0))
        self._children.append((path, ids, text))
        self._values[path] = value

    def _update(self, path: PathType) -> None:
        old = self._values[path]
        value = self._values[path] = str(int(old) + 1)
        text = next(child[2] for child in self._children if child[0] is path)
        self._changes.append(("upd", path.child(TEXT), text, value, old, None))

    def _delete(self, index: int) -> None:
        path, ids, text = self._children.pop(index)
        if not self._bare:
            self._changes.append(("del", path.child(TEXT), text, None, self._values[path], None))
        self._changes.append(("del", path, ids, None, None, None))


def as_record(row: Row) -> dict[str, Any]:
    """The row as a change log record."""
    ts, op, path, ids, value, old, pos, at, doc, txn, meta, _ = row
    return {
        "doc": doc, "ts": ts, "op": op, "path": str(path), "ids": list(ids), "value": value, "old": old,
        "pos": pos, "at": at, "txn": txn, "meta": meta,
    }  # fmt: skip
