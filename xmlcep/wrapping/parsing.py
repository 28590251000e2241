"""XML text and files to trees, by the project's one parser (`xmlcep.xml_parser`).

Files are opened here and never by lxml (which would unpack compressed files and fetch URLs); entities other
than the five of XML are refused; no DTD is loaded, XInclude is data. Depth, text length and entity
amplification have libxml2's default limits, which are kept.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, TypeAlias

from lxml import etree

from ..arguments import PATH, check
from ..events import UNNAMED
from ..files import all_of, bytes_of, refuse_device
from ..xml_parser import DEPTH_LIMIT as DEPTH_LIMIT
from ..xml_parser import compression, explanation, read_xml
from .errors import DocumentError

_DECLARATION = re.compile(rb"<\?xml\s")
"""How an XML declaration begins; ``<?xml-stylesheet`` is a processing instruction, and stays."""

Source: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"


def parse_bytes(
    data: bytes | str, *, source_name: str = "<text>", lookup: etree.ElementClassLookup | None = None
) -> Any:
    """The tree (an lxml ElementTree) of XML text.

    Raises `DocumentError`, which names ``source_name``, the line and what to do, when the text is not well-formed,
    too deep, compressed, or needs entities.
    """
    try:
        raw = data.encode("utf-8") if isinstance(data, str) else bytes(data)
    except UnicodeEncodeError as error:
        raise DocumentError(
            f"{source_name}: {error.reason} at character {error.start + 1}: XML has no such"
        ) from None
    packed = compression(raw)
    if packed:
        raise DocumentError(f"{source_name}: this is {packed} data, not XML: unpack it first")
    if isinstance(data, str):
        raw = _without_encoding(raw)
    try:
        root, errors = read_xml(raw, lookup)
    except etree.XMLSyntaxError as error:
        raise DocumentError(_explain(error, source_name)) from error
    tree = root.getroottree()
    _refuse_entities(tree, source_name)
    _refuse_lost_entities(errors, source_name)
    return tree


def parse_file(source: Source, *, lookup: etree.ElementClassLookup | None = None) -> Any:
    """The tree of an XML file (a path or an open file); raises `DocumentError` as `parse_bytes`, or OSError."""
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if "://" in text:
            raise DocumentError(f"{text}: an address, not a file: download it and pass the file or its bytes")
        if text.lstrip().startswith("<"):
            raise DocumentError("XML text was given where a file is expected: use fromstring(text)")
        check("parse()", source=(text, PATH))
        if Path(text).is_dir():
            raise DocumentError(f"{text} is a folder: pass one of its files")
        return parse_bytes(bytes_of(text), source_name=text, lookup=lookup)
    if not hasattr(source, "read"):
        raise DocumentError(f"{source!r} is neither a path nor an open file: use fromstring() for text")
    name = str(getattr(source, "name", "<file>"))
    if isinstance(source, io.BufferedIOBase):  # of a device, or what unpacks, all there is may be without end
        refuse_device(source, name)
        data: bytes | str = all_of(source, name, "document")
    else:
        data = source.read()
    return parse_bytes(data, source_name=name, lookup=lookup)


def name_of_source(source: Source) -> str:
    """What a document is called by default: the last part of its file's name, ``document`` if it has none."""
    given = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return Path(given).name if isinstance(given, (str, os.PathLike)) else UNNAMED


def _without_encoding(raw: bytes) -> bytes:
    """UTF-8 text without the encoding its declaration states (which was that of a file it came from)."""
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    if not _DECLARATION.match(raw):
        return raw
    end = raw.find(b"?>")
    # Blanks instead of the declaration's characters keep line and column numbers of errors right.
    return raw if end < 0 else _blank(raw[: end + 2]) + raw[end + 2 :]


def _blank(declaration: bytes) -> bytes:
    kept = b'<?xml version="1.0"?>'
    return kept + b"\n" * declaration.count(b"\n")


def _explain(error: etree.XMLSyntaxError, source_name: str) -> str:
    line, column = error.position if error.position else (0, 0)
    place = f"{source_name}:{line}:{column}" if line else source_name
    return f"{place}: {explanation(error)}"


def _refuse_lost_entities(errors: Iterable[etree._LogEntry], source_name: str) -> None:
    """Of an entity in an attribute that only a DTD outside could declare nothing is left in the tree but a warning."""
    for entry in errors:
        if entry.type == etree.ErrorTypes.WAR_UNDECLARED_ENTITY:
            raise DocumentError(
                f"{source_name}:{entry.line}:{entry.column}: {entry.message}: "
                "replace entities by their text (xmllint --noent does that) before wrapping"
            )


def _refuse_entities(tree: Any, source_name: str) -> None:
    for node in tree.iter(etree.Entity):
        raise DocumentError(
            f"{source_name}:{node.sourceline}: the entity {node.text} is not resolved: "
            "replace entities by their text (xmllint --noent does that) before wrapping"
        )
    dtd = tree.docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        name = next(iter(dtd.iterentities())).name
        raise DocumentError(
            f"{source_name}: the document type declares the entity {name!r}: "
            "entities are refused, replace them by their text and drop the declaration"
        )
