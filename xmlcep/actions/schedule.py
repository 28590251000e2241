"""The schedule: which firing comes next (rule L5).

>>> from typing import NamedTuple
>>> class Firing(NamedTuple):
...     rule: str
...     priority: int
...     order: int
>>> schedule = Schedule()
>>> schedule.put([Firing("A", 0, 1), Firing("B", 5, 2), Firing("C", 0, 0)])
>>> schedule.take().rule                    # the highest priority, then the order of definition
'B'
>>> schedule.put([Firing("D", -1, 3)])      # what B triggers goes before all waiting firings, whatever its priority
>>> [schedule.take().rule for _ in range(len(schedule))]
['D', 'C', 'A']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar


class Scheduled(Protocol):
    """What can be scheduled: ``priority`` (higher goes first) and the ``order`` of its rule's definition."""

    @property
    def priority(self) -> int: ...

    @property
    def order(self) -> int: ...


F = TypeVar("F", bound=Scheduled)


class Schedule(Generic[F]):
    """Firings that wait, the next one last."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[F] = []

    def put(self, triggered: Sequence[F]) -> None:
        """Puts what is triggered at one moment before all waiting firings: by priority, then by order of definition,
        then in the order given (that of the composites)."""
        if len(triggered) > 1:
            triggered = sorted(triggered, key=_rank)
        self._waiting += triggered[::-1]

    def take(self) -> F:
        """The next firing, which does not wait any more; raises `IndexError` if there is none."""
        return self._waiting.pop()

    def clear(self) -> None:
        """Forgets all waiting firings."""
        self._waiting.clear()

    def __len__(self) -> int:
        return len(self._waiting)


def _rank(firing: Scheduled) -> tuple[int, int]:
    return -firing.priority, firing.order
