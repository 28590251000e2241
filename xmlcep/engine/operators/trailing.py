"""Sequences that end with a negated operand: what comes before is a candidate until it is known (A3, A4)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence

from contexts import Entry, Group
from contexts.constraints import Objection
from contexts.entry import AT, BINDINGS, EMPTY_END, EMPTY_START, END, EVENT, FIRST, START
from contexts.grouping import Key

from ...algebra import Promise
from ...algebra import Sequence as SequenceDefinition
from ...events import Cause, CompositeEvent, PrimitiveType
from ...rules.trees import EventTree, LeafNode, OperatorNode
from ..setting import Setting
from ..timers import MEASURE, Due
from .chain import SequenceState
from .choosing import reach
from .state import Account, Arrivals, Input, by_group

HAPPENED = BINDINGS + 1  # behind all that an entry has: the moment at which it was stored


class Candidate:
    """What the operands before the last ``not`` have given: ``members``, each with its operand, and when it is due.

    ``end`` is the latest end of a member, by what "before" compares.
    """

    __slots__ = ("due", "end", "members")

    def __init__(self, members: list[tuple[int, Entry]], due: int | None) -> None:
        self.members = members
        self.due = due
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


class TrailingSequenceState(SequenceState):
    """The operands before the last ``not`` are evaluated at once; each composite they would give is a candidate.

    ``candidates`` are those that nothing has ended yet, by group; ``ready`` those that are due and wait for a
    condition.
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
        operands: Sequence[Promise],
    ) -> None:  # fmt: skip
        super().__init__(node, tree, report, setting, operands)
        definition = node.definition
        assert isinstance(definition, SequenceDefinition)
        self.trailing = definition.trailing
        # Whether each event of the one operand that has to occur is a combination, used at once.
        self._is_lone = (
            len(node.children) == 1 + len(self.trailing)
            and isinstance(node.children[0], LeafNode)
            and isinstance(node.children[0].type, PrimitiveType)
            and self.context.takes_oldest
            and self.values.having is None
        )
        window = node.window
        self._until = None if window is None else (reach(window), MEASURE[window.unit])
        self.candidates: dict[Key, list[Candidate]] = {}
        self.ready: dict[Key, list[Candidate]] = {}

    @property
    def comes_late(self) -> bool:  # type: ignore[override]
        """A4; where there is a condition, that is not true at a node that is gone (X13)."""
        return self.node.window is not None and not self.node.deferred

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
        else:
            super().arrive(child, key, arrivals, cause)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if child in self.trailing:
            self.forbid(child, key, (entry,), cause)
        elif self._is_lone:
            self._add(key, [(0, entry)])
        else:
            super().take(child, key, entry, cause)

    def raise_all(
        self, key: Key, group: Group, cause: Cause, child: int = 0, arrivals: Sequence[Entry] = ()
    ) -> None:
        # In cumulative context an operand may have several, and one entry may be in several operands.
        members = self.exists.members(group) if self.context.batches else None
        for combination in self.chosen(group, child, arrivals):
            if members is None:
                self._add(key, [(k, entry) for k, entry in enumerate(combination) if entry is not None])
            else:
                self._add(key, [(k, entry) for k, entries in enumerate(members) for entry in entries])
        if group.is_empty():
            self.close_group(key)

    def drop_key(self, key: Key) -> None:
        if key not in self.candidates and key not in self.ready:
            super().drop_key(key)

    def _add(self, key: Key, members: list[tuple[int, Entry]]) -> None:
        candidate = Candidate(members, self._due(members))
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
        """Whether an event of the last ``not`` lies behind it."""
        for k in self.trailing:
            violations = self.violations[k]
            if not violations.stored:
                continue
            behind = [
                entry
                for entry in violations.of(key)
                if candidate.end < entry[START] and self._in_time(entry, candidate.due)
            ]
            if violations.forbid(behind):
                return True
        return False

    def _in_time(self, entry: Entry, due: int | None) -> bool:
        """Whether it happened no later than something is due (Z15)."""
        window = self.node.window
        return due is None or window is None or bool(entry[HAPPENED][MEASURE[window.unit]] <= due)

    def forbid(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        if child not in self.trailing:
            super().forbid(child, key, arrivals, cause)
            return
        concerned = self.matching(child, key) if self.by_value else (key,)
        waiting = [k for k in concerned if k in self.candidates]
        begun = [self.groups[k] for k in concerned if k in self.groups]
        violations = self.violations[child]
        if self.prompt and not begun and violations.one_is_enough:
            self.start_over_before(child, key, arrivals)
            if waiting:  # what happens now is behind all that has ended, and before all that is to come
                self._end(waiting, arrivals)
            return
        if not (waiting or begun or child in self._restarting) and self.prompt:
            return
        if self.node.window is not None:
            now = self.clock.now_by_each_measure()
            arrivals = [(*entry, now) for entry in arrivals]
        violations.add(key, arrivals)
        self.start_over_before(child, key, arrivals)
        for group_key in waiting:
            left = [c for c in self.candidates[group_key] if not self._is_ended(group_key, c)]
            self._keep(group_key, left)

    def _end(self, waiting: Sequence[Key], arrivals: Sequence[Entry]) -> None:
        """Ends the candidates that lie before any of these events of the last ``not``."""
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
        if self.by_value and key not in self.groups and key not in self.ready:
            super().drop_key(key)
        if self.prompt:
            for k in self.trailing:
                violations = self.violations[k]
                if violations.stored and (violations.one_is_enough or k not in self._restarting):
                    violations.forget(violations.project(key))

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
        self._keep(due.key, left)
        if self.node.deferred:
            self.ready.setdefault(due.key, []).extend(over)
        else:
            self._raise_candidates(due.key, over, cause)

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
            ready = self.ready.pop(key, [])
            if key not in self.groups:
                self.drop_key(key)
            self._raise_candidates(key, ready, cause)
            return
        waiting = self.candidates.get(key, [])
        self._keep(key, [])
        self._raise_candidates(key, waiting, cause)

    def _raise_candidates(self, key: Key, candidates: Sequence[Candidate], cause: Cause) -> None:
        for candidate in candidates:
            self.raise_combination(candidate.entries(), key, cause)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    def group_keys(self) -> Collection[Key]:
        return self.groups.keys() | self.candidates.keys() | self.ready.keys()

    def account(self, key: Key) -> Account:
        account = super().account(key)
        waiting = [*self.candidates.get(key, ()), *self.ready.get(key, ())]
        if not waiting:
            over = account.objection is None and all(account.stored[k] for k in self._position)
            # What is kept has been a candidate, which was raised or has ended.
            return account._replace(objection=Objection("absence-violated"), raised=True) if over else account
        stored = [list(entries) for entries in account.stored]
        operand_of = {position: k for k, position in self._position.items()}
        for position, entry in waiting[0].members:
            stored[operand_of[position]].insert(0, entry)
        window = self.node.window
        unit = account.unit if window is None else window.unit
        return Account(tuple(stored), None, due=waiting[0].due, unit=unit)

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        for k in self.trailing:
            behind = [other for other in others[k] if entry[END] < other[START]]
            if behind:
                return Objection("absence-violated", (behind[0],))
        return super().lost(child, key, entry, others)

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
        super().forget(key)
        if self.by_value and key not in self.candidates:
            self.drop_key(key)

    def clear(self) -> None:
        super().clear()
        self.candidates.clear()
        self.ready.clear()

    def size(self) -> int:
        waiting = (*self.candidates.values(), *self.ready.values())
        return super().size() + sum(len(c.members) for candidates in waiting for c in candidates)
