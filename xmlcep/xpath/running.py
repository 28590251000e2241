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

from .values import NAN, Single, number_of_item, number_of_text

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

    __slots__ = (
        "_extremes",
        "_first",
        "_greatest",
        "_odd",
        "_parts",
        "_smallest",
        "_unit",
        "_units",
        "_values",
    )

    def __init__(self, values: Iterable[Single] = ()) -> None:
        self._values: list[Single] = list(values)
        self._first = 0  # where the list begins: what stands before has gone
        # The exact sum is so many times 1/unit: a finite double is a whole number of 2**-1074, most are of much more.
        self._units, self._unit = 0, 1
        # What each value brings to it, so many units or what is no finite number; None until somebody asks for it.
        self._parts: deque[int | float] | None = None
        self._odd: dict[str, int] = {}  # how many there are of what is no finite number
        self._smallest: RunningExtreme | None = None
        self._greatest: RunningExtreme | None = None
        self._extremes: list[RunningExtreme] = []  # those of both that there are

    def __len__(self) -> int:
        return len(self._values) - self._first

    @overload
    def __getitem__(self, index: int) -> Single: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Single]: ...
    def __getitem__(self, index: int | slice) -> Single | Sequence[Single]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 0:
                return self._values[self._first :][index]
            return self._values[self._first + start : self._first + stop : step]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError("list index out of range")
        return self._values[self._first + index]

    def append(self, value: Single) -> None:
        """A value comes, at the end."""
        self._values.append(value)
        parts, extremes = self._parts, self._extremes
        if parts is None and not extremes:
            return
        number = number_of_text(value) if type(value) is str else number_of_item(value)
        if parts is not None:
            self._add(number, parts)
        for extreme in extremes:
            extreme.add(number)

    def drop(self, count: int = 1) -> None:
        """The first values go."""
        values, first, parts = self._values, self._first, self._parts
        until = self._first = min(first + count, len(values))
        if parts is not None:
            for _ in range(first, until):
                part = parts.popleft()
                if type(part) is int:
                    self._units -= part
                elif self._odd[repr(part)] == 1:
                    del self._odd[repr(part)]
                else:
                    self._odd[repr(part)] -= 1
        if self._extremes:
            for value in values[first:until]:
                for extreme in self._extremes:
                    extreme.remove(number_of_item(value))
        if until >= _TIDY and 2 * until >= len(values):
            del values[:until]
            self._first = 0

    def total(self) -> float:
        """``sum``."""
        if self._parts is None:
            parts: deque[int | float] = deque()
            self._parts = parts
            for value in self:
                self._add(number_of_item(value), parts)
        if self._odd:
            if len(self._odd) > 1 or "nan" in self._odd:
                return NAN
            return math.inf if "inf" in self._odd else -math.inf
        try:
            return self._units / self._unit
        except OverflowError:
            return math.inf if self._units > 0 else -math.inf

    def smallest(self) -> float | None:
        """``min``."""
        if self._smallest is None:
            self._smallest = RunningExtreme(le, map(number_of_item, self))
            self._extremes.append(self._smallest)
        return self._smallest.value()

    def greatest(self) -> float | None:
        """``max``."""
        if self._greatest is None:
            self._greatest = RunningExtreme(ge, map(number_of_item, self))
            self._extremes.append(self._greatest)
        return self._greatest.value()

    def _add(self, number: float, parts: deque[int | float]) -> None:
        """One more number in the sum."""
        if number - number != 0:  # not finite
            self._odd[repr(number)] = self._odd.get(repr(number), 0) + 1
            parts.append(number)
            return
        part, denominator = number.as_integer_ratio()
        if denominator != self._unit:
            if denominator > self._unit:  # from now on the unit is so many times smaller
                times = denominator // self._unit
                self._unit = denominator
                self._units *= times
                refined = [other * times if type(other) is int else other for other in parts]
                parts.clear()
                parts.extend(refined)
            else:
                part *= self._unit // denominator
        parts.append(part)
        self._units += part


class RunningExtreme:
    """The least (``le``) or greatest (``ge``) of numbers that come at the end and go at the front.

    A monotonic queue.
    """

    __slots__ = ("_best", "_better", "_not_numbers")

    def __init__(self, better: Callable[[float, float], bool], numbers: Iterable[float] = ()) -> None:
        self._better = better
        self._best: deque[float] = deque()  # each the best of those behind the one before it
        self._not_numbers = 0
        for number in numbers:
            self.add(number)

    def add(self, number: float) -> None:
        """A number comes."""
        if number != number:
            self._not_numbers += 1
            return
        best, better = self._best, self._better
        while best and better(number, best[-1]) and number != best[-1]:
            best.pop()
        best.append(number)

    def remove(self, number: float) -> None:
        """The first one, which is this, goes."""
        if number != number:
            self._not_numbers -= 1
        elif self._best and self._best[0] == number:
            self._best.popleft()

    def value(self) -> float | None:
        """The least or greatest; NaN if one of them is NaN, None if there is none."""
        if self._not_numbers:
            return NAN
        return self._best[0] if self._best else None
