"""The clock of a document, its ids, and the making of its events (rules E3, P7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from path_types import PathType

from ..events import PrimitiveEvent
from .delivery import Delivery
from .records import Node
from .undo import Journal

if TYPE_CHECKING:
    from .transactions import Transaction

_new_event = tuple.__new__  # PrimitiveEvent._make without its check of the length


class Ledger:
    """What a document counts and what its events share.

    ``simple`` is true while the short ways of the frequent edits will do: no open transaction, no foreign elements, no
    white space to be left out.
    """

    __slots__ = (
        "_at", "_from", "_numbers", "_until", "clock", "delivery", "foreign", "ignore_whitespace", "journal",
        "meta", "name", "next_id", "now", "quiet", "root", "simple", "transaction", "txn", "txns",
    )  # fmt: skip

    def __init__(self, root: Node, name: str, now: Callable[[], float], ignore_whitespace: bool) -> None:
        self.root = root
        self.name = name
        self.now = now
        self.ignore_whitespace = ignore_whitespace
        self.clock = 0
        self.next_id = 1
        self.delivery = Delivery()
        self.quiet = False  # while proxies are made by reading: their _init is not news
        self.foreign: dict[Node, None] = {}
        self.journal: Journal | None = None
        self.transaction: Transaction | None = None  # the one that is open
        self.txn: int | None = None
        self.txns = 0
        self.meta: dict[str, str] | None = None
        self._numbers: Iterator[int] | None = None  # ids to be given, when a recorded history is continued
        self._at = ""
        self._from = self._until = 0.0
        self.judge()

    def judge(self) -> None:
        """Sets ``simple``; to be called when what it depends on has changed."""
        self.simple = not (self.foreign or self.ignore_whitespace or self.journal is not None)

    def emit(
        self,
        op: str,
        path: PathType,
        ids: tuple[int, ...],
        value: str | None,
        old: str | None,
        pos: int | None,
    ) -> None:
        """Queues one event at the next time point; `Delivery.settle` tells of it."""
        self.clock = ts = self.clock + 1
        delivery = self.delivery
        if delivery.audience:
            now = self.now()
            if not self._from <= now < self._until:
                self._stamp(now)
            delivery.put(
                _new_event(
                    PrimitiveEvent,
                    (ts, op, path, ids, value, old, pos, self._at, self.name, self.txn, self.meta, False),
                )
            )

    def tell(
        self,
        op: str,
        path: PathType,
        ids: tuple[int, ...],
        value: str | None,
        old: str | None,
        pos: int | None,
    ) -> None:
        """Makes the event of an edit that has just this one and tells of it, at once if nothing is waiting."""
        self.clock = ts = self.clock + 1
        delivery = self.delivery
        if delivery.audience:
            now = self.now()
            if not self._from <= now < self._until:
                self._stamp(now)
            event = _new_event(
                PrimitiveEvent,
                (ts, op, path, ids, value, old, pos, self._at, self.name, self.txn, self.meta, False),
            )
            if delivery.delivering or delivery.held or delivery.queue:
                delivery.put(event)
                delivery.settle()
                return
            # What settle() would do, without the queue.
            delivery.delivering = True
            try:
                for callback in delivery.callbacks:
                    try:
                        callback(event)
                    except Exception as error:
                        delivery.fail(callback, event, error)
            finally:
                delivery.delivering = False
            if delivery.queue or delivery.failures:
                delivery.settle()

    def _stamp(self, now: float) -> None:
        """The wall clock as text, RFC 3339 UTC, good for the millisecond ``now`` is in."""
        millisecond = int(now * 1000)
        seconds, rest = divmod(millisecond, 1000)
        self._at = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
        self._from, self._until = millisecond / 1000, (millisecond + 1) / 1000

    def new_id(self) -> int:
        """A fresh node id (P7)."""
        if self._numbers is not None:
            return next(self._numbers)
        number = self.next_id
        self.next_id = number + 1
        return number
