"""Logs for the tests of audits: random histories written as files, interleaved, cut, rolled over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hypothesis import strategies as st

from tests.strategies import histories
from xmlcep.documents.replica import Replica
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import ClockRecord, Header, change_record

LogItem: TypeAlias = Header | PrimitiveEvent | ClockRecord


@dataclass(frozen=True)
class Life:
    """What happened to one document; its log begins after the first ``skipped`` events."""

    doc: str
    events: tuple[PrimitiveEvent, ...]
    skipped: int

    @property
    def recorded(self) -> tuple[PrimitiveEvent, ...]:
        """The events that are in the log."""
        return self.events[self.skipped :]

    def log(self) -> list[Header | PrimitiveEvent]:
        """The log, with a header if it begins later than the document."""
        return begun_later(list(self.events), self.skipped, self.doc)


@st.composite
def lives(
    draw: st.DrawFn, *, max_documents: int = 3, max_actions: int = 12, min_actions: int = 1, busy: bool = False,
    transactions: bool | None = None, late: bool = False,
) -> list[Life]:  # fmt: skip
    """The lives of some documents, each perhaps begun before its log; ``late``: each for sure, if it is long enough.

    ``busy`` and ``transactions`` are as in `histories`.
    """
    found = []
    for number in range(draw(st.integers(1, max_documents))):
        doc = f"doc{number}"
        history = draw(
            histories(
                min_actions=min_actions,
                max_actions=max_actions,
                doc=doc,
                busy=busy,
                transactions=transactions,
            )
        )
        skipped = draw(st.sampled_from((3, 4, 5, 6, 8, 11) if late else (0, 0, 0, 0, 1, 2, 3, 5, 8)))
        found.append(Life(doc, history.events, skipped if skipped < len(history.events) else 0))
    return found


def documents(
    *, max_documents: int = 3, max_actions: int = 12, min_actions: int = 1, busy: bool = False
) -> st.SearchStrategy[list[list[Header | PrimitiveEvent]]]:
    """The logs of some documents, each perhaps begun in the middle of the document's life, with a header."""
    drawn = lives(max_documents=max_documents, max_actions=max_actions, min_actions=min_actions, busy=busy)
    return drawn.map(lambda found: [life.log() for life in found])


def begun_later(events: list[PrimitiveEvent], skipped: int, doc: str) -> list[Header | PrimitiveEvent]:
    """The log that begins after the first events, with the document as it was then."""
    if not skipped or skipped >= len(events):
        return list(events)
    replica = Replica()
    for event in events[:skipped]:
        replica.apply(event)
    xml, ids = replica.snapshot()
    return [Header(doc, xml, tuple(ids), skipped), *events[skipped:]]


@st.composite
def interleaved(draw: st.DrawFn, parts: list[list[Header | PrimitiveEvent]]) -> list[Header | PrimitiveEvent]:
    """The logs of several documents as one: each in its order, turns drawn."""
    left = [list(reversed(part)) for part in parts if part]
    found = []
    while left:
        turn = draw(st.integers(0, len(left) - 1))
        for _ in range(draw(st.integers(1, 4))):
            if left[turn]:
                found.append(left[turn].pop())
        left = [part for part in left if part]
    return found


@st.composite
def with_clocks(draw: st.DrawFn, log: Sequence[LogItem]) -> list[LogItem]:
    """The log with clock records, most of them where they belong (W6), some in transactions, some too early or late."""
    found = list(log)
    for place, minute, moved in draw(
        st.lists(
            st.tuples(st.integers(0, 40), st.integers(0, 3), st.sampled_from((0, 0, 0, 0, 1, 2, -1))),
            max_size=4,
        )
    ):
        if place >= len(found):
            continue
        item = found[place]
        clock = ClockRecord(item.doc, item.ts, f"2026-01-01T02:0{minute}:00Z")
        found.insert(max(0, place + 1 + moved), clock)
    return found


def write_log(path: Path, items: Sequence[LogItem | bytes]) -> Path:
    """Writes a JSON Lines log; bytes are written as they are."""
    lines = []
    for item in items:
        if isinstance(item, bytes):
            lines.append(item)
        else:
            record = change_record(item) if isinstance(item, PrimitiveEvent) else item.to_record()
            lines.append(FASTEST.dumps(record))
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path
