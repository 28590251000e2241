"""Findings as people read them: a few texts of each, for tables, CSV, choices and reports (Y9)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from path_types import PathType
from path_types.names import local_name

from ...algebra import Severity
from ...provenance import who

Finding: TypeAlias = Mapping[str, Any]
"""A finding record."""
Admits: TypeAlias = Callable[[Finding], bool]
"""Whether a finding is wanted."""
_MOST_VALUES = 6


class Shown(NamedTuple):
    """A column of a table for people."""

    name: str
    meaning: str
    of: Callable[[Finding], str]


def changes(constituents: Iterable[Finding]) -> Iterator[Finding]:
    """The changes in constituents, in their order, however deep."""
    waiting = [iter(constituents)]
    while waiting:
        one = next(waiting[-1], None)
        if one is None:
            waiting.pop()
        elif "constituents" in one:
            waiting.append(iter(one["constituents"]))
        else:
            yield one


def user(record: Finding) -> str:
    """Who made the change that caused a finding, else the first change in it of which that is known."""
    by_change = (who(change.get("meta")) for change in changes(record["constituents"]))
    return who(record.get("meta")) or next(filter(None, by_change), "")


def event(record: Finding) -> str:
    """The event type, with the operator inside it, if one raised the finding."""
    return record["name"] if record.get("operator") is None else f"{record['name']}/{record['operator']}"


def values(record: Finding) -> Iterator[str]:
    """What the changes in a finding have brought: ``39 → 35``, of an operand with a name ``paid: 39 → 35`` (V10)."""
    for change in changes(record["constituents"]):
        texts = [text for text in (change.get("old"), change.get("value")) if text is not None]
        if texts:
            yield named(change, " → ".join(texts))


def named(constituent: Finding, text: str) -> str:
    """A text about a constituent, behind the name of its operand if that has one."""
    return f"{constituent['as']}: {text}" if "as" in constituent else text


def severity(record: Finding) -> Severity:
    """How severe a finding is: a warning where the rule does not say (Y10)."""
    return Severity(record.get("severity") or Severity.WARNING)


def variables(record: Finding) -> str:
    """The variables of a finding: ``part=7, price=[5, 6]``."""
    bound = (record.get("bindings") or {}).items()
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}" for name, value in bound
    )  # fmt: skip


def _time(record: Finding) -> str:
    return record.get("at") or f"time point {record['ts']}"


def _node(record: Finding) -> str:
    """The last two steps of the node, with their ids."""
    if record.get("path") is None:
        return "the document"
    last = zip(steps(record["path"])[-2:], record["ids"][-2:], strict=False)
    return "/".join(f"{step}#{node}" for step, node in last)


@lru_cache(maxsize=10_000)
def steps(path: str) -> tuple[str, ...]:
    """The steps of a path, without namespaces."""
    return tuple(str(step).replace(step.test, local_name(step.test)) for step in PathType.parse(path).steps)


SHOWN = (
    Shown("time", "`at`, or the time point", _time),
    Shown("severity", "`severity`", lambda record: record.get("severity") or ""),
    Shown("user", "who caused the finding; if that is not known, the first known author of its changes", user),
    Shown("event", "`name`, and the inner operator: `Complete/a`", event),
    Shown("document", "`doc`", lambda record: record.get("doc") or ""),
    Shown("node", "last two steps of `path` with ids: `item#6/price#9`", _node),
    Shown("message", "`message`", lambda record: record.get("message") or ""),
    Shown(
        "values", f"the first {_MOST_VALUES} changes of values: `39 → 35`",
        lambda record: ", ".join(islice(values(record), _MOST_VALUES)),
    ),
    Shown("variables", "`bindings`: `part=7, price=[5, 6]`", variables),
)  # fmt: skip
"""The columns, in their order."""


COLUMNS = tuple(column.name for column in SHOWN)


def row_of(record: Finding) -> tuple[str, ...]:
    """A finding in the columns of `SHOWN`."""
    return tuple(column.of(record) for column in SHOWN)
