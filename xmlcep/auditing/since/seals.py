"""The last line of a state, the digest of all before it: one that was changed, or cut off, is not gone on from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import BinaryIO

from ..document_lines import line_of

_BLOCK = 1 << 20


def _seal(digest: str) -> bytes:
    return line_of({"sha256": digest})


_LENGTH = len(_seal(hashlib.sha256().hexdigest()))


class Sealing:
    """Writes to a file, and in the end the seal of what was written."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()

    def write(self, block: bytes) -> None:
        """Writes whole lines."""
        self._digest.update(block)
        self._stream.write(block)

    def writelines(self, lines: Iterable[bytes]) -> None:
        """Writes lines."""
        for line in lines:
            self.write(line)

    def seal(self) -> None:
        """Writes the last line."""
        self._stream.write(_seal(self._digest.hexdigest()))


def sealed_end(stream: BinaryIO) -> int:
    """Where the seal of a file begins; raises `ValueError` if it is not that of all before it."""
    end = stream.seek(0, 2) - _LENGTH
    digest, left = hashlib.sha256(), end
    stream.seek(0)
    while left > 0:
        block = stream.read(min(_BLOCK, left))
        digest.update(block)
        left -= len(block)
    if stream.read() != _seal(digest.hexdigest()):
        raise ValueError("not what was written")
    return end
