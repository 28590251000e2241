"""Signed notes and keys: the example of Go's note package, what was altered, what is not a key."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from xmlcep.proofs.errors import ProofError, SigningKeyError
from xmlcep.proofs.keys import private_key, public_key, write_keys
from xmlcep.proofs.notes import Note, PrivateKey, PublicKey

pytest.importorskip("cryptography")

NEUMANN = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
NOTE = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


def test_the_example_of_another_implementation() -> None:
    key, note = PublicKey.parse(NEUMANN), Note.parse(NOTE.encode())
    key.check(note)
    assert (str(key), str(note)) == (NEUMANN, NOTE)
    with pytest.raises(ProofError, match="was altered"):
        key.check(Note.parse(NOTE.replace("answer", "Answer").encode()))


def test_keys_are_written_and_read(tmp_path: Path) -> None:
    for witness in (False, True):
        key, file = PrivateKey.new("orders", witness=witness), tmp_path / f"key{witness}"
        public = write_keys(key, file)
        assert (private_key(file), public_key(public), public_key(str(key.public))) == (
            key,
            key.public,
            key.public,
        )
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert "seed" not in repr(key)
        with pytest.raises(FileExistsError):
            write_keys(key, file)
        with pytest.raises(SigningKeyError, match="a private key"):
            public_key(file)
        note = key.sign(Note("text\n"), 7)
        assert key.public.check(Note.parse(str(note).encode())) == (7 if witness else None)


def test_others_do_not_sign_for_it() -> None:
    """Another key of the same name, a witness's key of the same bytes, a signature under another text."""
    key = PrivateKey.new("orders")
    note = key.sign(Note("text\n"))
    for other in (PrivateKey.new("orders").public, PublicKey("orders", key.public.data, b"\x04")):
        with pytest.raises(ProofError, match="not signed by orders"):
            other.check(note)
    with pytest.raises(ProofError, match="was altered"):
        key.public.check(Note("other\n", note.signatures))


@pytest.mark.parametrize(
    "text", ["", "a", "a+b+c", "a+00000000+AAAA", NEUMANN.replace("c74f", "c74e"), "a+zz+@@"]
)
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(SigningKeyError):
        PublicKey.parse(text)
    with pytest.raises(SigningKeyError):
        PrivateKey.parse(text)
    with pytest.raises(SigningKeyError):
        PrivateKey.parse(f"PRIVATE+KEY+{text}")


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\n"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(SigningKeyError):
        PrivateKey.new(name)


@pytest.mark.parametrize(
    "text", [b"", b"x", b"x\n\n- a b\n", "x\n\n— a ?\n".encode(), b"\xff\n\n", NOTE[:-1].encode()]
)
def test_what_is_no_note(text: bytes) -> None:
    with pytest.raises(ProofError):
        Note.parse(text)
