"""Recording a wrapped document: every change goes to its log as it happens.

One module because how a log is begun, continued and written is one question: what its last record says.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NoReturn

from ..arguments import PATH, check, optional, whole_number
from ..closing import Closing
from ..documents.replica import Replica
from ..engine import Detector, OnRemoved, Replacement
from ..errors import ArgumentError, RecordError, XmlCepError
from ..events import UNNAMED, Cause, CompositeEvent, PrimitiveEvent
from ..log.errors import LogError
from ..log.records import (
    TOGETHER,
    ClockRecord,
    Control,
    Header,
    change_record,
    raised_control,
    raised_identity,
)
from ..log.segments import first_of, segments
from ..log.tail import Repair
from ..log.writing import Durability, LogWriter, create_log
from ..proofs.log_tree import Tree, as_signing
from ..rules import Rules
from ..wrapping import Document
from ..wrapping.not_copyable import Single
from ..wrapping.watches import check_opening
from .checkpoints import EVERY, Checkpoints
from .log_end import LogEnd, LogToContinue, look_at
from .log_replay import History, detector_over, replay_history
from .places import state_path
from .recorded_watch import RecordedWatch
from .state_file import RecordingState, WatchState

_LOG = logging.getLogger("xmlcep")


class Recording(Single, Closing):
    """A document's change log being written; close it, or use it in a ``with`` block.

    ``repairs`` lists what was repaired at the end of the log that was continued.
    """

    _instead = "record the other document to a file of its own"

    def __init__(
        self,
        doc: Document,
        writer: LogWriter,
        *,
        durability: Durability,
        max_bytes: int | None = None,
        state_every: int | None = EVERY,
        repairs: tuple[Repair, ...] = (),
        clock: ClockRecord | None = None,
        before: History | None = None,
        is_new: bool = False,
    ) -> None:
        """``before``: what its log has, if that was replayed; ``is_new``: nothing yet."""
        self._doc = doc
        self._writer = writer
        self._tree = writer.tree
        self._syncs = durability is not Durability.OS
        self._syncs_within = durability is Durability.EVENT
        self._max_bytes = max_bytes
        self._ts = doc.clock
        self._telling = doc.delivery
        self._missed = self._telling.missed  # what was missed before is in the header
        self._waiting: list[dict[str, Any]] = []  # of a transaction
        self._group: list[dict[str, Any]] = []  # of an edit and what rules made of it
        self._missing = 0  # how many more belong to that
        self._clock = clock  # the last one written
        self._raised_at = 0  # the time point of external events, and how many there were of each
        self._raised: Counter[str] = Counter()
        self._open = True
        self._watch: RecordedWatch | None = None
        self._opened = ""  # where the watch was
        # The log may have a watch that nobody goes on with: what it would raise is not for a state to forget.
        self._has_foreign_watch = not is_new and (before is None or before.has_watch)
        self._checkpoints = (
            Checkpoints(writer, state_every)
            if before is None
            else Checkpoints(writer, state_every, before.state, before.behind)
        )
        self.repairs = repairs
        doc.attach(self, ahead=True)

    @property
    def writer(self) -> LogWriter:
        """The writer of the log."""
        return self._writer

    def _on_change(self, event: PrimitiveEvent) -> None:
        """Writes an event; those of a transaction are written together when it is committed.

        Those of an immediate transaction, which are delivered while its block is open, are written at once.
        """
        self._take(change_record(event), event, within=event.more)

    def _on_raised(self, event: CompositeEvent) -> None:
        """Writes an external event that a rule has raised (L7), after the record it belongs to."""
        if event.ts != self._raised_at:
            self._raised_at = event.ts
            self._raised.clear()
        identity = raised_identity(raised_control(event))
        self._raised[identity] += 1
        self._take(raised_control(event, self._raised[identity]).to_record(), event.cause, within=False)

    def _take(self, record: dict[str, Any], cause: Cause, *, within: bool) -> None:
        """Writes a record, or keeps it for the end of its transaction; ``within`` an edit that goes on."""
        if cause.txn is not None:
            if not self._doc.in_transaction:
                self._waiting.append(record)
                return
            record["commit"] = True
        self._write(record, cause.ts, within=within, ends=cause.txn is None and not within)

    def _on_together(self, count: int) -> None:
        """The next records are an edit and what rules made of it: written as one, so that no crash parts them (L4)."""
        self._missing = count

    def _write(self, record: dict[str, Any], ts: int, *, within: bool, ends: bool) -> None:
        """Writes a record: ``within`` an edit that goes on; ``ends``: nothing that belongs to it is to come."""
        writer = self._writer
        if self._telling.missed != self._missed:
            self._refuse_missed()
        try:
            if self._missing:
                self._missing -= 1
                self._group.append(record)
                if self._missing:
                    return
                group, self._group = self._group, []
                head = Control(TOGETHER, {"doc": self._doc.name, "records": len(group)}).to_record()
                writer.write_records([head, *group])
            else:
                writer.write(writer.line(record))
        except BaseException:
            writer.give_up()
            raise
        self._ts = ts
        if self._syncs and (ends or self._syncs_within):
            writer.sync()
        if ends and self._tree is not None and self._tree.is_due:
            writer.checkpoint()
        if self._max_bytes is not None and writer.size >= self._max_bytes and not within:
            self._roll_over()
        if writer.size >= self._checkpoints.due:
            self._checkpoint_alone()

    def _refuse_missed(self) -> NoReturn:
        """Raises `LogError`: events may be missing, and a log without them would be that of another document."""
        self._writer.give_up()
        raise LogError(
            f"{self._writer.file}: an edit was cut short, as by a KeyboardInterrupt or a MemoryError, so that events"
            " may be missing: nothing more is written; close() the recording and the document, wrap its tree again with"
            " clock=document.clock + 1, and record() that, which goes on with a new snapshot"
        )

    def record_clock(self, at: str) -> None:
        """Writes the time ``at`` (RFC 3339) although nothing has changed, so that a replay knows it, too (W6).

        It is not a time point. Raises `LogError` for what is not a time, for one before that of the last clock record,
        and in a transaction.
        """
        if self._waiting or self._doc.in_transaction:
            raise LogError(
                f"{self._writer.file}: time does not advance in a transaction (W6): advance after it"
            )
        if self._doc.clock != self._ts:
            raise LogError(
                f"{self._writer.file}: time does not advance while changes are being delivered: advance after the edit"
            )
        try:
            clock = ClockRecord.from_record({"doc": self._doc.name, "ts": self._ts, "at": at, "clock": True})
        except RecordError as error:
            raise LogError(f"{self._writer.file}: {error}") from None
        if self._clock is not None and clock.time < self._clock.time:
            raise LogError(f"{self._writer.file}: it cannot be {at}, for it was {self._clock.at} before")
        self._writer.write_clock(clock)
        self._clock = clock
        if self._syncs:
            self._writer.sync()

    def _on_advance(self, at: str) -> None:
        """Time has passed (W6; called by the document)."""
        self.record_clock(at)

    def _on_commit(self, txn: int) -> None:
        """Writes the events of a transaction, the last with the mark ``commit``."""
        writer = self._writer
        if self._waiting:
            if self._telling.missed != self._missed:
                self._refuse_missed()
            records, self._waiting = self._waiting, []
            records[-1]["commit"] = True
            writer.write_records(records)
            self._ts = records[-1]["ts"]
        if self._syncs:
            writer.sync()
        if self._tree is not None and self._tree.is_due:
            writer.checkpoint()
        if self._max_bytes is not None and writer.size >= self._max_bytes:
            self._roll_over()
        self._checkpoint_alone()

    def watch(
        self,
        rules: Rules,
        *,
        on_event: Callable[[CompositeEvent], Any] | None = None,
        operators: bool = False,
        keep: int | None = 1000,
    ) -> RecordedWatch:
        """Opens a watch on the recorded document that `recover` continues after a crash; as `Document.watch`.

        Raises `LogError` if one is open already: a log can have one watch, with any number of rules.
        """
        if self._watch is not None and not self._watch.closed:
            raise LogError(
                f"{self._writer.file}: a recorded watch is open: close it, or put all rules into it"
            )
        check_opening(self._doc, rules, on_event, keep)
        opened = f"{self._writer.file}:{self._checkpoints.here().line + 1}"
        self._watch = RecordedWatch(
            self._doc, rules, self, on_event=on_event, operators=bool(operators), keep=keep
        )
        self._opened = opened
        return self._watch

    def replace(
        self, rules: Rules, *, on_removed: OnRemoved = "flush", since: Literal["now", "begin"] = "now"
    ) -> Replacement:
        """Takes other rules in the recorded watch: `RecordedWatch.replace`. Raises `LogError` if none is open."""
        if self._watch is None or self._watch.closed:
            raise LogError(
                f"{self._writer.file}: no recorded watch is open: open one, recording.watch(rules)"
            )
        return self._watch.replace(rules, on_removed=on_removed, since=since)

    def past(self, rules: Rules, like: Detector) -> Detector:
        """A detector of these rules that has been fed the whole log; it counts transactions as ``like``."""
        return detector_over(segments(self._writer.log), rules, like)

    @property
    def opened(self) -> str:
        """Where in the log the recorded watch was opened, file and line."""
        return self._opened

    def continue_watch(self, watch: RecordedWatch, opened: str) -> None:
        """Makes ``watch``, which recovery has brought back, the recorded watch; ``opened`` is where it was opened."""
        self._watch = watch
        self._opened = opened

    def checkpoint(self) -> None:
        """Writes the state of document and watch beside the log, so that a recovery replays only the rest.

        A recording does so after each ``state_every`` bytes of log. Raises `LogError` in a transaction, in a callback,
        in a log with an earlier watch that was not continued, and if it cannot be written; `StateError` if the watch's
        rules are in a language that remembers events (O1).
        """
        file = self._writer.file
        self._writer.check_process()
        if self._has_foreign_watch and self._watch is None:
            raise LogError(
                f"{file}: the log has an open watch: recover it with its rules, or open a new watch"
            )
        watch = self._watch
        delivering = watch is not None and watch.is_delivering
        try:
            if delivering or not self._checkpoints.save(self._state):
                raise LogError(
                    f"{file}: no state is written in a transaction, and none while changes are being delivered:"
                    " write it after the edit"
                )
        except OSError as error:
            raise LogError(f"{file}: no state could be written beside it: {error.strerror}") from error

    def checkpoint_if_due(self) -> None:
        """The same where it is due; called by the watch after a change, or by this when there is none."""
        if self._open and self._writer.size >= self._checkpoints.due:
            self._checkpoints.save_if_possible(self._state)

    def _checkpoint_alone(self) -> None:
        """The same when there is no watch that has yet to hear of what was written."""
        if self._watch is None or self._watch.closed:
            self.checkpoint_if_due()

    def _state(self) -> RecordingState | None:
        """What a recovery would know at the end of the log; None where document, log and watch are not in step."""
        doc, watch = self._doc, self._watch
        if self._waiting or self._group or doc.in_transaction or doc.clock != self._ts:
            return None
        known: WatchState | None = None
        if watch is not None:
            if not watch.is_settled:
                return None
            known = watch.state(self._opened)
        elif self._has_foreign_watch:
            return None
        header = self._header()
        if header is None:
            return None
        return RecordingState(self._checkpoints.here(), header, doc.last_txn, doc.next_id, known)

    def sync(self) -> None:
        """Waits until everything written is on the disk, also with ``durability="os"``; raises `LogError`. Any thread
        may call it.
        """
        self._writer.sync()

    def write_control(self, control: Control) -> None:
        """Writes a control record."""
        self._writer.write_control(control)
        if self._syncs:
            self._writer.sync()

    def _header(self) -> Header | None:
        """For a file that begins with the document as it is now; None unless that is what the log says.

        Events may be queued that it already shows, and the snapshot may have what nobody could hear.
        """
        if self._doc.in_transaction or self._doc.clock != self._ts:
            return None
        header = _header_of(self._doc)
        return header if self._doc.clock == self._ts else None

    def _roll_over(self) -> None:
        size = self._writer.size
        try:
            header = self._header()
            if header is None:
                return
            self._writer.roll_over(header)
            self._checkpoints.rolled_over(size)
        except XmlCepError as error:
            self._max_bytes = None  # said once: it would fail again and again
            raise LogError(f"{self._writer.file}: the log cannot be rolled over any more: {error}") from error

    def close(self) -> None:
        """Stops recording, brings everything to the disk and lets the next writer in.

        Raises `LogError` in a transaction, and in a block that is one edit or observes: its changes would be missing in
        the log.
        """
        if self._open and self._telling.has_open_block:
            raise LogError(
                f"{self._writer.file}: close() of a recording inside a transaction (or a block that is one edit, or "
                "observes), whose changes the log would lack: close it when the block has ended"
            )
        if self._open:
            self._open = False
            self._doc.detach(self)
            try:
                if not (
                    self._waiting or self._group or self._doc.in_transaction or self._doc.clock != self._ts
                ):
                    self._writer.checkpoint()
            finally:
                self._writer.close()

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return not self._open

    def __repr__(self) -> str:
        closed = "" if self._open else ", closed"
        return f"<xmlcep.Recording of {self._doc.name!r} in {str(self._writer.file)!r}{closed}>"


def record(
    doc: Document,
    path: str | os.PathLike[str],
    *,
    durability: Literal["event", "transaction", "os"] = "transaction",
    seal: bool = False,
    max_bytes: int | None = None,
    state_every: int | None = EVERY,
    tree: Tree = False,
    erasable: bool = False,
) -> Recording:
    """Records every change of a wrapped document to the JSON Lines log ``path``, until the recording is closed.

    A new log begins with a snapshot of the document. An existing log is continued, if it is of the same document and
    the document is as the log ends; a document that has just been parsed takes over clock and ids. If the document was
    changed without being recorded, a new file with a new snapshot follows.

    - ``durability``: when to wait for the disk: after each ``"transaction"``, each ``"event"``, or never (``"os"``).
    - ``seal``: adds the hash chain that `xmlcep verify` checks.
    - ``tree``: also writes a tree of hashes beside the log. True, the file of a key that signs its checkpoints, or a
      `Signing`.
    - ``erasable``: seals the log so that `xmlcep.recording.erase` can remove values.
    - ``max_bytes``: beyond this size the log continues in a new numbered file, but never within a transaction.
    - ``state_every``: after so many bytes (None: never) the state of document and watch is written beside the log, so
      that `recover` replays only the rest.

    Raises `LogError` for a log of another document, for one that is ahead of the document (recover it instead), and for
    a later file of a log whose first file is there; `LogLockedError` if another writer has it open.
    """
    if not hasattr(doc, "snapshot"):
        raise ArgumentError(
            f"a wrapped document is recorded, not {doc!r}: use wrap(), parse() or fromstring()"
        )
    check(
        "record()", path=(path, PATH), max_bytes=(max_bytes, optional(whole_number(1))),
        state_every=(state_every, optional(whole_number(1))),
    )  # fmt: skip
    mode = Durability(durability)
    signing = as_signing(tree)
    seal = seal or erasable or signing is not None
    _refuse_later_file(Path(path))
    to_continue = look_at(path)
    if to_continue is None:
        writer = create_log(path, _header_of(doc), seal=seal, tree=signing, erasable=erasable)
        if doc.name == UNNAMED:
            _LOG.warning(
                "%s: the log of a document without a name, called %r: an audit of several such logs takes them for one"
                " document; give it a name when it is wrapped (name=)", path, UNNAMED,
            )  # fmt: skip
        state_path(writer.log).unlink(missing_ok=True)  # of another log that had this name
        return _recording(doc, writer, mode, max_bytes, state_every)
    try:
        before = _check(doc, path, to_continue, seal=seal, erasable=erasable)
        writer, repairs = to_continue.open(signing)
    except BaseException:
        to_continue.close()
        raise
    return _recording(doc, writer, mode, max_bytes, state_every, to_continue.end, repairs, before)


def _header_of(doc: Document) -> Header:
    """The header for a log file that begins with the document as it is now."""
    snapshot, ids = doc.snapshot()
    return Header(doc.name, snapshot, tuple(ids), doc.clock, commits=True)


def _refuse_later_file(path: Path) -> None:
    """Raises `LogError` for a name that the roll-over of another log takes: both writers would write to the file."""
    first, number = first_of(path)
    if number > 1 and first.exists():
        raise LogError(
            f"{path}: is the name of file {number} of the log {first}: record to that, or to a file with another name"
        )


def _recording(
    doc: Document, writer: LogWriter, durability: Durability, max_bytes: int | None, state_every: int | None,
    end: LogEnd | None = None, repairs: tuple[Repair, ...] = (), before: History | None = None,
) -> Recording:  # fmt: skip
    """The recording, once a document changed while it was not recorded is in the log as a new snapshot."""
    try:
        if end is not None and (end.ts < doc.clock or doc.delivery.missed):
            writer.roll_over(_header_of(doc))
        return Recording(
            doc, writer, durability=durability, max_bytes=max_bytes, state_every=state_every, repairs=repairs,
            clock=None if end is None else end.clock, before=before, is_new=end is None,
        )  # fmt: skip
    except BaseException:
        writer.close()
        raise


def _check(
    doc: Document, path: str | os.PathLike[str], log: LogToContinue, *, seal: bool, erasable: bool
) -> History | None:
    """Whether the log can be continued with this document, which takes over its ids; raises `LogError` if not.

    Returns what the log has, if it had to be replayed for that.
    """
    end = log.end
    if end.doc != doc.name:
        raise LogError(
            f"{path}: the log of the document {end.doc!r}, not of {doc.name!r}: record to another file"
        )
    if seal and end.seal is None:
        raise LogError(f"{path}: the log is not sealed: a log is sealed from its first record or not at all")
    if erasable and not (end.seal and end.seal.erasable):
        raise LogError(f"{path}: the log is not erasable: a log is from its first record or not at all")
    if end.ts > doc.clock or end.ts == doc.clock == 0:  # at 0 it may have other ids than the log's header
        return _resume(doc, path, log)
    return None


def _resume(doc: Document, path: str | os.PathLike[str], log: LogToContinue) -> History:
    """Gives a document that has just been wrapped the ids and the clock of its log, if it is the same document."""
    ids, ts = None, log.end.ts
    if doc.clock == 0:
        history = replay_history(path, whole=log.whole)
        snapshot, own = doc.snapshot()
        ids = history.replica.ids_for(Replica.from_snapshot(snapshot, own))
        if ids == own and ts == 0:
            return history  # it has been recorded to this log before
    if ids is None:
        raise LogError(
            f"{path}: the log has reached time point {ts}, the document is at {doc.clock} and not the one at the end"
            " of the log: go on with the document that xmlcep.recover(log) returns, or record to another file"
        )
    doc.resume(ids, clock=ts, txn=history.last_txn, next_id=history.largest_id + 1)
    return history
