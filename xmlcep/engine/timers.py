"""What is due later: by changes, by transactions, by time (rules W5, G4)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from contexts.grouping import Key

from ..algebra import Unit

MEASURE = {Unit.CHANGES: 0, Unit.TIME: 1, Unit.TRANSACTIONS: 2}
"""The place of each measure in a `contexts.entry.Moment`."""
NEVER = 1 << 62
"""When nothing is due."""
ORDER = (Unit.CHANGES, Unit.TRANSACTIONS, Unit.TIME)
"""In which order what is due before one record comes (W5)."""


class Due(NamedTuple):
    """Something that is due in a group of an operator; both by index, of the tree and in postorder."""

    at: int
    tree: int
    operator: int
    key: Key


def by_tree(due: Iterable[Due]) -> dict[int, list[Due]]:
    """What is due together, by the tree that it is of."""
    found: dict[int, list[Due]] = {}
    for each in due:
        found.setdefault(each.tree, []).append(each)
    return found


class Timers:
    """What is due, in heaps: setting and taking cost the logarithm of how much is waiting.

    Who set a timer asks itself, when it is taken, whether it still means anything; there is no unsetting. ``size`` is
    how much is set; ``changes``, ``transactions`` and ``time`` say when the first of it is due, `NEVER` if nothing is.
    ``firing`` is what a round through the trees is about, while there is one.
    """

    def __init__(self) -> None:
        self._heaps: dict[Unit, list[tuple[int, int, Due]]] = {unit: [] for unit in Unit}
        self._count = 0
        self.size = 0
        self.changes = self.transactions = self.time = NEVER
        self.firing: tuple[Unit, int] | None = None
        self._set_now = 0  # how many have been set in this round that are due in it

    def set(self, unit: Unit, due: Due) -> None:
        """Something is due at ``due.at``, by this measure."""
        self._count += 1
        self.size += 1
        heap = self._heaps[unit]
        heappush(heap, (due.at, self._count, due))
        if self.firing is not None and self.firing == (unit, due.at):
            self._set_now += 1
        if heap[0][2] is due:
            self._note(unit)

    def begin_round(self, firing: tuple[Unit, int] | None) -> None:
        """A round through the trees for all that is due then, also what turns out to be in it (`take_set_now`); None:
        a round about nothing that is due. Who begins it ends it (`end_round`), whatever happens in it."""
        self.firing, self._set_now = firing, 0

    def end_round(self) -> None:
        """It is over."""
        self.firing = None

    def take_set_now(self, tree: int, operator: int) -> list[Due]:
        """Takes what an operator has set since the round began and is due in it."""
        if self.firing is None or not self._set_now:
            return []
        unit, at = self.firing
        heap = self._heaps[unit]
        found: list[Due] = []
        others = []
        while heap and heap[0][0] <= at:  # few: all that was due before has been taken
            each = heappop(heap)
            if each[0] == at and each[2][1:3] == (tree, operator):
                found.append(each[2])
            else:
                others.append(each)
        for each in others:
            heappush(heap, each)
        self.size -= len(found)
        self._set_now -= len(found)
        self._note(unit)
        return found

    def take(self, unit: Unit, before: int) -> Iterator[tuple[int, list[Due]]]:
        """Takes what is due before ``before``, one time after the other, all that is due at one time together.

        What is set meanwhile and is due before that, too, is taken in its turn.
        """
        heap = self._heaps[unit]
        while heap and heap[0][0] < before:
            at = heap[0][0]
            together = []
            while heap and heap[0][0] == at:
                together.append(heappop(heap)[2])
                self.size -= 1
            self._note(unit)
            yield at, together

    def _note(self, unit: Unit) -> None:
        """When the first is due now."""
        heap = self._heaps[unit]
        first = heap[0][0] if heap else NEVER
        if unit is Unit.CHANGES:
            self.changes = first
        elif unit is Unit.TIME:
            self.time = first
        else:
            self.transactions = first

    def take_first(
        self, before: Mapping[Unit, int], trees: Container[int] | None = None
    ) -> tuple[Unit, int, list[Due]] | None:
        """Takes what is due together and comes first of all that is due, by one measure after the other; None if
        nothing is. With ``trees`` of these only: what is due in others stays."""
        others: list[tuple[Unit, Due]] = []
        found = None
        for unit, limit in before.items():
            for at, together in self.take(unit, limit):
                if trees is not None:
                    others += [(unit, due) for due in together if due.tree not in trees]
                    together = [due for due in together if due.tree in trees]
                if together:
                    found = unit, at, together
                    break
            if found is not None:
                break
        for unit, due in others:
            self.set(unit, due)
        return found

    def is_due(self, ts: int, time: int | None, transaction: int) -> bool:
        """Whether anything is due before these, by any measure."""
        return self.changes < ts or self.transactions < transaction or (time is not None and self.time < time)

    def drop_first(self, is_over: Callable[[Due], bool]) -> None:
        """Forgets what is due first, by each measure, as long as nobody waits for it any more."""
        for unit, heap in self._heaps.items():
            while heap and is_over(heap[0][2]):
                heappop(heap)
                self.size -= 1
            self._note(unit)

    def pending(self, unit: Unit) -> Iterator[Due]:
        """All that is set, by this measure, in no particular order."""
        return (due for _, _, due in self._heaps[unit])

    def restore(self, unit: Unit, number: int, due: Due) -> None:
        """Sets what was set in another detector, with the number that it had there, by this measure."""
        heap = self._heaps[unit]
        heappush(heap, (due.at, number, due))
        self.size += 1
        if heap[0][2] is due:
            self._note(unit)

    def clear(self) -> None:
        """Forgets everything."""
        for heap in self._heaps.values():
            heap.clear()
        self._count = self.size = 0
        self.changes = self.transactions = self.time = NEVER
