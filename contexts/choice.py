"""Any m of n operands: combinations of events of some operands, in any order (rule S1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations as subsets
from itertools import product
from typing import NamedTuple

from .combinations import Admit, Combinations, SearchLimitError, Stores, Tries
from .constraints.constraint import REFUSED, Constraint, Objection, State
from .entry import EVENT, Combination, Entry
from .group import Group


class _Candidate(NamedTuple):
    """An event that may be chosen, with what orders it: its end, then its operand, then its place there."""

    end: float
    operand: int
    place: int
    entry: Entry


class Choice(Combinations):
    """Different events of ``count`` operands, such that constraints that know no order are satisfied."""

    def __init__(
        self, count: int, constraints: Sequence[Constraint], *, admit: Admit | None = None, tries: Tries,
        binders: Collection[int] = (),
    ) -> None:  # fmt: skip
        super().__init__(constraints, admit=admit, tries=tries, binders=binders)
        self.count = count

    def enough(self, group: Group) -> bool:
        return sum(map(bool, group.stored)) >= self.count

    def oldest(self, group: Group) -> Combination | None:
        """The one whose stored times, ascending, are smallest."""
        if not self.enough(group):
            return None
        foremost = None if self._admit is not None or group.shared else self._foremost(group)
        return foremost or next(self._chosen(group, sorted(_candidates(group)), []), None)

    def newest(self, group: Group, pools: Stores, child: int, terminator: Entry | None) -> Combination | None:
        """With the terminator; the others' stored times, descending, are greatest."""
        assert terminator is not None
        others = (one for one in _candidates(group, pools) if one.operand != child)
        return next(self._chosen(group, sorted(others, key=_newest_first), [_begun(child, terminator)]), None)

    def newest_of_each(self, group: Group) -> Iterator[Combination]:
        """The operands whose newest events are the newest; only this one is tried."""
        chosen: list[_Candidate] = []
        for one in _newest(group):
            if len(chosen) < self.count and not _is_taken(one, chosen):
                chosen.append(one)
        if len(chosen) == self.count and self._states(group, chosen) is not None:
            combination = self._counted(group, chosen)
            if combination is not None:
                yield combination

    def every(self, group: Group, child: int, arrivals: Sequence[Entry]) -> Iterator[Combination]:
        return self._each([arrivals if k == child else s for k, s in enumerate(group.stored)], group, child)

    def all_of(self, group: Group) -> Iterator[Combination]:
        return self._each(group.stored, group, None)

    def members(self, group: Group) -> list[list[Entry]] | None:
        if not self.enough(group):
            return None
        if not (self.constraints or self.asks_whole or group.shared):  # every event is in a combination then
            return [list(entries) for entries in group.stored]
        part: set[tuple[int, int]] = set()  # one entry may stand in several operands
        for k, entries in enumerate(group.stored):
            for entry in entries:
                if (k, id(entry)) not in part:
                    found = self._with(group, k, entry, asked=False)
                    part.update((j, id(one)) for j, one in enumerate(found or ()) if one is not None)
        members = [[e for e in entries if (k, id(e)) in part] for k, entries in enumerate(group.stored)]
        return members if part else None

    def any_with_both(self, group: Group, one: tuple[int, Entry], other: tuple[int, Entry]) -> bool:
        is_one = one[0] == other[0] and one[1] is other[1]
        begun = [_begun(k, entry) for k, entry in ((one,) if is_one else (one, other))]
        if self.count < len(begun) or _is_taken(begun[-1], begun[:-1]):
            return False
        others = [each for each in _candidates(group) if not _is_taken(each, begun)]
        return next(self._chosen(group, sorted(others), begun, asked=False), None) is not None

    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        return self._with(group, child, entry, asked=True) is not None

    def objection(self, group: Group) -> Objection | None:
        """What refuses the newest event of so many operands."""
        newest = _newest(group)
        try:
            if len(newest) < self.count or next(self.all_of(group), None) is not None:
                return None
        except SearchLimitError:
            return None
        states = tuple([constraint.begin(group) for constraint in self.constraints])
        for one in newest[: self.count]:
            for constraint, state in zip(self.constraints, states, strict=True):
                if constraint.step(group, state, one.operand, one.entry) is REFUSED:
                    return constraint.objection(group, state, one.operand, one.entry)
            after = self._stepped(group, states, one.operand, one.entry)
            assert after is not None
            states = after
        entries = tuple(one.entry for one in newest)
        if (
            group.shared
            and next(self._chosen(group, sorted(_candidates(group)), [], asked=False), None) is None
        ):
            return Objection("never-occurred", entries)
        return None if self._admit is None else Objection("having-false", entries)

    def is_whole(self, chosen: Sequence[Entry | None]) -> bool:
        return sum(entry is not None for entry in chosen) == self.count

    def goes_on(self, group: Group, chosen: Sequence[Entry | None]) -> bool:
        events = [entry[EVENT] for entry in chosen if entry is not None]
        if len(set(map(id, events))) < len(events):
            return False
        return super().goes_on(group, chosen)

    # ---- the search -----------------------------------------------------------------------------------

    def _foremost(self, group: Group) -> Combination | None:
        """The oldest events of the operands, if these are a combination: then there is none before it."""
        stored = group.stored
        oldest = sorted([(group.end(entries[0]), k) for k, entries in enumerate(stored) if entries])
        combination: list[Entry | None] = [None] * len(stored)
        for _, k in oldest[: self.count]:
            combination[k] = stored[k][0]
        for constraint in self.constraints:
            state = constraint.begin(group)
            for _, k in oldest[: self.count]:
                state = constraint.step(group, state, k, stored[k][0])
                if state is REFUSED:
                    return None
        return tuple(combination)

    def _with(self, group: Group, child: int, entry: Entry, *, asked: bool) -> Combination | None:
        others = (one for one in _candidates(group) if one.operand != child)
        return next(self._chosen(group, sorted(others), [_begun(child, entry)], asked=asked), None)

    def _chosen(
        self, group: Group, candidates: list[_Candidate], begun: list[_Candidate], *, asked: bool = True
    ) -> Iterator[Combination]:
        """What ``begun`` can be extended to with candidates, the first ones first."""
        states = self._states(group, begun)
        if states is None:
            return
        for chosen in self._extended(group, candidates, 0, list(begun), states, set()):
            combination = self._counted(group, chosen, asked=asked)
            if combination is not None:
                yield combination

    def _extended(
        self, group: Group, candidates: list[_Candidate], start: int, chosen: list[_Candidate],
        states: tuple[State, ...], dead: set[object],
    ) -> Iterator[list[_Candidate]]:  # fmt: skip
        if len(chosen) == self.count:
            yield chosen
            return
        taken = frozenset(one.operand for one in chosen)
        events = frozenset(id(one.entry[EVENT]) for one in chosen) if group.shared else None
        if (start, taken, events, states) in dead:
            return
        found = False
        for position in range(start, len(candidates)):
            one = candidates[position]
            if _is_taken(one, chosen):
                continue
            after = self._stepped(group, states, one.operand, one.entry)
            if after is not None:
                for each in self._extended(group, candidates, position + 1, [*chosen, one], after, dead):
                    found = True
                    yield each
        if not found:
            dead.add((start, taken, events, states))

    def _each(self, pools: Stores, group: Group, with_: int | None) -> Iterator[Combination]:
        """Every choice of operands (those that have ``with_``), of each every choice of events."""
        for operands in subsets(range(len(pools)), self.count):
            if with_ is not None and with_ not in operands:
                continue
            for entries in product(*(pools[k] for k in operands)):
                chosen = [_begun(k, entry) for k, entry in zip(operands, entries, strict=True)]
                if len({id(entry[EVENT]) for entry in entries}) < self.count:
                    continue
                if self._states(group, chosen) is not None:
                    combination = self._counted(group, chosen)
                    if combination is not None:
                        yield combination

    def _states(self, group: Group, chosen: Iterable[_Candidate]) -> tuple[State, ...] | None:
        states: tuple[State, ...] | None = tuple([c.begin(group) for c in self.constraints])
        for one in chosen:
            states = None if states is None else self._stepped(group, states, one.operand, one.entry)
        return states

    def _counted(
        self, group: Group, chosen: Iterable[_Candidate], *, asked: bool = True
    ) -> Combination | None:
        """The combination, in order of operand, if it is admitted."""
        combination: list[Entry | None] = [None] * len(group.stored)
        for one in chosen:
            combination[one.operand] = one.entry
        if asked and not self.admits(combination):
            return None
        return tuple(combination)


def _candidates(group: Group, pools: Iterable[Iterable[Entry]] | None = None) -> Iterator[_Candidate]:
    """What is stored, or what is in these pools."""
    for operand, pool in enumerate(group.stored if pools is None else pools):
        for place, entry in enumerate(pool):
            yield _Candidate(group.end(entry), operand, place, entry)


def _newest(group: Group) -> list[_Candidate]:
    """The newest event of each operand that has one, the newest of these first."""
    return sorted(_candidates(group, [list(stored)[-1:] for stored in group.stored]), key=_newest_first)


def _newest_first(one: _Candidate) -> tuple[float, int, int]:
    return (-one.end, -one.operand, -one.place)


def _begun(operand: int, entry: Entry) -> _Candidate:
    """What is chosen already: its order does not matter."""
    return _Candidate(0, operand, 0, entry)


def _is_taken(one: _Candidate, chosen: Iterable[_Candidate]) -> bool:
    """Whether its operand or its very event is chosen already: the events have to be different ones (S1)."""
    return any(one.operand == other.operand or one.entry[EVENT] is other.entry[EVENT] for other in chosen)
