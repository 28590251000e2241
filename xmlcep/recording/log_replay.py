"""Replaying a log from its beginning: what recovery and continuing need to know."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..documents import Replica, ReplicaError, Strictness
from ..documents.snapshots import SnapshotError
from ..engine import Detector
from ..engine.durable import rules_stamp
from ..errors import RecordError, RuleError
from ..events import CompositeEvent, PrimitiveEvent
from ..log.errors import LogError, Origin
from ..log.reading import read_everything
from ..log.records import RAISED, Aside, ClockRecord, Control, Header, raised_event
from ..log.segments import segments
from ..rules import Rules, parse_rules
from .recorded_watch import CLOSE, CURSOR, FLUSH, OPEN


def replay_history(
    log: str | os.PathLike[str],
    rules: Rules | None = None,
    delivered: int | None = None,
    *,
    whole: Mapping[str, int] | None = None,
) -> History:
    """The history of a log; raises `LogError` for a log that is damaged or was watched with other rules.

    ``whole`` says of files that are not whole how many of their bytes count.
    """
    history = History(rules, delivered)
    for origin, item in read_everything(segments(log), whole=whole):
        history.take(origin, item)
    history.finish()
    return history


class History:
    """What a log tells when it is replayed: the document's state, and the recorded watch with what it raised.

    Without ``rules`` watches are left out. ``delivered`` is used in place of the cursor in the log.
    """

    def __init__(self, rules: Rules | None = None, delivered: int | None = None) -> None:
        self._rules = rules
        self._heeds_cursor = delivered is None
        self._given = delivered or 0
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
            elif self._rules is not None:
                self._control(item, origin)
        except (ReplicaError, SnapshotError) as error:
            raise LogError(f"{origin}: {error}") from error

    def finish(self) -> None:
        """The end of the log."""
        self._end_transaction()

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
            self._open(control, origin)
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

    def _open(self, control: Control, origin: Origin) -> None:
        assert self._rules is not None
        self._end_transaction()
        if not _same_rules(str(control.content.get("rules")), self._rules):
            raise LogError(
                f"{origin}: the watch was opened with other rules than those given: give the same, or recover"
                " without rules and open a new watch"
            )
        if control.content.get("references", {}) != rules_stamp(self._rules).get("references", {}):
            raise LogError(
                f"{origin}: the watch was opened with other reference documents than those given, or with other"
                " versions of them: give the same, or recover without rules and open a new watch"
            )
        self.operators = control.content.get("operators") is True
        state = Replica.from_state(self.replica.to_state())
        self.detector = Detector(self._rules, operators=self.operators, document=state)
        self.delivered, self._raised, self.closed = self._given, 0, False
        self.missed = []


def _same_rules(recorded: str, rules: Rules) -> bool:
    try:
        return parse_rules(recorded) == rules
    except RuleError:
        return False
