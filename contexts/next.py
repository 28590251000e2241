"""Context next, skip till next match: every first event takes the next one that fits (rule S2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from .combinations import Combinations
from .context import Context
from .entry import EVENT, Combination, Entry
from .group import Group, discard
from .runs import Member, Run, Runs


class Next(Context):
    """Every event stored in the first operand of a sequence, or in any of a conjunction, begins a run.

    A run takes the first event stored after it began, for an operand it lacks, that satisfies the constraints towards
    what it has. Runs share events, so these are consumed once, with the first run that is raised.
    """

    name = "next"
    preference = "every first event takes the next one that fits"
    one_by_one = True
    runs = True

    def store(self, group: Group, exists: Combinations, child: int, arrivals: Iterable[Entry]) -> None:
        """Stores arrivals: all runs go on, then each begins its own."""
        runs = group.runs
        assert runs is not None
        for entry in arrivals:
            if runs.only_new:
                _store_new(group, exists, runs, child, entry)
                continue
            group.stored[child].append(entry)
            member = Member(child, entry)
            runs.add(member)
            is_member = False
            for run in runs.open:
                is_member = _go_on(group, exists, run, member) or is_member
            is_member = _begin(group, exists, member) or is_member
            if not is_member and not runs.open:
                _free(group, exists)

    def windows(self, opened: Sequence[Entry]) -> list[list[Entry]]:
        """The oldest (Z18)."""
        return [[entry] for entry in opened[:1]]

    def withdrawn(self, group: Group, exists: Combinations, child: int, entry: Entry) -> None:
        """A member that is withdrawn leaves its runs with those behind it; they wait again."""
        runs = _runs(group)
        member = Member(child, entry)
        for run in runs.open:
            run.leave(member)
        runs.open = [run for run in runs.open if run.members]
        _free(group, exists)

    def expire(self, group: Group, exists: Combinations, is_old: Callable[[Entry], bool]) -> None:
        """A run ends when what it cannot lose without being lost itself is too old."""
        runs = _runs(group)
        runs.open = [run for run in runs.open if run.is_complete or not _is_lost(runs, run, is_old)]
        _free(group, exists, is_old)

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
        if complete:
            runs.open = [run for run in runs.open if not run.is_complete]
            if runs.open or group.owners is not None or not runs.only_new:
                for run in complete:
                    _consume(group, run)
            _free(group, exists)
        return [run.combination() for run in complete]

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        return _runs(group).has_complete()


def _runs(group: Group) -> Runs:
    assert group.runs is not None
    return group.runs


# ---- going on -----------------------------------------------------------------------------------------


def _store_new(group: Group, exists: Combinations, runs: Runs, child: int, entry: Entry) -> None:
    """Stores an arrival where runs take what is new: what none takes now, none ever will, and is not kept."""
    member = Member(child, entry)
    is_member = False
    for run in runs.open:
        if run.is_complete or not _may_take(exists, run, child):
            continue
        if exists.goes_on(group, run.with_(member)):
            run.take(member)
            run.is_complete = exists.is_whole(run.chosen)
            is_member = True
    if _begin(group, exists, member) or is_member:
        group.stored[child].append(entry)
        if runs.used:
            runs.used.discard(member.identity)  # that of a former one


def _may_take(exists: Combinations, run: Run, child: int) -> bool:
    """Whether it lacks this operand; in a sequence it may leave out what may be left out (M5), and then does."""
    if not exists.ordered:
        return run.lacks(child)
    last = run.members[-1].operand
    return child > last and _may_leave_out(exists, last + 1, child)


def _may_leave_out(exists: Combinations, first: int, until: int) -> bool:
    return first == until or all(k in exists.optional for k in range(first, until))


def _begin(group: Group, exists: Combinations, member: Member) -> bool:
    """An event that was stored begins a run, if it is of an operand that does; says whether it did."""
    if exists.ordered and not _may_leave_out(exists, 0, member.operand):
        return False
    runs = _runs(group)
    run = Run(0 if runs.only_new else runs.number(member), member, len(group.stored))
    if not exists.goes_on(group, run.chosen):
        return False
    run.is_complete = exists.is_whole(run.chosen)
    runs.open.append(run)
    if not runs.only_new:
        _go_on(group, exists, run, member)
    return True


def _go_on(group: Group, exists: Combinations, run: Run, arrival: Member) -> bool:
    """A run takes what it can, one after the other; says whether it took the arrival."""
    took = False
    while not run.is_complete:
        for member in _candidates(group, exists, run):
            if exists.goes_on(group, run.with_(member)):
                run.take(member)
                run.is_complete = exists.is_whole(run.chosen)
                took = took or member.identity == arrival.identity
                break
        else:
            break
    return took


def _candidates(group: Group, exists: Combinations, run: Run) -> Iterator[Member]:
    """What a run may take, in the order in which it was stored."""
    runs = _runs(group)
    later = [
        (runs.number(member), member) for member in _stored(group) if _may_take(exists, run, member.operand)
    ]
    for number, member in sorted(later, key=lambda one: one[0]):
        if number > run.began:
            yield member


def _stored(group: Group) -> Iterator[Member]:
    for operand, entries in enumerate(group.stored):
        for entry in entries:
            yield Member(operand, entry)


# ---- consuming and freeing ----------------------------------------------------------------------------


def _consume(group: Group, run: Run) -> None:
    """What is in a raised run is consumed, if it has not been yet."""
    runs = _runs(group)
    chosen = sorted(run.members, key=lambda member: member.operand)
    if group.shared:  # S1: what is consumed in one operand is consumed in all
        events = {id(member.entry[EVENT]) for member in chosen}
        chosen = [member for member in _stored(group) if id(member.entry[EVENT]) in events]
    taken = [member for member in chosen if member.identity not in runs.used]
    runs.used.update(member.identity for member in taken)
    group.tell(taken)


def _is_lost(runs: Runs, run: Run, is_old: Callable[[Entry], bool]) -> bool:
    """Whether a member is too old that the run cannot lose: none before it, the first left aside, can be withdrawn."""
    for index, (operand, entry) in enumerate(run.members):
        if index and runs.taken_back[operand]:
            return False
        if is_old(entry):
            return True
    return False


def _free(group: Group, exists: Combinations, is_old: Callable[[Entry], bool] | None = None) -> None:
    """Frees what is stored and no run can take any more (Q4); that is not consumption (C9)."""
    runs = _runs(group)
    if runs.only_new and not runs.open:
        for entries in group.stored:
            entries.clear()
        runs.used.clear()
        return
    held = runs.held()
    oldest = runs.open[0].began if runs.open and not runs.only_new else None

    def is_needed(member: Member) -> bool:
        operand, entry = member
        if member.identity in held or (oldest is not None and runs.number(member) > oldest):
            return True
        if not runs.taken_back[operand] or member.identity in runs.used:
            return False
        return is_old is None or not is_old(entry)

    for member in [member for member in _stored(group) if not is_needed(member)]:
        discard(group.stored[member.operand], member.entry)
    runs.forget_others(held.union(member.identity for member in _stored(group)))
