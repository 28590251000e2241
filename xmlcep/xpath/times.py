"""Times of day as text: RFC 3339."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta

_RFC_3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def seconds_since_1970(text: str) -> float:
    """The time that an RFC 3339 text says, in seconds since 1970 (UTC, without leap seconds); NaN if it says none.

    >>> seconds_since_1970("1970-01-02T00:00:00.5Z"), seconds_since_1970("1970-01-01T01:00:00+01:00")
    (86400.5, 0.0)
    >>> seconds_since_1970("yesterday"), seconds_since_1970("2026-02-30T00:00:00Z")
    (nan, nan)
    """
    match = _RFC_3339.fullmatch(text)
    if match is None:
        return math.nan
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, sign, hours, minutes = match.groups()[6:]
    ahead = 0 if sign is None else (int(hours) * 3600 + int(minutes) * 60) * (-1 if sign == "-" else 1)
    leap = second == 60  # a leap second counts as the first of the next minute
    if sign is not None and (int(hours) > 23 or int(minutes) > 59):
        return math.nan
    try:
        whole = datetime(year, month, day, hour, minute, 59 if leap else second, tzinfo=UTC) - _EPOCH
    except ValueError:
        return math.nan
    seconds = whole // timedelta(seconds=1) + leap - ahead
    return seconds + float(fraction or 0.0)
