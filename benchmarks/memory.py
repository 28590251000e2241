"""Memory over a long history: every item is finished and deleted, none of it may stay; or none is deleted, and what
waits in windows goes when these are over (W1, W2).

The history is streamed, so what grows is the engine's state alone. The number of events of this
benchmark is that of the settings; memory is looked at after a hundredth, a tenth and all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from .engine import as_events, count
from .frame import Figure, Settings, Unavailable
from .histories import History, Row
from .measure import peak_bytes, resident_bytes
from .queries import both_rule, complete_rule
from .samples import RULES

TITLE = "Memory of a long history (1000 items open at once)"
WINDOW = 1000
SAMPLE_SHARE = 10  # of the events, for rules that cost more
EXPIRING = """
event NoQuantity = (ins(item) ; not ins(item/quantity)) {within="20000 changes"}
event Soon = (ins(item/price) & ins(item/quantity)) {within="5 h"}
event Often = x[3,*]{within="20000 changes"} upd(item/price/text())
event Forgotten = (ins(item) ; not ins(item/comment)) {within="5 h"}
"""
"""Each record comes a second after the one before."""


def run(settings: Settings) -> Iterator[Figure]:
    """Resident memory and stored events at three points of the history: Q1 and Q2, then the sample rules, then rules
    with windows over items that stay."""
    queries = f"{complete_rule()}\n{both_rule()}"
    events = settings.events
    cases: list[tuple[str, str, int, Iterable[Row]]] = []
    going = History(events, WINDOW, deleted=1.0, seed=settings.seed)
    cases.append(("Q1 and Q2", queries, events, going.rows()))
    if RULES.exists():
        fewer = events // SAMPLE_SHARE
        history = History(fewer, WINDOW, deleted=1.0, transaction=50, seed=settings.seed)
        cases.append(("sample rules", RULES.read_text(encoding="utf-8"), fewer, history.rows()))
    staying = History(events, WINDOW, deleted=0.0, seed=settings.seed)
    cases.append(("windows, nothing deleted", EXPIRING, events, _with_times(staying.rows())))
    for name, rules, count_, rows in cases:
        if settings.only in name:
            yield from _looks(name, rules, count_, rows)
    yield Figure("memory", "peak of the process", peak_bytes() / 2**20, "MiB")


def _with_times(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows with their times, a second after each other."""
    from xmlcep.timestamps import timestamp

    for row in rows:
        yield (*row[:7], timestamp(row[0] * 1_000_000), *row[8:])


def _looks(name: str, rules_text: str, events: int, history: Iterable[Row]) -> Iterator[Figure]:
    try:
        from xmlcep import Detector, parse_rules
    except ImportError as error:
        raise Unavailable(f"the engine: {error}") from error
    detector = Detector(parse_rules(rules_text))
    rows = as_events(history)
    done, first = 0, 0.0
    for share in (100, 10, 1):
        until = events // share
        matches = count(detector.replay(islice(rows, until - done)))
        done = until
        resident = resident_bytes() / 2**20
        first = first or resident
        note = f"{matches:,} matches since, {detector.size():,} events stored"
        case = f"{name}, after {until:,} events"
        yield Figure("memory", case, resident, "MiB", resident / first, "first", note=note)
