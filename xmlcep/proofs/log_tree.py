"""The tree of a log that is being written: it grows with every line, its tiles are written as they fill, and a
checkpoint says now and then, when all before it is on the disk, how far it has got.

The tree is beside the log, in the folder ``orders.jsonl.tree``: ``tile/…`` and ``checkpoint``. It is made of the lines
of the log and of nothing else, so a crash can damage no more than what is made anew when the log is continued.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from ..arguments import PATH, Kind, check
from ..files import bytes_of
from .checkpoint import Checkpoint
from .errors import ProofError
from .hashing import HASH_LENGTH, leaf_hash, root_of
from .keys import private_key
from .notes import Note, PrivateKey
from .tiles import HEIGHT, WIDTH, joined, tile_path

Put = Callable[[Path, bytes], None]
"""Makes a file that is there, on the disk, with all its content or not at all."""


@dataclass(frozen=True)
class Signing:
    """By whom checkpoints are signed (None: by nobody), and after how many entries or seconds there is another."""

    key: PrivateKey | None = None
    entries: int = 1000
    seconds: float = 60.0


Tree: TypeAlias = bool | str | os.PathLike[str] | Signing
"""Whether a log has a tree, and who signs its checkpoints: nobody (True), the key in a file, or as a `Signing` says."""


def as_signing(tree: Tree) -> Signing | None:
    """How checkpoints are signed; None: there is no tree. Raises `SigningKeyError` or OSError for a key's file."""
    check("record()", tree=(tree, _TREE))
    if isinstance(tree, bool):
        return Signing() if tree else None
    return tree if isinstance(tree, Signing) else Signing(private_key(tree))


_TREE = Kind(
    lambda given: isinstance(given, (bool, Signing)) or PATH.accepts(given),
    "True, the file of a key, or a Signing",
)


def tree_folder(log: Path) -> Path:
    """Where the tree of a log is."""
    return log.with_name(f"{log.name}.tree")


def origin_of(log: Path, first_line: bytes) -> str:
    """What a log is called in its checkpoints: its file, and the hash of its first line.

    >>> origin_of(Path("a b.jsonl"), b"{}")
    'a-b.jsonl/28a3a18f6cd6406b'
    """
    name = re.sub(r"[^\w.-]", "-", log.name)
    return f"{name}/{leaf_hash(first_line).hex()[:16]}"


def last_checkpoint(folder: Path) -> Note | None:
    """The checkpoint that a log's tree has come to; None if there is none. Raises `ProofError` for what is none."""
    file = folder / "checkpoint"
    return Note.parse(bytes_of(file)) if file.exists() else None


class LogTree:
    """The tree of a log; lines are added when they are written, and `checkpoint` is called when all of them stay."""

    def __init__(self, log: Path, signing: Signing, put: Put) -> None:
        self._log = log
        self.folder = tree_folder(log)
        self._signing = signing
        self._entries, self._seconds = signing.entries, signing.seconds
        self._put = put
        self._levels: list[bytearray] = [bytearray()]  # the hashes of the tile of each level that is not full
        self._origin = ""
        self.size = 0
        self._signed = 0  # the size of the last checkpoint, and when it was made
        self._at = time.monotonic()
        self._partial: list[Path] = []

    @classmethod
    def continued(cls, log: Path, signing: Signing, put: Put, entries: Iterable[bytes]) -> LogTree:
        """The tree of a log that is continued, made anew from its entries.

        Raises `ProofError` if they are not what its last checkpoint says, or if that is signed and this is not to be.
        """
        tree = cls(log, signing, put)
        note = last_checkpoint(tree.folder)
        known = None if note is None else Checkpoint.parse(note.text)
        if note is not None and signing.key is not None:
            if note.signatures:
                signing.key.public.check(note)
        elif note is not None and note.signatures:
            raise ProofError(
                f"{log}: its checkpoints are signed by {note.signatures[0].name}: give the key (tree=KEYFILE), or the"
                " next one would prove less"
            )
        for entry in entries:
            tree.add(entry + b"\n")
            if known is not None and tree.size == known.size and tree.here() != known:
                raise ProofError(
                    f"{log}: was changed below its last checkpoint, of {known.size} entries: verify it"
                )
        tree._partial = list(tree.folder.glob("tile/**/*.p/*"))
        if known is not None:
            if tree.size < known.size:
                raise ProofError(
                    f"{log}: has {tree.size} entries, its last checkpoint {known.size}: it was cut off"
                )
            tree._signed = known.size
        return tree

    def add(self, lines: bytes) -> None:
        """Adds entries of what has been written, each a line."""
        if not self._origin:
            self._origin = origin_of(self._log, lines[: lines.index(b"\n")])
        hashes = self._levels[0]
        for line in lines[:-1].split(b"\n"):
            hashes += sha256(b"\x00" + line).digest()  # leaf_hash, without its call
            self.size += 1
            if len(hashes) == WIDTH * HASH_LENGTH:
                self._full(0)
                hashes = self._levels[0]

    def _full(self, level: int) -> None:
        """Writes a tile that is full, and adds its root to the one above."""
        hashes = bytes(self._levels[level])
        number = (self.size >> (HEIGHT * (level + 1))) - 1
        file = self.folder / tile_path(level, number)
        if not file.exists() or bytes_of(file) != hashes:
            _write(file, hashes)
        self._levels[level] = bytearray()
        if len(self._levels) == level + 1:
            self._levels.append(bytearray())
        above = self._levels[level + 1]
        above += joined(hashes)
        if len(above) == WIDTH * HASH_LENGTH:
            self._full(level + 1)

    def here(self) -> Checkpoint:
        """The checkpoint of the entries so far."""
        return Checkpoint(self._origin, self.size, root_of(self.size, self._subtree))

    def _subtree(self, level: int, number: int) -> bytes:
        """The root of a full subtree at the right edge, whose hashes are in the tiles that are not full."""
        tall, rest = divmod(level, HEIGHT)
        hashes = self._levels[tall]
        first = (number << rest) % WIDTH
        return joined(bytes(hashes[first * HASH_LENGTH : (first + (1 << rest)) * HASH_LENGTH]))

    @property
    def is_due(self) -> bool:
        """Whether there are new entries, and enough of them or for long enough."""
        new = self.size - self._signed
        return new >= self._entries or (new > 0 and time.monotonic() - self._at >= self._seconds)

    def checkpoint(self) -> None:
        """Writes how far the tree has got, which the log has on the disk; raises OSError."""
        if self.size == self._signed:
            return
        partial = []
        for level, hashes in enumerate(self._levels):
            width = len(hashes) // HASH_LENGTH
            if width:
                file = self.folder / tile_path(level, (self.size >> (HEIGHT * level)) // WIDTH, width)
                _write(file, bytes(hashes))
                partial.append(file)
        note = Note(self.here().text())
        if self._signing.key is not None:
            note = self._signing.key.sign(note)
        self._put(self.folder / "checkpoint", str(note).encode())
        self._signed, self._at = self.size, time.monotonic()
        for file in self._partial:
            if file not in partial:
                file.unlink(missing_ok=True)
        self._partial = partial


def _write(tile: Path, hashes: bytes) -> None:
    """Writes a tile, without waiting for the disk: it is made of the log, and made anew if the log is continued."""
    tile.parent.mkdir(parents=True, exist_ok=True)
    unfinished = tile.with_name(f"{tile.name}.unfinished")
    unfinished.write_bytes(hashes)
    unfinished.replace(tile)
