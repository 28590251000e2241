"""Windows that events open and close: what aperiodic and periodic operators have in common (W8)."""

from __future__ import annotations

from abc import abstractmethod
from bisect import insort_right
from collections.abc import Sequence

from contexts import CONTEXTS, Entry
from contexts.constraints import Objection
from contexts.grouping import Key

from ...events import Cause
from ..composer import event_of
from .state import Account, Blueprint, Kept, OperatorState


class OpenedState(OperatorState):
    """By group the events that have opened a window which is not closed yet, oldest first.

    Operand 0 opens, the last one closes. The context says which of the windows are in effect. "Before" is that of
    intervals (W8).
    """

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self.context = CONTEXTS[of.node.context.value]
        self.opened: dict[Key, list[Entry]] = {}
        self.closer = len(of.node.children) - 1

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        for entry in arrivals:
            if child == 0:
                self.open(key, entry)
            elif child == self.closer:
                for closed in self.keys_closed(key):
                    self.close(closed, entry, cause)
                self.consumed_by(child, (entry,))
            else:
                self.occur(key, entry, cause)

    def open(self, key: Key, entry: Entry) -> None:
        """A window opens."""
        self.note_key(key)
        opened = self.opened.setdefault(key, [])
        insort_right(opened, entry, key=self.end_of)
        if self.context.replaces:
            del opened[:-1]

    def occur(self, key: Key, entry: Entry, cause: Cause) -> None:
        """Something occurs that matters in a window."""

    @abstractmethod
    def close(self, key: Key, entry: Entry, cause: Cause) -> None:
        """An event closes windows."""

    def keys_closed(self, key: Key) -> list[Key]:
        """The groups whose windows an event of the last operand with this key closes (V4)."""
        return self.matching(self.closer, key)

    def before(self, key: Key, entry: Entry) -> list[list[Entry]]:
        """The windows in effect whose events all lie before an entry, each with its events."""
        return self.context.windows([a for a in self.opened.get(key, ()) if is_before(a, entry)])

    def shut(self, key: Key, closed: Sequence[Entry]) -> None:
        """These windows are closed: what opened them is consumed."""
        rest = [a for a in self.opened[key] if not any(a is one for one in closed)]
        if rest:
            self.opened[key] = rest
        else:
            self.forget_window(key)
        self.consumed_by(0, closed)

    def forget_window(self, key: Key) -> None:
        """Nothing is open in the group any more."""
        if self.opened.pop(key, None) is not None:
            self.drop_key(key)

    def withdraw(self, child: int, entry: Entry) -> None:
        key = self.groupings[child].key_of(entry)
        opened = self.opened.get(key)
        if child == 0 and opened is not None:
            opened[:] = [a for a in opened if a is not entry]
            if not opened:
                self.forget_window(key)

    def kept(self) -> Kept:
        return (self.opened,)

    def account(self, key: Key) -> Account:
        return Account((tuple(self.opened.get(key, ())), *(() for _ in self.node.children[1:])))

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        """What occurs, or closes, outside of a window is of no use; what opens one lasts until that closes."""
        if child == 0:
            closing = [other for other in others[self.closer] if is_before(entry, other)]
            return Objection("window-closed", (entry, *closing[:1]))
        opening = [other for other in others[0] if is_before(other, entry)]
        if not opening:
            return Objection("wrong-order", (*others[0][:1], entry))
        closed = [
            other
            for other in others[self.closer]
            if is_before(opening[-1], other) and is_before(other, entry)
        ]
        return Objection("window-closed", (*closed[-1:], entry))

    def size(self) -> int:
        return sum(map(len, self.opened.values()))


def is_before(a: Entry, b: Entry) -> bool:
    """Whether one event ends before the other starts; an empty one is before everything, and behind it (E5)."""
    end, start = event_of(a).end, event_of(b).start
    return end is None or start is None or end < start
