"""Findings by their keys, and what takes some back and adds others (``late="restart"``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...log.json_codec import FASTEST
from .rows import event

RETRACT = "retract"
"""The field that a retraction has beside ``doc``: the key of the finding that it takes back."""


def keyed(records: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Findings, each with what names it in its document: ``TS:EVENT:IDS``, ``:n`` for the n-th of several alike.

    ``xmlcep why`` takes it. Findings of a time point follow each other.
    """
    alike: dict[str, int] = {}
    moment: tuple[Any, Any] | None = None
    for record in records:
        if moment != (record["doc"], record["ts"]):
            moment, alike = (record["doc"], record["ts"]), {}
        key = _name(record)
        alike[key] = alike.get(key, 0) + 1
        yield _nth(key, alike[key]), record


def corrections(before: Iterable[bytes], now: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The lines that make of the findings ``before`` those that there are ``now``: retractions, and findings.

    Where one of several alike differs all of them are taken back, so that those that come are numbered as ever.
    """
    old, new = _alike(before), _alike(now)
    retractions = [
        FASTEST.dumps({"doc": doc, RETRACT: _nth(key, number)})
        for (doc, key), lines in old.items()
        if new.get((doc, key)) != lines
        for number in range(len(lines), 0, -1)
    ]
    return retractions, [line for name, lines in new.items() if old.get(name) != lines for line in lines]


def standing(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings of a file that nothing in it takes back, as they came."""
    found: dict[tuple[Any, str], dict[str, Any]] = {}
    alike: dict[tuple[Any, str], int] = {}
    for record in records:
        if RETRACT in record:
            gone = found.pop((record["doc"], record[RETRACT]), None)
            if gone is not None:
                alike[gone["doc"], _name(gone)] -= 1
        else:
            doc, name = record["doc"], _name(record)
            alike[doc, name] = alike.get((doc, name), 0) + 1
            found[doc, _nth(name, alike[doc, name])] = record
    return list(found.values())


def _name(record: dict[str, Any]) -> str:
    return f"{record['ts']}:{event(record)}:{','.join(map(str, record['ids']))}"


def _nth(name: str, number: int) -> str:
    return name if number == 1 else f"{name}:{number}"


def _alike(lines: Iterable[bytes]) -> dict[tuple[Any, str], list[bytes]]:
    found: dict[tuple[Any, str], list[bytes]] = {}
    for line in lines:
        record = FASTEST.loads(line)
        found.setdefault((record["doc"], _name(record)), []).append(line)
    return found
