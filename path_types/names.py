"""XML names, said once: what a name is in paths, rules texts, conditions and documents.

These are regular expressions as text, of which others are built. A name is an NCName of *Namespaces in XML* over the
characters of XML 1.0, fifth edition: exactly what an element or attribute can be called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import maxunicode

# Ranges of characters, the first and the last of each: what a name can start with, and what can only follow.
_STARTS = (
    "AZ", "__", "az", "\u00c0\u00d6", "\u00d8\u00f6", "\u00f8\u02ff", "\u0370\u037d", "\u037f\u1fff", "\u200c\u200d",
    "\u2070\u218f", "\u2c00\u2fef", "\u3001\ud7ff", "\uf900\ufdcf", "\ufdf0\ufffd", "\U00010000\U000effff",
)  # fmt: skip
_FOLLOWS = ("-.", "09", "\u00b7\u00b7", "\u0300\u036f", "\u203f\u2040")


def _in_class(ranges: Iterable[str]) -> str:
    """Ranges of characters for use in ``[…]``."""
    return "".join(f"{_escaped(each[0])}-{_escaped(each[1])}" for each in ranges)


def _escaped(character: str) -> str:
    # What would mean something there must not, even if somebody reads ``\\u`` before `re` does, as Lark.
    if character in "-[]^\\":
        return f"\\{character}"
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _others(ranges: Iterable[str]) -> Iterator[str]:
    """The ranges of all other characters."""
    begin = 0
    for each in sorted(ranges):
        first, last = map(ord, each)
        if begin < first:
            yield chr(begin) + chr(first - 1)
        begin = last + 1
    yield chr(begin) + chr(maxunicode)


NAME_START = _in_class(_STARTS)
"""The characters that a name can start with, for use in ``[…]``."""

NAME_CHARACTERS = _in_class((*_STARTS, *_FOLLOWS))
"""The characters that can follow, for use in ``[…]``."""

# By what it is not: `re` goes through all characters of a class when it compiles it, of which there are 52,000 in names
# and 12,000 outside (beyond U+FFFF it does not), and names are in all patterns of the language.
NAME_CHARACTER = f"[^{_in_class(_others((*_STARTS, *_FOLLOWS)))}]"
"""One that can follow."""

NCNAME = f"(?![{_in_class(_FOLLOWS)}]){NAME_CHARACTER}+"
"""A name without a prefix: ``item``."""

_NCNAME = re.compile(NCNAME)


def ncname_at(text: str, position: int) -> str:
    """The longest name that begins at this position of the text; ``""`` if none does.

    >>> ncname_at("po:item", 3), ncname_at("po:item", 2)
    ('item', '')
    """
    match = _NCNAME.match(text, position)
    return match.group() if match else ""


def is_ncname(text: str) -> bool:
    """Whether the text is a name without a prefix."""
    return _NCNAME.fullmatch(text) is not None


def clark_name(uri: str, local: str) -> str:
    """The name in Clark notation; a name of no namespace (``""``) stands for itself.

    >>> clark_name("urn:po", "item"), clark_name("", "item")
    ('{urn:po}item', 'item')
    """
    return f"{{{uri}}}{local}" if uri else local


def local_name(name: str) -> str:
    """A name in Clark notation without its namespace.

    >>> local_name("{urn:po}item"), local_name("item")
    ('item', 'item')
    """
    return name.rpartition("}")[2]


def namespace_of(name: str) -> str:
    """The namespace of a name in Clark notation; "" if it is in none.

    >>> namespace_of("{urn:po}item"), namespace_of("item")
    ('urn:po', '')
    """
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def name_parts(name: str) -> tuple[str, str]:
    """Namespace and local name of a name in Clark notation.

    >>> name_parts("{urn:po}item"), name_parts("item")
    (('urn:po', 'item'), ('', 'item'))
    """
    uri, _, local = name.rpartition("}")
    return uri[1:], local
