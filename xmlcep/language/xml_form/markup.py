"""Where elements and attributes are in well-formed XML: what the parser does not say.

The text has been parsed by the project's one parser, which refuses entities, and has no document type; so its start
tags can be found by a pattern, and are as many as there are elements.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

_MARKUP = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|</[^>]*>"""
    r"""|<(?P<name>[^\s/>]+)(?P<attributes>(?:[^>"']++|"[^"]*+"|'[^']*+')*+)>""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")
_CHARACTER = re.compile(r"&[^;]*;|\r\n|.", re.DOTALL)
_DECLARATION = re.compile(r"\ufeff?(?:<\?xml\s[^>]*\?>)?")


_ENCODING = re.compile(rb"""<\?xml\s[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["'][^>]*\?>""")


class Attribute(NamedTuple):
    """Where an attribute is: its name, and its value with the quotes."""

    start: int
    end: int
    value_start: int
    value_end: int


class Tag(NamedTuple):
    """Where a start tag is: from ``start`` to behind its name at ``end``; its attributes by name."""

    start: int
    end: int
    attributes: dict[str, Attribute]


def tags(text: str) -> Iterator[Tag]:
    """The start tags, in document order."""
    for match in _MARKUP.finditer(text):
        if match["name"] is None:
            continue
        attributes = {
            attribute[1]: Attribute(*attribute.span(1), *attribute.span(2))
            for attribute in _ATTRIBUTE.finditer(text, *match.span("attributes"))
        }
        yield Tag(match.start(), match.end("name"), attributes)


def xml_comment_count(text: str) -> int:
    """How many comments there are in well-formed XML."""
    return sum(match.group().startswith("<!--") for match in _MARKUP.finditer(text))


def offsets(text: str, attribute: Attribute) -> tuple[int, ...]:
    """Where each character of the attribute's value is."""
    inside = _CHARACTER.finditer(text, attribute.value_start + 1, attribute.value_end - 1)
    return tuple(match.start() for match in inside)


def without_declaration(text: str) -> str:
    """The text with blanks in place of a byte order mark and an XML declaration: everything is where it was."""
    return _DECLARATION.sub(lambda match: re.sub(r"[^\r\n]", " ", match.group()), text, count=1)


def xml_encoding(data: bytes) -> str:
    """The encoding of XML as it says itself, for `bytes.decode`; of anything else, and by itself, UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    declared = _ENCODING.match(data)
    name = declared[1].decode("ascii") if declared else "utf-8"
    return "utf-8-sig" if name.lower() in ("utf-8", "utf8") else name
