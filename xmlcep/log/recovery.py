"""Recovery: after a crash the document, its log and its watch go on as if nothing had happened."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from ..engine import Detector
from ..errors import RuleError
from ..events import CompositeEvent, PrimitiveEvent
from ..replica import Replica, ReplicaError, Strictness
from ..rules import Rules, parse_rules
from ..snapshots import SnapshotError
from ..wrap import Document, wrap
from ..wrap.parsing import parse_bytes
from .continuing import continue_log
from .errors import LogError, Origin
from .reading import read_everything
from .recorder import Recording
from .records import Control, Header
from .segments import segments
from .tail import Repair
from .watching import CLOSE, CURSOR, FLUSH, OPEN, Callback, RecordedWatch
from .writing import Durability


@dataclass(frozen=True, slots=True)
class Recovered:
    """What `recover` brings back; leaving its ``with`` block closes the watch and the recording.

    ``watch`` is None when no rules were given; ``repairs`` says what the crash had left at the end of the log.
    """

    document: Document
    recording: Recording
    watch: RecordedWatch | None
    repairs: tuple[Repair, ...]

    def close(self) -> None:
        """Closes the watch, if any, and the recording."""
        if self.watch is not None:
            self.watch.close()
        self.recording.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def recover(
    log: str | os.PathLike[str],
    rules: Rules | None = None,
    *,
    on_event: Callback | None = None,
    delivered: int | None = None,
    durability: Literal["event", "transaction", "os"] = "transaction",
    max_bytes: int | None = None,
    keep: int | None = 1000,
    **wrapping: Any,
) -> Recovered:
    """Brings a recorded document back, with its node ids and clock, and goes on recording it.

    With ``rules`` the recorded watch that was open (`Recording.watch`) is brought back, too, its detector in
    the state it had. Composite events that were raised but, by the cursor in the log, not delivered, are given to
    ``on_event`` first. ``delivered``, if given, is used in place of the cursor: how many the application knows to
    have kept since the watch was opened. Was no watch open, a new one is opened. ``wrapping`` goes to `xmlcep.wrap`.

    Comments and processing instructions do not come back; between two text nodes an empty comment stands for
    what kept them apart. Raises `LogError` for a log that is missing, damaged or was watched with other rules,
    `LogLockedError` while another writer has it open.
    """
    opened = continue_log(log)
    if opened is None:
        raise LogError(f"{log}: there is no log to recover from")
    writer, end = opened
    document: Document | None = None
    try:
        history = _History(rules, delivered)
        for origin, item in read_everything(segments(log)):
            history.take(origin, item)
        history.finish()
        document = history.document(Path(log), end.doc, end.ts, wrapping)
        mode = Durability(durability)
        recording = Recording(document, writer, durability=mode, max_bytes=max_bytes, repairs=end.repairs)
    except BaseException:
        if document is not None:
            document.close()
        writer.close()
        raise
    watch = None if rules is None else _continue_watch(history, recording, document, rules, on_event, keep)
    return Recovered(document, recording, watch, end.repairs)


def _continue_watch(
    history: _History,
    recording: Recording,
    document: Document,
    rules: Rules,
    on_event: Callback | None,
    keep: int | None,
) -> RecordedWatch:
    missed = history.missed
    if history.detector is None or history.closed:
        for number, composite in enumerate(missed, history.delivered + 1):
            if on_event is not None:
                on_event(composite)
            recording.write_control(Control(CURSOR, {"delivered": number}))
        return recording.watch(rules, on_event=on_event, keep=keep)
    watch = RecordedWatch(
        document, rules, recording, on_event=on_event, operators=history.operators, keep=keep,
        detector=history.detector, delivered=history.delivered,
    )  # fmt: skip
    recording.continue_watch(watch)
    watch.deliver_missed(missed)
    return watch


class _History:
    """Replays a log: the document's state, and the detector of the recorded watch with what it raised."""

    def __init__(self, rules: Rules | None, delivered: int | None) -> None:
        self._rules = rules
        self._heeds_cursor = delivered is None
        self._given = delivered or 0
        self._replica = Replica(strictness=Strictness.STRICT)
        self._largest_id = 0
        self._txn: int | None = None  # of the transaction whose flush is to come
        self._last_txn = 0
        self.detector: Detector | None = None
        self.closed = False
        self.operators = False
        self.delivered = 0  # how many composites of the watch have been delivered
        self._raised = 0  # how many it has raised
        self.missed: list[CompositeEvent] = []  # those it raised beyond the delivered ones

    def take(self, origin: Origin, item: Header | Control | PrimitiveEvent) -> None:
        """The next item of the log."""
        try:
            if isinstance(item, PrimitiveEvent):
                self._event(item)
            elif isinstance(item, Header):
                self._header(item)
            elif self._rules is not None:
                self._control(item, origin)
        except (ReplicaError, SnapshotError) as error:
            raise LogError(f"{origin}: {error}") from error

    def finish(self) -> None:
        """The end of the log."""
        self._end_transaction()

    def document(self, log: Path, name: str, clock: int, wrapping: dict[str, Any]) -> Document:
        """The document at the end of the log, wrapped."""
        xml, ids = self._replica.snapshot()
        if xml is None:
            raise LogError(f"{log}: at its end the document {name!r} has no root element: nothing to recover")
        # A tree, not its root: nobody may hold a proxy that is older than the wrapping.
        return wrap(
            parse_bytes(xml, source_name=str(log)), name=name, ids=ids, clock=clock, txn=self._last_txn,
            next_id=self._largest_id + 1, **wrapping,
        )  # fmt: skip

    def _header(self, header: Header) -> None:
        # A later file begins with what the replica holds already, unless changes were made unrecorded.
        self._replica = Replica(strictness=Strictness.STRICT)
        if header.snapshot is not None:
            self._replica = Replica.from_snapshot(header.snapshot, header.ids, strictness=Strictness.STRICT)
            self._largest_id = max(self._largest_id, *header.ids)

    def _event(self, event: PrimitiveEvent) -> None:
        if event.txn != self._txn:
            self._end_transaction()
            self._txn = event.txn
            self._last_txn = max(self._last_txn, event.txn or 0)
        self._replica.apply(event)
        self._largest_id = max(self._largest_id, event.ids[-1])
        if self.detector is not None:
            self._raise(self.detector.feed(event))

    def _raise(self, composites: list[CompositeEvent]) -> None:
        if composites:
            self.missed += composites[max(0, self.delivered - self._raised) :]
            self._raised += len(composites)

    def _end_transaction(self) -> None:
        """The end of a transaction is a flush (D3); it is seen by what follows it."""
        if self._txn is not None and self.detector is not None:
            self._raise(self.detector.flush())
        self._txn = None

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
        self.operators = control.content.get("operators") is True
        state = Replica.from_state(self._replica.to_state())
        self.detector = Detector(self._rules, operators=self.operators, document=state)
        self.delivered, self._raised, self.closed = self._given, 0, False
        self.missed = []


def _same_rules(recorded: str, rules: Rules) -> bool:
    try:
        return parse_rules(recorded) == rules
    except RuleError:
        return False
