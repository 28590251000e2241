"""The running state of one event tree: arrivals in at the leaves, composites out at the root (G2, D6).

One module because a time point goes through one object: arrivals, releases and what is due change the same waiting.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from contexts import FLAT_KEY, Entry
from contexts.combinations import SearchLimitError
from contexts.entry import BINDINGS, EMPTY_END, EMPTY_START
from contexts.grouping import Key
from path_types import PathType

from ..algebra import Order, Promise, Termination, Unit
from ..events import Cause, CompositeEvent, PrimitiveEvent
from ..rules.alignment import path_above
from ..rules.trees import EventTree, OperatorNode
from .errors import TooManyTriesError, UnknownTimeError
from .leaf import Bindings, LeafState
from .operators import Account, Blueprint, DeferrableState, Input, OperatorState, new_state, promise
from .release import Deferral, Release
from .release_elsewhere import ReleaseElsewhere
from .setting import Setting
from .timers import Due
from .tree_dispatch import Delivery, TreeDispatch
from .waiting import Waiting

Answers: TypeAlias = dict[tuple[int, int, int], "Bindings | None"]
"""What leaves have found out before, by tree, operator and operand: the variables bound, None if it is not taken."""
NO_ANSWERS: Answers = {}
NOT_ASKED: Bindings = {}
NO_CREATIONS: frozenset[int] = frozenset()
_new_tuple = tuple.__new__


class TreeState:
    """One event tree at run time.

    ``reused`` is what is promised of the trees that it reuses, ``composite_dispatch`` says where it stores
    composites by name and absolute path type.
    """

    def __init__(
        self,
        tree: EventTree,
        setting: Setting,
        report: list[CompositeEvent],
        *,
        report_operators: bool,
        reused: Promise,
        composite_dispatch: Mapping[tuple[str, PathType], tuple[Delivery, ...]],
    ) -> None:
        self.tree = tree
        self.flat = tree.flat
        self.reports_operators = report_operators
        self.states = tuple(
            new_state(
                Blueprint(
                    node, tree, report if report_operators or node.parent is None else None, setting,
                    [promise(child, reused) for child in node.children],
                )
            )
            for node in tree.operators
        )  # fmt: skip
        self.root = self.states[-1]
        for state in self.states:
            if state.node.parent is not None:
                state.connect(self.states[state.node.parent])
        for state in self.states:
            state.set_owners()
        # By postorder index, what makes an operator wait (D2 to D4); None if it never does.
        self._deferral = tuple(_deferral(state, setting) for state in self.states)
        self.deferrals = tuple(deferral for deferral in self._deferral if deferral is not None)
        # Of each operator, matches that wait for a release at it or below it.
        self._deferred_below = tuple(
            tuple([d for below in self._below(state) if (d := self._deferral[below.node.index]) is not None])
            for state in self.states
        )
        for deferral in self.deferrals:
            deferral.state.taker = deferral
        self.awaits_release = any(each.mode is not Termination.EARLIEST for each in self.deferrals)
        """Whether anything waits for more than a condition."""
        self.waits_for_conditions = any(each.condition is not None for each in self.deferrals)
        """Whether anything waits for a condition."""
        self.late = tuple(state for state in self.states if state.comes_late)
        """What has timers that fire whether or not its node is still there."""
        self.setting = setting
        self._clock = setting.clock
        self._timers = setting.timers
        self.needs_time = tree.needs_time
        # By operator and operand, the leaves that ask something of an event, or bind something (F1, V1).
        self.leaves = {
            (node.index, operand): LeafState(program, tree.name, setting)
            for node, of_operator in zip(tree.operators, setting.programs[tree.index], strict=True)
            for operand, program in enumerate(of_operator.leaves)
            if program is not None
        }
        self.by_detection = tree.order is Order.DETECTION
        self.extended = tree.extended
        self.has_short_entries = not (tree.extended or self.by_detection)
        self._composite_dispatch = composite_dispatch
        self.elsewhere = ReleaseElsewhere(self.states, self._deferral, setting.waiting)
        self.waits_elsewhere = self.elsewhere.can_be
        """Whether an event elsewhere can release anything."""
        self.releases_alone = (
            self.waits_elsewhere
            and self.has_short_entries
            and not (self.flat or any(state.node.definition.aside for state in self.states))
            and not self.waits_for_conditions
            and self.elsewhere.goes_up_one_by_one()
        )
        """Whether ``elsewhere`` does all that is to be done at an event elsewhere."""

    # ---- one time point -------------------------------------------------------------------------------

    def process(
        self,
        cause: Cause,
        dispatch: TreeDispatch | None,
        composites: Sequence[CompositeEvent] = (),
        *,
        release: Release = Release.LEFT,
        due: Sequence[Due] = (),
        before: Answers = NO_ANSWERS,
    ) -> list[Entry]:
        """Takes the tree through one time point in postorder (G2, D6); returns what the root raised.

        ``dispatch`` is what the primitive event means to the tree, if there is one; ``composites`` what earlier trees
        raised; ``due`` the timers of the tree that are.
        """
        inputs: dict[int, list[Input]] = {}
        event = cause if isinstance(cause, PrimitiveEvent) else None
        queue: list[int] = []
        if dispatch is not None and event is not None:
            queue += dispatch.operators
            self._take(event, dispatch, inputs, before)
        if release is not Release.LEFT:
            event = None
        if composites or due or self.deferrals:
            turns = {*queue, *(each.operator for each in due)}
            if composites:
                turns |= self._deliver(composites, inputs, cause)
            if release is not Release.NOTHING:
                for deferral in self.deferrals:
                    if deferral.is_waiting() and deferral.may_be_due(event, dispatch):
                        turns.add(deferral.state.node.index)
            queue = sorted(turns)
        raised: list[Entry] = []
        creations = NO_CREATIONS if event is None or dispatch is None else dispatch.creations
        releases = bool(due or self.deferrals) or release is not Release.LEFT
        for index in queue:  # which gets longer: operators above come later in postorder
            state, arrived = self.states[index], inputs.get(index, ())
            # One operator's turn (D6): creation, arrivals child by child, timers, releases.
            if index in creations:
                self._create(state, cause)
            if len(arrived) > 1:
                turn = state.turn
                arrived = sorted(arrived, key=lambda each: turn[each[0]])
                state.taker.arrive_together(arrived, cause)
            elif arrived:
                ((child, key, arrivals),) = arrived
                state.taker.arrive(child, key, arrivals, cause)
            if releases:
                self._fire_and_release(state, arrived, dispatch, event, cause, release, due)
            if not state.outbox:
                raised = []
                continue
            entries, state.outbox = state.outbox, []
            parent = state.parent
            if parent is None:
                raised = entries
            else:
                above = parent.node.index
                inputs.setdefault(above, []).extend(parent.grouped(state.child_index, entries))
                if above not in queue:
                    insort(queue, above)
        return raised

    def take_turns(self, dispatch: TreeDispatch, place: int, event: PrimitiveEvent) -> None:
        """Takes the tree through the time point of an event, which may be a tuple of the layout of events."""
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        tries = self.setting.tries
        tries.count = 0
        try:
            self.process(event, dispatch)
        except SearchLimitError as error:
            raise TooManyTriesError(self.tree.name, event.ts, tries.limit) from error
        if self.deferrals:
            self.note(self.setting.waiting)

    def take_composite(self, event: CompositeEvent, cause: PrimitiveEvent) -> bool:
        """Takes a composite of another tree as `process` does where it is the one thing that happens to the tree at the
        time point, so that it goes straight up; does nothing, and returns False, where there may be more to do."""
        if not self.has_short_entries or self.waits_elsewhere or self.waits_for_conditions:
            return False
        deliveries = self.composite_deliveries(event)
        if len(deliveries) != 1:
            return False
        ((operator, child, index),) = deliveries
        if (operator, child) in self.leaves:
            return False
        state, tries = self.states[operator], self.setting.tries
        key = state.key_at(child, FLAT_KEY if index is None else event.ids[index], None)
        if key is not None:
            tries.begin()
            try:
                state.taker.take(child, key, self._entry(event, cause), cause)
            except SearchLimitError as error:
                raise TooManyTriesError(self.tree.name, cause.ts, tries.limit) from error
        return True

    def may_deliver_first(self, operator: int) -> bool:
        """Whether an arrival at this operator may be dealt with before everything that the same event releases.

        What it raises has to end where something waits, above nothing that is released at that time point.
        """
        waits = {
            state.node.index
            for state, deferral in zip(self.states, self._deferral, strict=True)
            if deferral is not None and deferral.mode is not Termination.EARLIEST
        }
        if not waits:
            return True
        state: OperatorState | None = self.states[operator]
        while state is not None and state.node.index not in waits:
            state = state.parent
        if state is None or waits & {below.node.index for below in self._below(state) if below is not state}:
            return False
        return state.node.index == operator or min(waits) >= operator

    def _take(
        self, event: PrimitiveEvent, dispatch: TreeDispatch, inputs: dict[int, list[Input]], before: Answers
    ) -> None:
        """The event arrives in the leaves that take it; ``before`` are answers from before its edit (U2)."""
        point, ids = self._clock.point, event.ids
        extended = self.extended
        at = point if self.by_detection else event.ts  # of one ts there may be several time points (W5)
        plain: Entry = (at, at, point, event)
        if extended and dispatch.deliveries:
            self.check_time(event)
            moment = self._clock.moment()
            plain = (*plain, moment, moment, None)
        for operator, child, index in dispatch.deliveries:
            place = FLAT_KEY if index is None else ids[index]
            entry = plain
            bindings: Bindings | None = None
            if (operator, child) in self.leaves:
                asked_before = before.get((self.tree.index, operator, child), NOT_ASKED)
                bindings = (
                    self.leaves[operator, child].read(event) if asked_before is NOT_ASKED else asked_before
                )
                if bindings is None:
                    continue
                if extended:
                    entry = (*plain[:BINDINGS], bindings)
            key = self.states[operator].key_at(child, place, bindings)
            if key is not None:
                inputs.setdefault(operator, []).append((child, key, [entry]))
        for operator, index in dispatch.presences:
            self.states[operator].happened(FLAT_KEY if index is None else ids[index], event.ts)

    def ask_before(self, event: PrimitiveEvent, dispatch: TreeDispatch, answers: Answers) -> None:
        """What leaves ask of the document as it was before the edit that deletes the event's node (U2)."""
        for operator, child, _ in dispatch.deliveries:
            leaf = self.leaves.get((operator, child))
            if leaf is not None and leaf.program.needs_document:
                answers[self.tree.index, operator, child] = leaf.read(event)

    def readers(self, dispatch: TreeDispatch) -> Iterator[tuple[Container[int], int]]:
        """The nodes that wait for a condition which reads what such an event can change (U2), with which of its ids
        may be one of them."""
        for operator, indexes in dispatch.touches.items():
            deferral = self._deferral[operator]
            if deferral is not None:
                yield from product(deferral.places_that_wait(), indexes)

    def touch(self, event: PrimitiveEvent, dispatch: TreeDispatch) -> bool:
        """The edit that is processed next can change what conditions read (U2); returns whether any of them waits."""
        touched = False
        for operator, indexes in dispatch.touches.items():
            deferral = self._deferral[operator]
            if deferral is not None and (deferral.blocked or deferral.stale):
                for index in indexes:
                    touched = deferral.touch(event[3][index]) or touched
        return touched

    def check_time(self, cause: Cause) -> None:
        """W1: a rule with durations takes no record while the time is not known."""
        if self.needs_time and self._clock.time is None:
            raise UnknownTimeError(self.tree.name, cause[0])

    def _create(self, state: OperatorState, cause: Cause) -> None:
        """A node of the operator is created (M4)."""
        assert isinstance(cause, PrimitiveEvent)
        state.taker.create(cause.ids[-1], cause.path, cause.ids, cause)

    def _fire_and_release(
        self,
        state: OperatorState,
        arrived: Sequence[Input],
        dispatch: TreeDispatch | None,
        event: PrimitiveEvent | None,
        cause: Cause,
        release: Release,
        due: Sequence[Due],
    ) -> None:
        """The end of an operator's turn (D6): timers, then releases. ``event`` is the cause where that is an event."""
        index = state.node.index
        fired = sorted({d for d in due if d.operator == index}, key=_key) if due else []
        if release is Release.NOTHING and (found := self._timers.take_set_now(self.tree.index, index)):
            fired = sorted({*fired, *found}, key=_key)  # what arrived has made it due in this very round (W5)
        if release is Release.FLUSH and arrived:
            fired += self._due_at_once()
        for each in fired:
            state.taker.fire(each, cause)
        deferral = self._deferral[index]
        if deferral is not None and deferral.is_waiting():
            nodes: Sequence[int] = ()
            if event is not None and dispatch is not None and deferral.touched:
                nodes = [event.ids[at] for at in dispatch.rechecks.get(index, ())]
            deferral.release_due(() if event is None else event.ids, nodes, cause, release)

    def _due_at_once(self) -> Iterator[Due]:
        """What the turn of an operator in a flush has made due by the transaction that ends (W5).

        All that was due before the flush has been taken, and operators before have had theirs: it is this one's.
        """
        now = self._clock.transaction
        for _, together in self._timers.take(Unit.TRANSACTIONS, now + 1):
            yield from sorted(together, key=_key)

    def _deliver(
        self, composites: Sequence[CompositeEvent], inputs: dict[int, list[Input]], cause: Cause
    ) -> set[int]:
        """Stores other trees' composites in the leaves they are compatible with; says whom that touches."""
        touched = set()
        arrivals: dict[tuple[int, int, Key], list[Entry]] = {}
        for event in composites:
            deliveries = self.composite_deliveries(event)
            plain = self._entry(event, cause) if deliveries else ()
            for operator, child, index in deliveries:
                entry = plain
                bindings: Bindings | None = None
                leaf = self.leaves.get((operator, child))
                if leaf is not None:
                    bindings = leaf.read(event)
                    if bindings is None:
                        continue
                if self.extended:
                    entry = (*plain[:BINDINGS], bindings)
                place = FLAT_KEY if index is None else event.ids[index]
                key = self.states[operator].key_at(child, place, bindings)
                if key is not None:
                    arrivals.setdefault((operator, child, key), []).append(entry)
        for (operator, child, key), entries in arrivals.items():
            inputs.setdefault(operator, []).append((child, key, entries))
            touched.add(operator)
        return touched

    def _entry(self, event: CompositeEvent, cause: Cause) -> Entry:
        """Another tree's composite as a leaf stores it."""
        point = self._clock.point
        start, end = event.start, event.end
        interval: tuple[float, float]
        if start is None or end is None:
            interval = (EMPTY_START, EMPTY_END)
        else:
            interval = (point, point) if self.by_detection else (start, end)
        if not self.extended:
            return (*interval, point, event)
        self.check_time(cause)
        first, last = event.span or (None, None)
        return (*interval, point, event, first, last, None)

    def composite_deliveries(self, event: CompositeEvent) -> tuple[Delivery, ...]:
        """Where the tree stores such a composite."""
        if event.path is None:
            return ()
        return self._composite_dispatch[event.name, event.path]

    def must_release(self, event: PrimitiveEvent) -> bool:
        """Whether the event releases a non-local group by happening elsewhere (D2)."""
        return any(deferral.pending and deferral.concerns(event[3]) for deferral in self.deferrals)

    def has_pending(self) -> bool:
        """Whether any group has something still to be released."""
        return any(deferral.awaits_release() for deferral in self.deferrals)

    def waits_at(self, state: OperatorState) -> bool:
        """Whether a group of an operator waits for a release, or for its condition."""
        deferral = self._deferral[state.node.index]
        return deferral is not None and bool(deferral.pending or deferral.blocked or deferral.stale)

    def note(self, waiting: Waiting) -> None:
        """Says in ``waiting`` what the tree waits for now (D2, D3, D4)."""
        index, released, elsewhere, blocked = self.tree.index, False, False, False
        for deferral in self.deferrals:
            released = released or deferral.awaits_release()
            if deferral.pending:
                elsewhere = elsewhere or deferral.mode is Termination.NON_LOCAL
            blocked = blocked or bool(deferral.blocked or deferral.stale)
        (waiting.release.add if released else waiting.release.discard)(index)
        (waiting.elsewhere.add if elsewhere else waiting.elsewhere.discard)(index)
        (waiting.blocked.add if blocked else waiting.blocked.discard)(index)

    def note_release(self) -> None:
        """The same after a release, or when groups have been freed."""
        waiting = self.setting.waiting
        for deferral in self.deferrals:
            if deferral.pending or deferral.condition is not None:
                self.note(waiting)
                return
        waiting.release.discard(self.tree.index)
        waiting.elsewhere.discard(self.tree.index)

    # ---- asked (Y1, Y3) ---------------------------------------------------------------------------------

    def account(self, state: OperatorState, key: Key) -> Account:
        """What an operator of the tree has in a group, and what holds it back."""
        account = state.account(key)
        deferral = self._deferral[state.node.index]
        if deferral is None or (account.objection is not None and account.objection.reason != "guard-false"):
            return account  # there is no combination, so none that waits
        held_back = deferral.objection(key)
        return account if held_back is None else account._replace(objection=held_back, raised=False)

    def seen_by_condition(self, state: OperatorState, key: Key) -> tuple[str, tuple[tuple[str, str], ...]]:
        """An operator's condition as it is written, and what it compares with the values that it sees."""
        deferral = self._deferral[state.node.index]
        return ("", ()) if deferral is None else deferral.seen(key)

    def place_above(
        self, node: OperatorNode, path: PathType | None, ids: Sequence[int], above: OperatorNode | None = None
    ) -> int | None:
        """From the path instance of the node of an operator's group to the place of the group of an operator above it,
        by default of the root's, to which its composites go; None: to none."""
        if self.flat:
            return FLAT_KEY
        found = None if path is None else path_above(self.tree, node, path, above)
        return None if found is None else ids[len(found) - 1]

    # ---- freeing (G4) -----------------------------------------------------------------------------------

    def forget(self, state: OperatorState, place: int) -> None:
        """Frees what an operator has at a node that is gone."""
        deferral = self._deferral[state.node.index]
        for key in state.keys_at(place) if state.by_value else (place,):
            state.forget(key)
            if deferral is not None and deferral.forget(key):
                self.note_release()
        if state.by_value:
            state.forget_at(place)

    def clear(self) -> None:
        """Forgets everything."""
        for state in self.states:
            state.clear()
        for deferral in self.deferrals:
            deferral.clear()

    def is_awaited(self, state: OperatorState, place: int) -> bool:
        """Whether something deferred in this group or below it may still be released."""
        for deferral in self._deferred_below[state.node.index]:
            # Groups of one path type are the same nodes; of different ones they may lie in each other.
            if deferral.awaits_release() and (
                deferral.state.node.path is not state.node.path or deferral.may_release(place)
            ):
                return True
        return False

    def has_late_below(self, state: OperatorState) -> bool:
        """Whether what is below an operator can bring something by a timer when its node is gone."""
        return any(below.comes_late for below in self._below(state) if below is not state)

    def _below(self, state: OperatorState) -> Iterable[OperatorState]:
        yield state
        for child in state.children:
            if child is not None:
                yield from self._below(child)


def _deferral(state: OperatorState, setting: Setting) -> Deferral | None:
    if not state.node.deferred:
        return None
    assert isinstance(state, DeferrableState)
    return Deferral(state, state.node.termination, state.node.condition, setting)


def _key(due: Due) -> Key:
    return due.key
