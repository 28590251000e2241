"""The end of a log that is to be continued: looked at first, put right only when it is sure that it goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import RecordError
from ..files import reading
from ..log.errors import LogError
from ..log.json_codec import STANDARD
from ..log.lock import WriterLock
from ..log.records import FORMAT_VERSION, MARK, RAISED, TOGETHER, ClockRecord, refuse_newer
from ..log.seal import Seal, seal_of
from ..log.segments import number_of, segments
from ..log.tail import Repair, add_line_end, cut, last_line, object_in, records_backwards
from ..log.tree import entries_of
from ..log.writing import LogWriter, lock_log, write_new_file
from ..proofs.log_tree import LogTree, Signing, tree_folder

_HEADER_BEGINS = f'{{"{MARK}":'.encode()
_LONG_AGO = "1970-01-01T00:00:00Z"  # makes no document's time any later (W1)


class LogEnd(NamedTuple):
    """How a log ends: the document's name, its clock and the state of the hash chain.

    ``clock`` is the clock record that is last, if one is. ``edit_is_open``: the last record says that its edit
    goes on (U1), which it never will; ``at`` is the time of the last record.
    """

    doc: str
    ts: int
    seal: Seal | None
    clock: ClockRecord | None
    edit_is_open: bool
    at: str | None


class _Cut(NamedTuple):
    """What is to be taken out of a file: all from ``offset`` on."""

    offset: int
    reason: str


class LogToContinue:
    """A log that is locked and has been looked at; nothing in it is touched before `open`.

    ``end`` is how it ends once a torn last line and a transaction that was not written completely are left out;
    ``whole`` says, for `xmlcep.log.reading.read_everything`, where what is whole ends.
    """

    def __init__(
        self, log: Path, lock: WriterLock, files: list[Path], end: LogEnd, cuts: list[_Cut], size: int
    ) -> None:
        self.end = end
        self.whole = {str(files[-1]): size}
        self._log = log
        self._lock = lock
        self._files = files
        self._cuts = cuts

    def open(self, tree: Signing | None = None) -> tuple[LogWriter, tuple[Repair, ...]]:
        """Puts the end right and opens the log to be appended to; says what was done. ``tree``: it is to have one, if
        it has none.

        Raises `ProofError` for a log that is not what the checkpoint of its tree says.
        """
        last = self._files[-1]
        repairs = _cut_off(self._log, last, self._cuts)
        own = None
        if tree is not None or tree_folder(self._log).exists():
            own = LogTree.continued(self._log, tree or Signing(), write_new_file, entries_of(self._log))
        writer = LogWriter(self._log, self._lock, number_of(self._log, last), self.end.seal, own)
        clock = self.clock_to_come
        if clock is not None:
            reason = "an edit was not written completely: a clock record ends it"
            repairs.append(Repair(str(writer.file), writer.size, b"", reason))
            writer.write_clock(clock)
            self.end = self.end._replace(clock=clock, edit_is_open=False)
        return writer, tuple(repairs)

    @property
    def clock_to_come(self) -> ClockRecord | None:
        """The clock record that `open` puts behind an edit that was not written completely, or what is recorded next
        would seem to belong to it (U1); None where there is none to be put."""
        end = self.end
        return ClockRecord(end.doc, end.ts, end.at or _LONG_AGO) if end.edit_is_open else None

    def close(self) -> None:
        """Leaves the log as it is and lets the next writer in."""
        self._lock.release()


def look_at(log: str | os.PathLike[str]) -> LogToContinue | None:
    """Locks a log that is to be continued; None if there is none or it has not even a header.

    Raises `LogLockedError` if another writer has the log open and `LogError` for a file that is not a log.
    """
    first = Path(log)
    if not first.exists():
        return None
    if not first.is_file() and not first.is_dir():
        raise LogError(f"{first}: a device or pipe: a log is recorded to a file, which can be read again")
    lock = lock_log(first)
    try:
        files = segments(first)
        _check_ours(files[-1])
        cuts, size = _what_to_cut(files[-1])
        end = _end(files, size)
        if end is None:  # the crash came while the header was being written
            _cut_off(first, files[-1], cuts)
            lock.release()
            return None
        return LogToContinue(first, lock, files, end, cuts, size)
    except BaseException:
        lock.release()
        raise


def _check_ours(file: Path) -> None:
    """Nothing is cut off what is not a log: its first line is a header or a change record, as far as it goes."""
    with reading(file) as stream:
        line = stream.readline()
    record = object_in(line)
    if record is not None and (MARK in record or ("doc" in record and "ts" in record)):
        return
    if not line.endswith(b"\n") and (line.startswith(_HEADER_BEGINS) or _HEADER_BEGINS.startswith(line)):
        return  # the crash came while the header was being written
    raise LogError(f"{file}: not a change log: its first line is neither a header nor a change record")


def _what_to_cut(file: Path) -> tuple[list[_Cut], int]:
    """What a crash has left at the end of a file, and where what is whole ends."""
    cuts = []
    size = file.stat().st_size
    offset, line = last_line(file)
    if not line.endswith(b"\n") and object_in(line) is None:
        cuts.append(_Cut(offset, "the last line was cut off by a crash"))
        size = offset
    begun = _open_transaction(file, size) or _open_cascade(file, size) or _open_root(file, size)
    if begun is not None:
        cuts.append(begun)
        size = begun.offset
    return cuts, size


def _open_transaction(file: Path, size: int) -> _Cut | None:
    """The records of a transaction whose last record did not make it into the log."""
    if not _marks_commits(file):
        return None
    found: tuple[int, int] | None = None
    for offset, record in records_backwards(file, size):
        if MARK in record and record.get("control") != RAISED:
            if found is None and "control" in record:
                continue
            break
        txn = record.get("txn")
        if txn is None or record.get("commit") is True or (found is not None and found[0] != txn):
            break
        found = (txn, offset)
    return found and _Cut(found[1], f"transaction {found[0]} was not written completely")


def _open_cascade(file: Path, size: int) -> _Cut | None:
    """An edit of which not all that rules made of it made it into the log (L4).

    From the end: what rules made (`rule` in ``meta``), the edit itself, and what says how many records these are.
    """
    count, before = 0, False
    for offset, record in records_backwards(file, size):
        kind = record.get("control")
        if kind == TOGETHER:
            incomplete = count < (record.get("records") or 0)
            reason = "an edit, and what rules made of it, was not written completely"
            return _Cut(offset, reason) if incomplete else None
        if MARK in record and kind != RAISED:
            if kind is None:
                return None  # a header
            continue
        count += 1
        by_rule = "rule" in (record.get("meta") or {})
        if before and (by_rule or record.get("more") is not True):
            return None
        before = before or not by_rule
    return None


def _open_root(file: Path, size: int) -> _Cut | None:
    """An edit that replaces the root element and did not make it into the log: without it there is a document."""
    begins, root_gone = size, None
    for offset, record in records_backwards(file, size):
        if MARK in record or record.get("clock") is True or record.get("more") is not True:
            break
        begins = offset
        if root_gone is None and len(record.get("ids") or ()) == 1 and record.get("op") in ("ins", "del"):
            root_gone = record["op"] == "del"
    return (
        _Cut(begins, "an edit that replaces the root element was not written completely")
        if root_gone
        else None
    )


def _marks_commits(file: Path) -> bool:
    with reading(file) as stream:
        try:
            header = STANDARD.loads(stream.readline())
        except ValueError:
            return False
    return isinstance(header, dict) and header.get("commits") is True


def _cut_off(log: Path, last: Path, cuts: list[_Cut]) -> list[Repair]:
    """Takes out of the log's last file what is not whole, and gives the last line its end."""
    for unfinished in log.parent.glob(f"{log.name.split('.')[0]}.*.unfinished"):
        unfinished.unlink()
    repairs = [cut(last, offset, reason) for offset, reason in cuts]
    ended = add_line_end(last)
    return [*repairs, ended] if ended is not None else repairs


def _end(files: list[Path], size: int) -> LogEnd | None:
    """How a log ends, of whose last file so many bytes count; None if it is empty."""
    seal: Seal | None = None
    seen = False
    for index, file in enumerate(reversed(files)):
        until = file.stat().st_size if index else size
        for _, record in records_backwards(file, until):
            _check_version(file, record)
            if not seen:
                seal, seen = seal_of(record), True
            if "control" in record:
                continue
            doc, ts, at = record.get("doc"), record.get("ts") or 0, record.get("at")
            if not isinstance(doc, str) or type(ts) is not int:
                raise LogError(
                    f"{file}: its last record is neither a header nor a change record: {record!r:.80}"
                )
            clock = ClockRecord.from_record(record) if record.get("clock") is True else None
            return LogEnd(doc, ts, seal, clock, record.get("more") is True, at)
        if until:
            raise LogError(f"{file}: not a change log: it has no record that can be read")
    return None


def _check_version(file: Path, record: dict[str, Any]) -> None:
    version = record.get(MARK, FORMAT_VERSION)
    if type(version) is not int:
        raise RecordError(f"{file}: {MARK} is {version!r}: expected the format version")
    refuse_newer(version, file)
