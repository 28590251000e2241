"""Files that are read: what goes wrong while they are names them, as what goes wrong when they are opened does."""

from __future__ import annotations

import os
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
