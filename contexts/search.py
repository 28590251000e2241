"""The combinations that satisfy constraints, found by going through the stored events (rules Q1, Q5)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import cast

from .chains import in_chains, newest_chain, oldest_chain
from .combinations import Admit, Combinations, Pools, Stores, Tries
from .constraints.absence import Absence
from .constraints.constraint import REFUSED, Constraint, Objection, State
from .entry import Combination, Entry, Several, parts
from .group import Group

MOST_STEPS = 10_000
"""How far is looked for the reason why there is no combination."""
MANY = 16
"""So many events of a sequence are narrowed to what is in order at all before they are tried."""

NOTHING: Mapping[int, Absence] = MappingProxyType({})


class Constrained(Combinations):
    """One event of each operand such that all constraints are satisfied.

    ``ordered`` and ``optional`` as for `Combinations`; the order itself is one of the constraints. Nothing of an
    optional operand is what is tried last, so that it is left out only where nothing of it fits (M5). Of the operands
    in ``collected`` nothing is chosen: all that lies there is taken along (A6). ``compared`` is what stands aside by
    an expression about the whole (A8).
    """

    def __init__(
        self, constraints: Sequence[Constraint], *, ordered: bool, admit: Admit | None = None, tries: Tries,
        binders: Collection[int] = (), optional: Collection[int] = (), collected: Mapping[int, Absence] = NOTHING,
        compared: Sequence[Absence] = (),
    ) -> None:  # fmt: skip
        super().__init__(constraints, admit=admit, tries=tries, binders=binders)
        self.ordered = ordered
        self.optional = frozenset((*optional, *collected))
        self.collected = collected
        self.compared = tuple(compared)
        while self.first in collected:
            self.first += 1
        # Whether there is more than the order to be found out.
        self._is_searched = bool(len(self.constraints) > ordered or self.optional or self.compared)

    def oldest(self, group: Group) -> Combination | None:
        pools = self._pools(group.stored)
        if not all(pools):
            return None
        if self._admit is None:
            foremost = self._combination(group, [pool[0] for pool in pools])
            if foremost is not None or not self._is_searched:
                return foremost or oldest_chain(cast("Stores", pools))
        return self._first(group, self._narrowed(pools))

    def newest(self, group: Group, pools: Stores, child: int, terminator: Entry | None) -> Combination | None:
        among = self._with(pools, child, (terminator,))
        if self._admit is None and not self.optional and all(among):
            last = self._combination(group, [pool[-1] for pool in among])
            if last is not None or not self._is_searched:
                return last or newest_chain(cast("Stores", among))
        chosen = [*self._narrowed(among)]
        if self._first(group, chosen) is None:
            return None
        for k in range(len(chosen) - 1, -1, -1):
            entries = [one for one in chosen[k] if one is not None]
            for entry in (*reversed(entries), None) if len(chosen[k]) > 1 else ():
                trial = [*chosen[:k], (entry,), *chosen[k + 1 :]]
                if self._first(group, trial) is not None:
                    chosen = trial
                    break
        return tuple([entries[0] for entries in chosen])

    def newest_of_each(self, group: Group) -> Iterator[Combination]:
        if self._admit is None and not self.optional:
            last = (
                self._combination(group, [entries[-1] for entries in group.stored])
                if all(group.stored)
                else None
            )
            return iter(()) if last is None else iter((last,))
        return self._all(group, self._pools([entries[-1:] for entries in map(list, group.stored)]))

    def every(self, group: Group, child: int, arrivals: Sequence[Entry]) -> Iterator[Combination]:
        if child in self.collected:
            new = set(map(id, arrivals))
            along = self.collected[child]
            return (c for c in self.all_of(group) if any(id(entry) in new for entry in along.lying(group, c)))
        return self._in_order(group, self._with(group.stored, child, arrivals))

    def all_of(self, group: Group) -> Iterator[Combination]:
        return self._in_order(group, self._pools(group.stored))

    def _pools(self, stored: Stores) -> Pools:
        """What there is to choose from."""
        if not self.optional:
            return stored
        return [(*entries, None) if k in self.optional else entries for k, entries in enumerate(stored)]

    def _with(
        self, stored: Stores, child: int, entries: Sequence[Entry | None]
    ) -> list[Sequence[Entry | None]]:
        """The same, with these of one operand."""
        return [entries if k == child else pool for k, pool in enumerate(self._pools(stored))]

    def members(self, group: Group) -> list[list[Entry]] | None:
        """By the constraints between events only: what is asked of the whole is asked of all members together."""
        if not self._is_searched:
            whole = in_chains(group.stored) if self.ordered else [list(entries) for entries in group.stored]
            return whole if all(whole) else None
        part: set[tuple[int, int]] = set()  # one entry may stand in several operands
        stored = list(group.all_stored())
        for k, entries in enumerate(stored):
            for entry in entries:
                if (k, id(entry)) not in part:
                    exists, pools = self._among(group, k, entry)
                    found = next(exists._search(group, pools), ())
                    part.update((j, id(one)) for j, one in parts(self.filled(group, found)))
        members = [[e for e in entries if (k, id(e)) in part] for k, entries in enumerate(stored)]
        return members if part else None

    def any_with_both(self, group: Group, one: tuple[int, Entry], other: tuple[int, Entry]) -> bool:
        if one[0] == other[0] and one[1] is not other[1]:
            return False
        pools = self._with(group.stored, one[0], (one[1],))
        pools[other[0]] = (other[1],)
        return next(self._search(group, pools), None) is not None

    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        exists, pools = self._among(group, child, entry)
        return exists._first(group, exists._narrowed(pools)) is not None

    def _among(self, group: Group, k: int, entry: Entry) -> tuple[Constrained, Pools]:
        """What the combinations with this event of operand ``k`` are."""
        if k not in self.collected:
            return self, self._with(group.stored, k, (entry,))
        lies = self.collected[k].of_one(group.key, entry)
        constraints, compared = list(self.constraints), list(self.compared)
        (constraints if lies.among is None else compared).append(lies)
        exists = Constrained(
            constraints, ordered=self.ordered, admit=self._admit, tries=self.tries, binders=self._binders,
            optional=self.optional, collected=self.collected, compared=compared,
        )  # fmt: skip
        return exists, self._pools(group.stored)

    def filled(self, group: Group, chosen: Combination) -> Combination:
        if not (self.collected and chosen):
            return chosen
        along = {k: Several(each.lying(group, chosen)) for k, each in self.collected.items()}
        return tuple([along.get(k, entry) for k, entry in enumerate(chosen)])

    def objection(self, group: Group) -> Objection | None:
        """What refuses the beginning that gets furthest, newest events first."""
        if not self.enough(group):
            return None
        begin = tuple([constraint.begin(group) for constraint in self.constraints])
        waiting: list[tuple[int, tuple[State, ...], tuple[Entry | None, ...]]] = [(0, begin, ())]
        furthest, found = -1, None
        for _ in range(MOST_STEPS):
            if not waiting:
                break
            k, states, chosen = waiting.pop()
            if k == len(group.stored):
                against = self._against_whole(group, states, chosen)
                if against is None:
                    return None
                if k > furthest:
                    furthest, found = k, against
                continue
            if k in self.optional and (any(chosen) or k < len(group.stored) - 1):
                waiting.append((k + 1, states, (*chosen, None)))
            for entry in list(group.stored[k]):  # the newest is looked at first
                after = self._stepped(group, states, k, entry)
                if after is not None:
                    waiting.append((k + 1, after, (*chosen, entry)))
                elif k >= furthest:
                    furthest, found = k, self._against(group, states, k, entry, chosen)
        return found

    def _against(
        self, group: Group, states: tuple[State, ...], k: int, entry: Entry, chosen: tuple[Entry | None, ...]
    ) -> Objection | None:
        """Why an event cannot follow those that are chosen."""
        for constraint, state in zip(self.constraints, states, strict=True):
            if constraint.step(group, state, k, entry) is REFUSED:
                against = constraint.objection(group, state, k, entry)
                last = [one for one in chosen if one is not None][-1:]
                return against._replace(entries=(*last, *against.entries))
        return None

    def _against_whole(
        self, group: Group, states: tuple[State, ...], chosen: tuple[Entry | None, ...]
    ) -> Objection | None:
        for constraint, state in zip(self.constraints, states, strict=True):
            if not constraint.ends(group, state):
                return constraint.objection_at_end(group, state)
        for each in self.compared:
            if not each.admits(group, chosen):
                return Objection(each.reason, tuple(each.lying(group, chosen)))
        whole = tuple(entry for _, entry in parts(self.filled(group, chosen)))
        if self._admit is not None and not self._admit(whole):
            return Objection("having-false", whole)
        return None

    # ---- the search -----------------------------------------------------------------------------------

    def _in_order(self, group: Group, pools: Pools) -> Iterator[Combination]:
        """Q2: those of a sequence by their terminator."""
        pools = self._narrowed(pools)
        found = self._all(group, pools)
        if self.ordered:
            each = ([*pools[:-1], (terminator,)] for terminator in pools[-1])
            found = (combination for some in each for combination in self._all(group, some))
        return (one for one in found if self._leaves_nothing_out(group, one)) if self.optional else found

    def _leaves_nothing_out(self, group: Group, combination: Combination) -> bool:
        """Whether nothing fits where nothing is (M5)."""
        if not any(entry is None and group.stored[k] for k, entry in enumerate(combination)):
            return True
        pools = self._pools(group.stored)
        fuller = self._first(
            group, [pools[k] if entry is None else (entry,) for k, entry in enumerate(combination)]
        )
        return fuller == combination

    def _combination(self, group: Group, chosen: Sequence[Entry | None]) -> Combination | None:
        """These, if they are a combination by all but ``admit``: of the first of each operand there is none before."""
        return tuple(chosen) if any(chosen) and self._satisfied(group, chosen, complete=True) else None

    def _first(self, group: Group, pools: Pools) -> Combination | None:
        return next(self._all(group, pools), None)

    def _all(self, group: Group, pools: Pools) -> Iterator[Combination]:
        found = self._search(group, pools)
        if self._admit is None:
            return found
        return (chosen for chosen in found if self.admits(self.filled(group, chosen)))

    def _search(self, group: Group, pools: Pools) -> Iterator[Combination]:
        """The combinations with one entry of each pool, in lexicographic order."""
        if not all(pools):
            return iter(())
        found = self._extended(group, pools) if self.constraints else product(*pools)
        if not (self.optional or self.compared):
            return found
        return (chosen for chosen in found if any(chosen) and self._agrees(group, chosen))

    def _narrowed(self, pools: Pools) -> Pools:
        """Of a sequence what has its place in the order; where there are few, it is sooner tried."""
        if not self.ordered or self.optional or sum(map(len, pools)) < MANY:
            return pools
        return in_chains(cast("Stores", pools))

    def _extended(self, group: Group, pools: Pools) -> Iterator[Combination]:
        """What satisfies all constraints. What a beginning can be extended to depends on their states alone: those that
        have led to nothing are not tried again."""
        begin = tuple([constraint.begin(group) for constraint in self.constraints])
        chosen: list[Entry | None] = []
        states, left, extended = [begin], [iter(pools[0])], [False]
        dead: set[tuple[int, tuple[State, ...]]] = set()
        while left:
            k = len(chosen)
            for entry in left[k]:
                after = states[k] if entry is None else self._stepped(group, states[k], k, entry)
                if after is None:
                    continue
                if k + 1 == len(pools):
                    if all(c.ends(group, state) for c, state in zip(self.constraints, after, strict=True)):
                        extended[k] = True
                        yield (*chosen, entry)
                elif (k + 1, after) not in dead:
                    chosen.append(entry)
                    states.append(after)
                    left.append(iter(pools[k + 1]))
                    extended.append(False)
                    break
            else:
                state, is_extended = states.pop(), extended.pop()
                left.pop()
                if not is_extended:
                    dead.add((k, state))
                if chosen:
                    extended[-1] = extended[-1] or is_extended
                    chosen.pop()
