"""What happens elsewhere releases what is left behind, in the short way (D2, D6).

Almost every event of a document is elsewhere for matches that wait at the one before it. Where only the operators that
wait and those above them have a turn then, each is released, and what it raises goes straight up: nobody looks at the
rest of the tree. `TreeState.process` is the way for all others.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algebra import Termination
from ..events import Cause
from .operators import OperatorState
from .release import Deferral
from .waiting import Waiting


class ReleaseElsewhere:
    """The operators of a tree that an event elsewhere may release, and those above them, in postorder.

    ``deferrals`` are by the operators' index; None where an operator never waits.
    """

    def __init__(
        self, states: Sequence[OperatorState], deferrals: Sequence[Deferral | None], waiting: Waiting
    ) -> None:
        self._tree = states[-1].tree_index
        self._waiting = waiting
        self._turns = _concerned(states, deferrals)
        self._by_flush = tuple(
            deferral for deferral in deferrals if deferral is not None and deferral.mode is Termination.CUSTOM
        )
        self.can_be = bool(self._turns)
        """Whether an event elsewhere can release anything."""

    def goes_up_one_by_one(self) -> bool:
        """Whether what one operator raises may arrive above it before the next has had its turn: where several are
        operands of one operator, that waits for a release, and none takes back what is there already (M1)."""
        states = [state for state, _ in self._turns]
        for state in states:
            operands = [child for child in state.children if child is not None and child in states]
            if len(operands) > 1 and (
                state.node.termination is Termination.EARLIEST
                or any(child.node.definition.takes_back and not child.node.deferred for child in operands)
            ):
                return False
        return True

    def release(self, ids: tuple[int, ...], cause: Cause) -> None:
        """Releases what an event at or below these nodes (none: one that nobody sees here) leaves behind, as
        `TreeState.process` does where an event means nothing to the tree.

        Only if the tree ``releases_alone``, and no other tree uses what it raises.
        """
        waiting, waits, released = self._waiting, False, False
        for state, deferral in self._turns:
            if deferral is not None and deferral.pending:
                pending, deferred = deferral.pending, deferral.state
                if len(pending) > 1:
                    waits = deferral.release_left(ids, cause) or waits
                    released = True
                else:  # as almost always: the next event somewhere else releases
                    key = pending.pop()
                    if key in ids:
                        pending.add(key)
                        waits = True
                    else:
                        waiting.released.add(self._tree)
                        if deferred.is_possible(key):
                            deferred.release(key, cause)
                        released = True
            if released and state.outbox:
                entries, state.outbox = state.outbox, []
                parent = state.parent
                if parent is not None:
                    for child, key, arrivals in parent.grouped(state.child_index, entries):
                        parent.taker.arrive(child, key, arrivals, cause)
        # What `TreeState.note` does, without its calls: what is released here can only wait at an operator above.
        if waits:
            return
        waiting.elsewhere.discard(self._tree)
        for deferral in self._by_flush:
            if deferral.pending:
                return
        waiting.release.discard(self._tree)


def _concerned(
    states: Sequence[OperatorState], deferrals: Sequence[Deferral | None]
) -> tuple[tuple[OperatorState, Deferral | None], ...]:
    """The operators that an event elsewhere may release, each with what makes it wait, and those above them."""
    found = []
    concerned: set[int] = set()
    for state, deferral in zip(states, deferrals, strict=True):
        is_non_local = deferral is not None and deferral.mode is Termination.NON_LOCAL
        if is_non_local or state.node.index in concerned:
            found.append((state, deferral if is_non_local else None))
            if state.parent is not None:
                concerned.add(state.parent.node.index)
    return tuple(found)
