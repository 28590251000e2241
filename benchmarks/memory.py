"""Memory over a long history: every item is finished and deleted, none of it may stay.

The history is streamed, so what grows is the engine's state alone. The number of events of this
benchmark is that of the settings; memory is looked at after a hundredth, a tenth and all of them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import islice

from .engine import as_events, count
from .frame import Figure, Settings, Unavailable
from .histories import History
from .measure import peak_bytes, resident_bytes
from .queries import both_rule, complete_rule

TITLE = "Memory while items come and go (1000 open at once, all deleted at the end): Q1 and Q2 together"
WINDOW = 1000


def run(settings: Settings) -> Iterator[Figure]:
    """Resident memory, its peak and the number of live objects at three points of the history."""
    try:
        from xmlcep import Detector, parse_rules
    except ImportError as error:
        raise Unavailable(f"the engine: {error}") from error
    detector = Detector(parse_rules(f"{complete_rule()}\n{both_rule()}"))
    rows = as_events(History(settings.events, WINDOW, deleted=1.0, seed=settings.seed).rows())
    done, first = 0, 0.0
    for share in (100, 10, 1):
        until = settings.events // share
        matches = count(detector.replay(islice(rows, until - done)))
        done = until
        resident = resident_bytes() / 2**20
        first = first or resident
        note = f"{len(gc.get_objects())} objects, {matches} matches since the last look"
        case = f"after 1/{share} of the events"
        yield Figure("memory", case, resident, "MiB", resident / first, "the first look", note=note)
    yield Figure("memory", "peak of the process", peak_bytes() / 2**20, "MiB")
