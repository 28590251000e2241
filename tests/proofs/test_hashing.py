"""The tree of RFC 9162 and its proofs: vectors, all small trees, proofs that were tampered with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xmlcep.proofs.errors import ProofError
from xmlcep.proofs.hashing import (
    EMPTY,
    Full,
    Growing,
    check_consistency,
    check_inclusion,
    consistency,
    inclusion,
    leaf_hash,
    root_of,
)
from xmlcep.proofs.tiles import joined, tile_path

# The entries and roots that implementations of Certificate Transparency are tested with (sizes 0 to 8).
ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [leaf_hash(b"%d" % number) for number in range(70)]


def full(leaves: list[bytes]) -> Full:
    return lambda level, number: joined(b"".join(leaves[number << level : (number + 1) << level]))


def roots(leaves: list[bytes]) -> list[bytes]:
    tree = Growing()
    found = [tree.root()]
    for leaf in leaves:
        tree.add(leaf)
        found.append(tree.root())
    return found


def test_the_vectors() -> None:
    leaves = [leaf_hash(bytes.fromhex(entry)) for entry in ENTRIES]
    assert [root.hex() for root in roots(leaves)] == ROOTS
    assert [root_of(size, full(leaves)).hex() for size in range(9)] == ROOTS
    # Paths of RFC 6962's own tests: leaf 5 of 8, and the tree of 6 in that of 8.
    path = [step.hex()[:8] for step in inclusion(5, 6, 8, full(leaves))]
    assert path == ["bc1a0643", "ca854ea1", "d37ee418"]
    assert [step.hex()[:8] for step in consistency(6, 8, full(leaves))] == [
        "0ebc5d34",
        "ca854ea1",
        "d37ee418",
    ]


def test_all_proofs_of_all_small_trees() -> None:
    known = roots(LEAVES)
    for size in range(len(LEAVES) + 1):
        for index in range(size):
            path = inclusion(index, index + 1, size, full(LEAVES))
            check_inclusion([LEAVES[index]], index, size, path, known[size])
        for old in range(size + 1):
            check_consistency(old, known[old], size, known[size], consistency(old, size, full(LEAVES)))


@given(st.data())
def test_a_range_is_proved_to_be_whole(data: st.DataObject) -> None:
    """Of any range; not with an entry changed, left out, or put in, nor at another place."""
    size = data.draw(st.integers(1, 70))
    start = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(start + 1, size))
    root, path, leaves = roots(LEAVES)[size], inclusion(start, end, size, full(LEAVES)), LEAVES[start:end]
    check_inclusion(leaves, start, size, path, root)
    at = data.draw(st.integers(0, len(leaves) - 1))
    wrong = [
        ([*leaves[:at], EMPTY, *leaves[at + 1 :]], start),
        ([*leaves[:at], *leaves[at + 1 :]], start),
        ([*leaves[:at], leaves[at], *leaves[at:]], start),
        (leaves, start + 1),
        (leaves, start - 1),
    ]
    for others, place in wrong:
        with pytest.raises(ProofError):
            check_inclusion(others, place, size, path, root)


@given(st.integers(1, 70), st.integers(0, 69), st.integers(0, 69), st.data())
def test_a_proof_that_was_tampered_with(size: int, index: int, other: int, data: st.DataObject) -> None:
    """Another leaf, another place, a step changed, left out, put in: none of it proves anything."""
    index, other = index % size, other % size
    root, path = roots(LEAVES)[size], inclusion(index, index + 1, size, full(LEAVES))
    wrong = [(LEAVES[other], index, path), (LEAVES[index], other, path)] if other != index else []
    wrong.append((LEAVES[index], index, [*path, EMPTY]))
    if path:
        at = data.draw(st.integers(0, len(path) - 1))
        wrong.append((LEAVES[index], index, [*path[:at], EMPTY, *path[at + 1 :]]))
        wrong.append((LEAVES[index], index, [*path[:at], *path[at + 1 :]]))
    for leaf, place, steps in wrong:
        with pytest.raises(ProofError):
            check_inclusion([leaf], place, size, steps, root)


@given(st.integers(1, 70), st.integers(1, 70), st.data())
def test_another_history_is_not_consistent(old: int, new: int, data: st.DataObject) -> None:
    old, new = min(old, new), max(old, new)
    changed = data.draw(st.integers(0, old - 1))
    others = [*LEAVES[:changed], EMPTY, *LEAVES[changed + 1 :]]
    for leaves in (LEAVES, others):
        path = consistency(old, new, full(leaves))
        with pytest.raises(ProofError):
            check_consistency(old, roots(LEAVES)[old], new, roots(others)[new], path)
        if path:
            with pytest.raises(ProofError):
                check_consistency(old, roots(leaves)[old], new, roots(leaves)[new], path[:-1])


def test_where_tiles_are() -> None:
    """The examples of C2SP tlog-tiles."""
    assert tile_path(0, 1234067) == "tile/0/x001/x234/067"
    assert tile_path(0, 273, 112) == "tile/0/273.p/112"
    assert tile_path(1, 1, 17) == "tile/1/001.p/17"
