"""The event trees of a detector, taken through one time point after the other (rules G1, G2, G4).

One module because who has a turn, at an event, a release, a deletion or the end of an edit, is one order over the same
trees.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import TypeAlias

from contexts import Entry
from contexts.combinations import SearchLimitError

from ..events import OPERATIONS, Cause, CompositeEvent, PrimitiveEvent, TimePoint
from .bound_dispatch import NO_STEPS, BoundDispatch, BoundDispatches
from .departed import Departed
from .dispatch import ActiveTrees
from .errors import TooManyTriesError
from .operators import OperatorState
from .release import Release
from .saying import Saying
from .setting import Setting
from .timers import Due
from .tree import NO_ANSWERS, Answers, TreeState
from .tree_dispatch import TreeDispatch
from .waiting import Waiting

_new_tuple = tuple.__new__
NOTHING_DUE: Mapping[int, list[Due]] = {}
Outside: TypeAlias = Mapping[int, list[CompositeEvent]]
"""Composites of trees that are not evaluated now, by the tree that raised them (G2)."""
NOTHING_OUTSIDE: Outside = MappingProxyType({})


class Evaluation:
    """The running states of all trees.

    ``report`` collects what is raised, ``waiting`` says which trees wait for a release or for the document.
    """

    def __init__(self, active: ActiveTrees, setting: Setting, *, operators: bool) -> None:
        self._active = active
        self._setting = setting
        self.report: list[CompositeEvent] = []
        self._said = 0  # how much of it has its message
        roots = {tree.name: setting.programs[tree.index][-1] for tree in active.trees}
        says = {name: root.says for name, root in roots.items() if root.says}
        once = {
            tree.index
            for tree in active.trees
            if (ending := active.endings.get(tree.name)) and ending.once and tree.index not in active.users
        }
        others = {tree.name for tree in active.trees if tree.index not in once}
        self.says = Saying(
            says, {name: each for name, each in active.endings.items() if name in others}, setting
        )
        # By their index in the graph, which is their turn (G2).
        self.trees = {
            tree.index: TreeState(
                tree,
                setting,
                self.report,
                report_operators=operators,
                reused=active.reused[tree.index],
                composite_dispatch=active.composite_dispatch[tree.index],
            )
            for tree in active.trees
        }
        for index in once:
            self.trees[index].root.composer.once = True
        self.dispatch: dict[str, BoundDispatches] = {
            operation: BoundDispatches(operation, active, self.trees) for operation in OPERATIONS
        }
        self.waiting = setting.waiting
        self._turns = {tree.name: tree.index for tree in active.trees}
        # Whether what an event elsewhere releases concerns no other tree.
        self._releases_alone = not setting.general and all(
            tree.releases_alone and index not in active.users
            for index, tree in self.trees.items()
            if tree.waits_elsewhere
        )
        # Whether the trees that ask the document, which wait for the end of an edit, use none that takes each record.
        self.apart = active.asking.isdisjoint(
            user for index in self.trees.keys() - active.asking for user in active.users.get(index, ())
        )
        self._clock = setting.clock
        # The trees with a condition that waits and that the present edit touches.
        self._touched: set[int] = set()
        self.departed = Departed(active, self.trees, setting)

    def say(self) -> None:
        """The document is about to change: messages of what has been raised see it as it was then (Y10)."""
        if self.says:
            self.report[self._said :] = self.says.of(self.report[self._said :])
            self._said = len(self.report)

    def take_report(self) -> list[CompositeEvent]:
        """What has been raised since it was asked last."""
        self.say()
        raised = self.report[:]
        self.report.clear()
        self._said = 0
        return raised

    # ---- one time point -------------------------------------------------------------------------------

    def process(
        self,
        event: PrimitiveEvent,
        bound: BoundDispatch | None,
        outside: Outside,
        only: Collection[int] | None = None,
        before: Answers = NO_ANSWERS,
        due: Mapping[int, list[Due]] = NOTHING_DUE,
    ) -> Outside:
        """Takes the trees (with ``only``: these) through the time point of a primitive event.

        ``outside`` are composites of trees that are not evaluated now; ``before`` is what leaves have asked before the
        event's edit, ``due`` what turns true at it (B2), by tree. Returns what trees raised that are used by trees that
        are not evaluated now.
        """
        if not (outside or before or due or self._setting.general) and (only is None or self.apart):
            self.process_alone(event, bound, only)
            return NOTHING_OUTSIDE
        if bound is None:
            if outside or due or self._is_released_by(event):
                return self._end(self.run(event, {}, outside, due=due, only=only))
            return NOTHING_OUTSIDE
        plans: dict[int, TreeDispatch | None] = {}
        if self._touched:
            plans = {index: bound.watchers[index] for index in self._touched.intersection(bound.watchers)}
        plans |= {tree.tree.index: plan for tree, plan in bound.steps}
        if only is not None:
            plans = {index: plan for index, plan in plans.items() if index in only}
        passed_on = self.run(event, plans, outside, due=due, only=only, before=before)
        if bound.freed:
            self.departed.leave(bound.freed, event.ids, only)
        return self._end(passed_on)

    def process_alone(
        self, event: PrimitiveEvent, bound: BoundDispatch | None, only: Collection[int] | None = None
    ) -> None:
        """`process` where nothing comes from outside and nothing has been asked before: each tree (with ``only``: of
        these) does in its turn (G2) what there is to do, in the shortest way."""
        if self._setting.general:
            self.process(event, bound, NOTHING_OUTSIDE, only)
            return
        waiting, users, report, ids = self.waiting, self._active.users, self.report, event[3]
        steps = NO_STEPS if bound is None else bound.turns
        queue = [*steps]
        if bound is not None and self._touched:  # matches that wait there are asked again
            asked = self._touched.intersection(bound.watchers)
            steps = {**steps, **{i: (self.trees[i], bound.watchers[i], None) for i in asked}}
            queue = sorted(steps)
        if not waiting.elsewhere.issubset(queue):
            queue = sorted(waiting.elsewhere.union(queue))
        if only is not None:
            queue = [index for index in queue if index in only]
        inboxes: dict[int, list[CompositeEvent]] = {}
        for index in queue:  # which gets longer: trees that use others come later
            raised = len(report)
            tree, plan, first = steps.get(index) or (self.trees[index], None, None)
            is_left = index in waiting.elsewhere
            if index in inboxes:
                composites = inboxes.pop(index)
                if plan is not None or len(composites) > 1 or not tree.take_composite(composites[0], event):
                    self._guarded(tree, event, plan, composites)
                    self._note(tree)
            elif plan is not None and (first is None or (is_left and not tree.releases_alone)):
                self._guarded(tree, event, plan)
                self._note(tree)
            else:
                for accept, position in first or ():
                    accept(ids[position], event)
                if is_left and tree.releases_alone:
                    tree.elsewhere.release(event[3], event)
                elif is_left and tree.must_release(event):
                    self._guarded(tree, event, None)
                    self._note(tree)
            if len(report) > raised and index in users:
                for user, root in self._passed_on(report[raised:]):
                    inboxes.setdefault(user, []).extend(root)
                    if user not in queue:
                        insort(queue, user)
        if only is None:
            self.end_time_point(event, bound)
            return
        if bound is not None and bound.freed:
            self.departed.leave(bound.freed, ids, only)
        if self.departed.awaited or self.departed.late:
            self.departed.look_after_releases()

    def _passed_on(self, raised: Sequence[CompositeEvent]) -> Iterator[tuple[int, list[CompositeEvent]]]:
        """Which trees use what one has raised, and what of it, as it reaches them (G2, V7)."""
        root = [composite for composite in raised if composite.operator is None]
        if not root:
            return
        if len(root) > 1:
            root.sort(key=self.trees[self._turns[root[0].name]].root.rank)
        for user in self._users_of(root):
            yield user, root

    def _users_of(self, root: Sequence[CompositeEvent]) -> Sequence[int]:
        """The trees that store any of what the root of one has raised."""
        users, trees = self._active.users.get(self._turns[root[0][0]]), self.trees
        return [u for u in users if any(map(trees[u].composite_deliveries, root))] if users else ()

    def release_elsewhere(self, cause: TimePoint) -> None:
        """`run` for something that happened elsewhere, and means nothing to any tree."""
        if self._releases_alone:
            for index in sorted(self.waiting.elsewhere):
                self.trees[index].elsewhere.release((), cause)
        else:
            self.run(cause, {}, {})
        self.departed.look_after_releases()

    def end_time_point(self, event: PrimitiveEvent, bound: BoundDispatch | None) -> None:
        """The event's trees have had their turn: the groups of the node that it deletes are freed."""
        if bound is not None and bound.freed:
            place = event[3][-1]
            if not (self.waiting.release or (bound.timed and self._setting.timers.size)):
                bound.at_rest.free(place)
            else:
                bound.at_once.free(place)
                if bound.awaited:
                    self.departed.leave(bound.awaited, event[3], None)
        if self.departed.awaited or self.departed.late:
            self.departed.look_after_releases()

    def deliver(self, event: PrimitiveEvent, bound: BoundDispatch) -> None:
        """Lets all trees take an event where nothing waits elsewhere, and there is nothing to do between them."""
        ids = event[3]
        for accept, index in bound.direct or ():
            accept(ids[index], event)
        if bound.freed:
            self.end_time_point(event, bound)

    def run(
        self,
        cause: Cause,
        plans: Mapping[int, TreeDispatch | None],
        outside: Outside,
        release: Release = Release.LEFT,
        due: Mapping[int, list[Due]] = NOTHING_DUE,
        only: Collection[int] | None = None,
        before: Answers = NO_ANSWERS,
    ) -> Outside:
        """Takes all trees concerned through the time point, dependencies first (G2); see `process`.

        ``due`` are the timers of each tree that are.
        """
        queued = plans.keys() | outside.keys() | due.keys()
        if release is Release.LEFT and self.waiting.elsewhere:
            queued.update(i for i in self.waiting.elsewhere - queued if self._is_left(self.trees[i], cause))
            if only is not None:
                queued.intersection_update({*only, *outside})
        elif release is Release.FLUSH:
            queued |= self.waiting.release
        todo = list(queued)
        heapify(todo)
        inboxes: dict[int, list[CompositeEvent]] = {}
        passed_on: dict[int, list[CompositeEvent]] = {}
        while todo:
            index = heappop(todo)
            if index in outside:
                composites = outside[index]
            else:
                tree = self.trees[index]
                raised = self._guarded(
                    tree, cause, plans.get(index), inboxes.pop(index, ()), release, due.get(index, ()), before
                )
                self._note(tree)
                composites = (
                    _in_finding_order(raised, tree.root) if raised and index in self._active.users else []
                )
            for user in self._active.users[index] if composites else ():
                if only is not None and user not in only:
                    passed_on[index] = composites
                    self.waiting.passed_on.add(index)
                elif any(self.trees[user].composite_deliveries(event) for event in composites):
                    inboxes.setdefault(user, []).extend(composites)
                    if user not in queued:
                        queued.add(user)
                        heappush(todo, user)
        return passed_on

    def _guarded(
        self,
        tree: TreeState,
        cause: Cause,
        plan: TreeDispatch | None,
        composites: Sequence[CompositeEvent] = (),
        release: Release = Release.LEFT,
        due: Sequence[Due] = (),
        before: Answers = NO_ANSWERS,
    ) -> list[Entry]:
        """Takes one tree through the time point; a search that is too long is an error that names it (Q5)."""
        self._setting.tries.begin()
        try:
            return tree.process(cause, plan, composites, release=release, due=due, before=before)
        except SearchLimitError as error:
            raise TooManyTriesError(tree.tree.name, cause.ts, self._setting.tries.limit) from error

    def _note(self, tree: TreeState) -> None:
        """What a tree waits for now."""
        if tree.deferrals:
            tree.note(self.waiting)

    def _is_released_by(self, event: PrimitiveEvent) -> bool:
        return any(self.trees[index].must_release(event) for index in self.waiting.elsewhere)

    def _is_left(self, tree: TreeState, cause: Cause) -> bool:
        return not isinstance(cause, PrimitiveEvent) or tree.must_release(cause)

    def touch(self, event: PrimitiveEvent, bound: BoundDispatch) -> bool:
        """The event is of the edit that is processed next (U2); returns whether that can change what a condition reads
        that waits. One that begins to wait in this edit is asked again after it."""
        blocked, touched = self.waiting.blocked, False
        for tree, plan in bound.touched if blocked else ():
            if tree.tree.index in blocked and tree.touch(event, plan):
                self._touched.add(tree.tree.index)
                touched = True
        return touched

    def end_edit(self) -> None:
        """The edit is over."""
        for index in self._touched:
            for deferral in self.trees[index].deferrals:
                if deferral.touched:
                    deferral.end_edit()
        self._touched.clear()

    def _end(self, passed_on: Outside) -> Outside:
        if self.departed.awaited or self.departed.late:
            self.departed.look_after_releases()
        return passed_on

    def have_seen(self, names: Collection[str], flushes: int) -> None:
        """The trees with these names come from a detector that has counted so many flushes more (G7)."""
        for tree in self.trees.values():
            for state in tree.states if tree.tree.name in names else ():
                state.have_seen(flushes)

    def clear(self) -> None:
        """As before the first event."""
        self.report.clear()
        self._said = 0
        self.waiting.clear()
        self._touched.clear()
        self.departed.clear()
        for tree in self.trees.values():
            tree.clear()

    # ---- looking inside ---------------------------------------------------------------------------------

    def size(self) -> int:
        """How many events are stored in all groups of all trees: what memory depends on (G4)."""
        return sum(state.size() for tree in self.trees.values() for state in tree.states)

    def check(self) -> None:
        """Checks the invariants that hold between events; AssertionError shows what breaks one."""
        assert not self.report, self.report
        for tree in self.trees.values():
            for state in tree.states:
                state._check()
            noted = Waiting()
            tree.note(noted)
            assert noted.release <= self.waiting.release, tree.tree.name
            assert noted.elsewhere <= self.waiting.elsewhere, tree.tree.name
            assert noted.blocked <= self.waiting.blocked, tree.tree.name
        self.departed.check()


def _in_finding_order(raised: list[Entry], root: OperatorState) -> list[CompositeEvent]:
    """By path ids, values and raise order: how composites of one time point reach later trees (G2, V7)."""
    composites = [entry[3] for entry in raised]
    return sorted(composites, key=root.rank) if len(composites) > 1 else composites
