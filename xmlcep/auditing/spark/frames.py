"""DataFrames of change records in, DataFrames of findings and bad records out: plans only, nothing is run here.

Only what Spark Connect has, too, is used. Read `columns` (what comes in), `replay` (what is done with it), `answers`
(what comes out).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...arguments import check, optional, whole_number
from ...rules import PlainRules, Rules, parse_rules
from ..plan import Plan, make_plan
from .across import ORDER as VALUE_ORDER
from .answers import ANSWERS, BAD, END, FAILURE, FINDING, ORDER, PART, typed_schema
from .columns import chosen, ddl
from .columns import in_order as sorted_changes
from .division import KEYS, ROUTED
from .division import ORDER as KEY_ORDER
from .told import Told
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_QUARANTINE = "file string, record bigint, offset bigint, reason string, raw string, raw_base64 string"
_JUDGE = "event Nothing = ins(nothing)"


_TASKS = 200
"""How many tasks share the values of events over documents, if nothing else is said."""
LARGE = 10_000_000
"""From how many records on a document is divided by key, if nothing else is said: else one task replays it."""


def findings(
    changes: DataFrame, rules: Rules, *, operators: bool = False, until: str | None = None,
    ignore_whitespace: bool = False, partitions: int | None = None, large: int | None = LARGE,
) -> DataFrame:  # fmt: skip
    """The findings of ``rules`` in a table of change records (columns: docs/log.md): lazy, a row for each.

    The columns are those of docs/findings.md and ``place``, which with ``doc``, ``ts`` and ``ids`` is a finding's place
    in the order (see `in_order`). ``operators``, ``until`` and ``ignore_whitespace`` as for `audit`.
    ``partitions`` is how many tasks replay (default: Spark decides). A document of more than ``large`` records is
    divided by the keys of the rules, as far as these allow (``xmlcep check --plan``); to know which these are, the
    column ``doc`` is looked at first, unless ``large`` is None.

    Bad records are left out; `quarantine` has them. Raises `ArgumentError` if a column is missing. What goes wrong in a
    task (a document that cannot be replayed, workers without this package) ends the job that asks for findings.
    """
    check(
        "findings()",
        partitions=(partitions, optional(whole_number(1))),
        large=(large, optional(whole_number(0))),
    )
    told = Told(tuple(PlainRules.of(rules)), operators, until, ignore_whitespace)
    found = answers(changes, rules, told, partitions, large, judged=False)
    if rules.graph.across:
        found = across_documents(found, told, partitions)
    found = found.where(f"kind in ('{FINDING}', '{FAILURE}')")
    return found.mapInArrow(on_workers("answers", "typed"), ddl(typed_schema()))


def answers(
    changes: DataFrame, rules: Rules, told: Told, partitions: int | None = None, large: int | None = None, *,
    judged: bool = True,
) -> DataFrame:  # fmt: skip
    """Findings as JSON text, bad records, counts: all that one replay of the changes has to say. If not ``judged``,
    nothing but findings and failures is needed."""
    from pyspark.sql import functions as F

    known, plan = chosen(changes), make_plan(rules)
    if large is None or not plan.divided:
        return _whole(known, told, partitions)
    docs = known.where("doc is not null").groupBy("doc").count().where(F.col("count") > large).select("doc")
    some = known.join(F.broadcast(docs), "doc", "left_semi")
    found = _whole(known.join(F.broadcast(docs), "doc", "left_anti"), told, partitions)
    found = found.unionByName(_divided(some, plan, told, partitions))
    seeing = () if plan.whole is None else plan.whole.trees
    whole = tuple(tree.name for tree in (*seeing, *rules.graph.across))
    if not (whole or judged):
        return found
    # Who judges its records, and what rules see documents as a whole.
    return found.unionByName(_whole(some, told._replace(trees=whole, together=False), partitions))


def _whole(known: DataFrame, told: Told, partitions: int | None) -> DataFrame:
    """What replays of whole documents answer."""
    ordered = sorted_changes(known, *_spread(partitions, "doc"), beside=bool(told.parsed().externals))
    return ordered.mapInArrow(on_workers("replay", "replayed", tuple(told)), ddl(ANSWERS))


def _divided(known: DataFrame, plan: Plan, told: Told, partitions: int | None) -> DataFrame:
    """What replays of keys answer, one level of the plan after the other."""
    from pyspark.sql import functions as F

    plain = [F.col(name).isNull() for name in ("aside", "reason") if name in known.columns]
    if "clock" in known.columns:
        plain.append(~F.coalesce(F.col("clock"), F.lit(False)))
    for condition in plain:
        known = known.where(condition)
    # The records of one time point together: of these the first counts.
    rows = sorted_changes(known, *_spread(partitions, "doc", "ts"))
    rows = rows.mapInArrow(on_workers("division", "routed", tuple(told)), ddl(ROUTED))
    for level in range(1 + max(each.level for each in plan.divided)):
        rows = rows.repartition(*_spread(partitions, *KEYS)).sortWithinPartitions(*KEY_ORDER)
        rows = rows.mapInArrow(on_workers("division", "keys_replayed", tuple(told), level), ddl(ROUTED))
    return rows.where("kind is not null").select(*ANSWERS.names)


def across_documents(answered: DataFrame, told: Told, partitions: int | None) -> DataFrame:
    """Answers with what events over documents (V11) find in the parts among them."""
    from pyspark.sql import functions as F

    kind, tasks = F.col("kind"), partitions or _TASKS
    value = F.when(kind == PART, F.col("name"))
    task = F.pmod(F.xxhash64(F.coalesce(value, "doc"), F.when(kind != PART, F.col("ts"))), F.lit(tasks)).cast(
        "int"
    )
    all_tasks = F.sequence(F.lit(0), F.lit(tasks - 1))
    rows = answered.select(
        F.explode(F.when(kind == END, all_tasks).otherwise(F.array(task))).alias("task"),
        value.alias("value"),
        "*",
    )
    rows = rows.repartition(*_spread(partitions, "task")).sortWithinPartitions(*VALUE_ORDER)
    return rows.mapInArrow(on_workers("across", "values_replayed", tuple(told)), ddl(ANSWERS))


def _spread(partitions: int | None, *keys: str) -> tuple[Any, ...]:
    return keys if partitions is None else (partitions, *keys)


def in_order(found: DataFrame) -> DataFrame:
    """Findings in their total order: partitions, one after the other, are what one process writes."""
    return found.repartitionByRange(*ORDER).sortWithinPartitions(*ORDER)


def quarantine(changes: DataFrame, rules: Rules | None = None) -> DataFrame:
    """The bad records of a table, with the reason: ``doc``, ``file``, ``record``, ``offset``, ``reason``, ``raw``.

    Some are bad only to some ``rules``: times that are none to those that measure, damaged snapshots to those with
    conditions.
    """
    from pyspark.sql import functions as F

    judge = parse_rules(_JUDGE) if rules is None else rules
    told = Told(tuple(PlainRules.of(judge)), trees=())
    bad = answers(changes, judge, told).where(F.col("kind") == BAD)
    line = F.from_json(F.col("content").cast("string"), _QUARANTINE)
    return bad.select("doc", line.alias("line")).select("doc", "line.*")
