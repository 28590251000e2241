"""The one XML parser of the project: no entities, no DTD, no network, no files.

Every XML text is read with it: documents to wrap (`xmlcep.wrapping.parsing`, which opens files and explains what is
refused), snapshots in change logs, reference documents, and what xmlcep has written itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.parsers import expat

from lxml import etree

DEPTH_LIMIT = 256
"""How deep elements may be nested in XML that is parsed (libxml2's own limit)."""

NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""A character that no XML text can hold, not even as a reference."""

_WHITE_SPACE = " \t\r\n"
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZ": "bzip2", b"\xfd7": "xz", b"PK": "zip"}


def is_blank(text: str) -> bool:
    """Whether there is nothing but white space as XML has it: a no-break space, say, is text like any other."""
    return not text.strip(_WHITE_SPACE)


def safe_parser(
    lookup: etree.ElementClassLookup | None = None, *, huge: bool = False, data_only: bool = False
) -> etree.XMLParser:
    """A new parser that keeps comments and processing instructions, unless ``data_only`` is asked for; ``lookup``
    chooses the element classes.

    Entities other than the five of XML are left as they are, never resolved: whoever parses a document refuses those
    that are left. ``huge`` lifts libxml2's limits on depth and text length, for trees that were built by calls and so
    never had them; those on what entities amount to stay.
    """
    return _parser(lookup, huge=huge, data_only=data_only)


def element_maker(lookup: etree.ElementClassLookup | None) -> etree.HTMLParser:
    """A parser to make elements with, also of names that no XML has; it reads nothing."""
    maker = etree.HTMLParser(no_network=True)
    maker.set_element_class_lookup(lookup)
    return maker


def _parser(
    lookup: etree.ElementClassLookup | None = None, *, huge: bool, data_only: bool = False,
    collect_ids: bool = True, recover: bool = False,
) -> etree.XMLParser:  # fmt: skip
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        attribute_defaults=False, huge_tree=huge, remove_comments=data_only, remove_pis=data_only,
        collect_ids=collect_ids, recover=recover,
    )  # fmt: skip
    if lookup is not None:
        parser.set_element_class_lookup(lookup)
    return parser


def read_xml(
    text: bytes | str,
    lookup: etree.ElementClassLookup | None = None,
    *,
    huge: bool = False,
    data_only: bool = False,
) -> tuple[etree._Element, Iterable[etree._LogEntry]]:
    """The root element of XML text, and what the parser noted; arguments and entities as of `safe_parser`.

    An ``xml:id`` that is not a name, or there twice, is libxml2's only reason to refuse well-formed text. Edits lead
    to such documents (who copies an element copies its id), so they are read again by a parser that collects no ids.
    Of a document with a document type it would read the DTD outside, whatever it is told: those stay refused.

    Raises lxml's ``XMLSyntaxError``.
    """
    parser = safe_parser(lookup, huge=huge, data_only=data_only)
    try:
        return etree.fromstring(text, parser), parser.error_log
    except etree.XMLSyntaxError:
        if all(entry.type not in _ABOUT_IDS for entry in parser.error_log) or _has_document_type(text, huge):
            raise
    parser = _parser(lookup, huge=huge, data_only=data_only, collect_ids=False)
    return etree.fromstring(text, parser), parser.error_log


_ABOUT_IDS = frozenset([etree.ErrorTypes.DTD_XMLID_VALUE, etree.ErrorTypes.DTD_ID_REDEFINED])


def _has_document_type(text: bytes | str, huge: bool) -> bool:
    """Whether a parser comes upon one in text it refuses, before what it refuses; libxml2 knows in any encoding."""
    root = etree.fromstring(text, _parser(huge=huge, recover=True))
    return root is None or root.getroottree().docinfo.internalDTD is not None


def parse_data(data: bytes) -> etree._Element:
    """The root element of XML that is looked things up in: without comments and processing instructions.

    Raises `ValueError`, which says line and column, for what is not well-formed, too deep or packed, and for any
    entity but the five of XML: what they stand for would be missing.
    """
    packed = compression(data)
    if packed:
        raise ValueError(f"this is {packed} data, not XML: unpack it first")
    try:
        root, errors = read_xml(data, data_only=True)
    except etree.XMLSyntaxError as error:
        raise ValueError(explanation(error)) from error
    for entry in errors:
        if entry.type == etree.ErrorTypes.WAR_UNDECLARED_ENTITY:
            raise ValueError(f"{entry.message}, line {entry.line}, column {entry.column}: {NO_ENTITIES}")
    dtd = root.getroottree().docinfo.internalDTD
    for entity in () if dtd is None else dtd.iterentities():
        raise ValueError(f"the document type declares the entity {entity.name!r}: {NO_ENTITIES}")
    return root


def parse_own(data: bytes) -> etree._Element:
    """The root element of XML that was written here, however deep: libxml2 reads nothing deeper than 2,048.

    Deeper than that it is read by expat, which knows no XML but that of before 2008: raises `ValueError` for names that
    were none then, as for all that is not well-formed.
    """
    try:
        return read_xml(data, huge=True)[0]
    except etree.XMLSyntaxError as error:
        if "depth" not in str(error).lower():
            raise ValueError(explanation(error)) from error
    builder = etree.TreeBuilder(insert_comments=True, insert_pis=True)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: builder.start(
        _clark(name), {_clark(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: builder.end(_clark(name))
    parser.CharacterDataHandler = builder.data
    parser.CommentHandler = builder.comment
    parser.ProcessingInstructionHandler = builder.pi
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from error
    return builder.close()


def _clark(name: str) -> str:
    return f"{{{name}" if "}" in name else name


NO_ENTITIES = "entities are refused, replace them by their text (xmllint --noent does that)"


def compression(data: bytes) -> str:
    """What bytes are packed with, as their beginning says; ``""`` if nothing."""
    return next((kind for start, kind in _COMPRESSED.items() if data.startswith(start)), "")


def explanation(error: etree.XMLSyntaxError) -> str:
    """What is wrong with XML that could not be parsed, without its place."""
    message = str(error.msg or error).split(" (line")[0]
    if "xcessive depth" in message or "depth" in message.lower():
        return f"{message}: elements may be nested {DEPTH_LIMIT} deep"
    if "amplification" in message or "ntity" in message:
        return f"{message}: entities are not resolved; replace them by their text (xmllint --noent does that)"
    return f"{message}: a text may have 10,000,000 characters" if "huge" in message.lower() else message
