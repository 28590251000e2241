"""The contexts by themselves: no events, no documents, only entries with a time.

A row has the arrivals as words (operand and name, one time point per word; ``a1+a2`` arrive together) and the
combinations found at each time point.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contexts import CONTEXTS, Context, Group, primitive
from contexts.combinations import Tries
from contexts.constraints import Order
from contexts.entry import Combination
from contexts.pairing import Ending, Pair, Pairing
from contexts.runs import Runs
from contexts.search import Constrained

EXISTS = {
    "conjunction": Constrained([], ordered=False, tries=Tries(1_000)),
    "sequence": Constrained([Order()], ordered=True, tries=Tries(1_000)),
}

CONJUNCTION = """
unrestricted | a1 b1 a2    | 2: a1b1; 3: a2b1
unrestricted | a1 a2 b1+b2 | 3: a1b1 a1b2 a2b1 a2b2
recent       | a1 b1 a2    | 2: a1b1; 3: a2b1
recent       | a1 a2 b1    | 3: a2b1
chronicle    | a1 b1 a2    | 2: a1b1
chronicle    | a1 a2 b1 b2 | 3: a1b1; 4: a2b2
chronicle    | a1 a2 b1+b2 | 3: a1b1 a2b2
continuous   | a1 a2 b1    | 3: a2b1 a1b1
continuous   | a1 b1 a2 a3 | 2: a1b1; 3: a2b1
continuous   | a1 b1+b2    | 2: a1b1 a1b2
cumulative   | a1 a2 b1 b2 | 3: a1a2b1
cumulative   | a1 b1 b2 a2 | 2: a1b1; 4: a2b2
next         | a1 a2 b1 b2 | 3: a1b1 a2b1
next         | a1 b1 a2    | 2: a1b1; 3: a2b1
next         | a1 b1 a2 b2 | 2: a1b1; 3: a2b1; 4: a2b2
next         | a1 b1+b2    | 2: a1b1
"""

SEQUENCE = """
unrestricted | a1 a2 b1 b2 | 3: a1b1 a2b1; 4: a1b2 a2b2
unrestricted | b1 a1       |
recent       | a1 a2 b1 b2 | 3: a2b1; 4: a2b2
recent       | b1 a1 b2    | 3: a1b2
chronicle    | a1 a2 b1 b2 | 3: a1b1; 4: a2b2
chronicle    | b1 a1 b2    | 3: a1b2
continuous   | a1 a2 b1 b2 | 3: a2b1 a1b1
continuous   | a1 a2 b1+b2 | 3: a2b1 a1b1 a2b2 a1b2
cumulative   | a1 a2 b1 b2 | 3: a1a2b1
cumulative   | a1 b1 a2 b2 | 2: a1b1; 4: a2b2
next         | a1 a2 b1 b2 | 3: a1b1 a2b1
next         | b1 a1 b2 b3 | 3: a1b2
next         | a1 a2 b1+b2 | 3: a1b1 a2b1
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def new_group(context: Context) -> Group:
    """An empty group of two operands, which nobody takes back from."""
    group = Group([[], []])
    if context.runs:
        group.runs = Runs()
    return group


def run(operator: str, context_name: str, words: str) -> str:
    """Feeds the words to a group of two operands and writes down what is found."""
    context = CONTEXTS[context_name]
    group = new_group(context)
    shown = []
    for time, word in enumerate(words.split(), 1):
        arrivals = [primitive(time, name) for name in word.split("+")]
        child = "ab".index(word[0])
        context.store(group, EXISTS[operator], child, arrivals)
        found = []
        if context.runs or all(group.stored):
            found = context.on_arrival(group, EXISTS[operator], child, arrivals)
        if found:
            shown.append(f"{time}: " + " ".join("".join(entry[3] for entry in chosen) for chosen in found))
    return "; ".join(shown)


@pytest.mark.parametrize(("context", "words", "expected"), rows(CONJUNCTION))
def test_conjunction(context: str, words: str, expected: str) -> None:
    assert run("conjunction", context, words) == expected


@pytest.mark.parametrize(("context", "words", "expected"), rows(SEQUENCE))
def test_sequence(context: str, words: str, expected: str) -> None:
    assert run("sequence", context, words) == expected


RELEASES = """
unrestricted | conjunction | a1 a2 b1 | a1b1 a2b1
recent       | conjunction | a1 a2 b1 | a2b1
chronicle    | conjunction | a1 a2 b1 | a1b1
continuous   | conjunction | a1 b1 a2 | a1b1 a2b1
cumulative   | conjunction | a1 a2 b1 | a1a2b1
unrestricted | sequence    | a1 b1 a2 b2 | a1b1 a1b2 a2b2
recent       | sequence    | a1 b1 a2 b2 | a2b2
chronicle    | sequence    | a1 b1 a2 b2 | a1b1 a2b2
continuous   | sequence    | a1 a2 b1 b2 | a2b1 a1b1
cumulative   | sequence    | a1 b1 a2 b2 | a1a2b1b2
next         | conjunction | a1 b1 a2    | a1b1 a2b1
next         | sequence    | a1 b1 a2 b2 | a1b1 a2b2
"""


