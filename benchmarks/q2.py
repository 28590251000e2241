"""Q2: `upd(item/price/text()) & upd(item/quantity/text())` per item, chronicle consumption."""

from __future__ import annotations

from collections.abc import Iterator

from .floor import count_both_modified
from .frame import Figure, Settings
from .one_rule import compare
from .queries import SQL_Q2, both_rule

TITLE = "Q2, price and quantity both modified: 1, 10 and 1000 items open at once, rows in memory"


def run(settings: Settings) -> Iterator[Figure]:
    """Engine, floor and DuckDB."""
    return compare("q2", both_rule(), count_both_modified, SQL_Q2, settings)
