"""Who last changed each element, attribute and text of a document: in the margin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from ..arguments import FUNCTION, TEXT, check, optional
from ..log.errors import LogError
from ..log.quarantine import BadRecordPolicy, refuse
from ..log.segments import Source
from ..matching.paths import step_name, written
from ..recording.moment import Moment, When
from ..xml_parser import read_xml
from .stamps import Replay, Stamp
from .version import VersionError

_INDENT = "  "


class Line(NamedTuple):
    """A line of a document as it is shown; ``stamp`` is None for end tags."""

    text: str
    stamp: Stamp | None
    node: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Blame:
    """A document with the stamp of each of its nodes by node id."""

    root: etree._Element
    stamps: Mapping[int, Stamp]
    ids: Mapping[tuple[etree._Element, str], int]
    """The node ids: of an element under ``""``, of an attribute under ``@name``, of texts under ``text``, ``tail``."""

    def stamp(self, element: etree._Element, part: str = "") -> Stamp:
        """The stamp of an element, or of its ``@name``, ``text`` or ``tail``."""
        return self.stamps[self.ids[element, part]]

    def id_of(self, found: Any) -> int:
        """The node id of something that `select` has found: an element, an attribute, a text."""
        if isinstance(found, etree._Element):
            return self.ids[found, ""]
        return self.ids[found.getparent(), _part(found)]

    def lines(self, xpath: str | None = None) -> Iterator[Line]:
        """The document, or what an XPath expression finds in it, a line for each thing of one stamp.

        Prefixes are the document's; ``d`` stands for its default namespace. Raises `VersionError` for an
        expression that is none, finds no nodes, or finds nothing.
        """
        if xpath is None:
            yield from self._element(self.root)
            return
        for found in select(self.root, xpath):
            if isinstance(found, etree._Element):
                yield from self._element(found)
                continue
            owner, part = found.getparent(), _part(found)
            above = owner.getparent() if part == "tail" else owner
            place = self.root.getroottree().getpath(above)
            shown = (
                f"{place}/@{written(owner, found.attrname)}" if part.startswith("@") else f"{place}/text()"
            )
            yield Line(f"{shown}  {str(found)!r}", self.stamp(owner, part), self.ids[owner, part])

    def _element(self, top: etree._Element) -> Iterator[Line]:
        """The lines of an element and all below it; deep trees need no deep stack."""
        pending: list[tuple[str, etree._Element, int]] = [("start", top, 0)]
        while pending:
            step, element, depth = pending.pop()
            if step == "end":
                yield Line(f"{_INDENT * depth}</{step_name(element)}>", None, None)
                continue
            if step == "tail":
                yield from self._text(element, "tail", depth)
                continue
            text = escape(element.text or "")
            whole = len(element) == 0 and (not text or self._same(element, "text")) and "\n" not in text
            yield from self._start_tag(element, depth, f">{text}</{step_name(element)}>" if whole else ">")
            if whole:
                continue
            yield from self._text(element, "text", depth + 1)
            pending.append(("end", element, depth))
            for child in reversed(element):
                if child.tail:
                    pending.append(("tail", child, depth + 1))
                if isinstance(child.tag, str):
                    pending.append(("start", child, depth + 1))

    def _start_tag(self, element: etree._Element, depth: int, end: str) -> Iterator[Line]:
        """The start tag; attributes that have another stamp than their element stand on lines of their own."""
        stamp, node = self.stamp(element), self.ids[element, ""]
        line = f"{_INDENT * depth}<{step_name(element)}"
        for name, value in element.items():
            shown = f"{written(element, name)}={quoteattr(value)}"
            if self._same(element, f"@{name}"):
                line = f"{line} {shown}" if line else f"{_INDENT * (depth + 2)}{shown}"
                continue
            if line:
                yield Line(line, stamp, node)
            part = f"@{name}"
            yield Line(f"{_INDENT * (depth + 2)}{shown}", self.stamp(element, part), self.ids[element, part])
            line = ""
        yield Line(f"{line or _INDENT * (depth + 1)}{end}", stamp, node)

    def _same(self, element: etree._Element, part: str) -> bool:
        """Whether a part of an element was made by the one that made the element."""
        one, other = self.stamp(element), self.stamp(element, part)
        return one is other or (one.txn is not None and one.txn == other.txn) or one.ts == other.ts

    def _text(self, element: etree._Element, part: str, depth: int) -> Iterator[Line]:
        text = (element.text if part == "text" else element.tail) or ""
        for line in escape(text).split("\n") if text else ():
            if line.strip() or text.isspace():
                shown = line.strip() or repr(text)
                yield Line(f"{_INDENT * depth}{shown}", self.stamp(element, part), self.ids[element, part])
            if text.isspace():
                return


def blame(
    log: Source, *, at: When | Moment = None, doc: str | None = None, on_bad: BadRecordPolicy = refuse
) -> Blame:
    """Who last changed each node of the document at a moment (None: at the end of the log).

    A node belongs to whoever inserted or moved it, an attribute or text to whoever last set it. Raises `LogError` for a
    log that is damaged, has several documents, or has no document at ``at``.
    """
    check("blame()", doc=(doc, optional(TEXT)), on_bad=(on_bad, FUNCTION))
    replay = Replay(log, at=at, doc=doc, on_bad=on_bad)
    stamps: dict[int, Stamp] = {}
    for event in replay.events():
        if event.op == "del":
            stamps.pop(event.ids[-1], None)
        else:
            stamps[event.ids[-1]] = Stamp(event.ts, event.at, event.txn, event.meta or {})
    xml, ids = replay.replica.snapshot()
    if xml is None:
        when = "at its end" if at is None else f"at {at}"
        raise LogError(f"the document {replay.doc or ''!r} has no root element {when}")
    root = read_xml(xml.encode(), huge=True)[0]
    return Blame(root, {node: stamps.get(node, replay.start) for node in ids}, _ids(root, iter(ids)))


def _ids(root: etree._Element, given: Iterator[int]) -> dict[tuple[etree._Element, str], int]:
    """The ids of the nodes of a snapshot, which are in document order."""
    found: dict[tuple[etree._Element, str], int] = {}
    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        if event == "start":
            found[element, ""] = next(given)
            for name, _ in element.items():
                found[element, f"@{name}"] = next(given)
            if element.text:
                found[element, "text"] = next(given)
        elif element.tail and element is not root:
            found[element, "tail"] = next(given)
    return found


def select(root: etree._Element, xpath: str) -> list[Any]:
    """The nodes that an XPath expression finds; raises `VersionError` for one that is none or finds none.

    Prefixes are those of the document; its default namespace is ``d``.
    """
    default = root.nsmap.get(None)
    try:
        found = etree.XPath(xpath, namespaces=prefixes_of(root), regexp=False)(root)
    except etree.XPathError as error:
        raise VersionError(f"{xpath!r} is no XPath expression that can be used here: {error}") from error
    if not isinstance(found, list) or not all(hasattr(node, "getparent") for node in found):
        raise VersionError(
            f"{xpath!r} is {found!r}: expected an expression that finds nodes, such as //item/price"
        )
    if not found:
        hint = f": names without prefix are in no namespace here, write d:… for {default}" if default else ""
        raise VersionError(f"{xpath!r} finds nothing in the document{hint}")
    return found


def prefixes_of(root: etree._Element) -> dict[str, str]:
    """The prefixes by which people name nodes of a document: its own, and ``d`` for its default namespace."""
    names = {prefix: uri for element in root.iter("*") for prefix, uri in element.nsmap.items() if prefix}
    default = root.nsmap.get(None)
    if default is not None:
        names.setdefault("d", default)
    return names


def _part(found: Any) -> str:
    return f"@{found.attrname}" if found.is_attribute else "tail" if found.is_tail else "text"
