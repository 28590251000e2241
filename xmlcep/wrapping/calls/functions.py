"""lxml's C functions that change trees from outside, for wrapped documents: same arguments, and the edits are seen."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from lxml import etree

from ..errors import RefusedError
from ..shadow.shadow import tree_of
from .edits import owner
from .observation import Observation


def strip_tags(tree_or_element: Any, *tag_names: Any) -> None:
    """As ``lxml.etree.strip_tags``."""
    with _observed(tree_or_element):
        etree.strip_tags(tree_or_element, *tag_names)


def strip_elements(tree_or_element: Any, *tag_names: Any, with_tail: bool = True) -> None:
    """As ``lxml.etree.strip_elements``."""
    with _observed(tree_or_element):
        etree.strip_elements(tree_or_element, *tag_names, with_tail=with_tail)


def strip_attributes(tree_or_element: Any, *attribute_names: Any) -> None:
    """As ``lxml.etree.strip_attributes``."""
    with _observed(tree_or_element):
        etree.strip_attributes(tree_or_element, *attribute_names)


def indent(tree: Any, space: str = "  ", *, level: int = 0) -> None:
    """As ``lxml.etree.indent``."""
    with _observed(tree):
        etree.indent(tree, space, level=level)


def cleanup_namespaces(tree_or_element: Any, **options: Any) -> None:
    """As ``lxml.etree.cleanup_namespaces``: declarations are no nodes, so there is nothing to emit.

    Refused on a part of a document: lxml 6.1 may then leave nodes with a namespace that has been freed.
    """
    element = _element(tree_or_element)
    if tree_of(element) is not None and element.getparent() is not None:
        raise RefusedError("cleanup_namespaces() below the root of a wrapped document: pass the root")
    etree.cleanup_namespaces(tree_or_element, **options)


def validate_with_defaults(schema: Any, tree_or_element: Any) -> bool:
    """``schema.validate(…)`` for a schema made with ``attribute_defaults=True``, which sets the defaults."""
    with _observed(tree_or_element):
        return bool(schema.validate(tree_or_element))


def _element(tree_or_element: Any) -> Any:
    return tree_or_element.getroot() if isinstance(tree_or_element, etree._ElementTree) else tree_or_element


def _observed(tree_or_element: Any) -> AbstractContextManager[object]:
    element = _element(tree_or_element)
    tree = owner(element)
    if tree is None:
        return nullcontext()
    if tree.observed is not None:  # in whose block this is found, too
        tree.observed.widen()
        return nullcontext()
    return Observation(tree, element)
