"""Vectors of others: of RFC 9162 as implemented in Go, and the examples of the C2SP specifications."""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from xmlcep.log.writing import write_new_file
from xmlcep.proofs.checkpoint import Checkpoint
from xmlcep.proofs.errors import ProofError
from xmlcep.proofs.hashing import EMPTY, HASH_LENGTH, check_consistency, check_inclusion
from xmlcep.proofs.log_tree import LogTree, Signing, tree_folder
from xmlcep.proofs.notes import Note, PrivateKey, PublicKey

VECTORS = [
    json.loads(line) for line in (Path(__file__).parent / "vectors" / "merkle.jsonl").read_text().splitlines()
]
# Any tree continues that of no entry. Go's library refuses to be asked, which a witness that has seen none must not.
ALLOWED_HERE = "additional/size1 is zero and size2 is not zero"


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector[0]}/{vector[1]}")
def test_proofs_of_rfc_9162(vector: list[Any]) -> None:
    kind, name, first, size, one, other, proof, is_wrong = vector
    one, other = b64decode(one or ""), b64decode(other or "")
    steps = [b64decode(step) for step in proof or ()]

    def checked() -> None:
        if kind == "inclusion":
            check_inclusion([other], first, size, steps, one)
        else:
            check_consistency(first, one, size, other, steps)

    if is_wrong and name != ALLOWED_HERE:
        with pytest.raises(ProofError):
            checked()
    else:
        checked()


def test_signed_note() -> None:
    """The example of C2SP signed-note."""
    key = PublicKey.parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
    text = (
        "This is an example message.\n\n— example.com/foo"
        " Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
    )
    key.check(Note.parse(text.encode()))
    with pytest.raises(ProofError, match="it was altered"):
        key.check(Note.parse(text.replace("example message", "Example message").encode()))


BODY = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"


def test_checkpoint() -> None:
    """The example of C2SP tlog-checkpoint; further lines are signed, and otherwise nothing."""
    note = Note.parse(
        f"{BODY}\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5"
        "/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n".encode()
    )
    checkpoint = Checkpoint.parse(note.text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert (checkpoint.text(), note.signatures[0].key.hex()) == (BODY, "033de0ae")
    assert Checkpoint.parse(f"{BODY}more\n") == checkpoint


def test_cosignature() -> None:
    """The message in C2SP tlog-cosignature is what a witness signs, and its signature the time, then Ed25519's."""
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    key = PrivateKey.new("witness.example.com/w", witness=True)
    signature = key.sign(Note(BODY), 1679315147).signatures[0].data
    assert struct.unpack(">Q", signature[:8]) == (1679315147,)
    message = f"cosignature/v1\ntime 1679315147\n{BODY}".encode()
    ed25519.Ed25519PublicKey.from_public_bytes(key.public.data).verify(signature[8:], message)


def test_tiles(tmp_path: Path) -> None:
    """The example of C2SP tlog-tiles: what a tree of 70,000 entries is made of; one of 256 has two tiles."""
    for size, expected in (
        (70_000, {"0": (273, {112}), "1": (1, {17}), "2": (0, {1})}),
        (256, {"0": (1, set()), "1": (0, {1})}),
    ):
        log = tmp_path / f"{size}.jsonl"
        tree = LogTree(log, Signing(), write_new_file)
        tree.add(b"x\n" * size)
        tree.checkpoint()
        found: dict[str, tuple[int, set[int]]] = {}
        for file in tree_folder(log).glob("tile/**/*"):
            if file.is_file():
                level = file.relative_to(tree_folder(log)).parts[1]
                full, partial = found.setdefault(level, (0, set()))
                if file.parent.suffix == ".p":
                    partial.add(int(file.name))
                    assert file.stat().st_size == int(file.name) * HASH_LENGTH
                else:
                    found[level] = full + 1, partial
        assert found == expected
    assert EMPTY.hex().startswith("e3b0c442")
