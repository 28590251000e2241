"""The classes that elements, comments, processing instructions and entity references of wrapped documents have.

They are genuine lxml classes: every read goes straight to lxml's C code. Only what changes a tree is overridden; on
nodes that belong to no wrapped document the overrides do what lxml does and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lxml import etree

from .attributes import TrackedAttributes, set_attribute
from .edits import (  # fmt: skip
    open_all,
    put,
    ready,
    rearrange,
    refuse_cycle,
    refuse_duplicates,
    settle,
    take_out,
    tracker_of,
)
from .errors import CallbackError, RefusedError
from .records import TABLE, Record

_Element: Any = etree._Element
_append = _Element.append
_set = _Element.set
_getparent: Any = _Element.getparent
_getnext = _Element.getnext
_set_text = _Element.text.__set__
_set_tail = _Element.tail.__set__
_get_text = _Element.text.__get__
_get_tail = _Element.tail.__get__
_object_set = object.__setattr__
_known = TABLE.get


class _Tracked:
    """What all node kinds share: siblings and tails."""

    __slots__ = ()

    def addnext(self, element: Any) -> None:
        """As lxml's ``addnext``."""
        put(element, lambda: _Element.addnext(self, element), _getparent(self), neighbour=self)

    def addprevious(self, element: Any) -> None:
        """As lxml's ``addprevious``."""
        put(element, lambda: _Element.addprevious(self, element), _getparent(self))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "text" and type(value) is str:
            record = _known(self)
            if type(record) is Record and value and (old := record.text) is not None:
                tracker = record.tracker
                if tracker.simple:
                    # The short way from one text to another.
                    try:
                        _set_text(self, value)
                    except BaseException:
                        _text_lost(self, record)
                        raise
                    if old != value:
                        record.text = value
                        tracker.tell("upd", record.branch.text, record.text_ids, value, old, None)  # type: ignore[union-attr]
                    return
        setter = _SETTERS.get(name)
        if setter is None:
            _object_set(self, name, value)
        else:
            setter(self, value)


