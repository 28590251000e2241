"""DataFrames of change records in, DataFrames of findings and bad records out: plans only, nothing is run here.

Only what Spark Connect has, too, is used. Read `columns` (what comes in), `replay` (what is done with it), `answers`
(what comes out).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...arguments import check, optional, whole_number
from ...rules import PlainRules, Rules, parse_rules
from .answers import ANSWERS, BAD, ORDER, ddl, typed_schema
from .columns import sorted_changes
from .replay import Told
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_QUARANTINE = "file string, record bigint, offset bigint, reason string, raw string, raw_base64 string"
_JUDGE = "event Nothing = ins(nothing)"


def findings(
    changes: DataFrame, rules: Rules, *, operators: bool = False, until: str | None = None,
    ignore_whitespace: bool = False, partitions: int | None = None,
) -> DataFrame:  # fmt: skip
    """The findings of ``rules`` in a table of change records (columns: docs/log.md): lazy, a row for each.

    The columns are those of docs/findings.md and ``place``, which with ``doc``, ``ts`` and ``ids`` says where a finding
    stands among all (see `in_order`). ``operators``, ``until`` and ``ignore_whitespace`` as for `audit`.
    ``partitions`` is how many tasks replay (default: Spark decides).

    Bad records are left out; `quarantine` has them. Raises `ArgumentError` if a column is missing. What goes wrong in a
    task (a document that cannot be replayed, workers without this package) ends the job that asks for findings.
    """
    check("findings()", partitions=(partitions, optional(whole_number(1))))
    told = Told(tuple(PlainRules.of(rules)), operators, until, ignore_whitespace, typed=True)
    ordered = sorted_changes(changes, partitions)
    return ordered.mapInArrow(on_workers("replay", "replayed", tuple(told)), ddl(typed_schema()))


def answers(changes: DataFrame, told: Told, partitions: int | None = None) -> DataFrame:
    """Findings as JSON text, bad records, counts: all that one replay of the changes has to say."""
    ordered = sorted_changes(changes, partitions)
    return ordered.mapInArrow(on_workers("replay", "replayed", tuple(told)), ddl(ANSWERS))


def in_order(found: DataFrame) -> DataFrame:
    """Findings in their total order: partitions, one after the other, are what one process writes."""
    return found.repartitionByRange(*ORDER).sortWithinPartitions(*ORDER)


def quarantine(changes: DataFrame, rules: Rules | None = None) -> DataFrame:
    """The bad records of a table, with the reason: ``doc``, ``file``, ``record``, ``offset``, ``reason``, ``raw``.

    Some are bad only to some ``rules``: times that are none to those that measure, damaged snapshots to those with
    conditions.
    """
    from pyspark.sql import functions as F

    told = Told(tuple(PlainRules.of(parse_rules(_JUDGE) if rules is None else rules)))
    bad = answers(changes, told).where(F.col("kind") == BAD)
    line = F.from_json(F.col("content").cast("string"), _QUARANTINE)
    return bad.select("doc", line.alias("line")).select("doc", "line.*")
