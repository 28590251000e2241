"""Chains of a sequence against brute force: every choice of one entry per store, tried one by one."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from contexts import Entry, composite
from contexts.chains import all_chains, in_order, members, newest_chain, oldest_chain


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """An entry with a short interval, sometimes an empty one."""
    start = draw(st.one_of(st.none(), st.integers(1, 8)))
    end = None if start is None else start + draw(st.integers(0, 3))
    return composite(start, end, 0, object())


stores_of_entries = st.lists(st.lists(entries(), max_size=4), min_size=1, max_size=3)


def brute_force(stores: list[list[Entry]], terminator: Entry) -> list[tuple[Entry, ...]]:
    return [chain for chosen in product(*stores) if in_order(chain := (*chosen, terminator))]


@given(stores_of_entries, entries())
def test_all_chains(stores: list[list[Entry]], terminator: Entry) -> None:
    assert list(all_chains(stores, terminator)) == brute_force(stores, terminator)


@given(stores_of_entries, entries())
def test_the_oldest_chain_is_the_first_in_lexicographic_order(
    stores: list[list[Entry]], terminator: Entry
) -> None:
    assert oldest_chain(stores, terminator) == next(iter(brute_force(stores, terminator)), None)


@given(stores_of_entries, entries())
def test_the_newest_chain_is_the_first_from_right_to_left(
    stores: list[list[Entry]], terminator: Entry
) -> None:
    newest_first = [list(reversed(store)) for store in reversed(stores)]
    chains = [(*reversed(chosen), terminator) for chosen in product(*newest_first)]
    assert newest_chain(stores, terminator) == next((chain for chain in chains if in_order(chain)), None)


@given(stores_of_entries)
def test_members_are_all_that_stand_in_some_chain(stores: list[list[Entry]]) -> None:
    chains = [chosen for chosen in product(*stores) if in_order(chosen)]
    expected = [
        [entry for entry in store if any(chain[k] is entry for chain in chains)]
        for k, store in enumerate(stores)
    ]
    assert members(stores) == (expected if chains else None)


def test_an_empty_interval_is_skipped() -> None:
    early, late, empty = (
        composite(1, 1, 1, "early"),
        composite(3, 3, 3, "late"),
        composite(None, None, 2, "empty"),
    )
    assert in_order([early, empty, late])
    assert in_order([empty, early, empty])
    assert not in_order([late, empty, early])
