"""How many records the keys of a pass have: what a plan is explained with, and what a large task is named by."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

_MOST_KEYS = 1_000_000


class KeyCount(NamedTuple):
    """How many records are under a key: of a document, of a node in it, of a value in it; or, with no document, of a
    value in all (V11)."""

    doc: str | None
    node: int | str | None
    records: int

    @property
    def key(self) -> str:
        """The key in words."""
        if self.node is None:
            return repr(self.doc)
        of = "" if self.doc is None else f"{self.doc!r} "
        return f"{of}{'value' if isinstance(self.node, str) else 'node'} {self.node!r}"

    def __str__(self) -> str:
        return f"{self.key} {self.records:,}"


class KeyCounter:
    """Counts the records of a pass by key: a document, and a node id or a value in it (None where it is the key)."""

    def __init__(self, most: int = _MOST_KEYS) -> None:
        self._most = most
        self._forgotten = 0
        self.keys: Counter[tuple[str | None, int | str | None]] = Counter()
        """The records of each."""

    def forget_small(self) -> None:
        """Of very many keys the smallest go; what they have is kept as a number."""
        if len(self.keys) > 2 * self._most:
            before = self.keys.total()
            self.keys = Counter(dict(self.keys.most_common(self._most)))
            self._forgotten += before - self.keys.total()

    @property
    def records(self) -> int:
        """How many records were counted."""
        return self.keys.total() + self._forgotten

    @property
    def number(self) -> str:
        """How many keys there are, as text; it may be a bound."""
        bounded = len(self.keys) > self._most or self._forgotten
        return f"more than {self._most:,}" if bounded else f"{len(self.keys):,}"

    def largest(self, number: int) -> tuple[KeyCount, ...]:
        """So many of the keys that have most, the largest first."""
        return tuple(KeyCount(doc, node, records) for (doc, node), records in self.keys.most_common(number))
