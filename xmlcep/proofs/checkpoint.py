"""A checkpoint: what a log's tree is at a size, as the text that is signed (C2SP tlog-checkpoint)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from typing import NamedTuple

from .errors import ProofError
from .hashing import HASH_LENGTH

LARGEST = 2**63 - 1
"""Of a tree whose proofs have at most 63 steps."""


class Checkpoint(NamedTuple):
    """The log (``origin``), how many entries it has, and the root of its tree."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """A checkpoint of its text; raises `ProofError`."""
        lines = text.split("\n")
        try:
            origin, size, root = lines[0], lines[1], b64decode(lines[2], validate=True)
        except (IndexError, NoBase64) as error:
            raise ProofError(
                f"not a checkpoint: {text!r:.80}: expected origin, size and root, a line each"
            ) from error
        canonical = size.isascii() and size.isdecimal() and len(size) < 20 and str(int(size)) == size
        if not origin or not canonical or int(size) > LARGEST or len(root) != HASH_LENGTH:
            raise ProofError(f"not a checkpoint: {text!r:.80}: expected origin, size and root, a line each")
        return cls(origin, int(size), root)
