"""The alphabet of all tables: one word per event (or flush), one time point per word.

A word is a letter for the node, the number of the item it belongs to, and what happens to it:

====== ============================ ======================== =====================
letter path                         letter                   path
====== ============================ ======================== =====================
``o``  ``/order`` (always order 1)  ``t``                    ``…/price/text()``
``i``  ``/order/item``              ``u``                    ``…/quantity/text()``
``p``  ``/order/item/price``        ``b``                    ``/order/billTo``
``q``  ``/order/item/quantity``     ``n``                    ``/order/item/item``
``c``  ``/order/item/comment``      ``m``                    ``/order/item/item/price``
====== ============================ ======================== =====================

``p1`` inserts the price of item 1, ``p1!`` updates it, ``p1-`` deletes it. A suffix tells nodes or
updates apart: ``q1.2`` is another quantity of item 1 (another node), ``p1!.2`` the second update of the
price. ``t1=5`` gives the price of item 1 the text 5 (an ``ins`` the first time, then ``upd``).
``flush`` and ``close`` stand for themselves; they take no time.
"""

from __future__ import annotations

import re

from path_types import PathType
from xmlcep.events import PrimitiveEvent

_PATHS = {
    "o": "/order", "b": "/order/billTo", "i": "/order/item", "p": "/order/item/price",
    "q": "/order/item/quantity", "c": "/order/item/comment", "t": "/order/item/price/text()",
    "u": "/order/item/quantity/text()", "n": "/order/item/item", "m": "/order/item/item/price",
}  # fmt: skip
_PARENTS = {"o": "", "b": "o", "i": "o", "p": "i", "q": "i", "c": "i", "t": "p", "u": "q", "n": "i", "m": "n"}
_WORD = re.compile(r"(?P<letter>[a-z])(?P<item>\d+)(?P<rest>.*)")
_REST = re.compile(r"(?P<node>\.\d+)?(?P<change>[!-](\.\d+)?|=.*)?")
MARKERS = ("flush", "close")


def steps_of(text: str) -> tuple[list[PrimitiveEvent | str], dict[int, str]]:
    """The steps the words of ``text`` stand for, and the word of each time point."""
    words: dict[int, str] = {}
    steps: list[PrimitiveEvent | str] = []
    nodes: dict[str, str | None] = {}
    for word in text.split():
        if word in MARKERS:
            steps.append(word)
        else:
            ts = len(words) + 1
            words[ts] = word
            steps.append(_event(word, ts, nodes))
    return steps, words


def _event(word: str, ts: int, nodes: dict[str, str | None]) -> PrimitiveEvent:
    """``nodes`` has the text value of every node that occurred so far."""
    found = _WORD.fullmatch(word)
    rest = _REST.fullmatch(found["rest"]) if found else None
    if found is None or rest is None:
        raise ValueError(f"{word!r} is not a word of the alphabet")
    letter, node, change = found["letter"], rest["node"] or "", rest["change"] or ""
    key = letter + found["item"] + node
    op, old, value = "ins", nodes.get(key), None
    if change.startswith("="):
        op, value = ("upd" if old is not None else "ins"), change[1:]
    elif change:
        op = "del" if change[0] == "-" else "upd"
    nodes[key] = value
    ids = _ids(letter, found["item"], node)
    path = PathType.parse(_PATHS[letter])
    return PrimitiveEvent(ts, op, path, ids, value=value, old=old)


def _ids(letter: str, item: str, node: str) -> tuple[int, ...]:
    """Ids that tell the nodes of different items, letters and numbers apart, equal for equal nodes."""
    if letter == "o":
        return (1,)
    parent = _PARENTS[letter]
    number = int(node[1:]) if node else 1
    own = int(item) * 10_000 + sorted(_PATHS).index(letter) * 100 + number
    return (*_ids(parent, item, ""), own)
