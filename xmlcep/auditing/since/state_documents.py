"""The lines of documents in a state: those that earlier runs have written are looked up in their file, and copied.

They are in the order of names. One name of some thousand bytes is kept in memory, so that it is known where to look.
Nothing is made of a line that nobody asks for.
"""

from __future__ import annotations

import json
import re
import weakref
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter, lt
from typing import BinaryIO

from ..document_lines import DocumentLines, line_of
from ..temporary_tables import to_key
from .seals import Sealing

BEGIN = b'{"doc":"'
"""How the line of a document begins."""

_NAME = re.compile(rb'\n\{"doc":"([^"\\\n]*)"')  # in which nothing is escaped, behind the end of a line
_BLOCK = 1 << 20
_STRIDE = 1 << 12


class PastLines:
    """The lines of a file from one place to another; raises `ValueError` where they are none of documents, or do not
    stand in their order. The file is closed with them."""

    def __init__(self, stream: BinaryIO, start: int, end: int) -> None:
        self._stream = stream
        weakref.finalize(self, stream.close)
        self._places = [start]  # where strides begin, each with a line
        self._keys = [b""]  # not above those of the lines of a stride
        self._count = 0
        self._end = start
        self._last: list[bytes] = []  # the greatest key so far
        self._read = -1, b""
        stream.seek(start)
        while self._end < end:
            block = stream.read(min(_BLOCK, end - self._end))
            rest = stream.readline() if self._end + len(block) < end else b""
            self._look_through(block + rest)

    def __len__(self) -> int:
        return self._count

    def get(self, doc: str) -> bytes | None:
        """The line of a document."""
        stride = self._stride(self._stride_of(doc))
        begin = line_of({"doc": doc})[: -len(b"}\n")]
        place = 0 if stride.startswith(begin) else stride.find(b"\n" + begin) + 1
        if place or stride.startswith(begin):
            return stride[place : stride.index(b"\n", place) + 1]
        if b"\\" not in stride:
            return None
        return next((line for line in stride.splitlines(keepends=True) if name_in(line) == doc), None)

    def names(self) -> Iterator[str]:
        """The documents in their order."""
        for number in range(len(self._places)):
            yield from map(name_in, self._stride(number).splitlines(keepends=True))

    def write(self, target: Sealing, new: Iterator[tuple[str, bytes]]) -> None:
        """Writes the lines in their order with the ``new`` ones, which come in theirs and take the place of others."""
        done = 0
        for number, lines in groupby(new, lambda each: self._stride_of(each[0])):
            self._copy(target, done, number)
            there = self._stride(number).splitlines(keepends=True)
            merged = {name_in(line): line for line in there} | dict(lines)
            target.writelines(merged[doc] for doc in sorted(merged, key=to_key))
            done = number + 1
        self._copy(target, done, len(self._places))

    def _look_through(self, block: bytes) -> None:
        """Takes whole lines: their names are looked at, and nothing else."""
        block.decode()
        names = _NAME.findall(b"\n" + block)
        if len(names) != block.count(b"\n"):
            names = [to_key(name_in(line)) for line in block.splitlines(keepends=True)]
        if not (
            block.endswith(b"\n") and all(map(lt, chain(self._last, names), names[1 - len(self._last) :]))
        ):
            raise ValueError("not in order, or cut off")
        place = 0
        while (place := block.find(b"\n", place + _STRIDE) + 1) not in (0, len(block)):
            self._places.append(self._end + place)
            self._keys.append(to_key(name_in(block[place : block.index(b"\n", place) + 1])))
        self._count += len(names)
        self._end += len(block)
        self._last = names[-1:]

    def _stride_of(self, doc: str) -> int:
        return max(0, bisect_right(self._keys, to_key(doc)) - 1)

    def _stride(self, number: int) -> bytes:
        """The lines of a stride; those of the last are at hand, for documents mostly come in some order."""
        if self._read[0] != number:
            start, end = self._extent(number, number + 1)
            self._stream.seek(start)
            self._read = number, self._stream.read(end - start)
        return self._read[1]

    def _extent(self, first: int, end: int) -> tuple[int, int]:
        """Where strides begin, and where they end."""
        return self._places[first], self._places[end] if end < len(self._places) else self._end

    def _copy(self, target: Sealing, first: int, end: int) -> None:
        """Copies strides."""
        if first < end:
            start, stop = self._extent(first, end)
            self._stream.seek(start)
            for begin in range(start, stop, _BLOCK):
                target.write(self._stream.read(min(_BLOCK, stop - begin)))


class StateDocuments(Mapping[str, bytes]):
    """The lines of documents by their names: those of earlier runs, and in their place those of this run."""

    def __init__(self, past: PastLines | None = None) -> None:
        self._past = past
        self._new = DocumentLines()
        self._count = 0 if past is None else len(past)

    def as_read(self) -> StateDocuments:
        """The same without the lines of this run."""
        return StateDocuments(self._past)

    def __setitem__(self, doc: str, line: bytes) -> None:
        self._count += doc not in self
        self._new[doc] = line

    def __getitem__(self, doc: str) -> bytes:
        line = self._new.get(doc)
        if line is None and self._past is not None:
            line = self._past.get(doc)
        if line is None:
            raise KeyError(doc)
        return line

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        """Those of earlier runs, then the others."""
        past = self._past
        if past is not None:
            yield from past.names()
        for doc, _ in self._new.lines():
            if past is None or past.get(doc) is None:
                yield doc

    def write(self, target: Sealing) -> None:
        """Writes all lines in the order of names."""
        if self._past is None:
            target.writelines(map(itemgetter(1), self._new.lines()))
        else:
            self._past.write(target, self._new.lines())


def name_in(line: bytes) -> str:
    """The name that a document's line begins with; the rest is not read, unless something in the name is escaped.

    Raises `ValueError` for another line.
    """
    if not line.startswith(BEGIN):
        raise ValueError("no line of a document")
    name = line[len(BEGIN) : line.index(b'"', len(BEGIN))]
    return str(json.loads(line)["doc"]) if b"\\" in name else name.decode()
