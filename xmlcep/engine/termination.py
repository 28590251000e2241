"""Termination: when an operator raises what has become possible (rules D1 to D6, X1 to X4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contexts import Entry
from contexts.grouping import Key
from path_types import PathType

from ..algebra import Termination
from ..documents import Replica
from ..events import Cause
from ..xpath import Condition
from .operators import DeferrableState
from .release import Release
from .timers import Due


class Deferral:
    """What keeps a deferred operator's groups from raising at once.

    ``pending``: groups with a combination that has not been released. ``blocked``: released groups (or, in
    mode earliest, groups with a combination) whose condition was false when it was last looked at.
    """

    def __init__(
        self, state: DeferrableState, mode: Termination, condition: Condition | None, document: Replica | None
    ) -> None:
        self.state = state
        self.mode = mode
        self.condition = condition
        self.document = document
        self.pending: set[Key] = set()
        self.blocked: set[Key] = set()

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Holds arrivals; in mode earliest they are evaluated while the condition holds (X4)."""
        state = self.state
        if len(arrivals) > 1 and self.mode is Termination.EARLIEST and state.one_by_one:
            for entry in arrivals:
                self.arrive(child, key, (entry,), cause)
            return
        state.hold(child, key, arrivals, cause)
        if key in self.blocked or key in self.pending or not state.is_possible(key):
            return
        if self.mode is not Termination.EARLIEST:
            self.pending.add(key)
        elif self._holds(key):
            state.evaluate_held(child, key, arrivals, cause)
        else:
            self.blocked.add(key)

    def create(self, key: Key, path: PathType, ids: tuple[int, ...], cause: Cause) -> None:
        """M4 for a deferred operator."""
        state = self.state
        if self.mode is Termination.EARLIEST and key not in self.blocked and self._holds(key):
            state.create(key, path, ids, cause)
            return
        state.hold_creation(key, path, ids)
        if key not in self.blocked and state.is_possible(key):
            (self.blocked if self.mode is Termination.EARLIEST else self.pending).add(key)

    def fire(self, due: Due, cause: Cause) -> None:
        """Something of the operator's is due: a combination may have come to be (A3)."""
        state = self.state
        state.fire(due, cause)
        if due.key in self.blocked or not state.is_possible(due.key):
            return
        if self._holds(due.key):
            state.release(due.key, cause)
        else:
            self.blocked.add(due.key)

    def release_due(self, here: int | None, nodes: Iterable[int], cause: Cause, release: Release) -> None:
        """Releases what is due at this time point, in ascending order of the group keys (X2).

        ``here`` is the place that the current primitive event projects on, ``nodes`` the groups' nodes that
        it is at or below; if nothing happens anywhere, there are none.
        """
        due: set[Key] = {key for key in nodes if key in self.blocked and self._holds(key)}
        if self.pending and release is not Release.NOTHING:
            released = self.pending if release is Release.FLUSH else self.left(here)
            for key in list(released):
                if self._holds(key):
                    due.add(key)
                else:  # the release is remembered (X3)
                    self.pending.discard(key)
                    self.blocked.add(key)
        for key in sorted(due):
            self.pending.discard(key)
            self.blocked.discard(key)
            if self.state.is_possible(key):
                self.state.release(key, cause)

    def is_waiting(self) -> bool:
        """Whether any group has something still to be raised."""
        return bool(self.pending or self.blocked)

    def left(self, here: int | None) -> set[Key]:
        """The pending groups that the current event does not project on, if that releases them (D2)."""
        if self.mode is not Termination.NON_LOCAL:
            return set()
        return {key for key in self.pending if key != here}

    def concerns(self, here: int | None) -> bool:
        """Whether an event that projects on ``here`` releases anything by that alone."""
        return self.mode is Termination.NON_LOCAL and any(key != here for key in self.pending)

    def may_release(self, key: Key) -> bool:
        """Whether the group still has something to raise when its node is deleted."""
        return key in self.pending and self.condition is None

    def forget(self, key: Key) -> None:
        """Frees what is known of a group."""
        self.pending.discard(key)
        self.blocked.discard(key)

    def clear(self, document: Replica | None) -> None:
        """Forgets everything; ``document`` is the one that conditions see from now on."""
        self.pending.clear()
        self.blocked.clear()
        self.document = document

    def _holds(self, key: Key) -> bool:
        if self.condition is None:
            return True
        place = self.state.grouping.place_of(key)
        element = self.document.element(place) if self.document is not None else None
        return element is not None and self.condition.holds(element)
