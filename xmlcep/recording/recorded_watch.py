"""Watches whose progress is in the log, so that recovery can go on exactly where they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..engine import Detector
from ..engine.durable import rules_stamp
from ..events import CompositeEvent
from ..log.records import Control
from ..log.writing import LogWriter
from ..rules import Rules
from ..wrapping import Document, RefusedError
from ..wrapping.watches import Watch

OPEN, FLUSH, CLOSE, CURSOR = "open", "flush", "close", "cursor"
"""The kinds of control records that a recorded watch writes."""


Callback = Callable[[CompositeEvent], Any]


class ControlLog(Protocol):
    """What the watch needs of the recording that it belongs to (`xmlcep.recording.recorder`)."""

    @property
    def writer(self) -> LogWriter:
        """The writer of the log."""

    @property
    def closed(self) -> bool:
        """Whether nothing is written any more."""

    def write_control(self, control: Control) -> None:
        """Writes a control record, to the disk if changes are."""


class RecordedWatch(Watch):
    """A watch that writes to the log when it is opened, flushed and closed, and how much it has delivered.

    ``delivered`` counts the composite events given to ``on_event`` since it was opened; after each the log has the
    new count, the *cursor*.
    """

    __slots__ = ("_callback", "_recording", "delivered")

    def __init__(
        self,
        document: Document,
        rules: Rules,
        recording: ControlLog,
        *,
        on_event: Callback | None,
        operators: bool,
        keep: int | None,
        detector: Detector | None = None,
        delivered: int = 0,
    ) -> None:
        self._callback = on_event
        self._recording = recording
        self.delivered = delivered
        super().__init__(
            document, rules, on_event=self._deliver, operators=operators, keep=keep, detector=detector
        )
        if detector is None:
            recording.write_control(Control(OPEN, {**rules_stamp(rules), "operators": operators}))

    def flush(self) -> list[CompositeEvent]:
        """As `Watch.flush`; the log has it before anything is raised. Not to be called in a callback."""
        self._refuse_in_callbacks("flush()")
        self._document.catch_up()
        self._recording.write_control(Control(FLUSH, {}))
        return super().flush()

    def close(self) -> list[CompositeEvent]:
        """As `Watch.close`; the log has it before anything is raised. Not to be called in a callback."""
        if self.closed:
            return []
        self._refuse_in_callbacks("close()")
        if not self._document.closed:
            self._document.catch_up()
        if not self._recording.closed:
            self._recording.write_control(Control(CLOSE, {}))
        return super().close()

    def deliver_missed(self, composites: list[CompositeEvent]) -> None:
        """Delivers what was raised before a crash and not delivered any more."""
        self._raise_now(composites)

    def _refuse_in_callbacks(self, call: str) -> None:
        # The log is ahead of the detector there: replaying would have events before the call that come behind it.
        if self._document.delivery.delivering:
            raise RefusedError(
                f"{call} of a recorded watch in a callback, while changes are being told: call it when the edit is over"
            )

    def _deliver(self, composite: CompositeEvent) -> None:
        try:
            if self._callback is not None:
                self._callback(composite)
        finally:
            self.delivered += 1
            if not self._recording.closed:
                # Not brought to the disk for itself: after a power failure a finding may come again, none is lost.
                self._recording.writer.write_control(Control(CURSOR, {"delivered": self.delivered}))
