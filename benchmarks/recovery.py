"""Recovery: a recorded document with its watch comes back, from the whole log and from the state beside it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from lxml import etree

from xmlcep import parse_rules
from xmlcep.recording.checkpoints import EVERY
from xmlcep.recording.places import state_path
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import fromstring

from .frame import Figure, Settings
from .measure import measure, per_event

TITLE = "Recovery: 1,000 items, edits of their prices and quantities, a watch of two rules (durability os)"
RULES = parse_rules(
    "event Both {context=recent} = upd(item/@price) & upd(item/@quantity)\n"
    "event Many {context=cumulative} = x[3,*]{path=item} upd(item/@price) ; upd(item/@quantity)"
)
ITEMS = 1_000
WHOLE, STATES = "no states", "states"


def run(settings: Settings) -> Iterator[Figure]:
    """What states add to recording, then what they save a recovery."""
    with TemporaryDirectory() as directory:
        logs = {name: Path(directory) / name / "log.jsonl" for name in (WHOLE, STATES)}
        recorded = {name: partial(_recorded, settings.events, log) for name, log in logs.items()}
        timings = measure(recorded, runs=settings.runs)
        yield from per_event(
            "recovery", "recorded", timings, events=settings.events, base=WHOLE, what="findings"
        )
        timings = measure({name: partial(_recovered, log) for name, log in logs.items()}, runs=settings.runs)
        yield from per_event(
            "recovery", "recovered", timings, events=settings.events, base=WHOLE, what="findings"
        )


def _recorded(events: int, log: Path) -> int:
    """Records so many changes and ends as a crash does; returns how many findings there were."""
    log.parent.mkdir(exist_ok=True)
    for file in (log, state_path(log)):
        file.unlink(missing_ok=True)
    every = EVERY if log.parent.name == STATES else None
    with fromstring("<order/>") as document:
        items = [etree.SubElement(document.root, "item", price="", quantity="") for _ in range(ITEMS)]
        recording = record(document, log, durability="os", state_every=every)
        watch = recording.watch(RULES, keep=0)
        for number in range(events):
            items[number * 7 % ITEMS].set(
                "quantity" if (number + number // ITEMS) % 5 == 4 else "price", str(number)
            )
        recording.writer.close()
        return watch.delivered


def _recovered(log: Path) -> int:
    back = recover(log, RULES, state_every=None)
    assert back.watch is not None
    back.recording.writer.close()  # as a crash does: what was open stays so
    back.document.close()
    return back.watch.delivered
