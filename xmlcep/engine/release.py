"""Termination and release: when a deferred operator raises what has become possible (D1 to D6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from enum import Enum
from functools import partial

from contexts import Entry
from contexts.constraints import Objection
from contexts.grouping import Key
from path_types import PathType

from ..algebra import Termination
from ..events import Cause, PrimitiveEvent
from ..xpath import Environment, Expression
from .operators import DeferrableState
from .operators.state import Acceptor, Arrivals, Input, acceptor_of, by_group
from .setting import Setting
from .timers import Due
from .tree_dispatch import TreeDispatch

_new_tuple = tuple.__new__


class Release(Enum):
    """What a time point releases, beside matches that wait for a condition (D2, D3)."""

    NOTHING = "nothing"
    """A timer is due: nothing happened anywhere."""
    LEFT = "left"
    """An event: the non-local groups whose nodes are not at or above its own."""
    FLUSH = "flush"
    """Everything."""


class Deferral:
    """What keeps a deferred operator's groups from raising at once.

    ``pending``: groups, in mode non-local or custom, with a combination that the next release concerns. ``stale``:
    those whose condition was false at a release, while nothing it reads has changed: no release need ask them (U2).
    ``blocked``: groups, in mode earliest, with a combination whose condition was false, each with the edit in which it
    was asked last. ``touched``: the nodes of which the present edit changes what is read and a blocked group waits for.
    """

    def __init__(
        self, state: DeferrableState, mode: Termination, condition: Expression | None, setting: Setting
    ) -> None:
        self.state = state
        self.mode = mode
        self.condition = condition
        self.setting = setting
        self.pending: set[Key] = set()
        self.stale: set[Key] = set()
        self.blocked: dict[Key, int] = {}
        self.touched: set[int] = set()
        self._tree = state.tree_index
        self._waiting = setting.waiting
        self._awaits = mode is not Termination.EARLIEST  # a release
        self._is_left = mode is Termination.NON_LOCAL

    # ---- what becomes possible ------------------------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Holds arrivals; in mode earliest they are evaluated while the condition holds (D4)."""
        self._arrive(key, ((child, arrivals),), cause)

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        """`arrive` for what comes at one time point."""
        for key, arrivals in by_group(inputs):
            self._arrive(key, arrivals, cause)

    def _arrive(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        state = self.state
        if not self._awaits:
            state.hold(key, arrivals, cause)
            self._ask(key, cause)
        elif key in self.pending:  # whether it is possible need not be found out again
            state.hold(key, arrivals, cause)
        elif state.hold_all(key, arrivals, cause):
            self._await_release(key)
        elif key in self.stale:
            self.forget(key)

    def _ask(self, key: Key, cause: Cause) -> None:
        """What has arrived in mode earliest is raised if the condition holds; matches that waited have been asked."""
        state = self.state
        if key in self.blocked and state.grouping.place_of(key) not in self.touched:
            return
        if not state.is_possible(key):
            self.blocked.pop(key, None)
        elif self._holds(key):
            self.blocked.pop(key, None)
            state.release(key, cause)
        else:
            self._block(key)

    def acceptor(self, child: int) -> Acceptor:
        """What takes the events of a leaf, see `OperatorState.acceptor`."""
        keep = self.state.keeper(child)
        if keep is None:
            return acceptor_of(self, self.setting.clock, child)
        if not self._awaits:
            return partial(self._keep_and_ask, keep)
        pending, stale, tree, is_left = self.pending, self.stale, self._tree, self._is_left
        release, elsewhere = self._waiting.release, self._waiting.elsewhere

        def accept_and_wait(key: Key, event: PrimitiveEvent) -> None:
            # What _await_release does, without its call.
            if keep(key, event) and key not in pending and key not in stale:
                pending.add(key)
                release.add(tree)
                if is_left:
                    elsewhere.add(tree)

        return accept_and_wait

    def _keep_and_ask(
        self, keep: Callable[[Key, PrimitiveEvent], bool], key: Key, event: PrimitiveEvent
    ) -> None:
        """`arrive` for an event of a leaf, where it waits for nothing but the condition."""
        if not keep(key, event) or key in self.blocked:
            return
        if not self._holds(key):
            self._block(key)
            return
        state = self.state
        if type(event) is not PrimitiveEvent:
            event = _new_tuple(PrimitiveEvent, event)
        state.release(key, event)
        if state.outbox:
            state.hand_up(event)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        """`arrive` for the one arrival of a time point that releases nothing; what it raises goes on up the tree."""
        self.arrive(child, key, (entry,), cause)
        if self.state.outbox:
            self.state.hand_up(cause)

    def create(self, key: Key, path: PathType, ids: tuple[int, ...], cause: Cause) -> None:
        """M4 for a deferred operator."""
        self.state.hold_creation(key, path, ids)
        if self._awaits:
            self._await_release(key)
        else:
            self._ask(key, cause)

    def fire(self, due: Due, cause: Cause) -> None:
        """Something of the operator's is due: a combination may have come to be (A3), or wait for a release (B3)."""
        state = self.state
        state.fire(due, cause)
        if due.key in self.blocked or not state.is_possible(due.key):
            return
        if self._awaits:
            self._await_release(due.key)
        elif self._holds(due.key):
            state.release(due.key, cause)
        else:
            self._block(due.key)

    # ---- releases -------------------------------------------------------------------------------------

    def touch(self, node: int) -> bool:
        """The present edit changes what the condition of this node's groups reads; returns whether one waits for it."""
        waits = False
        for key in self.state.keys_at(node):
            if key in self.stale:
                self._reconsider(key)
                waits = True
            elif key in self.blocked:
                self.touched.add(node)
                waits = True
        if self.setting.general:  # what happens there may change it, for all that is known
            self.touched.add(node)
            waits = True
        return waits

    def places_that_wait(self) -> tuple[Container[int], ...]:
        """The nodes of which a group waits for its condition, as they are whenever somebody asks."""
        if self.state.by_value:
            return (_PlacesThatWait(self),)
        return (self.blocked, self.stale) if self._awaits else (self.blocked,)

    def _reconsider(self, key: Key) -> None:
        """The next release concerns the group again."""
        self.stale.remove(key)
        self._await_release(key)

    def release_due(
        self, here: Collection[int], nodes: Iterable[int], cause: Cause, release: Release
    ) -> None:
        """Releases what is due at this time point, in ascending order of the group keys (D6).

        ``here`` are the nodes that the current primitive event is at or below, ``nodes`` those that can be nodes of
        groups; if nothing happens anywhere, there are none.
        """
        due: set[Key] = set()
        if self.touched:
            edit = self.setting.clock.edit
            for node in nodes:
                for key in self.state.keys_at(node):
                    if self.blocked.get(key, edit) != edit:
                        self.blocked[key] = edit
                        if node in self.touched and self._holds(key):
                            due.add(key)
        if self.pending and release is not Release.NOTHING:
            for key in set(self.pending) if release is Release.FLUSH else self.left(here):
                if self.condition is None or not self._is_denied(key):
                    due.add(key)
        for key in sorted(due):
            self.forget(key)
            if self.state.is_possible(key):  # what it waited with may have ceased to exist
                self.state.release(key, cause)

    def _is_denied(self, key: Key) -> bool:
        """Whether the condition of a possible group is false at a release; then no other release need ask it until what
        it reads has changed."""
        if not self.state.is_possible(key) or self._holds(key):
            return False
        self.pending.remove(key)
        self.stale.add(key)
        self._waiting.blocked.add(self._tree)
        return True

    def release_left(self, here: Collection[int], cause: Cause) -> bool:
        """Releases the groups whose nodes an event at or below ``here`` leaves (D2); returns whether any still waits.

        Only without a condition, and where groups are places.
        """
        pending, state = self.pending, self.state
        due = sorted(self.left(here))
        pending.difference_update(due)
        self._waiting.released.add(self._tree)
        for key in due:
            if state.is_possible(key):
                state.release(key, cause)
        return bool(pending)

    def left(self, here: Collection[int]) -> set[Key]:
        """The pending groups whose nodes are not among these, if that releases them (D2)."""
        if not self._is_left:
            return set()
        node_of = self.state.node_of
        return {key for key in self.pending if node_of(key) not in here}

    def may_be_due(self, event: PrimitiveEvent | None, dispatch: TreeDispatch | None) -> bool:
        """Whether anything may be released at an event, or, without one, at a flush."""
        if event is None:
            return bool(self.pending)
        state = self.state
        if self.touched and dispatch is not None and state.node.index in dispatch.rechecks:
            return True
        return bool(self.pending) and self.concerns(event.ids)

    def concerns(self, here: Collection[int]) -> bool:
        """Whether an event at or below these nodes releases anything by that alone."""
        if not self._is_left:
            return False
        node_of = self.state.node_of
        return any(node_of(key) not in here for key in self.pending)

    def is_waiting(self) -> bool:
        """Whether any group may have something to raise at this time point."""
        return bool(self.pending or self.blocked or self.touched)

    def awaits_release(self) -> bool:
        """Whether any group has something that a release, this one or a later one, may raise."""
        return bool(self.pending or self.stale)

    def may_release(self, place: int) -> bool:
        """Whether a group still has something to raise when its node is deleted (U6: not if it has a condition)."""
        if self.condition is not None:
            return False
        state = self.state
        return (
            any(key in self.pending for key in state.keys_at(place))
            if state.by_value
            else place in self.pending
        )

    def objection(self, key: Key) -> Objection | None:
        """What keeps a group that has a combination from raising it (Y1)."""
        if key in self.blocked or key in self.stale or (key in self.pending and not self._holds(key)):
            return Objection("condition-false")
        waits = key in self.pending and self.state.is_possible(key)  # not for a node that has gone (M4)
        return Objection("not-released") if waits else None

    def seen(self, key: Key) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The condition as it is written, and what it compares with the values that it sees in a group."""
        if self.condition is None:
            return "", ()
        seen = self._seen(key, self.condition)
        return self.condition.text, () if seen is None else tuple(self.condition.compared(seen))

    def end_edit(self) -> None:
        """The edit is over."""
        self.touched.clear()

    def forget(self, key: Key) -> bool:
        """Frees what is known of a group; says whether it waited for anything."""
        if key in self.pending or key in self.stale:
            self.pending.discard(key)
            self.stale.discard(key)
            self._waiting.released.add(self._tree)
            return True
        return self.blocked.pop(key, None) is not None

    def clear(self) -> None:
        """Forgets everything."""
        self.pending.clear()
        self.stale.clear()
        self.blocked.clear()
        self.touched.clear()

    def _await_release(self, key: Key) -> None:
        if key in self.stale:
            return
        self.pending.add(key)
        self._waiting.release.add(self._tree)
        if self._is_left:
            self._waiting.elsewhere.add(self._tree)

    def _block(self, key: Key) -> None:
        self.blocked[key] = self.setting.clock.edit
        self._waiting.blocked.add(self._tree)

    def _holds(self, key: Key) -> bool:
        if self.condition is None:
            return True
        seen = self._seen(key, self.condition)
        return seen is not None and self.condition.boolean(seen)

    def _seen(self, key: Key, condition: Expression) -> Environment | None:
        """What the condition sees of a group; None if its node is not there."""
        setting, state = self.setting, self.state
        return setting.sees(state.node.path, (state.grouping.place_of(key),), setting.references)


class _PlacesThatWait(Container[int]):
    """`Deferral.places_that_wait` where groups are of values, too."""

    def __init__(self, deferral: Deferral) -> None:
        self._deferral = deferral

    def __contains__(self, node: object) -> bool:
        blocked, stale, keys = self._deferral.blocked, self._deferral.stale, self._deferral.state.keys_at
        return isinstance(node, int) and any(key in blocked or key in stale for key in keys(node))
