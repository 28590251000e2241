"""Events over documents: one detector for the changes of all of them, in their order (rule V11).

It is an ordinary detector of flat trees. What it is fed has a place in the order of all documents in place of the time
point, a number that knows what it is the place of; in what it raises each change is again that of its document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Protocol

from contexts.entry import Moment
from path_types.types import DOCUMENT

from ..events import Cause, CompositeEvent, Event, PrimitiveEvent, TimePoint
from ..rules import Rules
from ..rules.across import joined_throughout
from ..xpath.values import text_of
from .detector import Detector
from .dispatch import select
from .durable import Json, new_reader, new_writer, read_detector, write_detector
from .errors import UnknownTimeError
from .leaf import Bindings
from .place import Place
from .replacement import OnRemoved, Replacement
from .tree_dispatch import Delivery, primitive_dispatch


class Part(NamedTuple):
    """What happens to events over documents at once: at this time (microseconds since 1970) a change of a document, or,
    if ``is_change`` is not, what events of that document raised beside any change; ``composites`` are what they
    raised."""

    time: int
    cause: Cause
    is_change: bool
    composites: Sequence[CompositeEvent]

    @property
    def change(self) -> PrimitiveEvent | None:
        """The change, if it is one."""
        return self.cause if self.is_change and isinstance(self.cause, PrimitiveEvent) else None


class Player(Protocol):
    """Whoever is fed with changes in the order of all documents, as a detector is."""

    def feed(self, event: PrimitiveEvent, composites: Sequence[CompositeEvent] = ()) -> list[CompositeEvent]:
        """The next change, and what the events of its document have raised."""

    def advance(self, time: int) -> list[CompositeEvent]:
        """Time has passed (W6)."""

    def set_clock(self, time: int | None, transaction: int) -> None:
        """The time of the next change."""


class Across:
    """What the events over documents of some rules have seen.

    It has to be fed in the order of document time, document and time point. ``player`` is fed in place of a detector.
    """

    def __init__(self, rules: Rules, *, operators: bool = False, player: Player | None = None) -> None:
        trees = rules.graph.across
        self._names = frozenset(tree.name for tree in trees)
        self._used = {rules.graph.trees[index].name for tree in trees for index in tree.dependencies}
        self.name = trees[0].name
        """What the first of them is called, for messages."""
        self.detector = Detector(rules, operators=operators, trees=self._names)
        self._player: Player = player or self.detector
        self._means = select(rules.graph, self._names).by_type
        self._joins = {
            tree.name: min(joined_throughout(rules.graph.programs[tree.index], tree.operators))
            for tree in trees
        }
        self._count = self.time = 0

    def reset(self) -> None:
        """Forgets all that it has seen."""
        self.detector.reset()
        self._count = self.time = 0

    def state(self) -> dict[str, Json]:
        """What it has seen, as plain data (G6)."""
        writer = new_writer()
        written = write_detector(writer, self.detector)
        return {"detector": written, "count": self._count, "time": self.time, **writer.state()}

    def go_on(self, state: Mapping[str, Json]) -> None:
        """Goes on from where one of the same rules was; it has to be as new."""
        read_detector(new_reader(state), state["detector"], self.detector)
        self._count, self.time = state["count"], state["time"]

    def replaced(
        self, rules: Rules, on_removed: OnRemoved, past: Across | None = None
    ) -> tuple[Across | None, Replacement]:
        """What goes on with other rules in its place (G7), if these have events over documents, and what became of its
        trees; new ones have seen what ``past`` has. Nothing of theirs waits for a release."""
        names = frozenset(tree.name for tree in rules.graph.across)
        now = Across(rules, operators=self.detector.operators) if names else None
        seen = None if past is None else past.detector
        replacement = self.detector.replace(rules, on_removed=on_removed, trees=names, past=seen)
        if now is not None:
            now._player = now.detector = self.detector
            now._count = max(each._count for each in (self, past) if each is not None)
            now.time = self.time
        return now, replacement

    def parts(
        self, time: int | None, record: PrimitiveEvent | None, raised: Sequence[CompositeEvent]
    ) -> list[Part]:
        """What means something to it: of a change, if there is one, at this time of its document, and of what the
        events of the document raised with it or before it.

        Raises `UnknownTimeError` for what means something while no time of its document is known.
        """
        found: list[Part] = []
        own: list[CompositeEvent] = []
        used = [each for each in raised if each.operator is None and each.name in self._used]
        for cause, group in groupby(used, key=attrgetter("cause")):
            composites = list(group)
            if record is not None and isinstance(cause, PrimitiveEvent) and cause.ts == record.ts:
                own += composites
            else:
                found.append(Part(self._known(time, cause), cause, False, composites))
        if record is not None and (own or self._means[record.op, record.path] is not None):
            found.append(Part(self._known(time, record), record, True, own))
        return found

    def _known(self, time: int | None, cause: Cause) -> int:
        if time is None:
            raise UnknownTimeError(self.name, cause.ts)
        return time

    def feed(
        self, time: int | None, record: PrimitiveEvent | None, raised: Sequence[CompositeEvent]
    ) -> list[CompositeEvent]:
        """A change, if there is one, at this time of its document (in microseconds since 1970), and what the events of
        its document raised with it; returns what that raises. Errors as of `parts`."""
        found = [each for part in self.parts(time, record, raised) for each in self.take(part)]
        if time is not None and time > self.time:
            found += self.advance(time - 1)  # what is due by then is not due at a record of that time
        return found

    def advance(self, time: int) -> list[CompositeEvent]:
        """It is this time, in microseconds since 1970; returns what was due until then (W6)."""
        return [self._restored(each) for each in self._player.advance(time)]

    def next_due(self) -> str | None:
        """When something is due next, as RFC 3339 text (UTC); None if nothing is."""
        return self.detector.next_due()

    def value_of(self, composite: CompositeEvent) -> str:
        """The value to which what it has raised belongs: no other matters for that."""
        return _joined(composite.bindings, self._joins[composite.name])

    def values(self, part: Part) -> set[str]:
        """The values to which something belongs that it is fed."""
        found = set()
        record = part.change
        for state in self.detector.trees.values():
            given: list[tuple[Event, Iterable[Delivery]]] = [
                (each, state.composite_deliveries(each)) for each in part.composites
            ]
            plan = None if record is None else primitive_dispatch(state.tree, record.op, record.path)
            if record is not None and plan is not None:
                given.append((record, plan.deliveries))
            for event, deliveries in given:
                for operator, operand, _ in deliveries:
                    bindings = state.leaves[operator, operand].read(event)
                    if bindings is not None:
                        found.add(_joined(bindings, self._joins[state.tree.name]))
        return found

    def take(self, part: Part) -> list[CompositeEvent]:
        """Takes what happens; returns what that raises."""
        self._count += 1
        time = self.time = max(part.time, self.time)
        cause, record = part.cause, part.change
        place = Place.at(self._count, cause)
        if record is None:  # what no leaf takes brings what was raised
            record = PrimitiveEvent(
                place, "upd", DOCUMENT, (), at=cause.at, doc=cause.doc, txn=cause.txn, meta=cause.meta
            )
        moment = Moment(self._count, time, 0)
        fed = [
            each._replace(start=at, end=at, span=(moment, moment))
            for each in part.composites
            for at in [Place.at(self._count, each)]
        ]
        self._player.set_clock(time, 0)
        return [
            self._restored(each) for each in self._player.feed(record._replace(ts=place, more=False), fed)
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
            path=None, ids=(), constituents=tuple(map(self.as_it_was, composite.constituents)), start=None, end=None,
            cause=of, span=None,
        )  # fmt: skip

    def as_it_was(self, event: Event) -> Event:
        """What it has been fed, or has raised, as it is in its document."""
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


def _joined(bindings: Bindings | None, name: str) -> str:
    """The value of a variable as it joins (V2); what has none, or several, joins nothing."""
    value = None if bindings is None else bindings.get(name)
    if isinstance(value, tuple):
        value = value[0] if len(value) == 1 else None
    return "" if value is None else text_of(value)
