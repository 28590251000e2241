"""Output of a run that is in its place once and only once, although any moment may be the run's last.

A run writes its output beside the state; then it commits the state, which says what is to be delivered where; then it
delivers. The next run delivers first what is still there: appending begins at the place that the state names, so that
doing it once more changes nothing.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from ..findings.atomic_files import AtomicFile, OutputError

OUTPUTS = ("findings", "quarantine", "summary")
"""What a run delivers."""


class Delivery(NamedTuple):
    """A file that is to be appended to ``target`` at byte ``at``; None: it takes its place."""

    source: Path
    target: Path
    at: int | None

    @property
    def what(self) -> str:
        """What is delivered, as `OUTPUTS` calls it."""
        return self.source.suffix.removeprefix(".")

    def to_record(self) -> dict[str, Any]:
        """As it is in the state, which need not be believed: where the next run delivers is said to that run."""
        return {"from": self.source.name, "to": os.path.abspath(self.target), "at": self.at}

    def make(self) -> bool:
        """Delivers, if that has not been done; says whether there was anything to do. Raises `OutputError`."""
        if not self.source.exists():
            return False
        try:
            if self.at is not None:
                self._append(self.at)
            elif not self._renamed():
                with AtomicFile(self.target) as file, self.source.open("rb") as source:
                    shutil.copyfileobj(source, file.stream)
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise OutputError(f"{self.target}: cannot be written: {error.strerror or error}") from error
        self.source.unlink(missing_ok=True)
        return True

    def _renamed(self) -> bool:
        """Whether it could take the target's place as it is: not in another file system."""
        try:
            self.source.replace(self.target.resolve())
        except OSError as error:
            if error.errno == errno.EXDEV:
                return False
            raise
        return True

    def _append(self, at: int) -> None:
        descriptor = os.open(self.target, os.O_RDWR | os.O_CREAT, 0o666)
        with os.fdopen(descriptor, "r+b") as stream, self.source.open("rb") as source:
            size = stream.seek(0, os.SEEK_END)
            if size > at:  # a run that was killed had begun
                stream.truncate(at)
            stream.seek(min(at, size))
            shutil.copyfileobj(source, stream)
            stream.flush()
            os.fsync(stream.fileno())


def end_of(target: Path) -> int:
    """Where output is to be appended; raises `OutputError` for what is not a file."""
    if not target.exists():
        return 0
    if not target.is_file():
        raise OutputError(f"{target}: is not a file: with `since`, findings are appended to a file")
    return target.stat().st_size
