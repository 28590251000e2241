"""Events over documents (V11): the changes of all of them as one history, which flat events see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from xmlcep.algebra import EventDefinition
from xmlcep.events import PrimitiveEvent

from .clock import microseconds, written
from .graph import evaluate


def in_one_order(histories: Iterable[Sequence[PrimitiveEvent]]) -> list[tuple[int, PrimitiveEvent]]:
    """The changes of all documents, each with the time of its document, by that, document and time point."""
    found = []
    for history in histories:
        time = 0
        for event in history:
            if event.at is not None:
                time = max(time, microseconds(event.at))
            found.append((time, event))
    return sorted(found, key=lambda each: (each[0], each[1].doc, each[1].ts))


def findings_over(
    definitions: Sequence[EventDefinition], histories: Iterable[Sequence[PrimitiveEvent]]
) -> list[dict[str, Any]]:
    """The finding records of events over documents that are made of changes only."""
    ordered = in_one_order(histories)
    numbered = [
        event._replace(ts=number, at=written(time), txn=None, more=False)
        for number, (time, event) in enumerate(ordered, start=1)
    ]
    flat = [replace(definition, flat=True) for definition in definitions]
    own = {number: event for number, (_, event) in enumerate(ordered, start=1)}

    def restored(constituent: dict[str, Any]) -> dict[str, Any]:
        if "op" not in constituent:
            inside = list(map(restored, constituent["constituents"]))
            return constituent | {"path": None, "ids": [], "constituents": inside}
        event = own[constituent["ts"]]
        named = {"as": constituent["as"]} if "as" in constituent else {}
        return named | {"doc": event.doc} | event.to_constituent()

    found = []
    for finding in evaluate(flat, numbered).findings():
        cause = own[finding["ts"]]
        was_due = finding["at"] != numbered[finding["ts"] - 1].at
        if was_due:
            cause = own[max(_numbers(finding))]
        whole = finding | {
            "doc": cause.doc, "ts": cause.ts, "at": finding["at"] if was_due else cause.at, "path": None, "ids": [],
            "start": None, "end": None, "constituents": list(map(restored, finding["constituents"])),
        }  # fmt: skip
        for field, value in (("txn", cause.txn), ("meta", cause.meta)):
            whole.pop(field, None)
            if value is not None and not was_due:
                whole[field] = value
        found.append(whole)
    return found


def _numbers(record: dict[str, Any]) -> list[int]:
    if "op" in record:
        return [record["ts"]]
    return [number for inner in record["constituents"] for number in _numbers(inner)]
