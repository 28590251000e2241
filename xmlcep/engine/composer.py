"""Making composites: constituents, interval, path instance, variables (rules E4, E5, T4, Q1, V5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from contexts import Entry
from contexts.entry import BINDINGS, EMPTY_END, EMPTY_START, EVENT, FIRST, LAST
from path_types import PathType
from path_types.relations import leading

from ..algebra import Order
from ..events import Cause, CompositeEvent, Event, Names
from ..rules.alignment import length_to_group
from ..rules.trees import EventTree, OperatorNode
from .clock import Clock
from .leaf import OPERAND

_new_tuple = tuple.__new__
_Ancestor: TypeAlias = tuple[PathType | None, slice]
"""A path type, and which of the ids lead to it."""


class Composer:
    """Makes the composites of one operator.

    ``report`` is the list to which they are added for the outside, None if this operator is not reported (G5).
    ``ancestors`` is what `ancestor` has found.
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, clock: Clock
    ) -> None:
        self.name = tree.name
        self.label = None if node.parent is None else node.label
        self.report = report
        self.once = False
        """Whether what it raises is known to be the last at its node (Y11), and no other tree uses it."""
        self.ancestors: dict[PathType | None, _Ancestor] = {}
        self._node = node
        self._clock = clock
        self._flat = tree.flat
        self.by_detection = tree.order is Order.DETECTION
        self._may_repeat = node.may_repeat
        self.extended = tree.extended
        self.has_short_entries = not (tree.extended or self.by_detection)
        short = not (node.may_repeat or self._flat or self.by_detection)
        self._is_plain = short and not self.extended
        self._is_measured = short and self.extended
        names = node.definition.operand_names
        self.one_name = names[0] if len(names) == 1 else None
        """What the operand of an operator of one is called (V10)."""
        self._reads_names = node.definition.tells_operands_apart
        inner = (child.label for child in node.children if isinstance(child, OperatorNode))
        self._named = set(names).intersection(inner)

    def compose(
        self,
        combination: Sequence[Entry],
        node: int,
        cause: Cause,
        bindings: Mapping[str, object] | None = None,
    ) -> CompositeEvent:
        """The composite of these events of the group of a node, with these variables."""
        start, end = EMPTY_START, EMPTY_END
        events = []
        if self._is_plain:
            for begin, finish, _, event in combination:
                if begin < start:
                    start = begin
                if finish > end:
                    end = finish
                events.append(event)
        else:
            for entry in combination:
                if entry[0] < start:
                    start = entry[0]
                if entry[1] > end:
                    end = entry[1]
                events.append(entry[3])
        if self._is_plain or self._is_measured:  # intervals as they are, and nothing else to look at
            path, ids = instance_at(events[0], node)
            empty = start == EMPTY_START
            return _new_tuple(
                CompositeEvent,
                (
                    self.name, self.label, path, ids, tuple(events), None if empty else start,
                    None if empty else end, cause, bindings, span_of(combination) if self._is_measured else None,
                    self.names(combination), None, None, self.once,
                ),
            )  # fmt: skip
        if self._may_repeat:
            combination = _without_repetition(combination)
            events = [entry[EVENT] for entry in combination]
        if self.by_detection:
            start, end = interval(events)
        path, ids = nearest_common_ancestor(events) if self._flat else instance_at(events[0], node)
        span = span_of(combination) if self.extended else None
        names = self.names(combination)
        return self.composite(path, ids, tuple(events), start, end, cause, span, bindings, names)

    def composite(
        self,
        path: PathType | None,
        ids: tuple[int, ...],
        constituents: Sequence[Event],
        start: float,
        end: float,
        cause: Cause,
        span: tuple[object, object] | None = None,
        bindings: Mapping[str, object] | None = None,
        names: Names | None = None,
    ) -> CompositeEvent:
        """A composite with this path instance and interval (an empty one is +inf, -inf).

        ``span`` are the moments of its first and last primitive event, ``names`` those of the operands that its
        constituents are of.
        """
        empty = start == EMPTY_START
        return _new_tuple(
            CompositeEvent,
            (
                self.name, self.label, path, ids, constituents, None if empty else start, None if empty else end,
                cause, bindings, span, names or self.one_name, None, None, self.once,
            ),
        )  # fmt: skip

    def names(self, entries: Sequence[Entry]) -> Names | None:
        """What the operands are called that these entries are of (V10)."""
        if not self._reads_names:
            return self.one_name
        return tuple([self._name(entry) for entry in entries])

    def _name(self, entry: Entry) -> str | None:
        event, bindings = entry[EVENT], entry[BINDINGS]
        if type(event) is CompositeEvent and event.operator is not None:
            return event.operator if event.operator in self._named else None
        name: str | None = None if bindings is None else bindings.get(OPERAND)
        return name

    def report_and_store(self, event: CompositeEvent) -> Entry:
        """Reports a composite that is raised; returns it as an operand stores it."""
        if self.report is not None:
            self.report.append(event)
        if self.has_short_entries and event[5] is not None:
            return (event[5], event[6], self._clock.point, event)
        return self.entry(event)

    def entry(self, event: CompositeEvent) -> Entry:
        """A composite as an operand stores it at the current time point."""
        point = self._clock.point
        start, end = event.start, event.end
        interval_: tuple[float, float]
        if start is None or end is None:
            interval_ = (EMPTY_START, EMPTY_END)
        else:
            interval_ = (point, point) if self.by_detection else (start, end)
        if not self.extended:
            return (*interval_, point, event)
        first, last = event.span or (None, None)
        return (*interval_, point, event, first, last, event.bindings)

    def ancestor(self, path: PathType | None) -> _Ancestor:
        """The path type of composites with a constituent of this path type that the first operand took, and which of
        its ids are theirs: what `instance_at` says, without a look for the node."""
        length = None if path is None else length_to_group(self._node, 0, path)
        assert path is not None and length is not None
        place = self.ancestors[path] = leading(path, length), slice(length)
        return place


