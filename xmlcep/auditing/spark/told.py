"""What tasks have to know."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from ...rules import PlainRules, Rules

Names: TypeAlias = Mapping[str, tuple[int, str]] | None
"""By path: the place of a file among all, and what it is called in messages."""


class Told(NamedTuple):
    """What tasks have to know, as plain values: a worker that lacks the package has to be able to read them.

    ``rules`` are the fields of `PlainRules`; ``trees``: only events of these names are to be found (None: all);
    ``together``: many findings of a document may be one answer; the others as `audit` has them.
    """

    rules: tuple[Any, ...]
    operators: bool = False
    until: str | None = None
    ignore_whitespace: bool = False
    trees: tuple[str, ...] | None = None
    together: bool = False

    def parsed(self) -> Rules:
        """The rules."""
        return _parsed(self.rules)


@lru_cache(maxsize=4)
def _parsed(rules: tuple[Any, ...]) -> Rules:
    """Workers live on, tasks are many, and rules take long to read."""
    return PlainRules(*rules).parse()
