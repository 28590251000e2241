"""Entities whose texts are known: a table of them, and XML texts in which they are replaced by characters.

The one parser resolves no entities (`xmlcep.xml_parser`). Here they are replaced before it reads a text, by character
references, so that what an entity stands for is text and never markup. Nothing is fetched, an entity has a bounded
length however many others it names, and a text that grows beyond what a document may have is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html.entities import html5
from pathlib import Path

from .files import read_file
from .version import LARGEST, VersionError, refuse_large

STANDARD = "standard"
"""What stands for the names that HTML 5 took over from the standard DTDs: ISO, XHTML, DocBook, MathML."""
_LONGEST = 10_000  # characters of one entity
_DEEPEST = 16  # entities within entities
_NAME = r"[^\W\d][\w.:-]*+"
_DECLARATION = re.compile(
    rf"""<!--.*?-->|(?P<entity><!ENTITY\s+(?P<name>{_NAME})\s+(?:"(?P<one>[^"]*)"|'(?P<other>[^']*)')\s*>)""",
    re.DOTALL,
)
_REFERENCE = re.compile(rf"&(?:\#(?P<decimal>\d{{1,7}});|\#x(?P<hex>[0-9A-Fa-f]{{1,6}});|(?P<name>{_NAME});)")
_TOKEN = re.compile(
    rb"""<!--.*?--> | <!\[CDATA\[.*?\]\]> | <\?.*?\?>
    | (?P<doctype> <!DOCTYPE (?: [^\[>"'] | "[^"]*" | '[^']*' )*+
        (?: \[ (?: <!--.*?--> | <\?.*?\?> | "[^"]*" | '[^']*' | [^\]"'] )*+ \] )? \s* > )
    | &(?P<name>[A-Za-z_:\x80-\xff][\w.:\x80-\xff-]*+);""",
    re.DOTALL | re.VERBOSE,
)
_OF_XML = frozenset(["amp", "lt", "gt", "quot", "apos"])
_PLAIN = frozenset(b"\t\n abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;-")
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff", b"\x00<", b"<\x00")  # not a superset of ASCII: left as they are


class Entities:
    """What entities stand for: `resolved` replaces them in XML text.

    What a document declares itself counts before what was given, as XML has it. An entity of elements, one that is
    read from elsewhere and one that is too long are none of the table: documents that use them are refused as before.

    >>> Entities({"nbsp": "&#160;", "us": "R&amp;D"}).resolved(b"<a b='&us;'>1&nbsp;&lt;<![CDATA[&us;]]></a>").decode()
    "<a b='R&#38;D'>1&#160;&lt;<![CDATA[&us;]]></a>"
    """

    def __init__(self, declared: Mapping[str, str]) -> None:
        self._declared = declared
        self._texts: dict[str, str | None] = {}

    @classmethod
    def read(cls, given: Iterable[str]) -> Entities:
        """Those of files with declarations (``.dtd``, ``.ent``, ``.mod``), and of `STANDARD`; the first counts.

        Raises `VersionError` for a file that declares none, or OSError.
        """
        declared: dict[str, str] = {}
        for name in given:
            found = dict(_standard() if name == STANDARD else _declarations(_text(Path(name))))
            if not found:
                raise VersionError(
                    f'{name}: declares no entity: expected lines such as <!ENTITY nbsp "&#160;">, or {STANDARD}'
                )
            declared = found | declared
        return cls(declared)

    def resolved(self, data: bytes, name: str = "<text>", largest: int = LARGEST) -> bytes:
        """XML text with its entities replaced and those that its document type declares blanked out.

        Lines stay as they are. Raises `VersionError` if it would have more than ``largest`` megabytes.
        """
        if data.startswith(_OTHER_ENCODINGS):
            return data
        entities = self
        parts: list[bytes] = []
        size = behind = 0
        for found in _TOKEN.finditer(data):
            doctype, reference = found["doctype"], found["name"]
            if doctype is not None:
                own = dict(_declarations(doctype.decode("utf-8", errors="replace")))
                entities = Entities({**self._declared, **own}) if own else self
                new = entities._without_declarations(doctype)
            elif reference is not None:
                text = entities.text(reference.decode("utf-8", errors="replace"))
                if text is None:
                    continue
                new = _as_characters(text)
            else:
                continue
            parts += (data[behind : found.start()], new)
            behind = found.end()
            size += len(new)
            refuse_large(name, size, largest)
        return b"".join((*parts, data[behind:])) if parts else data

    def text(self, name: str, depth: int = 0) -> str | None:
        """What an entity stands for; None for one of XML's own, an unknown one, or one that is not text."""
        if name in _OF_XML:
            return None
        if name not in self._texts:
            self._texts[name] = None  # for one that names itself
            declared = self._declared.get(name)
            if declared is not None and depth < _DEEPEST:
                self._texts[name] = self._replaced(declared, depth)
        return self._texts[name]

    def _replaced(self, declared: str, depth: int) -> str | None:
        """The text of a declaration: references to characters count as they are declared, then again where used."""
        literal = _REFERENCE.sub(lambda found: _character(found) or found[0], declared)
        if "<" in literal:
            return None
        parts: list[str] = []
        size = behind = 0
        for found in _REFERENCE.finditer(literal):
            own = found["name"]
            part = _PREDEFINED.get(own) or self.text(own, depth + 1) if own else _character(found)
            if part is None:
                return None
            parts += (literal[behind : found.start()], part)
            behind = found.end()
            size += len(part)
            if size > _LONGEST:
                return None
        text = "".join((*parts, literal[behind:]))
        return None if len(text) > _LONGEST or "&" in literal[behind:] else text

    def _without_declarations(self, doctype: bytes) -> bytes:
        """A document type without those that are replaced; the others are refused by the parser as ever."""
        text = doctype.decode("latin-1")

        def blank(found: re.Match[str]) -> str:
            name = (found["name"] or "").encode("latin-1").decode("utf-8", errors="replace")
            return found[0] if self.text(name) is None else "\n" * found[0].count("\n")

        return _DECLARATION.sub(blank, text).encode("latin-1")


_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def _text(path: Path) -> str:
    return read_file(path, LARGEST).decode("utf-8", errors="replace")


def _standard() -> Iterator[tuple[str, str]]:
    for name, text in html5.items():
        if name.endswith(";"):
            yield name[:-1], "".join(f"&#38;#{ord(each)};" for each in text)


def _declarations(text: str) -> Iterator[tuple[str, str]]:
    """The entities that a DTD, or a document type, declares as text, the last first: so that the first counts."""
    found = [each for each in _DECLARATION.finditer(text) if each["entity"]]
    for each in reversed(found):
        yield each["name"], each["one"] if each["one"] is not None else each["other"]


def _character(found: re.Match[str]) -> str | None:
    """The character that a reference names; None if it names an entity, or none that XML has."""
    if found["name"]:
        return None
    number = int(found["decimal"]) if found["decimal"] else int(found["hex"], 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else None


def _as_characters(text: str) -> bytes:
    return b"".join(
        bytes([ord(each)]) if ord(each) < 128 and ord(each) in _PLAIN else b"&#%d;" % ord(each)
        for each in text
    )
