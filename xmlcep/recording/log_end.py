"""Opening a log again: where it ends, and putting right what a crash left at its end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import RecordError
from ..log.errors import LogError, NewerFormatError
from ..log.json_codec import STANDARD
from ..log.records import FORMAT_VERSION, MARK
from ..log.seal import Seal, seal_of
from ..log.segments import number_of, segments
from ..log.tail import Repair, cut, records_backwards, repair_tail
from ..log.writing import LogWriter, lock_log

_HEADER_BEGINS = f'{{"{MARK}":'.encode()


class LogEnd(NamedTuple):
    """How a log ends: the document's name and clock, and what was repaired when it was opened."""

    doc: str
    ts: int
    repairs: tuple[Repair, ...]


def continue_log(log: str | os.PathLike[str]) -> tuple[LogWriter, LogEnd] | None:
    """Opens a log to be continued; None if there is none or it has not even a header.

    A torn last line is cut off, and so is a transaction that was not written completely; the repairs say so.
    Raises `LogLockedError` if another writer has the log open and `LogError` for a file that is no log.
    """
    first = Path(log)
    if not first.exists():
        return None
    if not first.is_file() and not first.is_dir():
        raise LogError(f"{first}: a device or pipe: a log is recorded to a file, which can be read again")
    lock = lock_log(first)
    try:
        repairs = _repair(first)
        files = segments(first)
        end = _last(files)
        if end is None:
            lock.release()
            return None
        doc, ts, seal = end
        return LogWriter(first, lock, number_of(first, files[-1]), seal), LogEnd(doc, ts, tuple(repairs))
    except BaseException:
        lock.release()
        raise


def _repair(first: Path) -> list[Repair]:
    for unfinished in first.parent.glob(f"{first.name.split('.')[0]}.*.unfinished"):
        unfinished.unlink()
    last = segments(first)[-1]
    _check_ours(last)
    repairs = [repair_tail(last), _cut_open_transaction(last)]
    return [repair for repair in repairs if repair is not None]


def _check_ours(file: Path) -> None:
    """Nothing is cut off what is no log: its first line is a header or a change record, as far as it goes."""
    with file.open("rb") as stream:
        line = stream.readline()
    try:
        record = STANDARD.loads(line)
    except ValueError:
        record = None
    if isinstance(record, dict) and (MARK in record or ("doc" in record and "ts" in record)):
        return
    if not line.endswith(b"\n") and (line.startswith(_HEADER_BEGINS) or _HEADER_BEGINS.startswith(line)):
        return  # the crash came while the header was being written
    raise LogError(f"{file}: not a change log: its first line is neither a header nor a change record")


def _cut_open_transaction(file: Path) -> Repair | None:
    """Takes out the records of a transaction whose last record did not make it into the log."""
    if not _marks_commits(file):
        return None
    found: tuple[int, int] | None = None
    for offset, record in records_backwards(file):
        if MARK in record:
            if found is None and "control" in record:
                continue
            break
        txn = record.get("txn")
        if txn is None or record.get("commit") is True or (found is not None and found[0] != txn):
            break
        found = (txn, offset)
    if found is None:
        return None
    return cut(file, found[1], f"transaction {found[0]} was not written completely")


def _marks_commits(file: Path) -> bool:
    with file.open("rb") as stream:
        try:
            header = STANDARD.loads(stream.readline())
        except ValueError:
            return False
    return isinstance(header, dict) and header.get("commits") is True


def _last(files: list[Path]) -> tuple[str, int, Seal | None] | None:
    """The document's name, clock and hash chain at the end of a log; None if it is empty."""
    seal: Seal | None = None
    seen = False
    for file in reversed(files):
        for _, record in records_backwards(file):
            _check_version(file, record)
            if not seen:
                seal, seen = seal_of(record), True
            if "control" in record:
                continue
            doc, ts = record.get("doc"), record.get("ts") or 0
            if isinstance(doc, str) and type(ts) is int:
                return doc, ts, seal
            raise LogError(f"{file}: its last record is neither a header nor a change record: {record!r:.80}")
        if file.stat().st_size:
            raise LogError(f"{file}: not a change log: it has no record that can be read")
    return None


def _check_version(file: Path, record: dict[str, Any]) -> None:
    version = record.get(MARK, FORMAT_VERSION)
    if type(version) is not int:
        raise RecordError(f"{file}: {MARK} is {version!r}: expected the format version")
    if version > FORMAT_VERSION:
        raise NewerFormatError(
            f"{file}: written in log format {version}; this release of xmlcep knows formats up to"
            f" {FORMAT_VERSION}:"
            " install a newer one"
        )
