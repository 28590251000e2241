"""Findings of a document that come in another order than that of time."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from .spool import LooseFinding, Spool

_SORTED_BYTES = 16 << 20  # of findings that are sorted in memory


class FindingsByTime:
    """Findings of a document that come in any order, but those of a time point in theirs; many are sorted on disk."""

    def __init__(self, spool: Spool, doc: str) -> None:
        self._spool = spool
        self._doc = doc
        self._held: list[tuple[int, bytes]] = []
        self._size = 0
        self._is_on_disk = False

    def add(self, times: list[int], lines: list[bytes]) -> None:
        """Takes findings of these time points."""
        self._held += zip(times, lines, strict=True)
        self._size += sum(map(len, lines))
        if self._size >= _SORTED_BYTES:
            self._to_disk()

    def in_order(self) -> Iterator[list[bytes]]:
        """All of them in order of time, some at once."""
        if self._is_on_disk:
            self._to_disk()
            for finding in self._spool.take_loose():
                yield [finding.line]
            return
        self._held.sort(key=itemgetter(0))
        if self._held:
            yield [line for _, line in self._held]

    def _to_disk(self) -> None:
        self._spool.add_loose(LooseFinding(self._doc, ts, 0, b"", line) for ts, line in self._held)
        self._held, self._size, self._is_on_disk = [], 0, True
