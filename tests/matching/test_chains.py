"""The heaviest chain is the heaviest there is: compared with a look at all of them."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from xmlcep.matching.chains import Pair, heaviest_chain

PAIRS = st.lists(
    st.builds(Pair, st.integers(0, 5), st.integers(0, 5), st.integers(1, 4)), max_size=9
)  # few places, so that pairs share them


def ascends(chain: tuple[Pair, ...] | list[Pair]) -> bool:
    return all(one.old < two.old and one.new < two.new for one, two in pairwise(chain))


@given(PAIRS)
def test_no_chain_is_heavier(pairs: list[Pair]) -> None:
    found = heaviest_chain(pairs)
    assert ascends(found)
    assert all(pair in pairs for pair in found)
    ordered = sorted(pairs)
    chains = (
        chain for size in range(len(pairs) + 1) for chain in combinations(ordered, size) if ascends(chain)
    )
    assert sum(pair.weight for pair in found) == max(sum(pair.weight for pair in chain) for chain in chains)
