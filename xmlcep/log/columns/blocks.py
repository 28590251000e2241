"""Blocks of a log that are checked and sifted as columns, before their records become rows.

Where a reader of a log needs few of its records, making rows of all is most of the cost. A reader that is
asked for blocks hands out what it took from the file in one go; the block then either tells all there is to
know of its records as `Stretch` values, with rows only of the events that are wanted, or, if anything in it is
out of the ordinary, is read like any other part of the log, so that there is one judge of bad records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from path_types import PathType

from ...errors import RecordError
from ...events import OPERATIONS, record_path
from ..batches import Batch
from ..decoding import is_same_meta
from ..json_codec import FASTEST
from ..records import Control, Header, Row

if TYPE_CHECKING:
    import pyarrow

Item: TypeAlias = tuple[int, Header | Control] | Batch
Meta: TypeAlias = Mapping[str, str]


class Stretch(NamedTuple):
    """Good records of one document, in ascending order of ts, that stand together in a block.

    ``first`` and ``last`` are time points, ``records`` says how many they are; ``rows`` has the wanted
    ones, and ``counts`` how many there are of each kind, in order of first occurrence. A row has no ``pos``: no
    rule sees it, save through the state of the document.
    """

    doc: str
    first: int
    last: int
    records: int
    rows: list[Row]
    counts: list[tuple[Kind, int]]


class Span(NamedTuple):
    """Good records of one document, in ascending order of ts, that stand together in a block (see `Stretch`)."""

    doc: str
    first: int
    last: int
    records: int


class Sifted(NamedTuple):
    """The records of a block, and the columns of those that are wanted, in file order.

    ``columns`` are Arrow arrays: ``doc`` and ``kind`` (int64: indexes of ``spans`` and of the kinds), ``ts``,
    ``ids`` (list of int64), ``value``, ``old``, ``at``, ``txn``, and ``meta`` as JSON texts in a dictionary, since
    many records share theirs, and ``more`` (true or null). No ``pos``: see `Stretch`.
    """

    spans: list[Span]
    columns: dict[str, pyarrow.Array]


class Kind(NamedTuple):
    """What records of one operation and path are: the texts read, how many ids, whether they are wanted.

    ``number`` says which they are of all kinds met so far.
    """

    op: str
    path: PathType
    length: int
    wanted: bool
    number: int


class Kinds(dict[tuple[str, str], Kind]):
    """The kinds of records by operation and path; raises `RecordError` for what no record can have.

    ``wants`` decides, once per kind, whether records of an operation and path are wanted.
    """

    def __init__(self, wants: Callable[[str, PathType], bool]) -> None:
        super().__init__()
        self._wants = wants
        self.met: list[Kind] = []
        """The kinds met so far, by number."""

    def __missing__(self, key: tuple[str, str]) -> Kind:
        op, text = key
        if op not in OPERATIONS:
            raise RecordError(f"op is {op!r}: expected 'ins', 'upd' or 'del'")
        return self.of(op, record_path(text))

    def of(self, op: str, path: PathType) -> Kind:
        """The kind of records with this operation and absolute path type."""
        kind = self.get((op, str(path)))
        if kind is None:
            kind = self[op, str(path)] = Kind(op, path, len(path), self._wants(op, path), len(self.met))
            self.met.append(kind)
        return kind


class Block(Protocol):
    """What a reader took from a file in one go."""

    def stretches(self, kinds: Kinds) -> list[Stretch] | None:
        """The records in stretches, at most one per document; None if anything is out of the ordinary."""

    def sifted(self, kinds: Kinds) -> Sifted | None:
        """The same as columns; needs PyArrow."""

    def items(self) -> Iterator[Item]:
        """The records as any reader hands them out; bad ones go where the reader puts them."""


def meta_texts(metas: Iterable[Meta | None]) -> pyarrow.DictionaryArray:
    """Metas as JSON texts in a dictionary; those that follow each other are mostly the same."""
    import pyarrow as pa

    texts: list[str] = []
    codes: list[int | None] = []
    places: dict[str, int] = {}
    last: Meta | None = None
    code: int | None = None
    for meta in metas:
        if meta is None:
            codes.append(None)
            continue
        if last is None or not is_same_meta(meta, last):
            text = FASTEST.dumps(meta).decode()
            code = places.setdefault(text, len(texts))
            if code == len(texts):
                texts.append(text)
            last = meta
        codes.append(code)
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(texts, pa.string()))
