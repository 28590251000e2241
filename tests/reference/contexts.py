"""The contexts: which of the combinations that there are are raised, in which order, and what is consumed (H4, H5, Q1).

Every function is a generator of selections ``(chosen, consumed)``: the entries of one composite, and the
entries consumed once it has been raised. The caller raises and consumes between two steps of the
generator, so whatever the generator reads from the group afterwards is the state after consumption,
silent empties put in place of consumed ones included (C5). ``combinations()`` enumerates, each time anew, every
combination that satisfies the operator's constraints, in lexicographic order of the operands' stored order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xmlcep.algebra import ContextName

from .constraints import counts
from .events import Entry, Group

Selection = tuple[list[Entry], list[Entry]]
Combinations = Callable[[], list[list[Entry]]]
IsNew = Callable[[Entry], bool]


def is_in(entry: Entry, entries: list[Entry]) -> bool:
    """Whether it is one of these."""
    return any(entry is other for other in entries)


def all_in(combinations: list[list[Entry]]) -> list[Entry]:
    """Everything that is part of some combination, in order of operand, then of storing (cumulative)."""
    part: list[Entry] = []
    for combination in combinations:
        part += [entry for entry in combination if not is_in(entry, part)]
    return sorted(part, key=lambda entry: (entry.child, entry.number))


# Conjunction without constraints (H4, Z1)


def conjunction(
    context: ContextName, group: Group, width: int, combinations: Combinations, arrivals: list[Entry]
) -> Iterator[Selection]:
    """H4: the arrivals (all in one child) are the terminators."""
    if context is ContextName.UNRESTRICTED:
        for arrival in arrivals:
            for combination in combinations():
                if is_in(arrival, combination):
                    yield combination, []
    elif context is ContextName.CONTINUOUS:
        yield from _conjunction_continuous(group, width, arrivals)
    else:
        yield from _conjunction_as_a_whole(context, group, width)


def conjunction_released(
    context: ContextName, group: Group, width: int, combinations: Combinations
) -> Iterator[Selection]:
    """D5, X6: selection from all that is stored."""
    if context is ContextName.UNRESTRICTED:
        yield from _all_fresh(combinations)
    elif context is ContextName.CONTINUOUS:
        pending = [entry for entry in group.stored if entry.fresh]
        newest = max(pending, key=lambda entry: entry.number)
        yield from _conjunction_continuous(group, width, [newest])
    else:
        yield from _conjunction_as_a_whole(context, group, width)


def _all_fresh(combinations: Combinations) -> Iterator[Selection]:
    for combination in combinations():
        if any(entry.fresh for entry in combination):
            yield combination, []


def _conjunction_as_a_whole(context: ContextName, group: Group, width: int) -> Iterator[Selection]:
    """Recent, chronicle, cumulative: what is chosen depends on what is stored only."""
    while True:
        children = [group.child(index) for index in range(width)]
        if not all(children):
            return
        if context is ContextName.RECENT:
            yield [entries[-1] for entries in children], []
            return
        if context is ContextName.CUMULATIVE:
            everything = [entry for entries in children for entry in entries]
            if counts(everything):
                yield everything, everything
            return
        oldest = [entries[0] for entries in children]  # chronicle
        if not counts(oldest):
            return
        yield oldest, oldest


def _conjunction_continuous(group: Group, width: int, arrivals: list[Entry]) -> Iterator[Selection]:
    """Round by round, every arrival with the newest of every other child; the partners are consumed (C1).

    From the second round on at least one partner is not silent (C5).
    """
    others = [index for index in range(width) if index != arrivals[0].child]
    repeated = False
    while all(group.child(index) for index in others):
        partners = [group.child(index)[-1] for index in others]
        if repeated and not counts(partners):
            return
        for arrival in arrivals:
            chosen = sorted([arrival, *partners], key=lambda entry: entry.child)
            yield chosen, partners if arrival is arrivals[-1] else []
        repeated = True


# Among combinations that satisfy constraints (Q1 to Q3); also any (S1)

Rank = Callable[[list[Entry]], object]


def constrained(
    context: ContextName, combinations: Combinations, arrivals: list[Entry], newest: Rank, oldest: Rank | None = None
) -> Iterator[Selection]:  # fmt: skip
    """The arrivals are the terminators. ``newest`` of an arrival's partners is greatest for those that continuous
    takes, ``oldest`` of a combination least for the one that chronicle takes, if that is not the first (any)."""
    if context is ContextName.UNRESTRICTED:
        for arrival in arrivals:
            for combination in combinations():
                if is_in(arrival, combination):
                    yield combination, []
    elif context is ContextName.CONTINUOUS:
        yield from _continuous(combinations(), arrivals, newest, everywhere=oldest is not None)
    else:
        yield from _as_a_whole(context, combinations, oldest)


def constrained_released(
    context: ContextName, combinations: Combinations, newest: Rank, oldest: Rank | None = None
) -> Iterator[Selection]:
    """D5, Q3: the terminator of continuous is the newest waiting arrival that is in a combination."""
    if context is ContextName.UNRESTRICTED:
        yield from _all_fresh(combinations)
    elif context is ContextName.CONTINUOUS:
        pending = [entry for entry in all_in(combinations()) if entry.fresh]
        terminator = max(pending, key=lambda entry: entry.number)
        yield from _continuous(combinations(), [terminator], newest, everywhere=oldest is not None)
    else:
        yield from _as_a_whole(context, combinations, oldest)


def _as_a_whole(context: ContextName, combinations: Combinations, oldest: Rank | None) -> Iterator[Selection]:
    if context is ContextName.CUMULATIVE:
        everything = all_in(combinations())
        if everything:
            yield everything, everything
        return
    while found := combinations():
        chosen = found[0] if oldest is None else min(found, key=oldest)  # type: ignore[arg-type, type-var]
        yield chosen, [] if context is ContextName.RECENT else chosen
        if context is ContextName.RECENT:
            return


def _continuous(
    combinations: list[list[Entry]], arrivals: list[Entry], newest: Rank, *, everywhere: bool
) -> Iterator[Selection]:
    """Each arrival's own repetition, against the partners as they are; raised round by round (Q2, Z2)."""
    repetitions = [_repetition(combinations, arrival, newest, everywhere) for arrival in arrivals]
    rounds = [
        repetition[number]
        for number in range(max(map(len, repetitions), default=0))
        for repetition in repetitions
        if number < len(repetition)
    ]
    used: list[Entry] = []
    for combination in rounds:
        used += [entry for entry in combination if not is_in(entry, [*arrivals, *used])]
    for combination in rounds:
        yield combination, used if combination is rounds[-1] else []


