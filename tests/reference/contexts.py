"""The contexts: which of the combinations that there are are raised, in which order, and what is consumed (Q1).

`chosen` is a generator of selections ``(chosen, consumed)``: the entries of one composite, and the entries consumed
once it has been raised. The caller raises and consumes between two steps of the generator. ``combinations()``
enumerates, each time anew, every combination that there is, in lexicographic order of the operands' stored order, in
which nothing, of an operand that may be left out, is last (M5).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from xmlcep.algebra import ContextName

from .events import Entry

Selection = tuple[list[Entry], list[Entry]]
Combination = list[Entry]
Rank = Callable[[Combination], object]


def is_in(entry: Entry, entries: Iterable[Entry]) -> bool:
    """Whether it is one of these."""
    return any(entry is other for other in entries)


def all_in(combinations: list[Combination]) -> list[Entry]:
    """Everything that is part of some combination, in order of operand, then of storing (cumulative)."""
    part: list[Entry] = []
    for combination in combinations:
        part += [entry for entry in combination if not is_in(entry, part)]
    return sorted(part, key=lambda entry: (entry.child, entry.rank))


@dataclass(frozen=True)
class Choice:
    """What a context chooses among, and how.

    ``new``: the arrivals, or everything that waits for the release. ``first`` and ``last`` are the operands of a
    sequence at its ends, None where there is no order. ``oldest`` and ``newest`` order combinations and partners where
    that does not go operand by operand (S1). ``along`` are operands of which all is taken along, none chosen (A6).
    """

    combinations: Callable[[], list[Combination]]
    new: list[Entry]
    first: int | None = None
    last: int | None = None
    oldest: Rank | None = None
    newest: Rank | None = None
    along: Collection[int] = ()

    def chosen(self, combination: Combination) -> Combination:
        """What is chosen of it."""
        return [entry for entry in combination if entry.child not in self.along]


def chosen(context: ContextName, choice: Choice) -> Iterator[Selection]:
    """Q1, context by context."""
    if context is ContextName.UNRESTRICTED:
        for combination in _by_terminator(choice):
            yield combination, []
    elif context is ContextName.RECENT:
        for combination in _with_something_new(choice)[:1]:  # every operand has stored its newest only
            first = MANY if choice.first is None else choice.first
            yield combination, [entry for entry in combination if entry.child > first]
    elif context is ContextName.CUMULATIVE:
        everything = all_in(choice.combinations())
        if everything:
            yield everything, everything
    elif context is ContextName.CHRONICLE:
        while found := choice.combinations():
            first = min(found, key=choice.oldest or _as_listed)  # type: ignore[arg-type]
            yield first, first
    else:
        for terminators in _terminators(choice):
            yield from _continuous(choice, terminators)


def _by_terminator(choice: Choice) -> list[Combination]:
    """The combinations that have something new, those of one terminator together: of a sequence by its last operand's
    event, none being the last, of others by the arrival."""
    every = choice.combinations()
    found = [c for c in _with_something_new(choice) if not any(_is_more(choice, other, c) for other in every)]
    if choice.last is None:
        return found
    return sorted(
        found, key=lambda c: (c[-1].child != choice.last, c[-1].rank if c[-1].child == choice.last else 0)
    )


def _with_something_new(choice: Choice) -> list[Combination]:
    return [c for c in choice.combinations() if any(is_in(entry, choice.new) for entry in c)]


def _is_more(choice: Choice, other: Combination, combination: Combination) -> bool:
    """Whether something is left out that need not be (M5)."""
    more, chosen = choice.chosen(other), choice.chosen(combination)
    return len(more) > len(chosen) and all(is_in(entry, more) for entry in chosen)


def _terminators(choice: Choice) -> Iterator[list[Entry | None]]:
    """Of a sequence what its last operand has, oldest first, those that end together at once, then nothing; of others
    what is new, as it came, what came in one operand at one time point at once, oldest first."""
    if choice.last is None:
        for _, together in groupby(choice.new, key=lambda entry: (entry.time, entry.child)):
            yield sorted(together, key=lambda entry: entry.rank)
        return
    of_last = [entry for entry in all_in(choice.combinations()) if entry.child == choice.last]
    for _, same in groupby(of_last, key=lambda entry: entry.end):
        yield list(same)
    yield [None]


def _continuous(choice: Choice, terminators: list[Entry | None]) -> Iterator[Selection]:
    """Each with the newest partners it finds, again and again, until these are used up, against those there were
    before the first of them; what they used is consumed after the last, terminators of a sequence, too."""
    combinations = choice.combinations()
    found: list[Combination] = []
    used: list[Entry] = []
    for terminator in terminators:
        mine = _repetition(choice, combinations, terminator)
        found += mine
        for combination in mine:
            used += [
                entry
                for entry in combination
                if not is_in(entry, used) and (choice.last is not None or entry is not terminator)
            ]
    for combination in found:
        yield combination, used if combination is found[-1] else []


def _repetition(
    choice: Choice, combinations: list[Combination], terminator: Entry | None
) -> list[Combination]:
    found: list[Combination] = []
    used: list[Entry] = []
    while True:
        free = []
        for combination in combinations:
            partners = [entry for entry in choice.chosen(combination) if entry is not terminator]
            if terminator is None:
                belongs = combination[-1].child != choice.last
            elif choice.last is None:  # with what was there before it came
                belongs = is_in(terminator, combination) and all(
                    entry.number < terminator.number or not is_in(entry, choice.new) for entry in partners
                )
            else:
                belongs = is_in(terminator, combination)
            again = any(entry.event is other.event for entry in partners for other in used)
            if belongs and not again and (partners or not found):
                free.append((partners, combination))
        if not free:
            return found
        newest = choice.newest or from_the_last
        partners, combination = max(free, key=lambda pair: newest(pair[0]))  # type: ignore[arg-type, return-value]
        found.append(combination)
        used += partners
        if not partners:
            return found


def _as_listed(combination: Combination) -> object:
    return 0


def from_the_last(partners: Combination) -> object:
    """From the last operand to the first the newest, something rather than nothing."""
    ranks = {entry.child: entry.rank for entry in partners}
    return [ranks.get(child, (-1, -1)) for child in reversed(range(MANY))]


MANY = 50
"""More operands than any operator of the tests has."""


def newest_of_all(partners: Combination) -> object:
    """The newest, whichever their operands (S1, continuous)."""
    return sorted(map(age, partners), reverse=True)


def oldest_of_all(combination: Combination) -> object:
    """The oldest, whichever their operands (S1, chronicle)."""
    return sorted(map(age, combination))


def age(entry: Entry) -> tuple[int, int, int]:
    """What makes one older than another, whichever their operands: its end, then the operand, then arrival (S1)."""
    return entry.end, entry.child, entry.number
