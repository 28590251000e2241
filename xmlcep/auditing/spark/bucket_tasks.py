"""Which task replays which bucket: a task has a price of its own, and a bucket may be large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_BYTES_PER_TASK = 128 * 2**20
"""Of chunks: some two million records, seconds of work."""
_TASKS_PER_CORE = 4
_LARGE = 1.5  # of what a task has on average


@dataclass(frozen=True, slots=True)
class BucketTasks:
    """The buckets of a level divided among ``tasks``.

    A key is never divided and a bucket neither, so a bucket with a large key gets no others in its task: ``large``
    buckets have the first tasks for themselves, which are begun first. The rest of the tasks share the other buckets.
    """

    tasks: int
    large: tuple[int, ...] = ()

    @classmethod
    def of(cls, sizes: Mapping[int, int], buckets: int, cores: int) -> BucketTasks:
        """The tasks for buckets with so many bytes of chunks."""
        total = sum(sizes.values())
        tasks = min(buckets, max(_TASKS_PER_CORE * cores, total // _BYTES_PER_TASK))
        if tasks == buckets:
            return cls(tasks)
        limit = _LARGE * total / tasks
        large = sorted((size, bucket) for bucket, size in sizes.items() if size > limit)
        return cls(tasks, tuple(bucket for _, bucket in reversed(large)))

    def task_of(self, bucket: int) -> int:
        """The task of a bucket."""
        if bucket in self.large:
            return self.large.index(bucket)
        return len(self.large) + bucket % (self.tasks - len(self.large))
