"""Events over documents: one detector for the changes of all of them, in their order (rule V11).

It is an ordinary detector of flat trees. What it is fed has a place in the order of all documents in place of the time
point, a number that knows what it is the place of; in what it raises each change is again that of its document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from contexts.entry import Moment
from path_types import PathType
from path_types.types import DOCUMENT

from ..events import Cause, CompositeEvent, Event, PrimitiveEvent, TimePoint
from ..rules import Rules
from .detector import Detector
from .dispatch import select
from .errors import UnknownTimeError


class Place(int):
    """The number of a change, or of what was raised, in the order of all documents; ``of`` is that itself."""

    of: Cause | CompositeEvent

    @classmethod
    def at(cls, number: int, of: Cause | CompositeEvent) -> Place:
        """The place with this number."""
        place = cls(number)
        place.of = of
        return place

    def __float__(self) -> float:
        """The time point in the document: what expressions see as ``$ts`` (F2)."""
        return float(self.of.ts)


class Across:
    """What the events over documents of some rules have seen.

    It has to be fed in the order of document time, document and time point.
    """

    def __init__(self, rules: Rules, *, operators: bool = False) -> None:
        trees = rules.graph.across
        self._names = frozenset(tree.name for tree in trees)
        self._used = {rules.graph.trees[index].name for tree in trees for index in tree.dependencies}
        self.name = trees[0].name
        """What the first of them is called, for messages."""
        self._detector = Detector(rules, operators=operators, trees=self._names)
        self._means = select(rules.graph, self._names).by_type
        self._count = self._time = 0

    def uses(self, raised: Sequence[CompositeEvent]) -> list[CompositeEvent]:
        """Of what the events of a document have raised what it is made of."""
        return [each for each in raised if each.operator is None and each.name in self._used]

    def takes(self, operation: str, path: PathType) -> bool:
        """Whether changes of this operation and path mean anything to it."""
        return self._means[operation, path] is not None

    def feed(
        self, time: int | None, record: PrimitiveEvent | None, raised: Sequence[CompositeEvent]
    ) -> list[CompositeEvent]:
        """A change, if there is one, at this time of its document (in microseconds since 1970), and what the events of
        its document raised with it; returns what that raises.

        Raises `UnknownTimeError` for what means something while no time of its document is known.
        """
        found: list[CompositeEvent] = []
        own: list[CompositeEvent] = []
        for cause, group in groupby(self.uses(raised), key=attrgetter("cause")):
            composites = list(group)
            if record is not None and isinstance(cause, PrimitiveEvent) and cause.ts == record.ts:
                own += composites
            else:
                found += self._take(time, cause, None, composites)
        if record is not None and (own or self.takes(record.op, record.path)):
            found += self._take(time, record, record, own)
        elif time is not None:
            found += self.advance(time - 1)  # what is due by then is not due at a record of that time
        return found

    def advance(self, time: int) -> list[CompositeEvent]:
        """It is this time, in microseconds since 1970; returns what was due until then (W6)."""
        return [self._restored(each) for each in self._detector.advance(time)]

    def next_due(self) -> str | None:
        """When something is due next, as RFC 3339 text (UTC); None if nothing is."""
        return self._detector.next_due()

    def _take(
        self,
        time: int | None,
        cause: Cause,
        record: PrimitiveEvent | None,
        composites: Sequence[CompositeEvent],
    ) -> list[CompositeEvent]:
        if time is None:
            raise UnknownTimeError(self.name, cause.ts)
        self._count += 1
        time = self._time = max(time, self._time)
        place = Place.at(self._count, cause)
        if record is None:  # which no leaf takes: what was raised comes with it
            record = PrimitiveEvent(
                place, "upd", DOCUMENT, (), at=cause.at, doc=cause.doc, txn=cause.txn, meta=cause.meta
            )
        moment = Moment(self._count, time, 0)
        fed = [
            each._replace(start=at, end=at, span=(moment, moment))
            for each in composites
            for at in [Place.at(self._count, each)]
        ]
        self._detector.set_clock(time, 0)
        return [
            self._restored(each) for each in self._detector.feed(record._replace(ts=place, more=False), fed)
        ]

    def _restored(self, composite: CompositeEvent) -> CompositeEvent:
        """What was raised, of the changes as they are in their documents; it is about no node, so it has no path. What
        is due is of the last change in it, at the time when it was due: nothing happened then."""
        cause = composite.cause
        of = cause.ts.of if isinstance(cause.ts, Place) else None
        if isinstance(cause, TimePoint):
            last = max(self._places(composite)).of
            last = last.cause if isinstance(last, CompositeEvent) else last
            of = TimePoint(last.ts, cause.at, last.doc)
        assert of is not None and not isinstance(of, CompositeEvent)
        return composite._replace(
            path=None, ids=(), constituents=tuple(map(self._as_it_was, composite.constituents)), start=None, end=None,
            cause=of, span=None,
        )  # fmt: skip

    def _as_it_was(self, event: Event) -> Event:
        if isinstance(event, CompositeEvent) and event.name in self._names:
            return self._restored(event)
        assert isinstance(event.start, Place) and not isinstance(event.start.of, TimePoint)
        return event.start.of

    def _places(self, composite: CompositeEvent) -> Iterator[Place]:
        for event in composite.constituents:
            if isinstance(event, CompositeEvent) and event.name in self._names:
                yield from self._places(event)
            else:
                assert isinstance(event.start, Place)
                yield event.start
