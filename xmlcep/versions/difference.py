"""What two documents differ in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from lxml import etree

from ..arguments import PATH, Kind, check, one_of
from ..element_classes import given_root
from ..events import PrimitiveEvent
from ..log.records import Header
from ..matching import Change, ChangeKind, Contents, Key, changes, match, outline
from ..matching.outline import Node
from ..matching.whitespace import unindent
from ..schema.identities import schema_keys
from ..wrapping import wrap
from ..wrapping.calls.lxml_methods import LOOKUP
from ..wrapping.parsing import parse_bytes
from .files import read_file
from .remarks import key_remarks, root_remarks
from .version import LARGEST, VersionError, refuse_large


class Text(NamedTuple):
    """An XML text and what it is called in messages."""

    name: str
    data: bytes | str


Given: TypeAlias = "str | os.PathLike[str] | IO[bytes] | etree._Element | etree._ElementTree[Any] | Any"
"""A document to compare: a file (path or open), an lxml tree or element, a wrapped document."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes that lead from one document to another, in document order; false when there are none.

    ``remarks`` are sentences on what is odd: roots of different names, keys that several elements share or none has.
    """

    changes: tuple[Change, ...]
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def count(self, kind: ChangeKind) -> int:
        """How many changes are of a kind."""
        check("count()", kind=(kind, one_of(ChangeKind)))
        return sum(change.kind is kind for change in self.changes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "no difference"


def diff(
    old: Given,
    new: Given,
    *,
    keys: Sequence[str | Key] = (),
    schema: str | Path | None = None,
    ignore_whitespace: bool = True,
    largest: int = LARGEST,
) -> Difference:
    """The changes from ``old`` to ``new``: files (paths or open), lxml trees or elements, or wrapped documents.

    Elements are matched by ``keys`` (such as ``"item=@partNum"``) and the keys of a ``schema`` (an XSD file), by usual
    keys such as ``id`` and by whatever is unique among siblings, then by content, then by similarity.
    ``ignore_whitespace`` ignores white space that only indents. Prefixes, the order of attributes, the document type
    and nodes outside of the root element are not compared.

    Raises `DocumentError` for XML that is refused, `VersionError` for files of more than ``largest`` megabytes and for
    what is not a document, `KeyFormatError`, or OSError.

    >>> from io import BytesIO
    >>> print(diff(BytesIO(b"<order><price>9</price></order>"), BytesIO(b"<order><price>8</price></order>")))
    ~ /order/price/text() '9' → '8'
    """
    check(
        "diff()",
        largest=(largest, Kind(lambda given: isinstance(given, (int, float)) and given > 0, "megabytes")),
    )
    given, known = _keys(keys, schema)
    one, other = (_Given(each, largest) for each in (old, new))
    if one.data is not None and one.data == other.data:
        one.root()  # which raises if it is none
        return Difference(())
    contents = Contents()
    before, after = (
        outline(each.root(), contents, ignore_whitespace=ignore_whitespace) for each in (one, other)
    )
    found = tuple(changes(match(before, after, known)))
    is_renamed = [change.kind for change in found] == [ChangeKind.RENAMED]
    names = () if is_renamed else root_remarks(before.tag[0], after.tag[0])
    return Difference(found, (*names, *key_remarks((before, after), given)))


class DifferenceLog(NamedTuple):
    """A difference as a change log of one transaction; ``remarks`` as in `Difference`."""

    header: Header
    events: Sequence[PrimitiveEvent]
    remarks: Sequence[str]


def difference_log(
    old: Text, new: Text, *, keys: Sequence[str | Key] = (), schema: str | Path | None = None,
    ignore_whitespace: bool = True, at: float,
) -> DifferenceLog:  # fmt: skip
    """The difference of two XML texts as a change log; arguments and errors as of `diff`.

    The document is called what the first text is; ``at`` is the time of all events, in seconds since 1970.
    """
    given, known = _keys(keys, schema)
    trees = [parse_bytes(text.data, source_name=text.name, lookup=LOOKUP) for text in (old, new)]
    if ignore_whitespace:
        unindent(trees[0].getroot())
    contents = Contents()
    remarks = list(root_remarks(*(tree.getroot().tag for tree in trees)))
    if given:
        remarks += key_remarks([outline(tree.getroot(), contents) for tree in trees], given)
    events: list[PrimitiveEvent] = []
    meta = {"old": old.name, "new": new.name}
    with wrap(trees[0], name=Path(old.name).name, now=lambda: at) as document:
        snapshot, ids = document.snapshot()
        document.subscribe(events.append)
        document.update_to(trees[1], keys=list(map(str, known)), ignore_whitespace=ignore_whitespace, **meta)
        return DifferenceLog(Header(document.name, snapshot, tuple(ids)), events, remarks)


def _keys(keys: Sequence[str | Key], schema: str | Path | None) -> tuple[list[Key], list[Key]]:
    """The keys that were given, and with them those of the schema."""
    check("diff()", keys=(keys, KEYS))
    given = [key if isinstance(key, Key) else Key.parse(key) for key in keys]
    return given, [*given, *(schema_keys(schema) if schema is not None else ())]


KEYS = Kind(
    lambda given: isinstance(given, Sequence) and not isinstance(given, str)
    and all(isinstance(key, (str, Key)) for key in given),
    'a list of keys such as "item=@partNum"',
)  # fmt: skip


class _Given:
    """A document to compare, as it was given: its bytes, where it is a file."""

    def __init__(self, given: Given, largest: int) -> None:
        self._given = given
        self.data: bytes | str | None = None
        self._name = "<file>"
        if isinstance(given, Text):
            self._name, self.data = given
        elif isinstance(given, (str, os.PathLike)):
            self._name = os.fspath(given)
            check("diff()", file=(self._name, PATH))
            if self._name.lstrip().startswith("<"):
                raise VersionError(
                    "XML text was given where a file is expected: parse it with lxml.etree.fromstring"
                )
            self.data = read_file(Path(given), largest)
        elif hasattr(given, "read") and not isinstance(given, etree._Element):
            self._name = str(getattr(given, "name", self._name))
            self.data = given.read()
            refuse_large(self._name, len(self.data), largest)

    def root(self) -> Node:
        """The root element."""
        if self.data is not None:
            return parse_bytes(self.data, source_name=self._name).getroot()
        given = self._given
        root = given_root(given)
        if root is None:
            raise VersionError(f"{given!r} is not a document: give an XML file, an lxml tree or element")
        return root
