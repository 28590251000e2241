"""Names of elements and attributes as lxml takes them, and namespaces as libxml2 reads them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lxml import etree


def as_name(given: Any) -> Any:
    """What lxml takes for a name, as text in Clark notation; what it does not take, as it is."""
    if isinstance(given, etree.QName):
        given = given.text
    elif isinstance(given, (bytes, bytearray)):
        given = given.decode()
    return str(given).removeprefix("{}") if isinstance(given, str) else given


@lru_cache(maxsize=10_000)
def is_namespace(uri: str) -> bool:
    """Whether a namespace can be called so: libxml2 reads no declaration of one that is not a URI (RFC 3986)."""
    try:
        etree.Element("none", nsmap={"none": uri})
    except ValueError:
        return False
    return True