class TrackedElement(_Tracked, etree.ElementBase):
    """An element of a wrapped document (or one that may become part of it)."""

    __slots__ = ()

    def _init(self) -> None:
        """lxml has made this proxy: for a node not seen before below a tracked parent that is news (SubElement)."""
        parent = _getparent(self)
        if parent is not None:
            known = _known(parent)
            if known is not None and self not in TABLE:
                if type(known) is Record and known.branch is not None:
                    tracker = known.tracker
                    if not tracker.quiet:
                        try:
                            if tracker.simple:
                                tracker.leaf(self, known)
                            else:
                                tracker.born(self, known)
                        except BaseException as error:
                            _taken_back(self, error)
                            raise
                else:
                    _first_below(self, parent)

    @property
    def attrib(self) -> Any:
        """The attributes, as a mapping that can be changed."""
        return TrackedAttributes(self)

    def set(self, key: Any, value: Any) -> None:
        """As lxml's ``set``."""
        record = _known(self)
        if type(record) is Record and record.attributes is not None and type(key) is type(value) is str:
            attribute = record.attributes.get(key)
            tracker = record.tracker
            if attribute is not None and tracker.simple:
                # The short way from one value to another.
                _set(self, key, value)
                old = attribute.value
                if old != value:
                    attribute.value = value
                    tracker.tell("upd", attribute.path, attribute.ids, value, old, None)
                return
        set_attribute(self, key, value)

    def append(self, element: Any) -> None:
        """As lxml's ``append``."""
        record = _known(self)
        if type(record) is Record and type(element) is TrackedElement and element not in TABLE:
            tracker = record.tracker
            if tracker.simple:
                _append(self, element)
                tracker.grown(element, record)
                return
        put(element, lambda: _append(self, element), self)

    def insert(self, index: Any, element: Any) -> None:
        """As lxml's ``insert``."""
        put(element, lambda: _Element.insert(self, index, element), self)

    def extend(self, elements: Iterable[Any]) -> None:  # type: ignore[override]
        """As lxml's ``extend``: appends one after the other."""
        for element in elements:
            self.append(element)

    def remove(self, element: Any) -> None:
        """As lxml's ``remove``: the element's tail goes with it."""
        take_out(element, lambda: _Element.remove(self, element))

    def replace(self, old_element: Any, new_element: Any) -> None:
        """As lxml's ``replace``: the old element's tail goes with it."""
        if old_element is new_element:
            _Element.replace(self, old_element, new_element)
            return
        nodes = [node for node in (old_element, new_element) if isinstance(node, _Element)]
        if len(nodes) == 2 and _getparent(old_element) is self:
            refuse_cycle(self, [new_element])
        parents = open_all(nodes)
        rearrange([self, *parents], lambda: _Element.replace(self, old_element, new_element))

    def clear(self, keep_tail: bool = False) -> None:
        """As lxml's ``clear``."""
        record = ready(self)
        if record is None:
            _Element.clear(self, keep_tail)
            return
        tracker = record.tracker
        tracker.open_subtree(self)
        if tracker.journal is not None:
            tracker.journal.attributes(self)
            tracker.journal.tail(self)
        sites: list[Any] = [self]
        if tracker.ignore_whitespace and record.parent is not None:
            sites.append(_getparent(self))

        def call() -> None:
            _Element.clear(self, keep_tail)
            if record.parent is not None and len(sites) == 1:
                tracker.tail_changed(self, record, _get_tail(self) or None)

        rearrange(sites, call)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._set_slice(key, value)
            return
        if isinstance(value, _Element):
            old = self[key]
            if old is value:
                return  # lxml 6.1 would use freed memory here
            refuse_cycle(self, [value])
            parents = open_all([old, value])
            rearrange([self, *parents], lambda: _Element.__setitem__(self, key, value))
        else:
            _Element.__setitem__(self, key, value)

    def _set_slice(self, key: slice, value: Any) -> None:
        nodes = [node for node in value if node is not None] if not isinstance(value, list) else value
        elements = [node for node in nodes if isinstance(node, _Element)]
        refuse_cycle(self, elements)
        refuse_duplicates(elements)
        parents = open_all([*self[key], *elements])
        rearrange([self, *parents], lambda: _Element.__setitem__(self, key, nodes))

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, slice):
            open_all(self[key])
            rearrange([self], lambda: _Element.__delitem__(self, key))
        else:
            take_out(self[key], lambda: _Element.__delitem__(self, key))


class _Childless(_Tracked):
    """Comments, processing instructions, entity references: lxml 6.1 would corrupt trees on some of these calls."""

    __slots__ = ()

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


class TrackedEntity(_Childless, etree.EntityBase):  # type: ignore[misc]
    """An entity reference of a wrapped document; its tail is text of its parent."""

    __slots__ = ()


def _first_below(node: Any, parent: Any) -> None:
    """SubElement below an element of which nothing has been told yet, or below something that is none."""
    tracker = tracker_of(parent)
    if tracker is None or tracker.quiet:
        return
    if not isinstance(parent.tag, str):
        _append(etree.Element("none"), node)  # out of the tree, which lxml 6.1 has damaged
        raise RefusedError("SubElement() below a comment or processing instruction: give it an element")
    try:
        tracker.born(node, tracker.without(parent, node))
    except BaseException as error:
        _taken_back(node, error)
        raise


def _taken_back(node: Any, error: BaseException) -> None:
    """SubElement takes its element out again when making the proxy raises: told here, before it does."""
    parent = _getparent(node)
    if parent is not None and node in TABLE:
        try:
            take_out(node, lambda: _Element.remove(parent, node))
        except CallbackError as more:
            if isinstance(error, CallbackError):
                error.add(more.errors)


