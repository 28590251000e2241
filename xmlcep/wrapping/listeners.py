"""What may listen to a document, and what may act on its edits, as `delivery` knows them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ..events import CompositeEvent, PrimitiveEvent


class Listener(Protocol):
    """An internal listener: a recorder, a watch. It gets everything before subscribers do."""

    def _on_change(self, event: PrimitiveEvent) -> None:
        """A primitive event, in order of ts."""

    def _on_commit(self, txn: int) -> None:
        """The last event of transaction ``txn`` has been delivered."""

    def _on_raised(self, event: CompositeEvent) -> None:
        """An action rule, or the application, has raised an external event (L7)."""

    def _on_together(self, count: int) -> None:
        """The next ``count`` events are one (L4); only recorders are called."""

    def _on_advance(self, at: str) -> None:
        """It is this time (RFC 3339, UTC) now, although nothing has changed (W6)."""


class Reactor(Protocol):
    """What acts on edits before anybody is told of them: action rules (L4)."""

    def on_edit(self, events: Sequence[PrimitiveEvent]) -> None:
        """An edit is over; its events are in the queue. Edits made here are not told before it returns."""

    def on_signal(self, events: Sequence[CompositeEvent]) -> None:
        """The application has raised these external events (L7), which are in the queue."""

    def finish(self) -> None:
        """Everything has been reported."""

    def on_advance(self, at: str) -> AbstractContextManager[object]:
        """It is this time now, although nothing has changed (W6): acts on it at the end of the block, when listeners
        have heard of it."""

    def next_due(self) -> str | None:
        """When something is due next if nothing changes."""

    def begin(self) -> None:
        """A transaction is about to begin."""

    def began(self) -> None:
        """Its journal is open."""

    def commit(self) -> None:
        """The last edit of the transaction has been made; its journal is still open."""

    def commit_undone(self) -> None:
        """The last of the edits that undo the transaction has been made: everybody is told of all of them."""

    def undo(self) -> None:
        """The transaction is about to be undone, and nobody has been told of it."""

    def feed_only(self, feed_only: bool) -> None:
        """Whether edits are to be seen and not acted on: those that undo what has been reported."""

    def end(self) -> None:
        """The transaction is over, and its journal closed."""
