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
        "_greatest",
        "_numbers",
        "_rest",
        "_smallest",
        "_sum",
        "first",
        "values",
    )

    def __init__(self, values: Iterable[Single] = ()) -> None:
        self.values: list[Single] = list(values)
        """What there is, behind what has gone and is not yet taken out: to append here is to `append`, and to move
        ``first``, where the list begins, is to `drop` without `tidy`."""
        self.first = 0
        # The numbers of the values so far as anything has been asked of them: what is kept up to date is of those
        # from ``_begin`` to before ``_end``.
        self._numbers = array("d")
        self._begin = self._end = 0
        # The exact sum is that of two doubles, of which the first is mostly all of it; or, where two are not enough,
        # of ``_exact``.
        self._sum = self._rest = 0.0
        self._exact: _ExactSum | None = None
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
                self.total()
                del self._numbers[:first]
                self._begin -= first
                self._end -= first
            del values[:first]
            self.first = 0

    def total(self) -> float:
        """``sum``; all that is kept up to date is of what there is now."""
        values, numbers, total, rest = self.values, self._numbers, self._sum, self._rest
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
            after = total + number
            part = after - total
            lost = (total - (after - part)) + (number - part)
            if lost:  # or NaN
                whole = rest + lost
                if not (whole - rest == lost and whole - lost == rest):
                    after, whole = self._beyond(total, rest, number), 0.0
                rest = whole
            total = after
            index += 1
        begin, first = self._begin, self.first
        while begin < first:
            number = numbers[begin]
            after = total - number
            part = after - total
            lost = (total - (after - part)) - (number + part)
            if lost:
                whole = rest + lost
                if not (whole - rest == lost and whole - lost == rest):
                    after, whole = self._beyond(total, rest, number, -1), 0.0
                rest = whole
            total = after
            begin += 1
        for extreme in self._extremes:
            for number in numbers[self._end : count]:
                extreme.add(number)
            for number in numbers[self._begin : first]:
                extreme.remove(number)
        self._end, self._begin = count, first
        if first == count:
            total, rest, self._exact = 0.0, 0.0, None
        self._sum, self._rest = total, rest
        return total + rest if self._exact is None else self._exact.value()

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

    def _beyond(self, total: float, rest: float, number: float, sign: int = 1) -> float:
        """A number more, or less, than two doubles have the digits for: from now on the first of them is NaN, so that
        this is asked for each."""
        if self._exact is None:
            self._exact = _ExactSum()
            self._exact.add(total)
            self._exact.add(rest)
        self._exact.add(number, sign)
        return NAN


class _ExactSum:
    """The sum of doubles that come and go, as a fraction; and how many of them are no finite number."""

    __slots__ = ("_odd", "_unit", "_units")

    def __init__(self) -> None:
        # The sum is so many times 1/unit: a finite double is a whole number of 2**-1074, most are of much more.
        self._units, self._unit = 0, 1
        self._odd: dict[str, int] = {}

    def add(self, number: float, sign: int = 1) -> None:
        """A number more; with ``sign`` -1 one less."""
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
