"""What was done reaches the disk in rounds, while other requests are answered (group commit)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ..log.errors import LogError
from ..recording.recorder import Recording
from .store import Store

_AT_ONCE = 16
"""Files that are brought to the disk at once: the system makes one step of it for all of them."""


class GroupCommit:
    """Brings edits and findings of a store to the disk: first the logs, then the findings, which can be read then.

    A round takes what has been done since the last one began. So the disk holds up nobody but those who wait for it.
    """

    def __init__(self, store: Store, published: Callable[[], None], *, sync: bool) -> None:
        self._store = store
        self._published = published
        self._sync = sync
        self._threads = ThreadPoolExecutor(_AT_ONCE)
        self._one = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        self._failed: LogError | None = None

    def require(self) -> None:
        """Raises `LogError` if something did not reach the disk: then nobody knows what is there but a new start."""
        if self._failed is not None:
            raise LogError(f"{self._failed}: start the service again") from self._failed

    async def done(self) -> None:
        """Returns when what has been done so far is on the disk; raises `LogError` if that failed."""
        self.require()
        if self._next is None:
            self._next = asyncio.create_task(self._round())
        await asyncio.shield(self._next)

    async def _round(self) -> None:
        async with self._one:
            self._next = None
            changed, lines = self._store.take_changed(), self._store.journal.take()
            try:
                self.require()
                if self._sync:
                    await asyncio.to_thread(self._write, changed, lines)
                else:
                    self._store.journal.write(lines, sync=False)
            except LogError as error:
                self._failed = self._failed or error
                raise
            if lines:
                self._store.journal.publish(lines)
                self._published()

    def _write(self, changed: Sequence[Recording], lines: list[bytes]) -> None:
        list(self._threads.map(Recording.sync, changed))
        if lines:
            self._store.journal.write(lines, sync=True)

    async def close(self) -> None:
        """Returns when all rounds have ended."""
        with suppress(LogError):
            await self.done()
        self._threads.shutdown()
