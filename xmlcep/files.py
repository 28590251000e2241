"""Files that are read: which may be, and how large; what goes wrong while they are read names them."""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, BinaryIO

VARIABLE = "XMLCEP_MAX_SIZE"
"""The environment variable that allows larger input of every kind: ``500M``, ``2G``."""

LARGEST = {
    "rules file": 16_000_000, "schema": 64_000_000, "reference document": 64_000_000, "document": 256_000_000,
    "record": 256_000_000,
}  # fmt: skip
"""How many bytes are read of what unless more are allowed. All of it is held in memory, and several times that as a
tree."""

PIPE_WAIT = 10.0
"""Seconds for which somebody may be waited for who writes to a named pipe."""

_BLOCK = 1 << 20
_SIZE = re.compile(r"(\d+)([kMG]?)B?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3}


def allowed() -> int:
    """How many bytes the environment allows; 0 if it does not say. Raises `OSError` for what is not a size."""
    size = _SIZE.fullmatch(os.environ.get(VARIABLE, "").strip() or "0")
    if size is None:
        reason = f"{VARIABLE} is {os.environ[VARIABLE]!r}, no size: expected a number of bytes, 500M or 2G"
        raise OSError(errno.EINVAL, reason, VARIABLE)
    return int(size[1]) * _UNITS[size[2].lower()]


def largest(kind: str) -> int:
    """How many bytes of this kind of input are read at most."""
    return max(LARGEST[kind], allowed())


def too_large(kind: str, name: str | os.PathLike[str], size: int | None = None) -> OSError:
    """What is raised for input that is too large; ``size`` where it is known."""
    has = "it has" if size is None else f"it has {size:,} bytes,"
    reason = (
        f"{has} more than the {largest(kind):,} bytes that a {kind} may have: set {VARIABLE} to allow more"
    )
    return OSError(errno.EFBIG, reason, os.fspath(name))


@contextmanager
def naming(file: str | os.PathLike[str]) -> Iterator[None]:
    """An `OSError` that names no file, as of a disk that fails while something is read, gets the name of this one."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise type(error)(error.errno, error.strerror, os.fspath(file)) from error
        raise


def opened(file: str | os.PathLike[str]) -> BinaryIO:
    """The file or pipe, open; raises `OSError` for a device, and for a named pipe that nobody writes to."""
    if stat.S_ISFIFO(os.stat(file).st_mode):
        return os.fdopen(_descriptor_of_pipe(file), "rb")
    stream = open(file, "rb")  # noqa: SIM115
    try:
        refuse_device(stream, file)
    except OSError:
        stream.close()
        raise
    return stream


def refuse_device(stream: IO[bytes], name: str | os.PathLike[str]) -> None:
    """Raises `OSError` for what may never end: a device other than a terminal and ``/dev/null``."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # no file of the system's
        return
    is_character = stat.S_ISCHR(found.st_mode)
    if stat.S_ISBLK(found.st_mode) or (
        is_character and not stream.isatty() and not os.path.samestat(found, os.stat(os.devnull))
    ):
        raise OSError(errno.EINVAL, "a device, not a file or a pipe", os.fspath(name))


def _descriptor_of_pipe(file: str | os.PathLike[str]) -> int:
    """A named pipe, open, once somebody has opened it for writing: to wait for that cannot be limited otherwise."""
    done: list[int | OSError] = []

    def wait() -> None:
        try:
            done.append(os.open(file, os.O_RDONLY))
        except OSError as error:
            done.append(error)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join(PIPE_WAIT)
    in_time = bool(done)
    while not in_time and waiting.is_alive():
        with suppress(OSError):  # it has not begun to wait
            os.close(os.open(file, os.O_WRONLY | os.O_NONBLOCK))  # which ends the waiting
        waiting.join(0.01)
    [result] = done
    if isinstance(result, OSError):
        raise result
    if not in_time:
        os.close(result)
        raise OSError(errno.ETIMEDOUT, "a pipe that nobody writes to", os.fspath(file))
    return result


@contextmanager
def reading(file: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The file, open; what goes wrong with it before it is closed names it."""
    with naming(file), opened(file) as stream:
        yield stream


def bytes_of(file: str | os.PathLike[str], kind: str = "document") -> bytes:
    """All bytes of the file; raises `OSError`, which names it, also where it is too large for its kind."""
    with reading(file) as stream:
        return all_of(stream, file, kind)


def all_of(stream: IO[bytes], name: str | os.PathLike[str], kind: str) -> bytes:
    """What a stream has, all of it; raises `OSError` if that is too large."""
    blocks: list[bytes] = []
    left = largest(kind)
    while left >= 0 and (block := stream.read(min(_BLOCK, left + 1))):
        blocks.append(block)
        left -= len(block)
    if left < 0:
        raise too_large(kind, name)
    return b"".join(blocks)


def other_encoding(begin: bytes) -> str:
    """What to say of text that is no UTF-8, by its first bytes; empty if nothing is known of it.

    >>> other_encoding("{".encode("utf-16"))
    'UTF-16, not UTF-8: save it as UTF-8'
    """
    return "UTF-16, not UTF-8: save it as UTF-8" if begin[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else ""
