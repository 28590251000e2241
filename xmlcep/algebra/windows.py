"""Windows: how far apart things may be, in time, in changes or in transactions (rule W2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from path_types.names import is_ncname

from ..suggestions import KnownNames


class Unit(Enum):
    """What a window is measured in."""

    __hash__ = object.__hash__  # members are looked up at every record; that of Enum is a Python function

    TIME = "time"
    """Microseconds of document time (W1)."""
    CHANGES = "changes"
    """Time points."""
    TRANSACTIONS = "transactions"


@dataclass(frozen=True, slots=True)
class Window:
    """A distance: so many microseconds, changes or transactions; ``parameter`` names the parameter that says it (V9).

    >>> str(parse_window("2 h 30 min")), str(parse_window("P3D")), str(parse_window("1 transaction"))
    ('2 h 30 min', '3 days', '1 transaction')
    """

    amount: int
    unit: Unit
    parameter: str = ""

    def __str__(self) -> str:
        """As it is written in rules; `parse_window` reads it back."""
        if self.parameter:
            return f"${self.parameter}"
        if self.unit is not Unit.TIME:
            name = self.unit.value.removesuffix("s") if self.amount == 1 else self.unit.value
            return f"{self.amount} {name}"
        parts, rest = [], self.amount
        for name, size in _PRINTED:
            count, rest = divmod(rest, size)
            if count:
                parts.append(f"{count} {name}{'s' if name == 'day' and count > 1 else ''}")
        return " ".join(parts) or "0 s"


class WindowError(ValueError):
    """Text that is not a window; ``problem`` says why, ``hint`` what to write."""

    def __init__(self, problem: str, hint: str) -> None:
        self.problem = problem
        self.hint = hint
        super().__init__(problem, hint)


_MICROSECOND, _MILLISECOND, _SECOND = 1, 1_000, 1_000_000
_MINUTE, _HOUR, _DAY = 60 * _SECOND, 3600 * _SECOND, 86_400 * _SECOND
_PRINTED = (
    ("day", _DAY),
    ("h", _HOUR),
    ("min", _MINUTE),
    ("s", _SECOND),
    ("ms", _MILLISECOND),
    ("us", _MICROSECOND),
)
_UNITS = {
    "us": _MICROSECOND, "microsecond": _MICROSECOND, "microseconds": _MICROSECOND,
    "ms": _MILLISECOND, "millisecond": _MILLISECOND, "milliseconds": _MILLISECOND,
    "s": _SECOND, "sec": _SECOND, "second": _SECOND, "seconds": _SECOND,
    "min": _MINUTE, "minute": _MINUTE, "minutes": _MINUTE,
    "h": _HOUR, "hour": _HOUR, "hours": _HOUR,
    "d": _DAY, "day": _DAY, "days": _DAY, "week": 7 * _DAY, "weeks": 7 * _DAY,
}  # fmt: skip
_COUNTED = {
    "change": Unit.CHANGES, "changes": Unit.CHANGES,
    "transaction": Unit.TRANSACTIONS, "transactions": Unit.TRANSACTIONS,
}  # fmt: skip
_UNEQUAL = {"month": "30 days", "months": "30 days", "year": "365 days", "years": "365 days"}
_LONGEST = 3_652_500 * _DAY  # ten thousand years
_PART = re.compile(r"\s*([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([^\W\d_]+)\s*")
_ISO = re.compile(
    r"P(?:(?P<week>[0-9]{1,9})W)?(?:(?P<day>[0-9]{1,9})D)?"
    r"(?:T(?=[0-9])(?:(?P<hour>[0-9]{1,9})H)?(?:(?P<minute>[0-9]{1,9})M)?(?:(?P<second>[0-9]{1,9}(?:\.[0-9]{1,6})?)S)?)?"
)
_EXAMPLES = 'write for example "3 days", "2 h 30 min", "500 ms", "P3D", "100 changes" or "1 transaction"'


def parse_window(text: str) -> Window:
    """The window that ``text`` says: an ISO 8601 duration without years and months, a number with a unit (or several
    such), a number of changes or of transactions, or the name of a parameter. Raises `WindowError`."""
    words = text.strip()
    if words.startswith("$") and is_ncname(words[1:]):
        return Window(_DAY, Unit.TIME, words[1:])  # how long it is is known where parameters are
    window = _from_iso(words) if words.startswith("P") else _from_words(words)
    if window.amount <= 0:
        raise WindowError(f"{text!r} is no time at all", _EXAMPLES)
    if window.unit is Unit.TIME and window.amount > _LONGEST:
        raise WindowError(f"{text!r} is longer than 10,000 years", "leave the window out")
    return window


def _from_iso(text: str) -> Window:
    match = _ISO.fullmatch(text)
    if match is None or not any(match.groups()):
        if re.fullmatch(r"P(?=.*[0-9]+(?:Y|M(?!.*T)))[0-9YMWD]*(?:T.*)?", text):
            raise WindowError(
                f"{text!r} has years or months, which are not all equally long",
                'write days: "P30D" or "30 days"',
            )
        raise WindowError(f"{text!r} is not a duration of ISO 8601", 'write for example "P3D" or "PT2H30M"')
    sizes = {"week": 7 * _DAY, "day": _DAY, "hour": _HOUR, "minute": _MINUTE, "second": _SECOND}
    return Window(sum(_scaled(n, sizes[name]) for name, n in match.groupdict().items() if n), Unit.TIME)


def _from_words(text: str) -> Window:
    if re.match(r"\s*-", text):
        raise WindowError(f"{text!r} is negative", _EXAMPLES)
    parts = []
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            raise WindowError(f"{text!r} is not a duration", _EXAMPLES)
        parts.append((part.group(1), part.group(2)))
        at = part.end()
    if not parts:
        raise WindowError("an empty duration", _EXAMPLES)
    for _, unit in parts:
        _check_unit(unit)
    counted = [_COUNTED[unit] for _, unit in parts if unit in _COUNTED]
    if not counted:
        return Window(sum(_scaled(number, _UNITS[unit]) for number, unit in parts), Unit.TIME)
    if len(parts) > 1 or not parts[0][0].isdigit():
        raise WindowError(f"{text!r} mixes units that cannot be added", _EXAMPLES)
    return Window(int(parts[0][0]), counted[0])


def _check_unit(unit: str) -> None:
    if unit in _UNITS or unit in _COUNTED:
        return
    if unit in _UNEQUAL:
        raise WindowError(
            f"{unit.removesuffix('s')}s are not all equally long",
            f'write days, for example "{_UNEQUAL[unit]}"',
        )
    meant = KnownNames([*_UNITS, *_COUNTED, *_UNEQUAL]).nearest(unit)
    if meant is None:
        hint = _EXAMPLES
    elif meant in _UNEQUAL:
        hint = f'did you mean {meant}? not all are equally long: write days, for example "{_UNEQUAL[meant]}"'
    else:
        hint = f"did you mean {meant}?"
    raise WindowError(f"{unit!r} is not a unit of time", hint)


def _scaled(number: str, size: int) -> int:
    """``number`` (decimal) times ``size``, in whole microseconds."""
    whole, _, fraction = number.partition(".")
    return int(whole) * size + (int(fraction) * size // 10 ** len(fraction) if fraction else 0)
