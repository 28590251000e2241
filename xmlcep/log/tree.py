"""Whether a log is what checkpoints say: its own, and those that were kept elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ..files import bytes_of
from ..proofs.checkpoint import Checkpoint
from ..proofs.errors import ProofError
from ..proofs.hashing import EMPTY, Growing, leaf_hash, root_of
from ..proofs.log_tree import last_checkpoint, origin_of, tree_folder
from ..proofs.notes import Note, PublicKey
from ..proofs.tiles import Tiles
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
        checkpoints.append(_kept(_own_name(first), own))
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
        seen: list[tuple[int, int]] = []
        for name, note, checkpoint in checkpoints:
            try:
                at = key.check(note)
            except ProofError as error:
                wrong.append(ProofError(f"{name}: {error}"))
            else:
                seen.append((checkpoint.size, at or 0))
        if wrong and (not key.is_of_witness or len(wrong) == len(checkpoints)):
            raise wrong[0]
        for (size, at), (larger, later) in pairwise(sorted(seen)):
            if later < at:
                raise ProofError(
                    f"the clock of {key.name} was set back: it signed {larger} entries at {later}, {size} at {at}"
                )


def _check_entries(log: Source, first: Path, checkpoints: Sequence[_Kept]) -> Covered:
    sizes = {each.checkpoint.size for each in checkpoints}
    tree, roots = Growing(), {0: EMPTY}
    for entry in entries_of(log):
        if not tree.size:
            _check_origin(first, origin_of(first, entry), checkpoints)
        tree.add(leaf_hash(entry))
        if tree.size in sizes:
            roots[tree.size] = tree.root()
    wrong = [each for each in checkpoints if roots.get(each.checkpoint.size) != each.checkpoint.root]
    if wrong:
        raise ProofError(_what_was_done(log, first, wrong, checkpoints, tree.size))
    return Covered(max((each.checkpoint for each in checkpoints), key=lambda each: each.size), tree.size)


def _check_origin(first: Path, origin: str, checkpoints: Sequence[_Kept]) -> None:
    for name, _, checkpoint in checkpoints:
        if checkpoint.origin.rpartition("/")[2] != origin.rpartition("/")[2]:
            raise ProofError(
                f"{name}: is of another log, {checkpoint.origin}; {first} is {origin}, or its first entry was changed"
            )


# ---- what was done to a log --------------------------------------------------------------------------------


def _what_was_done(
    log: Source, first: Path, wrong: Sequence[_Kept], checkpoints: Sequence[_Kept], size: int
) -> str:
    """What was done to a log that these checkpoints do not fit; its tiles have the hashes of the entries there were."""
    own = next((each for each in checkpoints if each.name == _own_name(first)), None)
    if own is not None and own in wrong:
        known = _known(first, own.checkpoint)
        if known:
            return f"{first}: {_difference(list(map(leaf_hash, entries_of(log))), known)}"
    name, _, checkpoint = max(wrong, key=lambda each: each.checkpoint.size)
    if checkpoint.size > size:
        return f"{first}: has {size} entries, a checkpoint of it ({name}) {checkpoint.size}: it was cut off at its end"
    if own is not None and own not in wrong:
        return (
            f"{name}: forked: the log fits its own checkpoint, and not this one, of {checkpoint.size} entries"
        )
    return f"{name}: the log was rewritten, or forked: its first {checkpoint.size} entries are not what this says"


def _own_name(first: Path) -> str:
    return str(tree_folder(first) / "checkpoint")


def _known(first: Path, checkpoint: Checkpoint) -> list[bytes]:
    """The hashes of the entries that a tree is made of; none if its tiles are not those of the checkpoint."""
    tiles = Tiles(tree_folder(first), checkpoint.size)
    try:
        if root_of(checkpoint.size, tiles.full) != checkpoint.root:
            return []
        return [tiles.full(0, index) for index in range(checkpoint.size)]
    except ProofError:
        return []


def _difference(found: list[bytes], known: list[bytes]) -> str:
    """What was done to entries, by their hashes: those that are there, and those that were."""
    at = next(
        (index for index, pair in enumerate(zip(found, known, strict=False)) if len({*pair}) > 1), len(found)
    )
    if at == len(found):
        return f"has {at} entries, its checkpoint {len(known)}: it was cut off at its end"
    n, rest = at + 1, known[at + 1 :]
    if found[at] in rest:
        other = known.index(found[at], n)
        if found[other : other + 1] == [known[at]]:
            return f"the entries {n} and {other + 1} were swapped"
        if _begin_alike(found[at:], known[other:]):
            return f"{_entries(n, other)} taken out"
    if known[at] in found[n:]:
        other = found.index(known[at], n)
        if _begin_alike(found[other:], known[at:]):
            return f"{_entries(n, other)} put in"
    if _begin_alike(found[n:], rest):
        return f"{_entries(n, n)} changed"
    return f"it was rewritten from entry {n} on"


def _begin_alike(one: list[bytes], other: list[bytes]) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _entries(first: int, last: int) -> str:
    return f"entry {first} was" if first == last else f"the entries {first} to {last} were"
