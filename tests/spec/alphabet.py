"""The alphabet of all tables: one word per event (flush, time), one time point per event.

A word is a letter for the node, the number of the item it belongs to, and what happens to it:

====== ============================ ======================== =====================
letter path                         letter                   path
====== ============================ ======================== =====================
``o``  ``/order`` (always order 1)  ``t``                    ``…/price/text()``
``i``  ``/order/item``              ``u``                    ``…/quantity/text()``
``p``  ``/order/item/price``        ``b``                    ``/order/billTo``
``q``  ``/order/item/quantity``     ``n``                    ``/order/item/item``
``c``  ``/order/item/comment``      ``m``                    ``/order/item/item/price``
``a``  ``/order/item/@partNum``     ``v``                    ``…/comment/text()``
``r``  ``…/item/item/quantity``     ``k``                    ``…/item/item/item``
``s``  ``…/item/item/comment``      ``l``                    ``…/item/item/item/price``
====== ============================ ======================== =====================

``p1`` inserts the price of item 1, ``p1!`` updates it, ``p1-`` deletes it. A suffix tells nodes or
updates apart: ``q1.2`` is another quantity of item 1 (another node), ``p1!.2`` the second update of the
price. ``t1=5`` gives the price of item 1 the text 5 (an ``ins`` the first time, then ``upd``).
``flush`` and ``close`` stand for themselves; they take no time.

``@60`` says that what follows happens at second 60 of the day on which it all happens, ``>60`` that the application
says it is second 60 (W6), ``^Seen:p1`` that the external event ``Seen`` happens at the price of item 1 (L7). ``( … )``
is one edit (U1), ``[ … ]`` one transaction, with a flush at its end (D3). What stands behind a ``~`` is the user:
``p1~ann``. Rules can look things up in the reference document ``parts.xml``.
"""

from __future__ import annotations

import re
from typing import cast

from path_types import PathType
from tests.reference import Advance, Raise, Step
from tests.reference.clock import microseconds, written
from xmlcep.events import PrimitiveEvent

_PATHS = {
    "o": "/order", "b": "/order/billTo", "i": "/order/item", "p": "/order/item/price",
    "q": "/order/item/quantity", "c": "/order/item/comment", "t": "/order/item/price/text()",
    "u": "/order/item/quantity/text()", "n": "/order/item/item", "m": "/order/item/item/price",
    "a": "/order/item/@partNum", "v": "/order/item/comment/text()", "r": "/order/item/item/quantity",
    "k": "/order/item/item/item", "l": "/order/item/item/item/price", "s": "/order/item/item/comment",
}  # fmt: skip
_PARENTS = {
    "o": "", "b": "o", "i": "o", "p": "i", "q": "i", "c": "i", "t": "p", "u": "q", "n": "i", "m": "n", "a": "i",
    "v": "c", "r": "n", "k": "n", "l": "k", "s": "n",
}  # fmt: skip
_WORD = re.compile(r"(?P<letter>[a-z])(?P<item>\d+)(?P<rest>.*)")
_REST = re.compile(r"(?P<node>\.\d+)?(?P<change>[!-](\.\d+)?|=.*)?")
MARKERS = ("flush", "close")
DOCUMENTS = {"parts.xml": '<parts><part n="7" state="old"/><part n="8" state="new" price="30"/></parts>'}
"""The reference documents that the rules of tables and of docs/semantics.md ask (V8), by the names of their files."""


def steps_of(text: str) -> tuple[list[Step], dict[int, str]]:
    """The steps the words of ``text`` stand for, and the word of each time point."""
    return _Reader().read(text)


class _Reader:
    """What has been said so far: the time, the edit and the transaction that are open, and every node's value."""

    def __init__(self) -> None:
        self.words: dict[int, str] = {}
        self.steps: list[Step] = []
        self.nodes: dict[str, str | None] = {}
        self.at: str | None = None
        self.transactions = 0
        self.in_transaction = False
        self.in_edit = False

    def read(self, text: str) -> tuple[list[Step], dict[int, str]]:
        for sign in "()[]":
            text = text.replace(sign, f" {sign} ")
        for word in text.split():
            self._take(word)
        return self.steps, self.words

    def _take(self, word: str) -> None:
        if word in MARKERS:
            self.steps.append(cast("Step", word))
        elif word[0] == "@":
            self.at = _time(word[1:])
        elif word[0] == ">":
            self.steps.append(Advance(_time(word[1:])))
        elif word[0] == "^":
            name, _, place = word[1:].partition(":")
            self.steps.append(Raise(name, _event(place, 0, {}).instance))
        elif word == "[":
            self.transactions += 1
            self.in_transaction = True
        elif word == "]":
            self.in_transaction = False
            self.steps.append("flush")
        elif word == "(":
            self.in_edit = True
        elif word == ")":
            self.in_edit = False
            last = self.steps[-1]
            if isinstance(last, PrimitiveEvent):
                self.steps[-1] = last._replace(more=False)
        else:
            self._take_event(word)

    def _take_event(self, word: str) -> None:
        ts = len(self.words) + 1
        word, _, user = word.partition("~")
        self.words[ts] = word
        self.steps.append(
            _event(word, ts, self.nodes)._replace(
                at=self.at,
                txn=self.transactions if self.in_transaction else None,
                meta={"user": user} if user else None,
                more=self.in_edit,
            )
        )


def _time(seconds: str) -> str:
    """So many seconds after the beginning of a day."""
    return written(microseconds("2026-01-01T00:00:00Z") + round(float(seconds) * 1_000_000))


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
