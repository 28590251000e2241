"""What an audit finds, by a loop that knows its rules: ``python -m benchmarks.one_audit_loop LOG COUNT FINDINGS``.

The least that it can take row by row in Python: LOG is read by Arrow, unchecked, and only what the rules need becomes
tuples; the loop knows by heart that an item, its price and its quantity are inserted once; findings are dicts for
orjson. COUNT says how many rules (see `audit_sql.queries`). Prints CPU seconds since the process started, those before
any work, its peak memory in bytes, and how many findings there were.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from itertools import product
from time import process_time
from typing import Any, TypeAlias

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from xmlcep.log.columns.arrow_values import id_tuples, integers, number, numbers

from .audit_sql import Query, queries
from .measure import peak_bytes

Event: TypeAlias = tuple[int, str, str, tuple[int, ...], str | None, str | None]
"""ts, op, path, ids, value, old."""
Step: TypeAlias = tuple[int, str, str]
"""What events of a type are to their rule, the name of that, and the path of its items."""

_ITEM, _PRICE, _QUANTITY, _NEW_PRICE, _NEW_QUANTITY, _GONE = range(1, 7)
_COLUMNS = ("doc", "ts", "op", "path", "ids", "value", "old")


def main(log: str, count: str, target: str) -> None:
    """Runs the loop and prints."""
    steps = _steps(queries(int(count)))
    started = process_time()
    gc.disable()  # as an audit does
    found = 0
    loop = _Loop()
    with open(target, "wb") as file:
        for doc, blocks in _blocks(log, steps):
            lines = loop.lines(doc, blocks)
            found += len(lines)
            file.write(b"".join(lines))
    print(json.dumps([process_time(), started, peak_bytes(), found]))


def _steps(asked: list[Query]) -> dict[tuple[str, str], Step]:
    """What events are to the rules, by operation and path."""
    steps: dict[tuple[str, str], Step] = {}
    for event, item, complete in asked:
        path = f"/order/{item}"
        below = (
            [("ins", "", _ITEM), ("ins", "/price", _PRICE), ("ins", "/quantity", _QUANTITY)]
            if complete
            else [("upd", "/price/text()", _NEW_PRICE), ("upd", "/quantity/text()", _NEW_QUANTITY)]
        )
        for op, rest, kind in below:
            steps[op, path + rest] = kind, event, path
        steps["del", path] = _GONE, "", path
    return steps


def _blocks(
    log: str, steps: dict[tuple[str, str], Step]
) -> Iterator[tuple[str, Iterator[tuple[Step | None, Event]]]]:
    """Document and events of each block, those that are something to a rule."""
    file = pq.ParquetFile(log, read_dictionary=["doc", "op", "path"])
    for batch in file.iter_batches(32_768, columns=list(_COLUMNS), use_threads=False):
        doc, ts, op, path, ids, value, old = batch.columns
        types = list(product(path.dictionary.to_pylist(), op.dictionary.to_pylist()))
        known = [steps.get((op, path)) for path, op in types]
        size = number(len(op.dictionary))
        codes = pc.add(pc.multiply(path.indices.cast(pa.int64()), size), op.indices.cast(pa.int64()))
        needed = numbers(step is not None for step in known).cast(pa.bool_()).take(codes)
        chosen = integers(codes.filter(needed))
        nodes = ids.filter(needed)
        events = zip(
            integers(ts.filter(needed)), (types[code][1] for code in chosen),
            (types[code][0] for code in chosen), id_tuples(nodes),
            value.filter(needed).to_pylist(), old.filter(needed).to_pylist(), strict=True,
        )  # fmt: skip
        yield doc[0].as_py(), zip((known[code] for code in chosen), events, strict=True)


class _Loop:
    """What waits, by item: nodes have ids that no other has, so that all rules share the dicts."""

    def __init__(self) -> None:
        self._items: dict[int, Event] = {}
        self._prices: dict[int, Event] = {}
        self._quantities: dict[int, Event] = {}
        self._new_prices: dict[int, list[Event]] = {}
        self._new_quantities: dict[int, list[Event]] = {}

    def lines(self, doc: str, events: Iterator[tuple[Step | None, Event]]) -> list[bytes]:
        """The findings of a block."""
        items, prices, quantities = self._items, self._prices, self._quantities
        new_prices, new_quantities = self._new_prices, self._new_quantities
        lines = []
        for step, event in events:
            assert step is not None
            kind, name, path = step
            key = event[3][1]
            if kind == _ITEM:
                items[key] = event
            elif kind in (_PRICE, _QUANTITY):
                own, others = (prices, quantities) if kind == _PRICE else (quantities, prices)
                other = others.pop(key, None)
                if other is None:
                    own[key] = event
                    continue
                item = items.pop(key, None)
                if item is not None:
                    pair = (event, other) if kind == _PRICE else (other, event)
                    lines.append(_complete(doc, name, path, item, *pair, event[0]))
            elif kind == _GONE:
                for groups in (items, prices, quantities, new_prices, new_quantities):
                    groups.pop(key, None)
            else:
                ours, theirs = (
                    (new_prices, new_quantities) if kind == _NEW_PRICE else (new_quantities, new_prices)
                )
                waiting = theirs.get(key)
                if waiting is None:
                    ours.setdefault(key, []).append(event)
                    continue
                other = waiting.pop(0)
                if not waiting:
                    del theirs[key]
                pair = (event, other) if kind == _NEW_PRICE else (other, event)
                lines.append(_both(doc, name, path, *pair, other[0], event[0]))
        return lines


def _complete(doc: str, name: str, path: str, item: Event, price: Event, quantity: Event, ts: int) -> bytes:
    ids = item[3]
    inner = {
        "name": "conjunction1", "path": path, "ids": ids,
        "constituents": [_constituent(price), _constituent(quantity)],
    }  # fmt: skip
    return _line(doc, name, path, ids, [_constituent(item), inner], item[0], ts)


def _both(doc: str, name: str, path: str, price: Event, quantity: Event, start: int, ts: int) -> bytes:
    return _line(doc, name, path, price[3][:2], [_constituent(price), _constituent(quantity)], start, ts)


def _line(
    doc: str, name: str, path: str, ids: tuple[int, ...], constituents: list[Any], start: int, ts: int
) -> bytes:
    finding = {
        "doc": doc, "ts": ts, "at": None, "name": name, "path": path, "ids": ids, "start": start, "end": ts,
        "constituents": constituents, "operator": None,
    }  # fmt: skip
    return orjson.dumps(finding, option=orjson.OPT_APPEND_NEWLINE)


def _constituent(event: Event) -> dict[str, Any]:
    ts, op, path, ids, value, old = event
    return {"ts": ts, "op": op, "path": path, "ids": ids, "value": value, "old": old}


if __name__ == "__main__":
    main(*sys.argv[1:])
