"""Delivering events to listeners and subscribers: after the edit, in order, edits inside callbacks queued behind.

One module because whatever comes between (errors, interrupts, those who come and go) must leave the same queue.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from operator import is_
from types import BuiltinFunctionType, FrameType
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from ..events import CompositeEvent, PrimitiveEvent
from .doubt import CUT_SHORT, Block, is_running
from .errors import TOLD, CallbackError, CallbackFailure, EndlessTriggerError, RefusedError, cuts_short
from .listeners import Listener, Reactor

TRIGGER_DEPTH = 100
"""How deep edits made in callbacks may trigger callbacks that edit."""


class Commit(tuple[int]):
    """Stands in the queue behind the last event of a transaction."""

    __slots__ = ()


class Together:
    """Stands in the queue before an edit outside a transaction: its events and what rules made of it, the next
    ``count`` entries, are one (L4); 0: they made nothing of it."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


Queued: TypeAlias = "PrimitiveEvent | CompositeEvent | Commit | Together"
"""What can be in the queue; a composite is an external event (L7)."""


class Audience(NamedTuple):
    """Who is called with changes: how, the listener or recorder that it is (None: a subscriber), at which position it
    came."""

    on_change: Callable[[PrimitiveEvent], Any]
    listener: Listener | None
    since: int

    def advance(self, at: str) -> None:
        """It is this time now, although nothing has changed (W6)."""
        if self.listener is not None:
            self.listener._on_advance(at)


_Happened = TypeVar("_Happened", PrimitiveEvent, CompositeEvent)
_Told = TypeVar("_Told")

_this_call = sys._getframe
"""The frame of the function that calls it."""


