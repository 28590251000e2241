"""What tasks have to know."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import ArgumentError
from ...rules import PlainRules, Rules


def refuse_across(rules: Rules) -> None:
    """Raises `ArgumentError` for events over documents: Spark takes each document by itself (V11)."""
    if rules.said_of_across:
        raise ArgumentError(
            f"{rules.said_of_across}, and Spark takes each by itself: audit the logs, engine='local'"
        )


class Told(NamedTuple):
    """What tasks have to know, as plain values: a worker that lacks the package has to be able to read them.

    ``rules`` are the fields of `PlainRules`; ``typed``: findings alone, in columns of their own; ``trees``: only events
    of these names are to be found (None: all); the others as `audit` has them.
    """

    rules: tuple[Any, ...]
    operators: bool = False
    until: str | None = None
    ignore_whitespace: bool = False
    typed: bool = False
    trees: tuple[str, ...] | None = None

    def parsed(self) -> Rules:
        """The rules."""
        return _parsed(self.rules)


@lru_cache(maxsize=4)
def _parsed(rules: tuple[Any, ...]) -> Rules:
    """Workers live on, tasks are many, and rules take long to read."""
    return PlainRules(*rules).parse()
