"""What kind of file a log is, and its bytes unpacked."""

from __future__ import annotations

import gzip
import io
import re
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import MissingExtraError
from ..files import naming, other_encoding

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PAR1": "parquet"}


def kind_of(start: bytes) -> str:
    """What a file is by its first four bytes: ``gzip``, ``zstd``, ``parquet``, else ``plain``."""
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "plain")


_RULES = re.compile(rb"^\s*(event|namespace|reference)\s", re.MULTILINE)


def no_log(begin: bytes) -> str:
    """What is said of a file that is no log, by its first bytes: what it seems to be."""
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


def first_line(file: str) -> bytes:
    """The first line of a JSON Lines log."""
    with naming(file), Path(file).open("rb") as stream:
        return unpacked(stream, kind_of(stream.peek(4)[:4])).readline()
