"""Findings in one file per event type: a folder that is seen complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from ...log.json_codec import FASTEST
from .atomic_files import AtomicFolder
from .writers import FindingsWriter


class PartitionedFindings(AtomicFolder):
    """Writes findings to ``FOLDER/name=EVENT/findings.FORMAT``, the layout that readers of tables know.

    ``make_writer`` makes a writer for a stream. The folder appears under its name when the block is left
    without an error. Raises `OutputError`, also if there is something else under that name.
    """

    def __init__(self, folder: Path, format: str, make_writer: Callable[[BinaryIO], FindingsWriter]) -> None:
        super().__init__(folder)
        self._file_name = f"findings.{format}"
        self._make_writer = make_writer
        self._writers: dict[str, FindingsWriter] = {}
        self._streams: list[BinaryIO] = []
        self._stack = ExitStack()

    def write(self, text: bytes, name: str | None = None) -> None:
        """Appends findings, each a JSON object on a line of its own, to those of their event type.

        ``name`` is that of all of them, if somebody knows.
        """
        if name is not None:
            self._writer(name).write(text)
            return
        by_name: dict[str, list[bytes]] = {}
        for line in text.splitlines(keepends=True):
            by_name.setdefault(FASTEST.loads(line)["name"], []).append(line)
        for event, its in by_name.items():
            self._writer(event).write(b"".join(its))

    def _writer(self, name: str) -> FindingsWriter:
        writer = self._writers.get(name)
        if writer is None:
            folder = self.temporary / f"name={name}"
            folder.mkdir()
            stream = self._stack.enter_context((folder / self._file_name).open("wb"))
            self._streams.append(stream)
            writer = self._writers[name] = self._make_writer(stream)
        return writer

    def close(self) -> None:
        """Completes the files."""
        for writer, stream in zip(self._writers.values(), self._streams, strict=True):
            writer.close()
            stream.flush()
            os.fsync(stream.fileno())

    def abandon(self) -> None:
        """Leaves the files as they are."""
        for writer in self._writers.values():
            writer.abandon()

    def close_files(self) -> None:
        """Closes the files."""
        self._stack.close()