def instance_at(event: Event, node: int) -> tuple[PathType | None, tuple[int, ...]]:
    """The path instance of a node at or above that of an event: of a composite of its group of which ``event`` is any
    constituent (T4)."""
    path, ids = event[2], event[3]
    length = ids.index(node) + 1
    return None if path is None else leading(path, length), ids[:length]


def _without_repetition(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Each event once, at its first place (Q1)."""
    found: dict[int, Entry] = {}
    for entry in entries:
        found.setdefault(id(entry[EVENT]), entry)
    return list(found.values())


def interval(events: Sequence[Event]) -> tuple[float, float]:
    """From the least start to the greatest end (E5); (+inf, -inf) if all are empty."""
    spans = [
        (event.start, event.end) for event in events if event.start is not None and event.end is not None
    ]
    return min([s for s, _ in spans], default=EMPTY_START), max([e for _, e in spans], default=EMPTY_END)


def span_of(entries: Sequence[Entry]) -> tuple[object, object] | None:
    """The moments of the earliest and the latest primitive event in these entries; None if there is none."""
    first = last = None
    for entry in entries:
        begin, end = entry[FIRST], entry[LAST]
        if begin is None:
            continue
        if first is None or begin < first:
            first = begin
        if last is None or end > last:
            last = end
    return None if first is None else (first, last)


def nearest_common_ancestor(events: Sequence[Event]) -> tuple[PathType | None, tuple[int, ...]]:
    """The path instance of the node that all these events have at or above them (T4 in flat context, T4)."""
    path, ids = events[0][2], events[0][3]
    for event in events[1:]:
        length = 0
        for a, b in zip(ids, event[3], strict=False):
            if a != b:
                break
            length += 1
        ids = ids[:length]
    if path is None or not ids:
        return None, ()
    return leading(path, len(ids)), ids


def event_of(entry: Entry) -> Event:
    """The event of an entry."""
    event: Event = entry[EVENT]
    return event
