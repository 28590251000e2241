"""What can be wrong with a change log."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import XmlCepError

SHOWN = 60


class LogError(XmlCepError, ValueError):
    """A change log that cannot be used as asked; the message names the file and the record, if any."""


class NewerFormatError(LogError):
    """A change log written by a newer release in a format that this one does not know."""


class LogLockedError(LogError):
    """A change log that another writer has open."""


class BrokenChainError(LogError):
    """A sealed log whose hash chain is broken: the message names the first record that shows it."""


class UnsealedError(LogError):
    """A log of which no record is sealed: nothing in it shows whether it is whole."""


class Origin(NamedTuple):
    """Where a record is: its file and its number there from 1 (in JSON Lines: the line)."""

    file: str
    record: int

    def __str__(self) -> str:
        return f"{self.file}:{self.record}"


class BadRecord(NamedTuple):
    """A record that cannot be used: where it is, why, and what it says.

    ``offset`` is the position of its first byte in the (decompressed) file, None in Parquet files; ``torn``
    says that it is a last line that a crash has cut off.
    """

    origin: Origin
    offset: int | None
    reason: str
    raw: bytes
    torn: bool = False

    def __str__(self) -> str:
        shown = self.raw[:SHOWN].decode("utf-8", "backslashreplace") + ("…" if len(self.raw) > SHOWN else "")
        return f"{self.origin}: {self.reason}\n  {shown}"
