"""Which task replays which bucket: a task has a price of its own, and a bucket may be large."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

_BYTES_PER_TASK = 128 * 2**20
"""Of chunks: some two million records, seconds of work."""
_LEAST_BYTES = 8 * 2**20
"""A task with less is hardly worth its price: a quarter of a second."""
_TASKS_PER_CORE = 4
_LARGE = 1.5  # of what a task has on average


@dataclass(frozen=True, slots=True)
class BucketTasks:
    """The buckets of a level divided among tasks.

    A key is never divided and a bucket neither, so a bucket with a large key gets no others in its task: ``large``
    buckets have the first tasks for themselves, which are begun first. The rest of the tasks share the other buckets
    in their order: ``ends`` says where in it each task ends. Tasks get smaller to the end, so that cores that are done
    have little to wait for (guided self-scheduling: Polychronopoulos and Kuck, IEEE Transactions on Computers, 1987).
    """

    ends: tuple[int, ...]
    large: tuple[int, ...] = ()

    @classmethod
    def of(cls, sizes: Mapping[int, int], buckets: int, cores: int) -> BucketTasks:
        """The tasks for buckets with so many bytes of chunks."""
        total = sum(sizes.values())
        tasks = min(buckets, max(_TASKS_PER_CORE * cores, total // _BYTES_PER_TASK))
        share = total / tasks
        if tasks == buckets:
            return cls(tuple(range(1, buckets + 1)))
        large = sorted((size, bucket) for bucket, size in sizes.items() if size > _LARGE * share)
        alone = {bucket for _, bucket in large}
        others = [sizes.get(bucket, 0) for bucket in range(buckets) if bucket not in alone]
        left = sum(others)
        ends: list[int] = []
        wanted, held = 0.0, 0
        for place, size in enumerate(others, start=1):
            if not held:
                wanted = min(share, max(left / (2 * cores), _LEAST_BYTES))
            held += size
            if (held >= wanted and held < left) or place == len(others):
                ends.append(place)
                left, held = left - held, 0
        return cls(tuple(ends), tuple(bucket for _, bucket in reversed(large)))

    @property
    def tasks(self) -> int:
        """How many there are."""
        return len(self.large) + len(self.ends)

    def task_of(self, bucket: int) -> int:
        """The task of a bucket."""
        if bucket in self.large:
            return self.large.index(bucket)
        before = bucket - sum(each < bucket for each in self.large)
        return len(self.large) + bisect_right(self.ends, before)
