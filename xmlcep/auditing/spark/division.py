"""Large documents divided by key: each record goes to the keys it is fed to, each key is replayed by itself.

For the passes of a plan whose keys are parts of documents. What rules of one key raise goes as rows to the keys of
those that take it, one level of the plan later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from path_types import PathType

from ...engine import Detector
from ...events import CompositeEvent, PrimitiveEvent
from ...log import Batch, ClockCheck
from ...log.decoding import RowDecoder
from ...log.json_codec import FASTEST
from ...log.parquet import COLUMNS, ArrowRecords
from ...log.records import Row
from ...rules import Rules
from ..findings.encoding import FindingEncoder, decode_composite
from ..findings.order import Ranking
from ..plan import Pass, Plan, make_plan
from ..plan.partition_key import key_at
from ..whitespace import keep_meaningful
from ..without_collector import without_garbage_collection
from .answers import ANSWERS, Answers
from .columns import IN_TASKS, columns_of, records_of, with_columns
from .told import Told

RECORD = pa.schema(
    IN_TASKS.field(name)
    for name in ("doc", "ts", "op", "path", "ids", "value", "old", "at", "txn", "meta", "more")
)
_OWN = pa.schema([("pass", pa.int32()), ("key", pa.string()), *RECORD, ("composite", pa.binary())])
ROUTED = pa.schema([*_OWN, *(field for field in ANSWERS if field.name not in _OWN.names)])
"""A record for a key of a pass, and a composite that it has raised, if that is what the key takes; or, with no pass, an
answer."""
KEYS = ("pass", "doc", "key")
ORDER = (*KEYS, "ts", "composite")
_AT_ONCE = 2048


def routed(batches: Iterable[pa.RecordBatch], told: tuple[Any, ...]) -> Iterator[pa.RecordBatch]:
    """Change records, in order of document, time point and file, to the keys they are fed to. Bad ones, and all but the
    first of a time point, are left out: who judges them is the replay of the document as a whole."""
    router = _Router(Told(*told))
    yield from map(router.route, batches)


class _Router:
    def __init__(self, told: Told) -> None:
        rules = told.parsed()
        self._plan = make_plan(rules)
        self._divided = {each.index for each in self._plan.divided}
        self._keep = keep_meaningful if told.ignore_whitespace else lambda row: True
        self._rows = _Rows(rules)
        self._feeds: dict[tuple[str, PathType], list[tuple[int, int]]] = {}
        self._last: tuple[str, int] | None = None

    def route(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows of a batch, for each pass."""
        found = []
        for row in filter(self._keep, self._rows.of(batch)):
            place = row[8], row[0]
            if place != self._last:
                self._last = place
                for index, step in self._feeds_of(row[1], row[2]):
                    found.append({"pass": index, "key": str(key_at(row, step)), **_record(row)})
        return pa.RecordBatch.from_pylist(found, ROUTED)

    def _feeds_of(self, op: str, path: PathType) -> list[tuple[int, int]]:
        """The passes that are fed with such records, and the key's step."""
        feeds = self._feeds.get((op, path))
        if feeds is None:
            feeds = [feed for feed in self._plan.feeds(op, path) if feed[0] in self._divided]
            self._feeds[op, path] = feeds
        return feeds


class _Rows:
    """Reads the good records of batches; who judges the others is the replay of the document as a whole."""

    def __init__(self, rules: Rules) -> None:
        decoder = RowDecoder(ClockCheck.ANY, check_times=rules.graph.needs_time)
        self._records = ArrowRecords("", decoder, lambda _: None)

    def of(self, batch: pa.RecordBatch) -> Iterator[Row]:
        """The rows of a batch."""
        known = batch.select([name for name in batch.schema.names if name in COLUMNS])
        for item in self._records.block(records_of(known), 1).items():
            if isinstance(item, Batch):
                yield from item.rows


def _record(row: Row | PrimitiveEvent) -> dict[str, Any]:
    """A record with the columns of `RECORD`."""
    meta = None if row[10] is None else FASTEST.dumps(dict(row[10])).decode()
    return columns_of(row) | {"meta": meta}


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
        self._answers = Answers(Ranking(rules))
        self._encoder = FindingEncoder()
        self._detectors = {
            each.index: Detector(each.rules(rules), operators=told.operators, trees=each.names)
            for each in self._plan.divided
            if each.level == level
        }
        self._taking = {each.index for each in self._plan.divided if each.sources}
        self._takers = _takers(self._plan)
        self._rows = _Rows(rules)
        self._key: tuple[Any, ...] | None = None
        self._cause: PrimitiveEvent | None = None  # with composites that came with it
        self._composites: list[CompositeEvent] = []
        self._forwarded: list[dict[str, Any]] = []

    def take(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Replays the rows of our level."""
        own = pc.is_in(batch["pass"], pa.array(list(self._detectors), pa.int32()))
        others = batch.filter(pc.invert(own))
        if len(others):
            yield others
        rows = batch.filter(own)
        if not len(rows):
            return
        keys = zip(*(rows[name].to_pylist() for name in KEYS), strict=True)
        fed = zip(keys, self._rows.of(rows), rows["composite"].to_pylist(), strict=True)
        for key, its in groupby(fed, key=itemgetter(0)):
            if key != self._key:
                self._end_key()
                self._key = key
            self._feed(key[0], [(row, composite) for _, row, composite in its])
            yield from self._taken()

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The partition is over."""
        self._end_key()
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
                        key = {"pass": each.index, "key": str(composite.ids[step]), "composite": content}
                        self._forwarded.append(key | _record(cause))
            self._answers.found(composite)

    def _taken(self, *, rest: bool = False) -> Iterator[pa.RecordBatch]:
        if self._forwarded and (rest or len(self._forwarded) >= _AT_ONCE):
            forwarded, self._forwarded = self._forwarded, []
            yield pa.RecordBatch.from_pylist(forwarded, ROUTED)
        for batch in self._answers.take(rest=rest):
            yield with_columns(ROUTED, batch)


def _takers(plan: Plan) -> dict[str, list[Pass]]:
    """The divided passes that take the composites of trees, by the trees' names."""
    found: dict[str, list[Pass]] = {}
    for each in plan.divided:
        used = {index for tree in each.trees for index in tree.dependencies}
        for source in each.sources:
            if source.index in used:
                found.setdefault(source.name, []).append(each)
    return found
