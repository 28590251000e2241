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

from .values import NAN, OF_NUMBERS, Single, number_of_item

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
        "_begin",
        "_end",
        "_exact",
        "_extremes",
        "_first",
        "_greatest",
        "_numbers",
        "_rest",
        "_smallest",
        "_sum",
        "values",
    )

    def __init__(self, values: Iterable[Single] = ()) -> None:
        self.values: list[Single] = list(values)
        """What there is, behind what has gone and is not yet taken out; to append here is to `append`."""
        self._first = 0  # where the list begins: what stands before has gone
        # The numbers of the values so far as anything has been asked of them: what is kept up to date is of those
        # from ``_begin`` to before ``_end``.
        self._numbers: list[float] = []
        self._begin = self._end = 0
        # The exact sum is that of two doubles, of which the first is mostly all of it; or, where two are not enough,
        # of ``_exact``.
        self._sum = self._rest = 0.0
        self._exact: _ExactSum | None = None
        self._smallest: RunningExtreme | None = None
        self._greatest: RunningExtreme | None = None
        self._extremes: list[RunningExtreme] = []  # those of both that there are

    def __len__(self) -> int:
        return len(self.values) - self._first

    @overload
    def __getitem__(self, index: int) -> Single: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Single]: ...
    def __getitem__(self, index: int | slice) -> Single | Sequence[Single]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 0:
                return self.values[self._first :][index]
            return self.values[self._first + start : self._first + stop : step]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError("list index out of range")
        return self.values[self._first + index]

    def append(self, value: Single) -> None:
        """A value comes, at the end."""
        self.values.append(value)

    def drop(self, count: int = 1) -> None:
        """The first values go."""
        values = self.values
        first = self._first = min(self._first + count, len(values))
        if first >= _TIDY and 2 * first >= len(values):
            if self._end:  # otherwise nobody has asked anything
                self.total()
                del self._numbers[:first]
                self._begin -= first
                self._end -= first
            del values[:first]
            self._first = 0

    def total(self) -> float:
        """``sum``; all that is kept up to date is of what there is now."""
        values, numbers, extremes = self.values, self._numbers, self._extremes
        index, count = self._end, len(values)
        while index < count:
            value = values[index]
            if type(value) is str and not value.strip(OF_NUMBERS):
                # What `number_of_text` says, without its call.
                try:
                    number = float(value)
                except ValueError:
                    number = NAN
            else:
                number = number_of_item(value)
            numbers.append(number)
            if self._exact is None:
                before = self._sum
                after = self._sum = before + number
                part = after - before
                lost = (before - (after - part)) + (number - part)
                if lost:  # NaN, too
                    self._round(before, number, lost)
            else:
                self._exact.add(number)
            for extreme in extremes:
                extreme.add(number)
            index += 1
        self._end = count
        index, first = self._begin, self._first
        while index < first:
            number = numbers[index]
            if self._exact is None:
                before = self._sum
                after = self._sum = before - number
                part = after - before
                lost = (before - (after - part)) - (number + part)
                if lost:
                    self._round(before, -number, lost)
            else:
                self._exact.remove(number)
            for extreme in extremes:
                extreme.remove(number)
            index += 1
        self._begin = first
        if first == count:
            self._sum, self._rest, self._exact = 0.0, 0.0, None
        return self._sum + self._rest if self._exact is None else self._exact.value()

    def smallest(self) -> float | None:
        """``min``."""
        self.total()
        if self._smallest is None:
            self._smallest = RunningExtreme(le, self._numbers[self._begin :])
            self._extremes.append(self._smallest)
        return self._smallest.value()

    def greatest(self) -> float | None:
        """``max``."""
        self.total()
        if self._greatest is None:
            self._greatest = RunningExtreme(ge, self._numbers[self._begin :])
            self._extremes.append(self._greatest)
        return self._greatest.value()

    def _round(self, before: float, number: float, lost: float) -> None:
        """The double nearest to the sum of these two has ``lost`` so much of it."""
        rest = self._rest
        after = self._rest = rest + lost
        if not (after - rest == lost and after - lost == rest):  # nor do two doubles have all of it
            self._exact = exact = _ExactSum()
            for each in (before, rest, number):
                exact.add(each)


class _ExactSum:
    """The sum of doubles that come and go, as a fraction; and how many of them are no finite number."""

    __slots__ = ("_odd", "_unit", "_units")

    def __init__(self) -> None:
        # The sum is so many times 1/unit: a finite double is a whole number of 2**-1074, most are of much more.
        self._units, self._unit = 0, 1
        self._odd: dict[str, int] = {}

    def add(self, number: float, sign: int = 1) -> None:
        """One more number."""
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

    def remove(self, number: float) -> None:
        """One of the numbers goes."""
        self.add(number, -1)

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
