"""Snoop contexts (H4, H5): which combinations are raised, in which order, and what each consumes.

Every function is a generator of selections ``(chosen, consumed)``: the entries of one composite, and the
entries consumed once it has been raised. The caller raises and consumes between two steps of the
generator, so whatever the generator reads from the group afterwards is the state after consumption,
silent empties put in place of consumed ones included (C5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise, product

from xmlcep.algebra import ContextName, Order

from .events import Entry, Group, detection_time, interval

Selection = tuple[list[Entry], list[Entry]]


def _counts(combination: list[Entry]) -> bool:
    """A combination of nothing but silent empties does not count (M5, C5)."""
    return any(not entry.silent for entry in combination)


# Conjunction


def conjunction_combinations(group: Group, width: int) -> list[list[Entry]]:
    """Every combination of one event per child, in lexicographic order of stored order (H4, C1)."""
    combinations = product(*(group.child(index) for index in range(width)))
    return [list(combination) for combination in combinations if _counts(list(combination))]


def conjunction_on_arrival(
    context: ContextName, group: Group, width: int, arrivals: list[Entry]
) -> Iterator[Selection]:
    """H4: the arrivals (all in one child) are the terminators."""
    if context is ContextName.UNRESTRICTED:
        for arrival in arrivals:
            for combination in conjunction_combinations(group, width):
                if any(entry is arrival for entry in combination):
                    yield combination, []
    elif context is ContextName.CONTINUOUS:
        yield from _conjunction_continuous(group, width, arrivals)
    else:
        yield from _conjunction_as_a_whole(context, group, width)


def conjunction_on_release(context: ContextName, group: Group, width: int) -> Iterator[Selection]:
    """D5, X6: selection from all that is stored."""
    if context is ContextName.UNRESTRICTED:
        for combination in conjunction_combinations(group, width):
            if any(entry.fresh for entry in combination):
                yield combination, []
    elif context is ContextName.CONTINUOUS:
        pending = [entry for entry in group.stored if entry.fresh]
        newest = max(pending, key=lambda entry: entry.number)
        yield from _conjunction_continuous(group, width, [newest])
    else:
        yield from _conjunction_as_a_whole(context, group, width)


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
            if _counts(everything):
                yield everything, everything
            return
        oldest = [entries[0] for entries in children]  # chronicle
        if not _counts(oldest):
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
        if repeated and not _counts(partners):
            return
        for arrival in arrivals:
            chosen = sorted([arrival, *partners], key=lambda entry: entry.child)
            yield chosen, partners if arrival is arrivals[-1] else []
        repeated = True


# Sequence


def in_order(order: Order, combination: list[Entry]) -> bool:
    """Whether each member is before the next; members with an empty interval are skipped (H5, C3)."""
    spans = [(interval(entry.event), detection_time(entry.event)) for entry in combination]
    known = [(span, time) for span, time in spans if span is not None]
    if order is Order.DETECTION:
        return all(a[1] < b[1] for a, b in pairwise(known))
    return all(a[0][1] < b[0][0] for a, b in pairwise(known))


def sequence_combinations(order: Order, group: Group, width: int) -> list[list[Entry]]:
    """Every combination in order, lexicographic by stored order (H5)."""
    return [
        combination for combination in conjunction_combinations(group, width) if in_order(order, combination)
    ]


def sequence_on_arrival(
    context: ContextName, order: Order, group: Group, width: int, is_new: Callable[[Entry], bool]
) -> Iterator[Selection]:
    """H5, for arrivals and (X7: everything fresh is new) for releases alike."""
    combinations = sequence_combinations(order, group, width)
    if context is ContextName.UNRESTRICTED:
        for terminator in group.child(width - 1):
            for combination in combinations:
                if combination[-1] is terminator and any(map(is_new, combination)):
                    yield combination, []
    elif context is ContextName.RECENT:
        for combination in combinations:  # at most one: every child keeps its newest only
            yield combination, combination[1:]
    elif context is ContextName.CUMULATIVE:
        part = [entry for entry in group.stored if any(_is_in(entry, c) for c in combinations)]
        everything = [entry for index in range(width) for entry in part if entry.child == index]
        if everything:
            yield everything, everything
    elif context is ContextName.CHRONICLE:
        yield from _sequence_chronicle(order, group, width)
    else:
        yield from _sequence_continuous(order, group, width)


def _sequence_chronicle(order: Order, group: Group, width: int) -> Iterator[Selection]:
    """Per terminator, oldest first, the oldest that can be extended, child by child: the first
    combination in lexicographic order (C2). A silent put in place of a consumed one has its turn (C5)."""
    seen: list[Entry] = []
    while terminators := [entry for entry in group.child(width - 1) if not _is_in(entry, seen)]:
        seen.append(terminators[0])
        for combination in sequence_combinations(order, group, width):
            if combination[-1] is terminators[0]:
                yield combination, combination
                break


def _sequence_continuous(order: Order, group: Group, width: int) -> Iterator[Selection]:
    """Per time point of terminators: each by itself, repeatedly, from right to left the newest that is in
    order and can be extended; partners and terminators are removed after the last of them (C2, C4)."""
    seen: list[Entry] = []
    while waiting := [entry for entry in group.child(width - 1) if not _is_in(entry, seen)]:
        time = waiting[0].time
        terminators = [entry for entry in waiting if entry.time == time]
        seen.extend(terminators)
        consumed: list[Entry] = []
        found: list[list[Entry]] = []
        for terminator in terminators:
            mine = _sequence_continuous_of(order, group, width, terminator)
            found.extend(mine)
            for combination in mine:
                consumed.extend(entry for entry in combination if not _is_in(entry, consumed))
        for combination in found:
            yield combination, consumed if combination is found[-1] else []


def _sequence_continuous_of(order: Order, group: Group, width: int, terminator: Entry) -> list[list[Entry]]:
    """The combinations of one terminator. A silent partner may be used again, as long as another partner is
    not silent (C5); a silent terminator needs a partner that is not silent anyway."""
    candidates = [c for c in sequence_combinations(order, group, width) if c[-1] is terminator]
    found: list[list[Entry]] = []
    used: list[Entry] = []
    while True:
        free = [c for c in candidates if not any(_is_in(entry, used) for entry in c[:-1])]
        if found:
            free = [c for c in free if _counts(c[:-1])]
        if not free:
            return found
        best = max(free, key=lambda c: [entry.number for entry in reversed(c[:-1])])
        found.append(best)
        used.extend(entry for entry in best[:-1] if not entry.silent)


def _is_in(entry: Entry, entries: list[Entry]) -> bool:
    return any(entry is other for other in entries)
