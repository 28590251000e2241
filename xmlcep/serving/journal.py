"""The findings of all documents in one file, in the order in which they came; a *cursor* is how many there were."""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from os.path import basename
from pathlib import Path
from typing import Any, NamedTuple

from ..auditing.findings.rows import event
from ..closing import Closing
from ..log.errors import LogError
from ..log.json_codec import FASTEST
from ..log.tail import repair_tail

Record = dict[str, Any]


class Entry(NamedTuple):
    """A finding: its cursor, and its ``id``, which is the document's name and the finding's key."""

    cursor: int
    id: str
    finding: Record

    def to_record(self) -> Record:
        """As a JSON object."""
        return self._asdict()


class Journal(Closing):
    """The findings, each once: with each is written which watch of which document has raised it, so that a recovery
    knows how many of its findings are here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._starts = array("Q")
        self._waiting: list[bytes] = []
        self._of_watch: Counter[tuple[str, str]] = Counter()
        self._alike: dict[
            str, tuple[int, Counter[str]]
        ] = {}  # findings of the last time point of each document
        size = 0
        if path.exists():
            repair_tail(path)
            with path.open("rb") as stream:
                for line in stream:
                    record = FASTEST.loads(line)
                    self._of_watch[record["doc"], record["watch"]] += 1
                    self._key(record["doc"], record["finding"])
                    self._starts.append(size)
                    size += len(line)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._size = size

    def __len__(self) -> int:
        return len(self._starts)

    def count(self, doc: str, watch: str) -> int:
        """How many findings there are of a watch, by where it was opened."""
        return self._of_watch[doc, basename(watch)]

    def add(self, doc: str, watch: str, finding: Record) -> None:
        """Takes a finding, which gets its cursor when it is `published`."""
        id_ = f"{doc}:{self._key(doc, finding)}"
        self._waiting.append(
            FASTEST.dumps({"doc": doc, "watch": basename(watch), "id": id_, "finding": finding}) + b"\n"
        )

    def _key(self, doc: str, finding: Record) -> str:
        """As `xmlcep.cli` names findings: ``TS:EVENT:IDS``, ``:n`` for the n-th of several alike."""
        key = f"{finding['ts']}:{event(finding)}:{','.join(map(str, finding['ids']))}"
        ts, alike = self._alike.get(doc, (None, None))
        if alike is None or ts != finding["ts"]:
            alike = Counter()
            self._alike[doc] = finding["ts"], alike
        alike[key] += 1
        return key if alike[key] == 1 else f"{key}:{alike[key]}"

    def take(self) -> list[bytes]:
        """The lines of the findings that are to be written."""
        lines, self._waiting = self._waiting, []
        return lines

    def write(self, lines: list[bytes], *, sync: bool) -> None:
        """Writes lines, to the disk if ``sync``; raises `LogError` if they cannot be. Any thread may."""
        content = b"".join(lines)
        try:
            if os.write(self._file, content) < len(content):
                raise OSError(28, "No space left on device")
            if sync:
                os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._file, self._size)
            raise LogError(f"{self.path}: cannot be written: {error.strerror}") from error

    def publish(self, lines: list[bytes]) -> None:
        """What has been written can be read."""
        for line in lines:
            self._starts.append(self._size)
            self._size += len(line)

    def after(self, cursor: int, limit: int) -> Iterator[Entry]:
        """The findings behind a cursor, so many at most."""
        for place in islice(range(cursor, len(self)), limit):
            yield self.at(place + 1)

    def at(self, cursor: int) -> Entry:
        """The finding of a cursor."""
        start = self._starts[cursor - 1]
        end = self._starts[cursor] if cursor < len(self) else self._size
        record = FASTEST.loads(os.pread(self._file, end - start, start))
        return Entry(cursor, record["id"], record["finding"])

    def close(self) -> None:
        os.close(self._file)
