"""Memory over a long history: every item is finished and deleted, none of it may stay.

The history is streamed, so what grows is the engine's state alone. The number of events of this
benchmark is that of the settings; memory is looked at after a hundredth, a tenth and all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from .engine import as_events, count
from .frame import Figure, Settings, Unavailable
from .histories import History
from .measure import peak_bytes, resident_bytes
from .queries import both_rule, complete_rule
from .samples import RULES

TITLE = "Memory while items come and go (1000 open at once, all deleted at the end)"
WINDOW = 1000
SAMPLE_SHARE = 10  # of the events, for rules that cost more


def run(settings: Settings) -> Iterator[Figure]:
    """Resident memory and stored events at three points of the history: Q1 and Q2, then the sample rules."""
    queries = f"{complete_rule()}\n{both_rule()}"
    history = History(settings.events, WINDOW, deleted=1.0, seed=settings.seed)
    yield from _looks("Q1 and Q2", queries, history)
    if RULES.exists():
        events = settings.events // SAMPLE_SHARE
        history = History(events, WINDOW, deleted=1.0, transaction=50, seed=settings.seed)
        yield from _looks("sample rules", RULES.read_text(encoding="utf-8"), history)
    yield Figure("memory", "peak of the process", peak_bytes() / 2**20, "MiB")


def _looks(name: str, rules_text: str, history: History) -> Iterator[Figure]:
    try:
        from xmlcep import Detector, parse_rules
    except ImportError as error:
        raise Unavailable(f"the engine: {error}") from error
    detector = Detector(parse_rules(rules_text))
    rows = as_events(history.rows())
    done, first = 0, 0.0
    for share in (100, 10, 1):
        until = history.events // share
        matches = count(detector.replay(islice(rows, until - done)))
        done = until
        resident = resident_bytes() / 2**20
        first = first or resident
        note = f"{matches:,} matches since, {detector.size():,} events stored"
        case = f"{name}, after {until:,} events"
        yield Figure("memory", case, resident, "MiB", resident / first, "first", note=note)
