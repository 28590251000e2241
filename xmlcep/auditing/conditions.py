"""Which findings are wanted: conditions such as ``severity=warning`` (Y9)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..algebra import Severity
from ..suggestions import did_you_mean_or_list
from ..timestamps import TimeError, microseconds, time_or_day
from .findings.rows import Admits, row_of, severity, user
from .request import AuditError


def conditions_of(where: Iterable[str], events: Sequence[str]) -> tuple[Admits, ...]:
    """Conditions, ``NAME=VALUE``, on findings of these events; raises `AuditError` for what is none."""
    return tuple(_condition(text, events) for text in where)


def _condition(text: str, events: Sequence[str]) -> Admits:
    name, equals, wanted = text.partition("=")
    if not equals or name not in _CONDITIONS:
        raise AuditError(f"{text!r}: expected NAME=VALUE with one of {', '.join(_CONDITIONS)}")
    if name == "event" and wanted not in events:
        raise AuditError(f"{wanted!r} is not an event of these rules: {did_you_mean_or_list(wanted, events)}")
    return _CONDITIONS[name](wanted)


def _at_least(wanted: str) -> Admits:
    """Whether a finding is so severe, or more."""
    known = [each.value for each in Severity]
    if wanted not in known:
        raise AuditError(f"severity={wanted}: {did_you_mean_or_list(wanted, known)}")
    least = Severity(wanted).rank
    return lambda record: severity(record).rank >= least


def _compared(holds: Callable[[int, int], bool]) -> Callable[[str], Admits]:
    """Whether the moment of a finding compares so: its time with a time or day, else its time point."""

    def condition(wanted: str) -> Admits:
        if re.fullmatch(r"-?[0-9]{1,18}", wanted):
            return lambda record: holds(record["ts"], int(wanted))
        try:
            time = time_or_day(wanted)
        except TimeError as error:
            raise AuditError(f"{error}, or a time point such as 17") from None
        return lambda record: (at := _at(record)) is not None and holds(at, time)

    return condition


def _at(record: Mapping[str, Any]) -> int | None:
    """When a finding was raised; None if its record has no time, or a text that is none."""
    try:
        return microseconds(record.get("at") or "")
    except TimeError:
        return None


_CONDITIONS: dict[str, Callable[[str], Admits]] = {
    "event": lambda wanted: lambda record: bool(record["name"] == wanted),
    "document": lambda wanted: lambda record: bool(record.get("doc") == wanted),
    "user": lambda wanted: lambda record: user(record) == wanted,
    "severity": _at_least,
    "after": _compared(operator.ge),
    "before": _compared(operator.lt),
    "text": lambda wanted: lambda record: wanted.lower() in " ".join(row_of(record)).lower(),
}
