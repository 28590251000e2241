"""Relations between two intervals (rules R1, E5; Allen's thirteen, and ETALIS' ``par``)."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from types import MappingProxyType
from typing import TypeAlias

from ..entry import EMPTY_START, END, START, Entry
from ..group import Group
from .constraint import REFUSED, Constraint, State

# (start, end) of a and of b.
_Predicate: TypeAlias = Callable[[float, float, float, float], bool]
Interval: TypeAlias = Callable[[Entry], tuple[float, float]]

_ONE_WAY: dict[str, tuple[str, _Predicate]] = {
    "before": ("after", lambda a, b, c, d: b < c),
    "meets": ("met-by", lambda a, b, c, d: b == c),
    "overlaps": ("overlapped-by", lambda a, b, c, d: a < c < b < d),
    "starts": ("started-by", lambda a, b, c, d: a == c and b < d),
    "during": ("contains", lambda a, b, c, d: c < a and b < d),
    "finishes": ("finished-by", lambda a, b, c, d: b == d and a > c),
}


_BOTH_WAYS: dict[str, _Predicate] = {
    "equals": lambda a, b, c, d: a == c and b == d,
    "par": lambda a, b, c, d: max(a, c) <= min(b, d),
}


def _inverse(relation: _Predicate) -> _Predicate:
    return lambda a, b, c, d: relation(c, d, a, b)


RELATIONS: MappingProxyType[str, _Predicate] = MappingProxyType(
    {
        **{name: predicate for name, (_, predicate) in _ONE_WAY.items()},
        **{inverse: _inverse(predicate) for inverse, predicate in _ONE_WAY.values()},
        **_BOTH_WAYS,
    }
)
"""By name, whether the intervals [a, b] and [c, d] satisfy the relation (R1)."""

_WITH_EMPTY = frozenset(
    {"before", "after"}
)  # the relations in which an empty interval stands to every other (E5)


class IntervalRelation(Constraint):
    """The first operand's interval stands in this relation to the second's (R1, E5).

    ``interval`` says what the interval of an entry is, where that is not what "before" compares (H2).
    """

    reason = "relation-false"

    def __init__(self, name: str, interval: Interval = itemgetter(START, END)) -> None:
        self._holds = RELATIONS[name]
        self._with_empty = name in _WITH_EMPTY
        self._interval = interval

    def begin(self, group: Group) -> State:
        return None

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        if operand == 0:
            return self._interval(entry)
        if state is None:
            return state  # the first operand's event is still to come (S2)
        (start, end), (other_start, other_end) = state, self._interval(entry)
        if start == EMPTY_START or other_start == EMPTY_START:
            return state if self._with_empty else REFUSED
        return state if self._holds(start, end, other_start, other_end) else REFUSED
