"""Element classes of an application's own that are tracked: python-docx, python-pptx, lxml.html and the like.

A tracked class is a subclass of the application's and of ours, which comes behind it: what the application's class
overrides comes first, and where that goes on to lxml it comes to our methods. While a tree is wrapped, lxml makes
proxies of tracked classes where it would have made those of the application's; the ones that are there change class.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from lxml import etree, objectify

from ...xml_parser import element_maker
from ..errors import WrapError
from ..lxml_access import Node, get_base, get_tag, get_tail, get_text
from ..shadow.shadow import Tracked
from .assignments import set_base_of, set_name_of, set_tail_of, set_text_of
from .edits import set_class_of
from .lxml_methods import LOOKUP, TrackedComment, TrackedElement, TrackedEntity, TrackedInstruction

_object_set = object.__setattr__


class OwnElement(TrackedElement):
    """An element of an application's class, whose properties for text, tail and name come before lxml's."""

    __slots__ = ()

    text = property(get_text, set_text_of)
    tail = property(get_tail, set_tail_of)
    tag = property(get_tag, set_name_of)
    base = property(get_base, set_base_of)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "__class__":
            set_class_of(self, value)
        else:
            _object_set(self, name, value)


_KINDS: dict[Any, type] = {
    etree.ElementBase: OwnElement, etree.CommentBase: TrackedComment, etree.PIBase: TrackedInstruction,
    etree.EntityBase: TrackedEntity,
}  # fmt: skip


def tracked_lookup(lookup: etree.ElementClassLookup | None) -> etree.ElementClassLookup:
    """The class lookup that gives the tracked classes of those that a parser's own gives; raises `WrapError`."""
    if lookup is None:
        return LOOKUP
    first, *others = _with_fallbacks(lookup)
    if any(isinstance(each, etree.PythonElementClassLookup) for each in others):
        raise WrapError(
            "the parser of the tree has element classes that another lookup looks at nodes for (a "
            "PythonElementClassLookup as a fallback), which cannot be tracked: wrap a copy, "
            "xmlcep.fromstring(etree.tostring(tree))"
        )
    of_nodes = (etree.PythonElementClassLookup, etree.AttributeBasedElementClassLookup)
    return (ByNode if any(isinstance(each, of_nodes) for each in (first, *others)) else ByName)(lookup)


def _with_fallbacks(lookup: Any) -> list[Any]:
    chain = []
    while lookup is not None:
        chain.append(lookup)
        lookup = getattr(lookup, "fallback", None)
    return chain


def track(node: Node) -> None:
    """Makes the proxy of a node, if it is of an application's class, one of the tracked class."""
    kind = tracked_class(type(node))
    if kind is not None:
        _object_set(node, "__class__", kind)


def _tracked_class(kind: Any) -> Any:
    """The tracked class of one that an application chooses, None for those of lxml itself; raises `WrapError`."""
    if issubclass(kind, Tracked):
        return kind
    if issubclass(kind, objectify.ObjectifiedElement):
        raise WrapError(
            "objectify elements compare by value, so their identity cannot be tracked: bring a document to their "
            "state, doc.update_to(etree.fromstring(etree.tostring(tree)))"
        )
    for base, own in _KINDS.items():
        if issubclass(kind, base):
            names = {
                "__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__,
                "__slots__": (), **({} if kind._init is base._init else {"_init": _both_init(kind, own)}),
            }  # fmt: skip
            return type(kind)(kind.__name__, (kind, own), names)
    return None


tracked_class: Callable[[Any], type | None] = cache(_tracked_class)
"""As `_tracked_class`: each class has one that is tracked."""


def _both_init(kind: Any, own: Any) -> Any:
    """What lxml calls when it has made a proxy: that the node is new is reported before the application sees it."""

    def _init(self: Any) -> None:
        own._init(self)
        kind._init(self)

    return _init


class ByName(etree.CustomElementClassLookup):
    """A lookup by names."""

    def __init__(self, lookup: etree.ElementClassLookup) -> None:
        super().__init__(LOOKUP)
        self._choice = _Choice(lookup)

    def lookup(self, type: Any, doc: Any, namespace: Any, name: Any) -> Any:
        """The class of a node (called by lxml)."""
        return self._choice.of(type, f"{{{namespace}}}{name}" if namespace else name)


class ByNode(etree.PythonElementClassLookup):
    """A lookup that looks at the node."""

    def __init__(self, lookup: etree.ElementClassLookup) -> None:
        super().__init__(LOOKUP)
        self._own = lookup if isinstance(lookup, etree.PythonElementClassLookup) else None
        self._choice = _Choice(lookup if self._own is None else self._own.fallback)

    def lookup(self, doc: Any, element: Any) -> Any:
        """The class of a node (called by lxml)."""
        kind = None if self._own is None else self._own.lookup(doc, element)
        if kind is not None:
            return tracked_class(kind)
        tag = element.tag
        if isinstance(tag, str):
            return self._choice.of("element", tag, dict(element.attrib))
        return self._choice.of("comment" if tag is etree.Comment else "PI", None)


class _Choice:
    """What a lookup chooses, found out by having it choose: lxml's own lookups cannot be asked by Python."""

    def __init__(self, lookup: etree.ElementClassLookup | None) -> None:
        self._maker = element_maker(lookup)

    def of(self, kind: str, name: str | None, attributes: dict[str, str] | None = None) -> type | None:
        """The tracked class of what it chooses, None for one of lxml's."""
        if kind == "element":
            with suppress(ValueError):  # a name of a page in tatters
                return tracked_class(type(self._maker.makeelement(str(name), attributes)))
            return None
        above = self._maker.makeelement("a")
        above.append(etree.Comment("") if kind == "comment" else etree.PI("p"))
        return tracked_class(type(above[0]))
