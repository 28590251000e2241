"""Who made a change and why, from its ``meta``, where applications and version histories use words of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

ACTING: ContextVar[dict[str, str] | None] = ContextVar("xmlcep acting_as", default=None)
"""What `acting_as` has said in this thread or task. The dict goes on records as it is: it is never changed."""

WHO = ("author", "user", "actor", "who", "by")
"""The keys of ``meta`` that say who made a change; the first that is there counts."""
WHY = ("subject", "reason", "why", "message", "comment")
"""Those that say why."""


@contextmanager
def acting_as(*, user: object = None, correlation: object = None) -> Iterator[None]:
    """Records a user and a correlation with everything that is done in a ``with`` block.

    All records of edits in the block, in every document, have ``user`` and ``correlation`` in their ``meta``; so have
    those of action rules. A transaction's own pairs win. The values hold in this thread and this task (`contextvars`):
    tasks that are started in the block have them, threads do not. A block inside another one overrides what it names.
    Can decorate a function.
    """
    given = {"user": user, "correlation": correlation}
    said = {key: str(value) for key, value in given.items() if value is not None}
    before = ACTING.set({**(ACTING.get() or {}), **said} or None)
    try:
        yield
    finally:
        ACTING.reset(before)


def with_acting(meta: dict[str, str] | None) -> dict[str, str] | None:
    """What is to be recorded now, where the transaction says ``meta``."""
    acting = ACTING.get()
    if acting is None:
        return meta
    return {**acting, **meta} if meta else acting


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
