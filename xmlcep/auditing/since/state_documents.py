"""The lines of documents in a state: those that earlier runs have written are looked up in their file, and copied.

They are in the order of names, so a name is found by halves. Nothing is made of a line that nobody asks for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from mmap import mmap
from operator import itemgetter
from typing import BinaryIO

from ..document_lines import DocumentLines
from ..temporary_tables import to_key

BEGIN = b'{"doc":"'
"""How the line of a document begins."""


class PastLines:
    """The lines of a file from one place to another."""

    def __init__(self, text: mmap, start: int, end: int) -> None:
        self._text = text
        self._start = start
        self._end = end

    def get(self, doc: str) -> bytes | None:
        """The line of a document."""
        line = self._line(self._place(doc, self._start))
        return line if line and name_in(line) == doc else None

    def names(self) -> Iterator[str]:
        """The documents in their order."""
        place = self._start
        while line := self._line(place):
            yield name_in(line)
            place += len(line)

    def write(self, target: BinaryIO, new: Iterator[tuple[str, bytes]]) -> None:
        """Writes the lines in their order with the ``new`` ones, which come in theirs and take the place of others."""
        done = self._start
        with memoryview(self._text) as text:
            for doc, line in new:
                place = self._place(doc, done)
                target.write(text[done:place])
                target.write(line)
                there = self._line(place)
                done = place + len(there) if there and name_in(there) == doc else place
            target.write(text[done : self._end])

    def _place(self, doc: str, low: int) -> int:
        """Where the line of a document begins, or would if there was one; not before ``low``."""
        key, high = to_key(doc), self._end
        while low < high:
            begin = self._text.rfind(b"\n", low, (low + high) // 2) + 1 or low
            line = self._line(begin)
            if to_key(name_in(line)) < key:
                low = begin + len(line)
            else:
                high = begin
        return low

    def _line(self, begin: int) -> bytes:
        """The line that begins here; none at the end."""
        return self._text[begin : self._text.find(b"\n", begin, self._end) + 1]


class StateDocuments(Mapping[str, bytes]):
    """The lines of documents by their names: those of earlier runs, and in their place those of this run."""

    def __init__(self, past: PastLines | None = None) -> None:
        self._past = past
        self._new = DocumentLines()

    def as_read(self) -> StateDocuments:
        """The same without the lines of this run."""
        return StateDocuments(self._past)

    def __setitem__(self, doc: str, line: bytes) -> None:
        self._new[doc] = line

    def __getitem__(self, doc: str) -> bytes:
        line = self._new.get(doc)
        if line is None and self._past is not None:
            line = self._past.get(doc)
        if line is None:
            raise KeyError(doc)
        return line

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        """Those of earlier runs, then the others."""
        past = self._past
        if past is not None:
            yield from past.names()
        for doc, _ in self._new.lines():
            if past is None or past.get(doc) is None:
                yield doc

    def write(self, target: BinaryIO) -> None:
        """Writes all lines in the order of names."""
        if self._past is None:
            target.writelines(map(itemgetter(1), self._new.lines()))
        else:
            self._past.write(target, self._new.lines())


def name_in(line: bytes) -> str:
    """The name that a document's line begins with; the rest is not read, unless something in the name is escaped."""
    name = line[len(BEGIN) : line.index(b'"', len(BEGIN))]
    return str(json.loads(line)["doc"]) if b"\\" in name else name.decode()
