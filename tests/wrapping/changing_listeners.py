"""Guests: who listens to a document for a while. They come and go while it is edited, between edits, in transactions,
in callbacks of each other, and their callbacks fail. Each must have what it would have had alone.

What that is the document's events say: a subscriber hears every event from its coming to its going, once and in
order; a watch finds, and rules know, what a detector does that has been fed just these; a log has them, and rebuilds
the document.
"""

from __future__ import annotations

import gc
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import pytest
from lxml import etree

from tests.wrapping.event_oracle import Judge
from tests.wrapping.mutator import START, Mutator
from tests.wrapping.open_rules_and_watches import WATCHED_TEXT, Heard, Step, state
from tests.wrapping.outside_classes import plain_parser
from xmlcep import Rules, parse_rules
from xmlcep.documents import Replica
from xmlcep.engine import Detector
from xmlcep.errors import XmlCepError
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.log import read_log, segments
from xmlcep.log.seal import verify
from xmlcep.recording import rebuild
from xmlcep.recording.recorder import record
from xmlcep.wrapping import CallbackError, RefusedError, TransactionError, fromstring
from xmlcep.wrapping.delivery import Commit

MOST = 4
TIMED = """
event Left {within="3 s"} = ins(a) ; not ins(a/@k)
event Later(b) = plus[ins(b), "2 s"]
event Near {context=cumulative} = (*(r/a) & *(r/b)) {within="4 s"}
event Beat(/r) = periodic[ins(r/a), "2 s", del(r/b)]
"""
WATCHING = parse_rules(WATCHED_TEXT + TIMED)
CALLING = parse_rules("""
event P(a) = external
rule Told on (ins(a)) do call "tell"
rule Late on (ins(a) ; ins(a/@k)) {coupling=commit} do call "tell"
rule Timed on (plus[ins(b), "2 s"]) do call "tell"
rule Passed on (upd(b/@k) | del(b)) do raise P('/r/a')
""")


def recordable(text: str | bytes) -> str:
    """What a log holds of a document: no comments, no processing instructions, no prefixes."""
    plain = etree.fromstring(text, plain_parser())
    etree.strip_elements(plain, etree.Comment, etree.PI, with_tail=False)
    return str(etree.canonicalize(plain, rewrite_prefixes=True))


class FailingError(Exception):
    """A callback of a guest fails."""


class Undone(Exception):
    """Ends a transaction."""


class Stop(BaseException):
    """What is no error of a callback, as a KeyboardInterrupt is none."""


class Told(NamedTuple):
    """One thing that a document tells: which, of a change when, and what a detector does with it."""

    kind: Literal["change", "commit", "raised", "advance", "flush"]
    ts: int | None
    step: Step