def _repetition(
    combinations: list[list[Entry]], arrival: Entry, newest: Rank, everywhere: bool
) -> list[list[Entry]]:
    """One arrival with the newest partners it finds, again and again; what it has used is gone for it, in every
    operand that has it, if it is used up ``everywhere`` (S1)."""
    found: list[list[Entry]] = []
    used: list[Entry] = []
    while True:
        free = []
        for combination in combinations:
            partners = [entry for entry in combination if entry is not arrival]
            again = any(
                entry is other or (everywhere and entry.event is other.event)
                for entry in partners
                for other in used
            )
            if is_in(arrival, combination) and not again and (not found or counts(partners)):
                free.append((partners, combination))
        if not free:
            return found
        partners, combination = max(free, key=lambda pair: newest(pair[0]))  # type: ignore[arg-type, return-value]
        found.append(combination)
        used += [entry for entry in partners if not entry.silent]
        if not partners:
            return found


def from_the_last(partners: list[Entry]) -> object:
    """From the last operand to the first the newest (Q1, continuous)."""
    return [entry.number for entry in sorted(partners, key=lambda entry: -entry.child)]


def stored_latest(partners: list[Entry]) -> object:
    """The newest, whichever their operands (S1, continuous)."""
    return sorted(map(when_stored, partners), reverse=True)


def stored_earliest(combination: list[Entry]) -> object:
    """The oldest, whichever their operands (S1, chronicle)."""
    return sorted(map(when_stored, combination))


def when_stored(entry: Entry) -> tuple[int, int, int]:
    """What orders entries of several operands: the time point, at one of them the operand, then the order of storing
    (Z20)."""
    return entry.time, entry.child, entry.number


# Sequence (H5)


def sequence(
    context: ContextName, group: Group, last: int, combinations: Combinations, is_new: IsNew
) -> Iterator[Selection]:
    """H5, for arrivals and (X7: everything fresh is new) for releases alike. ``last`` is the last operand."""
    if context is ContextName.UNRESTRICTED:
        found = combinations()
        for terminator in group.child(last):
            for combination in found:
                if combination[-1] is terminator and any(map(is_new, combination)):
                    yield combination, []
    elif context is ContextName.RECENT:
        for combination in combinations():  # at most one: every child keeps its newest only
            yield combination, combination[1:]
    elif context is ContextName.CUMULATIVE:
        everything = all_in(combinations())
        if everything:
            yield everything, everything
    elif context is ContextName.CHRONICLE:
        yield from _sequence_chronicle(group, last, combinations)
    else:
        yield from _sequence_continuous(group, last, combinations)


def _sequence_chronicle(group: Group, last: int, combinations: Combinations) -> Iterator[Selection]:
    """Per terminator, oldest first, the oldest that can be extended, child by child: the first
    combination in lexicographic order (C2). A silent put in place of a consumed one has its turn (C5)."""
    seen: list[Entry] = []
    while terminators := [entry for entry in group.child(last) if not is_in(entry, seen)]:
        seen.append(terminators[0])
        for combination in combinations():
            if combination[-1] is terminators[0]:
                yield combination, combination
                break


def _sequence_continuous(group: Group, last: int, combinations: Combinations) -> Iterator[Selection]:
    """Per time point of terminators: each by itself, repeatedly, from right to left the newest that is in
    order and can be extended; partners and terminators are removed after the last of them (C2, C4)."""
    seen: list[Entry] = []
    while waiting := [entry for entry in group.child(last) if not is_in(entry, seen)]:
        time = waiting[0].time
        terminators = [entry for entry in waiting if entry.time == time]
        seen.extend(terminators)
        consumed: list[Entry] = []
        found: list[list[Entry]] = []
        for terminator in terminators:
            mine = _sequence_continuous_of(combinations(), terminator)
            found.extend(mine)
            for combination in mine:
                consumed.extend(entry for entry in combination if not is_in(entry, consumed))
        for combination in found:
            yield combination, consumed if combination is found[-1] else []


def _sequence_continuous_of(combinations: list[list[Entry]], terminator: Entry) -> list[list[Entry]]:
    """The combinations of one terminator. A silent partner may be used again, as long as another partner is
    not silent (C5); a silent terminator needs a partner that is not silent anyway."""
    candidates = [combination for combination in combinations if combination[-1] is terminator]
    found: list[list[Entry]] = []
    used: list[Entry] = []
    while True:
        free = [c for c in candidates if not any(is_in(entry, used) for entry in c[:-1])]
        if found:
            free = [c for c in free if counts(c[:-1])]
        if not free:
            return found
        best = max(free, key=lambda c: [entry.number for entry in reversed(c[:-1])])
        found.append(best)
        used.extend(entry for entry in best[:-1] if not entry.silent)
