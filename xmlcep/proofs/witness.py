"""Who has seen which checkpoint of a log, and signs only what goes on from there: so that a log has one history.

A witness keeps the last checkpoint it has signed of each log. It signs the next one if that is later, signed by the
log's own key, and proved to be its continuation by the tiles beside the log: they are not believed, the proof made of
them is checked.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from pathlib import Path

from ..files import bytes_of
from .checkpoint import Checkpoint
from .errors import ProofError
from .hashing import EMPTY, check_consistency, consistency
from .log_tree import Put, last_checkpoint
from .notes import Note, PrivateKey, PublicKey
from .tiles import Tiles


def witness(folder: Path, log_key: PublicKey, key: PrivateKey, state: Path, at: int, put: Put) -> Note:
    """The checkpoint in the tree ``folder`` of a log, cosigned at the time ``at``; ``state`` is what has been seen.

    Raises `ProofError`, which says what is wrong: not signed by the log, cut, rewritten or forked, the clock set back.
    """
    if not key.is_of_witness:
        raise ProofError(
            f"the key {key.name} signs logs: a witness has one of its own (xmlcep keygen --witness)"
        )
    note = last_checkpoint(folder)
    if note is None:
        raise ProofError(f"{folder}: there is no checkpoint in it: give the folder LOG.tree beside a log")
    log_key.check(note)
    new = Checkpoint.parse(note.text)
    seen = _read(state)
    old, before = seen.get(new.origin, (Checkpoint(new.origin, 0, EMPTY), 0))
    if at < before:
        raise ProofError(
            f"the clock was set back: it is {at}, and was {before} when the last checkpoint was signed"
        )
    if new.size < old.size:
        raise ProofError(
            f"{new.origin}: has {new.size} entries, and had {old.size}: the log was cut off, or forked"
        )
    if new.size == old.size and new.root != old.root:
        raise ProofError(f"{new.origin}: forked: another tree of {new.size} entries was signed before")
    if new.size > old.size:
        proof = consistency(old.size, new.size, Tiles(folder, new.size).full)
        try:
            check_consistency(old.size, old.root, new.size, new.root, proof)
        except ProofError as error:
            raise ProofError(f"{new.origin}: rewritten or forked: {error}") from error
    seen[new.origin] = new, at
    cosigned = key.sign(note, at)
    put(state, _written(seen))  # before anybody has the signature: what was signed is never forgotten
    return cosigned


def _read(state: Path) -> dict[str, tuple[Checkpoint, int]]:
    if not state.exists():
        return {}
    try:
        found = json.loads(bytes_of(state))
        return {
            origin: (Checkpoint(origin, int(each["size"]), b64decode(each["root"])), int(each["at"]))
            for origin, each in found["witnessed"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ProofError(f"{state}: no state of a witness: {error}") from error


def _written(seen: dict[str, tuple[Checkpoint, int]]) -> bytes:
    logs = {
        origin: {"size": each.size, "root": b64encode(each.root).decode(), "at": at}
        for origin, (each, at) in seen.items()
    }
    return json.dumps({"witnessed": logs}, indent=1).encode() + b"\n"