class Delivery:
    """The queue of events that have happened and not been delivered yet, and who is to get them.

    ``audience`` is true when anybody listens: ``recorders``, ``listeners`` and ``subscribers``, or the reactor.
    ``position`` numbers what is queued, delivered or not: who comes gets what has a number above the position then, so
    nothing of what has happened before, be it a change, the end of a transaction or an external event.
    ``held`` while a transaction keeps events back. ``recorders`` get the whole queue before anybody else gets its first
    event: what others act on is in the log. ``reactor`` gets every edit when it is over, before all of them.

    Whatever is under way has left its mark (see `doubt`): ``changing`` an edit that shadow and events do not have in
    full yet, and in which nobody else is called; ``delivering`` and ``reacting`` the call that tells of edits or acts
    on them; ``blocks`` those that the application has open. ``missed`` is 1 once one of them was found cut short.
    """

    __slots__ = (
        "_everybody", "_interrupt", "audience", "blocks", "changing", "delivering", "depth", "document", "failures",
        "held", "listeners", "missed", "position", "queue", "reacting", "reactor", "recorded", "recorders", "said",
        "subscribers",
    )  # fmt: skip

    def __init__(self, document: str) -> None:
        self.document = document
        self.recorders: tuple[Audience, ...] = ()
        self.listeners: tuple[Audience, ...] = ()
        self.subscribers: tuple[Audience, ...] = ()
        self._everybody: tuple[Audience, ...] = ()  # all of them, in order
        self.recorded = 0  # how many at the head of the queue the recorders know
        self.queue: deque[tuple[int, int, Queued]] = deque()  # with depth and number
        self.position = 0
        self.reactor: Reactor | None = None
        self.audience = False
        self.held = False
        self.changing = False
        self.delivering: FrameType | None = None
        self.reacting: FrameType | None = None
        self.blocks: tuple[Block, ...] = ()
        self.missed = 0
        self.said = False  # whether anybody has been told that something was missed
        self.depth = 0  # of the event being delivered: 0 for edits made outside callbacks
        self.failures: list[CallbackFailure] = []
        # A KeyboardInterrupt or the like, to be raised at the end.
        self._interrupt: BaseException | None = None

    # --- whether anything was cut short

    @property
    def is_cut_short(self) -> bool:
        """Whether something that was begun was left in the middle, so that nobody can say what is known of it."""
        telling, acting = self.delivering, self.reacting
        if (
            self.changing
            or (telling is not None and not is_running(telling))
            or (acting is not None and not is_running(acting))
        ):
            self.missed = 1
        for block in self.blocks:
            if block.is_cut_short:
                self.missed = 1
        return self.missed > 0

    @property
    def is_busy(self) -> bool:
        """Whether anything has left a mark, of something that is under way or was cut short."""
        return (
            self.changing
            or self.delivering is not None
            or self.reacting is not None
            or bool(self.blocks)
            or self.missed > 0
        )

    @property
    def has_open_block(self) -> bool:
        """Whether a block is open whose edits are reported at its end."""
        return any(block.tells_at_its_end for block in self.blocks) and not self.is_cut_short

    def check(self) -> None:
        """Before anything is done. Raises `RefusedError` once something was cut short."""
        if self.is_cut_short:
            self.said = True
            raise RefusedError(CUT_SHORT.format(self.document))

    def whole_again(self) -> None:
        """What was under way has been undone."""
        self.reacting = None
        self.missed = 0

    # --- who is to get them

    def attach(self, listener: Listener, *, ahead: bool = False) -> None:
        """Adds an internal listener to what happens from now on; ``ahead``: a recorder, before all others."""
        one = Audience(listener._on_change, listener, self.position)
        if ahead:
            self.recorders = (*self.recorders, one)
        else:
            self.listeners = (*self.listeners, one)
        self._gather()

    def detach(self, listener: Listener) -> None:
        """Takes an internal listener away; nothing happens when it is not there."""
        self.listeners = tuple(each for each in self.listeners if each.listener is not listener)
        self.recorders = tuple(each for each in self.recorders if each.listener is not listener)
        self._gather()

    def subscribe(self, callback: Callable[[PrimitiveEvent], Any]) -> Callable[[], None]:
        """Adds a subscriber to events from now on; the callable returned takes it away."""
        one = Audience(callback, None, self.position)
        self.subscribers = (*self.subscribers, one)
        self._gather()

        def unsubscribe() -> None:
            self.subscribers = tuple(each for each in self.subscribers if each is not one)
            self._gather()

        return unsubscribe

    def set_reactor(self, reactor: Reactor | None) -> None:
        """Has edits acted on from now on, or (None) no more."""
        self.reactor = reactor
        self._gather()

    def _gather(self) -> None:
        self._everybody = (*self.recorders, *self.listeners, *self.subscribers)
        self.audience = bool(self._everybody) or self.reactor is not None

    def present(self, some: tuple[Audience, ...]) -> Iterator[Audience]:
        """Those who are here now, one after the other, unless they go while those before are called."""
        known = self._everybody
        for each in some:
            if self._everybody is known or self._is_here(each):
                yield each

    def _is_here(self, one: Audience) -> bool:
        return any(map(is_, self._everybody, repeat(one)))

    # --- delivering

    def deliver(self, event: PrimitiveEvent) -> None:
        """Delivers the one event of an edit, at once if nothing is waiting.

        Raises `CallbackError` (or `EndlessTriggerError`) when everybody has been called, then what interrupted it.
        """
        if self.reactor is not None or self.delivering is not None or self.held or self.queue:
            self.deliver_all((event,))
            return
        self.delivering = _this_call()
        self.changing = False
        everybody = self._everybody
        some, one = iter(everybody), everybody[0]
        while True:
            try:
                for one in some:  # as `present` gives them
                    if self._everybody is everybody or self._is_here(one):
                        one.on_change(event)
                break
            except BaseException as error:
                self._failed(one, one.on_change, event, error)
        self.delivering = None
        if self.queue or self.failures or self._interrupt is not None:
            self.settle()

    def deliver_all(self, events: Sequence[PrimitiveEvent]) -> None:
        """As `deliver`, of the events of one edit."""
        self._take(events, None if self.reactor is None else self.reactor.on_edit)

    def deliver_signal(self, event: CompositeEvent) -> None:
        """As `deliver`, of an external event (L7) that the application raises."""
        self._take((event,), None if self.reactor is None else self.reactor.on_signal)

    def _take(self, events: Sequence[_Happened], act: Callable[[Sequence[_Happened]], None] | None) -> None:
        """Queues what has happened, lets the reactor act on it, then delivers it with all that was made of it."""
        within = act is None or self.reacting is not None
        together = None
        if not within and self.recorders and not self.held:
            together = Together()
            self.put(together)
        before = len(self.queue)
        for event in events:
            self.put(event)
        if act is None:
            self.changing = False
        elif within:
            self.changing = False
            act(events)
        else:
            with self.under_way("reacting"):
                self.changing = False
                try:
                    act(events)
                finally:
                    made = len(self.queue) - before
                    if together is not None and made > len(events):
                        together.count = made
        self.settle()

    @contextmanager
    def under_way(self, mark: Literal["delivering", "reacting"]) -> Iterator[None]:
        """A block that tells of edits, or acts on them; its mark stays if it is cut short."""
        before = getattr(self, mark)
        setattr(self, mark, sys._getframe(2))  # the function that has the block
        try:
            yield
        except BaseException as error:
            if not cuts_short(error):
                setattr(self, mark, before)
            raise
        setattr(self, mark, before)

    def put(self, event: Queued) -> None:
        """Queues an event; `settle` delivers it."""
        self.position += 1
        self.queue.append((self.depth + 1 if self.delivering is not None else 0, self.position, event))

    def take_back(self, position: int) -> None:
        """Takes what was queued after ``position`` out of the queue again: nobody has heard of it."""
        while self.queue and self.queue[-1][1] > position:
            self.queue.pop()
        self.position = position

    def settle(self) -> None:
        """Delivers all that is queued, unless a transaction holds it or a delivery is under way already.

        Raises as `deliver`.
        """
        if self.delivering is not None or self.held or self.reacting is not None:
            return
        if self.queue:
            self.delivering = _this_call()
            while self.queue:
                if not self.recorded:
                    if self.recorders:
                        for _, number, event in tuple(self.queue):
                            self._inform(self.recorders, number, event)
                    self.recorded = len(self.queue)
                self.recorded -= 1
                self.depth, number, event = self.queue.popleft()
                self._deliver_queued(number, event)
            self.depth = 0
            self.delivering = None
        try:
            self._report()
        finally:
            if self.reactor is not None:
                try:
                    self.reactor.finish()
                except BaseException as error:
                    if cuts_short(error):
                        error.add_note(TOLD)
                    raise

    def note(self, callback: Callable[..., Any], event: object, error: BaseException) -> None:
        """Notes what a callback has raised; it is raised when everybody has been called, or at the next delivery.

        What is no error of a callback (a KeyboardInterrupt, say) is raised as it is, the others as a `CallbackError`.
        """
        if isinstance(error, Exception) and not _came_between(callback, error):
            self.failures.append(CallbackFailure(callback, event, error))
        else:
            self._interrupt = self._interrupt or error

    def call(self, callback: Callable[[Any], Any], event: object) -> None:
        """Calls a callback of the application unless callbacks trigger each other too deep; notes its error."""
        if self.depth > TRIGGER_DEPTH:
            self._stop(callback, event)
            return
        try:
            callback(event)
        except BaseException as error:
            self.note(callback, event, error)

    def tell(self, call: Callable[[], _Told]) -> _Told:
        """Makes a call that calls callbacks outside `settle`: their edits are delivered after it."""
        if self.delivering is not None:
            return call()
        with self.under_way("delivering"):
            told = call()
        self.settle()
        return told

    def _failed(self, one: Audience, call: Callable[..., Any], event: object, error: BaseException) -> None:
        if _came_between(call, error) or (one.listener is not None and cuts_short(error)):
            self.missed = 1  # nobody can say whether it was called, or what a recorder or a watch knows
            self.said = isinstance(error, Exception)
        self.note(call, event, error)

    def _report(self) -> None:
        interrupt, self._interrupt = self._interrupt, None
        failures, self.failures = self.failures, []
        report = CallbackError(failures) if failures else None
        if interrupt is not None:
            if report is not None:
                interrupt.add_note(str(report))
            interrupt.add_note(TOLD)
            raise interrupt
        if report is not None:
            raise report from failures[0].error

    def _deliver_queued(self, number: int, event: Queued) -> None:
        if type(event) is Together:
            return
        self._inform(self.listeners, number, event)
        if isinstance(event, PrimitiveEvent) and self.subscribers:
            if self.depth > TRIGGER_DEPTH:
                self._stop(self.subscribers[-1].on_change, event)
            else:
                self._inform(self.subscribers, number, event)

    def _inform(self, some: tuple[Audience, ...], number: int, event: Queued) -> None:
        for each in self.present(some):
            if number <= each.since:
                continue
            call: Callable[[Any], Any] = each.on_change
            given: Any = event
            if type(event) is not PrimitiveEvent:
                assert each.listener is not None
                if type(event) is Commit:
                    call, given = each.listener._on_commit, event[0]
                elif type(event) is CompositeEvent:
                    call = each.listener._on_raised
                elif type(event) is Together and event.count:
                    call, given = each.listener._on_together, event.count
                else:
                    continue
            try:
                call(given)
            except BaseException as error:
                self._failed(each, call, event, error)

    def _stop(self, callback: Callable[..., Any], event: object) -> None:
        if any(isinstance(failure.error, EndlessTriggerError) for failure in self.failures):
            return
        error = EndlessTriggerError(
            f"callbacks trigger each other without end: {TRIGGER_DEPTH} edits deep; they are not called for "
            "edits beyond that. Let a callback look whether there is still something to change"
        )
        self.note(callback, event, error)


def _came_between(callback: Callable[..., Any], error: BaseException) -> bool:
    """Whether an error is not the callback's, but that of a signal's handler, called before or after it."""
    function = getattr(callback, "__func__", callback)
    code = getattr(function, "__code__", None)
    trace = error.__traceback__
    if trace is None:  # it was not raised
        return False
    within = trace.tb_next
    if code is not None and not isinstance(
        error, TypeError
    ):  # which is that of a call with other arguments, perhaps
        return within is None or within.tb_frame.f_code is not code
    if isinstance(function, BuiltinFunctionType) and within is not None:
        return True
    return not isinstance(error, Exception)
