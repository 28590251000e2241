"""What the contexts and termination modes cost: Q1 in each of them, and flat."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .engine import detection
from .floor import count_complete
from .frame import Figure, Settings
from .histories import History
from .measure import measure, per_event
from .queries import ITEM, complete_rule, rows_in_memory

TITLE = "Contexts and termination modes on Q1 (100 items open at once, a transaction every 50 events)"
CONTEXTS = ("unrestricted", "recent", "chronicle", "continuous", "cumulative")
ENDS = ("earliest", "non-local", "custom")


def run(settings: Settings) -> Iterator[Figure]:
    """One figure per context and termination mode of the root; the ratio is to the floor of plain Q1."""
    rows = rows_in_memory(History(settings.events, 100, transaction=50, seed=settings.seed))
    for end in ENDS:
        alternatives = {context: detection(_rule(context, end), rows) for context in CONTEXTS}
        timings = measure({"floor": partial(count_complete, rows, ITEM), **alternatives}, runs=settings.runs)
        yield from per_event("contexts", f"end={end}", timings, events=settings.events)


def _rule(context: str, end: str) -> str:
    return complete_rule().replace(" =", f" {{context={context}, end={end}}} =", 1)
