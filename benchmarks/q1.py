"""Q1: `ins(item) ; (ins(item/price) & ins(item/quantity))` per item, each item once."""

from __future__ import annotations

from collections.abc import Iterator

from .floor import count_complete
from .frame import Figure, Settings
from .one_rule import compare
from .queries import SQL_Q1, complete_rule

TITLE = "Q1, complete items: 1, 10 and 1000 items open at once, rows in memory"


def run(settings: Settings) -> Iterator[Figure]:
    """Engine, floor and DuckDB."""
    return compare("q1", complete_rule(), count_complete, SQL_Q1, settings)
