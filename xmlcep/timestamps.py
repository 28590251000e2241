"""Times as they are in records: RFC 3339 text to microseconds since 1970, and back (rules W1, W5)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

from .errors import XmlCepError

_PATTERN = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))", re.ASCII
)
# What nearly all logs have; of this Python reads the same, much faster. An hour 24 is one to some of its versions.
_FREQUENT = ("--T::.", "--T::Z")  # what is behind year, month, day, hour, minute and second, in UTC
_ZONE = re.compile(r"([+-])([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
_parsed = datetime.fromisoformat
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (
    (each.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) for each in (datetime.min, datetime.max)
)
_MICROSECOND = timedelta(microseconds=1)


class TimeError(XmlCepError, ValueError):
    """Text that is not a time; says what is expected."""


def microseconds(text: str) -> int:
    """Microseconds since 1970 of an RFC 3339 time; further digits are cut off. Raises `TimeError`.

    >>> microseconds("1970-01-01T00:00:01.5Z"), microseconds("1970-01-01T01:00:00+01:00")
    (1500000, 0)
    """
    utc = text
    shift: int | None = 0
    if text[-1:] != "Z":
        utc, shift = f"{text[:-6]}Z", _shift(text[-6:])
    # Python reads anything behind six digits of a second, and a point without a digit.
    is_frequent = len(utc) <= 27 and utc[4:20:3] in _FREQUENT and utc[20:21] != "Z"
    if is_frequent and shift is not None and utc[11:13] != "24":
        try:
            passed = _parsed(utc) - _EPOCH
        except ValueError:  # leap seconds, and what is not a time
            return _read(text)
        return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds - shift
    return _read(text)


@lru_cache(100)
def _shift(zone: str) -> int | None:
    """Microseconds of ``+01:00``; None for what is no zone."""
    match = _ZONE.fullmatch(zone)
    if match is None:
        return None
    return int(f"{match[1]}1") * (int(match[2]) * 60 + int(match[3])) * 60_000_000


def _read(text: str) -> int:
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise TimeError(f"{text!r} is not a time: expected RFC 3339, such as 2026-01-31T09:30:00Z")
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = match.groups()
    leap = second == "60"  # RFC 3339 knows leap seconds, datetime does not
    zone = UTC
    try:
        if sign is not None:
            shift = timedelta(hours=int(hours), minutes=int(minutes))
            zone = timezone(shift if sign == "+" else -shift)
        when = datetime(
            int(year), int(month), int(day), int(hour), int(minute), 59 if leap else int(second),
            int(fraction[:6].ljust(6, "0")) if fraction else 0, zone,
        )  # fmt: skip
    except ValueError as error:
        raise TimeError(f"{text!r} is not a time: {error}") from error
    return (when - _EPOCH) // _MICROSECOND + (1_000_000 if leap else 0)


def as_microseconds(time: str | int | datetime) -> int:
    """Microseconds since 1970 of a time given as such, as RFC 3339 text, or as `datetime.datetime` with a time zone.

    Raises `TimeError` for what is none.
    """
    if isinstance(time, datetime):
        if time.tzinfo is None:
            raise TimeError(f"{time!r} has no time zone: write datetime(…, tzinfo=datetime.UTC)")
        return (time - _EPOCH) // _MICROSECOND
    if isinstance(time, bool) or not isinstance(time, (str, int)):
        raise TimeError(f"{time!r} is not a time: pass RFC 3339 text, a datetime, or microseconds since 1970")
    at = time if isinstance(time, int) else microseconds(time)
    if not _FIRST <= at <= _LAST:
        raise TimeError(f"{time!r} microseconds since 1970 are not in the years 1 to 9999")
    return at


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def time_or_day(text: str) -> int:
    """Microseconds since 1970 of an RFC 3339 time, or of the beginning of a day (UTC). Raises `TimeError`.

    >>> time_or_day("1970-01-02"), time_or_day("1970-01-02T00:00:01Z")
    (86400000000, 86401000000)
    """
    try:
        return microseconds(f"{text}T00:00:00Z" if _DAY.fullmatch(text) else text)
    except TimeError:
        raise TimeError(
            f"{text!r} is not a time: expected a day or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z"
        ) from None


def timestamp(time: int) -> str:
    """The RFC 3339 text (UTC) of microseconds since 1970, with no, three or six digits behind the point.

    >>> timestamp(1_500_000), timestamp(86_400_000_000)
    ('1970-01-01T00:00:01.500Z', '1970-01-02T00:00:00Z')
    """
    when = (_EPOCH + time * _MICROSECOND).replace(tzinfo=None)
    rest = time % 1_000_000
    return (
        when.isoformat(timespec="microseconds" if rest % 1000 else "milliseconds" if rest else "seconds")
        + "Z"
    )
