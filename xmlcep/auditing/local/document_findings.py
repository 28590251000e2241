"""What is found in one document: put into its order when a time point is over, and on disk where it is much."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from ...events import CompositeEvent
from ..findings.by_time import FindingsByTime
from ..findings.collector import Collector
from ..findings.order import Ranking

_SETTLED = 64  # composites that are put into their order together: few, for each may have many constituents
_SPOOLED = 1000  # findings of a document that are kept in memory
_SPOOLED_BYTES = 1 << 20

_name_of = itemgetter(0)


class DocumentFindings:
    """The composites of a document on their way to the disk.

    ``pending`` are those of the current time point, or edit, in the order in which they were raised: something may
    still come between them. Those of time points that are over are findings, lines in their order.
    """

    __slots__ = ("_collector", "_counts", "_doc", "_held", "_ranking", "_size", "_texts", "pending")

    def __init__(self, doc: str, ranking: Ranking, collector: Collector) -> None:
        self._doc = doc
        self._ranking = ranking
        self._collector = collector
        self.pending: list[CompositeEvent] = []
        self._counts: dict[str, int] = {}  # by event type
        self._texts: list[bytes] = []
        self._held = 0  # how many findings these are
        self._size = 0

    def take(self, composites: Iterable[CompositeEvent]) -> None:
        """Takes composites as they are raised; those of time points that are over are settled on the way."""
        pending = self.pending
        full = len(pending) + _SETTLED
        for composite in composites:
            pending.append(composite)
            if len(pending) >= full:
                self.settle_until(composite[7][0])
                full = len(pending) + _SETTLED

    def take_strands(self, composites: Iterable[CompositeEvent]) -> None:
        """Takes what strands raise, one strand after the other, when no time point has composites of two."""
        self.settle()
        pending, found = self.pending, FindingsByTime(self._collector.spool, self._doc)
        for composite in composites:
            if len(pending) >= _SETTLED and composite[7][0] != pending[-1][7][0]:
                found.add(*self._settled())
            pending.append(composite)
        if pending:
            found.add(*self._settled())
        for lines in found.in_order():
            self._hold(lines)

    def settle(self) -> None:
        """Puts all that is pending into its order: its time points are over."""
        if self.pending:
            _, lines = self._settled()
            self._hold(lines)

    def settle_until(self, ts: int) -> None:
        """Settles what was raised before a time point, at which there may be more."""
        pending = self.pending
        first = bisect_left(pending, ts, key=_raised_at)
        if first:
            later = pending[first:]
            del pending[first:]
            self.settle()
            pending += later

    def hand_over(self) -> None:
        """Puts what is settled on disk, and counts it."""
        self.spool()
        self._collector.found(self._doc, self._counts)

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

    def _settled(self) -> tuple[list[int], list[bytes]]:
        """Takes what is pending as findings in their order, with their time points."""
        pending = self.pending
        times = list(map(_raised_at, pending))
        if len(set(times)) < len(times):
            pending.sort(key=self._order)
            times.sort()
        lines = list(map(self._ranking.encode, pending))
        counts = self._counts
        for name, count in Counter(map(_name_of, pending)).items():
            counts[name] = counts.get(name, 0) + count
        pending.clear()
        return times, lines

    def _hold(self, lines: list[bytes]) -> None:
        """Keeps findings in their order; many go to disk."""
        text = b"\n".join((*lines, b""))
        self._texts.append(text)
        self._held += len(lines)
        self._size += len(text)
        self._collector.held += len(text)
        if self._held >= _SPOOLED or self._size >= _SPOOLED_BYTES:
            self.spool()

    def _order(self, composite: CompositeEvent) -> tuple[Any, ...]:
        return composite[7][0], *self._ranking.place(composite)


def _raised_at(composite: CompositeEvent) -> int:
    """The time point at which a composite was raised."""
    return composite[7][0]
