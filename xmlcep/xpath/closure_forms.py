"""The forms of which `closures` makes functions: each takes functions of the subject and gives one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from . import values
from .values import NAN, OF_NUMBERS, Value, number_of, number_of_text, truth_of

S = TypeVar("S")
Texts: TypeAlias = Callable[[S], str]
Numbers: TypeAlias = Callable[[S], float]
Truths: TypeAlias = Callable[[S], bool]
Lists: TypeAlias = Callable[[S], Sequence[values.Single]]
Values: TypeAlias = Callable[[S], Value]


@dataclass(slots=True)
class Item(Generic[S]):
    """The subject within brackets: a value of a list, or a node of a document, at a position."""

    subject: S
    document: Any
    value: Any
    position: int
    last: int


def number_in(text: Callable[[S], Any]) -> Numbers[S]:
    """A text as a number, as `values.number_of_text`; what is missing (None) is none."""

    def number(subject: S) -> float:
        read = text(subject)
        if not read or read.strip(OF_NUMBERS):
            return NAN
        try:
            return float(read)
        except ValueError:
            return NAN

    return number


def junction(sign: str, truths: Sequence[Truths[S]]) -> Truths[S]:
    """``a or b``, ``a and b``, as far as it takes."""
    if len(truths) == 2:
        first, second = truths
        if sign == "or":
            return lambda subject: first(subject) or second(subject)
        return lambda subject: first(subject) and second(subject)
    if sign == "or":
        return lambda subject: any(truth(subject) for truth in truths)
    return lambda subject: all(truth(subject) for truth in truths)


def text_comparison(sign: str, a: Values[S], b: Values[S]) -> Truths[S]:
    """Whether two strings are there and equal, or there and not equal."""
    if sign == "=":
        return lambda subject: (text := a(subject)) is not None and text == b(subject)
    return lambda subject: (
        (text := a(subject)) is not None and (other := b(subject)) is not None and text != other
    )


def compared(sign: str, a: Values[S], b: Values[S]) -> Truths[S]:
    """``a = b`` and so on, of values of any kind."""
    compare = values.compare
    return lambda subject: compare(sign, a(subject), b(subject))


def any_compared(sign: str, texts: Callable[[S], Sequence[str]], number: float) -> Truths[S]:
    """Whether the number in any of several texts compares so with a constant."""
    relation = values.COMPARISONS[sign]

    def holds(subject: S) -> bool:
        for text in texts(subject):  # noqa: SIM110  # any() takes half as long again
            if relation(number_of_text(text), number):
                return True
        return False

    return holds


def any_equal(texts: Callable[[S], Sequence[str]], wanted: str) -> Truths[S]:
    """Whether one of several texts is this one."""
    return lambda subject: wanted in texts(subject)


def applied(function: Callable[..., Value], arguments: Sequence[Callable[[S], Any]]) -> Values[S]:
    """A function of its arguments."""
    if len(arguments) == 1:
        [only] = arguments
        return lambda subject: function(only(subject))
    if len(arguments) == 2:
        first, second = arguments
        return lambda subject: function(first(subject), second(subject))
    return lambda subject: function(*[argument(subject) for argument in arguments])


def compared_further(truth: Truths[S], further: Sequence[tuple[str, Values[S]]]) -> Truths[S]:
    """``a < b < c``: from left to right, what is before a sign being a boolean."""

    def holds(subject: S) -> bool:
        result = truth(subject)
        for sign, operand in further:
            result = values.compare(sign, result, operand(subject))
        return result

    return holds


def numbers_compared(sign: str, a: Numbers[S], b: Numbers[S]) -> Truths[S]:
    """Whether two numbers compare so."""
    relation = values.COMPARISONS[sign]
    return lambda subject: relation(a(subject), b(subject))


def computed(first: Numbers[S], rest: Sequence[tuple[str, Numbers[S]]]) -> Numbers[S]:
    """``a + b - c``: from left to right."""
    operations = [(_OPERATIONS[sign], operand) for sign, operand in rest]

    def result(subject: S) -> float:
        number = first(subject)
        for operation, operand in operations:
            number = operation(number, operand(subject))
        return number

    return result


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "div": values.divide, "mod": values.remainder,
}  # fmt: skip

# -- lists --------------------------------------------------------------------------------------------------

Selection: TypeAlias = Callable[[S, Any, Sequence[Any]], Sequence[Any]]
"""What is kept of values, or of nodes of a document, in their order."""


def item_at(number: float) -> Selection[Any]:
    """``[number]``."""
    if not number.is_integer() or number < 1:
        return lambda _, document, items: ()
    index = int(number) - 1
    return lambda _, document, items: items[index : index + 1]


def last_item(_: Any, document: Any, items: Sequence[Any]) -> Sequence[Any]:
    """``[last()]``."""
    return items[-1:]


def items_where(test: Values[Any], *, by_place: bool) -> Selection[Any]:
    """``[test]``, which is about an `Item`; ``by_place``: it may give a number, the position that is kept."""

    def selection(subject: Any, document: Any, items: Sequence[Any]) -> Sequence[Any]:
        kept = []
        item: Item[Any] = Item(subject, document, None, 0, len(items))
        for item.position, item.value in enumerate(items, 1):
            result = test(item)
            if by_place and isinstance(result, (int, float)) and not isinstance(result, bool):
                holds = number_of(result) == item.position
            else:
                holds = truth_of(result)
            if holds:
                kept.append(item.value)
        return kept

    return selection
