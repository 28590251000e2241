"""The queries, in the event language and in SQL, and the rows they run on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from .histories import History, ItemPaths, Row

Q1 = "event Complete{tag} = ins({item}) ; (ins({item}/price) & ins({item}/quantity))"
Q2 = "event Both{tag} = upd({item}/price/text()) & upd({item}/quantity/text())"
ITEM = ItemPaths.below("/order")


def complete_rule(item: str = "item", tag: str = "") -> str:
    """Q1 for elements called ``item``: each item once, when it has a price and a quantity."""
    return Q1.format(item=item, tag=tag)


def both_rule(item: str = "item", tag: str = "") -> str:
    """Q2 for elements called ``item``: price and quantity modified, chronicle consumption."""
    return Q2.format(item=item, tag=tag)


def many_rules(count: int) -> tuple[str, list[tuple[str, ItemPaths]]]:
    """Q3: ``count`` rules over as many element names, half Q1 and half Q2; as text and for the floor."""
    texts, forms = [], []
    for number in range(count):
        name, complete = f"item{number}", number % 2 == 0
        texts.append((complete_rule if complete else both_rule)(name, str(number)))
        forms.append(("complete" if complete else "both", ItemPaths.below("/order", name)))
    return "\n".join(texts), forms


@lru_cache(maxsize=2)
def rows_in_memory(history: History) -> Sequence[Row]:
    """The rows of a history as a list of tuples; the last two are kept for the next benchmark."""
    return list(history.rows())


SQL_Q1 = """
select count(*) from (
  select item from history where op = 'ins' group by item
  having bool_or(path = '/order/item') and bool_or(path = '/order/item/price')
     and bool_or(path = '/order/item/quantity'))"""
SQL_Q2 = """
select coalesce(sum(least(prices, quantities)), 0)::bigint from (
  select count(*) filter (path = '/order/item/price/text()') as prices,
         count(*) filter (path = '/order/item/quantity/text()') as quantities
  from history where op = 'upd' group by item)"""


def write_sql_table(rows: Iterable[Row], target: Path) -> None:
    """Writes ts, op, path, item and value as a Parquet file, the input of the SQL queries."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    chosen = list(rows)
    table = pa.table(
        {
            "ts": [row[0] for row in chosen],
            "op": [row[1] for row in chosen],
            "path": [str(row[2]) for row in chosen],
            "item": [row[3][1] if len(row[3]) > 1 else None for row in chosen],
            "value": [row[4] for row in chosen],
        }
    )
    pq.write_table(table, target)