class Everything(Heard):
    """Hears all that a document tells, before its guests do."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[PrimitiveEvent] = []
        self.told: list[Told] = []

    def _on_change(self, event: PrimitiveEvent) -> None:
        super()._on_change(event)
        self.changes.append(event)
        self._keep("change", event.ts)

    def _on_commit(self, txn: int) -> None:
        super()._on_commit(txn)
        self._keep("commit")

    def _on_raised(self, event: CompositeEvent) -> None:
        super()._on_raised(event)
        self._keep("raised")

    def _on_advance(self, at: str) -> None:
        super()._on_advance(at)
        self._keep("advance")

    def on_flush(self) -> None:
        """The watches are about to be flushed."""
        super()._on_commit(0)
        self._keep("flush")

    def _keep(
        self, kind: Literal["change", "commit", "raised", "advance", "flush"], ts: int | None = None
    ) -> None:
        self.told.append(Told(kind, ts, self.steps.pop()))


class Clock:
    """What time it is for a document: what somebody says."""

    def __init__(self) -> None:
        self.seconds = 1_767_225_600

    def __call__(self) -> float:
        return self.seconds


class Guest:
    """One who listens, from its making to its `leave`."""

    def __init__(self, guests: Guests) -> None:
        self.guests = guests
        self.document = guests.document
        self.since: int = guests.document.clock
        self.first = len(guests.everything.told)
        # How many ends of transactions and external events, not told yet, are none for it.
        waiting = guests.document.delivery.queue
        self.ahead = sum(isinstance(each, (Commit, CompositeEvent)) for *_, each in waiting)
        self.gone = self.leaving = False
        self.told: int | None = None  # the time point of what it is being told
        self.gone_in: int | None = None  # that in whose callback it has gone

    def called(self, given: Any) -> None:
        """What its callbacks do."""
        ts = getattr(given, "ts", None)
        if self.gone and (ts is None or ts != self.gone_in):  # what else that event has raised is told
            self.guests.called_late.append(self)
        outer, self.told = self.told, ts
        try:
            self.guests.called(self)
        finally:
            self.told = outer

    def leave(self) -> None:
        """Ends it; in a callback it may not have heard yet of what the others are being told."""
        self.leaving, self.gone_in = True, self.told
        try:
            self._close()
        finally:
            self.leaving, self.gone = False, True
        if not self.guests.in_callback:
            self.check()
        elif (found := self.found()) not in self.expected(everything=False):
            assert found in self.expected(everything=True), "what it heard before it went"

    def check(self) -> None:
        """Raises AssertionError if it has something else than it would have alone."""
        wanted, found = self.expected(everything=True), self.found()
        assert found in wanted, f"{type(self).__name__}:\n{found}\n{wanted}"

    def expected(self, *, everything: bool) -> Sequence[Any]:
        """What it may have: of all that has been told, or of all but the last."""
        raise NotImplementedError

    def found(self) -> Any:
        """What it has."""
        raise NotImplementedError

    def _close(self) -> None:
        raise NotImplementedError

    def _changes(self, *, everything: bool) -> list[PrimitiveEvent]:
        changes = self.guests.everything.changes
        return [each for each in changes[: len(changes) - (not everything)] if each.ts > self.since]

    def _fed(self, detector: Detector, rules: Rules, *, everything: bool) -> list[str]:
        """What a detector finds in it."""
        known = self.guests.everything.told
        found: list[Any] = []
        ahead = self.ahead
        for each in known[self.first : len(known) - (not everything)]:
            if ahead and each.kind in ("commit", "raised"):
                ahead -= 1
            elif each.ts is None or each.ts > self.since:
                found += each.step(rules, detector)
        return [str(each) for each in found]


class Subscriber(Guest):
    """A callback of primitive events."""

    def __init__(self, guests: Guests) -> None:
        super().__init__(guests)
        self.heard: list[PrimitiveEvent] = []
        self._close = guests.document.subscribe(self.on_event)

    def on_event(self, event: PrimitiveEvent) -> None:
        self.heard.append(event)
        self.called(event)

    def found(self) -> Any:
        return self.heard

    def expected(self, *, everything: bool) -> Sequence[Any]:
        return [self._changes(everything=everything)]


class Watching(Guest):
    """A watch whose ``on_event`` is called."""

    def __init__(self, guests: Guests) -> None:
        super().__init__(guests)
        self.start = guests.document.snapshot()
        self.watch = guests.document.watch(WATCHING, on_event=self.called, keep=None)

    def found(self) -> Any:
        return [str(each) for each in self.watch.findings]

    def expected(self, *, everything: bool) -> Sequence[Any]:
        detector = Detector(WATCHING)
        assert detector.needs is not None
        detector.reset(Replica.from_snapshot(*self.start, needs=detector.needs))
        found = self._fed(detector, WATCHING, everything=everything)
        return [found + [str(each) for each in detector.close()] if self.gone else found]

    def _close(self) -> None:
        self.watch.close()


class Acting(Guest):
    """Rules that call functions."""

    def __init__(self, guests: Guests) -> None:
        super().__init__(guests)
        self.errors: list[XmlCepError] = []
        self.acting = guests.document.rules(
            CALLING, actions={"tell": self.called}, on_fire=self.called, on_error=self.errors.append
        )

    def found(self) -> Any:
        return None if self.gone else state(self.acting._set.history.detector)

    def expected(self, *, everything: bool) -> Sequence[Any]:
        if self.gone:
            return [None]
        triggers = CALLING.triggers
        assert triggers is not None
        only = replace(CALLING, graph=triggers.graph)
        detector = Detector(only, trees=triggers.trees)
        self._fed(detector, only, everything=everything)
        return [state(detector)]

    def _close(self) -> None:
        self.acting.close()


class Recorder(Guest):
    """A log, perhaps sealed, in one file or several, with states beside it, and perhaps with a watch of its own."""

    def __init__(self, guests: Guests) -> None:
        super().__init__(guests)
        random = guests.random
        self.log = guests.folder / f"{guests.document.name}-{random.randrange(10**9)}.jsonl"
        self.sealed = random.random() < 0.3
        self.recording = record(
            guests.document, self.log, seal=self.sealed, durability="os",
            max_bytes=random.choice([None, 1_500]), state_every=random.choice([None, 1, 2_000]),
        )  # fmt: skip
        self.watch = self.recording.watch(WATCHING, on_event=self.called) if random.random() < 0.5 else None

    def found(self) -> Any:
        said: list[Any] = []
        events = [
            each
            for file in segments(self.log)
            for each in read_log(file, on_bad=said.append)
            if isinstance(each, PrimitiveEvent)
        ]
        assert not said, said
        if self.sealed:
            verify(self.log)
        root = rebuild(self.log)
        if not self.guests.in_callback and not self.document.in_transaction:
            text, _ = self.document.snapshot()
            assert recordable(etree.tostring(root)) == recordable(text)
        return events

    def expected(self, *, everything: bool) -> Sequence[Any]:
        known = self._changes(everything=True)
        if not self.guests.in_callback:
            return [known]
        ahead = [each for *_, each in self.document.delivery.queue if isinstance(each, PrimitiveEvent)]
        return [[*known, *ahead[:number]] for number in range(len(ahead) + 1)]

    def called(self, given: Any) -> None:
        """The watch may be called when the recording has been closed."""
        self.guests.called(self)

    def _close(self) -> None:
        if (
            self.watch is not None
            and self.document.delivery.delivering is None
            and self.guests.random.random() < 0.7
        ):
            self.watch.close()
        self.recording.close()


def only_failures(error: CallbackError | Stop) -> None:
    """Raises AssertionError if an edit has failed with something else than what guests do."""
    if isinstance(error, CallbackError):
        others = [each for each in error.errors if not isinstance(each.error, FailingError)]
        assert not others, others[0]


@contextmanager
def failing() -> Iterator[None]:
    """A block in which callbacks of guests may fail."""
    try:
        yield
    except (CallbackError, Stop) as error:
        only_failures(error)


KINDS: tuple[Callable[[Guests], Guest], ...] = (Subscriber, Subscriber, Watching, Acting, Recorder)


class Guests:
    """Those of one document; `wander` lets some come and go."""

    def __init__(self, document: Any, random: Random, clock: Clock, folder: Path) -> None:
        self.document = document
        self.clock = clock
        self.random = random
        self.folder = folder
        self.here: list[Guest] = []
        self.everything = Everything()
        self.in_callback = 0
        self.called_late: list[Guest] = []
        document.attach(self.everything)

    def wander(self) -> None:
        """Now and then one comes or goes, or time passes."""
        self.clock.seconds += self.random.choice([0, 0, 1, 3])
        if self.random.random() < 0.1 and not self.document.in_transaction:
            with failing():
                self.document.advance(self.clock.seconds * 1_000_000)
        elif self.random.random() < 0.4:
            self._come_or_go(self.random.choice(self.here) if self.here else None)

    def called(self, guest: Guest) -> None:
        """A callback of a guest: it may fail, or somebody may come or go."""
        kind = self.random.randrange(40)
        self.in_callback += 1
        try:
            if kind == 0:
                raise FailingError
            if kind == 1:
                raise Stop
            if kind == 2:
                gc.collect()
            elif kind < 5:
                self._come_or_go(
                    guest if self.random.random() < 0.3 else self.random.choice([guest, *self.here])
                )
        finally:
            self.in_callback -= 1

    def _come_or_go(self, guest: Guest | None) -> None:
        if isinstance(guest, Recorder) and self.document.delivery.has_open_block:
            return  # what is done in a transaction is to be written first
        if guest is not None and (len(self.here) >= MOST or self.random.random() < 0.5):
            if guest in self.here:
                self.here.remove(guest)
                with failing():
                    guest.leave()
        elif self.document.in_transaction and self.document.delivery.held:
            with pytest.raises(RefusedError):
                self.random.choice(KINDS)(self)
        else:
            with failing():
                self.here.append(self.random.choice(KINDS)(self))

    def catch_up(self) -> None:
        """What was done through foreign proxies is told; callbacks that fail then keep nothing back."""
        while True:
            with failing():
                self.document.catch_up()
                return

    def check(self) -> None:
        """Raises AssertionError if one of them has something else than it would have alone."""
        assert not self.called_late, f"guests are called that have gone: {self.called_late}"
        for guest in self.here:
            guest.check()

    def close(self) -> None:
        """All go."""
        while self.here:
            with failing():
                self.here.pop().leave()
        self.document.detach(self.everything)


def run(seed: int, folder: Path, *, edits: int = 40) -> None:
    """So many edits, or transactions, of a document with guests, judged one by one."""
    random, clock = Random(seed), Clock()
    with fromstring(START, name="d", now=clock) as document:
        judge = Judge(document)
        mutator = Mutator(document.root, random, documents=[document], every=random.random() < 0.3)
        guests = Guests(document, random, clock, folder)
        for _ in range(edits):
            with failing(), suppress(Undone, TransactionError):
                if random.random() < 0.6:
                    guests.wander()
                    mutator.step()
                else:
                    _transaction(document, random, guests, mutator)
            mutator.detached.clear()
            guests.catch_up()
            judge.check(several=True, moves=True)
            guests.check()
        guests.close()
        document._check()


def _transaction(document: Any, random: Random, guests: Guests, mutator: Mutator) -> None:
    with document.transaction(immediate=random.random() < 0.5):
        for _ in range(random.randint(1, 4)):
            guests.wander()
            with failing():
                mutator.step()
        if random.random() < 0.4:
            raise Undone


def main() -> None:
    """``python -m tests.wrapping.changing_listeners COUNT [SEED]``: so many documents."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    logging.getLogger("xmlcep").setLevel(logging.ERROR)
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(seed, Path(folder))
            except BaseException as error:
                error.add_note(f"seed {seed}")
                raise
    print(f"{count} documents with guests, all of which had what they would have had alone")


if __name__ == "__main__":
    main()
