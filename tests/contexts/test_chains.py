"""Sequences against brute force: every choice of one entry per store, tried one by one."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from contexts import Entry, Group, composite
from contexts.chains import in_chains
from contexts.combinations import Tries
from contexts.constraints import Order
from contexts.search import MANY, Constrained

SEQUENCE = Constrained([Order()], ordered=True, tries=Tries(1_000))


def in_order(chain: tuple[Entry, ...]) -> bool:
    """Whether each ends before the next starts; empty ones are skipped."""
    found = [entry for entry in chain if entry[0] <= entry[1]]
    return all(one[1] < other[0] for one, other in pairwise(found))


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """An entry with a short interval, sometimes an empty one."""
    start = draw(st.one_of(st.none(), st.integers(1, 8)))
    end = None if start is None else start + draw(st.integers(0, 3))
    return composite(start, end, 0, object())


stores_of_entries = st.lists(st.lists(entries(), max_size=MANY // 2), min_size=2, max_size=3)


def brute_force(stores: list[list[Entry]]) -> list[tuple[Entry, ...]]:
    return [chain for chain in product(*stores) if in_order(chain)]


@given(stores_of_entries)
def test_all_chains(stores: list[list[Entry]]) -> None:
    """In order of the last event, then in lexicographic order (Q2)."""
    each = [brute_force([*stores[:-1], [terminator]]) for terminator in stores[-1]]
    assert list(SEQUENCE.all_of(Group(stores))) == [chain for some in each for chain in some]


@given(stores_of_entries)
def test_the_oldest_chain_is_the_first_in_lexicographic_order(stores: list[list[Entry]]) -> None:
    assert SEQUENCE.oldest(Group(stores)) == next(iter(brute_force(stores)), None)


@given(stores_of_entries, entries())
def test_the_newest_chain_is_the_first_from_right_to_left(
    stores: list[list[Entry]], terminator: Entry
) -> None:
    stores[-1] = [terminator]
    newest_first = [list(reversed(store)) for store in reversed(stores)]
    chains = [tuple(reversed(chosen)) for chosen in product(*newest_first)]
    found = SEQUENCE.newest(Group(stores), stores, len(stores) - 1, terminator)
    assert found == next((chain for chain in chains if in_order(chain)), None)


@given(stores_of_entries)
def test_members_are_all_that_are_in_some_chain(stores: list[list[Entry]]) -> None:
    chains = brute_force(stores)
    expected = [
        [entry for entry in store if any(chain[k] is entry for chain in chains)]
        for k, store in enumerate(stores)
    ]
    assert in_chains(stores) == expected
    assert SEQUENCE.members(Group(stores)) == (expected if chains else None)


def test_an_empty_interval_is_skipped() -> None:
    early, late, empty = (
        composite(1, 1, 1, "early"),
        composite(3, 3, 3, "late"),
        composite(None, None, 2, "empty"),
    )
    assert in_chains([[early], [empty], [late]]) == [[early], [empty], [late]]
    assert in_chains([[empty], [early], [empty]]) == [[empty], [early], [empty]]
    assert in_chains([[late], [empty], [early]]) == [[], [], []]
