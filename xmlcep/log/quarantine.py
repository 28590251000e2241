"""Policies for bad records: stop at the first, or put them aside with the reason and go on."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ..closing import Closing
from .errors import BadRecord, LogError
from .json_codec import FASTEST

BadRecordPolicy: TypeAlias = Callable[[BadRecord], None]
"""What is called with every bad record; it may raise to stop the reading."""


def refuse(bad: BadRecord) -> None:
    """The policy that stops at the first bad record: raises `LogError`."""
    raise LogError(str(bad))


class Quarantine(Closing):
    """The policy that writes bad records to a JSON Lines file, with place and reason, and counts them.

    The file is made at the first bad record. Fields: ``file``, ``record``, ``offset``, ``reason``, ``raw``
    (the text; bytes that are not UTF-8 shown as ``\\xNN``) and then also ``raw_base64`` (the bytes).
    Without a path the records are only counted. ``reasons`` counts them per file.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.count = 0
        self.per_file: dict[str, int] = {}
        self._file: BinaryIO | None = None

    def __call__(self, bad: BadRecord) -> None:
        self.count += 1
        self.per_file[bad.origin.file] = self.per_file.get(bad.origin.file, 0) + 1
        if self.path is None:
            return
        if self._file is None:
            self._file = self.path.open("wb")
        self._file.write(quarantine_line(bad))

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def quarantine_line(bad: BadRecord) -> bytes:
    """A bad record as a line of a quarantine file."""
    record = {
        "file": bad.origin.file, "record": bad.origin.record, "offset": bad.offset, "reason": bad.reason,
        "raw": bad.raw.decode("utf-8", "backslashreplace"),
    }  # fmt: skip
    try:
        bad.raw.decode("utf-8")
    except UnicodeDecodeError:
        record["raw_base64"] = base64.b64encode(bad.raw).decode("ascii")
    return FASTEST.dumps(record) + b"\n"
