"""Elements of the XML form with their places, and what can be wrong with any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from path_types.names import name_parts

from ...position import Position
from ...suggestions import did_you_mean
from ..options import GivenOption
from ..source import Source
from .markup import Attribute, Tag, offsets
from .names import NAMESPACE

_FOREIGN = ("{http://www.w3.org/XML/1998/namespace}", "{http://www.w3.org/2001/XMLSchema-instance}")
"""Namespaces of attributes that say nothing about rules, such as ``xsi:schemaLocation``."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of rules in XML; ``name`` is its name in the namespace of rules, "" in another."""

    node: etree._Element
    tag: Tag
    source: Source
    tag_of: Mapping[etree._Element, Tag]

    @property
    def name(self) -> str:
        uri, local = name_parts(str(self.node.tag))
        return local if uri == NAMESPACE else ""

    @property
    def at(self) -> Position:
        """Where its start tag begins."""
        return self.source.position(self.tag.start, self.tag.end)

    @property
    def children(self) -> list[Element]:
        """The elements in it."""
        return [Element(child, self.tag_of[child], self.source, self.tag_of) for child in self.node]

    def report(self, message: str, hint: str = "") -> None:
        """Adds a problem with this element."""
        self.source.report(self.tag.start, self.tag.end, message, hint)

    # ---- attributes -----------------------------------------------------------------------------------

    def __contains__(self, name: str) -> bool:
        return name in self.node.attrib

    def text(self, name: str) -> str | None:
        """The value of an attribute; None, which is reported, where it is missing."""
        value = self.node.get(name)
        if value is None:
            self.report(f"the attribute {name!r} of <{self.name}> is missing", f'write {name}="…"')
        return value

    def place(self, name: str) -> Attribute:
        """Where an attribute is."""
        return self.tag.attributes[name]

    def value_at(self, name: str) -> Position:
        """Where the value of an attribute is, without its quotes."""
        place = self.place(name)
        return self.source.position(place.value_start + 1, max(place.value_end - 1, place.value_start + 2))

    def report_value(self, name: str, message: str, hint: str) -> None:
        """Adds a problem with the value of an attribute."""
        place = self.place(name)
        self.source.report(place.value_start, place.value_end, message, hint)

    def offsets(self, name: str) -> tuple[int, ...]:
        """Where each character of an attribute's value is."""
        return offsets(self.source.text, self.place(name))

    def given(self, name: str, *, is_string: bool) -> GivenOption:
        """An attribute as an option."""
        start, end, value_start, value_end = self.place(name)
        return GivenOption(name, start, end, self.node.get(name), value_start, value_end, is_string)

    def check_attributes(self, allowed: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> None:
        """Reports attributes that it cannot have; ``elsewhere`` says what to write in place of some."""
        known = list(allowed)
        for name in map(str, self.node.attrib):
            if name in known or name.startswith(_FOREIGN):
                continue
            listed = f"attributes here: {', '.join(known)}" if known else "it has none"
            hint = (elsewhere or {}).get(name) or f"{did_you_mean(name, known)} {listed}".strip()
            start, end = (self.place(name)[:2]) if name in self.tag.attributes else self.tag[:2]
            self.source.report(start, end, f"<{self.name}> has no attribute {_shown(name)}", hint)

    # ---- content --------------------------------------------------------------------------------------

    def check_text(self) -> None:
        """Reports text in it: all that rules say is in elements and attributes."""
        texts = [self.node.text, *(child.tail for child in self.node)]
        text = next((text.strip() for text in texts if text and text.strip()), "")
        if text:
            short = text if len(text) <= 30 else f"{text[:30]}…"
            self.report(f"there is text in <{self.name}>: {short!r}", "write it as an attribute")

    def known_children(self, allowed: Iterable[str], *, otherwise: str = "") -> Iterator[Element]:
        """The elements in it that can be there; the others are reported."""
        names = list(allowed)
        for child in self.children:
            if child.name in names:
                yield child
                continue
            if child.name:
                near = did_you_mean(child.name, names)
                message = f"<{child.name}> cannot be in <{self.name}>"
                listed = f"elements here: {', '.join(names)}" if names else "it is empty"
                child.report(message, otherwise or f"{near} {listed}".strip())
            else:
                child.report(f"{_shown(str(child.node.tag))} is not an element of rules", _IN_NAMESPACE)


_IN_NAMESPACE = f'all elements are in the namespace {NAMESPACE}: write xmlns="{NAMESPACE}" at the top'


def _shown(name: str) -> str:
    return repr(name) if not name.startswith("{") else name
