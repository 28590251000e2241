"""How a leaf takes a primitive event that is the one arrival in its tree: functions of the event, made once for each
event type.

An event may be a plain tuple of the layout of events; what keeps it makes it one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from contexts import Entry
from contexts.combinations import SearchLimitError
from contexts.entry import Moment
from contexts.grouping import ByValue, Key

from ..events import Cause, PrimitiveEvent
from .clock import NOWHERE
from .errors import TooManyTriesError
from .leaf import Bindings, Reader
from .operators.state import Acceptor
from .tree import TreeState

Take: TypeAlias = Callable[[int, Key, Entry, Cause], None]

_new_tuple = tuple.__new__


def filtered(takes: Callable[[PrimitiveEvent], bool], accept: Acceptor) -> Acceptor:
    """Where the leaf has to be asked before (F1)."""

    def deliver(place: Key, event: PrimitiveEvent) -> None:
        if takes(event):
            accept(place, event)

    return deliver


def in_full(
    tree: TreeState, read: Reader | None, grouping: ByValue | None, take: Take, child: int
) -> Acceptor:
    """Where the entry is more than its interval: it has a moment and variables, or "before" is about detection.

    ``read`` is what the leaf binds, None if it asks and binds nothing; ``grouping`` is None where groups are places.
    """
    clock, tries = tree.setting.clock, tree.setting.tries
    needs_time, by_detection, extended = tree.needs_time, tree.by_detection, tree.extended
    measures = clock.follows_time
    key_of, only = (None, None) if grouping is None else (grouping.key, grouping.only)

    def deliver(place: Key, event: PrimitiveEvent) -> None:
        if needs_time and clock.time is None:
            tree.check_time(event)
        bindings: Bindings | None = None
        if read is not None:
            bindings = read(event)
            if bindings is None:
                return
        key: Key | None = place
        if key_of is not None:
            # What `ByValue.key` says of one variable that is text, without its call.
            value = None if only is None or bindings is None else bindings.get(only)
            key = (place, value) if type(value) is str else key_of(place, bindings)
            if key is None:
                return
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        point = clock.point
        at = point if by_detection else event[0]
        if extended:
            # What `Clock.moment` says, without its call.
            moment = (
                _new_tuple(Moment, (clock.ts, clock.time or 0, clock.transaction)) if measures else NOWHERE
            )
            entry: Entry = (at, at, point, event, moment, moment, bindings)
        else:
            entry = (at, at, point, event)
        tries.count = 0
        try:
            take(child, key, entry, event)
        except SearchLimitError as error:
            raise TooManyTriesError(tree.tree.name, event[0], tries.limit) from error

    return deliver


def limited(tree: TreeState, accept: Acceptor) -> Acceptor:
    """Where what is raised may go to an operator that searches."""
    tries = tree.setting.tries

    def deliver(place: Key, event: PrimitiveEvent) -> None:
        tries.count = 0
        try:
            accept(place, event)
        except SearchLimitError as error:
            raise TooManyTriesError(tree.tree.name, event[0], tries.limit) from error

    return deliver
