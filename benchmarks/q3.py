"""Q3: many rules at once. All of them matching, then one of them matching among many that cannot."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .engine import detection, first_detection
from .floor import count_complete, count_many
from .frame import Figure, Settings
from .histories import History
from .measure import measure, per_event
from .queries import ITEM, complete_rule, many_rules, rows_in_memory

TITLE = "Q3, 1 to 200 rules at once: over as many element names; and 1 that matches among others that cannot"
COUNTS = (1, 10, 50, 200)
WINDOW = 1000


def run(settings: Settings) -> Iterator[Figure]:
    """Engine and floor for each number of rules; Q1 as the only rule that matches; getting ready."""
    for count in COUNTS:
        text, forms = many_rules(count)
        names = tuple(f"item{number}" for number in range(count))
        rows = rows_in_memory(History(settings.events, WINDOW, names=names, seed=settings.seed))
        timings = measure(
            {"floor": partial(count_many, rows, forms), "engine": detection(text, rows)}, runs=settings.runs
        )
        yield from per_event("q3", f"{count} rules", timings, events=settings.events)
    rows = rows_in_memory(History(settings.events, WINDOW, seed=settings.seed))
    detections = {
        f"{count} rules": detection(f"{complete_rule()}\n{many_rules(count - 1)[0]}", rows)
        for count in COUNTS
    }
    timings = measure({"floor": partial(count_complete, rows, ITEM), **detections}, runs=settings.runs)
    yield from per_event("q3", "one matches", timings, events=settings.events, base="1 rules")
    for count in COUNTS:
        text, _ = many_rules(count)
        names = tuple(f"item{number}" for number in range(count))
        few = list(History(20 * count, count, names=names, seed=settings.seed).rows())
        timing = measure({"ready": first_detection(text, few)}, runs=settings.runs)["ready"]
        note = f"from text to {len(few):,} events of all types"
        yield Figure("q3", f"getting ready, {count} rules", timing.median * 1e3, "ms", note=note)
