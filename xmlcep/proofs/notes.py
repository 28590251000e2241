"""Text with signatures under it (C2SP signed-note), and the Ed25519 keys that make and check them.

Needs the extra ``sign`` (the cryptography library). Keys are texts as Go's note package writes them: a public one is
``NAME+HASH+BASE64``, a private one ``PRIVATE+KEY+NAME+HASH+BASE64``.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from ..errors import MissingExtraError
from .errors import ProofError, SigningKeyError

_ED25519, _COSIGNATURE = b"\x01", b"\x04"
_DASH = "— "
_LENGTH = 32
_PRIVATE = "PRIVATE+KEY+"


class Signature(NamedTuple):
    """A line under a note: who signed, by which key, and the signature."""

    name: str
    key: bytes
    data: bytes

    def line(self) -> str:
        """The line."""
        return f"{_DASH}{self.name} {b64encode(self.key + self.data).decode()}\n"


@dataclass(frozen=True)
class Note:
    """A text, which ends with a line end, and what is signed under it."""

    text: str
    signatures: tuple[Signature, ...] = ()

    def __str__(self) -> str:
        return self.text + "\n" + "".join(each.line() for each in self.signatures)

    @classmethod
    def parse(cls, given: bytes) -> Note:
        """A note as it is written; raises `ProofError`."""
        try:
            text, blank, rest = given.decode("utf-8").rpartition("\n\n")
            if not blank or (rest and not rest.endswith("\n")):
                raise ValueError
            signatures = []
            for line in rest.splitlines():
                name, _, data = line.removeprefix(_DASH).partition(" ")
                raw = b64decode(data, validate=True)
                if not line.startswith(_DASH) or not name or len(raw) < 5:
                    raise ValueError
                signatures.append(Signature(name, raw[:4], raw[4:]))
        except (ValueError, NoBase64) as error:
            raise ProofError(
                f"no signed note: {given!r:.60}: expected text, an empty line, signatures"
            ) from error
        return cls(text + "\n", tuple(signatures))

    def signed(self, signature: Signature) -> Note:
        """The note with one more signature; one by the same key is replaced."""
        kept = (each for each in self.signatures if (each.name, each.key) != (signature.name, signature.key))
        return Note(self.text, (*kept, signature))


@dataclass(frozen=True)
class PublicKey:
    """What checks the signatures of one who signs (`kind` 1) or of a witness (4)."""

    name: str
    data: bytes
    kind: bytes = _ED25519

    @property
    def id(self) -> bytes:
        """The four bytes that a signature names its key by."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.data).digest()[:4]

    @property
    def is_of_witness(self) -> bool:
        """Whether it checks cosignatures."""
        return self.kind == _COSIGNATURE

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{b64encode(self.kind + self.data).decode()}"

    @classmethod
    def parse(cls, text: str) -> PublicKey:
        """A key of its text; raises `SigningKeyError`."""
        if text.startswith(_PRIVATE):
            raise SigningKeyError(
                "a private key, which nobody but its owner should have: give the public one"
            )
        name, kind, data, id_ = _fields(text)
        key = cls(name, data, kind)
        if key.id != id_:
            raise SigningKeyError(f"{text!r:.80}: not a key: its hash is not that of its name and bytes")
        return key

    def check(self, note: Note) -> int | None:
        """Raises `ProofError` unless the note has a signature of this key; of a witness returns its time."""
        found = [each for each in note.signatures if (each.name, each.key) == (self.name, self.id)]
        if not found:
            names = ", ".join(each.name for each in note.signatures) or "nobody"
            raise ProofError(f"the wrong key: not signed by {self}, but by {names}")
        data, text, at = found[0].data, note.text.encode(), None
        if self.kind == _COSIGNATURE:
            at = struct.unpack(">Q", data[:8].rjust(8, b"\0"))[0]
            data, text = data[8:], _cosigned(at, note.text)
        key = _ed25519().Ed25519PublicKey.from_public_bytes(self.data)
        from cryptography.exceptions import InvalidSignature

        try:
            key.verify(data, text)
        except InvalidSignature:
            raise ProofError(f"the signature of {self.name} is not of this text: it was altered") from None
        return at


@dataclass(frozen=True)
class PrivateKey:
    """What makes signatures."""

    name: str
    seed: bytes = field(repr=False)
    kind: bytes = _ED25519
    _key: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_key", _ed25519().Ed25519PrivateKey.from_private_bytes(self.seed))

    @classmethod
    def new(cls, name: str, *, witness: bool = False) -> PrivateKey:
        """A new key; raises `SigningKeyError` for what is not a name."""
        if not name or "+" in name or any(each.isspace() for each in name):
            raise SigningKeyError(f"{name!r} is not a name of a key: expected one without white space and +")
        seed = _ed25519().Ed25519PrivateKey.generate().private_bytes_raw()
        return cls(name, seed, _COSIGNATURE if witness else _ED25519)

    @classmethod
    def parse(cls, text: str) -> PrivateKey:
        """A key of its text; raises `SigningKeyError`."""
        if not text.startswith(_PRIVATE):
            raise SigningKeyError(
                "no private key: expected PRIVATE+KEY+NAME+HASH+BASE64, as `xmlcep keygen` writes it"
            )
        name, kind, seed, id_ = _fields(text.removeprefix(_PRIVATE))
        key = cls(name, seed, kind)
        if key.public.id != id_:
            raise SigningKeyError("no private key: its hash is not that of its name and bytes")
        return key

    def __str__(self) -> str:
        return f"{_PRIVATE}{self.name}+{self.public.id.hex()}+{b64encode(self.kind + self.seed).decode()}"

    @property
    def public(self) -> PublicKey:
        """The key that checks what this one signs."""
        return PublicKey(self.name, self._key.public_key().public_bytes_raw(), self.kind)

    @property
    def is_of_witness(self) -> bool:
        """Whether it cosigns what others have signed."""
        return self.kind == _COSIGNATURE

    def sign(self, note: Note, at: int | None = None) -> Note:
        """The note with a signature of this key; a witness says when, in seconds since 1970."""
        if self.is_of_witness:
            assert at is not None
            data = struct.pack(">Q", at) + self._key.sign(_cosigned(at, note.text))
        else:
            data = self._key.sign(note.text.encode())
        return note.signed(Signature(self.name, self.public.id, data))


def _cosigned(at: int, text: str) -> bytes:
    """What a witness signs (C2SP tlog-cosignature, version 1)."""
    return f"cosignature/v1\ntime {at}\n{text}".encode()


def _fields(text: str) -> tuple[str, bytes, bytes, bytes]:
    """The name, kind, bytes and hash of a key."""
    parts: Sequence[str] = text.strip().split("+", 2)
    try:
        name, id_, data = parts[0], bytes.fromhex(parts[1]), b64decode(parts[2], validate=True)
    except (IndexError, ValueError) as error:
        raise SigningKeyError("no key: expected NAME+HASH+BASE64, as `xmlcep keygen` writes it") from error
    if not name or data[:1] not in (_ED25519, _COSIGNATURE) or len(data) != 1 + _LENGTH or len(id_) != 4:
        raise SigningKeyError(
            f"{name}: no Ed25519 key: expected NAME+HASH+BASE64, as `xmlcep keygen` writes it"
        )
    return name, data[:1], data[1:], id_


def _ed25519() -> Any:
    """The module of the cryptography library, which nobody needs who signs nothing."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtraError("signing", "cryptography", "sign") from error
    return ed25519
