"""The cumulating aperiodic operator at run time: at c, all b since a (W9)."""

from __future__ import annotations

from bisect import insort_right
from collections.abc import Sequence

from contexts import Entry
from contexts.grouping import Key

from ...events import Cause
from ...rules.trees import OperatorNode
from .opened import OpenedState, is_before
from .state import Account, Blueprint, Kept


class AperiodicStarState(OpenedState):
    """The b of open windows are kept until these close; what is in no window any more counts as consumed (W8)."""

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self.inside: dict[Key, list[Entry]] = {}
        opener = of.node.children[0]
        self._reopens = self.context.replaces or (isinstance(opener, OperatorNode) and opener.takes_back)

    def occur(self, key: Key, entry: Entry, cause: Cause) -> None:
        if any(is_before(a, entry) for a in self.opened.get(key, ())):
            insort_right(self.inside.setdefault(key, []), entry, key=self.end_of)
        else:
            self.consumed_by(1, (entry,))

    def close(self, key: Key, entry: Entry, cause: Cause) -> None:
        windows = self.before(key, entry)
        used: list[Entry] = []
        for window in windows:
            inside = [b for b in self.inside.get(key, ()) if any(is_before(a, b) for a in window)]
            if inside:
                self.raise_combination([*window, *inside, entry], key, cause)
                used += inside
        for window in windows:
            self.shut(key, window)
        self._release_kept(key, used)

    def _release_kept(self, key: Key, used: Sequence[Entry] = ()) -> None:
        """Those that are used, and those that are in no window any more, count as consumed."""
        kept = self.inside.pop(key, [])
        opened = self.opened.get(key, ())
        spent = set(map(id, used))
        rest = [b for b in kept if id(b) not in spent and any(is_before(a, b) for a in opened)]
        if rest:
            self.inside[key] = rest
        self.consumed_by(1, [b for b in kept if not any(b is one for one in rest)])

    def open(self, key: Key, entry: Entry) -> None:
        super().open(key, entry)
        if self._reopens:
            self._release_kept(key)

    def account(self, key: Key) -> Account:
        return Account((tuple(self.opened.get(key, ())), tuple(self.inside.get(key, ())), ()))

    def withdraw(self, child: int, entry: Entry) -> None:
        """What is withdrawn from operand 0 is on its way again, with more in it (M1): until then its b are kept."""
        super().withdraw(child, entry)
        key = self.groupings[child].key_of(entry)
        if key in self.inside:
            self.inside[key] = [b for b in self.inside[key] if b is not entry]
            if not self.inside[key]:
                del self.inside[key]

    def kept(self) -> Kept:
        return (*super().kept(), self.inside)

    def size(self) -> int:
        return super().size() + sum(map(len, self.inside.values()))


new_state = AperiodicStarState
