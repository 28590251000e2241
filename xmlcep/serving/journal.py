"""The findings of all documents in one file, in the order in which they came; a *cursor* is how many there were."""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import islice
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
                    self._note(record["doc"], record["watch"], record["finding"], size)
                    size += len(line)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._size = size

    def __len__(self) -> int:
        return len(self._starts)

    def count(self, doc: str, watch: str) -> int:
        """How many findings there are of a watch, by where it was opened."""
        return self._of_watch[doc, Path(watch).name]

    def add(self, doc: str, watch: str, finding: Record) -> Entry:
        """Keeps a finding; raises `LogError` if it cannot be written."""
        watch = Path(watch).name
        key = self._key(doc, finding)
        id_ = f"{doc}:{key}"
        line = FASTEST.dumps({"doc": doc, "watch": watch, "id": id_, "finding": finding}) + b"\n"
        try:
            if os.write(self._file, line) < len(line):
                raise OSError(28, "No space left on device")
        except OSError as error:
            os.truncate(self._file, self._size)
            raise LogError(f"{self.path}: cannot be written: {error.strerror}") from error
        self._note(doc, watch, finding, self._size)
        self._size += len(line)
        return Entry(len(self), id_, finding)

    def _key(self, doc: str, finding: Record) -> str:
        """As `xmlcep.cli` names findings: ``TS:EVENT:IDS``, ``:n`` for the n-th of several alike."""
        key = f"{finding['ts']}:{event(finding)}:{','.join(map(str, finding['ids']))}"
        ts, alike = self._alike.get(doc, (0, Counter()))
        nth = alike[key] + 1 if ts == finding["ts"] else 1
        return key if nth == 1 else f"{key}:{nth}"

    def _note(self, doc: str, watch: str, finding: Record, start: int) -> None:
        ts, alike = self._alike.get(doc, (-1, Counter()))
        if ts != finding["ts"]:
            alike = Counter()
            self._alike[doc] = finding["ts"], alike
        alike[f"{finding['ts']}:{event(finding)}:{','.join(map(str, finding['ids']))}"] += 1
        self._of_watch[doc, watch] += 1
        self._starts.append(start)

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
