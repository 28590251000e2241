"""The lxml methods that change a tree, overridden in the classes that nodes of wrapped documents have.

They are genuine lxml classes: every read goes straight to lxml's C code. Only what changes a tree is overridden; on
nodes that belong to no wrapped document the overrides do what lxml does and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from lxml import etree

from ..errors import CallbackError, RefusedError
from ..lxml_access import ContentOnly, Element, get_parent, get_previous, get_tag, get_tail, is_element, place
from ..shadow.mutations import change_tail, insert_leaf
from ..shadow.shadow import ShadowNode, Tracked, entry_of, tree_of
from .assignments import (
    set_attribute,
    set_base_of,
    set_content_of,
    set_name_of,
    set_tail_of,
    set_target_of,
    set_text_of,
)
from .attributes import TrackedAttributes
from .edits import (
    append,
    born,
    exchange,
    open_all,
    put,
    ready_to_leave,
    rearrange,
    refuse_cycle,
    refuse_duplicates,
    set_class_of,
    take_out,
)

_HERE = __name__.rsplit(".", 2)[0]
_append = Element.append
_object_set = object.__setattr__


class _TrackedNode(Tracked):
    """What all node kinds share: siblings and tails."""

    __slots__ = ()

    def addnext(self, element: Any) -> None:
        """As lxml's ``addnext``."""
        self._beside(element, lambda: Element.addnext(self, element))

    def addprevious(self, element: Any) -> None:
        """As lxml's ``addprevious``."""
        self._beside(element, lambda: Element.addprevious(self, element))

    def _beside(self, element: Any, call: Callable[[], None]) -> None:
        parent = get_parent(self)
        if parent is None and isinstance(element, ContentOnly):
            element.tail = None  # lxml would do so in the midst of its call
        put(element, call, parent, beside=self)

    def __reduce__(self) -> Any:
        # As lxml's own classes; by default Python would give the node, as a child, to a new object of its class.
        raise TypeError(f"cannot pickle {type(self).__name__!r} object: pickle etree.tostring(element)")

    def __setattr__(self, name: str, value: Any) -> None:
        setter = _SETTERS.get(name)
        if setter is None:
            _object_set(self, name, value)
        else:
            setter(self, value)


class TrackedElement(_TrackedNode, etree.ElementBase):
    """An element of a wrapped document (or one that may become part of it)."""

    __slots__ = ()

    # lxml calls ``__new__`` alone for the proxies of nodes that are there.
    def __init__(  # type: ignore[misc]
        self, *children: Any, attrib: Any = None, nsmap: Any = None, **_extra: Any
    ) -> None:
        """As `lxml.etree.ElementBase`: a new element, which takes the children that it is given from where they are.

        Raises `RefusedError` where it is one already: lxml would have it stand for a new node, and leave the old one.
        """
        if entry_of(self) is not None:
            raise RefusedError(f"{place(self)} is there already: call the class for another one")
        parents = open_all([child for child in children if isinstance(child, Element)], self)
        make = etree.ElementBase.__init__
        rearrange(parents, lambda: make(self, *children, attrib=attrib, nsmap=nsmap, **_extra))

    def _init(self) -> None:
        """lxml has made this proxy: for a node not seen before below a tracked parent that is news (SubElement)."""
        parent = get_parent(self)
        above = None if parent is None else entry_of(parent)
        if above is None:
            return
        tree = above.tree
        if tree.delivery.is_busy and not _is_read_here():
            tree.delivery.check()
        if tree.muted:
            if tree.observed is not None and entry_of(self) is None:
                if tree.journal is not None:
                    tree.journal.placed(self)  # before its parent is remembered, which has it by now
                tree.observed.widen()
            return
        try:
            if (
                tree.fast_path
                and type(above) is ShadowNode
                and above.last is get_previous(self)
                and above.trie is not None
            ):
                insert_leaf(tree, self, get_tag(self), above)
            elif entry_of(self) is None:  # the proxy of the parent may be new, too, and both be reported
                if not is_element(parent):
                    _append(etree.Element("none"), self)  # out of the tree, which lxml 6.1 has damaged
                    raise RefusedError(
                        "SubElement() below a comment or processing instruction: give it an element"
                    )
                born(tree, self)
        except BaseException as error:
            _taken_back(self, error)
            raise

    @property
    def attrib(self) -> Any:
        """The attributes, as a mapping that can be changed."""
        return TrackedAttributes(self)

    set = set_attribute
    append = append

    def insert(self, index: Any, element: Any) -> None:
        """As lxml's ``insert``."""
        if entry_of(self) is not None:
            with suppress(IndexError, TypeError):
                Element.__getitem__(self, index)  # what was put there unseen is reported first
        put(element, lambda: Element.insert(self, index, element), self)

    def remove(self, element: Any) -> None:
        """As lxml's ``remove``: the element's tail goes with it."""
        take_out(element, lambda: Element.remove(self, element))

    def extend(self, elements: Iterable[Any]) -> None:  # type: ignore[override]
        """As lxml's ``extend``: appends one after the other."""
        tree = tree_of(self)
        if tree is None:
            for element in elements:
                self.append(element)
            return
        with tree.emitter.one_edit():
            for element in elements:
                self.append(element)

    def replace(self, old_element: Any, new_element: Any) -> None:
        """As lxml's ``replace``: the old element's tail goes with it."""
        if old_element is new_element:
            Element.replace(self, old_element, new_element)
            return
        if isinstance(old_element, Element) and get_parent(old_element) is self:
            refuse_cycle(self, [new_element])
        exchange(self, old_element, new_element, lambda: Element.replace(self, old_element, new_element))

    def clear(self, keep_tail: bool = False) -> None:
        """As lxml's ``clear``."""
        shadow = ready_to_leave(self)
        if shadow is None:
            Element.clear(self, keep_tail)
            return
        tree = shadow.tree
        tree.open_subtree(self)
        if tree.journal is not None:
            tree.journal.attributes(self)
            tree.journal.tail(self)
        sites: list[Any] = [self]
        if tree.ignore_whitespace and shadow.parent is not None:
            sites.append(get_parent(self))

        def call() -> None:
            Element.clear(self, keep_tail)
            if shadow.parent is not None and len(sites) == 1:
                change_tail(tree, self, shadow, get_tail(self) or None, tree.emit)

        rearrange(sites, call)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._set_slice(key, value)
        elif isinstance(value, Element):
            old = self[key]
            if old is value:
                return  # lxml 6.1 would use freed memory here
            refuse_cycle(self, [value])
            exchange(self, old, value, lambda: Element.__setitem__(self, key, value))
        else:
            Element.__setitem__(self, key, value)  # which raises lxml's own error

    def _set_slice(self, key: slice, value: Any) -> None:
        if value is None:
            Element.__setitem__(self, key, value)  # which raises lxml's own error
            return
        nodes = value if isinstance(value, list) else list(value)
        elements = [node for node in nodes if isinstance(node, Element)]
        refuse_cycle(self, elements)
        if any(tree_of(node) is not None for node in (self, *elements)):
            refuse_duplicates(elements)
        parents = open_all([*self[key], *elements], self)
        rearrange([self, *parents], lambda: Element.__setitem__(self, key, nodes))

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, slice):
            open_all(self[key], self)
            rearrange([self], lambda: Element.__delitem__(self, key))
        else:
            take_out(self[key], lambda: Element.__delitem__(self, key))


