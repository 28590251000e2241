"""The hashes of a tree in files of up to 256, laid out as in C2SP tlog-tiles: ``tile/0/x001/234``, ``tile/1/000.p/7``.

Tile N of level L has the roots of the full subtrees of 256**L entries from 256 N on. What is in between, and in half of
one, is worked out from them. The entries themselves are the lines of the log and not kept again as bundles.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from ..files import bytes_of
from .errors import ProofError
from .hashing import HASH_LENGTH as HASH
from .hashing import node_hash

WIDTH = 256
HEIGHT = 8


def tile_path(level: int, number: int, width: int = WIDTH) -> str:
    """Where a tile is.

    >>> tile_path(0, 1234067), tile_path(1, 5, 7)
    ('tile/0/x001/x234/067', 'tile/1/005.p/7')
    """
    groups = [f"{number % 1000:03}"]
    while number >= 1000:
        number //= 1000
        groups.append(f"x{number % 1000:03}")
    partial = "" if width == WIDTH else f".p/{width}"
    return f"tile/{level}/{'/'.join(reversed(groups))}{partial}"


def joined(hashes: bytes) -> bytes:
    """The root of as many hashes, one behind the other, as are a power of two."""
    while len(hashes) > HASH:
        hashes = b"".join(
            [sha256(b"\x01" + hashes[at : at + 2 * HASH]).digest() for at in range(0, len(hashes), 2 * HASH)]
        )
    return hashes


class Tiles:
    """The tiles of a tree of ``size`` entries in a folder, read as they are asked for."""

    def __init__(self, folder: Path, size: int) -> None:
        self._folder = folder
        self._size = size
        self._known: dict[tuple[int, int], bytes] = {}
        self._roots: dict[tuple[int, int], bytes] = {}

    def full(self, level: int, number: int) -> bytes:
        """The root of a full subtree of 2**level entries; raises `ProofError` if a tile is missing or cut off."""
        root = self._roots.get((level, number))
        if root is None:
            tall, rest = divmod(level, HEIGHT)
            if rest:
                root = node_hash(self.full(level - 1, 2 * number), self.full(level - 1, 2 * number + 1))
            else:
                tile, at = divmod(number, WIDTH)
                root = self.tile(tall, tile)[at * HASH : (at + 1) * HASH]
            self._roots[level, number] = root
        return root

    def tile(self, level: int, number: int) -> bytes:
        """The hashes of a tile as far as it is filled."""
        data = self._known.get((level, number))
        if data is None:
            width = min(WIDTH, (self._size >> (HEIGHT * level)) - number * WIDTH)
            for path in {tile_path(level, number, width): None, tile_path(level, number): None}:
                if (self._folder / path).is_file():
                    data = bytes_of(self._folder / path)[: width * HASH]
                    break
            if data is None or width <= 0 or len(data) != width * HASH:
                raise ProofError(
                    f"{self._folder / tile_path(level, number, max(width, 1))}: a tile of the tree is missing or cut"
                    " off: `xmlcep verify` of the log tells whether the log is whole"
                )
            self._known[level, number] = data
        return data
