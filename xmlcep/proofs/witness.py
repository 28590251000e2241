"""Who has seen which checkpoint of a log, and signs only what goes on from there: so that a log has one history.

A witness keeps the last checkpoint it has signed of each log. It signs the next one if that is later, signed by the
log's own key, and proved to be its continuation: by the tiles beside the log (`witness`), or by a proof that comes with
a request (`Answers`, C2SP tlog-witness). Neither is believed, the proof made of them is checked.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..files import bytes_of
from .checkpoint import Checkpoint
from .errors import ProofError
from .hashing import EMPTY, check_consistency, consistency
from .log_tree import Put, last_checkpoint
from .notes import Note, PrivateKey, PublicKey
from .tiles import Tiles

_MOST_STEPS = 63
SIZE = "text/x.tlog.size"
"""The type of an answer that says which checkpoint the witness has."""


def witness(folder: Path, log_key: PublicKey, key: PrivateKey, state: Path, at: int, put: Put) -> Note:
    """The checkpoint in the tree ``folder`` of a log, cosigned at the time ``at``; ``state`` is what has been seen.

    Raises `ProofError`, which says what is wrong: not signed by the log, cut, rewritten or forked, the clock set back.
    """
    note = _checkpoint(folder)
    tiles = Tiles(folder, Checkpoint.parse(note.text).size)
    return _State(state, key, put).cosign(
        note, [log_key], at, lambda old, new: consistency(old, new, tiles.full)
    )


def _checkpoint(folder: Path) -> Note:
    note = last_checkpoint(folder)
    if note is None:
        raise ProofError(f"{folder}: there is no checkpoint in it: give the folder LOG.tree beside a log")
    return note


class _State:
    """What a witness has signed."""

    def __init__(self, file: Path, key: PrivateKey, put: Put) -> None:
        if not key.is_of_witness:
            raise ProofError(
                f"the key {key.name} signs logs: a witness has one of its own (xmlcep keygen --witness)"
            )
        self._file = file
        self._key = key
        self._put = put

    def last(self, origin: str) -> tuple[Checkpoint, int]:
        """The last checkpoint of a log that was signed, and when."""
        return _read(self._file).get(origin, (Checkpoint(origin, 0, EMPTY), 0))

    def cosign(
        self, note: Note, log_keys: Sequence[PublicKey], at: int, proof: Callable[[int, int], list[bytes]]
    ) -> Note:
        """Signs a checkpoint if it continues the last one, as ``proof`` of their sizes says; see `witness`."""
        _signer(note, log_keys)
        new = Checkpoint.parse(note.text)
        old, before = self.last(new.origin)
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
            steps = proof(old.size, new.size)
            try:
                check_consistency(old.size, old.root, new.size, new.root, steps)
            except ProofError as error:
                raise ProofError(f"{new.origin}: rewritten or forked: {error}") from error
        seen = _read(self._file)
        seen[new.origin] = new, at
        cosigned = self._key.sign(note, at)
        # Before anybody has the signature: what was signed is never forgotten.
        self._put(self._file, _written(seen))
        return cosigned


def _signer(note: Note, log_keys: Sequence[PublicKey]) -> None:
    """Raises `ProofError` unless one of the keys has signed."""
    for number, key in enumerate(log_keys, 1):
        try:
            key.check(note)
        except ProofError:
            if number == len(log_keys):
                raise
        else:
            return


# ---- by URL: C2SP tlog-witness ----------------------------------------------------------------------------


class Answer(NamedTuple):
    """What a witness answers: the HTTP status, the text, and of which type it is."""

    status: int
    text: str
    kind: str = "text/plain; charset=utf-8"


class Answers:
    """A witness that is asked by HTTP: ``POST …/add-checkpoint`` of logs with these keys."""

    def __init__(self, log_keys: Sequence[PublicKey], key: PrivateKey, state: Path, put: Put) -> None:
        self._log_keys = log_keys
        self._state = _State(state, key, put)

    def add_checkpoint(self, body: bytes, at: int) -> Answer:
        """The cosignature that is asked for, or why not. One request at a time."""
        try:
            old, steps, note = _request(body)
            new = Checkpoint.parse(note.text)
        except ProofError as error:
            return Answer(400, f"{error}\n")
        try:
            _signer(note, self._log_keys)
        except ProofError as error:
            return Answer(403, f"{error}\n")
        if old > new.size:
            return Answer(400, f"old is {old}, and the checkpoint of {new.size} entries\n")
        last, _ = self._state.last(new.origin)
        if old != last.size:
            return Answer(409, f"{last.size}\n", SIZE)
        if steps and old in (0, new.size):
            return Answer(422, "there is nothing to prove, and a proof\n")
        try:
            cosigned = self._state.cosign(note, self._log_keys, at, lambda *_: steps)
        except ProofError as error:
            return Answer(422, f"{error}\n")
        return Answer(200, cosigned.signatures[-1].line())


def request_of(folder: Path, old: int) -> bytes:
    """The body that asks a witness, which has signed a checkpoint of ``old`` entries, for the next signature."""
    note = _checkpoint(folder)
    size = Checkpoint.parse(note.text).size
    if old > size:
        raise ProofError(
            f"{folder}: has {size} entries, and the witness has signed {old}: the log was cut off, or forked"
        )
    steps = consistency(old, size, Tiles(folder, size).full)
    lines = "".join(b64encode(step).decode() + "\n" for step in steps)
    return f"old {old}\n{lines}\n{note}".encode()


def with_cosignature(folder: Path, answer: bytes) -> Note:
    """The checkpoint in the folder with the signatures that a witness has answered; who trusts it checks them."""
    note = _checkpoint(folder)
    for signature in Note.parse(note.text.encode() + b"\n" + answer).signatures:
        note = note.signed(signature)
    return note


def _request(body: bytes) -> tuple[int, list[bytes], Note]:
    head, blank, rest = body.partition(b"\n\n")
    try:
        first, *lines = head.decode("ascii").split("\n")
        word, _, old = first.partition(" ")
        steps = [b64decode(line, validate=True) for line in lines]
        right = word == "old" and old.isdecimal() and str(int(old)) == old and len(old) < 20
        if (
            not right
            or not blank
            or len(steps) > _MOST_STEPS
            or any(len(step) != len(EMPTY) for step in steps)
        ):
            raise ValueError
    except (ValueError, NoBase64) as error:
        raise ProofError("no request: expected old SIZE, the proof, an empty line, the checkpoint") from error
    return int(old), steps, Note.parse(rest)


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
        raise ProofError(f"{state}: not a state of a witness: {error}") from error


def _written(seen: dict[str, tuple[Checkpoint, int]]) -> bytes:
    logs = {
        origin: {"size": each.size, "root": b64encode(each.root).decode(), "at": at}
        for origin, (each, at) in seen.items()
    }
    return json.dumps({"witnessed": logs}, indent=1).encode() + b"\n"
