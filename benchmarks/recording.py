"""Recording a wrapped document: what the log adds to an edit whose event a subscriber ignores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from xmlcep.recording.rebuilding import rebuild
from xmlcep.recording.recorder import record
from xmlcep.wrapping import Document, fromstring

from .frame import Figure, Settings
from .measure import measure, per_event

TITLE = "Recording (durability os): edits of an attribute; the ratio is to a subscriber that does nothing"
BASE = "not recorded"
TRANSACTION = 100


def run(settings: Settings) -> Iterator[Figure]:
    """Single edits and transactions of a hundred, plain and sealed; rebuilding what was recorded."""
    with TemporaryDirectory() as directory:
        for case, edit in (
            ("single edits", _edit),
            (f"transactions of {TRANSACTION}", _edit_in_transactions),
        ):
            alternatives: dict[str, Callable[[], object]] = {
                BASE: partial(_ignored, edit, settings.events),
                "recorded": partial(_recorded, edit, settings.events, Path(directory), seal=False),
                "recorded and sealed": partial(_recorded, edit, settings.events, Path(directory), seal=True),
            }
            timings = measure(alternatives, runs=settings.runs)
            yield from per_event("recording", case, timings, events=settings.events, base=BASE, what="events")
        log = Path(directory) / "log.jsonl"
        timings = measure({"rebuild": lambda: len(rebuild(log))}, runs=settings.runs)
        yield from per_event("recording", "", timings, events=settings.events, base="", what="elements")


def _ignored(edit: Callable[[Document, int], None], events: int) -> int:
    with fromstring("<order><item/></order>") as document:
        document.subscribe(lambda event: None)
        edit(document, events)
        return document.clock


def _recorded(edit: Callable[[Document, int], None], events: int, directory: Path, *, seal: bool) -> int:
    log = directory / "log.jsonl"
    log.unlink(missing_ok=True)
    with fromstring("<order><item/></order>") as document:
        with record(document, log, durability="os", seal=seal):
            edit(document, events)
        return document.clock


def _edit(document: Document, events: int) -> None:
    item = document.root[0]
    for number in range(events):
        item.set("price", str(number))


def _edit_in_transactions(document: Document, events: int) -> None:
    item = document.root[0]
    for start in range(0, events, TRANSACTION):
        with document.transaction(user="ann"):
            for number in range(start, min(start + TRANSACTION, events)):
                item.set("price", str(number))
