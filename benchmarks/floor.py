"""Hand-written loops for Q1, Q2, Q3, the sample rules, sums in a window: the least that matching can cost in Python.

Each takes rows as the engine does, knows its queries by heart and returns how many matches there are.
No contexts, no groups by path, no composites: only the count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain

from path_types import PathType

from .histories import TEXT, ItemPaths, Row


def count_complete(rows: Iterable[Row], paths: ItemPaths) -> int:
    """Q1: one dict from item to 1 (item seen), 2 (price seen), 3 (quantity seen); each item counts once."""
    item, price, quantity = paths.item, paths.price, paths.quantity
    states: dict[int, int] = {}
    matches = 0
    for row in rows:
        if row[1] == "ins":
            path = row[2]
            if path is item:
                states[row[3][1]] = 1
            elif path is price:
                key = row[3][1]
                state = states.get(key)
                if state == 3:
                    matches += 1
                    del states[key]
                elif state == 1:
                    states[key] = 2
            elif path is quantity:
                key = row[3][1]
                state = states.get(key)
                if state == 2:
                    matches += 1
                    del states[key]
                elif state == 1:
                    states[key] = 3
    return matches


def count_both_modified(rows: Iterable[Row], paths: ItemPaths) -> int:
    """Q2: one dict from item to prices that wait for a quantity (positive) or the reverse (negative)."""
    price, quantity = paths.price.child(TEXT), paths.quantity.child(TEXT)
    waiting: dict[int, int] = {}
    matches = 0
    for row in rows:
        if row[1] == "upd":
            path = row[2]
            if path is price:
                key = row[3][1]
                balance = waiting.get(key, 0)
                if balance < 0:
                    matches += 1
                waiting[key] = balance + 1
            elif path is quantity:
                key = row[3][1]
                balance = waiting.get(key, 0)
                if balance > 0:
                    matches += 1
                waiting[key] = balance - 1
    return matches


def count_many(rows: Iterable[Row], rules: Sequence[tuple[str, ItemPaths]]) -> int:
    """Q3: many rules at once with one dispatch table; a rule is ``("complete" | "both", paths)``."""
    # (op, path) -> which step of Q1 (1 item, 2 price, 3 quantity) or Q2 (4 price, 5 quantity) it is. Node
    # ids are unique in the document, so that one dict of states serves all rules.
    inserted, updated = {}, {}
    for form, paths in rules:
        if form == "complete":
            inserted.update({paths.item: 1, paths.price: 2, paths.quantity: 3})
        else:
            updated.update({paths.price.child(TEXT): 4, paths.quantity.child(TEXT): 5})
    states: dict[int, int] = {}
    matches = 0
    for row in rows:
        op = row[1]
        if op == "ins":
            step = inserted.get(row[2])
            if step is not None:
                key = row[3][1]
                if step == 1:
                    states[key] = 1
                else:
                    state = states.get(key)
                    if state == 1:
                        states[key] = step
                    elif state is not None and state != step:
                        matches += 1
                        del states[key]
        elif op == "upd":
            step = updated.get(row[2])
            if step is not None:
                key = row[3][1]
                balance = states.get(key, 0)
                if step == 4:
                    if balance < 0:
                        matches += 1
                    states[key] = balance + 1
                else:
                    if balance > 0:
                        matches += 1
                    states[key] = balance - 1
    return matches


def count_sums(rows: Iterable[Row], path: PathType, *, within: timedelta, more_than: float) -> int:
    """Of each user the updates within so long a time, and their sum as a float: how often there are three or more, and
    the sum is more than this. What drops out leaves its rounding behind, which exact sums do not."""
    windows: dict[str, deque[tuple[datetime, float]]] = {}
    totals: dict[str, float] = {}
    matches = 0
    for row in rows:
        if row[1] == "upd" and row[2] is path:
            at, value, meta = row[7], row[4], row[10]
            assert at is not None and value is not None and meta is not None
            now, number, user = datetime.fromisoformat(at), float(value), meta["user"]
            window = windows.get(user)
            if window is None:
                window = windows[user] = deque()
                totals[user] = 0.0
            window.append((now, number))
            total = totals[user] + number
            oldest = now - within
            while window[0][0] < oldest:
                total -= window.popleft()[1]
            totals[user] = total
            if total > more_than and len(window) >= 3:
                matches += 1
    return matches


_ELSEWHERE: Row = (0, "", PathType.parse("/elsewhere"), (0,), None, None, None, None, "", None, None, False)
_SURPLUS = (0, 1, -1, 0)  # of the price over the quantity, by what was worked on


def count_samples(rows: Iterable[Row], paths: ItemPaths) -> int:
    """The sample rules without conditions, of which four can match where there are no addresses: a complete item, both
    changed (again at each change), both worked on until something else was, an item withdrawn after a change."""
    item, price, quantity = paths.item, paths.price, paths.quantity
    price_text, quantity_text = price.child(TEXT), quantity.child(TEXT)
    lacks: dict[int, int] = {}  # price (1), quantity (2), both (3): of items that are not complete
    changed: dict[int, int] = {}  # likewise what has been
    quiet: dict[int, int] = {}  # how many more times the price was worked on, and left, than the quantity
    # The item that was worked on last, at what of it, in which transaction, and whether it is gone.
    busy, worked_on, txn, is_gone = 0, 0, None, False
    matches = 0
    for row in chain(rows, (_ELSEWHERE,)):
        op, path, ids = row[1], row[2], row[3]
        if worked_on and (len(ids) == 1 or ids[1] != busy or row[9] != txn):
            surplus, before = _SURPLUS[worked_on], quiet.get(busy, 0)
            if not surplus or surplus * before < 0:
                matches += 1
            if is_gone:
                quiet.pop(busy, None)
            else:
                quiet[busy] = before + surplus
            worked_on = 0
        if op == "ins":
            if path is item:
                lacks[ids[1]] = 3
            elif path is price or path is quantity:
                key = ids[1]
                lack = lacks.get(key)
                if lack is not None:
                    lack &= 2 if path is price else 1
                    if lack:
                        lacks[key] = lack
                    else:
                        matches += 1
                        del lacks[key]
        elif op == "upd":
            if path is price_text or path is quantity_text:
                part = 1 if path is price_text else 2
                busy, txn, is_gone = ids[1], row[9], False
                worked_on |= part
                known = changed[busy] = changed.get(busy, 0) | part
                if known == 3:
                    matches += 1
        elif path is item:
            key = ids[1]
            lacks.pop(key, None)
            if changed.pop(key, 0) & 1:
                matches += 1
            if worked_on and key == busy:
                is_gone = True
            else:
                quiet.pop(key, None)
    return matches
