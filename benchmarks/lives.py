"""Lives of purchase-order items in bulk: those of `histories`, thousands at once as numpy arrays.

What can happen in a life stands in the columns of a table, in the order in which it can happen; a row of the
table is one item, and what does not happen to it is left out. The shares are those of the valid mix: see
`histories`. Every item has nine node ids to itself, used or not: itself, its price, quantity and comment, the
price that replaces the first, each with its text node.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

KINDS: tuple[tuple[str, str], ...] = (
    ("ins", ""),
    ("ins", "/price"), ("ins", "/price/text()"),
    ("ins", "/quantity"), ("ins", "/quantity/text()"),
    ("ins", "/comment"), ("ins", "/comment/text()"),
    ("upd", "/price/text()"), ("upd", "/quantity/text()"),
    ("del", "/price/text()"), ("del", "/price"),
    ("del", "/quantity/text()"), ("del", "/quantity"),
    ("del", "/comment/text()"), ("del", "/comment"),
    ("del", ""),
)  # fmt: skip
"""What happens to items: operation and path below the item."""

IDS_PER_LIFE = 9
NUMBERS = 1003
"""Values are indexes: below this the number itself, `COMMENT` the text of comments, -1 none."""
COMMENT = NUMBERS

EVENT = np.dtype([
    ("life", np.int64), ("order", np.int32), ("kind", np.uint8), ("element", np.uint8), ("text", np.uint8),
    ("value", np.int16), ("old", np.int16), ("pos", np.int8),
])  # fmt: skip
"""An event: number of the life and of its order, index in `KINDS`, and which of the item's ids the element and
the text node have (0: the event has none); then value and old as indexes, and pos (-1: none)."""

Events: TypeAlias = NDArray[np.void]
_Numbers: TypeAlias = NDArray[np.int64]

_INS_COMMENT, _DEL_COMMENT, _DEL_ITEM = 5, 13, 15
_COMMENT_NODE, _NEW_PRICE_NODE = 5, 7
_UPDATES = 6
_WIDTH = 26


class _Table:
    """Lives as rows, what can happen as columns that are filled from left to right."""

    def __init__(self, lives: int) -> None:
        self.events = np.zeros((lives, _WIDTH), EVENT)
        self.present = np.zeros((lives, _WIDTH), bool)
        self._column = 0

    def put(
        self,
        kind: ArrayLike,
        *,
        element: ArrayLike = 0,
        text: ArrayLike = 0,
        value: ArrayLike = -1,
        old: ArrayLike = -1,
        pos: ArrayLike = -1,
        where: ArrayLike = True,
    ) -> None:
        """The next column: what happens to the lives ``where`` says."""
        column = self.events[:, self._column]
        column["kind"], column["element"], column["text"] = kind, element, text
        column["value"], column["old"], column["pos"] = value, old, pos
        self.present[:, self._column] = where
        self._column += 1

    def insert(
        self, kind: ArrayLike, node: ArrayLike, value: ArrayLike, pos: ArrayLike, where: ArrayLike = True
    ) -> None:
        """Two columns: an element is inserted, then its text node."""
        self.put(kind, element=node, pos=pos, where=where)
        self.put(np.add(kind, 1), element=node, text=np.add(node, 1), value=value, pos=0, where=where)

    def delete(self, kind: ArrayLike, node: ArrayLike, old: ArrayLike, where: ArrayLike) -> None:
        """Two columns: a text node is deleted, then its element."""
        self.put(kind, element=node, text=np.add(node, 1), old=old, where=where)
        self.put(np.add(kind, 1), element=node, where=where)


def make_lives(first: int, orders: NDArray[np.int32], deleted: float, random: np.random.Generator) -> Events:
    """The events of as many lives as there are ``orders``, life after life, numbered from ``first``.

    ``orders`` says to which order each belongs, ``deleted`` which share of the items is deleted in the end.
    """
    count = len(orders)
    table = _Table(count)
    has_quantity, has_comment = random.random(count) >= 0.1, random.random(count) < 0.3
    renewed, goes = random.random(count) < 0.05, random.random(count) < deleted
    # Price is part 0 and quantity part 1; their kinds and nodes stand in `KINDS` in this order.
    first_part = (has_quantity & (random.random(count) < 0.5)).astype(np.int64)
    second_part = 1 - first_part
    values = random.integers(0, 1000, (3, count))
    lives, always = np.arange(count), np.ones(count, bool)

    table.put(0, pos=0)
    for pos, (part, where) in enumerate(((first_part, always), (second_part, has_quantity))):
        table.insert(1 + 2 * part, 1 + 2 * part, values[part, lives], pos, where)
    table.insert(_INS_COMMENT, _COMMENT_NODE, COMMENT, 1 + has_quantity, has_comment)
    values[:2] += _put_updates(table, has_quantity, values, random)

    table.delete(9, 1, values[0], renewed)
    table.insert(1, _NEW_PRICE_NODE, values[2], has_quantity.astype(int) + has_comment, renewed)

    # The last child goes first; a renewed price is the last.
    table.delete(9, _NEW_PRICE_NODE, values[2], goes & renewed)
    table.delete(_DEL_COMMENT, _COMMENT_NODE, COMMENT, goes & has_comment)
    for part, where in ((second_part, has_quantity), (first_part, always)):
        still_there = goes & where & ~(renewed & (part == 0))
        table.delete(9 + 2 * part, 1 + 2 * part, values[part, lives], still_there)
    table.put(_DEL_ITEM, where=goes)

    table.events["life"] = (first + lives)[:, None]
    table.events["order"] = orders[:, None]
    return table.events[table.present]


def _put_updates(
    table: _Table, has_quantity: NDArray[np.bool_], values: _Numbers, random: np.random.Generator
) -> _Numbers:
    """Up to three updates of each part, shuffled, each adding one; returns by how much each part has grown."""
    count = len(has_quantity)
    wanted = random.integers(0, 4, (2, count))
    wanted[1] *= has_quantity
    # Six cards per life, three for each part, shuffled; of a part's cards as many count as it has updates.
    cards = random.random((count, _UPDATES)).argsort(axis=1)
    parts, counts = cards // 3, cards % 3 < np.where(cards < 3, wanted[0][:, None], wanted[1][:, None])
    grown = np.zeros((2, count), np.int64)
    lives = np.arange(count)
    for column in range(_UPDATES):
        part, where = parts[:, column], counts[:, column]
        old = values[part, lives] + grown[part, lives]
        table.put(
            7 + part, element=1 + 2 * part, text=2 + 2 * part, value=old + 1, old=old, where=where
        )  # fmt: skip
        grown[part, lives] += where
    return grown
