"""Events over documents (V11): what replays of documents leave for them goes to the values that join, and each value is
replayed by itself, in the order of all documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...engine.across import Across
from ..findings.order import Ranking
from ..local.across import part_of, raised_in_order
from ..without_collector import without_garbage_collection
from .answers import ANSWERS, END, PART, Answers
from .told import Told

KEYS = pa.schema([("task", pa.int32()), ("value", pa.string()), *ANSWERS])
"""Answers, parts by the task that takes them and their value."""
ORDER = ("task", "value", "ts", "doc", "place.n")
_key = itemgetter("task", "value")


def values_replayed(batches: Iterable[pa.RecordBatch], told: tuple[Any, ...]) -> Iterator[pa.RecordBatch]:
    """Replays each value, in the order of `ORDER`: the end of time, which all tasks have, comes before the first. Other
    answers go on as they are."""
    with without_garbage_collection():
        yield from _ValueReplay(Told(*told)).answered(batches)


class _ValueReplay:
    def __init__(self, told: Told) -> None:
        rules = told.parsed()
        self._across = Across(rules, operators=told.operators)
        self._ranking = Ranking(rules)
        self._answers = Answers(self._ranking)
        self._ends: Counter[int] = Counter()  # by task
        self._others: list[pa.RecordBatch] = []

    def answered(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for (task, value), rows in groupby(self._parts(batches), key=_key):
            self._take(value, (row["content"] for row in rows), self._ends[task])
            yield from self._answers.take()
            yield from self._passed()
        yield from self._answers.take(rest=True)
        yield from self._passed()

    def _parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Mapping[str, Any]]:
        """The parts; other rows are noted, or passed on."""
        for batch in batches:
            parts, ends = (batch.filter(pc.equal(batch["kind"], kind)) for kind in (PART, END))
            for task, end in zip(ends["task"].to_pylist(), ends["ts"].to_pylist(), strict=True):
                self._ends[task] = max(self._ends[task], end)
            others = batch.filter(pc.invert(pc.is_in(batch["kind"], pa.array([PART, END]))))
            self._others.append(others.select(ANSWERS.names))
            yield from parts.select(["task", "value", "content"]).to_pylist()

    def _passed(self) -> Iterator[pa.RecordBatch]:
        others, self._others = self._others, []
        yield from others

    def _take(self, value: str, lines: Iterable[bytes], end: int) -> None:
        self._across.reset()
        for time, each in raised_in_order(self._across, self._ranking, map(part_of, lines), end):
            if self._across.value_of(each) == value:  # of others not all is here
                self._answers.found(each, time)
