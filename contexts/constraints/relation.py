"""Relations between two intervals (rules R1, R2; Allen's thirteen, and ETALIS' ``par``)."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TypeAlias

# (start, end) of a and of b; an empty interval is (inf, -inf).
_Predicate: TypeAlias = Callable[[float, float, float, float], bool]

_ONE_WAY: dict[str, tuple[str, _Predicate]] = {
    "before": ("after", lambda a, b, c, d: b < c),
    "meets": ("met-by", lambda a, b, c, d: b == c),
    "overlaps": ("overlapped-by", lambda a, b, c, d: a < c < b < d),
    "starts": ("started-by", lambda a, b, c, d: a == c and b < d),
    "during": ("contains", lambda a, b, c, d: c < a and b < d),
    "finishes": ("finished-by", lambda a, b, c, d: b == d and a > c),
}


def _inverse(relation: _Predicate) -> _Predicate:
    return lambda a, b, c, d: relation(c, d, a, b)


RELATIONS = MappingProxyType(
    {
        **{name: predicate for name, (_, predicate) in _ONE_WAY.items()},
        **{name: _inverse(predicate) for name, predicate in _ONE_WAY.values()},
        "equals": lambda a, b, c, d: a == c and b == d,
        "par": lambda a, b, c, d: max(a, c) <= min(b, d),
    }
)
"""By name, whether the intervals [a, b] and [c, d] satisfy the relation (R1)."""

WITH_EMPTY = frozenset({"before", "after"})
"""The relations that an empty interval satisfies with every other (R2)."""