def _text(node: Any, value: Any) -> None:
    known = _known(node)
    if known is None:
        _object_set(node, "text", value)  # a comment's text is not an element's
        return
    record = known if type(known) is Record and not known.tracker.foreign else ready(node)
    if record is None or record.branch is None:
        _raw_text(node, value)
        return
    tracker = record.tracker
    if tracker.ignore_whitespace:
        rearrange([node], lambda: _set_text(node, value))
        return
    if tracker.journal is not None:
        tracker.journal.text(node)
    try:
        _set_text(node, value)
    except BaseException:
        _text_lost(node, record)
        raise
    tracker.text_changed(node, record, (value if type(value) is str else _get_text(node)) or None)
    tracker.delivery.settle()


def _text_lost(node: Any, record: Record) -> None:
    """lxml removes the old text before it refuses the new one."""
    record.tracker.text_changed(node, record, _get_text(node) or None)
    settle(record.tracker)


def _raw_text(node: Any, value: Any) -> None:
    """The text of a comment or processing instruction: no event, but undone with its transaction."""
    tracker = tracker_of(node)
    if tracker is not None and tracker.journal is not None:
        tracker.journal.text(node)
    _object_set(node, "text", value)


def _tail(node: Any, value: Any) -> None:
    known = TABLE.get(node)
    if known is None:
        _set_tail(node, value)
        return
    record = known if type(known) is Record and not known.tracker.foreign else ready(node)
    if record is None or record.parent is None:
        _set_tail(node, value)
        return
    tracker = record.tracker
    if tracker.ignore_whitespace:
        rearrange([_getparent(node)], lambda: _set_tail(node, value))
        return
    if tracker.journal is not None:
        tracker.journal.tail(node)
    try:
        _set_tail(node, value)
    except BaseException:
        tracker.tail_changed(node, record, _get_tail(node) or None)
        settle(tracker)
        raise
    tracker.tail_changed(node, record, (value if type(value) is str else _get_tail(node)) or None)
    tracker.delivery.settle()


def _tag(node: Any, value: Any) -> None:
    record = ready(node)
    if record is None or record.branch is None:
        _object_set(node, "tag", value)
        return
    tracker = record.tracker
    tracker.open_subtree(node)
    if tracker.journal is not None:
        tracker.journal.tag(node)
    old = node.tag
    _object_set(node, "tag", value)
    if node.tag != old:
        tracker.rename(node)
        settle(tracker)


def _base(node: Any, value: Any) -> None:
    if not isinstance(node, TrackedElement):
        raise RefusedError(
            "a comment, processing instruction or entity has no xml:base: set it on an element"
        )
    record = ready(node)
    if record is None:
        _object_set(node, "base", value)
        return
    tracker = record.tracker
    if tracker.journal is not None:
        tracker.journal.attributes(node)
    try:
        _object_set(node, "base", value)
    finally:
        tracker.attributes_changed(node, record)
        settle(tracker)


def _target(node: Any, value: Any) -> None:
    tracker = tracker_of(node)
    if tracker is not None and tracker.journal is not None:
        tracker.journal.tag(node)
    _object_set(node, "target", value)


_SETTERS: dict[str, Callable[[Any, Any], None]] = {
    "text": _text, "tail": _tail, "tag": _tag, "base": _base, "target": _target,
}  # fmt: skip

LOOKUP = etree.ElementDefaultClassLookup(
    element=TrackedElement, comment=TrackedComment, pi=TrackedInstruction, entity=TrackedEntity
)
DEFAULT_LOOKUP = etree.ParserBasedElementClassLookup(LOOKUP)
"""What lxml's default is while a document is wrapped: parsers with a class lookup of their own keep it."""

OWN_CLASSES = frozenset({TrackedElement, TrackedComment, TrackedInstruction, TrackedEntity})
LXML_CLASSES = frozenset({etree._Element, etree._Comment, etree._ProcessingInstruction, etree._Entity})
