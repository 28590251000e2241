"""What a recorder needs of a wrapped document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..log.records import Header

if TYPE_CHECKING:
    from ..wrapping.listeners import Listener


class Telling(Protocol):
    """What a recorder looks at for each record."""

    @property
    def missed(self) -> int:
        """How often an edit was cut short, so that events may be missing."""

    @property
    def has_open_block(self) -> bool:
        """Whether a block is open whose edits are reported at its end."""


class Recordable(Protocol):
    """What the recorder needs of a wrapped document (`xmlcep.wrapping.Document`)."""

    @property
    def name(self) -> str:
        """The ``doc`` of its records."""

    @property
    def clock(self) -> int:
        """The time point of its last event."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction's block is open."""

    @property
    def delivery(self) -> Telling:
        """What reports its changes."""

    @property
    def last_txn(self) -> int:
        """The number of the last transaction; 0 if there was none."""

    @property
    def next_id(self) -> int:
        """The id of the next new node."""

    def snapshot(self) -> tuple[str, list[int]]:
        """The document as XML text and the ids of its nodes in document order."""

    def resume(self, ids: list[int], *, clock: int, txn: int, next_id: int) -> None:
        """Takes over the ids, the clock and the last transaction number of a recorded history."""

    def attach(self, listener: Listener, *, ahead: bool) -> None:
        """Begins to report changes to the listener, before anybody else hears of them."""

    def detach(self, listener: Listener) -> None:
        """Tells it no more."""


def header_of(doc: Recordable) -> Header:
    """The header for a log file that begins with the document as it is now."""
    snapshot, ids = doc.snapshot()
    return Header(doc.name, snapshot, tuple(ids), doc.clock, commits=True)
