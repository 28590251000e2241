"""Blocks of a log; those of Parquet are checked and filtered as columns, before their records become rows.

Where a reader of a log needs few of its records, making rows of all is most of the cost. A reader that is
asked for blocks hands out what it took from the file in one go; the block then either tells all there is to
know of its records as `Run` values, with rows only of the records that are needed, or, if anything in it is
out of the ordinary, is read like any other part of the log, so that there is one judge of bad records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from path_types import PathType, Step

from ...errors import RecordError
from ...events import OPERATIONS, record_path
from ...timestamps import TimeError, microseconds
from ...xml_parser import NOT_XML
from ..batches import Batch
from ..errors import BadRecord
from ..records import Aside, Row

Item: TypeAlias = tuple[int, Aside] | Batch
Meta: TypeAlias = Mapping[str, str]


class Span(NamedTuple):
    """Good change records of one document, in ascending order of ts, that are together in a block.

    ``first`` and ``last`` are time points, ``records`` says how many they are, ``first_txn`` and ``last_txn`` which
    transactions the first and the last belong to.
    """

    doc: str
    first: int
    last: int
    records: int
    first_txn: int | None = None
    last_txn: int | None = None


class Run(NamedTuple):
    """A span with rows of the records that are needed.

    The rows may be there once only, each made when it is asked for, so that it is at hand when it is looked at.
    ``counts`` says how many there are of each type, in order of first occurrence. A row has no ``pos`` where records
    are not applied to a document (see `RecordTypes`): no rule sees it, save through the state of that. ``edits``:
    whether the edit of any record in the block continues in the next (U1).
    """

    span: Span
    rows: Iterable[Row]
    counts: list[tuple[RecordType, int]]
    edits: bool = False


class RecordType(NamedTuple):
    """What records of one operation and path are: the texts read, how many ids, whether they are needed.

    ``number`` says which of all types it is, in the order in which they came.
    """

    op: str
    path: PathType
    length: int
    needed: bool
    number: int


class RecordTypes(dict[tuple[str, str], RecordType]):
    """The types of records by operation and path; raises `RecordError` for what no record can have.

    ``is_needed`` decides, once per type, whether records of an operation and path are needed. ``check_times``: whether
    the ``at`` of each record has to be a time (W1). ``applied``: whether records are applied to a document, so that
    their texts must be such as XML can hold, and rows have their ``pos``.
    """

    def __init__(
        self,
        is_needed: Callable[[str, PathType], bool],
        *,
        check_times: bool = False,
        applied: bool = False,
    ) -> None:
        super().__init__()
        self.check_times = check_times
        self.applied = applied
        self._is_needed = is_needed
        self.by_number: list[RecordType] = []
        """The types that came so far."""
        self._read: dict[str, PathType] = {}
        self._steps: dict[str, Step] = {}  # the last steps of these

    def __missing__(self, key: tuple[str, str]) -> RecordType:
        op, text = key
        if op not in OPERATIONS:
            raise RecordError(f"op is {op!r}: expected 'ins', 'upd' or 'del'")
        path = self._read.get(text)
        if path is None:
            path = self._read[text] = self._path(text)
        return self.of(op, path)

    def _path(self, text: str) -> PathType:
        """The path of a record from its text: one more step below a path that was read, if there is one."""
        above, _, last = text.rpartition("/")
        parent, step = self._read.get(above), self._steps.get(last)
        if parent is not None and step is not None and parent.last.is_element:
            return parent.child(step)
        path = record_path(text)
        if str(path.last) == last:
            self._steps[last] = path.last
        return path

    def of(self, op: str, path: PathType) -> RecordType:
        """The type of records with this operation and absolute path type."""
        text = str(path)
        found = self.get((op, text))
        if found is None:
            found = RecordType(op, path, len(path), self._is_needed(op, path), len(self.by_number))
            self[op, text] = found
            self.by_number.append(found)
        return found


def are_xml(texts: Iterable[str | None]) -> bool:
    """Whether XML can hold these texts, as far as they are not None; others cannot be applied to a document."""
    return NOT_XML.search("".join(filter(None, texts))) is None


def are_times(texts: Iterable[str | None]) -> bool:
    """Whether these are times, as far as they are not None."""
    try:
        for text in set(texts):
            if text is not None:
                microseconds(text)
    except TimeError:
        return False
    return True


class Block:
    """What a reader took from a file in one go, so many ``records`` (of JSON Lines: lines).

    ``items`` reads them as any reader does; bad ones go where the reader puts them. ``complain`` makes the bad record
    of the number of one and a reason that only other records tell. ``first`` is the number of the first record.
    """

    def __init__(
        self, items: Callable[[], Iterator[Item]], complain: Callable[[int, str], BadRecord], records: int,
        first: int = 1,
    ) -> None:  # fmt: skip
        self.items = items
        self.complain = complain
        self.records = records
        self.first = first

    def runs(self, types: RecordTypes) -> list[Run] | None:
        """The records in runs, at most one per document; None if it has no columns, or anything in them is out of the
        ordinary."""
        return None
