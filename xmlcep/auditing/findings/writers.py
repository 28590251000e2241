"""Findings written: as JSON Lines or Parquet."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import BinaryIO, Protocol

from ...log.json_codec import FASTEST
from ...log.parquet import load_pyarrow
from .columns import findings_schema, findings_table

_GROUP = 20_000


class FindingsWriter(Protocol):
    """Writes finding records one after the other."""

    def write(self, text: bytes, name: str | None = None) -> None:
        """Appends findings, each a JSON object on a line of its own; ``name`` is the event type of all, if known."""

    def close(self) -> None:
        """Completes the file."""

    def abandon(self) -> None:
        """Leaves the file as it is; it is not going to be used."""


class JsonLinesFindings:
    """Writes findings as JSON Lines."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, text: bytes, name: str | None = None) -> None:
        """Appends findings."""
        self._stream.write(text)

    def close(self) -> None:
        """Hands the last bytes to the system."""
        self._stream.flush()

    def abandon(self) -> None:
        """Nothing is open but the stream."""


class ParquetFindings:
    """Writes findings as Parquet, with the columns of `findings_schema`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._writer = load_pyarrow().parquet.ParquetWriter(stream, findings_schema(), compression="zstd")
        self._lines: list[bytes] = []

    def write(self, text: bytes, name: str | None = None) -> None:
        """Appends findings."""
        for line in text.splitlines():
            self._lines.append(line)
            if len(self._lines) == _GROUP:
                self._write_group()

    def _write_group(self) -> None:
        self._writer.write_table(findings_table(map(FASTEST.loads, self._lines)))
        self._lines = []

    def close(self) -> None:
        """Writes what is left and completes the file."""
        if self._lines:
            self._write_group()
        self._writer.close()

    def abandon(self) -> None:
        """Keeps the writer from completing a file that is closed or full when it is deleted."""
        self._writer.is_open = False


class TemporaryFolder:
    """A folder that is deleted with this object (or at exit)."""

    def __init__(self, prefix: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self.delete = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
