"""Files that are seen complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from ...errors import XmlCepError

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class OutputError(XmlCepError, OSError):
    """Findings cannot be written where they should go."""


def check_targets(targets: Sequence[Path], sources: Sequence[str]) -> None:
    """Refuses a target that cannot be written, is one of the files that are read, or is named twice."""
    for number, target in enumerate(targets):
        if str(target) == "-":
            raise OutputError("-: standard output is not for this: give the name of a file")
        if target.is_dir():
            raise OutputError(f"{target}: is a folder: give the name of a file")
        if not target.parent.is_dir():
            raise OutputError(f"{target}: cannot be written: there is no folder {target.parent}")
        for source in sources:
            if same_place(target, source):
                raise OutputError(f"{target}: is read and would be overwritten: write to another file")
        if any(same_place(target, other) for other in targets[:number]):
            raise OutputError(f"{target}: is named twice: findings, bad records, summary: give each a name")


def same_place(target: Path, other: str | Path) -> bool:
    """Whether two names are of one file, whether it is there or not."""
    try:
        return target.samefile(other)
    except OSError:
        return os.path.realpath(target) == os.path.realpath(other)


class AtomicFolder:
    """A folder that appears under its name, complete, when the block is left without an error, or not at all.

    Until then it is ``temporary``. Raises `OutputError`, also if there is something else under that name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise OutputError(f"{self.path}: is there already: findings in several files need a new folder")
        try:
            self.temporary = Path(
                tempfile.mkdtemp(prefix=f".{self.path.name}.", dir=self.path.absolute().parent)
            )
            self.temporary.chmod(0o777 & ~umask())
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error
        return self

    def close_files(self) -> None:
        """Closes what is open in it; some have nothing open."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close_files()
            if kind is None:
                self.temporary.rename(self.path)
            elif isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:
                raise error
        except OSError as failure:
            raise OutputError(f"{self.path}: cannot be written: {failure.strerror}") from failure
        finally:
            shutil.rmtree(self.temporary, ignore_errors=True)


class AtomicFile:
    """A file that appears under its name, complete, when the block is left without an error, or not at all.

    What is not a file (a pipe, ``/dev/null``, ``/dev/stdout``) is written to as it is. ``folder`` is where the file is
    until it is complete (default: beside the place it takes). Raises `OutputError`.
    """

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        self.path = path
        self._folder = folder
        self._target = path
        self._temporary: Path | None = None
        self.stream: BinaryIO

    @property
    def temporary(self) -> Path | None:
        """Where the file is until it is complete; None if what is written is not a file."""
        return self._temporary

    def __enter__(self) -> Self:
        if self.path.is_dir():
            raise OutputError(f"{self.path}: is a folder: give the name of a file")
        try:
            if self.path.exists() and not self.path.is_file():
                self.stream = self.path.open("wb")
                return self
            self._target = Path(os.path.realpath(self.path))  # a symbolic link stays one
            if self._target.is_symlink():
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            handle, name = tempfile.mkstemp(
                prefix=f".{self._target.name}.", dir=self._folder or self._target.parent
            )
        except OSError as error:
            raise self._failed(error) from error
        self._temporary = Path(name)
        self.stream = os.fdopen(handle, "wb")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._complete(self.stream)
            elif isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:
                raise self._failed(error) from error
        except OSError as failure:
            if isinstance(failure, OutputError):
                raise
            raise self._failed(failure) from failure
        finally:
            with contextlib.suppress(OSError):  # what is still in its buffer, on a full disk
                self.stream.close()
            if self._temporary is not None:
                with contextlib.suppress(FileNotFoundError):
                    self._temporary.unlink()

    def _complete(self, stream: BinaryIO) -> None:
        stream.flush()
        if self._temporary is None:
            stream.close()
            return
        os.fsync(stream.fileno())
        stream.close()
        self._temporary.chmod(0o666 & ~umask())
        self._temporary.replace(self._target)

    def _failed(self, error: OSError) -> OutputError:
        reason = error.strerror or str(error)
        if error.errno in NO_ROOM:
            reason += f" (there, or for temporary files in {tempfile.gettempdir()})"
        return OutputError(f"{self.path}: cannot be written: {reason}")


def umask() -> int:
    """The permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
