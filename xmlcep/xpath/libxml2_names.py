"""Names, strings and numbers as libxml2's XPath writes them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from lxml import etree

from path_types.names import clark_name

NOWHERE = etree.Element("nowhere")
"""The context node where there is none."""


class Names:
    """The namespaces of an expression: prefixes made up for libxml2, and how ``name()`` writes a name."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self.prefixes: dict[str, str] = {}
        # The prefix with the first name, in alphabetical order; none if the namespace is that of names without one.
        self._declared = {uri: prefix for prefix, uri in sorted(namespaces.items(), reverse=True)}

    def prefix(self, uri: str) -> str:
        """The made-up prefix of a namespace."""
        for prefix, known in self.prefixes.items():
            if known == uri:
                return prefix
        prefix = f"n{len(self.prefixes)}"
        self.prefixes[prefix] = uri
        return prefix

    def written(self, uri: str, local: str) -> str:
        """A name as the rules write it: the records of a change have no prefixes."""
        if not uri:
            return local
        prefix = self._declared.get(uri)
        if prefix is None:
            return clark_name(uri, local)
        return f"{prefix}:{local}" if prefix else local


@lru_cache(maxsize=1000)
def is_name_in_libxml2(local: str) -> bool:
    """Whether libxml2's XPath reads this name; it knows those of XML's fourth edition only.

    >>> is_name_in_libxml2("größe"), is_name_in_libxml2("\u0219ef")
    (True, False)
    """
    try:
        etree.XPath(local)
    except etree.XPathError:
        return False
    return True


def literal(text: str) -> str:
    """The text as XPath writes it; literals have no escapes."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    pieces = [f"'{piece}'" for piece in text.split("'")]
    return "concat(" + """, "'", """.join(pieces) + ")"


@lru_cache(maxsize=1000)
def reads_exactly(text: str, value: float) -> bool:
    """Whether libxml2 reads the text of a number as that number."""
    try:
        return bool(etree.XPath(text)(NOWHERE) == value)
    except etree.XPathError:
        return False
