"""Comparisons whose outcome is known before any event: no value there can be makes them true.

``@status = 'shiped'`` is one where a schema says that a status is ``open`` or ``shipped``, ``@quantity > 100`` where
it is 99 at most, ``@due < '2026-01-01'`` whatever the schema: ``<`` compares numbers, and a date is none. `Values` are
what is known of a value; who knows more, such as a schema, says so of the paths of an expression.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from ..suggestions import did_you_mean
from ..xpath.functions import FUNCTIONS
from ..xpath.kinds import VariableKind
from ..xpath.parser import Written
from ..xpath.syntax import Call, Literal, Negation, Number, Operation, Span, Syntax, Variable
from ..xpath.values import COMPARISONS, MIRRORED, RELATIONS, number_of_text

LISTED = 8
"""So many values are named in a message."""
_LONGEST = 60
"""Of a comparison, as far as a message shows it."""


class Range(NamedTuple):
    """Numbers from ``lower`` to ``upper``, both included, only the whole ones if ``whole``."""

    lower: float = -math.inf
    upper: float = math.inf
    whole: bool = False

    def meets(self, sign: str, other: Range) -> bool:
        """Whether a number in it compares so with one in another; it may err on the side of yes.

        >>> Range(1, 5).meets(">", Range(5, 5)), Range(1, 5).meets(">=", Range(5, 5))
        (False, True)
        >>> Range(1, 5, whole=True).meets("=", Range(2.5, 2.5))
        False
        """
        if sign in RELATIONS:
            below = sign[0] == "<"
            return (
                RELATIONS[sign](self.lower, other.upper)
                if below
                else RELATIONS[sign](self.upper, other.lower)
            )
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if self.whole or other.whole:
            lower = math.ceil(lower) if math.isfinite(lower) else lower
            upper = math.floor(upper) if math.isfinite(upper) else upper
        return lower <= upper


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """What a text can be. Each part may err on the side of more.

    ``takes``: whether it can be this very text. ``texts``: all that it can be, but for white space at the ends and the
    width of white space inside; None: not known. ``numbers``: the numbers that it can be, none of them where it is no
    number; None: not known. ``said``: how a message calls them.
    """

    takes: Callable[[str], bool]
    texts: tuple[str, ...] | None
    numbers: tuple[Range, ...] | None
    said: str


def some_of(texts: Iterable[str]) -> Values:
    """One of these texts.

    >>> some_of(["ins", "5"]).numbers, some_of(["ins"]).takes("insert")
    ((Range(lower=5.0, upper=5.0, whole=False),), False)
    """
    known = tuple(dict.fromkeys(texts))
    numbers = [number_of_text(text) for text in known]
    more = f" and {len(known) - LISTED:,} more" if len(known) > LISTED else ""
    return Values(
        frozenset(known).__contains__,
        known,
        tuple(Range(number, number) for number in numbers if number == number),
        ", ".join(text or "''" for text in known[:LISTED]) + more,
    )


EMPTY = some_of([""])
"""The empty text, also that of a node that is not there."""


def any_of(parts: Iterable[Values]) -> Values:
    """What can be any of these."""
    each = tuple(dict.fromkeys(parts))
    if len(each) == 1:
        return each[0]
    texts = [part.texts for part in each]
    numbers = [part.numbers for part in each]
    return Values(
        lambda text: any(part.takes(text) for part in each),
        None if None in texts else tuple(dict.fromkeys(text for some in texts for text in some or ())),
        None if None in numbers else tuple(dict.fromkeys(each for some in numbers for each in some or ())),
        " or ".join(dict.fromkeys(part.said for part in each if part is not EMPTY)),
    )


class Known(NamedTuple):
    """What is known of an expression: its values (None: nothing), and whether it is a number by itself."""

    values: Values | None
    is_number: bool = False


Look: TypeAlias = "Callable[[Syntax], Values | None]"
"""What is known of the values of a path or a variable, or of how many there are: of ``count(…)``."""


def value_of(syntax: Syntax, look: Look) -> Values | None:
    """What is known of the value of an expression, kept in a variable (V1); None: nothing.

    Of a number the text is not known: 7 can be that of ``007``.
    """
    known = known_of(syntax, look)
    if not isinstance(known, Known) or known.values is None:
        return None
    values = known.values
    return Values(_any_text, None, values.numbers, values.said) if known.is_number else values


def _any_text(_: str) -> bool:
    return True


class Never(NamedTuple):
    """A comparison, or a question, that no value makes true, or that every value does (``always``)."""

    message: str
    hint: str
    at: Span


_NOTHING = Known(None)
_ASKED = frozenset(["starts-with", "ends-with", "contains"])


class Sort(Enum):
    """What is known of an expression that has no values to follow."""

    BOOLEAN = "boolean"


def never_true(written: Written, operation: Operation, look: Look) -> Never | None:
    """Why a comparison is the same whatever the document: the first two operands of it; None if it is not."""
    sign, second = operation.rest[0]
    if sign not in COMPARISONS:
        return None
    sides = (operation.first, second)
    known = tuple(known_of(each, look) for each in sides)
    if Sort.BOOLEAN in known:
        return None
    first, other = known
    assert isinstance(first, Known)
    assert isinstance(other, Known)
    if sign in RELATIONS or first.is_number or other.is_number:
        return _numbers(written, operation, (first, other), sign)
    return _texts(written, operation, (first, other), sign)


def asked_in_vain(written: Written, call: Call, look: Look) -> Never | None:
    """Why ``starts-with`` and the like are true of no value that the first argument has; None if they may be."""
    if call.function not in _ASKED or len(call.arguments) != 2:
        return None
    subject, part = call.arguments
    known = known_of(subject, look)
    if not isinstance(known, Known) or known.values is None or known.values.texts is None:
        return None
    if not isinstance(part, Literal) or not part.value or any(map(str.isspace, part.value)):
        return None  # how much white space there is, is not known
    ask = {"starts-with": str.startswith, "ends-with": str.endswith, "contains": str.__contains__}[
        call.function
    ]
    if any(ask(text, part.value) for text in known.values.texts):
        return None
    said = (
        f"{call.function}() is true of no value of {_shown(written, subject)}, which is {known.values.said}"
    )
    return Never(said, did_you_mean(part.value, known.values.texts), written.extent(call))


def _texts(written: Written, operation: Operation, known: tuple[Known, Known], sign: str) -> Never | None:
    first, second = (each.values for each in known)
    sides = (operation.first, operation.rest[0][1])
    if isinstance(sides[0], Literal):
        (first, second), sides = (second, first), sides[::-1]
    if first is None or second is None:
        return None
    if any(map(first.takes, second.texts or ())) or any(map(second.takes, first.texts or ())):
        return None
    if first.texts is None and second.texts is None:
        return None
    shown = _shown(written, sides[0])
    if isinstance(sides[1], Literal):
        said = f"{shown} is never {_quoted(sides[1].value)}"
        hint = did_you_mean(sides[1].value, first.texts or ())
    else:
        said = f"{shown} is never the same as {_shown(written, sides[1])}"
        hint = ""
    said += " (so that != always holds)" if sign == "!=" else ""
    return Never(said, _hint(hint, shown, first), written.extent(operation))


def _numbers(written: Written, operation: Operation, known: tuple[Known, Known], sign: str) -> Never | None:
    """A comparison of numbers: ``<`` and the like, or with a number."""
    sides = (operation.first, operation.rest[0][1])
    numbers = [None if each.values is None else each.values.numbers for each in known]
    for side, found, each in sorted(
        zip(sides, numbers, known, strict=True), key=lambda part: not isinstance(part[0], Literal)
    ):
        if found == () and sign != "!=" and (isinstance(side, Literal) or not _may_be_boolean(sides, known)):
            shown = _shown(written, side)
            if isinstance(side, Literal):
                said = f"{_quoted(side.value)} is not a number, and {sign} compares numbers: it is never true"
                return Never(said, _instead(side.value), written.extent(operation))
            assert each.values is not None
            said = f"{shown} is never a number, and {sign} compares numbers here: it is never true"
            return Never(said, f"{shown} is {each.values.said}", written.extent(operation))
    first, second = numbers
    if first is None or second is None:
        return None
    equal = "=" if sign == "!=" else sign
    if any(one.meets(equal, other) for one in first for other in second):
        return None
    if isinstance(sides[0], Number | Negation | Literal):
        sides, known, sign = sides[::-1], known[::-1], MIRRORED[sign]
    shown, other_shown = _shown(written, sides[0]), _shown(written, sides[1])
    values = known[0].values
    assert values is not None
    said = f"{shown} is never {'' if equal == '=' else f'{sign} '}{other_shown}"
    said += " (so that != always holds)" if sign == "!=" else ""
    return Never(said, _hint("", shown, values), written.extent(operation))


def _may_be_boolean(sides: tuple[Syntax, Syntax], known: tuple[Known, Known]) -> bool:
    """Whether one is a variable of which nothing is known: compared with true or false a node counts as true."""
    return any(
        isinstance(side, Variable) and each.values is None for side, each in zip(sides, known, strict=True)
    )


def _hint(guess: str, shown: str, values: Values) -> str:
    is_known = f"{shown} is {values.said}" if values.said else ""
    return "; ".join(each for each in (guess, is_known) if each)


def _instead(text: str) -> str:
    if text[:4].isdigit() and "-" in text:
        return (
            "compare times as numbers: time(…) gives seconds where both are times with a zone; of dates "
            "translate(…, '-', '') makes numbers such as 20260131"
        )
    return "texts can be compared with = and != only"


def known_of(syntax: Syntax, look: Look) -> Known | Sort:
    """What is known of an operand, of a path or variable as ``look`` says."""
    match syntax:
        case Literal(value):
            return Known(some_of([value]))
        case Number(value):
            return Known(
                Values(lambda text: True, None, (Range(value, value),) if value == value else (), ""), True
            )
        case Negation(Number(value), negative):
            number = -value if negative else value
            return Known(Values(lambda text: True, None, (Range(number, number),), ""), True)
        case Call("number", (operand,)):
            inner = known_of(operand, look)
            return inner if inner is Sort.BOOLEAN else Known(inner.values, True)
        case Call("string", (operand,)):
            inner = known_of(operand, look)
            if not isinstance(inner, Known) or inner.values is None or inner.is_number:
                return _NOTHING
            return Known(any_of([inner.values, EMPTY]))  # of nothing it is ""
        case Call("min" | "max", (operand,)):
            inner = known_of(operand, look)
            if not isinstance(inner, Known) or inner.values is None:
                return _NOTHING
            return Known(inner.values, True)
        case Call("count" | "string-length"):
            return Known(look(syntax) or Values(_any_text, None, (Range(0, whole=True),), "0 or more"), True)
        case Call(function) if FUNCTIONS[function].result is VariableKind.BOOLEAN:
            return Sort.BOOLEAN
        case Call(function):
            return Known(None, FUNCTIONS[function].result is VariableKind.NUMBER)
        case Negation():
            return Known(None, True)
        case Operation(_, rest):
            return Known(None, True) if rest[0][0] not in (*COMPARISONS, "and", "or") else Sort.BOOLEAN
    return Known(look(syntax))


def _shown(written: Written, syntax: Syntax) -> str:
    text = written.of(syntax)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


class Held(NamedTuple):
    """What is known of a variable: the values it can have, and how many at most; None: not known, or any."""

    values: Values | None = None
    most: int | None = None


Variables: TypeAlias = Mapping[str, Held]
"""What is known of variables; of others nothing is."""


def of_variables(known: Variables) -> Look:
    """A look that knows some variables, and no path."""

    def look(syntax: Syntax) -> Values | None:
        match syntax:
            case Variable(name) if name in known:
                return known[name].values
            case Call("count", (Variable(name),)) if name in known and (most := known[name].most) is not None:
                return Values(_any_text, None, (Range(0, most, whole=True),), f"{most} at most")
        return None

    return look
