"""What a log says, transaction by transaction, readable: of the whole document, or of some nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from path_types import Axis

from ..documents.replica import Replica
from ..events import PrimitiveEvent
from ..log.quarantine import BadRecordPolicy, refuse
from ..log.segments import Source
from ..matching import MOVED_FROM, MOVED_TO
from ..matching.changes import excerpts
from ..matching.paths import predicates, step_name, written
from ..recording.moment import Moment, When
from .stamps import Replay, Stamp

_SIGNS = {"ins": "+", "upd": "~", "del": "-"}


@dataclass(frozen=True, slots=True)
class Told:
    """What was done in one transaction, or by one change outside of any: ``lines``, as a person would tell them."""

    stamp: Stamp
    lines: tuple[str, ...]


def tell(
    log: Source,
    nodes: Collection[int] | None = None,
    *,
    at: When | Moment = None,
    doc: str | None = None,
    on_bad: BadRecordPolicy = refuse,
) -> Iterator[Told]:
    """The changes in a log up to time point ``at``, of the whole document or at and below nodes with these ids.

    An element that comes or goes is shown with all that is in it. Raises `LogError` as `blame` does.
    """
    wanted = None if nodes is None else frozenset(nodes)
    telling: _Transaction | None = None
    names = _GoneNames()
    replay = Replay(log, at=at, doc=doc, on_bad=on_bad)
    come: _Arrival | None = None
    for event in replay.events():
        if come is not None and telling is not None:
            if come.takes(event):
                continue
            telling.add(come.top, event_path(replay.replica, come.top), come.count)
            come = None
        if wanted is not None and wanted.isdisjoint(event.ids):
            continue
        if telling is None or not telling.holds(event):
            if telling is not None:
                yield telling.told()
            telling = _Transaction(event)
        if event.op == "ins":
            come = _Arrival(event)
        else:
            telling.add(event, names.path(replay.replica, event), 1)
    if telling is not None:
        if come is not None:
            telling.add(come.top, event_path(replay.replica, come.top), come.count)
        yield telling.told()


class _Arrival:
    """A node that comes, with what comes in it; shown when all of it is there, since its attributes may name it."""

    def __init__(self, top: PrimitiveEvent) -> None:
        self.top = top
        self.count = 1

    def takes(self, event: PrimitiveEvent) -> bool:
        """Whether an event is part of the arrival; it is counted then."""
        top = self.top
        inside = event.op == "ins" and event.txn == top.txn and event.ids[: len(top.ids)] == top.ids
        if not inside or _moved(event) != _moved(top):
            return False
        self.count += 1
        return True


class _GoneNames:
    """The paths of nodes that are changed or go; of an element as it was called before its attributes went (E6)."""

    def __init__(self) -> None:
        self._elements: dict[int, str] = {}

    def path(self, replica: Replica, event: PrimitiveEvent) -> str:
        """The path of the node of an update or a deletion."""
        if event.op != "del":
            self._elements.clear()
            return event_path(replica, event)
        path = event_path(replica, event)
        if event.path.last.is_element:
            return self._elements.pop(event.ids[-1], path)
        above, _, last = path.rpartition("/")
        return f"{self._elements.setdefault(event.ids[-2], above)}/{last}"


class _Transaction:
    """The changes of a transaction, those of an element that comes or goes put together."""

    def __init__(self, event: PrimitiveEvent) -> None:
        self._stamp = Stamp(event.ts, event.at, event.txn, event.meta or {})
        self._found: list[tuple[PrimitiveEvent, str, int]] = []

    def holds(self, event: PrimitiveEvent) -> bool:
        """Whether an event belongs to the same transaction."""
        return event.txn is not None and event.txn == self._stamp.txn

    def add(self, event: PrimitiveEvent, path: str, count: int) -> None:
        """The next change; what went before its element went is part of that."""
        if event.op == "del" and event.path.last.is_element:
            while self._found and _is_inside(self._found[-1][0], event):
                count += self._found.pop()[2]
        self._found.append((event, path, count))

    def told(self) -> Told:
        """What was done."""
        return Told(self._stamp, tuple(_line(*each) for each in self._found))


def _is_inside(gone: PrimitiveEvent, event: PrimitiveEvent) -> bool:
    """Whether what has gone was part of the element that goes now, and was not moved away from it."""
    same = gone.op == "del" and gone.ids[: len(event.ids)] == event.ids
    return same and _moved(gone) == _moved(event)


def _moved(event: PrimitiveEvent) -> str | None:
    """``moved to`` or ``moved from`` where, for a record of a move."""
    for key in (MOVED_TO, MOVED_FROM):
        place = (event.meta or {}).get(key)
        if place is not None:
            return f"{key.replace('-', ' ')} {place}"
    return None


def _line(event: PrimitiveEvent, path: str, count: int) -> str:
    values = [value for value in (event.old, event.value) if value is not None]
    shown = f" {' → '.join(excerpts(*values))}" if values else ""
    nodes = f" ({count} nodes)" if count > 1 else ""
    moved = _moved(event)
    if moved is not None:
        nodes = f" ({moved}, {count} nodes)" if event.op == "del" and count > 1 else f" ({moved})"
    return f"{_SIGNS[event.op]} {path}{shown}{nodes}"


_MOST_SIBLINGS = 200
"""So many are looked at to tell an element from others of its name; one that is behind them has its node id."""


def event_path(replica: Replica, event: PrimitiveEvent) -> str:
    """The path of the node of an event, in the document as it is when the node is there."""
    last = event.path.last
    if last.is_element:
        element = replica.element(event.ids[-1])
        return str(event.instance) if element is None else element_path(element, event.ids)
    element = replica.element(event.ids[-2]) if len(event.ids) > 1 else None
    if element is None:
        return str(event.instance)
    above = element_path(element, event.ids[:-1])
    return f"{above}/@{written(element, last.test)}" if last.axis is Axis.ATTRIBUTE else f"{above}/text()"


def element_path(element: etree._Element, ids: tuple[int, ...]) -> str:
    """The path of an element whose ids, from the root on, are these."""
    steps = []
    at: etree._Element | None = element
    for node in reversed(ids):
        if at is None:
            break
        steps.append(_step(at, node))
        at = at.getparent()
    return "/" + "/".join(reversed(steps))


def _step(element: etree._Element, node: int) -> str:
    name, parent = step_name(element), element.getparent()
    if parent is None:
        return name
    siblings = list(islice(parent.iterchildren(str(element.tag)), _MOST_SIBLINGS))
    if element not in siblings:
        return f"{name}#{node}"
    return name + predicates(siblings)[siblings.index(element)]
