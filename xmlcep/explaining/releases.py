"""What a release would do now: a copy of the detector is released, and says it (rules Y1, Y4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from contexts import FLAT_KEY
from contexts.grouping import Key

from ..engine.tree import TreeState
from ..events import CompositeEvent, PrimitiveEvent, TimePoint
from .causes import cause_of
from .groups import TreeGroups
from .nodes import Nodes
from .reasons import Reason
from .values import Cause, PendingGroup


class Detecting(Protocol):
    """A detector, which explanations may not import: it asks for them."""

    @property
    def last_fed(self) -> PrimitiveEvent | TimePoint | None: ...
    @property
    def trees(self) -> Mapping[int, TreeState]: ...
    def copy(self) -> Detecting: ...
    def feed(self, event: PrimitiveEvent) -> list[CompositeEvent]: ...
    def flush(self) -> list[CompositeEvent]: ...
    def elsewhere(self, point: TimePoint) -> list[CompositeEvent]: ...
    def advance(self, time: str | int | datetime) -> list[CompositeEvent]: ...
    def next_due(self) -> str | None: ...


class Released(NamedTuple):
    """A copy that was released, and what that has raised."""

    detector: Detecting
    raised: Sequence[CompositeEvent]


class Releases:
    """The releases of a detector as it is now, each made once, when it is asked for."""

    def __init__(self, detector: Detecting) -> None:
        self._detector = detector
        self._made: dict[str, Released] = {}

    def by(self, release: str) -> Released:
        """What ``flush``, ``an event elsewhere``, or ``time`` with what it is then would raise; nothing but these."""
        if release not in self._made:
            self._made[release] = self._release(release)
        return self._made[release]

    def _release(self, release: str) -> Released:
        copy = self._detector.copy()
        if release == "flush":
            return Released(copy, copy.flush())
        if release.startswith("time "):
            return Released(copy, copy.advance(release.removeprefix("time ")))
        last = copy.last_fed
        point = TimePoint(1 if last is None else last.ts + 1, None if last is None else last.at)
        return Released(copy, copy.elsewhere(point))

    def against_flush(self, name: str, key: Key, nodes: Nodes) -> Cause | None:
        """Why a flush would not raise the event of a group; None if it would."""
        flushed = self.by("flush")
        tree = next(each for each in flushed.detector.trees.values() if each.tree.name == name)
        root = tree.root
        for event in flushed.raised:
            if event.operator is None and event.name == name:
                place = FLAT_KEY if root.flat else root.grouping.place(event.path, event.ids)
                if place is not None and root.grouping.key(place, event.bindings) == key:
                    return None
        objection = tree.account(root, key).objection
        if objection is None:
            cause = TreeGroups(tree, nodes).part(root, key, key).first_cause()
        else:
            cause = cause_of(objection, tree, root, key, nodes)
        if cause is None:
            return Cause(
                Reason.NEVER_OCCURRED, "a flush now would not raise it: something more is needed then"
            )
        return Cause(cause.reason, f"a flush now would not raise it: {cause.text}", cause.fix, cause.events)


def waits_within(group: PendingGroup, tree: TreeState) -> bool:
    """Whether a group waits for nothing but releases, of operators within, too."""
    waiting = {cause.reason for cause in group.causes}
    return (
        group.share.is_full
        and not group.raised
        and waiting == {Reason.NOT_RELEASED}
        and not any(" is due " in cause.text for cause in group.causes)
        and any(state.node.deferred for state in tree.states[:-1])
    )
