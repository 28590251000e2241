"""The entries of a log with a tree: where each is, of which document, and how it is proved to be there."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...closing import Closing
from ...log.json_codec import FASTEST
from ...log.records import MARK, is_clock
from ...log.segments import segments
from ...proofs.checkpoint import Checkpoint
from ...proofs.errors import ProofError
from ...proofs.hashing import inclusion
from ...proofs.log_tree import last_checkpoint, tree_folder
from ...proofs.tiles import Tiles
from .bundle import Run


class DocumentEntries:
    """The numbers of the entries of a document, ascending: its changes with their time points, its headers, all."""

    def __init__(self) -> None:
        self._points = array("q")
        self._changes = array("q")
        self._all = array("q")
        self._headers = array("q")

    def note(self, n: int, ts: int | None, *, header: bool) -> None:
        """An entry is of this document; ``ts`` is that of a change."""
        self._all.append(n)
        if header:
            self._headers.append(n)
        if ts is not None:
            self._points.append(ts)
            self._changes.append(n)

    def change(self, ts: int) -> int | None:
        """The entry of the change at a time point."""
        at = bisect_left(self._points, ts)
        return self._changes[at] if at < len(self._points) and self._points[at] == ts else None

    def behind(self, ts: int) -> int | None:
        """The entry of the first change behind a time point."""
        at = bisect_right(self._points, ts)
        return self._changes[at] if at < len(self._points) else None

    def header_before(self, n: int) -> int:
        """The last header up to an entry, or the first entry."""
        at = bisect_right(self._headers, n)
        return self._headers[at - 1] if at else self.first

    @property
    def first(self) -> int:
        """The first entry."""
        return self._all[0]


class Entries(Closing):
    """The entries of a log up to the last checkpoint of its tree; close it.

    Raises `ProofError` for a tree without checkpoint, and a log that is shorter than that says.
    """

    def __init__(self, log: Path) -> None:
        note = last_checkpoint(tree_folder(log))
        if note is None:
            raise ProofError(f"{tree_folder(log)}: there is no checkpoint in it")
        self.note = note
        self.tree = Checkpoint.parse(note.text)
        self._tiles = Tiles(tree_folder(log), self.tree.size)
        self._texts: list[mmap] = []
        self._file = array("H")
        self._start = array("q")
        self.documents: dict[str, DocumentEntries] = {}
        for file in segments(log):
            with file.open("rb") as stream:
                self._texts.append(mmap(stream.fileno(), 0, access=ACCESS_READ))
            self._read(len(self._texts) - 1)
        if len(self) < self.tree.size:
            raise ProofError(
                f"{log}: has {len(self)} entries, its checkpoint {self.tree.size}: it was cut off"
            )

    def __len__(self) -> int:
        return len(self._start)

    def _read(self, file: int) -> None:
        text, start = self._texts[file], 0
        for line in iter(text.readline, b""):
            if line.strip() and len(self) < self.tree.size:
                self._file.append(file)
                self._start.append(start)
                self._note(line)
            start += len(line)

    def _note(self, line: bytes) -> None:
        record = FASTEST.loads(line)
        doc = record.get("doc")
        if isinstance(doc, str):
            of_document = self.documents.setdefault(doc, DocumentEntries())
            is_change = MARK not in record and not is_clock(record)
            of_document.note(
                len(self), record.get("ts") if is_change else None,
                header=MARK in record and "control" not in record,
            )  # fmt: skip

    def line(self, n: int) -> bytes:
        """The line of an entry, without its end."""
        text, start = self._texts[self._file[n - 1]], self._start[n - 1]
        end = text.find(b"\n", start)
        return text[start : len(text) if end < 0 else end]

    def runs(self, numbers: Sequence[int]) -> Iterator[Run]:
        """Entries with their proofs; those that follow each other are proved together."""
        first = 0
        for at in range(1, len(numbers) + 1):
            if at == len(numbers) or numbers[at] != numbers[at - 1] + 1:
                n, end = numbers[first], numbers[at - 1]
                lines = tuple(self.line(each).decode() for each in range(n, end + 1))
                yield Run(n, lines, tuple(inclusion(n - 1, end, self.tree.size, self._tiles.full)))
                first = at

    def close(self) -> None:
        for text in self._texts:
            text.close()
