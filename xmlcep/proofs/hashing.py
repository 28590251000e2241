"""A Merkle tree as RFC 9162 hashes it (section 2.1), and the two proofs: of inclusion and of consistency.

The tree of n entries has the tree of the first k as its left part, k the largest power of two below n. What has to be
kept to make it grow are the roots of the full trees it is made of, one for each 1 in the binary form of n (`Growing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from .errors import ProofError

HASH_LENGTH = 32
"""Bytes of a hash."""
EMPTY = sha256().digest()
"""The root of a tree without entries."""

Full = Callable[[int, int], bytes]
"""The root of a full subtree: ``(level, n)`` is the n-th of 2**level entries."""


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two parts of a tree."""
    return sha256(b"\x01" + left + right).digest()


def root_of(size: int, full: Full) -> bytes:
    """The root of the tree of the first ``size`` entries."""
    return _range(0, size, full) if size else EMPTY


def _range(start: int, end: int, full: Full) -> bytes:
    """The root of the tree of the entries from ``start`` to ``end``, as it is in the tree they are part of."""
    size = end - start
    if size & (size - 1) == 0:
        return full(size.bit_length() - 1, start // size)
    left = _left(size)
    return node_hash(_range(start, start + left, full), _range(start + left, end, full))


def _left(size: int) -> int:
    """How many entries are in the left part of a tree: the largest power of two below ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


def inclusion(start: int, end: int, size: int, full: Full) -> list[bytes]:
    """The proof that the entries from ``start`` (from 0) to before ``end`` are in the tree of ``size`` entries, and
    that there are no others between them: the roots of what is beside them, the innermost first.

    Of one entry it is the inclusion proof of RFC 9162, 2.1.3.1.
    """
    path: list[bytes] = []

    def beside(low: int, high: int) -> None:
        if start <= low and high <= end:
            return
        middle = low + _left(high - low)
        if start < middle:
            beside(low, middle)
        if middle < end:
            beside(middle, high)
        if end <= middle:
            path.append(_range(middle, high, full))
        elif middle <= start:
            path.append(_range(low, middle, full))

    beside(0, size)
    return path


def consistency(old: int, new: int, full: Full) -> list[bytes]:
    """The proof that the tree of ``old`` entries is the beginning of that of ``new`` entries."""
    if not 0 < old < new:
        return []
    path: list[bytes] = []
    start, end = 0, new
    while old != end:
        middle = start + _left(end - start)
        if old <= middle:
            path.append(_range(middle, end, full))
            end = middle
        else:
            path.append(_range(start, middle, full))
            start = middle
    if start:
        path.append(_range(start, end, full))
    return path[::-1]


def check_inclusion(
    leaves: Sequence[bytes], start: int, size: int, path: Iterable[bytes], root: bytes
) -> None:
    """Raises `ProofError` unless ``path`` proves that the leaves are the entries from ``start`` on (RFC 9162, 2.1.3.2,
    which has one of them)."""
    end, steps = start + len(leaves), iter(path)
    named = f"entry {start}" if len(leaves) == 1 else f"the entries {start} to {end - 1}"
    if not 0 <= start < end <= size or len(root) != HASH_LENGTH:
        raise ProofError(f"{named}: not in a tree of {size} entries")

    def rebuilt(low: int, high: int) -> bytes:
        if high - low == 1:
            return leaves[low - start]
        middle = low + _left(high - low)
        left = rebuilt(low, middle) if start < middle else b""
        right = rebuilt(middle, high) if middle < end else next(steps)
        return node_hash(left or next(steps), right)

    try:
        found = rebuilt(0, size)
    except StopIteration:
        raise ProofError(f"{named}: the proof is too short for a tree of {size} entries") from None
    if next(steps, None) is not None:
        raise ProofError(f"{named}: the proof is too long for a tree of {size} entries")
    if found != root:
        raise ProofError(f"{named}: not in the tree: with it the root would be {found.hex()}")


def check_consistency(old: int, old_root: bytes, new: int, new_root: bytes, path: Sequence[bytes]) -> None:
    """Raises `ProofError` unless ``path`` proves that the one tree is the beginning of the other (2.1.4.2)."""
    if old > new:
        raise ProofError(f"a tree of {old} entries is not a beginning of one of {new}")
    if old in (0, new):
        if path or (old == 0 and old_root != EMPTY) or (old == new and old_root != new_root):
            raise ProofError(
                f"two trees of {old} entries have other roots" if old else "a wrong proof for no entry"
            )
        return
    steps = list(path) if old & (old - 1) else [old_root, *path]
    if not steps:
        raise ProofError("the proof is empty")
    number, last = old - 1, new - 1
    while number & 1:
        number, last = number >> 1, last >> 1
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            raise ProofError("the proof is too long")
        if number & 1 or number == last:
            before, after = node_hash(step, before), node_hash(step, after)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            after = node_hash(after, step)
        number, last = number >> 1, last >> 1
    if last or before != old_root or after != new_root:
        raise ProofError(
            f"the tree of {old} entries is not the beginning of that of {new}: what was written before was changed"
        )


class Growing:
    """A tree to which entries are added: the roots of the full trees that it is made of, the largest first."""

    def __init__(self, size: int = 0, parts: Sequence[bytes] = ()) -> None:
        self.size = size
        self._parts = list(parts)

    def add(self, leaf: bytes) -> None:
        """Adds a leaf."""
        parts, size = self._parts, self.size
        while size & 1:
            leaf = node_hash(parts.pop(), leaf)
            size >>= 1
        parts.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        """The root of what has been added."""
        if not self._parts:
            return EMPTY
        *parts, found = self._parts
        for part in reversed(parts):
            found = node_hash(part, found)
        return found
