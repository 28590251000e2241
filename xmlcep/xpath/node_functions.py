"""What asks nodes for more than their texts: their names, their language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import ascii_lowercase, ascii_uppercase

from path_types.names import clark_name, local_name, name_parts, namespace_of

from ..language import PREDECLARED
from .nodes import Document, Node, Source, parent_of

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def name_function(function: str, namespaces: Mapping[str, str]) -> Callable[[str], str]:
    """What ``name``, ``local-name`` or ``namespace-uri`` gives of a name in Clark notation.

    ``name()`` is as the rules write it: the records of a change have no prefixes. Of several prefixes it is the first
    in alphabetical order; none if the namespace is that of names without one.
    """
    if function == "local-name":
        return local_name
    if function == "namespace-uri":
        return namespace_of
    declared = {uri: prefix for prefix, uri in sorted({**PREDECLARED, **namespaces}.items(), reverse=True)}

    def written(name: str) -> str:
        uri, local = name_parts(name)
        if not uri:
            return local
        prefix = declared.get(uri)
        if prefix is None:
            return clark_name(uri, local)
        return f"{prefix}:{local}" if prefix else local

    return written


def is_in_language(source: Source, document: Document, node: Node, wanted: str) -> bool:
    """``lang(wanted)``: whether the nearest ``xml:lang`` is this language or a kind of it."""
    above = node if not isinstance(node, tuple) else parent_of(source, document, node)
    while above is not None:
        language = source.attribute(document, above, LANGUAGE)
        if language is not None:
            same = _small(language[: len(wanted)]) == _small(wanted)
            return same and language[len(wanted) :][:1] in ("", "-")
        above = source.parent(document, above)
    return False


def _small(text: str) -> str:
    return text.translate(_SMALL)


_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)
