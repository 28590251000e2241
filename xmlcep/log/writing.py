"""Writing JSON Lines logs: whole lines appended, kept as safe as asked, rolled over, sealed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from ..closing import Closing
from ..errors import ArgumentError
from ..proofs.log_tree import LogTree, Signing
from .errors import LogError, LogLockedError
from .json_codec import FASTEST
from .lock import WriterLock
from .records import ClockRecord, Control, Header
from .seal import Seal, sealed_line
from .segments import segment, segments

_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Durability(Enum):
    """When what was written has surely reached the disk; it survives a killed process in any case."""

    EVENT = "event"
    """After every event (of a transaction: after its last)."""
    TRANSACTION = "transaction"
    """After every transaction; an event outside any transaction is one by itself."""
    OS = "os"
    """When the operating system sees fit."""

    @classmethod
    def _missing_(cls, value: object) -> Durability:
        expected = ", ".join(repr(member.value) for member in cls)
        raise ArgumentError(f"durability is {value!r}: expected one of {expected}")


class LogWriter(Closing):
    """Appends to a log and holds its writer lock. Make one with `create_log` or `append_to_log`.

    Every call of `write` hands whole lines to the operating system at once. If that fails, for example
    because the disk is full, the log is left as it was before and the writer takes nothing more.
    """

    def __init__(
        self, log: Path, lock: WriterLock, number: int, seal: Seal | None, tree: LogTree | None = None
    ) -> None:
        self._log = log
        self._lock = lock
        self._number = number
        self._seal = seal
        self._tree = tree
        self._entries: list[bytes] = []  # of lines that are made and not yet written
        self._failed = False
        self._process = os.getpid()
        self.file = segment(log, number)
        self._descriptor = os.open(self.file, _FLAGS)
        self.size = os.fstat(self._descriptor).st_size

    @property
    def seal(self) -> Seal | None:
        """The state of the hash chain; None if the log is not sealed."""
        return self._seal

    @property
    def number(self) -> int:
        """The number of the file that is written to, from 1."""
        return self._number

    @property
    def log(self) -> Path:
        """The first file of the log."""
        return self._log

    def line(self, record: Mapping[str, Any]) -> bytes:
        """The line for a record, sealed if the log is; lines must be written in the order they were made."""
        if self._seal is None:
            line = entry = FASTEST.dumps(record) + b"\n"
        else:
            line, entry, self._seal = sealed_line(record, self._seal)
        if self._tree is not None:
            self._entries.append(entry)
        return line

    def write(self, lines: bytes) -> None:
        """Appends whole lines; raises `LogError` if they cannot be written, and ever after."""
        self.check_process()
        if self._failed:
            raise LogError(
                f"{self.file}: nothing more is written after the failure before: open the log again"
            )
        try:
            written = os.write(self._descriptor, lines)
            while written < len(lines):
                written += os.write(self._descriptor, lines[written:])
        except OSError as error:
            self._leave_as_before()
            raise LogError(f"{self.file}: cannot be written: {error.strerror}") from error
        except BaseException:  # interrupted
            self._leave_as_before()
            raise
        self.size += len(lines)
        if self._tree is not None:
            self._grow(self._tree)

    def _grow(self, tree: LogTree) -> None:
        """The tree takes what has been written; if that fails it is made anew when the log is opened again."""
        entries, self._entries = self._entries, []
        try:
            tree.add(b"".join(entries))
        except BaseException as error:
            self._failed = True
            if isinstance(error, OSError):
                raise LogError(f"{tree.folder}: cannot be written: {error.strerror}") from error
            raise

    def check_process(self) -> None:
        """Raises `LogError` in a process that was forked from the one that writes the log."""
        if os.getpid() != self._process:
            raise LogError(
                f"{self.file}: another process writes this log, of which this one is a copy (os.fork, "
                "multiprocessing): wrap a copy of the tree here, and record() it to a file of its own"
            )

    def give_up(self) -> None:
        """Nothing more is written: what is to come may not fit what is there, or (the hash chain) what was made."""
        self._failed = True

    def _leave_as_before(self) -> None:
        """Leaves the file as it was before the write that failed."""
        self._failed = True
        with suppress(OSError):  # else the torn line is cut off when the log is opened again
            os.truncate(self._descriptor, self.size)

    def write_control(self, control: Control) -> None:
        """Appends a control record."""
        self.write_records([control.to_record()])

    def write_clock(self, clock: ClockRecord) -> None:
        """Appends a clock record."""
        self.write_records([clock.to_record()])

    def write_records(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Appends records, all at once. If that is cut short nothing more is written: a line that was made and not
        written is missing in the hash chain."""
        try:
            self.write(b"".join([self.line(record) for record in records]))
        except BaseException:
            self.give_up()
            raise

    def sync(self) -> None:
        """Returns when what was written has reached the disk."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            self._failed = True
            raise LogError(f"{self.file}: cannot be brought to the disk: {error.strerror}") from error

    @property
    def tree(self) -> LogTree | None:
        """The tree of the log, if it has one."""
        return self._tree

    def checkpoint(self) -> None:
        """Writes a checkpoint of the log's tree, if it has one: all that was written is to stay, and is on the disk."""
        tree = self._tree
        if tree is None or self._failed:
            return
        self.sync()
        try:
            tree.checkpoint()
        except OSError as error:
            self._failed = True
            raise LogError(f"{tree.folder}: cannot be written: {error.strerror}") from error

    def roll_over(self, header: Header) -> None:
        """Goes on in the next numbered file, which begins with ``header``.

        Raises `LogError` if that cannot be made; the log then goes on in the file it has.
        """
        self.sync()
        seal = self._seal
        file = segment(self._log, self._number + 1)
        try:
            line = self.line(header.to_record())
            write_new_file(file, line)
            descriptor = os.open(file, _FLAGS)
        except OSError as error:
            self._seal = seal
            self._entries.clear()
            raise LogError(
                f"{file}: cannot be written: {error.strerror}; the log goes on in {self.file}"
            ) from error
        os.close(self._descriptor)
        self.file, self._descriptor = file, descriptor
        self._number += 1
        self.size = os.fstat(descriptor).st_size
        if self._tree is not None:
            self._grow(self._tree)

    def close(self) -> None:
        """Brings everything to the disk and lets the next writer in."""
        if self._descriptor >= 0:
            try:
                if not self._failed and os.getpid() == self._process:
                    self.sync()
            finally:
                os.close(self._descriptor)
                self._descriptor = -1
                if os.getpid() == self._process:
                    self._lock.release()


