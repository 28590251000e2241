"""Watches whose progress is in the log, so that recovery can go on exactly where they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from ..arguments import check
from ..engine import SINCE, Detector, OnRemoved, Replacement
from ..engine.durable import rules_stamp
from ..events import CompositeEvent, PrimitiveEvent
from ..log.errors import LogError
from ..log.records import Control
from ..log.writing import LogWriter
from ..rules import Rules
from ..wrapping import Document, RefusedError
from ..wrapping.detecting import replace_on
from ..wrapping.watches import Watch
from .state_file import WatchState

OPEN, FLUSH, CLOSE, CURSOR, RULES = "open", "flush", "close", "cursor", "rules"
"""The kinds of control records that a recorded watch writes."""


Callback = Callable[[CompositeEvent], Any]


class Replacing(NamedTuple):
    """How the rules of a watch are replaced: what becomes of trees that end, since when those that begin have seen what
    happens (the log's beginning, or now)."""

    on_removed: OnRemoved
    since: Literal["now", "begin"]

    @classmethod
    def of(cls, control: Control) -> Replacing:
        """As a control record says; what it does not say is as by default."""
        said = control.content
        return cls(
            "drop" if said.get("on_removed") == "drop" else "flush",
            "begin" if said.get("since") == "begin" else "now",
        )


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

    def past(self, rules: Rules, like: Detector) -> Detector:
        """A detector of these rules that has been fed the whole log."""

    def checkpoint_if_due(self) -> None:
        """Writes the state of both if that is due."""


class RecordedWatch(Watch):
    """A watch that writes to the log when it is opened, flushed and closed, and how much it has delivered.

    ``delivered`` counts the composite events given to ``on_event`` since it was opened; after each the log has the
    new count, the *cursor*. ``raised`` counts those that were raised.
    """

    __slots__ = ("_callback", "_operators", "_recording", "delivered", "raised")

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
        self._operators = operators
        self.delivered = self.raised = delivered
        super().__init__(
            document, rules, on_event=self._deliver, operators=operators, keep=keep, detector=detector
        )
        if detector is None:
            recording.write_control(Control(OPEN, {**rules_stamp(rules), "operators": operators}))

    def _on_change(self, event: PrimitiveEvent) -> None:
        """As `Watch._on_change`; then the state of both can be written."""
        super()._on_change(event)
        self._recording.checkpoint_if_due()

    def _on_commit(self, txn: int) -> None:
        """As `_on_change`."""
        super()._on_commit(txn)
        self._recording.checkpoint_if_due()

    def _on_raised(self, event: CompositeEvent) -> None:
        """As `_on_change`."""
        super()._on_raised(event)
        self._recording.checkpoint_if_due()

    def flush(self) -> list[CompositeEvent]:
        """As `Watch.flush`; the log has it before anything is raised. Not to be called in a callback."""
        if self.closed:
            return []
        self._refuse_in_callbacks("flush()")
        self._document.catch_up()
        if not self._recording.closed:
            self._recording.write_control(Control(FLUSH, {}))
        return super().flush()

    def replace(
        self, rules: Rules, *, on_removed: OnRemoved = "flush", since: Literal["now", "begin"] = "now"
    ) -> Replacement:
        """As `Watch.replace`; the log has it before anything is raised, so that recovery is exact. With
        ``since="begin"`` new trees have seen all that the log says, which is replayed for them.

        Raises `LogError` if the recording is closed.
        """
        self._check_replacing(rules)
        check("replace()", since=(since, SINCE))
        if self._recording.closed:
            raise LogError("replace() of a recorded watch whose recording is closed: nothing could record it")
        past = self._recording.past(rules, self._detector) if since == "begin" else None
        replacement = replace_on(self._document._tree, self._detector, rules, on_removed, past=past)
        self._have(rules)
        how = Replacing(on_removed, since)
        self._recording.write_control(Control(RULES, {**rules_stamp(rules), **how._asdict()}))
        self._raise_now(replacement.raised)
        self._recording.checkpoint_if_due()
        return replacement

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

    @property
    def is_delivering(self) -> bool:
        """Whether changes are being reported that it may not have heard of."""
        return not self.closed and self._document.delivery.delivering is not None

    @property
    def is_settled(self) -> bool:
        """Whether it has heard of all that is in the log, and all that it has raised was delivered.

        In callbacks it cannot be known: see `is_delivering`.
        """
        return self.raised == self.delivered and (self.closed or not self._document.delivery.recorded)

    def state(self, opened: str) -> WatchState:
        """Its state when it is settled; ``opened`` is where in the log it was opened.

        Raises `StateError` if its rules are in a language that remembers events (O1).
        """
        detector = None if self.closed else self._detector.to_state()
        return WatchState(rules_stamp(self._rules), opened, self._operators, self.raised, detector)

    def _raise(self, composites: Sequence[CompositeEvent]) -> list[CompositeEvent]:
        self.raised += len(composites)
        return super()._raise(composites)

    def _refuse_in_callbacks(self, call: str) -> None:
        # The log is ahead of the detector there: replaying would have events before the call that come behind it.
        if self._document.delivery.delivering is not None:
            raise RefusedError(
                f"{call} of a recorded watch in a callback, while changes are being delivered: call it after the edit"
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
