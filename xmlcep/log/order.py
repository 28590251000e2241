"""Which records of a log are bad by their time points: the fewest without which those of each document increase.

A reader that met a record with a ts far too high could not know it yet, and would take every good record behind it for
late. So what is read is held back until `LOOK_AHEAD` more records are read: by then the documents that are not in
order have shown which of their records do not fit to the others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from ..errors import XmlCepError
from .batches import Batch
from .errors import BadRecord
from .quarantine import BadRecordPolicy
from .records import Aside, ClockRecord

LOOK_AHEAD = 8192
"""So many records behind one are looked at before it is handed out."""


class Piece(NamedTuple):
    """What a reader took from a file in one go: its records, those that are bad by themselves, how many lines or
    records that were.

    ``begins`` are the clocks of its documents before it; in the ``disordered`` ones a record does not come after the
    one before. ``complain`` makes the bad record of the number of one and a reason.
    """

    file: str
    items: list[tuple[int, Aside] | Batch]
    bad: list[BadRecord]
    size: int = 0
    begins: dict[str, int] = {}  # noqa: RUF012 - nobody changes it
    disordered: Collection[str] = ()
    complain: Callable[[int, str], BadRecord] | None = None


def in_order(pieces: Iterator[Piece], on_bad: BadRecordPolicy) -> Generator[Piece, None, None]:
    """The same pieces without records that are out of order; ``on_bad`` gets all bad ones, in the order of the log."""
    order = _Order()
    failure: XmlCepError | None = None
    while failure is None:
        try:
            piece = next(pieces, None)
        except XmlCepError as error:  # what was read before comes first
            piece, failure = None, error
        if piece is None:
            break
        order.hold(piece)
        while order.is_ready:
            yield order.first(on_bad)
    while order.held:
        yield order.first(on_bad)
    if failure is not None:
        raise failure


class Place(NamedTuple):
    """Where a record is in the order of its document: its time point, and of a clock record its time (W6)."""

    ts: int
    time: float = -inf
    at: str | None = None

    @property
    def is_clock(self) -> bool:
        """Whether it is that of a clock record."""
        return self.at is not None

    @property
    def key(self) -> tuple[int, float]:
        """What the order goes by."""
        return self[:2]


class _Record(NamedTuple):
    """A record of a document that is not in order: the number of its piece, and its number there."""

    place: Place
    piece: int
    number: int


class _Order:
    """Pieces that are held back, and where the documents are that were not in order."""

    def __init__(self) -> None:
        self.held: deque[Piece] = deque()
        self._size = 0
        self._watched: dict[str, Place] = {}  # documents that were not in order: the last record handed out
        self._clocks: dict[str, Place] = {}  # the last clock record of each document

    @property
    def is_ready(self) -> bool:
        """Whether enough is held to judge the first piece."""
        return bool(self.held) and self._size - self.held[0].size >= LOOK_AHEAD

    def hold(self, piece: Piece) -> None:
        self.held.append(piece)
        self._size += piece.size

    def first(self, on_bad: BadRecordPolicy) -> Piece:
        """The first piece without the records that are out of order."""
        docs = self._watched.keys() | set().union(*(piece.disordered for piece in self.held))
        reasons = self._reasons(docs) if docs else {}
        piece = self.held.popleft()
        self._size -= piece.size
        bad = piece.bad
        if reasons:
            assert piece.complain is not None
            late = [piece.complain(number, reason) for number, reason in reasons.items()]
            bad = sorted([*bad, *late], key=lambda each: each.origin.record)
        for each in bad:
            on_bad(each)
        items = list(_without(piece.items, reasons)) if reasons else piece.items
        for item in items:
            if not isinstance(item, Batch) and isinstance(item[1], ClockRecord):
                self._clocks[item[1].doc] = _place_of(item[1])
        return piece._replace(items=items, bad=[])

    def _reasons(self, docs: Collection[str]) -> dict[int, str]:
        """What is wrong with records of the first piece, by their numbers."""
        found: dict[int, str] = {}
        for doc, records in self._records_of(docs).items():
            start = self._watched[doc] if doc in self._watched else self._begin(doc)
            kept = fitting([record.place for record in records], start)
            last = start
            for index, record in enumerate(records):
                if record.piece:
                    break
                if kept[index]:
                    last = record.place
                else:
                    following = (
                        each.place for each, good in zip(records[index:], kept[index:], strict=True) if good
                    )
                    found[record.number] = _reason(doc, record.place, last, next(following, None))
            if all(kept) and not any(doc in piece.disordered for piece in self.held):
                self._watched.pop(doc, None)
            else:
                self._watched[doc] = last
        return found

    def _records_of(self, docs: Collection[str]) -> dict[str, list[_Record]]:
        """The records of these documents that are held."""
        found: dict[str, list[_Record]] = {}
        for place, piece in enumerate(self.held):
            for item in piece.items:
                if isinstance(item, Batch):
                    for row, number in zip(item.rows, item.numbers, strict=True):
                        if row[8] in docs:
                            found.setdefault(row[8], []).append(_Record(Place(row[0]), place, number))
                elif isinstance(item[1], ClockRecord) and item[1].doc in docs:
                    found.setdefault(item[1].doc, []).append(_Record(_place_of(item[1]), place, item[0]))
        return found

    def _begin(self, doc: str) -> Place:
        """Where a document was before what is held, all of which came in order."""
        ts = next((piece.begins[doc] for piece in self.held if doc in piece.begins), 0)
        clock = self._clocks.get(doc)
        return clock if clock is not None and clock.ts == ts else Place(ts)


def _place_of(clock: ClockRecord) -> Place:
    return Place(clock.ts, clock.time, clock.at)


def fitting(places: Sequence[Place], start: Place) -> list[bool]:
    """Which records of a document to keep so that they are in order from ``start`` on: as many as can be.

    Where there is a choice it keeps more change records, then the lower time points, since a ts that is too high hides
    more. Of two change records with one ts the first goes if it skips a time point, as that is where the second
    belongs; else the second.

    >>> fitting([Place(1), Place(900), Place(2), Place(3)], Place(0))
    [True, False, True, True]
    >>> fitting([Place(3), Place(5), Place(5), Place(6)], Place(2))
    [True, False, True, True]
    """
    keys = sorted({place.key for place in places})
    best = _Best(len(keys))
    before: list[int] = []  # of each record the index of the one before it in its choice
    for index, place in enumerate(places):
        rank = bisect_left(keys, place.key)
        chosen = best.below(rank + place.is_clock)
        before.append(chosen.record)
        if place.key > start.key or (place.key == start.key and place.is_clock):
            skips = (start if chosen.record < 0 else places[chosen.record]).ts + 1 < place.ts
            preference = index if skips else -index
            best.put(
                _Choice(chosen.records + 1, chosen.changes + (not place.is_clock), -rank, preference, index)
            )
    kept = [False] * len(places)
    index = best.below(len(keys)).record
    while index >= 0:
        kept[index] = True
        index = before[index]
    return kept


class _Choice(NamedTuple):
    """How many records are kept up to one, how many of them are change records; the greater choice is the better."""

    records: int = 0
    changes: int = 0
    minus_rank: int = 0
    preference: int = 0
    record: int = -1


class _Best:
    """The best choices that end with a record of some rank or a lower one (a Fenwick tree)."""

    def __init__(self, ranks: int) -> None:
        self._nodes = [_Choice()] * (ranks + 1)

    def below(self, rank: int) -> _Choice:
        """The best of those below a rank."""
        found = _Choice()
        while rank:
            found = max(found, self._nodes[rank])
            rank &= rank - 1
        return found

    def put(self, choice: _Choice) -> None:
        node = 1 - choice.minus_rank
        while node < len(self._nodes):
            self._nodes[node] = max(self._nodes[node], choice)
            node += node & -node


def _reason(doc: str, place: Place, last: Place, following: Place | None) -> str:
    """Why a record between these two of its document is out of order."""
    what = "ts of a clock record" if place.is_clock else "ts"
    if following is not None and place.key > last.key:
        if place.ts == following.ts and place.is_clock and following.is_clock:
            return _reason_of_time(place, "before", following, "an earlier")
        return f"{what} is {place.ts} before {following.ts} of the same document ({doc!r}): expected a smaller one"
    if not place.is_clock:
        return f"ts is {place.ts} after {last.ts} of the same document ({doc!r}): expected a greater one"
    if place.ts == last.ts:
        return _reason_of_time(place, "after", last, "a later")
    expected = "expected it after the record of its ts"
    return f"{what} is {place.ts} after {last.ts} of the same document ({doc!r}): {expected}"


def _reason_of_time(place: Place, where: str, other: Place, expected: str) -> str:
    return f"at of a clock record is {place.at} {where} {other.at} of the same document and ts: expected {expected} one"


def _without(
    items: Iterable[tuple[int, Aside] | Batch], numbers: Collection[int]
) -> Iterator[tuple[int, Aside] | Batch]:
    """These items without the records of these numbers."""
    for item in items:
        if not isinstance(item, Batch):
            if item[0] not in numbers:
                yield item
        elif not numbers:
            yield item
        else:
            chosen = [index for index, number in enumerate(item.numbers) if number not in numbers]
            if chosen:
                rows, own = [item.rows[each] for each in chosen], [item.numbers[each] for each in chosen]
                yield Batch(item.file, rows, own)
