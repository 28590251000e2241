"""Recorded documents whose process ends at any moment, in a transaction or in a callback too, and go on: again and
again. What is recovered must be what an uninterrupted watch and document would be.

The end of a process is a copy of what stands on the disk at that moment; the next life goes on from the copy.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from lxml import etree

from tests.actions.random_rules import random_rules
from tests.wrapping.changing_listeners import WATCHING, Clock, Everything, Undone
from tests.wrapping.event_oracle import Judge, Model
from tests.wrapping.mutator import START, Mutator
from tests.wrapping.open_rules_and_watches import state
from tests.wrapping.outside_classes import plain_parser
from xmlcep import CascadeError
from xmlcep.documents import Replica
from xmlcep.engine import Detector
from xmlcep.errors import XmlCepError
from xmlcep.events import CompositeEvent
from xmlcep.log import read_log, segments
from xmlcep.log.records import ClockRecord
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import TransactionError, fromstring


@dataclass(frozen=True, slots=True)
class End:
    """A moment in which a process may have ended: what stands on the disk, and what had been found and told by then."""

    log: Path
    found: int
    torn: bool


def recorded(log: Path) -> Counter[str]:
    """How often a log says what is not a change."""
    lines = [line for file in segments(log) for line in file.read_bytes().splitlines()]
    marks = {"raised": b'"raised"', "advance": b'"clock":true', "flush": b'"flush"'}
    return Counter({kind: sum(mark in line for line in lines) for kind, mark in marks.items()})


def known_by(detector: Detector) -> str:
    """All that a detector knows but the prefixes that lxml makes up."""
    return re.sub(r"\bns\d+\b", "ns", state(detector))


class Lives:
    """One document, edited at random; `edit` judges each edit, and each end of a process."""

    def __init__(self, seed: int, folder: Path, *, acting: bool = False) -> None:
        self.random = random = Random(seed)
        self.folder = folder
        self.acting = acting
        self.said: list[str] = []
        self.ends = 0
        self.clock = Clock()
        self.found: list[str] = []
        self.end: End | None = None
        self.options: dict[str, Any] = {
            "durability": "os",
            "max_bytes": random.choice([None, 2_000]),
            "state_every": random.choice([None, 1, 3_000]),
        }
        log = folder / "0" / "log.jsonl"
        log.parent.mkdir()
        self.document = fromstring(START, name="d", now=self.clock)
        self.judge = Judge(self.document)
        self.start = self.document.snapshot()
        self.everything = Everything()
        self.document.attach(self.everything)
        self.recording = record(self.document, log, seal=random.random() < 0.3, **self.options)
        self.watch = self.recording.watch(WATCHING, on_event=self._on_event, keep=0)
        self._begin(log)

    def _begin(self, log: Path) -> None:
        """The first edits of a life are to come."""
        self.log = log
        self.errors: list[XmlCepError] = []
        self.rules = None
        if self.acting:
            rules = random_rules(self.random.randrange(10**6))
            self.rules = self.document.rules(rules, on_error=self.errors.append, limit=6, firings=40)
        self.unsubscribe = self.document.subscribe(self._may_end)
        every = self.random.random() < 0.3
        self.mutator = Mutator(self.document.root, self.random, documents=[self.document], every=every)

    def edit(self, count: int) -> None:
        """So many edits, or transactions of some."""
        for _ in range(count):
            self._pass_time()
            self._may_end()
            if self.random.random() < 0.6:
                self._step()
            else:
                self._transaction()
            self.document.catch_up()
            self.judge.check(several=True, moves=True)
            if self.end is not None:
                end, self.end = self.end, None
                self._go_on(end)

    def close(self) -> None:
        """Ends it, in order."""
        self.watch.close()
        self.recording.close()
        self.document._check()
        self.document.close()

    # --- what happens

    def _pass_time(self) -> None:
        self.clock.seconds += self.random.choice([0, 0, 1, 3])
        kind = self.random.randrange(20)
        if kind == 0:
            self.said.append("advance")
            self.document.advance(self.clock.seconds * 1_000_000)
        elif kind == 1:
            self.said.append("flush")
            self.everything.on_flush()
            self.watch.flush()
        elif kind == 2:
            self.recording.checkpoint()

    def _step(self) -> None:
        try:
            self.said.append(self.mutator.step())
        except CascadeError:
            self.said.append("CascadeError")

    def _transaction(self) -> None:
        immediate, undone = self.random.random() < 0.4, self.random.random() < 0.3
        self.said.append(f"transaction, {immediate=}, {undone=}")
        try:
            with self.document.transaction(immediate=immediate):
                for _ in range(self.random.randint(1, 4)):
                    self._step()
                    self._may_end()
                if undone:
                    raise Undone
        except (Undone, TransactionError):
            pass
        self.mutator.detached.clear()

    def _on_event(self, composite: CompositeEvent) -> None:
        self.found.append(str(composite))
        self._may_end()

    def _may_end(self, _: Any = None) -> None:
        """Perhaps this is a moment in which the process ends."""
        if self.end is not None or self.random.random() > 0.05:
            return
        self.ends += 1
        folder = self.folder / str(self.ends)
        shutil.copytree(self.log.parent, folder)
        log = folder / self.log.name
        torn = self.random.random() < 0.3
        if torn:
            last = segments(log)[-1]
            text = last.read_bytes()
            keep = len(text) - self.random.randrange(400)
            head = text.index(b"\n") + 1
            if last == log:
                head = text.index(b"\n", head) + 1  # with the record that opens the watch
            last.write_bytes(text[: max(keep, head)])
        self.end = End(log, len(self.found), torn)
        self.said.append(f"end {self.ends}" + (", torn" if torn else ""))

    # --- the next life

    def _go_on(self, end: End) -> None:
        """Recovers what an end has left, judges it, and goes on with it or with what was there."""
        before = self.found[: end.found]
        missed: list[str] = []
        goes_on = False

        def on_event(composite: CompositeEvent) -> None:
            if goes_on:
                self._on_event(composite)
            else:
                missed.append(str(composite))

        again = recover(
            end.log, WATCHING, on_event=on_event, delivered=None if end.torn else end.found, now=self.clock,
            **self.options,
        )  # fmt: skip
        assert again.watch is not None
        known = self._known(end.log, again.document.clock)
        detector = Detector(WATCHING)
        assert detector.needs is not None
        detector.reset(Replica.from_snapshot(*self.start, needs=detector.needs))
        found = [str(each) for told in known.told for each in told.step(WATCHING, detector)]
        assert end.torn or before + missed == found, f"found {before} and then {missed}, expected {found}"
        assert known_by(again.watch._detector) == known_by(detector), (
            "the recovered watch knows something else"
        )
        model = self._model(known)
        model.equals(again.document.root)
        model.is_in(*again.document.snapshot())
        again.document._check()
        if self.random.random() < 0.3:
            again.close()
            again.document.close()
            return
        self.unsubscribe()
        if self.rules is not None:
            self.rules.close()
        self.recording.close()
        self.document.close()
        self.document, self.recording, self.watch = again.document, again.recording, again.watch
        self.everything, self.found, goes_on = known, found, True
        self.document.attach(known)
        self.judge.model, self.judge.clock = model, self.document.clock
        self.judge.events.clear()
        self.judge.go_on(self.document)
        self._begin(end.log)

    def _known(self, log: Path, clock: int) -> Everything:
        """What had been told by the end of a log, at this time point; a transaction ends with it."""
        known, changes = Everything(), self.everything.changes
        assert clock <= (changes[-1].ts if changes else 0), "more than has been done"
        known.changes = [each for each in changes if each.ts <= clock]
        there = recorded(log)
        for each in self.everything.told:
            if each.ts is not None and each.ts > clock:
                break
            if each.kind in there:
                there[each.kind] -= 1
                if there[each.kind] < 0:
                    break
            known.told.append(each)
        if known.changes and known.changes[-1].txn is not None:
            last = next(each for each in reversed(known.told) if each.kind in ("change", "commit"))
            if last.kind == "change":
                known._on_commit(0)
        if there["advance"] > 0:  # recovery puts a clock record behind an edit that is not there wholly
            clocks = [
                each for file in segments(log) for each in read_log(file) if isinstance(each, ClockRecord)
            ]
            known._on_advance(clocks[-1].at)
        return known

    def _model(self, known: Everything) -> Model:
        text, ids = self.start
        model = Model(etree.fromstring(text, plain_parser()), ids)
        for event in known.changes:
            model.apply(event)
        return model


def run(seed: int, folder: Path, *, edits: int = 40) -> int:
    """So many edits, or transactions, of a document whose process ends now and then; returns how often it did."""
    lives = Lives(seed, folder, acting=seed % 2 == 1)
    try:
        lives.edit(edits)
    except BaseException as error:
        last = "\n  ".join(lives.said[-12:])
        error.add_note(f"seed {seed}; the last steps were\n  {last}")
        raise
    lives.close()
    return lives.ends


def main() -> None:
    """``python -m tests.wrapping.ended_processes COUNT [SEED]``: so many documents."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    logging.getLogger("xmlcep").setLevel(logging.ERROR)
    ends = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            ends += run(seed, Path(folder))
    print(f"{count} documents; {ends} ends of processes, after which all was as if nothing had happened")


if __name__ == "__main__":
    main()
