"""The functions of expressions, one table: those of XPath 1.0 without ``id``, and a few of XPath 2.0 (F4).

What a function does is a Python function of values that are converted already, the same wherever an expression is
evaluated. Those that ask nodes for more than their text (``name`` …) or the place in a list (``position`` …)
have none here: the evaluator knows them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..timestamps import TimeError, microseconds
from . import values
from .kinds import VariableKind
from .running import RunningValues
from .values import NAN, Single, as_numbers, as_texts


class Parameter(Enum):
    """What a function takes, and what an argument is converted to."""

    STRING = "a string"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    LIST = "nodes or a list of values"
    NODES = "nodes"
    LITERAL = "a string in quotes"


_S, _N, _B, _L = Parameter.STRING, Parameter.NUMBER, Parameter.BOOLEAN, Parameter.LIST


@dataclass(frozen=True, slots=True)
class Function:
    """A function: its parameters (``required`` of them at least, the last repeated if ``variadic``), the kind of
    its result (None instead of a number if ``optional``), and what it does."""

    parameters: tuple[Parameter, ...]
    result: VariableKind
    python: Callable[..., values.Value] | None = None
    required: int | None = None
    variadic: bool = False
    optional: bool = False

    @property
    def fewest(self) -> int:
        """The fewest arguments."""
        return len(self.parameters) if self.required is None else self.required

    @property
    def most(self) -> int | None:
        """The most arguments; None: any number."""
        return None if self.variadic else len(self.parameters)

    def parameter(self, index: int) -> Parameter:
        """What the argument at this index has to be."""
        return self.parameters[min(index, len(self.parameters) - 1)]

    @property
    def arity(self) -> str:
        """How many arguments it takes, in words."""
        if self.most is None:
            return f"at least {self.fewest}"
        return str(self.fewest) if self.fewest == self.most else f"{self.fewest} to {self.most}"


# -- what they do -------------------------------------------------------------------------------------------


def substring_before(text: str, sign: str) -> str:
    """What is before the first ``sign``; nothing without one."""
    before, found, _ = text.partition(sign) if sign else ("", "", "")
    return before if found else ""


def substring_after(text: str, sign: str) -> str:
    """What is behind the first ``sign``; nothing without one."""
    return text.partition(sign)[2] if sign else text


def substring(text: str, start: float, length: float = math.inf) -> str:
    """The characters from ``start`` (1 is the first) on, rounded, ``length`` of them, rounded.

    >>> substring("12345", 1.5, 2.6), substring("12345", 0, 3), substring("12345", -42, math.inf)
    ('234', '12', '12345')
    """
    first = values.round_half_up(start)
    end = first + values.round_half_up(length)
    low, high = max(first, 1.0), min(end, len(text) + 1.0)
    return text[int(low) - 1 : int(high) - 1] if low < high else ""


_BLANKS = re.compile("[ \t\r\n]+")


def normalize_space(text: str) -> str:
    """Without blanks at the ends, other runs of blanks as one space."""
    return _BLANKS.sub(" ", text).strip(" ")


def translate(text: str, old: str, new: str) -> str:
    """Each character of ``old`` becomes that at the same place in ``new``, or nothing if that is shorter."""
    table: dict[int, str | None] = {}
    for index, character in enumerate(old):
        table.setdefault(ord(character), new[index] if index < len(new) else None)
    return text.translate(table)


def total(items: Sequence[Single]) -> float:
    """``sum``: the double nearest to the true sum, in whatever order the values come.

    >>> total(["0.1"] * 10), total([1e308, 1e308, "-1e0"]), total([1e16, 1.0, -1e16]), total(())
    (1.0, nan, 1.0, 0.0)
    """
    if isinstance(items, RunningValues):
        return items.total()
    return total_of_numbers(as_numbers(items))


def total_of_numbers(numbers: Sequence[float]) -> float:
    """`total` of numbers."""
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):  # infinities of both signs; or a sum in between is too large
        pass
    if not all(map(math.isfinite, numbers)):
        return sum(numbers)
    exact = sum(map(Fraction, numbers), start=Fraction())
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def average(items: Sequence[Single]) -> float | None:
    """``avg``: the sum divided by the count; of nothing nothing."""
    return total(items) / len(items) if items else None


def smallest(items: Sequence[Single]) -> float | None:
    """``min`` of the values as numbers: NaN if one of them is NaN; of nothing nothing."""
    if isinstance(items, RunningValues):
        return items.smallest()
    return _extreme(min, items)


def greatest(items: Sequence[Single]) -> float | None:
    """``max`` of the values as numbers: NaN if one of them is NaN; of nothing nothing."""
    if isinstance(items, RunningValues):
        return items.greatest()
    return _extreme(max, items)


def _extreme(choose: Callable[[Sequence[float]], float], items: Sequence[Single]) -> float | None:
    numbers = as_numbers(items)
    if not numbers:
        return None
    return NAN if any(number != number for number in numbers) else choose(numbers)


def distinct_values(items: Sequence[Single]) -> list[str]:
    """The different texts among the values, in the order in which they first occur."""
    return list(dict.fromkeys(as_texts(items)))


def seconds_since_1970(text: str) -> float:
    """``time``: what an RFC 3339 text says; NaN if it is not a time.

    >>> seconds_since_1970("1970-01-02T00:00:00.5Z"), seconds_since_1970("yesterday")
    (86400.5, nan)
    """
    try:
        return microseconds(text) / 1e6
    except TimeError:
        return NAN


# -- the table ----------------------------------------------------------------------------------------------

_STRING, _NUMBER, _BOOLEAN, _LIST = (
    VariableKind.STRING, VariableKind.NUMBER, VariableKind.BOOLEAN, VariableKind.LIST,
)  # fmt: skip

FUNCTIONS: Mapping[str, Function] = {
    # XPath 1.0: node sets
    "last": Function((), _NUMBER),
    "position": Function((), _NUMBER),
    "count": Function((_L,), _NUMBER, len),
    "local-name": Function((Parameter.NODES,), _STRING),
    "namespace-uri": Function((Parameter.NODES,), _STRING),
    "name": Function((Parameter.NODES,), _STRING),
    # strings
    "string": Function((_S,), _STRING, lambda text: text),
    "concat": Function((_S, _S), _STRING, lambda *texts: "".join(texts), variadic=True),
    "starts-with": Function((_S, _S), _BOOLEAN, str.startswith),
    "contains": Function((_S, _S), _BOOLEAN, lambda text, part: part in text),
    "substring-before": Function((_S, _S), _STRING, substring_before),
    "substring-after": Function((_S, _S), _STRING, substring_after),
    "substring": Function((_S, _N, _N), _STRING, substring, required=2),
    "string-length": Function((_S,), _NUMBER, lambda text: float(len(text))),
    "normalize-space": Function((_S,), _STRING, normalize_space),
    "translate": Function((_S, _S, _S), _STRING, translate),
    # booleans
    "boolean": Function((_B,), _BOOLEAN, lambda truth: truth),
    "not": Function((_B,), _BOOLEAN, lambda truth: not truth),
    "true": Function((), _BOOLEAN, lambda: True),
    "false": Function((), _BOOLEAN, lambda: False),
    "lang": Function((_S,), _BOOLEAN),
    # numbers
    "number": Function((_N,), _NUMBER, lambda number: number),
    "sum": Function((_L,), _NUMBER, total),
    "floor": Function((_N,), _NUMBER, values.floor),
    "ceiling": Function((_N,), _NUMBER, values.ceiling),
    "round": Function((_N,), _NUMBER, values.round_half_up),
    # XPath 2.0
    "min": Function((_L,), _NUMBER, smallest, optional=True),
    "max": Function((_L,), _NUMBER, greatest, optional=True),
    "avg": Function((_L,), _NUMBER, average, optional=True),
    "distinct-values": Function((_L,), _LIST, distinct_values),
    "abs": Function((_N,), _NUMBER, abs),
    "upper-case": Function((_S,), _STRING, str.upper),
    "lower-case": Function((_S,), _STRING, str.lower),
    "ends-with": Function((_S, _S), _BOOLEAN, str.endswith),
    "matches": Function((_S, Parameter.LITERAL, Parameter.LITERAL), _BOOLEAN, required=2),
    # of its own
    "time": Function((_S,), _NUMBER, seconds_since_1970),
}

INSTEAD = {
    "id": "ids need a DTD, which is never read: write //item[@id = '…']",
    "exists": "a path alone is true if it finds something",
    "empty": "write not(…)",
    "document": "declare a reference document: reference parts = \"parts.xml\", and write $parts/…",
    "doc": "declare a reference document: reference parts = \"parts.xml\", and write $parts/…",
    "replace": "there are translate(…, 'abc', 'xyz') and substring-before, substring-after",
    "tokenize": "there are substring-before(…) and substring-after(…)",
    "string-join": "there is concat(…)",
    "data": "write string(…) or number(…)",
    "current-dateTime": "expressions know no clock: $at is the time of the change",
}  # fmt: skip
"""What to write instead of functions that other versions of XPath have."""
