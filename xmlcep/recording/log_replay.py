"""Replaying a log from its beginning: what recovery and continuing need to know."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..documents import Replica, ReplicaError, Strictness
from ..documents.snapshots import SnapshotError
from ..engine import Detector, StateError
from ..engine.durable import difference
from ..errors import RecordError
from ..events import CompositeEvent, PrimitiveEvent
from ..log.errors import LogError, Origin
from ..log.reading import Start, read_everything
from ..log.records import RAISED, Aside, ClockRecord, Control, Header, raised_event
from ..log.segments import number_of, segments
from ..rules import Rules
from .recorded_watch import CLOSE, CURSOR, FLUSH, OPEN
from .state_file import RecordingState, WatchState

Delivered: TypeAlias = int | Callable[[str], int] | None
"""How many composites of the watch that was opened last its consumer has; a function is given where that was."""


def replay_history(
    log: str | os.PathLike[str],
    rules: Rules | None = None,
    delivered: Delivered = None,
    *,
    whole: Mapping[str, int] | None = None,
    clock: ClockRecord | None = None,
) -> History:
    """The history of a log; raises `LogError` for a log that is damaged or was watched with other rules.

    ``whole`` says of files that are not whole how many of their bytes count; ``clock`` is a clock record that will be
    put behind them, and is known of all the same. Where a state stands beside the log (see
    `state_file`) only what comes behind it is replayed; one that is of no use is named in the history's ``notes``.
    """
    first = Path(log)
    files = segments(first)
    sizes = {
        number_of(first, file): (whole or {}).get(str(file), file.stat().st_size)
        for file in files
        if file.exists()
    }
    history = History(rules, delivered)
    start: Start | None = None
    try:
        state = RecordingState.load(first, sizes)
        if state is not None:
            history.go_on(state)
            start = state.start(first)
            files = files[files.index(Path(start.file)) :]
    except (StateError, SnapshotError) as error:
        history = History(rules, delivered, notes=(f"{error}: the log was replayed from its beginning",))
    history.behind = sum(sizes.values())
    if history.state is not None:
        number, byte, _ = history.state.place
        history.behind = sum(size for each, size in sizes.items() if each >= number) - byte
    last = Origin(str(files[-1]), 0)
    for last, item in read_everything(files, whole=whole, start=start):
        history.take(last, item)
    if clock is not None:
        history.take(last._replace(record=last.record + 1), clock)
    history.finish()
    return history


class History:
    """What a log tells when it is replayed: the document's state, and the recorded watch with what it raised.

    Without ``rules`` watches are left out. ``delivered`` is used in place of the cursor in the log. ``state`` is what
    it began with, ``behind`` the number of bytes it was told of; ``notes`` say why it was told of more than needed.
    """

    def __init__(
        self, rules: Rules | None = None, delivered: Delivered = None, notes: tuple[str, ...] = ()
    ) -> None:
        self.state: RecordingState | None = None
        self.behind = 0
        self.notes = notes
        self.has_watch = False  # whether one was ever opened
        self.opened = ""  # where the last one was
        self._refusal: LogError | None = None  # of the last one, if it cannot be gone on with
        self._rules = rules
        self._heeds_cursor = delivered is None
        self._consumer: Callable[[str], int] = delivered if callable(delivered) else lambda _: delivered or 0
        self.replica = Replica(strictness=Strictness.STRICT)
        self.largest_id = 0
        self._txn: int | None = None  # of the transaction whose flush is to come
        self._clocks: list[tuple[Origin, ClockRecord]] = []  # behind its last record, if that is the last
        self.last_txn = 0
        self.detector: Detector | None = None
        self.closed = False
        self.operators = False
        self.delivered = 0  # how many composites of the watch have been delivered
        self._raised = 0  # how many it has raised
        self.missed: list[CompositeEvent] = []  # those it raised beyond the delivered ones

    def go_on(self, state: RecordingState) -> None:
        """Begins where this state was written; raises `StateError` if that would lose something of the watch, or if
        the state cannot be read."""
        header, watch = state.header, state.watch
        self._header(header)
        self.largest_id, self.last_txn = state.next_id - 1, state.txn
        if watch is not None:
            self.has_watch, self.opened = True, watch.opened
            if self._rules is not None:
                self._go_on_watching(watch, self._rules)
        self.state = state

    def _go_on_watching(self, watch: WatchState, rules: Rules) -> None:
        self._refusal = _other_rules(watch.opened, watch.stamp, rules)
        if self._refusal is not None:
            return
        given = self._consumer(watch.opened)
        if not self._heeds_cursor and given < watch.told:
            raise StateError(
                f"of {watch.told} composite events that were raised before it only {given} were delivered"
            )
        self.detector = watch.new_detector(rules)
        self.closed = self.detector is None
        self.operators = watch.operators
        self.delivered = watch.told if self._heeds_cursor else given
        self._raised = watch.told

    def take(self, origin: Origin, item: Aside | PrimitiveEvent) -> None:
        """The next item of the log."""
        try:
            if isinstance(item, PrimitiveEvent):
                self._event(item, origin)
            elif isinstance(item, ClockRecord):
                self._clocks.append((origin, item))
                if self._txn is None:
                    self._end_transaction()
            elif isinstance(item, Header):
                self._header(item)
            elif item.kind == RAISED:
                self._raised_event(item, origin)
            else:
                self._control(item, origin)
        except (ReplicaError, SnapshotError) as error:
            raise LogError(f"{origin}: {error}") from error

    def finish(self) -> None:
        """The end of the log; raises `LogError` if its last watch was of other rules."""
        self._end_transaction()
        if self._refusal is not None:
            raise self._refusal

    def _header(self, header: Header) -> None:
        # A later file begins with what the replica holds already, unless changes were made unrecorded.
        self.replica = Replica(strictness=Strictness.STRICT)
        if header.snapshot is not None:
            self.replica = Replica.from_snapshot(header.snapshot, header.ids, strictness=Strictness.STRICT)
            self.largest_id = max(self.largest_id, *header.ids)

    def _event(self, event: PrimitiveEvent, origin: Origin) -> None:
        if self._clocks and event.txn is not None and event.txn == self._txn:
            raise LogError(
                f"{self._clocks[0][0]}: a clock record in a transaction, which goes on at {origin}"
            )
        if event.txn != self._txn or self._clocks:
            self._end_transaction()
            self._txn = event.txn
            self.last_txn = max(self.last_txn, event.txn or 0)
        self.replica.apply(event)
        self.largest_id = max(self.largest_id, event.ids[-1])
        if self.detector is not None:
            self._raise(self.detector.feed(event))

    def _raised_event(self, control: Control, origin: Origin) -> None:
        """A rule has raised an external event (L7)."""
        try:
            event = raised_event(control)
        except RecordError as error:
            raise LogError(f"{origin}: {error}") from error
        if self.detector is not None and self._rules is not None and self._rules.takes_external(event):
            self._raise(self.detector.raise_external(event))

    def _raise(self, composites: list[CompositeEvent]) -> None:
        if composites:
            self.missed += composites[max(0, self.delivered - self._raised) :]
            self._raised += len(composites)

    def _end_transaction(self) -> None:
        """The end of a transaction is a flush (D3); it is seen by what follows it."""
        if self._txn is not None and self.detector is not None:
            self._raise(self.detector.flush())
        self._txn = None
        clocks, self._clocks = self._clocks, []
        for _, clock in clocks:
            self._advance(clock)

    def _advance(self, clock: ClockRecord) -> None:
        """Time has passed (W6): what is due fires here."""
        if self.detector is not None:
            self._raise(self.detector.advance(clock.at))

    def _control(self, control: Control, origin: Origin) -> None:
        if control.kind == OPEN:
            self.has_watch, self.opened = True, str(origin)
            if self._rules is not None:
                self._open(control, self._rules)
        elif self._rules is None:
            return
        elif control.kind == CURSOR and self._heeds_cursor:
            # It may count what the flush at the end of a transaction raised, which is seen only later here.
            delivered = int(control.content["delivered"])
            del self.missed[: delivered - self.delivered]
            self.delivered = delivered
        elif control.kind in (FLUSH, CLOSE) and self.detector is not None:
            self._end_transaction()
            self._raise(self.detector.flush())
            self.closed = control.kind == CLOSE
            if self.closed:
                self.detector.close()

    def _open(self, control: Control, rules: Rules) -> None:
        self._end_transaction()
        self._refusal = _other_rules(self.opened, control.content, rules)
        self.operators = control.content.get("operators") is True
        self.detector = None
        if self._refusal is None:
            self.detector = self._detector_here(rules)
        self.delivered, self._raised, self.closed = self._consumer(self.opened), 0, False
        self.missed = []

    def _detector_here(self, rules: Rules) -> Detector:
        """A detector that begins here: it knows of the document what the rules need of it."""
        detector = Detector(rules, operators=self.operators)
        xml, ids = self.replica.snapshot() if detector.needs is not None else (None, [])
        if xml is not None:
            detector.reset(Replica.from_snapshot(xml, ids, needs=detector.needs))
        return detector


def _other_rules(opened: str, stamp: Mapping[str, Any], rules: Rules) -> LogError | None:
    """What is wrong with a watch of the rules with this stamp; None if they are the ones that are given."""
    different = difference(stamp, rules)
    if different is None:
        return None
    hint = "give the same, or recover without rules and open a new watch"
    return LogError(f"{opened}: the watch was opened with {different}: {hint}")
