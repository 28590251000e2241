"""Findings of a stream of changes: one stateful processor, which goes on with each document where it has left it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...arguments import check, optional
from ...engine import OnRemoved
from ...engine.replacement import ON_REMOVED
from ...errors import ArgumentError
from ...rules import PlainRules, Rules
from .answers import ANSWERS
from .columns import LOG, chosen, ddl, ddl_of
from .stream_replay import LATE, Late, refuse_across, stream_schema
from .told import Told
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_WATERMARK = "spark.watermarkDelayMs"
_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def stream(
    changes: DataFrame, rules: Rules, *, operators: bool = False, ignore_whitespace: bool = False,
    late: Late = "refuse", on_removed: OnRemoved | None = None,
) -> DataFrame:  # fmt: skip
    """The findings of ``rules`` in a streaming table of change records (columns: docs/log.md), and its bad records.

    The columns are those of docs/findings.md, ``place`` as `findings` has it, and ``reason`` and ``raw``: where
    ``reason`` is not null the row is a bad record of ``doc``, among them those that come too late: records of a time
    point that an earlier trigger has gone beyond. Within a trigger records may be in any order. What is found in all
    triggers is what an audit of all records finds, at the same time points. A record with ``op`` ``"end"`` says that
    its document is complete: open transactions are flushed, the clock advances to its ``at`` if it has one (W6), and
    nothing is kept of the document but that it is over. Of the state of a document a trigger reads and writes what its
    records concern: the groups of their nodes and of those above (if rules read the document, all of that, too).

    ``late="wait"`` is for time points without gaps, as recordings have them: records above a gap are held until it is
    filled, or the document ends. ``on_removed`` is for a checkpoint that was written with other rules: event trees that
    are the same keep what they have seen (G7), what others have is flushed, ``"flush"``, or dropped, ``"drop"``.

    If ``changes`` has a watermark on ``at`` (`DataFrame.withWatermark`), a deadline that it passes fires although its
    document is silent: as with a clock record of that deadline (W6), which ends an open transaction. Records behind the
    watermark are taken like others: the clock of a document is its own.

    Written to a sink that does so, each finding is there exactly once, whatever is killed. Raises `ArgumentError` if a
    column is missing, for a table that is not a stream, and unless states are kept in RocksDB.
    """
    refuse_across(rules)
    if not changes.isStreaming:
        raise ArgumentError("stream() needs a streaming DataFrame, of readStream: for a table use findings()")
    spark = changes.sparkSession
    if "RocksDB" not in (spark.conf.get(_PROVIDER, None) or ""):
        raise ArgumentError(
            f"streams keep their states in RocksDB: call spark.conf.set({_PROVIDER!r}, {_ROCKS_DB!r}) before"
        )
    check("stream()", late=(late, LATE), on_removed=(on_removed, optional(ON_REMOVED)))
    told = Told(tuple(PlainRules.of(rules)), operators, ignore_whitespace=ignore_whitespace)
    timed = "at" in changes.columns and _WATERMARK in (changes.schema["at"].metadata or {})
    answered = _as_records(changes).groupBy("doc").transformWithState(
        statefulProcessor=_processor(told, late == "wait", on_removed, timed=timed), outputStructType=ddl(ANSWERS),
        outputMode="Append", timeMode="EventTime" if timed else "None",
    )  # fmt: skip
    return answered.mapInArrow(on_workers("stream_replay", "told_apart"), ddl(stream_schema()))


def _as_records(changes: DataFrame) -> DataFrame:
    """The columns that are known, with the types of records. None of them has a watermark: Spark would drop rows."""
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


def _processor(told: Told, waits: bool, on_removed: OnRemoved | None, *, timed: bool) -> Any:
    """What Spark calls with the records of a document, and when its next deadline is over, if ``timed``. It travels by
    value, as `on_workers` does."""
    from pyspark.sql import Row
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    go_on = on_workers("stream_replay", "gone_on", tuple(told), waits, on_removed)
    answer = Row(*ANSWERS.names)

    class Kept:
        """A mapping that Spark keeps."""

        def __init__(self, state: Any) -> None:
            self.state = state

        def get(self, key: int, default: Any = None) -> Any:
            # Spark logs a warning of a value that is not there.
            return bytes(self.state.getValue((key,))[0]) if key in self else default

        def __setitem__(self, key: int, value: bytes) -> None:
            self.state.updateValue((key,), (value,))

        def __delitem__(self, key: int) -> None:
            self.state.removeKey((key,))

        def __contains__(self, key: object) -> bool:
            return bool(self.state.containsKey((key,)))

        def __iter__(self) -> Iterator[int]:
            return iter([key for (key,) in self.state.keys()])  # noqa: SIM118, no dict

        def clear(self) -> None:
            self.state.clear()

    class Documents(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self._handle = handle
            self._document = Kept(handle.getMapState("document", "key bigint", "value binary"))

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
            return self._go_on(key[0], [row.asDict() for row in rows], timerValues)

        def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
            return self._go_on(key[0], [], timerValues, expiredTimerInfo.getExpiryTimeInMs())

        def _go_on(
            self, doc: str | None, records: list[Any], now: Any, expired: int | None = None
        ) -> Iterator[Row]:
            # A timer expires when the watermark is beyond it, by a millisecond at least.
            until = (now.getCurrentWatermarkInMs() - 1) * 1000 if timed else None
            for answers, *due in go_on([(doc, self._document, records, until)]):
                before, after = (None if each is None else -(-each // 1000) for each in due)
                if timed and before != after:
                    if before is not None and before != expired:
                        self._handle.deleteTimer(before)
                    if after is not None:
                        self._handle.registerTimer(after)
                for each in answers:
                    yield answer(*each)

        def close(self) -> None:
            pass

    return Documents()
