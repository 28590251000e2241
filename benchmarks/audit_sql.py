"""Q1 and Q2 as a specialist would write them for DuckDB: SQL that finds what an audit finds, and writes its lines.

Each operand's events are numbered per item; the first of one belongs to the first of the other, which is what
chronicle comes to in these logs, in which an item is inserted once. Where an audit leaves out what an event has
not, so does this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .queries import both_rule, complete_rule


class Query(NamedTuple):
    """One of the two queries, for elements called ``item``; ``event`` is what findings are called."""

    event: str
    item: str
    complete: bool


def queries(count: int) -> list[Query]:
    """One: Q1. Two: Q1 and Q2 of the same items. More: that many over as many element names, as in `many_rules`."""
    if count <= 2:
        return [Query("Complete", "item", True), Query("Both", "item", False)][:count]
    return [
        Query(f"{'Both' if number % 2 else 'Complete'}{number}", f"item{number}", not number % 2)
        for number in range(count)
    ]


def rules(asked: Sequence[Query]) -> str:
    """The same in the event language."""
    texts = []
    for event, item, complete in asked:
        tag = event.removeprefix("Complete" if complete else "Both")
        texts.append((complete_rule if complete else both_rule)(item, tag))
    return "\n".join(texts) + "\n"


_EVENTS = """
with numbered as (
  select doc, ts, op, path, ids, value, old, ids[2] as item,
         row_number() over (partition by op, path, ids[2] order by ts) as n
  from log where {chosen})"""

_COMPLETE = """
select item.doc as doc, greatest(price.ts, quantity.ts) as ts, null as at, '{event}' as name, '{path}' as path,
  item.ids as ids, item.ts as start, greatest(price.ts, quantity.ts) as "end",
  json_array({item}, json_object('name', 'conjunction1', 'path', '{path}', 'ids', item.ids,
    'constituents', json_array({price}, {quantity}))) as constituents, null as operator
from (select * from numbered where op = 'ins' and path = '{path}') as item
join (select * from numbered where op = 'ins' and path = '{path}/price') as price using (item, n)
join (select * from numbered where op = 'ins' and path = '{path}/quantity') as quantity using (item, n)
where item.ts < least(price.ts, quantity.ts)"""

_BOTH = """
select price.doc as doc, greatest(price.ts, quantity.ts) as ts, null as at, '{event}' as name, '{path}' as path,
  price.ids[:2] as ids, least(price.ts, quantity.ts) as start, greatest(price.ts, quantity.ts) as "end",
  json_array({price}, {quantity}) as constituents, null as operator
from (select * from numbered where op = 'upd' and path = '{path}/price/text()') as price
join (select * from numbered where op = 'upd' and path = '{path}/quantity/text()') as quantity using (item, n)"""

_CHOSEN_COMPLETE = "op = 'ins' and path in ('{path}', '{path}/price', '{path}/quantity')"
_CHOSEN_BOTH = "op = 'upd' and path in ('{path}/price/text()', '{path}/quantity/text()')"


def statement(queries: Sequence[Query], target: str) -> str:
    """One statement that answers all these queries over the table ``log`` and writes what they find, by time."""
    chosen, parts = [], []
    for event, item, complete in queries:
        path = f"/order/{item}"
        chosen.append((_CHOSEN_COMPLETE if complete else _CHOSEN_BOTH).format(path=path))
        parts.append(
            (_COMPLETE if complete else _BOTH).format(
                event=event,
                path=path,
                **{name: _constituent(name) for name in ("item", "price", "quantity")},
            )
        )
    events = _EVENTS.format(chosen="\n    or ".join(f"({each})" for each in chosen))
    return f"copy ({events}{' union all'.join(parts)}\norder by ts) to '{target}' (format json)"


def _constituent(table: str) -> str:
    fields = ("ts", "op", "path", "ids", "value", "old")
    return "json_object(" + ", ".join(f"'{field}', {table}.{field}" for field in fields) + ")"
