"""Sorting more than memory holds, on disk: findings, quarantined records, documents out of order."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import BinaryIO, Self

from ..temporary_tables import temporary_tables
from .atomic_files import OutputError

_TABLES = """
CREATE TABLE finding (doc TEXT, start INTEGER, size INTEGER); -- where in the file of texts
CREATE TABLE bad (file INTEGER, record INTEGER, doc TEXT, line BLOB);
CREATE TABLE across (time INTEGER, doc TEXT, line BLOB);
CREATE TABLE record (doc TEXT, ts INTEGER, at INTEGER, number INTEGER, file INTEGER, record INTEGER, line BLOB);
"""

BESIDE = -(1 << 63)
"""In place of a time: of what has none, but is between clock records (L7)."""


class Spool:
    """Temporary tables, and a file for the text of findings, which is much; both are gone when the block is left.
    Text is ordered by code points.

    Leaving the block raises `OutputError` if there was no room for it.
    """

    def __init__(self) -> None:
        self._texts: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
        self._end = 0  # of what was written there
        try:
            self._database = temporary_tables(self, _TABLES)
        except sqlite3.OperationalError as error:
            raise no_room(error) from error

    def add_findings(self, doc: str, text: bytes) -> None:
        """Keeps findings of a document that follow each other and those that were added before, as lines.

        They are one row: a row per finding would cost more than finding it.
        """
        with _room():
            self._texts.write(text)
        self._database.execute("INSERT INTO finding VALUES (?, ?, ?)", (doc, self._end, len(text)))
        self._end += len(text)

    def drop_findings(self, doc: str) -> None:
        """Forgets the findings of a document."""
        self._database.execute("DELETE FROM finding WHERE doc = ?", (doc,))

    def findings(self) -> Iterator[tuple[str, bytes]]:
        """Documents and their findings, as lines, by document; of each as they were added."""
        places = self._database.execute("SELECT doc, start, size FROM finding ORDER BY doc, start")
        for doc, start, size in places:
            with _room():  # what is still to be written is written first
                self._texts.seek(start)
            yield doc, self._texts.read(size)

    def add_bad(self, file: int, record: int, doc: str | None, line: bytes) -> None:
        """Keeps a line of the quarantine: where the record is, its document if known."""
        self._database.execute("INSERT INTO bad VALUES (?, ?, ?, ?)", (file, record, doc, line))

    def drop_bad(self, doc: str) -> None:
        """Forgets the quarantine lines known to be of a document."""
        self._database.execute("DELETE FROM bad WHERE doc = ?", (doc,))

    def count_bad(self) -> list[tuple[str | None, int]]:
        """How many lines there are for the quarantine, by document if known."""
        return self._database.execute("SELECT doc, count(*) FROM bad GROUP BY doc").fetchall()

    def bad(self) -> Iterator[tuple[int, int, bytes]]:
        """File, record and line of what was quarantined, in file order."""
        return self._database.execute("SELECT file, record, line FROM bad ORDER BY file, record")

    def add_across(self, doc: str, time: int, line: bytes) -> None:
        """Keeps what events over documents are made of, by its time."""
        self._database.execute("INSERT INTO across VALUES (?, ?, ?)", (time, doc, line))

    def drop_across(self, doc: str) -> None:
        """Forgets what a document has of that."""
        self._database.execute("DELETE FROM across WHERE doc = ?", (doc,))

    def across(self) -> Iterator[tuple[str, bytes]]:
        """Document and line of that, by time and document; of each document as they were added."""
        return self._database.execute("SELECT doc, line FROM across ORDER BY time, doc, rowid")

    def add_records(self, records: Iterable[tuple[str, int, int | None, int, int, int, bytes]]) -> None:
        """Keeps records to be sorted: document, ts, time of a clock record (or `BESIDE`), number in the log, file,
        record in the file, line."""
        self._database.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)", records)

    def records(self) -> Iterator[tuple[str, int, int, bytes]]:
        """Document, file, record and line by document and ts; of equal ts change records first, then clock records by
        their time, and what is `BESIDE` behind all of these that the log has before it; else the first in the log
        first."""
        clock = f"nullif(at, {BESIDE})"  # what has no time comes first
        latest = f"CASE WHEN at = {BESIDE} THEN max({clock}) OVER (PARTITION BY doc, ts ORDER BY number) ELSE at END"
        order = f"doc, ts, {latest}, number"
        return self._database.execute(f"SELECT doc, file, record, line FROM record ORDER BY {order}")

    def close(self) -> None:
        """Deletes both."""
        self._database.close()
        with contextlib.suppress(OSError):  # of what is still to be written nobody is going to read anything
            self._texts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(sqlite3.Error, OSError):
            self.close()
        if isinstance(error, sqlite3.OperationalError):
            raise no_room(error) from error


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Says so if there is no room for what is written."""
    try:
        yield
    except OSError as error:
        raise no_room(error) from error


def no_room(error: Exception) -> OutputError:
    """What is said if there is no room for temporary files."""
    return OutputError(
        f"temporary files in {tempfile.gettempdir()}: {error}: set TMPDIR to a folder with room"
    )
