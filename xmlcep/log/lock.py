"""One writer at a time: an advisory lock on a log's first file, gone when the process ends."""

from __future__ import annotations

import os
import sys

from .errors import LogLockedError

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # Beyond any content, so that readers are not kept out.
        os.lseek(descriptor, 2**62, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class WriterLock:
    """Held from its making until `release`; raises `LogLockedError` if another writer holds it."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        try:
            _lock(self._descriptor)
        except OSError:
            os.close(self._descriptor)
            raise LogLockedError(
                f"{os.fspath(file)}: another writer has this log open: close it there, or record to"
                " another file"
            ) from None

    def release(self) -> None:
        """Lets the next writer in."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