@pytest.mark.parametrize(("context_name", "operator", "words", "expected"), rows(RELEASES))
def test_release(context_name: str, operator: str, words: str, expected: str) -> None:
    """D5: everything is stored first, the choice is made at the release."""
    context = CONTEXTS[context_name]
    group = new_group(context)
    for time, word in enumerate(words.split(), 1):
        arrival = primitive(time, word)
        context.store(group, EXISTS[operator], "ab".index(word[0]), [arrival])
        group.hold("ab".index(word[0]), [arrival])
    assert context.is_possible(group, EXISTS[operator])
    found = context.on_release(group, EXISTS[operator])
    assert " ".join("".join(entry[3] for entry in chosen) for chosen in found) == expected


def test_a_released_combination_is_not_possible_again() -> None:
    """D2: what recent and unrestricted context keep has been raised; only a new arrival makes it possible."""
    for name in ("recent", "unrestricted"):
        context = CONTEXTS[name]
        group = Group([[primitive(1, "a")], [primitive(2, "b")]])
        assert not any(context.is_possible(group, exists) for exists in EXISTS.values())


def test_next_keeps_only_what_runs_have() -> None:
    """G4: what no run took and what all runs are done with is freed."""
    context, exists = CONTEXTS["next"], EXISTS["sequence"]
    group = Group([[], [], []])
    group.runs = Runs()
    sizes = []
    for time, word in enumerate(["c1", "b1", "a1", "c2", "b2", "b3", "a2", "c3", "b4", "c4"], 1):
        child = "abc".index(word[0])
        context.store(group, exists, child, [primitive(time, word)])
        context.on_arrival(group, exists, child, [])
        sizes.append(sum(map(len, group.stored)))
    assert sizes == [0, 0, 1, 1, 2, 2, 3, 1, 2, 0]
    assert not group.runs.open


PAIRED = [name for name, context in CONTEXTS.items() if not context.runs]


@pytest.mark.parametrize("name", PAIRED)
@given(st.text("ab", max_size=6))
def test_two_operands_in_any_order_are_combined_without_a_search_as_with_one(name: str, words: str) -> None:
    """Q1: what is raised at each arrival, and what is stored then."""
    context, exists = CONTEXTS[name], EXISTS["conjunction"]
    pairing = Pairing(context, ordered=False)
    group = new_group(context)
    stored: tuple[list[str], list[str]] = ([], [])
    for time, word in enumerate(words, 1):
        child, arrival = "ab".index(word), primitive(time, f"{word}{time}")
        context.store(group, exists, child, [arrival])
        told = (len(stored[0]), len(stored[1]))
        if context.replaces:
            stored[child].clear()
        stored[child].append(arrival[3])
        expected = context.on_arrival(group, exists, child, [arrival]) if all(group.stored) else []
        _same(pairing.any_order(stored, told), expected)
        assert list(stored) == [[entry[3] for entry in entries] for entries in group.stored]


@pytest.mark.parametrize("name", [name for name in PAIRED if not CONTEXTS[name].replaces])
@given(st.text("ab", max_size=6))
def test_a_release_of_two_operands_in_order_takes_the_same_without_a_search(name: str, words: str) -> None:
    """D5: second events that have a first one before them, and the first ones, in lists of their own."""
    context, exists = CONTEXTS[name], EXISTS["sequence"]
    group = new_group(context)
    firsts: list[str] = []
    endings: list[Ending] = []
    for time, word in enumerate(words, 1):
        event = f"{word}{time}"
        context.store(group, exists, "ab".index(word), [primitive(time, event)])
        group.hold("ab".index(word), [group.stored["ab".index(word)][-1]])
        if word == "a":
            firsts.append(event)
        elif firsts:
            endings.append(Ending(event, time, len(firsts)))
    if not endings:
        return  # nothing is asked then
    expected = context.on_release(group, exists)
    _same(Pairing(context, ordered=True).in_order(firsts, endings), expected)
    assert firsts == [entry[3] for entry in group.stored[0]]


def _same(found: Sequence[Pair], expected: Sequence[Combination]) -> None:
    assert ["".join(map(_shown, pair)) for pair in found] == [
        "".join(entry[3] for entry in chosen) for chosen in expected
    ]


def _shown(events: object) -> str:
    """The events of one operand: one, or the list of a cumulative pair."""
    return "".join(events) if isinstance(events, list) else str(events)
