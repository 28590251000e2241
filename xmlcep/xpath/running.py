"""Lists whose values come at the end and go at the front, as those of a sliding window do.

Their sum, average, least and greatest value are kept up to date, once they have been asked for, in a time that does not
depend on the length. They are the same to the last bit as those of a plain list: sums are exact before they are
rounded, so a value that goes takes out just what it brought.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import ge, le
from typing import overload

from .values import NAN, Single, number_of_item

_TIDY = 1_000  # so many values that have gone are taken out of the list at once


class RunningValues(Sequence[Single]):
    """A list that an expression takes as a value; `append` and `drop` change it.

    >>> window = RunningValues(["0.1", 0.2, 5])
    >>> window.total(), window.greatest()
    (5.3, 5.0)
    >>> window.append("7")
    >>> window.drop(2)
    >>> list(window), window.total(), window.smallest()
    ([5, '7'], 12.0, 5.0)
    """

    __slots__ = ("_first", "_greatest", "_smallest", "_total", "_values")

    def __init__(self, values: Iterable[Single] = ()) -> None:
        self._values: list[Single] = list(values)
        self._first = 0  # where the list begins: what stands before has gone
        self._total: _Total | None = None
        self._smallest: _Extreme | None = None
        self._greatest: _Extreme | None = None

    def __len__(self) -> int:
        return len(self._values) - self._first

    @overload
    def __getitem__(self, index: int) -> Single: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Single]: ...
    def __getitem__(self, index: int | slice) -> Single | Sequence[Single]:
        if isinstance(index, slice):
            return self._values[self._first :][index]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError("list index out of range")
        return self._values[self._first + index]

    def append(self, value: Single) -> None:
        """A value comes, at the end."""
        self._values.append(value)
        if self._total is not None:
            self._total.add(number_of_item(value))
        if self._smallest is not None:
            self._smallest.add(number_of_item(value))
        if self._greatest is not None:
            self._greatest.add(number_of_item(value))

    def drop(self, count: int = 1) -> None:
        """The first values go."""
        for value in self._values[self._first : self._first + count]:
            if self._total is not None:
                self._total.remove(number_of_item(value))
            for extreme in (self._smallest, self._greatest):
                if extreme is not None:
                    extreme.remove(number_of_item(value))
        self._first = min(self._first + count, len(self._values))
        if self._first >= max(_TIDY, len(self)):
            del self._values[: self._first]
            self._first = 0

    def total(self) -> float:
        """``sum``."""
        if self._total is None:
            self._total = _Total(map(number_of_item, self))
        return self._total.value()

    def smallest(self) -> float | None:
        """``min``."""
        if self._smallest is None:
            self._smallest = _Extreme(le, map(number_of_item, self))
        return self._smallest.value()

    def greatest(self) -> float | None:
        """``max``."""
        if self._greatest is None:
            self._greatest = _Extreme(ge, map(number_of_item, self))
        return self._greatest.value()


class _Total:
    """The exact sum of numbers that come and go."""

    __slots__ = ("_odd", "_unit", "_units")

    def __init__(self, numbers: Iterable[float]) -> None:
        # It is so many times 1/unit. A finite double is a whole number of 2**-1074, most are of much more.
        self._units, self._unit = 0, 1
        self._odd: dict[str, int] = {"nan": 0, "inf": 0, "-inf": 0}
        for number in numbers:
            self.add(number)

    def add(self, number: float) -> None:
        if math.isfinite(number):
            units = self._in_units(number)  # before the sum is read: it may change the unit
            self._units += units
        else:
            self._odd[repr(number)] += 1

    def remove(self, number: float) -> None:
        if math.isfinite(number):
            units = self._in_units(number)
            self._units -= units
        else:
            self._odd[repr(number)] -= 1

    def value(self) -> float:
        odd = self._odd
        up, down = odd["inf"], odd["-inf"]
        if odd["nan"] or (up and down):
            return NAN
        if up or down:
            return math.inf if up else -math.inf
        try:
            return self._units / self._unit
        except OverflowError:
            return math.inf if self._units > 0 else -math.inf

    def _in_units(self, number: float) -> int:
        numerator, denominator = number.as_integer_ratio()
        unit = self._unit
        if denominator > unit:
            self._units *= denominator // unit
            unit = self._unit = denominator
        return numerator * (unit // denominator)


class _Extreme:
    """The least or greatest of numbers that come at the end and go at the front (a monotonic queue)."""

    __slots__ = ("_best", "_better", "_not_numbers")

    def __init__(self, better: Callable[[float, float], bool], numbers: Iterable[float]) -> None:
        self._better = better
        self._best: deque[float] = deque()  # each the best of those behind the one before it
        self._not_numbers = 0
        for number in numbers:
            self.add(number)

    def add(self, number: float) -> None:
        if number != number:
            self._not_numbers += 1
            return
        best, better = self._best, self._better
        while best and better(number, best[-1]) and number != best[-1]:
            best.pop()
        best.append(number)

    def remove(self, number: float) -> None:
        if number != number:
            self._not_numbers -= 1
        elif self._best and self._best[0] == number:
            self._best.popleft()

    def value(self) -> float | None:
        if self._not_numbers:
            return NAN
        return self._best[0] if self._best else None
