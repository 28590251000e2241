"""How far the time points of documents have come without a gap, and the records that are held above it.

The time points of a recorded document are dense: 1, 2, 3, …. So it is known what is missing, and ``--late wait`` holds
what is above a gap, in the state, until the gap is filled, or what is held has waited long enough.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ..errors import RecordError
from ..log import Batch, ClockCheck, Header
from ..log.decoding import RowDecoder
from ..log.json_codec import FASTEST
from ..log.records import RAISED, Aside, ClockRecord, raised_event
from ..timestamps import TimeError, microseconds
from .inputs import FilePart
from .quarantine import raw_record
from .since.past_files import Held
from .since.state_file import AuditState
from .splits import PartReader

_MOST_NOTES = 5


class Frontier:
    """How far each document is complete, and what is held above that; ``reached`` says how far it was before."""

    def __init__(self, reached: Callable[[str], int]) -> None:
        self._reached = reached
        self._at: dict[str, int] = {}
        # Time points above a gap, with their times in microseconds.
        self._above: dict[str, dict[int, int | None]] = defaultdict(dict)
        self._held: dict[str, list[Held]] = defaultdict(list)
        self._newest = 0  # microseconds
        self._skipped: dict[str, tuple[int, int, int]] = {}  # the first, the last, how many

    def of(self, doc: str) -> int:
        """The last time point of a document up to which nothing is missing."""
        if doc not in self._at:
            self._at[doc] = self._reached(doc)
        return self._at[doc]

    def take(self, doc: str, ts: int, at: str | None, line: Callable[[], str], *, change: bool) -> None:
        """A record has come, out of a log or of the state."""
        time = _time(at)
        self._newest = max(self._newest, time or 0)
        reached = self.of(doc)
        if ts > reached + change:
            self._held[doc].append(Held(doc, ts, at, change, line()))
        if change and ts > reached:
            self._above[doc][ts] = time
            self._advance(doc)

    def _advance(self, doc: str) -> None:
        above, at = self._above[doc], self.of(doc)
        while at + 1 in above:
            at += 1
            del above[at]
        self._at[doc] = at

    def skip(self, longest: int | None) -> None:
        """Gives gaps up above which a change has waited for longer (microseconds; None: all gaps, and the end)."""
        for doc, held in self._held.items():
            above = self._above[doc]
            until = max((ts for ts, time in above.items() if self._has_waited(time, longest)), default=0)
            reached, first = self.of(doc), 0
            for ts in sorted(above):
                if ts > until:
                    break
                if ts > reached + 1:
                    first = first or reached + 1
                    self._skipped[doc] = (
                        first,
                        ts - 1,
                        self._skipped.get(doc, (0, 0, 0))[2] + ts - reached - 1,
                    )
                reached = ts
                del above[ts]
            self._at[doc] = reached
            self._advance(doc)
            if longest is None:
                self._at[doc] = max(self.of(doc), *(each.ts for each in held))

    def _has_waited(self, time: int | None, longest: int | None) -> bool:
        return longest is None or (time is not None and self._newest - time > longest)

    def held(self) -> Iterator[Held]:
        """What is above the frontier, in the order in which it came."""
        return (each for held in self._held.values() for each in held if each.ts > self.of(each.doc))

    def notes(self) -> Iterator[str]:
        """What is to be said of the first documents in which something was skipped, or is held."""
        for doc, (first, last, count) in islice(self._skipped.items(), _MOST_NOTES):
            skipped = (
                f"ts {first:,}, which has"
                if count == 1
                else f"{count:,} from ts {first:,} to {last:,}, which have"
            )
            yield f"document {doc!r}: skipped {skipped} not come"
        above = {
            doc: [each.ts for each in held if each.ts > self.of(doc)] for doc, held in self._held.items()
        }
        waiting = {doc: found for doc, found in above.items() if found}
        for doc, found in islice(waiting.items(), _MOST_NOTES):
            records = "1 record is" if len(found) == 1 else f"{len(found):,} records are"
            yield f"document {doc!r}: {records} held, from ts {min(found):,} on: ts {self.of(doc) + 1:,} has not come"
        if (more := len(waiting) - _MOST_NOTES) > 0:
            yield f"… and {more:,} more documents with records that are held"


def frontier_of(
    parts: Iterable[FilePart], held: Iterable[Held], reached: Callable[[str], int], longest: int | None,
    *, give_up: bool,
) -> Frontier:  # fmt: skip
    """How far documents are complete with what is new and what was held. Gaps are given up after ``longest``
    (microseconds; None: never), or with ``give_up`` at once."""
    frontier = Frontier(reached)
    for each in held:
        frontier.take(each.doc, each.ts, each.at, lambda each=each: each.line, change=each.change)  # type: ignore[misc]
    for part in parts:
        _take_part(frontier, part)
    if give_up or longest is not None:
        frontier.skip(None if give_up else longest)
    return frontier


def late_of(parts: Iterable[FilePart], state: AuditState) -> dict[str, int]:
    """The first time point of each document in what is new that runs before have gone beyond."""
    first: dict[str, int] = {}
    places: dict[str, tuple[int, tuple[int, int]]] = {}
    for part in parts:
        for doc, ts, at, _, change in _records_of(part):
            if doc not in places:
                places[doc] = state.place(doc)
            before, clock = places[doc]
            is_late = ts <= max(before, clock[0]) if change else ts < before or (ts, _time(at) or 0) < clock
            if is_late:
                first[doc] = min(ts, first.get(doc, ts))
    return first


def _take_part(frontier: Frontier, part: FilePart) -> None:
    for doc, ts, at, line, change in _records_of(part):
        frontier.take(doc, ts, at, line, change=change)


def _records_of(part: FilePart) -> Iterator[tuple[str, int, str | None, Callable[[], str], bool]]:
    """Document, time point, time and line of what belongs to a time point, and whether it is a change."""
    for item in PartReader(part, RowDecoder(ClockCheck.ANY), lambda _: None, controls=True).read():
        if isinstance(item, Batch):
            for row in item.rows:
                yield row[8], row[0], row[7], lambda row=row: raw_record(row).decode(), True  # type: ignore[misc]
        elif (place := place_of(item[1])) is not None:
            doc, ts, at = place
            record = item[1].to_record()
            yield doc, ts, at, lambda record=record: FASTEST.dumps(record).decode(), False  # type: ignore[misc]


def place_of(aside: Aside) -> tuple[str, int, str | None] | None:
    """Document, time point and time of a clock record or an external event; None for what belongs to no time point."""
    if isinstance(aside, ClockRecord):
        return aside.doc, aside.ts, aside.at
    if isinstance(aside, Header) or aside.kind != RAISED:
        return None
    try:
        cause = raised_event(aside).cause
    except RecordError:
        return None
    return cause.doc, cause.ts, cause.at


def _time(at: str | None) -> int | None:
    try:
        return None if at is None else microseconds(at)
    except TimeError:
        return None
