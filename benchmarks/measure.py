"""The clock and the memory gauge.

CPU seconds of this process (all its threads), not wall-clock time: other work on the machine hardly
changes them. The alternatives of a case take turns, so that a change of the machine's speed meets all of
them. The garbage collector is on, as in a user's process; what was made before the first run (the
rows) is frozen, so that it is not searched again and again.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from .frame import Figure

GC_STATE = "garbage collector on, input frozen"


@dataclass(frozen=True, slots=True)
class Timing:
    """CPU seconds of the runs of one alternative, and what its last run returned."""

    seconds: tuple[float, ...]
    result: object

    @property
    def median(self) -> float:
        """The median of the runs."""
        return statistics.median(self.seconds)


@contextmanager
def frozen_input() -> Iterator[None]:
    """Keeps everything that exists now out of the garbage collector's searches."""
    frozen_before = gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        if not frozen_before:  # what a caller has frozen cannot be told apart, and stays so
            gc.unfreeze()


def measure(
    alternatives: Mapping[str, Callable[[], object]],
    *,
    runs: int,
    before: Mapping[str, Callable[[], object]] | None = None,
) -> dict[str, Timing]:
    """Runs all alternatives in turn, once to warm up and then ``runs`` times under the clock.

    ``before`` is what is to be done before each run of an alternative, outside the clock.
    """
    seconds: dict[str, list[float]] = {name: [] for name in alternatives}
    results: dict[str, object] = {}
    with frozen_input():
        for turn in range(runs + 1):
            for name, function in alternatives.items():
                if before is not None:
                    before[name]()
                gc.collect()
                start = process_time()
                results[name] = function()
                if turn:
                    seconds[name].append(process_time() - start)
    return {name: Timing(tuple(taken), results[name]) for name, taken in seconds.items()}


def per_event(
    benchmark: str,
    case: str,
    timings: Mapping[str, Timing],
    *,
    events: int,
    base: str = "floor",
    what: str = "matches",
) -> Iterator[Figure]:
    """One figure per alternative: µs of CPU per event and the ratio to the alternative called ``base``.

    ``what`` is that of which the alternatives return the number.
    """
    for name, timing in timings.items():
        scale = 1e6 / events
        ratio = timing.median / timings[base].median if base in timings and name != base else None
        note = f"{timing.result:,} {what}" if isinstance(timing.result, int) else ""
        yield Figure(
            benchmark, f"{case}, {name}" if case else name, timing.median * scale, "µs/event",
            ratio, base if ratio is not None else "",
            min(timing.seconds) * scale, max(timing.seconds) * scale, note,
        )  # fmt: skip


def resident_bytes() -> int:
    """How much memory the process holds now (after a garbage collection)."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.exists():
        from resource import getpagesize

        return int(statm.read_text().split()[1]) * getpagesize()
    from resource import RUSAGE_SELF, getrusage  # elsewhere only the peak can be had

    return getrusage(RUSAGE_SELF).ru_maxrss


def peak_bytes() -> int:
    """The most memory the process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    from resource import RUSAGE_SELF, getrusage

    return getrusage(RUSAGE_SELF).ru_maxrss
