"""Keys in files: a private one that only its owner can read, a public one beside it."""

from __future__ import annotations

import os
from pathlib import Path

from ..files import bytes_of
from .errors import SigningKeyError
from .notes import PrivateKey, PublicKey

_LARGEST = 10_000


def write_keys(key: PrivateKey, file: Path) -> Path:
    """Writes a private key to a new file that nobody else can read, its public one to ``FILE.pub``; returns that.

    Raises FileExistsError where one of them is there: a key that is lost signs nothing any more.
    """
    public = file.with_name(f"{file.name}.pub")
    if public.exists():
        raise FileExistsError(17, "File exists", str(public))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(f"{key}\n")
    with public.open("x") as stream:
        stream.write(f"{key.public}\n")
    return public


def private_key(file: str | os.PathLike[str]) -> PrivateKey:
    """The private key in a file; raises `SigningKeyError` or OSError."""
    return PrivateKey.parse(_text(file))


def public_key(given: str | os.PathLike[str]) -> PublicKey:
    """A public key, or that in a file; raises `SigningKeyError` or OSError."""
    if isinstance(given, str) and "+" in given and not Path(given).exists():
        return PublicKey.parse(given)
    return PublicKey.parse(_text(given))


def _text(file: str | os.PathLike[str]) -> str:
    path = Path(file)
    if path.is_file() and path.stat().st_size > _LARGEST:
        raise SigningKeyError(f"{file}: not a key: it is too long")
    try:
        return bytes_of(path).decode("ascii").strip()
    except UnicodeDecodeError as error:
        raise SigningKeyError(f"{file}: not a key: it is not ASCII text") from error
