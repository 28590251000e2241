"""How much each bucket is given, and which keys most of it belongs to: counted by the tasks that route."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..plan.key_counts import KeyCount, KeyCounter
from ..plan.partition_key import Plan
from .bucket_tasks import BucketTasks
from .chunks import Chunk, buckets_of, hash_of
from .distinct import Numbers

_ROUTED_SHARE = 1024
"""Of what is routed together a key is counted that has one in so many, or more: to count all keys takes too long."""
_REPORTED = 16  # keys of a pass
_MOST_KEYS = 10_000
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)

Key: TypeAlias = tuple[str, int | str | None]
"""A document, and a node id or a value in it (None where it is the key)."""


class RoutedLoad:
    """What a task has routed: bytes of chunks by level and bucket, and by pass the records of the keys with most."""

    def __init__(self, plan: Plan) -> None:
        self._sizes: dict[int, Counter[int]] = {}
        self._keys = [KeyCounter(_MOST_KEYS) for _ in plan.passes]

    def add_chunk(self, chunk: Chunk) -> None:
        """A chunk of rows is handed on."""
        self._sizes.setdefault(chunk.level, Counter())[chunk.target] += len(chunk.content)

    def add_keys(self, passes: Numbers, docs: Numbers, keys: Numbers, key_at: Callable[[int], Key]) -> None:
        """Rows are routed: their passes, and documents and keys as numbers; ``key_at`` says what the latter mean."""
        columns = (passes, docs, keys)
        numbers = np.zeros(len(keys), np.uint64)
        for column, factor in zip(columns, _FACTORS, strict=True):
            numbers = (numbers ^ column.astype(np.int64).view(np.uint64)) * factor
        # Only where rows with like hashes are as many can those of a key be.
        bits = len(keys).bit_length()
        cells = (numbers >> np.uint64(64 - bits)).astype(np.int64)
        may_be_large = np.bincount(cells, minlength=2**bits) * _ROUTED_SHARE >= len(keys)
        rows = np.flatnonzero(may_be_large[cells])
        numbers = numbers[rows]
        order = np.argsort(numbers)
        starts = np.flatnonzero(np.diff(numbers[order], prepend=~numbers[order[:1]]))
        counts = np.diff(np.append(starts, len(order)))
        large = np.flatnonzero(counts * _ROUTED_SHARE >= len(keys))
        for place, count in zip(rows[order[starts[large]]].tolist(), counts[large].tolist(), strict=True):
            self._keys[passes[place]].keys[key_at(place)] += count
        for counter in self._keys:
            counter.forget_small()

    def take(self) -> dict[str, Any]:
        """All of it as a JSON object for `BucketLoads.add`; then it is gone."""
        sizes, self._sizes = self._sizes, {}
        keys, self._keys = self._keys, [KeyCounter(_MOST_KEYS) for _ in self._keys]
        return {
            "sizes": {str(level): list(of_bucket.items()) for level, of_bucket in sizes.items()},
            "keys": {
                str(index): [list(key) for key in each.largest(_REPORTED)]
                for index, each in enumerate(keys)
                if each.keys
            },
        }


@dataclass(frozen=True, slots=True)
class TaskKeys:
    """The largest key of each of so many tasks, if one was counted; ``unit`` is what its number is one of."""

    tasks: int
    largest: Mapping[int, KeyCount]
    unit: str

    def left(self, number: int, running: Iterable[int]) -> str:
        """What is to be said where so many tasks are left, of which these run."""
        text = f"{number:,} of {self.tasks:,} task{'s' * (self.tasks > 1)} left"
        keys = [self.largest[task] for task in running if task in self.largest]
        if not keys:
            return text
        key = max(keys, key=lambda each: each.records)
        return f"{text}, at {key.key} ({key.records:,}{self.unit})"


class BucketLoads:
    """The same of all tasks together.

    What it says of a key is what was counted: less than it has by a thousandth of all records at most for each of the
    tasks that did not report it, for others had more there.
    """

    def __init__(self, plan: Plan, buckets: int) -> None:
        self._plan = plan
        self._buckets = buckets
        self._sizes: dict[int, Counter[int]] = {}
        self._keys = [KeyCounter(_MOST_KEYS) for _ in plan.passes]

    def add(self, load: dict[str, Any], left_out: Collection[str] = ()) -> None:
        """Takes what a task reports; but not what keys of documents ``left_out`` have: it comes once more."""
        for level, of_bucket in load["sizes"].items():
            self._sizes.setdefault(int(level), Counter()).update(dict(of_bucket))
        for index, largest in load["keys"].items():
            counter = self._keys[int(index)]
            for doc, node, records in largest:
                if doc not in left_out:
                    counter.keys[doc, node] += records
            counter.forget_small()

    def tasks(self, level: int, cores: int) -> BucketTasks:
        """The tasks for the buckets of a level."""
        return BucketTasks.of(self._sizes.get(level, {}), self._buckets, cores)

    def largest_keys(self, level: int, division: BucketTasks, records: int) -> TaskKeys:
        """The largest key of each of these tasks of a level; ``records`` is how many the log has."""
        found: dict[int, KeyCount] = {}
        for each in (one for one in self._plan.passes if one.level == level):
            for key in self._keys[each.index].largest(_MOST_KEYS):
                task = division.task_of(self._bucket(key))
                if task not in found or found[task].records < key.records:
                    found[task] = key
        return TaskKeys(
            division.tasks, found, f" of {records:,} records" if level == 0 else " records and events"
        )

    def _bucket(self, key: KeyCount) -> int:
        node = 0 if key.node is None else hash_of(key.node) if isinstance(key.node, str) else key.node
        return int(buckets_of(hash_of(key.doc), [node], self._buckets)[0])
