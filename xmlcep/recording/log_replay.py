"""Replaying a log from its beginning: what recovery and continuing need to know."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..documents import Replica, ReplicaError, Strictness
from ..documents.snapshots import SnapshotError
from ..engine import Detector, OnRemoved, StateError
from ..engine.dispatch import select
from ..engine.durable import difference, rules_of, rules_stamp
from ..errors import RecordError
from ..events import CompositeEvent, PrimitiveEvent
from ..log.errors import LogError, Origin
from ..log.reading import read_everything
from ..log.records import RAISED, Aside, ClockRecord, Control, Header, raised_event
from ..log.segments import number_of, segments
from ..rules import Rules
from ..rules.comparison import compare, tree_digests
from .recorded_watch import CLOSE, CURSOR, FLUSH, OPEN, RULES, Replacing
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
    """The history of a log; raises `LogError` for a log that is damaged.

    ``whole`` says of files that are not whole how many of their bytes count; ``clock`` is a clock record that will be
    put behind them, and is known of all the same. Where a state is beside the log (see
    `state_file`) only what comes behind it is replayed; one that is of no use is named in the history's ``notes``.
    """
    first = Path(log)
    files = segments(first)
    sizes = {
        number_of(first, file): (whole or {}).get(str(file), file.stat().st_size)
        for file in files
        if file.exists()
    }
    everything, start = files, None

    def past(rules: Rules, until: Origin, like: Detector) -> Detector:
        return detector_over(everything, rules, like, whole=whole, until=until)

    history = History(rules, delivered, past=past)
    try:
        state = RecordingState.load(first, sizes)
        if state is not None:
            history.go_on(state)
            start = state.start(first)
            files = files[files.index(Path(start.file)) :]
    except (StateError, SnapshotError) as error:
        notes = (f"{error}: the log was replayed from its beginning",)
        history = History(rules, delivered, notes, past)
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


def detector_over(
    files: Sequence[Path], rules: Rules, like: Detector, *, whole: Mapping[str, int] | None = None,
    until: Origin | None = None,
) -> Detector:  # fmt: skip
    """A detector of these rules that has been fed all that is in the files of a log, ``until`` some record.

    It counts transactions as ``like`` does, which may have begun later: where they differ it is fed once more.
    """
    offset = 0
    while True:
        past = Past(rules, offset, operators=like.operators)
        for origin, item in read_everything(files, whole=whole):
            if origin == until:
                break
            past.take(origin, item)
        past.finish()
        detector = past.detector or Detector(rules, operators=like.operators)
        ahead = detector.transactions_ahead_of(like)
        if not ahead:
            return detector
        offset -= ahead


class History:
    """What the replay of a log gives: the document's state, and the recorded watch with what it raised.

    Without ``rules`` watches are left out. ``delivered`` is used in place of the cursor in the log. ``state`` is what
    it began with, ``behind`` the number of bytes it was fed; ``notes`` say why it was fed more than needed.
    ``past`` makes a detector of rules that has been fed all before some place, as `detector_over` does.
    """

    def __init__(
        self, rules: Rules | None = None, delivered: Delivered = None, notes: tuple[str, ...] = (),
        past: Callable[[Rules, Origin, Detector], Detector] | None = None,
    ) -> None:  # fmt: skip
        self.state: RecordingState | None = None
        self.behind = 0
        self.notes = notes
        self.has_watch = False  # whether one was ever opened
        self.opened = ""  # where the last one was
        self._refusal: LogError | None = None  # of the last one, if it cannot be gone on with
        self._given = rules
        self.rules = rules  # those of the watch that was opened last
        self._past = past
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
            if self._given is not None:
                self._go_on_watching(watch, self._given)
        self.state = state

    def _go_on_watching(self, watch: WatchState, rules: Rules) -> None:
        self._read_rules(watch.stamp, rules)
        if self._refusal is not None or self.rules is None:
            return
        given = self._consumer(watch.opened)
        if not self._heeds_cursor and given < watch.told:
            raise StateError(
                f"only {given} of the {watch.told} composite events that were raised before it were delivered"
            )
        self.detector = watch.new_detector(self.rules)
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

    def check_rules(self, on_removed: OnRemoved | None) -> None:
        """Raises `LogError` if the given rules lack an event that the watch had, or have another one in its place, and
        nobody says what becomes of what was stored in it."""
        given, rules = self._given, self.rules
        if given is None or rules is None or rules is given or on_removed is not None or self.closed:
            return
        if self.detector is not None and compare(tree_digests(rules), tree_digests(given)).ended:
            raise LogError(
                f"{self.opened}: the watch was opened with {difference(rules_stamp(rules), given)}: use the same, say "
                'what happens to partial matches of changed or removed definitions (on_removed="flush" or "drop"), or '
                "recover without rules and open a new watch"
            )

    def finish(self) -> None:
        """The end of the log; raises `LogError` if its last watch was of rules that cannot be gone on with."""
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
        if self.detector is not None and self.rules is not None and self.rules.takes_external(event):
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
            if self._given is not None:
                self._open(control, self._given)
        elif self._given is None:
            return
        elif control.kind == RULES:
            self._replace(control, origin, self._given)
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

    def _open(self, control: Control, given: Rules) -> None:
        self._end_transaction()
        self._read_rules(control.content, given)
        self.operators = control.content.get("operators") is True
        self.detector = None
        if self._refusal is None and self.rules is not None:
            self.detector = self._detector_here(self.rules)
        self.delivered, self._raised, self.closed = self._consumer(self.opened), 0, False
        self.missed = []

    def _replace(self, control: Control, origin: Origin, given: Rules) -> None:
        """The rules of the watch were replaced (G7)."""
        self._end_transaction()
        self._read_rules(control.content, given)
        if self.detector is None or self.rules is None or self._refusal is not None:
            self.detector = None
            return
        replacing = Replacing.of(control)
        past = None
        if replacing.since == "begin" and self._past is not None:
            past = self._past(self.rules, origin, self.detector)
        replacement = self.detector.replace(
            self.rules, on_removed=replacing.on_removed, document=self._document_here(self.rules), past=past
        )
        self._raise([*replacement.raised])

    def _read_rules(self, stamp: Mapping[str, Any], given: Rules) -> None:
        """The rules of the watch, which are the given ones or others; what is wrong with those is said in the end."""
        self._refusal = None
        try:
            self.rules = rules_of(stamp, given)
        except StateError as error:
            self._refusal = LogError(
                f"{self.opened}: the watch was opened with {difference(stamp, given)}, and {error}; recover without "
                "rules and open a new watch"
            )

    def _detector_here(self, rules: Rules) -> Detector:
        """A detector that begins here: it knows of the document what the rules need of it."""
        return Detector(rules, operators=self.operators, document=self._document_here(rules))

    def _document_here(self, rules: Rules) -> Replica | None:
        needs = select(rules.graph, None).needs
        xml, ids = self.replica.snapshot() if needs is not None else (None, [])
        return None if xml is None else Replica.from_snapshot(xml, ids, needs=needs)


class Past(History):
    """A detector that begins with the log, whatever watches it has; it counts transactions from ``offset`` on."""

    def __init__(self, rules: Rules, offset: int, *, operators: bool) -> None:
        super().__init__(rules)
        self.operators = operators
        self._offset = offset

    def _header(self, header: Header) -> None:
        super()._header(header)
        if self.detector is None:
            assert self.rules is not None
            self.detector = self._detector_here(self.rules)
            self.detector.count_transactions_from(self._offset)

    def _control(self, control: Control, origin: Origin) -> None:
        if control.kind == FLUSH:
            super()._control(control, origin)

    def _raise(self, composites: list[CompositeEvent]) -> None:
        """It is of no account what it raises."""
