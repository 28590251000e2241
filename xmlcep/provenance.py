"""Who made a change and why, from its ``meta``, where applications and version histories use words of their own."""

from __future__ import annotations

from collections.abc import Mapping

WHO = ("author", "user", "actor", "who", "by")
"""The keys of ``meta`` that say who made a change; the first that is there counts."""
WHY = ("subject", "reason", "why", "message", "comment")
"""Those that say why."""


def who(meta: Mapping[str, str] | None) -> str:
    """Who made a change, as far as its ``meta`` says."""
    return _first(meta or {}, WHO)[1]


def why(meta: Mapping[str, str] | None) -> str:
    """Why, as far as its ``meta`` says."""
    return _first(meta or {}, WHY)[1]


def said_of(meta: Mapping[str, str] | None) -> list[str]:
    """Who, why, and everything else with its key, for a line about a change.

    >>> said_of({"file": "a.xml", "reason": "prices", "user": "ann"})
    ['ann', 'prices', 'file=a.xml']
    """
    meta = meta or {}
    first = [pair for pair in (_first(meta, WHO), _first(meta, WHY)) if pair[0]]
    used = {name for name, _ in first}
    return [text for _, text in first] + [f"{name}={text}" for name, text in meta.items() if name not in used]


def _first(meta: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str]:
    return next(((name, meta[name]) for name in names if name in meta), ("", ""))
