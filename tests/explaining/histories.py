"""Short histories for tests: one event a line, ``ins item/price 1.3.4 value @time txn``."""

from __future__ import annotations

from path_types import PathType
from xmlcep.events import PrimitiveEvent


def events(text: str) -> list[PrimitiveEvent]:
    """The events of a text, numbered from 1; a path is below ``/order``, its ids from the root's (1) on.

    Behind the ids come ``=value``, ``<old``, ``@seconds``, ``#txn``.
    """
    found = []
    for ts, line in enumerate(filter(None, map(str.strip, text.splitlines())), 1):
        op, path, ids, *rest = line.split()
        marks = {mark[0]: mark[1:] for mark in rest}
        txn = marks.get("#")
        at = f"2026-01-01T00:00:{int(marks['@']):02}Z" if "@" in marks else None
        found.append(
            PrimitiveEvent(
                ts, op, PathType.parse(f"/order/{path}" if path != "." else "/order"),
                tuple(map(int, ids.split("."))), marks.get("="), marks.get("<"), None, at, "d",
                None if txn is None else int(txn), {"user": "ann"},
            )
        )  # fmt: skip
    return found


ITEM = """
    ins item 1.3
    ins item/price 1.3.4
    ins item/price/text() 1.3.4.5 =7
    ins item/quantity 1.3.6
    ins item/quantity/text() 1.3.6.7 =0
"""
