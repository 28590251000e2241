"""Large documents divided by key: each record goes to the keys it is fed to, each key is replayed by itself.

For the passes of a plan whose keys are parts of documents. What rules of one key raise goes as rows to the keys of
those that take it, one level of the plan later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...engine import Detector
from ...events import CompositeEvent, PrimitiveEvent
from ...log import BadRecord, Batch, ClockCheck
from ...log.columns.arrow_values import metas_of, rows_of
from ...log.columns.blocks import RecordTypes
from ...log.decoding import RowDecoder
from ...log.json_codec import FASTEST
from ...log.parquet import COLUMNS, ArrowRecords
from ...log.records import Row
from ..findings.encoding import FindingEncoder, decode_composite
from ..findings.order import Ranking
from ..plan import Pass, Plan, make_plan
from ..plan.partition_key import VALUE
from ..whitespace import keep_meaningful
from ..without_collector import without_garbage_collection
from .answers import ANSWERS, FOUND, Answers
from .columns import IN_TASKS, as_text, batch_of, records_of, with_columns
from .told import Told

RECORD = pa.schema(
    IN_TASKS.field(name)
    for name in ("doc", "ts", "op", "path", "ids", "value", "old", "at", "txn", "meta", "more")
)
_BESIDE = [field for field in ANSWERS if field.name not in RECORD.names]
ROUTED = pa.schema(
    [("pass", pa.int32()), ("key", pa.string()), *RECORD, ("composite", pa.binary()), *_BESIDE]
)
"""A record for a key of a pass, or a composite and the record that raised it; or, with no pass, an answer."""
KEYS = ("pass", "doc", "key")
ORDER = (*KEYS, "ts", "composite")
_AT_ONCE = 2048


def routed(batches: Iterable[pa.RecordBatch], told: tuple[Any, ...]) -> Iterator[pa.RecordBatch]:
    """Change records, in order of document, time point and file, to the keys they are fed to. Bad ones, and all but the
    first of a time point, are left out: who judges them is the replay of the document as a whole."""
    router = _Router(Told(*told))
    for batch in batches:
        yield from router.route(batch)


class _Router:
    def __init__(self, told: Told) -> None:
        rules = told.parsed()
        self._plan = make_plan(rules)
        self._keep = keep_meaningful if told.ignore_whitespace else None
        self._types = RecordTypes(lambda op, path: True, check_times=rules.graph.needs_time)
        self._feeds: list[list[tuple[int, int]]] = []  # by the number of a type
        decoder = RowDecoder(ClockCheck.ANY, check_times=rules.graph.needs_time)
        self._records = ArrowRecords("", decoder, _leave_out)
        self._last: tuple[str, int] | None = None

    def route(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The rows of a batch, for each pass."""
        good = self._good(batch)
        if not len(good):
            return
        good = good.filter(self._firsts(good))
        types = np.array(
            [self._type(*each) for each in zip(good["op"].to_pylist(), good["path"].to_pylist(), strict=True)]
        )
        ends = good["ids"].offsets.to_numpy()
        flat = good["ids"].values.to_numpy()
        wanted: dict[tuple[int, int], list[int]] = {}
        for number in set(types.tolist()):
            for feed in self._feeds[number]:
                wanted.setdefault(feed, []).append(number)
        for (index, step), numbers in wanted.items():
            places = np.flatnonzero(np.isin(types, numbers))
            rows = good.take(pa.array(places))
            if step == VALUE:
                key = pc.coalesce(pc.if_else(pc.equal(rows["op"], "del"), rows["old"], rows["value"]), "")
            else:
                key = pa.array(flat[ends[places] + step]).cast(pa.string())
            columns = {name: rows[name] for name in RECORD.names}
            yield with_columns(ROUTED, columns | {"pass": pa.repeat(index, len(rows)), "key": key}, len(rows))

    def _type(self, op: str, path: str) -> int:
        type_ = self._types[op, path]
        if type_.number == len(self._feeds):
            divided = {each.index for each in self._plan.divided}
            feeds = self._plan.feeds(type_.op, type_.path)
            self._feeds.append([feed for feed in feeds if feed[0] in divided])
        return type_.number

    def _good(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The good records, with the columns of `RECORD`."""
        block = self._records.block(
            records_of(batch.select([n for n in batch.schema.names if n in COLUMNS])), 1
        )
        if self._keep is None and block.runs(self._types) is not None:
            columns = {name: batch[name] for name in batch.schema.names if name in RECORD.names}
            return with_columns(RECORD, as_text(columns), len(batch))
        rows = [row for item in block.items() if isinstance(item, Batch) for row in item.rows]
        if self._keep is not None:
            rows = list(filter(self._keep, rows))
        return batch_of(RECORD, list(map(_record, rows)))

    def _firsts(self, good: pa.RecordBatch) -> Any:
        """Which records are the first of their time point."""
        docs, ts = good["doc"].to_pylist(), good["ts"].to_pylist()
        before = [self._last, *zip(docs, ts, strict=True)]
        self._last = before.pop()
        return pa.array(
            [here != there for here, there in zip(zip(docs, ts, strict=True), before, strict=True)]
        )


def _record(row: Row | PrimitiveEvent) -> tuple[Any, ...]:
    """A record with the columns of `RECORD`."""
    ts, op, path, ids, value, old, _, at, doc, txn, meta, more = row
    text = None if meta is None else FASTEST.dumps(dict(meta)).decode()
    return doc, ts, op, str(path), ids, value, old, at, txn, text, more or None


def _leave_out(bad: BadRecord) -> None:
    """It is judged elsewhere."""


def keys_replayed(
    batches: Iterable[pa.RecordBatch], told: tuple[Any, ...], level: int
) -> Iterator[pa.RecordBatch]:
    """Replays the keys of the passes of a level, one after the other; other rows go on as they are."""
    with without_garbage_collection():
        replay = _KeyReplay(Told(*told), level)
        for batch in batches:
            yield from replay.take(batch)
        yield from replay.finish()


class _KeyReplay:
    def __init__(self, told: Told, level: int) -> None:
        rules = told.parsed()
        self._plan = make_plan(rules)
        self._level = level
        self._ranking = Ranking(rules)
        self._answers = Answers(self._ranking, typed=False)
        self._encoder = FindingEncoder()
        self._detectors = {
            each.index: Detector(each.rules(rules), operators=told.operators, trees=each.names)
            for each in self._plan.divided
            if each.level == level
        }
        self._taking = {each.index for each in self._plan.divided if each.sources}
        self._takers = _takers(self._plan)
        self._found: dict[str, Counter[str]] = {}
        self._types = RecordTypes(lambda op, path: True)
        self._key: tuple[Any, ...] | None = None
        self._cause: PrimitiveEvent | None = None  # with composites that came with it
        self._composites: list[CompositeEvent] = []
        self._forwarded: list[tuple[Any, ...]] = []

    def take(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Replays the rows of our level."""
        own = pc.is_in(batch["pass"], pa.array(list(self._detectors), pa.int32()))
        others = batch.filter(pc.invert(own))
        if len(others):
            yield others
        rows = batch.filter(own)
        if not len(rows):
            return
        columns = {name: rows[name] for name in RECORD.names if name != "meta"}
        known = [
            self._types[each] for each in zip(rows["op"].to_pylist(), rows["path"].to_pylist(), strict=True)
        ]
        made = rows_of(
            columns, [each.op for each in known], [each.path for each in known], rows["doc"].to_pylist(),
            metas_of(records_of(rows.select(["meta"]))["meta"] if rows["meta"].null_count < len(rows) else None),
        )  # fmt: skip
        keys = zip(*(rows[name].to_pylist() for name in KEYS), strict=True)
        fed = zip(keys, made, rows["composite"].to_pylist(), strict=False)
        for key, its in groupby(fed, key=itemgetter(0)):
            if key != self._key:
                self._end_key()
                self._key = key
            self._feed(key[0], [(row, composite) for _, row, composite in its])
            yield from self._taken()

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The partition is over."""
        self._end_key()
        for doc, found in self._found.items():
            self._answers.counts(FOUND, {"doc": doc, "found": dict(found)})
        yield from self._taken(rest=True)

    def _end_key(self) -> None:
        if self._key is not None:
            self._feed_cause(self._key[0])
            detector = self._detectors[self._key[0]]
            if not detector.is_as_new():
                detector.reset()

    def _feed(self, index: int, rows: Sequence[tuple[Row, bytes | None]]) -> None:
        detector = self._detectors[index]
        if index not in self._taking:
            self._raised(index, detector.replay(row for row, _ in rows))  # type: ignore[misc]
            return
        for row, composite in rows:
            if self._cause is not None and self._cause.ts != row[0]:
                self._feed_cause(index)
            self._cause = self._cause or PrimitiveEvent(*row)
            if composite is not None:
                self._composites.append(decode_composite(composite, self._cause))

    def _feed_cause(self, index: int) -> None:
        cause, composites = self._cause, self._composites
        self._cause, self._composites = None, []
        if cause is not None:
            self._raised(index, self._detectors[index].feed(cause, composites))

    def _raised(self, index: int, raised: Iterable[CompositeEvent]) -> None:
        """What was raised is a finding, and goes to those that take it."""
        for composite in raised:
            takers = self._takers.get(composite.name, ()) if composite.operator is None else ()
            if takers:
                composite = self._encoder.recorded(composite)
                cause = composite.cause
                assert isinstance(cause, PrimitiveEvent) and composite.path is not None
                content = self._encoder.forwarded(composite)
                for each in takers:
                    step = each.step(composite.path)
                    if step is not None:
                        self._forwarded.append(
                            (each.index, str(composite.ids[step]), *_record(cause), content)
                        )
            self._found.setdefault(composite.cause.doc, Counter())[composite.name] += 1
            self._answers.add(self._answers.findings([composite]))

    def _taken(self, *, rest: bool = False) -> Iterator[pa.RecordBatch]:
        if self._forwarded and (rest or len(self._forwarded) >= _AT_ONCE):
            forwarded, self._forwarded = self._forwarded, []
            names = ["pass", "key", *RECORD.names, "composite"]
            batch = batch_of(pa.schema([ROUTED.field(name) for name in names]), forwarded)
            yield with_columns(ROUTED, dict(zip(names, batch.columns, strict=True)), len(batch))
        for batch in self._answers.take(rest=rest):
            yield with_columns(ROUTED, dict(zip(batch.schema.names, batch.columns, strict=True)), len(batch))


def _takers(plan: Plan) -> dict[str, list[Pass]]:
    """The divided passes that take the composites of trees, by the trees' names."""
    found: dict[str, list[Pass]] = {}
    for each in plan.divided:
        used = {index for tree in each.trees for index in tree.dependencies}
        for source in each.sources:
            if source.index in used:
                found.setdefault(source.name, []).append(each)
    return found
