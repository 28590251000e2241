"""Findings of a stream of changes: one stateful processor, which goes on with each document where it has left it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from ...rules import PlainRules, Rules
from .answers import ANSWERS
from .columns import LOG, chosen, ddl, ddl_of
from .stream_replay import stream_schema
from .told import Told
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def stream(
    changes: DataFrame, rules: Rules, *, operators: bool = False, ignore_whitespace: bool = False
) -> DataFrame:
    """The findings of ``rules`` in a streaming table of change records (columns: docs/log.md), and its bad records.

    The columns are those of docs/findings.md, ``place`` as `findings` has it, and ``reason`` and ``raw``: where
    ``reason`` is not null the row is a bad record of ``doc``, among them those that come too late: records of a time
    point that an earlier trigger has gone beyond. Within a trigger records may be in any order. What is found in all
    triggers is what an audit of all records finds, at the same time points. A record with ``op`` ``"end"`` says that
    its document is complete: open transactions are flushed, the clock advances to its ``at`` if it has one (W6), and
    nothing is kept of the document but that it is over. The state of a document is read and written whole by each
    trigger that has records of it.

    Written to a sink that does so, each finding is there exactly once, whatever is killed. Raises `ArgumentError` if a
    column is missing, for a table that is not a stream, and unless states are kept in RocksDB.
    """
    if rules.said_of_across:
        raise ArgumentError(
            f"{rules.said_of_across}: a stream knows of no change that it comes before all later ones of other"
            " documents, so their order is not known: use findings() on a table of what has been written so far"
        )
    if not changes.isStreaming:
        raise ArgumentError("stream() needs a streaming DataFrame, of readStream: for a table use findings()")
    spark = changes.sparkSession
    if "RocksDB" not in (spark.conf.get(_PROVIDER, None) or ""):
        raise ArgumentError(
            f"streams keep their states in RocksDB: call spark.conf.set({_PROVIDER!r}, {_ROCKS_DB!r}) before"
        )
    told = Told(tuple(PlainRules.of(rules)), operators, ignore_whitespace=ignore_whitespace)
    answered = _as_records(changes).groupBy("doc").transformWithState(
        statefulProcessor=_processor(told), outputStructType=ddl(ANSWERS), outputMode="Append", timeMode="None"
    )  # fmt: skip
    return answered.mapInArrow(on_workers("stream_replay", "told_apart"), ddl(stream_schema()))


def _as_records(changes: DataFrame) -> DataFrame:
    """The columns that are known, with the types of records."""
    from pyspark.sql import functions as F

    known = chosen(changes)
    columns = []
    for name, type_ in known.dtypes:
        column = F.col(name)
        if name == "at" and type_.startswith("timestamp"):
            in_utc = F.to_utc_timestamp(column, F.current_timezone())
            column = F.date_format(in_utc, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
        elif name != "meta":
            column = column.cast(ddl_of(LOG.field(name).type))
        columns.append(column.alias(name))
    return known.select(*columns)


def _processor(told: Told) -> Any:
    """What Spark calls with the records of a document. It travels by value, as `on_workers` does."""
    from pyspark.sql import Row
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    go_on = on_workers("stream_replay", "gone_on", tuple(told))
    answer = Row(*ANSWERS.names)

    class Documents(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self._document = handle.getValueState("document", "state binary")

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
            known = self._document.get()
            before = None if known is None else bytes(known[0])
            records = [row.asDict() for row in rows]
            ((state, answers),) = go_on([(key[0], before, records)])
            if state != before:
                self._document.update((state,))
            for each in answers:
                yield answer(*each)

        def close(self) -> None:
            pass

    return Documents()
