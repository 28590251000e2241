"""External events (L7) at one time point of a document: which of them have been there before."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..log.records import Control, raised_identity


class RaisedThere:
    """What tells the external events of the last time point apart; ``known`` were there already, at ``ts``."""

    __slots__ = ("_known", "_ts")

    def __init__(self, ts: int = 0, known: Iterable[str] = ()) -> None:
        self._ts = ts
        self._known = set(known)

    def is_new(self, ts: int, control: Control) -> bool:
        """Whether an external event of this time point, no earlier than the last one, was not delivered before."""
        identity = raised_identity(control)
        is_new = ts != self._ts or identity not in self._known
        if ts != self._ts:
            self._ts = ts
            self._known.clear()
        self._known.add(identity)
        return is_new

    def at(self, ts: int) -> Collection[str]:
        """What it knows of this time point."""
        return sorted(self._known) if ts == self._ts else ()
