"""What kind of file a log is, and its bytes unpacked."""

from __future__ import annotations

import errno
import gzip
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from ..errors import MissingExtraError
from ..files import largest, other_encoding, reading, too_large
from .errors import LogError

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PAR1": "parquet"}


def kind_of(start: bytes) -> str:
    """What a file is by its first four bytes: ``gzip``, ``zstd``, ``parquet``, else ``plain``."""
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "plain")


def kind_of_log(start: bytes, path: str, name: str) -> str:
    """The same of a log; raises `LogError` for one that is empty, or of another kind than its path says."""
    if not start:
        raise LogError(f"{name}: the file is empty: expected change records or a header")
    kind = kind_of(start)
    if kind == "plain" and path.endswith(".parquet"):
        raise LogError(f"{name}: not a readable Parquet file: it does not start with PAR1")
    return kind


_RULES = re.compile(rb"^\s*(event|namespace|reference)\s", re.MULTILINE)


def no_log(begin: bytes) -> str:
    """What is said of a file that is not a log, by its first bytes: what it seems to be."""
    if begin.removeprefix(BOM_UTF8).lstrip()[:1] == b"<":
        return (
            "not a change log: it is XML: `xmlcep history FILE` makes a log of the versions of a document,"
            " `xmlcep.record` one of its edits"
        )
    if _RULES.search(begin):
        return "not a change log: it looks like rules: give them with --rules (rules=), and the log without"
    if encoded := other_encoding(begin):
        return f"not a change log: it is {encoded}"
    shown = begin[:40].decode("utf-8", "backslashreplace")
    return f"not a change log: expected a JSON object per line (or Parquet), it begins with {shown!r}"


def unpacked(stream: BinaryIO, kind: str) -> BinaryIO:
    """The bytes of a file of this kind; raises `MissingExtraError` for zstd without pyarrow."""
    if kind == "gzip":
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    if kind == "zstd":
        try:
            import pyarrow
        except ImportError:
            raise MissingExtraError("a log packed with zstd", "pyarrow", "arrow") from None
        source: Any = pyarrow.CompressedInputStream(stream, "zstd")
        return cast("BinaryIO", io.BufferedReader(source, 1 << 20))
    return stream


_BLOCK = 1 << 16
_MOST_HELD = 16 << 20  # bytes of lines that are handed out together, and one line more


def line_blocks(stream: BinaryIO, most: int, name: str) -> Iterator[list[bytes]]:
    """The lines of a stream, so many at a time, or fewer where they are long: what is held in memory is bounded,
    whatever a packed file unpacks to.

    Raises `OSError` for a line that is longer than a record may be, and what reading raises; whole lines before that
    are handed out first.
    """
    lines: list[bytes] = []
    begun: list[bytes] = []  # of a line whose end has not come
    held, size, limit = 0, 0, largest("record")
    failure: Exception | None = None
    while failure is None:
        try:
            block = cast("io.BufferedReader", stream).read1(_BLOCK)
        except Exception as error:
            failure = error
            break
        if not block:
            break
        cut = block.rfind(b"\n") + 1
        if cut:
            found = io.BytesIO(b"".join((*begun, block[:cut])) if begun else block[:cut]).readlines()
            begun, size = [], 0
            lines += found
            held += cut
        if cut < len(block):
            begun.append(block[cut:])
            size += len(block) - cut
            held += len(block) - cut
            if size > limit:
                failure = too_large("record", name)
        while len(lines) >= most or (lines and held > _MOST_HELD):
            yield lines[:most]
            lines = lines[most:]
            held = sum(map(len, lines)) + size
    if failure is None and begun:
        lines.append(b"".join(begun))
    for first in range(0, len(lines), most):
        yield lines[first : first + most]
    if failure is not None:
        raise failure


def damaged(error: Exception) -> str:
    """What to say of a file of which the rest cannot be read."""
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        return f"nothing is read from here on: {error.strerror}"
    return f"the file is damaged from here on, nothing after it can be unpacked: {error}"


def first_line(file: str) -> bytes:
    """The first line of a JSON Lines log."""
    with reading(file) as stream:
        kind = kind_of(cast("io.BufferedReader", stream).peek(4)[:4])
        return unpacked(stream, kind).readline(largest("record"))
