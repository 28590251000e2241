"""Files that are read: what goes wrong while they are names them, as what goes wrong when they are opened does; what
they may be if they are not what was expected."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def naming(file: str | os.PathLike[str]) -> Iterator[None]:
    """An `OSError` that names no file, as of a disk that fails while something is read, gets the name of this one."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise type(error)(error.errno, error.strerror, os.fspath(file)) from error
        raise


@contextmanager
def reading(file: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The file, open; what goes wrong with it before it is closed names it."""
    with naming(file), Path(file).open("rb") as stream:
        yield stream


def bytes_of(file: str | os.PathLike[str]) -> bytes:
    """All bytes of the file; raises `OSError`, which names it."""
    with reading(file) as stream:
        return stream.read()


def other_encoding(begin: bytes) -> str:
    """What to say of text that is no UTF-8, by its first bytes; empty if nothing is known of it.

    >>> other_encoding("{".encode("utf-16"))
    'UTF-16, not UTF-8: save it as UTF-8'
    """
    return "UTF-16, not UTF-8: save it as UTF-8" if begin[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else ""
