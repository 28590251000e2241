"""Lists whose values come at the end and go at the front, as those of a sliding window do.

Their sum, average, least and greatest value are kept up to date, once they have been asked for, in a time that does not
depend on the length. They are the same to the last bit as those of a plain list: sums are exact before they are
rounded, so a value that goes takes out just what it brought.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import ge, le
from typing import overload

from .values import NAN, Single, number_of_item

_TIDY = 1_000  # so many values that have gone are taken out of the list at once


class RunningValues(Sequence[Single]):
    """A list that an expression takes as a value; `append` and `drop` change it.

    To change it is to move its ends. What is asked of it catches up with them when it is asked.

    >>> window = RunningValues(["0.1", 0.2, 5])
    >>> window.total(), window.greatest()
    (5.3, 5.0)
    >>> window.append("7")
    >>> window.drop(2)
    >>> list(window), window.total(), window.smallest()
    ([5, '7'], 12.0, 5.0)
    """

    __slots__ = (
        "_begin", "_end", "_extremes", "_greatest", "_numbers", "_smallest", "_sum", "first", "values",
    )  # fmt: skip

    def __init__(self, values: Iterable[Single] = ()) -> None:
        self.values: list[Single] = list(values)
        """What there is, behind what has gone and is not yet taken out: to append here is to `append`, and to move
        ``first``, where the list begins, is to `drop` without `tidy`."""
        self.first = 0
        # The numbers of the values so far as anything has been asked of them: what is kept up to date is of those
        # from ``_begin`` to before ``_end``.
        self._numbers = array("d")
        self._begin = self._end = 0
        self._sum = _ExactSum()
        self._smallest: RunningExtreme | None = None
        self._greatest: RunningExtreme | None = None
        self._extremes: list[RunningExtreme] = []  # those of both that there are

    def __len__(self) -> int:
        return len(self.values) - self.first

    @overload
    def __getitem__(self, index: int) -> Single: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Single]: ...
    def __getitem__(self, index: int | slice) -> Single | Sequence[Single]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 0:
                return self.values[self.first :][index]
            return self.values[self.first + start : self.first + stop : step]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError("list index out of range")
        return self.values[self.first + index]

    def append(self, value: Single) -> None:
        """A value comes, at the end."""
        self.values.append(value)

    def drop(self, count: int = 1) -> None:
        """The first values go."""
        self.first = min(self.first + count, len(self.values))
        if self.first >= _TIDY:
            self.tidy()

    def tidy(self) -> None:
        """Takes what has gone out of the lists, if it is half of what they have."""
        values, first = self.values, self.first
        if 2 * first >= len(values):
            if self._end:  # otherwise nobody has asked anything
                self._catch_up()
                del self._numbers[:first]
                self._begin -= first
                self._end -= first
            del values[:first]
            self.first = 0

    def total(self) -> float:
        """``sum``."""
        self._catch_up()
        return self._sum.value()

    def _catch_up(self) -> None:
        """All that is kept up to date is of what there is now."""
        come = list(map(number_of_item, self.values[self._end :]))
        self._numbers.extend(come)
        gone = self._numbers[self._begin : self.first]
        kept: list[_ExactSum | RunningExtreme] = [self._sum, *self._extremes]
        for each in kept:
            for number in come:
                each.add(number)
            for number in gone:
                each.remove(number)
        self._begin, self._end = self.first, len(self.values)
        if self._begin == self._end:
            self._sum = _ExactSum()

    def smallest(self) -> float | None:
        """``min``."""
        self._catch_up()
        if self._smallest is None:
            self._smallest = RunningExtreme(le, self._numbers[self._begin :])
            self._extremes.append(self._smallest)
        return self._smallest.value()

    def greatest(self) -> float | None:
        """``max``."""
        self._catch_up()
        if self._greatest is None:
            self._greatest = RunningExtreme(ge, self._numbers[self._begin :])
            self._extremes.append(self._greatest)
        return self._greatest.value()


class _ExactSum:
    """The sum of doubles that come and go, as a fraction; and how many of them are no finite number."""

    __slots__ = ("_odd", "_unit", "_units")

    def __init__(self) -> None:
        # The sum is so many times 1/unit: a finite double is a whole number of 2**-1074, most are of much more.
        self._units, self._unit = 0, 1
        self._odd: dict[str, int] = {}

    def add(self, number: float) -> None:
        """A number more."""
        self._change(number, 1)

    def remove(self, number: float) -> None:
        """A number less."""
        self._change(number, -1)

    def _change(self, number: float, sign: int) -> None:
        if number - number != 0:  # not finite
            count = self._odd[repr(number)] = self._odd.get(repr(number), 0) + sign
            if not count:
                del self._odd[repr(number)]
            return
        part, denominator = number.as_integer_ratio()
        if denominator > self._unit:  # from now on the unit is so many times smaller
            self._units *= denominator // self._unit
            self._unit = denominator
        self._units += sign * part * (self._unit // denominator)

    def value(self) -> float:
        """The double nearest to the sum."""
        if self._odd:
            if len(self._odd) > 1 or "nan" in self._odd:
                return NAN
            return math.inf if "inf" in self._odd else -math.inf
        try:
            return self._units / self._unit
        except OverflowError:
            return math.inf if self._units > 0 else -math.inf


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