def create_log(
    log: str | os.PathLike[str], header: Header, *, seal: bool = False, tree: Signing | None = None,
    erasable: bool = False,
) -> LogWriter:  # fmt: skip
    """Begins a log with ``header``, and its ``tree`` if it is to have one; an ``erasable`` log is sealed.

    Raises `LogError` if there is a log, `LogLockedError` if it is in use.
    """
    first = Path(log)
    later = segments(first)[1:]
    if later and not first.exists():
        raise LogError(
            f"{first}: a log cannot begin here: {later[0]} is there, which is the name of a later file of it:"
            " record to a file with another name"
        )
    lock = lock_log(first)
    try:
        if first.stat().st_size or len(segments(first)) > 1:
            raise LogError(f"{first}: there is a log already: continue it, or record to another file")
        own = None if tree is None else LogTree(first, tree, write_new_file)
        if own is not None and own.folder.exists():
            raise LogError(
                f"{own.folder}: is the tree of another log: take it away, or record to another file"
            )
        writer = LogWriter(first, lock, 1, Seal(erasable=erasable) if seal or erasable else None, own)
        writer.write(writer.line(header.to_record()))
        writer.sync()
        sync_directory(first)
    except BaseException:
        lock.release()
        raise
    return writer


def write_new_file(file: Path, content: bytes | Iterable[bytes]) -> None:
    """Makes a file that is there with all its content, which may come in parts, or not at all."""
    unfinished = file.with_name(file.name + ".unfinished")
    try:
        with unfinished.open("wb") as stream:
            stream.writelines([content] if isinstance(content, bytes) else content)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(file)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync_directory(file)


def sync_directory(file: Path) -> None:
    """Brings to the disk that ``file`` is in its directory, where the system can be asked for it."""
    if os.name != "posix":
        return
    descriptor = os.open(file.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock_log(log: Path) -> WriterLock:
    """The writer lock of a log; raises `LogError` where none can be written, `LogLockedError` if in use."""
    if log.suffix in (".gz", ".zst", ".parquet"):
        raise LogError(
            f"{log}: a log is recorded as JSON Lines, so that it can be appended to: name it"
            f" {log.name.split('.')[0]}.jsonl; pack or convert it afterwards"
        )
    try:
        return WriterLock(log)
    except LogLockedError:
        raise
    except OSError as error:
        raise LogError(f"{log}: cannot be written: {error.strerror}") from error
