"""The detector: primitive events in, composite events out (rules G1 to G5).

One engine for live documents and for replay. What an event of some type means to the event graph is worked
out at the first event of that type (`dispatch`) and looked up from then on, so that the work per event depends
on the trees that can match it, not on how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from contexts import Entry
from path_types import PathType

from ..algebra import Unit
from ..documents.replica import Replica
from ..events import OPERATIONS, Cause, CompositeEvent, PrimitiveEvent, TimePoint
from ..timestamps import TimeError, microseconds, timestamp
from .bound_dispatch import BoundDispatch, BoundDispatches, Direct
from .dispatch import TreeDispatch, select
from .operators import OperatorState
from .release import Release
from .setting import MOST_TRIES, Setting
from .timers import ORDER, Due
from .tree import TreeState

if TYPE_CHECKING:
    from ..rules import Rules

_new_tuple = tuple.__new__
_NOTHING_DUE: Mapping[int, list[Due]] = {}


class Detector:
    """Detects the composite events of a set of rules in the primitive events of one document.

    ``operators=True`` reports the composites of inner operators, too (G5). ``document`` is the state of the
    document before the first event; only rules with conditions need it (D4), and without it the detector
    keeps its own, starting empty. With ``trees``, names of events, it evaluates these only, as if the rules
    had no others; what others raise has to be fed where these use it (see `feed`). Raises `ValueError` for a
    name that is no event of the rules. ``tries`` is how many combinations ``having`` may be asked of for one arrival
    (Q5).

    Events are `PrimitiveEvent`, or plain tuples of the same layout, with ascending ``ts``.

    >>> from xmlcep.rules import parse_rules
    >>> detector = Detector(parse_rules("event Both = ins(item/price) & ins(item/quantity)"))
    >>> price, quantity = (
    ...     PrimitiveEvent(ts, "ins", PathType.parse(f"/order/item/{name}"), (1, 2, ts + 2))
    ...     for ts, name in [(1, "price"), (2, "quantity")]
    ... )
    >>> detector.feed(price)
    []
    >>> print(*detector.feed(quantity))
    Both(/order#1/item#2) at 2 {ins@1, ins@2}
    """

    def __init__(
        self,
        rules: Rules,
        *,
        operators: bool = False,
        document: Replica | None = None,
        trees: Collection[str] | None = None,
        tries: int = MOST_TRIES,
    ) -> None:
        graph = getattr(rules, "graph", None)
        if graph is None:
            raise TypeError(
                f"a detector needs rules, not {rules!r}: use load_rules(file) or parse_rules(text)"
            )
        active = self._active = select(graph, trees)
        self._document = (Replica() if document is None else document) if active.conditional else None
        self._setting = Setting(follows_time=active.follows_time, tries=tries)
        self._clock = self._setting.clock
        self._timed = active.follows_time
        self._report: list[CompositeEvent] = []
        # By their index in the graph, which is their turn (G2).
        self._trees = {
            tree.index: TreeState(
                tree,
                self._setting,
                self._document,
                self._report,
                report_operators=operators,
                reused=active.reused[tree.index],
                composite_dispatch=active.composite_dispatch[tree.index],
            )
            for tree in active.trees
        }
        self._users = active.users
        self._routes: dict[str, BoundDispatches] = {
            operation: BoundDispatches(operation, active, self._trees) for operation in OPERATIONS
        }
        self._waiting: set[int] = set()  # trees with something pending (D2, D3)
        self._dying: list[tuple[TreeState, OperatorState, int]] = []
        self._last: Cause | None = None
        self._more = False  # whether the last record's edit goes on
        self._closed = False

    # ---- feeding --------------------------------------------------------------------------------------

    def feed(self, event: PrimitiveEvent, composites: Sequence[CompositeEvent] = ()) -> list[CompositeEvent]:
        """Processes one primitive event; returns the composites raised at its time point, in raise order.

        ``composites`` are what the trees that this detector does not evaluate raised at the same time point
        (their roots, see `CompositeEvent`), in any order: they reach the trees that use them as if all were
        evaluated here (G2, N2), without a look at their constituents. This needs all trees that are used,
        directly or not, and not evaluated to raise at events only, so that none of their operators may have
        ``end=non-local`` or ``end=custom``; conditions are fine.

        Raises `ValueError` for composites of trees that are evaluated here or that the rules do not have,
        and for those of inner operators.
        """
        if self._closed:
            return []
        if self._timed:
            event = self._begin(event)
        self._last = event
        if not self._timed:
            self._clock.point = event[0]
        route = self._routes[event[1]][event[2]]
        if self._document is not None:
            if type(event) is not PrimitiveEvent:
                event = _new_tuple(PrimitiveEvent, event)
            self._document.apply(event)
        if self._waiting or composites:
            self._process(event, route, composites)
        elif route is None:
            return []
        elif route.direct is not None:
            _deliver(event, route.direct)
        else:
            self._process(event, route)
        return self._take_report() if self._report else []

    def replay(self, events: Iterable[PrimitiveEvent]) -> Iterator[CompositeEvent]:
        """Feeds all events, with a flush after the last of each transaction (D3); does not close."""
        if self._closed:
            return
        if self._timed:
            yield from self._replay_timed(events)
            return
        routes = self._routes
        waiting = self._waiting
        report = self._report
        document = self._document
        clock = self._clock
        txn: int | None = None
        for event in events:
            if event[9] != txn:
                if txn is not None and waiting:
                    yield from self.flush()
                txn = event[9]
            self._last = event
            clock.point = event[0]
            route = routes[event[1]][event[2]]
            if document is not None:
                if type(event) is not PrimitiveEvent:
                    event = _new_tuple(PrimitiveEvent, event)
                document.apply(event)
            if waiting:
                self._process(event, route)
            elif route is None:
                continue
            elif route.direct is not None:
                _deliver(event, route.direct)
            else:
                self._process(event, route)
            if report:
                if len(report) == 1:
                    yield report.pop()
                else:
                    yield from self._take_report()
        if txn is not None:
            yield from self.flush()

    def _replay_timed(self, events: Iterable[PrimitiveEvent]) -> Iterator[CompositeEvent]:
        txn: int | None = None
        for event in events:
            if event[9] != txn:
                if txn is not None:
                    yield from self.flush()
                txn = event[9]
            yield from self.feed(event)
        if txn is not None:
            yield from self.flush()

    def flush(self, cause: Cause | None = None) -> list[CompositeEvent]:
        """Releases all that waits in deferred operators (D3, X9), and what is due by transactions (Z14).

        It happens at the time point of the last event fed, or of ``cause`` if that is given. Returns what it raises.
        """
        cause = cause or self._last
        self._more = False
        if cause is None or self._closed:
            return []
        due = self._due_by_transactions() if self._timed else {}
        if not (self._waiting or due):
            return []
        if not isinstance(cause, (PrimitiveEvent, TimePoint)):
            cause = _new_tuple(PrimitiveEvent, cause)
        self._run(cause, dict.fromkeys(self._waiting), {}, Release.FLUSH, due)
        self._free_the_dying()
        return self._take_report()

    def elsewhere(self, point: TimePoint) -> list[CompositeEvent]:
        """Something happened at this time point where no rule looks: it releases what waits for that (D2).

        For whoever feeds a part of a document's events only, as an audit does. Returns what it raises.
        """
        if self._closed:
            return []
        self._last = point
        self._clock.ts = self._clock.point = point.ts
        if self._waiting:
            self._run(point, dict.fromkeys(self._waiting), {}, Release.LEFT)
            self._free_the_dying()
        return self._take_report()

    # ---- time (W1 to W6) ------------------------------------------------------------------------------

    def advance(self, time: str | int | datetime) -> list[CompositeEvent]:
        """Says that time has passed although nothing has changed (W6); returns what was due until then, that time
        included, and is raised.

        ``time`` is RFC 3339 text, a `datetime.datetime` with a time zone, or microseconds since 1970. One that is not
        later than the document's time changes nothing (Z13). Raises `TimeError` for what is no time.
        """
        now = _microseconds(time)
        self._more = False
        if self._closed or not self._timed or (self._clock.time is not None and now <= self._clock.time):
            return []
        self._clock.advance(now)
        self._fire(Unit.TIME, now + 1, self._clock.ts, "" if self._last is None else self._last.doc)
        self._expire()
        return self._take_report()

    def next_due(self) -> str | None:
        """When something is due next by time, as RFC 3339 text (UTC); None if nothing is.

        An application that wants to hear of it although nothing changes sets an alarm, and calls `advance` then.
        """
        due = min(
            (due.at for due in self._setting.timers.pending(Unit.TIME) if self._is_due(due)), default=None
        )
        return None if due is None else timestamp(due)

    def _is_due(self, due: Due) -> bool:
        return self._trees[due.tree].states[due.operator].awaits(due)

    def _begin(self, event: PrimitiveEvent) -> PrimitiveEvent:
        """Moves the clock on to a record; before it fires what is due by then (W5)."""
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        clock, timers = self._clock, self._setting.timers
        last = self._last
        if not (self._more and isinstance(last, PrimitiveEvent) and last.txn == event.txn):
            clock.begin_edit(event)
        self._more = event.more
        clock.ts = event.ts
        if timers.waits():
            for unit in ORDER:
                self._fire(unit, clock.reading(unit, event.ts), event.ts, event.doc)
        clock.record(event)
        self._expire()
        return event

    def _fire(self, unit: Unit, before: int, ts: int, doc: str) -> None:
        """What is due before ``before``: each time is one round through the trees, a time point of its own."""
        for at, together in self._setting.timers.take(unit, before):
            by_time = unit is Unit.TIME
            self._clock.fire(at if by_time else None)
            cause = TimePoint(ts, timestamp(at) if by_time else None, doc)
            due: dict[int, list[Due]] = {}
            for each in together:
                due.setdefault(each.tree, []).append(each)
            self._run(cause, {}, {}, Release.NOTHING, due)

    def _due_by_transactions(self) -> dict[int, list[Due]]:
        due: dict[int, list[Due]] = {}
        for _, together in self._setting.timers.take(Unit.TRANSACTIONS, self._clock.transaction + 1):
            for each in together:
                due.setdefault(each.tree, []).append(each)
        return due

    def _expire(self) -> None:
        """Frees what has become too old to matter (W11)."""
        expiries = self._setting.expiries
        if expiries.waits():
            for unit in ORDER:
                for _, together in expiries.take(unit, self._clock.reading(unit, self._clock.ts)):
                    for due in together:
                        self._trees[due.tree].states[due.operator].expire(due)

    def close(self, cause: Cause | None = None) -> list[CompositeEvent]:
        """Flushes (see there), then forgets everything; later events are ignored (G3)."""
        raised = self.flush(cause)
        self.reset()
        self._closed = True
        return raised

    def reset(self, document: Replica | None = None) -> None:
        """Forgets all that was fed, as if the detector were new; ``document`` as for a new one.

        What was worked out about event types is kept, so this is cheaper than a new detector.
        """
        if self._document is not None:
            self._document = Replica() if document is None else document
        self._setting.reset()
        self._waiting.clear()
        self._dying.clear()
        self._last = None
        self._more = False
        self._closed = False
        for tree in self._trees.values():
            tree.clear(self._document)

    def add_fragment(self, xml_text: str, ids: Sequence[int]) -> None:
        """Adds a part of the document that was there before its first event, for conditions (D4).

        As `Replica.add`, with its errors; nothing happens if no rule that is evaluated has a condition.
        """
        if self._document is not None:
            self._document.add(xml_text, ids)

    def concerns(self, operation: str, path: PathType) -> bool:
        """Whether events of this type can matter; if not, they may be left out of what is fed.

        Deferred operators are released by any event (D2, D3), conditions are about the whole document (D4).
        """
        everything = self._document is not None or any(tree.deferrals for tree in self._trees.values())
        return everything or self._routes[operation][path] is not None

    def _take_report(self) -> list[CompositeEvent]:
        raised = self._report[:]
        self._report.clear()
        return raised

    # ---- one time point -------------------------------------------------------------------------------

    def _process(
        self, event: PrimitiveEvent, route: BoundDispatch | None, composites: Sequence[CompositeEvent] = ()
    ) -> None:
        if type(event) is not PrimitiveEvent:
            self._last = event = _new_tuple(PrimitiveEvent, event)
        outside = self._active.by_outside_tree(composites) if composites else {}
        busy = bool(outside) or (bool(self._waiting) and self._released_by(event))
        if route is None:
            if busy:
                self._run(event, {}, outside)
                self._free_the_dying()
            return
        for multiplicity in route.vanishing:
            multiplicity.vanish(event[2], event[3])
        if busy or not route.alone:
            self._run(event, {state.tree.index: plan for state, plan in route.steps}, outside)
        elif route.direct is not None:
            _deliver(event, route.direct)
        else:
            self._run_alone(event, route)
        if route.freed:
            self._delete(route, event[3][-1])
        if self._dying:
            self._free_the_dying()

    def _run_alone(self, event: PrimitiveEvent, route: BoundDispatch) -> None:
        """The trees have nothing to do with each other, and nothing else is released."""
        for tree, plan in route.steps:
            tree.process(event, plan)
            if tree.deferrals:
                (self._waiting.add if tree.has_pending() else self._waiting.discard)(tree.tree.index)

    def _run(
        self,
        cause: Cause,
        plans: Mapping[int, TreeDispatch | None],
        outside: Mapping[int, list[CompositeEvent]],
        release: Release = Release.LEFT,
        due: Mapping[int, list[Due]] = _NOTHING_DUE,
    ) -> None:
        """Takes all trees concerned through the time point, dependencies first (G2).

        ``outside`` are composites of trees that are not evaluated here, which have their turn, too; ``due`` the
        timers of each tree that are.
        """
        queued = plans.keys() | outside.keys() | due.keys()
        if release is Release.LEFT and isinstance(cause, PrimitiveEvent):
            queued.update(i for i in self._waiting - queued if self._trees[i].must_release(cause))
        todo = sorted(queued)
        inboxes: dict[int, list[CompositeEvent]] = {}
        while todo:
            index = heappop(todo)
            if index in outside:
                composites = outside[index]
            else:
                tree = self._trees[index]
                raised = tree.process(
                    cause, plans.get(index), inboxes.pop(index, ()), release=release, due=due.get(index, ())
                )
                if tree.deferrals:
                    (self._waiting.add if tree.has_pending() else self._waiting.discard)(index)
                composites = _in_finding_order(raised) if raised and index in self._users else []
            for user in self._users[index] if composites else ():
                if any(self._trees[user].composite_deliveries(event) for event in composites):
                    inboxes.setdefault(user, []).extend(composites)
                    if user not in queued:
                        queued.add(user)
                        heappush(todo, user)

    def _released_by(self, event: PrimitiveEvent) -> bool:
        return any(self._trees[index].must_release(event) for index in self._waiting)

    # ---- freeing (G4) -----------------------------------------------------------------------------------

    def _delete(self, route: BoundDispatch, key: int) -> None:
        """The node of these groups is gone: their state is freed, now or when nothing can come any more."""
        for tree, state in route.freed:
            if self._waiting and self._is_awaited(tree, state, key):
                self._dying.append((tree, state, key))
            else:
                tree.forget(state, key)

    def _is_awaited(self, tree: TreeState, state: OperatorState, key: int) -> bool:
        return tree.is_awaited(state, key) or any(
            self._trees[index].has_pending() for index in self._active.upstream[tree.tree.index]
        )

    def _free_the_dying(self) -> None:
        if not self._dying:
            return
        still = []
        for tree, state, key in self._dying:
            if self._is_awaited(tree, state, key):
                still.append((tree, state, key))
            else:
                tree.forget(state, key)
        self._dying = still

    # ---- looking inside ---------------------------------------------------------------------------------

    def size(self) -> int:
        """How many events are stored in all groups of all trees: what memory depends on (G4)."""
        return sum(state.size() for tree in self._trees.values() for state in tree.states)

    def _check(self) -> None:
        """Checks the invariants that hold between events; AssertionError shows what breaks one."""
        assert not self._report, self._report
        for tree in self._trees.values():
            for state in tree.states:
                state._check()
            assert not tree.has_pending() or tree.tree.index in self._waiting, tree.tree.name


def _microseconds(time: str | int | datetime) -> int:
    if isinstance(time, int):
        return time
    if isinstance(time, datetime):
        if time.tzinfo is None:
            raise TimeError(f"{time!r} has no time zone: write datetime(…, tzinfo=datetime.UTC)")
        return microseconds(time.isoformat())
    return microseconds(time)


def _deliver(event: PrimitiveEvent, direct: tuple[Direct, ...]) -> None:
    """Makes the deliveries of an event for which there is nothing else to do."""
    if type(event) is not PrimitiveEvent:
        event = _new_tuple(PrimitiveEvent, event)
    ts, ids = event[0], event[3]
    entry = (ts, ts, ts, event, False)
    for take, child, index in direct:
        take(child, ids[index], entry, event)


def _in_finding_order(raised: list[Entry]) -> list[CompositeEvent]:
    """Path ids ascending, then raise order: how composites of one time point reach later trees (N2)."""
    composites = [entry[3] for entry in raised]
    return sorted(composites, key=lambda event: event.ids) if len(composites) > 1 else composites
