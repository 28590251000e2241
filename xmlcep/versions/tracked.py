"""Versions that a document has in itself: its tracked changes, as Oxygen and Word processors keep them, with who and
when. Each person's changes of one time are a version; in the first one none is done yet."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from ..xml_parser import explanation, read_xml
from .files import digest, read_file
from .version import LARGEST, Version, VersionError, refuse_large
from .word import WORD, in_word, word_changes

_WORD_PART = "word/document.xml"
_PAIR = re.compile(r"""([\w:.\-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class Change(NamedTuple):
    """Who made a tracked change, and when, as it is written."""

    date: str
    author: str


Done = Callable[[Change], bool]
"""Whether a change has been made by then."""


class TrackedVersions:
    """The states of a document with tracked changes, by their dates; raises `VersionError` for one without any."""

    kind = "tracked"

    def __init__(self, path: str | os.PathLike[str], *, largest: int = LARGEST) -> None:
        self._name = str(path)
        self._data = _xml_of(Path(path), largest)
        self.remarks: Sequence[str] = ()
        with self._not_too_deep():
            found = set(self._changes(self._parsed()))
        if not found:
            raise VersionError(f"{path}: there are no tracked changes, neither Oxygen's nor Word's")
        self._order = sorted(found, key=lambda each: (_time(each.date), each.author))
        first = _time(self._order[0].date)
        self.versions = (
            self._version("original", "original", first, {}, 0),
            *(
                self._version(
                    f"{each.date} {each.author}", each.date, _time(each.date),
                    {name: value for name, value in (("author", each.author), ("date", each.date)) if value}, number,
                )
                for number, each in enumerate(self._order, 1)
            ),
        )  # fmt: skip

    def read(self, version: Version, largest: int = LARGEST) -> bytes:
        """The document as it was then; its own parts in memory."""
        done = set(self._order[: self.versions.index(version)])
        root = self._parsed()
        if _is_word(root):
            in_word(root, lambda date, author: Change(date, author) in done)
        else:
            with self._not_too_deep():
                root = _copied(root, done.__contains__)
        return etree.tostring(root)

    @contextmanager
    def _not_too_deep(self) -> Iterator[None]:
        try:
            yield
        except RecursionError:
            raise VersionError(f"{self._name}: too many deletions in each other") from None

    def _version(self, id: str, label: str, at: float, meta: dict[str, str], number: int) -> Version:
        return Version(id, label, at, {self.kind: id, **meta}, digest(f"{number}".encode() + self._data))

    def _parsed(self) -> Any:
        try:
            return read_xml(self._data)[0]
        except etree.XMLSyntaxError as error:
            raise VersionError(f"{self._name}:{error.lineno}: {explanation(error)}") from error

    def _changes(self, root: Any) -> Iterator[Change]:
        if _is_word(root):
            yield from (Change(date, author) for date, author in word_changes(root))
            return
        for instruction in root.iter(etree.PI):
            if instruction.target == "oxy_attributes":
                yield from (_change(_pairs(said)) for said in _pairs(instruction.text).values())
            elif instruction.target in ("oxy_insert_start", "oxy_delete"):
                yield _change(_pairs(instruction.text))
                if deleted := _pairs(instruction.text).get("content"):
                    yield from self._changes(_fragment(deleted, instruction))


def _xml_of(path: Path, largest: int) -> bytes:
    """The bytes of a document, or of the main part of a Word file."""
    data = read_file(path, largest)
    if not data.startswith(b"PK"):
        return data
    try:
        with zipfile.ZipFile(BytesIO(data)) as parts:
            refuse_large(f"{path}: {_WORD_PART}", parts.getinfo(_WORD_PART).file_size, largest)
            return parts.read(_WORD_PART)
    except (KeyError, zipfile.BadZipFile) as error:
        raise VersionError(f"{path}: no Word document: it has no {_WORD_PART}") from error


def _is_word(root: Any) -> bool:
    return next(root.iter(f"{{{WORD}}}body"), None) is not None


def _time(date: str) -> float:
    """A date of ISO 8601 as seconds since 1970, without a zone in UTC; unknown ones come first."""
    try:
        when = datetime.fromisoformat(date)
    except ValueError:
        return 0.0
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


# ---- Oxygen


def _pairs(text: str | None) -> dict[str, str]:
    """What an instruction says, as attributes."""
    return {name: unescape(one or other) for name, one, other in _PAIR.findall(text or "")}


def _change(said: dict[str, str]) -> Change:
    return Change(said.get("timestamp", ""), said.get("author", ""))


def _fragment(content: str, place: Any) -> Any:
    """What was deleted, in an element that has the namespaces of its place."""
    above = place.getparent()
    names = {} if above is None else above.nsmap
    declared = "".join(f' xmlns{f":{prefix}" if prefix else ""}="{uri}"' for prefix, uri in names.items())
    try:
        return read_xml(f"<deleted{declared}>{content}</deleted>")[0]
    except etree.XMLSyntaxError as error:
        line = place.sourceline
        raise VersionError(f"line {line}: what was deleted is not XML: {explanation(error)}") from error


def _copied(root: Any, done: Done) -> Any:
    """The tree with the changes that are done, and without those that are not."""
    copy = etree.Element(root.tag, _attributes(root, done), nsmap=root.nsmap)
    _Copying(done).content(root, copy)
    return copy


def _attributes(element: Any, done: Done) -> dict[str, str]:
    """The attributes of an element by then. What an instruction says is about the element behind it, if that has such
    an attribute, else about the one that it is in."""
    found = dict(element.attrib)
    for instruction in _about(element):
        for name, change in _pairs(instruction.text).items():
            said = _pairs(change)
            key = (
                f"{{{element.nsmap[name.partition(':')[0]]}}}{name.partition(':')[2]}"
                if ":" in name
                else name
            )
            if done(_change(said)):
                continue
            if said.get("type") == "inserted":
                found.pop(key, None)
            else:
                found[key] = said.get("oldValue", "")
    return found


def _about(element: Any) -> Iterator[Any]:
    before = element.getprevious()
    while before is not None and not (before.tail or "").strip() and before.tag is etree.PI:
        if before.target == "oxy_attributes" and _is_next(before, element):
            yield before
        before = before.getprevious()
    for instruction in element.iterchildren(etree.PI):
        behind = instruction.getnext()
        while behind is not None and behind.tag is etree.PI:
            behind = behind.getnext()
        if instruction.target == "oxy_attributes" and not (
            behind is not None and not (instruction.tail or "").strip() and _is_next(instruction, behind)
        ):
            yield instruction


def _is_next(instruction: Any, element: Any) -> bool:
    return isinstance(element.tag, str) and any(
        name.rpartition(":")[2] in (etree.QName(key).localname for key in element.attrib)
        for name in _pairs(instruction.text)
    )


class _Copying:
    """Copies what is in elements; ``open`` are the insertions around the place that is copied."""

    def __init__(self, done: Done) -> None:
        self._done = done
        self._open: list[Change] = []

    def content(self, element: Any, into: Any) -> None:
        """Copies what is in an element; where it is not there itself, to what is there around it."""
        self._text(element.text, into)
        for child in element:
            if child.tag is etree.PI and child.target.startswith("oxy_"):
                self._instruction(child, into)
            elif isinstance(child.tag, str):
                there = into
                if self._is_there():
                    there = etree.SubElement(
                        into, child.tag, _attributes(child, self._done), nsmap=child.nsmap
                    )
                self.content(child, there)
            self._text(child.tail, into)

    def _is_there(self) -> bool:
        return all(map(self._done, self._open))

    def _text(self, text: str | None, into: Any) -> None:
        if not text or not self._is_there():
            return
        if len(into):
            into[-1].tail = (into[-1].tail or "") + text
        else:
            into.text = (into.text or "") + text

    def _instruction(self, instruction: Any, into: Any) -> None:
        said = _pairs(instruction.text)
        match instruction.target:
            case "oxy_insert_start":
                self._open.append(_change(said))
            case "oxy_insert_end" if self._open:
                self._open.pop()
            case "oxy_delete" if not self._done(_change(said)):
                self.content(_fragment(said.get("content", ""), instruction), into)
