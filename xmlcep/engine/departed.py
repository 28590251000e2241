"""The groups of deleted nodes: freed at once, or when nothing can come to them any more (rule G4).

Something still comes where a release is due at or below the node (D2, D3), and where a timer has been set there (W5):
what has happened has, and its time comes (A4, W7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import TypeAlias

from .dispatch import ActiveTrees
from .operators import OperatorState
from .setting import Setting
from .tree import TreeState

Departure: TypeAlias = tuple[TreeState, OperatorState, tuple[int, ...]]
"""An operator of a tree, and a node with those above it."""
_FEW = 64
"""As many groups as may wait for nothing any more without being looked for."""


class Departed:
    """The groups that outlast their nodes, children before what they lie in.

    ``awaited``: something may be released there; looked at when something has been. ``late``: else a timer may fire
    there; looked at when there are twice as many as were left the last time. The trees and nodes of all of them are
    the setting's ``gone``.
    """

    def __init__(self, active: ActiveTrees, trees: Mapping[int, TreeState], setting: Setting) -> None:
        self.awaited: list[Departure] = []
        self.late: list[Departure] = []
        self._upstream = active.upstream
        self._trees = trees
        self._setting = setting
        self._waiting = setting.waiting
        # Nodes at or below which a timer may fire whose node is gone, and perhaps more.
        self._below: set[int] = set()
        self._most_late = _FEW
        # By tree, what is flat in those it uses: its timers are of no node.
        self._flat = {
            index: [state for each in active.timed[index] if trees[each].flat for state in trees[each].late]
            for index in trees
            if active.timed[index]
        }
        # The operators (tree, postorder index) to whose groups a timer below them can bring something.
        self._reached = {
            (index, state.node.index)
            for index, tree in trees.items()
            for state in tree.states
            if active.timed[index] or tree.has_late_below(state)
        }
        # Those with timers that bring something to others.
        self._brings = {
            (index, state.node.index)
            for index, tree in trees.items()
            for state in tree.late
            if state.parent is not None or index in active.users
        }

    def leave(
        self,
        freed: Iterable[tuple[TreeState, OperatorState]],
        ids: tuple[int, ...],
        only: Collection[int] | None,
    ) -> None:
        """The last of these nodes is gone: what operators (with ``only``: of these trees) have of it is freed, now or
        later."""
        if (
            self.awaited and self._waiting.released
        ):  # what was released may have set the timers that are asked for
            self.look_after_releases()
        for tree, state in freed:
            if only is None or tree.tree.index in only:
                departure = (tree, state, ids)
                if self._may_await and self._is_awaited(departure):
                    self.awaited.append(departure)
                elif not self._stays_for_timers(departure):
                    continue
                self._setting.gone.add((tree.tree.index, ids[-1]))
                state.leave(ids[-1])
        if len(self.late) > self._most_late:
            self.look()

    def look_after_releases(self) -> None:
        """Frees what was awaited after a release, and nothing can come to any more.

        Something still came to each when it was looked at last, and only a release can have changed that: at the end
        of a long transaction there may be as many as there are nodes.
        """
        if self._setting.general:
            self._waiting.released.update(self._trees)
            self.look()
        released, self._waiting.released = self._waiting.released, set()
        if not (released and (self.awaited or self.late)):
            return
        while released:
            still = []
            for departure in self.awaited:
                if not self._may_be_over(departure, released) or self._is_awaited(departure):
                    still.append(departure)
                else:
                    self._stays_for_timers(departure)
            self.awaited = still
            self.look_if_no_timer_is_left()  # what a timer has brought may have been released now
            # What was freed may have been what others waited for: a group that has been asked in vain (D4).
            released, self._waiting.released = self._waiting.released, set()
        self._note_gone()

    def look_if_no_timer_is_left(self) -> None:
        """Frees what a timer was to come to, if none is set any more."""
        if self.late and not self._setting.timers.size:
            self.look()

    def look(self) -> None:
        """Frees those that no timer can come to any more."""
        self._below = set()
        for _, state, ids in self.late:
            if state.outlasts(ids[-1]):
                self._below.update(ids)
        late, self.late = self.late, []
        for departure in late:
            if self._is_awaited(departure):
                self.late.append(departure)
            else:
                self._stays_for_timers(departure)
        self._most_late = max(_FEW, 2 * len(self.late))
        self._note_gone()

    def clear(self) -> None:
        """As before the first event."""
        self.awaited.clear()
        self.late.clear()
        self._below.clear()
        self._most_late = _FEW

    def restore(self, groups: Iterable[tuple[int, int, Iterable[int]]]) -> list[Departure]:
        """One of the two lists again, of trees and operators by index, and what follows from it."""
        restored: list[Departure] = []
        for index, operator, ids in groups:
            restored.append((self._trees[index], self._trees[index].states[operator], tuple(ids)))
        for tree, _, ids in restored:
            self._setting.gone.add((tree.tree.index, ids[-1]))
            self._below.update(ids)
        self._waiting.released.update(self._trees)  # so that all are looked at once more
        return restored

    def check(self) -> None:
        """Checks the invariants that hold between events; AssertionError shows what breaks one."""
        for departure in self.awaited:
            looked_at = self._may_be_over(departure, self._waiting.released)
            assert looked_at or self._is_awaited(departure), departure[0].tree.name
        assert self._setting.gone == self._gone()

    @property
    def _may_await(self) -> bool:
        """Whether anything at all may still come."""
        return bool(self._waiting.release or self._waiting.passed_on)

    def _is_awaited(self, departure: Departure) -> bool:
        """Whether a release may bring something to the group, or has, which is taken when the edit is over."""
        tree, state, ids = departure
        upstream = self._upstream[tree.tree.index]
        return tree.is_awaited(state, ids[-1]) or (
            bool(upstream)
            and (
                not upstream.isdisjoint(self._waiting.passed_on)
                or any(self._trees[index].has_pending() for index in upstream)
            )
        )

    def _stays_for_timers(self, departure: Departure) -> bool:
        """Whether the group becomes one of the `late`: a timer may bring something to it, or one of it something to
        others. What nothing can come to is freed."""
        tree, state, ids = departure
        place, operator = ids[-1], (tree.tree.index, state.node.index)
        brings = operator in self._brings and state.outlasts(place)
        if brings:
            self._below.update(ids)
        is_reached = operator in self._reached and (
            place in self._below or any(flat.outlasts(place) for flat in self._flat.get(operator[0], ()))
        )
        if not is_reached:
            tree.forget(state, place)
        if brings or is_reached:
            self.late.append(departure)
            return True
        return False

    def _may_be_over(self, departure: Departure, released: Collection[int]) -> bool:
        """Whether releases in these trees can have ended what a group was waiting for."""
        index = departure[0].tree.index
        return index in released or not self._upstream[index].isdisjoint(released)

    def _note_gone(self) -> None:
        self._setting.gone.clear()
        self._setting.gone.update(self._gone())

    def _gone(self) -> set[tuple[int, int]]:
        return {(tree.tree.index, ids[-1]) for tree, _, ids in chain(self.awaited, self.late)}
