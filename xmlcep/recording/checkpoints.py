"""When the state of a recording is written beside its log, so that recovery replays only what comes after it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import XmlCepError
from ..log.writing import LogWriter
from .places import Place, lines_between

if TYPE_CHECKING:
    from .state_file import RecordingState

_LOG = logging.getLogger("xmlcep")

EVERY = 16 << 20
"""Bytes of log after which the state is written, unless the application says otherwise: some 50,000 records, which are
replayed in a second or two."""
_TIMES_STATE = 16  # a state of any size costs no more than a small share of the recording


class Checkpoints:
    """Of one recording: ``due`` is the size of the log's present file from which on a state is to be written.

    ``every`` is the least number of bytes from one to the next (None: never); ``last`` the state that is beside
    the log already, behind which it has so many bytes.
    """

    def __init__(
        self, writer: LogWriter, every: int | None, last: RecordingState | None = None, behind: int = 0
    ) -> None:
        self._writer = writer
        self._every = every
        self._known = Place(writer.number, 0, 0) if last is None else last.place
        self._size = 0 if last is None else last.size
        self._failures = 0
        self.due: float = math.inf
        if every is not None:
            self.due = writer.size + max(0, self._step(every) - behind)

    def _step(self, every: int) -> int:
        return max(every, _TIMES_STATE * self._size)

    def rolled_over(self, size: int) -> None:
        """The log goes on in a new file; the one before had this size."""
        self.due += self._writer.size - size

    def save_if_possible(self, state: Callable[[], RecordingState | None]) -> None:
        """Writes the state that is due; ``state`` makes it, or says with None that it cannot be known here.

        A failure never concerns the edit: the logger ``xmlcep`` gets a warning, and it is tried again when as much has
        been recorded once more, then twice as much, and so on.
        """
        try:
            self.save(state)
        except (XmlCepError, OSError) as error:
            log = self._writer.log
            _LOG.warning("%s: no state was written, so a recovery replays more of it: %s", log, error)
            self._put_off(2**self._failures)
            self._failures += 1

    def save(self, state: Callable[[], RecordingState | None]) -> bool:
        """The same, due or not; says whether it was written, and raises `XmlCepError` or `OSError`."""
        found = state()
        if found is None:
            return False
        self._writer.sync()  # a state of what did not reach the disk would be of no use
        self._size = found.save(self._writer.log)
        self._failures = 0
        self._put_off()
        return True

    def _put_off(self, times: int = 1) -> None:
        if self._every is not None:
            self.due = self._writer.size + times * self._step(self._every)

    def here(self) -> Place:
        """The end of the log."""
        number, end = self._writer.number, self._writer.size
        begin, lines = 0, 0
        if self._known.number == number:
            _, begin, lines = self._known
        self._known = Place(number, end, lines + lines_between(self._writer.file, begin, end))
        return self._known
