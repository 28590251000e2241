"""Findings in one file per event type: a folder that is seen complete or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from ...log.json_codec import FASTEST
from .atomic_files import NO_ROOM, OutputError, umask
from .writers import FindingsWriter


class PartitionedFindings:
    """Writes findings to ``FOLDER/name=EVENT/findings.FORMAT``, the layout that readers of tables know.

    ``make_writer`` makes a writer for a stream. The folder appears under its name when the block is left
    without an error. Raises `OutputError`, also if there is something else under that name.
    """

    def __init__(self, folder: Path, format: str, make_writer: Callable[[BinaryIO], FindingsWriter]) -> None:
        self._folder = folder
        self._file_name = f"findings.{format}"
        self._make_writer = make_writer
        self._writers: dict[str, FindingsWriter] = {}
        self._streams: list[BinaryIO] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._folder.exists() and (not self._folder.is_dir() or any(self._folder.iterdir())):
            raise OutputError(f"{self._folder}: is there already: findings by event type need a new folder")
        try:
            self._temporary = Path(tempfile.mkdtemp(prefix=f".{self._folder.name}.", dir=self._folder.parent))
        except OSError as error:
            raise OutputError(f"{self._folder}: cannot be written: {error.strerror}") from error
        return self

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
            folder = self._temporary / f"name={name}"
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._stack.close()
            if kind is None:
                self._temporary.chmod(0o777 & ~umask())
                self._temporary.rename(self._folder)
            elif isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:
                raise error
        except OSError as failure:
            raise OutputError(f"{self._folder}: cannot be written: {failure.strerror}") from failure
        finally:
            shutil.rmtree(self._temporary, ignore_errors=True)
