"""Questions about events over documents (V11): asked of the changes of all documents, in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ..engine import Detector
from ..engine.across import Across, Part
from ..events import CompositeEvent, PrimitiveEvent
from ..explaining.history import History
from ..explaining.values import Explanation, Pending, PendingGroup
from ..explaining.values import Part as Shown
from ..explaining.why import why as why_raised
from ..explaining.why_not import why_not as why_not_raised
from ..log.records import ClockRecord
from ..recording.moment import When
from ..rules import Rules
from .findings.order import Ranking
from .local.across import PartsOfDocuments, raised_in_order
from .pasts import Pasts, give


class _OneOrder(NamedTuple):
    """What happened in all documents up to a moment, in one order, and until when something can be due."""

    parts: list[Part]
    end: int


def _in_one_order(log: Pasts, rules: Rules, at: When, *, flushed: bool = True) -> _OneOrder:
    """``flushed``: the end of a log is the end of its transaction (D3)."""
    found: list[tuple[int, str, Part]] = []
    noted = PartsOfDocuments(Across(rules), lambda doc, part: found.append((part.time, doc, part)))
    for doc, past in log.documents.items():
        detector = Detector(rules, document=past.start())
        point = past.point(at)
        items, time = list(past.until(point)), None
        for item in items if flushed or point is not None else items[:-1]:
            if isinstance(item, ClockRecord):
                time = noted.advance(time, item.at)
            record = item if isinstance(item, PrimitiveEvent) else None
            time = noted.take(doc, time, record, give(item, detector))
        noted.take(doc, time, None, detector.end_edit())
    found.sort(key=lambda each: each[:2])
    return _OneOrder([part for *_, part in found], noted.end)


def pending_across(
    log: Pasts, rules: Rules, at: When, event: str | None, *, limit: int | None, complete: bool
) -> Pending:
    """What is pending in the events over documents (Y1)."""
    known, end = _in_one_order(log, rules, at, flushed=False)
    across = Across(rules)
    for part in known:
        across.take(part)
    across.advance(end)
    found = across.detector.pending(event=event, limit=limit, complete=complete)
    return Pending([_restored(across, group) for group in found], found.total)


def found_across(log: Pasts, rules: Rules) -> list[CompositeEvent]:
    """What events over documents find, in the order of an audit."""
    known, end = _in_one_order(log, rules, None)
    return [each for _, each in raised_in_order(Across(rules), Ranking(rules), known, end)]


def why_across(
    log: Pasts, rules: Rules, event: str, means: Callable[[CompositeEvent], bool], number: int = 1
) -> Explanation | None:
    """Why a finding over documents was raised (Y2), the one with this number of those that are meant; None if there is
    none."""
    replayed = _Replayed(log, rules, event, None)
    for raised, restored in replayed.findings():
        number -= means(restored)
        if not number:
            return replayed.shown(why_raised(replayed.history.evidence, raised, doc=restored.cause.doc))
    return None


def why_not_across(log: Pasts, rules: Rules, event: str, at: When, since: int) -> Explanation:
    """Why an event over documents was not raised (Y3), up to a moment; what was raised before ``since`` (microseconds
    since 1970) is no answer."""
    replayed = _Replayed(log, rules, event, at)
    for _ in replayed.findings():
        pass
    before = sum(part.time < since for part in replayed.known.parts)
    return replayed.shown(why_not_raised(replayed.history.evidence, since=before + 1))


class _Replayed:
    """The history of all documents, replayed with a question about one event in mind."""

    def __init__(self, log: Pasts, rules: Rules, event: str, at: When) -> None:
        self.known = _in_one_order(log, rules, at)
        self.history = History(rules, event)
        self._event = event
        self._across = Across(rules, player=self.history)

    def findings(self) -> Iterator[tuple[CompositeEvent, CompositeEvent]]:
        """What is raised: as the history knows it, and as its documents do."""
        count = 0
        for part in self.known.parts:
            yield from self._new(count, [*self._across.advance(part.time - 1), *self._across.take(part)])
            count = len(self.history.raised)
        yield from self._new(count, self._across.advance(self.known.end))

    def _new(
        self, count: int, restored: Iterable[CompositeEvent]
    ) -> Iterable[tuple[CompositeEvent, CompositeEvent]]:
        roots = [each for each in restored if each.name == self._event and each.operator is None]
        return zip(self.history.raised[count:], roots, strict=True)

    def shown(self, answer: Explanation) -> Explanation:
        """An answer about changes as they are in their documents."""
        return replace(answer, groups=tuple(_restored(self._across, group) for group in answer.groups))


def _restored(across: Across, group: PendingGroup) -> PendingGroup:
    def part(shown: Shown) -> Shown:
        events = tuple(map(across.as_it_was, shown.events))
        return replace(shown, events=events, parts=tuple(map(part, shown.parts)))

    return replace(group, part=part(group.part))
