"""The values of expressions and their conversions and comparisons: XPath 1.0, sections 3.3 to 3.5 and 4, exactly.

A value is a string, a number, a boolean, None (nothing: an empty node-set) or a list (tuple) of single values, which
counts as a node-set of one node for each, whose string-value is the value as a string. Numbers are IEEE 754 doubles;
whole numbers (int) count as the nearest double.

Wherever an expression is evaluated, text becomes a number and a number text by the functions of this module only. Those
of libxml2 read ``1e3`` as a number, print 15 digits and are off by a bit for one decimal in some thousands.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TypeAlias

Single: TypeAlias = str | float | bool | None
Value: TypeAlias = Single | Sequence[Single]

NAN = math.nan
OF_NUMBERS = "0123456789.- \t\r\n"
"""The characters of numbers in XPath 1.0: of what consists of them Python's ``float`` reads the same as XPath."""

# -- conversions --------------------------------------------------------------------------------------------


def number_of_text(text: str) -> float:
    """The nearest double; NaN for what is not a number.

    >>> number_of_text(" -.5\\n"), number_of_text("1e3"), number_of_text("")
    (-0.5, nan, nan)
    """
    if text.strip(OF_NUMBERS):
        return NAN
    try:
        return float(text)
    except ValueError:  # such as "", "1.2.3", "- 1"
        return NAN


def number_of(value: Value) -> float:
    """``number(value)``: of a list its first value's.

    >>> number_of(True), number_of(None), number_of(("7", "x"))
    (1.0, nan, 7.0)
    """
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        return number_of_text(value)
    if isinstance(value, int):
        return _double(value)
    return number_of_item(value[0]) if value else NAN


def number_of_item(item: Single) -> float:
    """The number of a value in a list: that of its text."""
    if isinstance(item, float):
        return (
            item + 0.0 if math.isfinite(item) else NAN
        )  # as text there is no -0, "Infinity" is not a number
    return number_of_text(item) if isinstance(item, str) else number_of_text(text_of(item))


def _double(whole: int) -> float:
    try:
        return float(whole)
    except OverflowError:
        return math.inf if whole > 0 else -math.inf


def text_of_number(number: float) -> str:
    """``string(number)``: never with an exponent, all digits it takes to tell it from other doubles.

    >>> text_of_number(-0.0), text_of_number(1e21), text_of_number(0.1 + 0.2), text_of_number(1.5e-7)
    ('0', '1000000000000000000000', '0.30000000000000004', '0.00000015')
    """
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number != number:
        return "NaN"
    if number.is_integer():
        return str(int(number))
    shortest = repr(number)
    return format(Decimal(shortest), "f") if "e" in shortest else shortest


def text_of(value: Value) -> str:
    """``string(value)``: of a list its first value's, of nothing ``""``."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return text_of_number(value)
    if isinstance(value, int):
        return text_of_number(_double(value))
    return text_of(value[0]) if value else ""


def truth_of(value: Value) -> bool:
    """``boolean(value)``.

    >>> truth_of(math.nan), truth_of("false"), truth_of(("",)), truth_of(None)
    (False, True, True, False)
    """
    if isinstance(value, float):
        return value == value and value != 0
    return bool(value)


def as_texts(values: Iterable[Single]) -> list[str]:
    """The string-values of a list's values."""
    return [value if type(value) is str else text_of(value) for value in values]


def as_numbers(values: Iterable[Single]) -> list[float]:
    """The numbers of a list's values."""
    return [number_of_item(value) for value in values]


# -- arithmetic ---------------------------------------------------------------------------------------------


def divide(a: float, b: float) -> float:
    """``a div b``: by zero an infinity, zero by zero NaN."""
    try:
        return a / b
    except ZeroDivisionError:
        return NAN if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(a: float, b: float) -> float:
    """``a mod b``: with the sign of a, as Java and ECMAScript have it."""
    try:
        return math.fmod(a, b)
    except ValueError:  # of an infinity, or by zero
        return NAN


def floor(number: float) -> float:
    """``floor(number)``."""
    return math.copysign(math.floor(number), number) if math.isfinite(number) else number


def ceiling(number: float) -> float:
    """``ceiling(number)``; of a number above -1 and below 0 it is -0."""
    return math.copysign(math.ceil(number), number) if math.isfinite(number) else number


def round_half_up(number: float) -> float:
    """``round(number)``: of two whole numbers equally near the greater one."""
    if not math.isfinite(number):
        return number
    below = math.floor(number)
    return math.copysign(below + (number - below >= 0.5), number)


# -- comparisons --------------------------------------------------------------------------------------------

RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
COMPARISONS: dict[str, Callable[[float, float], bool]] = {**RELATIONS, "=": operator.eq, "!=": operator.ne}
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compare(sign: str, a: Value, b: Value) -> bool:
    """``a = b``, ``a < b`` and so on, of values of any kind (section 3.4).

    >>> compare("=", "1.0", 1.0), compare("=", "1.0", "1"), compare("!=", None, "x"), compare("<", ("9", "1"), 2.0)
    (True, False, False, True)
    """
    many_a, many_b = _is_list(a), _is_list(b)
    if many_a and many_b:
        return _compare_lists(sign, a or (), b or ())  # type: ignore[arg-type]
    if many_a:
        return _compare_list(sign, a or (), b)  # type: ignore[arg-type]
    if many_b:
        return _compare_list(MIRRORED[sign], b or (), a)  # type: ignore[arg-type]
    if sign not in RELATIONS:
        if isinstance(a, bool) or isinstance(b, bool):
            return (truth_of(a) == truth_of(b)) == (sign == "=")
        if isinstance(a, str) and isinstance(b, str):
            return (a == b) == (sign == "=")
        return (number_of(a) == number_of(b)) == (sign == "=")
    return RELATIONS[sign](number_of(a), number_of(b))


def _is_list(value: Value) -> bool:
    return not isinstance(value, (str, float, int))


def _compare_list(sign: str, values: Sequence[Single], other: Value) -> bool:
    """Whether the comparison is true of any of the values."""
    if isinstance(other, bool):
        return compare(sign, bool(values), other)
    if sign in RELATIONS:
        relation, number = RELATIONS[sign], number_of(other)
        return any(relation(number_of_item(value), number) for value in values)
    equal = sign == "="
    if isinstance(other, str):
        return any((text == other) == equal for text in as_texts(values))
    number = number_of(other)
    return any((number_of_item(value) == number) == equal for value in values)


def _compare_lists(sign: str, a: Sequence[Single], b: Sequence[Single]) -> bool:
    """Whether the comparison is true of any of one and any of the other, in time in proportion to both."""
    if not a or not b:
        return False
    if sign == "=":
        return not set(as_texts(a)).isdisjoint(as_texts(b))
    if sign == "!=":
        return len({*as_texts(a), *as_texts(b)}) > 1
    left = [number for number in as_numbers(a) if number == number]
    right = [number for number in as_numbers(b) if number == number]
    if not left or not right:
        return False
    if sign in ("<", "<="):
        return RELATIONS[sign](min(left), max(right))
    return RELATIONS[sign](max(left), min(right))
