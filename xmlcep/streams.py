"""Findings of change records that come in batches, for consumers of queues (docs/howto/queues.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .arguments import ITERABLE, STRING, check, optional
from .engine import OnRemoved
from .engine.detector import TimeGiven
from .engine.replacement import ON_REMOVED
from .errors import ArgumentError, MissingExtraError
from .log.json_codec import FASTEST
from .rules import PlainRules, Rules
from .timestamps import as_microseconds, timestamp

try:
    import pyarrow as pa

    from .auditing.spark.answers import ANSWERS, BAD, FINDING
    from .auditing.spark.columns import REQUIRED
    from .auditing.spark.stream_replay import (
        END,
        LATE,
        Late,
        PartReplay,
        Record,
        Store,
        batch_of,
        next_deadline,
        refuse_across,
    )
    from .auditing.spark.told import Told
    from .log.parquet import arrow_schema
except ModuleNotFoundError as error:
    raise MissingExtraError("xmlcep.streams", str(error.name), "arrow") from None

__all__ = ["Documents", "Fed"]


_FIELDS = frozenset(arrow_schema().names)


class Fed(NamedTuple):
    """What `Documents.feed_batch` answers: lines of JSON as an audit writes them, without their ends.

    ``findings`` are in their order; ``bad`` has of each record that was not taken the ``reason`` and what it said,
    ``raw``.
    """

    findings: list[bytes]
    bad: list[bytes]


class Documents:
    """Finds in documents whose change records come in batches what an audit of all their records would find.

    The state of each document is kept by the caller, in a mapping from whole numbers to bytes, such as an empty dict to
    begin with: at most as many values are read and written as a batch has nodes. The other arguments are as for
    `xmlcep.spark.stream`.
    """

    def __init__(
        self, rules: Rules, *, operators: bool = False, ignore_whitespace: bool = False, late: Late = "refuse",
        on_removed: OnRemoved | None = None,
    ) -> None:  # fmt: skip
        check("Documents()", late=(late, LATE), on_removed=(on_removed, optional(ON_REMOVED)))
        refuse_across(rules)
        self._told = Told(tuple(PlainRules.of(rules)), operators, ignore_whitespace=ignore_whitespace)
        self._how = late == "wait", on_removed
        self._replay: PartReplay | None = None

    def feed_batch(
        self, doc: str, records: Iterable[Record], state: Store, *, until: TimeGiven | None = None
    ) -> Fed:
        """Takes records of a document (docs/log.md) in any order, in ``state`` what is known of it, which is changed.

        A record with ``op`` ``"end"`` says that the document is complete. With ``until`` deadlines that are over by
        then fire after the records, as with a clock record of the last of them (W6). Whoever keeps the state and the
        place in the queue together, in one transaction, has each finding once. Raises `ArgumentError` for records of
        another document, `StateError` for the state of other rules without ``on_removed``, `TimeError`.
        """
        check("feed_batch()", doc=(doc, STRING), records=(records, ITERABLE))
        time = None if until is None else as_microseconds(until)
        replay, self._replay = self._replay or PartReplay(self._told, *self._how), None
        usable: list[Record] = []
        bad: list[bytes] = []
        for each in records:
            record = _as_columns(each)
            if isinstance(record, bytes):
                bad.append(record)
            elif record["doc"] != doc:
                raise ArgumentError(
                    f"feed_batch() of document {doc!r}: a record is of document {record['doc']!r}"
                )
            else:
                usable.append(record)
        answers = [
            dict(zip(ANSWERS.names, each, strict=True)) for each in replay.go_on(doc, state, usable, time)
        ]
        self._replay = replay  # else it is in the middle of a document
        return Fed(
            [each["content"] for each in answers if each["kind"] == FINDING],
            bad + [each["content"].rstrip() for each in answers if each["kind"] == BAD],
        )

    def next_due(self, state: Mapping[int, bytes]) -> str | None:
        """When something is due next by time in the document of a state, as RFC 3339 text (UTC); None if nothing is, or
        records above a gap are held (``late="wait"``). Call `feed_batch` with ``until`` then."""
        due = next_deadline(state)
        return None if due is None else timestamp(due)


def _as_columns(record: Any) -> Record | bytes:
    """A record as Spark has it, with all columns; or, as a line, what is wrong with it."""
    try:
        given = {name: value for name, value in dict(record).items() if name in _FIELDS}
        columns = dict.fromkeys(REQUIRED) | given
        if isinstance(columns.get("meta"), Mapping):
            columns["meta"] = json.dumps(columns["meta"])
        row: Record
        (row,) = batch_of([columns]).to_pylist()
        if row["op"] != END and row["ts"] is None:
            raise ValueError("ts is missing: expected a whole number")
    except (TypeError, ValueError, ArithmeticError, pa.ArrowException) as error:
        reason = f"not a change record: {' '.join(str(error).split())}"
        return FASTEST.dumps({"reason": reason, "raw": json.dumps(record, default=str, skipkeys=True)})
    return row
