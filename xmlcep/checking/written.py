"""What is known of a text before it is written: whether it can be one that may be where it goes.

``set "@status" = "'shiped'"`` writes one text, ``set "@due" = "count(item)"`` some number, ``set "@paid" = "a = b"``
one of two words. As elsewhere in `possible`, what is not known can be anything.
"""

from __future__ import annotations

from typing import NamedTuple

from ..xpath.syntax import Call, Literal, Negation, Number, Syntax
from ..xpath.values import text_of_number
from .values import EMPTY, Look, Range, Sort, Values, any_of, known_of, some_of

_NO_NUMBERS = ("", "NaN", "Infinity", "-Infinity")
"""What arithmetic, or the largest of nothing, can give beside the numbers that are written in digits."""
_COUNTS = frozenset(["count", "string-length"])


class WrittenText(NamedTuple):
    """The texts that an expression can give as a string: ``texts``, or those of ``numbers``, and ``words``."""

    texts: Values | None = None
    numbers: tuple[Range, ...] = ()
    words: tuple[str, ...] = ()

    def is_never(self, wanted: Values) -> bool:
        """Whether none of them is among the wanted ones, for sure."""
        if self.texts is None:
            ruled_out = wanted.numbers is not None and not any(
                one.meets("=", other) for one in self.numbers for other in wanted.numbers
            )
            return ruled_out and not any(map(wanted.takes, self.words))
        texts = self.texts.texts or ()
        if not (_is_exact(self.texts) or _ignores_space(wanted)):
            return False
        return not any(map(wanted.takes, texts))


def written_text(syntax: Syntax, look: Look) -> WrittenText | None:
    """What is known of the string value of an expression; None: nothing.

    ``look`` says what is known of paths and variables; of nothing the string value is the empty one.
    """
    match syntax:
        case Literal(value):
            return constant(value)
        case Number(value):
            return constant(text_of_number(value))
        case Negation(Number(value), negative):
            return constant(text_of_number(-value if negative else value))
        case Call(function) if function in _COUNTS:
            return WrittenText(None, (Range(0, whole=True),))
        case Call("number", (operand,)) if known_of(operand, look) is Sort.BOOLEAN:
            return WrittenText(None, (Range(0, 1, whole=True),))
    known = known_of(syntax, look)
    if known is Sort.BOOLEAN:
        return WrittenText(some_of(["true", "false"]))
    assert not isinstance(known, Sort)
    values = known.values
    if known.is_number:
        numbers = None if values is None else values.numbers
        return WrittenText(None, (Range(),) if numbers is None else numbers, _NO_NUMBERS)
    if values is None or values.texts is None:
        return None
    return WrittenText(any_of([values, EMPTY]))


def constant(text: str) -> WrittenText:
    """This very text.

    >>> constant("5").is_never(some_of(["4", "6"])), constant("5").is_never(some_of(["5 "]))
    (True, True)
    """
    return WrittenText(some_of([text]))


def _is_exact(values: Values) -> bool:
    """Whether its texts are meant to the last space."""
    return not any(values.takes(other) for text in values.texts or () for other in _spaced(text))


def _ignores_space(values: Values) -> bool:
    """Whether it takes its texts however much white space is in them, as far as these are known."""
    texts = values.texts or ()
    return bool(texts) and all(values.takes(other) for text in texts for other in _spaced(text))


def _spaced(text: str) -> set[str]:
    """A text with more white space, and with other."""
    return {f" {text} ", text.replace(" ", "  "), text.replace(" ", "\t")} - {text}
