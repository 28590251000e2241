"""What is found in one document: put into its order when a time point is over, and on disk where it is much."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from operator import itemgetter, lt
from typing import Any

from ...events import CompositeEvent
from ..findings.collector import Collector
from ..findings.order import Ranking

_SETTLED = 64  # composites that are put into their order together: few, for each may have many constituents
_SPOOLED = 1000  # findings of a document that are kept in memory
_SPOOLED_BYTES = 1 << 20

_name_of = itemgetter(0)
_cause_of = itemgetter(7)
_ts_of = itemgetter(0)


class RaisedInOrder(ABC):
    """The composites of a document on their way: put into the order of findings when their time point is over.

    ``pending`` are those of the current time point, or edit, in the order in which they were raised: something may
    still come between them.
    """

    __slots__ = ("_ranking", "counts", "pending")

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        self.pending: list[CompositeEvent] = []
        self.counts: Counter[str] = Counter()
        """How many are findings by now, by event type."""

    @abstractmethod
    def hold(self, composites: list[CompositeEvent]) -> None:
        """Takes findings in their order."""

    @abstractmethod
    def hand_over(self) -> None:
        """The document is over, or rests: what is settled is handed on."""

    def spool(self) -> None:  # noqa: B027 (not all keep them in memory)
        """Puts what is settled on disk."""

    def drop(self) -> None:  # noqa: B027 (not all replay a document anew)
        """Takes back all findings of the document."""

    def take(self, composites: Iterable[CompositeEvent]) -> None:
        """Takes composites as they are raised; those of time points that are over are settled on the way.

        If one cannot be raised, those before it are pending.
        """
        raised, pending = iter(composites), self.pending
        enough = len(pending) + _SETTLED
        while True:
            pending.extend(islice(raised, enough - len(pending)))
            if len(pending) < enough:
                return
            ts, first = pending[-1][7][0], len(pending) - 1
            while first and pending[first - 1][7][0] == ts:
                first -= 1
            if first:
                last = pending[first:]
                del pending[first:]
                self.settle()
                pending += last
            enough = len(pending) + _SETTLED

    def settle(self) -> None:
        """Puts all that is pending into its order: its time points are over."""
        pending = self.pending
        if not pending:
            return
        times = list(map(_ts_of, map(_cause_of, pending)))
        # What an edit raises with its last record may be of time points before what it raised at once (U2).
        if not all(map(lt, times, islice(times, 1, None))):
            pending.sort(key=self._order)
        self.hold(pending)
        pending.clear()

    def settle_until(self, ts: int) -> None:
        """Settles what was raised before a time point, at which there may be more."""
        pending = self.pending
        later = [each for each in pending if _raised_at(each) >= ts]
        if len(later) < len(pending):
            pending[:] = [each for each in pending if _raised_at(each) < ts]
            self.settle()
            pending += later

    def _order(self, composite: CompositeEvent) -> tuple[Any, ...]:
        return composite[7][0], *self._ranking.place(composite)


class DocumentFindings(RaisedInOrder):
    """Findings as lines, which go to disk where they are many."""

    __slots__ = ("_collector", "_doc", "_held", "_size", "_texts")

    def __init__(self, doc: str, ranking: Ranking, collector: Collector) -> None:
        super().__init__(ranking)
        self._doc = doc
        self._collector = collector
        self._texts: list[bytes] = []
        self._held = 0  # how many findings these are
        self._size = 0

    def hold(self, composites: list[CompositeEvent]) -> None:
        """Keeps findings as lines; many go to disk."""
        self.counts.update(map(_name_of, composites))
        text = b"\n".join((*map(self._ranking.encode, composites), b""))
        self._texts.append(text)
        self._held += len(composites)
        self._size += len(text)
        self._collector.held += len(text)
        if self._held >= _SPOOLED or self._size >= _SPOOLED_BYTES:
            self.spool()

    def hand_over(self) -> None:
        """Puts what is settled on disk, and counts it."""
        self.spool()
        self._collector.found(self._doc, self.counts)

    def spool(self) -> None:
        """Puts what is settled on disk."""
        if not self._texts:
            return
        self._collector.spool.add_findings(self._doc, b"".join(self._texts))
        self._collector.held -= self._size
        self._texts = []
        self._held = 0
        self._size = 0

    def drop(self) -> None:
        """Takes back all findings of the document, those on disk, too."""
        self.spool()
        self._collector.spool.drop_findings(self._doc)


def _raised_at(composite: CompositeEvent) -> int:
    """The time point at which a composite was raised."""
    return composite[7][0]
