"""Telling listeners and subscribers of events: after the edit, in order, edits inside callbacks queued behind."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from ..events import PrimitiveEvent
from .errors import CallbackError, CallbackFailure, EndlessTriggerError

TRIGGER_DEPTH = 100
"""How deep edits made in callbacks may trigger callbacks that edit."""


class Listener(Protocol):
    """An internal listener: a recorder, a watch. It is told of everything, before subscribers are."""

    def on_change(self, event: PrimitiveEvent) -> None:
        """A primitive event, in order of ts."""

    def on_commit(self, txn: int) -> None:
        """The last event of transaction ``txn`` has been told."""


class Commit(tuple[int]):
    """Stands in the queue behind the last event of a transaction."""

    __slots__ = ()


class Delivery:
    """The queue of events that have happened and not been told yet, and who is to be told.

    ``audience`` is true when anybody listens; ``held`` while a transaction keeps events back. ``recorders`` are told
    of a whole transaction before anybody else hears of its first event: what others act on is in the log.
    """

    __slots__ = (
        "audience", "callbacks", "delivering", "depth", "failures", "held", "listeners", "queue", "recorded",
        "recorders", "subscribers",
    )  # fmt: skip

    def __init__(self) -> None:
        self.listeners: tuple[tuple[Listener, int], ...] = ()  # with the time point of attaching
        self.recorders: tuple[tuple[Listener, int], ...] = ()
        self.recorded = 0  # how many at the head of the queue the recorders know
        self.subscribers: tuple[tuple[Callable[[PrimitiveEvent], Any], int], ...] = ()
        self.queue: deque[tuple[int, PrimitiveEvent | Commit]] = deque()
        self.callbacks: tuple[Callable[[PrimitiveEvent], Any], ...] = ()  # all of them, in order
        self.audience = False
        self.held = False
        self.delivering = False
        self.depth = 0  # of the event being told: 0 for edits made outside callbacks
        self.failures: list[CallbackFailure] = []

    def attach(self, listener: Listener, since: int, *, ahead: bool = False) -> None:
        """Adds an internal listener, told of events after ``since``; ``ahead``: a recorder, told before all others."""
        if ahead:
            self.recorders = (*self.recorders, (listener, since))
        else:
            self.listeners = (*self.listeners, (listener, since))
        self._gather()

    def detach(self, listener: Listener) -> None:
        """Takes an internal listener away; nothing happens when it is not there."""
        self.listeners = tuple(entry for entry in self.listeners if entry[0] is not listener)
        self.recorders = tuple(entry for entry in self.recorders if entry[0] is not listener)
        self._gather()

    def subscribe(self, callback: Callable[[PrimitiveEvent], Any], since: int) -> Callable[[], None]:
        """Adds a subscriber to events after ``since``; the callable returned takes it away."""
        entry = (callback, since)
        self.subscribers = (*self.subscribers, entry)
        self._gather()

        def unsubscribe() -> None:
            self.subscribers = tuple(other for other in self.subscribers if other is not entry)
            self._gather()

        return unsubscribe

    def _gather(self) -> None:
        self.callbacks = (
            *(recorder.on_change for recorder, _ in self.recorders),
            *(listener.on_change for listener, _ in self.listeners),
            *(callback for callback, _ in self.subscribers),
        )
        self.audience = bool(self.callbacks)

    def put(self, event: PrimitiveEvent | Commit) -> None:
        """Queues an event; `settle` tells of it."""
        self.queue.append((self.depth + 1 if self.delivering else 0, event))

    def settle(self) -> None:
        """Tells of all that is queued, unless a transaction holds it or a delivery is under way already.

        Raises `CallbackError` (or `EndlessTriggerError`) after everybody has been told of everything.
        """
        if self.delivering or self.held or not (self.queue or self.failures):
            return
        self.delivering = True
        try:
            while self.queue:
                if not self.recorded:
                    self.recorded = len(self.queue)
                    if self.recorders:
                        for _, event in tuple(self.queue):
                            self._inform(self.recorders, event)
                self.recorded -= 1
                self.depth, event = self.queue.popleft()
                self._tell(event)
        finally:
            self.delivering = False
            self.depth = 0
        self._report()

    def fail(self, callback: Callable[..., Any], event: object, error: Exception) -> None:
        """Notes an error of a callback; it is raised when the delivery is over, or at the next one."""
        self.failures.append(CallbackFailure(callback, event, error))

    def call(self, callback: Callable[[Any], Any], event: object) -> None:
        """Calls a callback of the application unless callbacks trigger each other too deep; notes its error."""
        if self.depth > TRIGGER_DEPTH:
            self._stop(callback, event)
            return
        try:
            callback(event)
        except Exception as error:
            self.fail(callback, event, error)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """A block that calls callbacks outside `settle`: their edits are told after it."""
        if self.delivering:
            yield
            return
        self.delivering = True
        try:
            yield
        finally:
            self.delivering = False
        self.settle()
        self._report()

    def _report(self) -> None:
        if self.failures:
            failures, self.failures = self.failures, []
            raise CallbackError(failures) from failures[0].error

    def _tell(self, event: PrimitiveEvent | Commit) -> None:
        self._inform(self.listeners, event)
        if type(event) is Commit:
            return
        assert isinstance(event, PrimitiveEvent)
        ts = event[0]
        if self.depth > TRIGGER_DEPTH:
            if self.subscribers:
                self._stop(self.subscribers[-1][0], event)
            return
        for callback, since in self.subscribers:
            if ts > since:
                try:
                    callback(event)
                except Exception as error:
                    self.fail(callback, event, error)

    def _inform(self, listeners: tuple[tuple[Listener, int], ...], event: PrimitiveEvent | Commit) -> None:
        if type(event) is Commit:
            for listener, _ in listeners:
                try:
                    listener.on_commit(event[0])
                except Exception as error:
                    self.fail(listener.on_commit, event, error)
            return
        assert isinstance(event, PrimitiveEvent)
        ts = event[0]
        for listener, since in listeners:
            if ts > since:
                try:
                    listener.on_change(event)
                except Exception as error:
                    self.fail(listener.on_change, event, error)

    def _stop(self, callback: Callable[..., Any], event: object) -> None:
        if any(isinstance(failure.error, EndlessTriggerError) for failure in self.failures):
            return
        error = EndlessTriggerError(
            f"callbacks trigger each other without end: {TRIGGER_DEPTH} edits deep; they are not called for "
            "edits beyond that. Let a callback look whether there is still something to change"
        )
        self.fail(callback, event, error)
