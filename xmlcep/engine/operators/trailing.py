"""What stands aside until an end: what the other operands give is a candidate until that is known (A3, A4, A6, A7).

One module because what begins a candidate, what ends it and what it takes along are told by the same events.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from operator import itemgetter
from typing import cast

from contexts import Entry, Group
from contexts.constraints import Collection as Collected
from contexts.constraints import Objection
from contexts.entry import AT, BINDINGS, EMPTY_END, EMPTY_START, END, EVENT, FIRST, START, parts
from contexts.grouping import Key

from ...events import Cause, PrimitiveType
from ...rules.trees import LeafNode
from ..timers import MEASURE, Due
from .aside import AsideState
from .chain import SequenceState
from .choosing import reach
from .state import Account, Arrivals, Blueprint, Input, by_group

_FIRST = itemgetter(0)
HAPPENED = BINDINGS + 1  # behind all that an entry has: the moment at which it was stored


class Candidate:
    """What the other operands have given: ``members``, each with its operand, and when it is due.

    ``end`` is the latest end of a member, by what "before" compares; ``since`` how many flushes there had been when it
    came to be, where what was before it counts, too (A7).
    """

    __slots__ = ("due", "end", "members", "since")

    def __init__(self, members: list[tuple[int, Entry]], due: int | None, since: int) -> None:
        self.members = members
        self.due = due
        self.since = since
        self.end: float = EMPTY_END
        for _, entry in members:
            if entry[END] > self.end:
                self.end = entry[END]

    def join(self, newer: Candidate, end_of: Callable[[Entry], float]) -> None:
        """Cumulative: both are one, due with the first (A3)."""
        members = self.members + newer.members
        self.members = sorted(members, key=lambda member: (member[0], end_of(member[1]), member[1][AT]))
        self.end = max(self.end, newer.end)

    def entries(self) -> list[Entry]:
        """The members, in order of operand, then of arrival."""
        return [entry for _, entry in self.members]


def _due_of(candidate: Candidate) -> int:
    assert candidate.due is not None
    return candidate.due


class TrailingState(AsideState):
    """The others are evaluated at once; each composite they would give is a candidate.

    ``candidates`` are those that nothing has ended yet, by group; ``ready`` those that are due and wait for a
    condition.
    """

    looks_back = False
    """Whether what happens counts for candidates that are still to come."""

    @property
    def flushes(self) -> int:
        """How many flushes there have been, for those that look back."""
        return 0

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self.trailing = self.definition.trailing
        self._among = {k: self.compared(k) for k in self.trailing}
        # A group knows what is taken along at the end, too, behind all that it stores (H7).
        along = [k for k in self.trailing if k not in self.definition.negated]
        self._along_at = {k: self.width + place for place, k in enumerate(along)}
        stored = {at: self.violations[k] for k, at in self._along_at.items()}
        self.collections = {**self.collections, **cast("dict[int, Collected]", stored)}
        self._operands = tuple(self.places)
        self._length = HAPPENED if of.tree.extended else FIRST  # of an entry as it comes
        # Whether each event of the one operand that has to occur is a combination, used at once.
        self._is_lone = (
            len(of.node.children) == 1 + len(self.trailing)
            and isinstance(of.node.children[0], LeafNode)
            and isinstance(of.node.children[0].type, PrimitiveType)
            and self.context.takes_oldest
            and self.values.having is None
            and not self.shared
        )
        window = of.node.window
        self._until = None if window is None else (reach(window), MEASURE[window.unit])
        self.candidates: dict[Key, list[Candidate]] = {}
        self.ready: dict[Key, list[Candidate]] = {}

    @property
    def comes_late(self) -> bool:  # type: ignore[override]
        """A4; where there is a condition, that is not true at a node that is gone (U6)."""
        return self.node.window is not None and not self.node.deferred

    def set_owners(self) -> None:
        super().set_owners()
        if self._owners is not None and self._stored_owners is not None:
            self._stored_owners += tuple([self._owners[k] for k in self._along_at])

    # ---- candidates -----------------------------------------------------------------------------------

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        """What the candidates wait for is a release; they come to be at once."""
        if self._is_lone or len(arrivals) == 1:
            for child, entries in arrivals:
                self.arrive(child, key, entries, cause)
            return
        super().hold(key, arrivals, cause)
        if key in self.groups:
            super().release(key, cause)

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        for key, arrivals in by_group(inputs):
            self.hold(key, arrivals, cause)

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        if self._is_lone and child == 0:
            for entry in arrivals:
                self._add(key, [(0, entry)])
        elif child in self._among:
            self.set_aside(child, key, arrivals)
        else:
            super().arrive(child, key, arrivals, cause)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if self._is_lone and child == 0:
            self._add(key, [(0, entry)])
        elif child in self._among:
            self.set_aside(child, key, (entry,))
        else:
            super().take(child, key, entry, cause)

    def raise_all(
        self, key: Key, group: Group, cause: Cause, child: int = 0, arrivals: Sequence[Entry] = ()
    ) -> None:
        # In cumulative context an operand may have several, and one entry may be in several operands.
        members = self.exists.members(group) if self.context.batches else None
        for combination in self.chosen(group, child, arrivals):
            if members is None:
                self._add(key, [(self._operands[k], entry) for k, entry in parts(combination)])
            else:
                self._add(
                    key,
                    [(self._operands[k], entry) for k, entries in enumerate(members) for entry in entries],
                )
        if group.is_empty():
            self.close_group(key)

    def drop_key(self, key: Key) -> None:
        if key not in self.candidates and key not in self.ready:
            super().drop_key(key)

    def _add(self, key: Key, members: list[tuple[int, Entry]]) -> None:
        candidate = Candidate(members, self._due(members), self.flushes)
        if self._is_ended(key, candidate):
            return
        if self.by_value:
            self.note_key(key)
        waiting = self.candidates.get(key)
        if waiting is None or self.context.replaces:
            self.candidates[key] = [candidate]
        elif self.context.batches:
            waiting[0].join(candidate, self.end_of)
            return
        else:
            waiting.append(candidate)
        if candidate.due is not None:
            window = self.node.window
            assert window is not None
            self.setting.timers.set(window.unit, self.due(candidate.due, key))

    def _due(self, members: list[tuple[int, Entry]]) -> int | None:
        if self._until is None:
            return None
        amount, unit = self._until
        first: int | None = None
        for _, entry in members:
            if entry[FIRST] is not None and (first is None or entry[FIRST][unit] < first):
                first = entry[FIRST][unit]
        return (self.clock.now_by_each_measure()[unit] if first is None else first) + amount

    def _is_ended(self, key: Key, candidate: Candidate) -> bool:
        """Whether something that must not happen, or too much of something, counts for it."""
        return any(
            self.violations[k].is_too_much(self._counted(k, key, candidate))
            for k in self.trailing
            if self.violations[k].stored
        )

    def _counted(self, k: int, key: Key, candidate: Candidate) -> list[Entry]:
        """What of an operand that stands aside until an end counts for a candidate."""
        found = [
            entry
            for entry in self.violations[k].of(key)
            if self.lies_around(candidate, entry) and self._in_time(entry, candidate.due)
        ]
        among = self._among[k]
        return found if among is None or not found else among(found, candidate.entries())

    @abstractmethod
    def lies_around(self, candidate: Candidate, entry: Entry) -> bool:
        """Whether an event counts for a candidate by where it lies."""

    def _in_time(self, entry: Entry, due: int | None) -> bool:
        """Whether it happened no later than something is due (W5)."""
        window = self.node.window
        return due is None or window is None or bool(entry[HAPPENED][MEASURE[window.unit]] <= due)

    def set_aside(self, child: int, key: Key, arrivals: Sequence[Entry]) -> None:
        if child not in self.trailing:
            super().set_aside(child, key, arrivals)
            return
        concerned = self.matching(child, key)
        waiting = [k for k in concerned if k in self.candidates]
        violations = self.violations[child]
        if self.prompt and not self.looks_back and not any(k in self.groups for k in concerned):
            # What happens now is behind all that has ended, and before all that is to come.
            if violations.one_is_enough and self._among[child] is None:
                self.start_over_before(child, key, arrivals)
                if waiting:
                    self._end(waiting, arrivals)
                return
            if not waiting and child not in self.restarting:
                return
        violations.add(key, [self._noted(entry) for entry in arrivals])
        self.start_over_before(child, key, arrivals)
        for group_key in waiting:
            left = [c for c in self.candidates[group_key] if not self._is_ended(group_key, c)]
            self._keep(group_key, left)

    def _noted(self, entry: Entry) -> Entry:
        """With when it happened, if that will be asked."""
        return entry if self.node.window is None else (*entry, self.clock.now_by_each_measure())

    def _end(self, waiting: Sequence[Key], arrivals: Sequence[Entry]) -> None:
        """Ends the candidates that lie before any of these events, which must not happen."""
        window = self.node.window
        now = 0 if window is None else self.clock.now_by(window.unit)
        latest = max([entry[START] for entry in arrivals if entry[START] != EMPTY_START], default=None)
        if latest is None:
            return
        for key in waiting:
            candidates = self.candidates[key]
            left = [c for c in candidates if c.end >= latest or (c.due is not None and now > c.due)]
            if len(left) < len(candidates):
                self._keep(key, left)

    def _keep(self, key: Key, candidates: list[Candidate]) -> None:
        if candidates:
            self.candidates[key] = candidates
            return
        self.candidates.pop(key, None)
        if key in self.ready:
            return
        if self.by_value and key not in self.groups:
            super().drop_key(key)
        if self.prompt and not self.looks_back:
            for k in self.trailing:
                violations = self.violations[k]
                if violations.stored and (violations.one_is_enough or k not in self.restarting):
                    self._free_unless_another_waits(k, violations.project(key))

    def _free_unless_another_waits(self, child: int, key: Key) -> None:
        """What must not happen is of all groups at its place, unless it has their variables (V4)."""
        if not any(other in self.candidates or other in self.ready for other in self.matching(child, key)):
            self.violations[child].forget(key)

    def withdraw(self, child: int, entry: Entry) -> None:
        super().withdraw(child, entry)
        key = self.groupings[child].key_of(entry)
        for waiting in (self.candidates, self.ready):
            if key in waiting:
                left = [c for c in waiting[key] if not any(member is entry for _, member in c.members)]
                if left:
                    waiting[key] = left
                else:
                    del waiting[key]
                    self.drop_key(key)

    # ---- raising --------------------------------------------------------------------------------------

    def fire(self, due: Due, cause: Cause) -> None:
        waiting = self.candidates.get(due.key)
        if waiting is None:
            return
        if self._is_lone:  # due in the order in which they came
            over = waiting[: bisect_right(waiting, due.at, key=_due_of)]
            left = waiting[len(over) :]
        else:
            over = [
                candidate for candidate in waiting if candidate.due is not None and candidate.due <= due.at
            ]
            left = [candidate for candidate in waiting if candidate not in over]
        if self.node.deferred:
            self.ready.setdefault(due.key, []).extend(over)
        else:
            self._raise_candidates(due.key, over, cause)
        self._keep(due.key, left)

    def awaits(self, due: Due) -> bool:
        waiting = self.candidates.get(due.key, ())
        if self._is_lone:
            first = bisect_left(waiting, due.at, key=_due_of)
            return first < len(waiting) and waiting[first].due == due.at
        return any(candidate.due == due.at for candidate in waiting)

    def is_possible(self, key: Key) -> bool:
        return key in (self.candidates if self.node.window is None else self.ready)

    def release(self, key: Key, cause: Cause) -> None:
        if self.node.window is not None:
            self._raise_candidates(key, self.ready.pop(key, []), cause)
            self._keep(key, self.candidates.get(key, []))
            return
        self._raise_candidates(key, self.candidates.get(key, []), cause)
        self._keep(key, [])

    def _raise_candidates(self, key: Key, candidates: Sequence[Candidate], cause: Cause) -> None:
        """Raises them with what is taken along, unless that is too little: chronicle uses each event of that once, the
        others those of all that are raised together, after the last (A6)."""
        together: list[tuple[int, Entry]] = []
        for candidate in candidates:
            along = self._along(key, candidate)
            if along is None:
                continue
            members = sorted([*candidate.members, *along], key=_FIRST) if along else candidate.members
            entries = [entry for _, entry in members]
            if self.asked_at_end and not self.values.admits(entries):
                continue
            self.raise_combination(entries, key, cause)
            if self.context.takes_oldest:
                self._use(key, along)
            else:
                together += along
        if not self.context.keeps:
            self._use(key, together)

    def _along(self, key: Key, candidate: Candidate) -> list[tuple[int, Entry]] | None:
        """What is taken along with a candidate; None if there is too little of it."""
        found: list[tuple[int, Entry]] = []
        for k in self._along_at:
            counted = self._counted(k, key, candidate)
            if self.violations[k].forbid(counted):
                return None
            found += [(k, entry[: self._length]) for entry in counted]
        return found

    def _use(self, key: Key, along: Sequence[tuple[int, Entry]]) -> None:
        """Consumes what was taken along (H7)."""
        if along:
            group = self.groups.get(key) or self.open_group(key)
            group.consume([(self._along_at[k], entry) for k, entry in along])
            self.drop_if_empty(key)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    def group_keys(self) -> Collection[Key]:
        return self.groups.keys() | self.candidates.keys() | self.ready.keys()

    def account(self, key: Key) -> Account:
        account = super().account(key)
        waiting = [*self.candidates.get(key, ()), *self.ready.get(key, ())]
        if not waiting:
            over = account.objection is None and all(account.stored[k] for k in self.positive)
            # What is kept has been a candidate, which was raised or has ended.
            return account._replace(objection=Objection("absence-violated"), raised=True) if over else account
        stored = [list(entries) for entries in account.stored]
        for k, entry in waiting[0].members:
            stored[k].insert(0, entry)
        for k in set(self.trailing).difference(self.definition.negated):
            stored[k] = self._counted(k, key, waiting[0])
        window = self.node.window
        unit = account.unit if window is None else window.unit
        return Account(tuple(stored), self._miscounted(stored), due=waiting[0].due, unit=unit)

    def _miscounted(self, events: Sequence[Sequence[Entry]]) -> Objection | None:
        """That there are too few or too many of an operand that is taken along until the end (A6), by operand."""
        for k, lower, upper in self.definition.collected:
            count = len(events[k])
            if k in self.trailing and (count < lower or (upper is not None and count > upper)):
                return Objection("absence-violated", tuple(events[k]), operand=k)
        return None

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        for k in self.definition.negated:
            behind = [other for other in others[k] if entry[END] < other[START]] if k in self.trailing else []
            if behind:
                return Objection("absence-violated", (behind[0],))
        return self._miscounted(others) or super().lost(child, key, entry, others)

    # ---- freeing (G4) ---------------------------------------------------------------------------------

    def outlasts(self, node: int) -> bool:
        if not self.comes_late:
            return False
        if self.flat:
            return any(
                node in entry[EVENT][3]
                for candidates in self.candidates.values()
                for candidate in candidates
                for _, entry in candidate.members
            )
        return any(key in self.candidates for key in self.keys_at(node))

    def forget(self, key: Key) -> None:
        """What is absent stays so: candidates outlive the deletion of their node (A4), unless they wait for a condition
        to be true of that (U6); what was in the way of others does not."""
        if self.node.condition is not None:
            self.candidates.pop(key, None)
            self.ready.pop(key, None)
        kept = [(k, self.violations[k].of(key)) for k in self.trailing] if key in self.candidates else []
        super().forget(key)
        for k, entries in kept:
            if k not in self.definition.negated:
                self.violations[k].add(key, entries)
        if self.by_value and key not in self.candidates:
            self.drop_key(key)

    def clear(self) -> None:
        super().clear()
        self.candidates.clear()
        self.ready.clear()

    def size(self) -> int:
        waiting = (*self.candidates.values(), *self.ready.values())
        return super().size() + sum(len(c.members) for candidates in waiting for c in candidates)


class TrailingSequenceState(TrailingState, SequenceState):
    """A sequence that ends with what stands aside."""

    def lies_around(self, candidate: Candidate, entry: Entry) -> bool:
        return bool(candidate.end < entry[START])
