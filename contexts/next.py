"""Context next, skip till next match: every first event takes the next one that fits (rule S2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from .combinations import Combinations
from .context import Context, Stays, Takes
from .entry import EVENT, Combination, Entry, parts
from .group import Group
from .runs import Member, Run, Runs


class Next(Context):
    """Every event stored in the first operand of a sequence, or in any of a conjunction, begins a run.

    A run takes an event when it arrives, or never: of an operand it lacks, if that satisfies the constraints towards
    what it has. Runs share events, so these are consumed once, with the first run that is raised.
    """

    name = "next"
    preference = "every first event takes the next one that fits"
    takes = Takes.RUNS
    stays = Stays.NOTHING

    def store(self, group: Group, exists: Combinations, child: int, arrivals: Iterable[Entry]) -> None:
        """All runs go on with an arrival, then it begins its own; what is in none is not stored."""
        runs, ordered, first = _runs(group), exists.ordered, _first_before(exists, child)
        for entry in arrivals:
            member = Member(child, entry)
            is_member = False
            for run in runs.open:
                lacks = first <= run.members[-1].operand + 1 <= child if ordered else run.lacks(child)
                if lacks and not run.is_complete and exists.goes_on(group, run.with_(member)):
                    run.take(member)
                    run.is_complete = exists.is_whole(run.chosen)
                    is_member = True
            if (not first and _begin(group, exists, member)) or is_member:
                group.stored[child].append(entry)
                if runs.used:
                    runs.used.discard(member.identity)  # that of a former one

    def withdrawn(self, group: Group, exists: Combinations, child: int, entry: Entry) -> None:
        """A member that is withdrawn leaves its runs with those behind it; they wait again."""
        runs = _runs(group)
        member = Member(child, entry)
        for run in runs.open:
            run.leave(member)
        runs.open = [run for run in runs.open if run.members]
        _free(group)

    def expire(self, group: Group, exists: Combinations, is_old: Callable[[Entry], bool]) -> None:
        """A run ends when what began it is too old."""
        runs = _runs(group)
        runs.open = [run for run in runs.open if run.is_complete or not is_old(run.members[0].entry)]
        _free(group)

    def standing(self, group: Group) -> Sequence[Sequence[Entry]]:
        """The run that has got furthest, the oldest of these."""
        runs = _runs(group).open
        if not runs:
            return [[] for _ in group.stored]
        furthest = max(runs, key=lambda run: len(run.members))
        return [[] if entry is None else [entry] for entry in furthest.combination()]

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        return self.on_release(group, exists)

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        runs = _runs(group)
        complete = [run for run in runs.open if run.is_complete]
        found = [exists.filled(group, run.combination()) for run in complete]
        if complete:
            runs.open = [run for run in runs.open if not run.is_complete]
            if runs.open or group.owners is not None:
                for run in complete:
                    _consume(group, run)
            if group.collected:
                group.consume_along(each for chosen in found for each in parts(chosen))
            _free(group)
        return found

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        return _runs(group).has_complete()


def _runs(group: Group) -> Runs:
    assert group.runs is not None
    return group.runs


# ---- going on -----------------------------------------------------------------------------------------


def _first_before(exists: Combinations, child: int) -> int:
    """The first operand of a sequence from which on all before this one may be left out (M5); it then is, by runs whose
    last member is before that one. Without an order there is nothing before."""
    first = child if exists.ordered else 0
    while first and first - 1 in exists.optional:
        first -= 1
    return first


def _begin(group: Group, exists: Combinations, member: Member) -> bool:
    """An arrival begins a run, of an operand that does; says whether it did."""
    run = Run(member, len(group.stored))
    if not exists.goes_on(group, run.chosen):
        return False
    run.is_complete = exists.is_whole(run.chosen)
    _runs(group).open.append(run)
    return True


def _stored(group: Group) -> Iterator[Member]:
    for operand, entries in enumerate(group.stored):
        for entry in entries:
            yield Member(operand, entry)


# ---- consuming and freeing ----------------------------------------------------------------------------


def _consume(group: Group, run: Run) -> None:
    """What is in a raised run is consumed, if it has not been yet."""
    runs = _runs(group)
    chosen = sorted(run.members, key=lambda member: member.operand)
    if group.shared:  # what is consumed in one operand is consumed in all
        events = {id(member.entry[EVENT]) for member in chosen}
        chosen = [member for member in _stored(group) if id(member.entry[EVENT]) in events]
    taken = [member for member in chosen if member.identity not in runs.used]
    runs.used.update(member.identity for member in taken)
    group.tell(taken)


def _free(group: Group) -> None:
    """Frees what is in no run any more (Q4); that is not consumption."""
    runs = _runs(group)
    held = runs.held()
    for operand, entries in enumerate(group.stored):
        left = [entry for entry in entries if (operand, id(entry)) in held]
        if len(left) < len(entries):
            entries.clear()
            entries.extend(left)
    runs.used &= held