class _Childless(_TrackedNode):
    """Comments, processing instructions, entity references: lxml 6.1 would corrupt trees on some of these calls."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "text":
            set_content_of(self, value)
        else:
            _TrackedNode.__setattr__(self, name, value)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("this element does not have children or attributes")

    append = insert = extend = remove = replace = set = __setitem__ = __delitem__ = _refuse

    def clear(self, keep_tail: bool = False) -> None:
        """As lxml's ``clear``: the tail goes, unless kept."""
        if not keep_tail:
            self.tail = None


class TrackedComment(_Childless, etree.CommentBase):  # type: ignore[misc]
    """A comment of a wrapped document: no node of the event model, but its tail is text of its parent."""

    __slots__ = ()


class TrackedInstruction(_Childless, etree.PIBase):  # type: ignore[misc]
    """A processing instruction of a wrapped document; its tail is text of its parent."""

    __slots__ = ()

    def _init(self) -> None:
        # As lxml does where no class has been chosen: these can do more.
        if self.target == "xml-stylesheet" and any(kind in (self.text or "") for kind in _STYLESHEETS):
            self.__class__ = TrackedStylesheet  # type: ignore[assignment]


class TrackedStylesheet(_Childless, etree._XSLTProcessingInstruction):  # type: ignore[misc]
    """A processing instruction that names an XSLT stylesheet: ``parseXSL()``, ``set()``."""

    __slots__ = ()

    def set(self, key: Any, value: Any) -> None:  # type: ignore[override]
        """As lxml's ``set``: writes a pseudo-attribute into the text."""
        tree = tree_of(self)
        if tree is not None and tree.journal is not None:
            tree.journal.text(self)
        etree._XSLTProcessingInstruction.set(self, key, value)


class TrackedEntity(_Childless, etree.EntityBase):  # type: ignore[misc]
    """An entity reference: one that becomes part of a wrapped document is refused."""

    __slots__ = ()


_STYLESHEETS = ("text/xsl", "text/xml")


def _is_read_here() -> bool:
    """Whether a proxy is made because the wrapper itself reads the tree, perhaps in the midst of an edit."""
    return str(sys._getframe(2).f_globals["__name__"]).startswith(_HERE)


def _taken_back(node: Any, error: BaseException) -> None:
    """SubElement takes its element out again when making the proxy raises: emitted here, before it does."""
    parent = get_parent(node)
    tree = tree_of(node)
    if parent is not None and tree is not None and not tree.delivery.is_cut_short:
        try:
            take_out(node, lambda: Element.remove(parent, node))
        except CallbackError as more:
            if isinstance(error, CallbackError):
                error.add(more.errors)


_SETTERS: dict[str, Callable[[Any, Any], None]] = {
    "text": set_text_of, "tail": set_tail_of, "tag": set_name_of, "base": set_base_of,
    "target": set_target_of, "__class__": set_class_of,
}  # fmt: skip

LOOKUP = etree.ElementDefaultClassLookup(
    element=TrackedElement, comment=TrackedComment, pi=TrackedInstruction, entity=TrackedEntity
)
DEFAULT_LOOKUP = etree.ParserBasedElementClassLookup(LOOKUP)
"""What lxml's default is while a document is wrapped: parsers with a class lookup of their own keep it."""
