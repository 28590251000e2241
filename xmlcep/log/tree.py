"""Whether a log is what checkpoints say: its own, and those that were kept elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..files import bytes_of
from ..proofs.checkpoint import Checkpoint
from ..proofs.errors import ProofError
from ..proofs.hashing import EMPTY, Growing, leaf_hash
from ..proofs.log_tree import last_checkpoint, origin_of, tree_folder
from ..proofs.notes import Note, PublicKey
from .erasable import entry_of
from .reading import read_lines
from .segments import Source, files_of


class _Kept(NamedTuple):
    """A checkpoint, and what it is called."""

    name: str
    note: Note
    checkpoint: Checkpoint


class Covered(NamedTuple):
    """The largest checkpoint that a log was found to agree with, and how many entries the log has in all."""

    checkpoint: Checkpoint
    entries: int


def has_tree(log: Source) -> bool:
    """Whether there is a tree beside a log."""
    return tree_folder(files_of(log)[0]).is_dir()


def entries_of(log: Source) -> Iterator[bytes]:
    """The entries of a log, as its tree has them; raises `ProofError` for one that cannot be what it was."""
    for origin, line in read_lines(log):
        try:
            yield entry_of(line.removesuffix(b"\n"))
        except ValueError as error:
            raise ProofError(f"{origin}: the entry was changed: {error}") from error


def verify_tree(
    log: Source, *, kept: Sequence[str | os.PathLike[str]] = (), keys: Sequence[PublicKey] = ()
) -> Covered:
    """Checks a log against the checkpoint of its tree and those ``kept`` elsewhere; returns the largest.

    Each of the ``keys`` must have signed: a log's all checkpoints, a witness's one of them at least. Raises
    `ProofError`, which says what was done to the log: cut off, changed below a checkpoint, forked; a checkpoint that is
    of another log, was altered, or is signed by another key.
    """
    first = files_of(log)[0]
    checkpoints = [_kept(str(file), Note.parse(bytes_of(Path(file)))) for file in kept]
    own = last_checkpoint(tree_folder(first))
    if own is not None:
        checkpoints.append(_kept(str(tree_folder(first) / "checkpoint"), own))
    elif tree_folder(first).exists():
        raise ProofError(
            f"{tree_folder(first)}: its checkpoint is missing: it was taken away, or never written"
        )
    if not checkpoints:
        raise ProofError(
            f"{first}: has no tree, and no checkpoint was given: it was not recorded with tree=…"
        )
    _check_signatures(checkpoints, keys)
    return _check_entries(log, first, checkpoints)


def _kept(name: str, note: Note) -> _Kept:
    try:
        return _Kept(name, note, Checkpoint.parse(note.text))
    except ProofError as error:
        raise ProofError(f"{name}: {error}") from error


def _check_signatures(checkpoints: Sequence[_Kept], keys: Sequence[PublicKey]) -> None:
    for key in keys:
        wrong: list[ProofError] = []
        for name, note, _ in checkpoints:
            try:
                key.check(note)
            except ProofError as error:
                wrong.append(ProofError(f"{name}: {error}"))
        if wrong and (not key.is_of_witness or len(wrong) == len(checkpoints)):
            raise wrong[0]


def _check_entries(log: Source, first: Path, checkpoints: Sequence[_Kept]) -> Covered:
    by_size: dict[int, list[_Kept]] = {}
    for each in checkpoints:
        by_size.setdefault(each.checkpoint.size, []).append(each)
    tree, origin, agreed = Growing(), "", ""
    _compare(by_size.get(0, ()), EMPTY, agreed)
    for entry in entries_of(log):
        if not tree.size:
            origin = origin_of(first, entry)
            _check_origin(first, origin, checkpoints)
        tree.add(leaf_hash(entry))
        for each in by_size.get(tree.size, ()):
            _compare([each], tree.root(), agreed)
            agreed = each.name
    largest = max((each.checkpoint for each in checkpoints), key=lambda each: each.size)
    if largest.size > tree.size:
        raise ProofError(
            f"{first}: has {tree.size} entries, a checkpoint of it {largest.size}: it was cut off at its end"
        )
    return Covered(largest, tree.size)


def _check_origin(first: Path, origin: str, checkpoints: Sequence[_Kept]) -> None:
    for name, _, checkpoint in checkpoints:
        if checkpoint.origin.rpartition("/")[2] != origin.rpartition("/")[2]:
            raise ProofError(
                f"{name}: is of another log, {checkpoint.origin}; {first} is {origin}: or its first entry was changed"
            )


def _compare(checkpoints: Sequence[_Kept], root: bytes, agreed: str) -> None:
    for name, _, checkpoint in checkpoints:
        if checkpoint.root != root:
            behind = f", behind {agreed}, with which it agrees" if agreed else ""
            raise ProofError(
                f"{name}: the log is not what it says: an entry among the first {checkpoint.size} was changed,"
                f" swapped or put in{behind}, or the checkpoint is of a fork of the log"
            )
