"""The shadow tree: what events have reported of a wrapped document, node by node.

An lxml element takes no attributes and no weak references, and its identity is lost when its proxy dies. So there is
one table for all wrapped documents that holds the proxies of their elements, comments and processing instructions. The
entry of a node is its document's `ShadowTree` until something at or below the node is emitted, and its `ShadowNode`
from then on: **a node without a shadow node is as it was when it was wrapped**. While a document has foreign proxies
(see `outside_proxies`), all of its nodes have shadow nodes.

One module because the table is an invariant of both: nobody but `enter`, `leave` and the tree that makes shadow nodes
may touch it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from lxml import etree

from path_types import PathType, Step

from ...xml_parser import is_blank
from ..clock import Clock
from ..emitter import Emitter
from ..errors import UnseenEditError
from ..lxml_access import (
    Element,
    Node,
    attributes_of,
    children_of,
    get_parent,
    get_previous,
    get_tail,
    get_text,
    is_element,
    iter_children,
    name_of,
    place,
)
from ..xml_validity import check_name
from .baseline import Original
from .journal import Journal
from .path_trie import PathTrie

_LOG = logging.getLogger("xmlcep")
_new = object.__new__
_TAKEN = (
    "has been taken out of the document {0!r} unseen, by an element that is older than the wrapping, or of a class of "
    "its own, and in no wrapped document: no event has reported it, and none can"
)


class ShadowAttribute(NamedTuple):
    """An attribute node: its value and its id."""

    value: str
    number: int


class ShadowNode:
    """What events have reported of one node.

    ``number`` is its id, ``ids`` those from the root down (made when first needed); comments and the like have
    neither, their ``trie`` is None. ``text`` and ``tail`` are None when there is no such text node, ``text_number`` and
    ``tail_number`` are these nodes' ids. ``count`` is the number of child elements and text nodes, ``texts`` that of
    the text nodes among them. ``prev`` and ``last`` are the proxies of the previous sibling and of the last child: the
    list of children. ``element_only``: white space among its children is left out (`ignore_whitespace`).
    ``pristine``: it is as it was when it was wrapped.
    """

    __slots__ = (
        "attributes", "count", "element_only", "ids", "last", "number", "parent", "prev", "pristine", "tail",
        "tail_number", "text", "text_number", "texts", "tree", "trie",
    )  # fmt: skip

    tree: ShadowTree
    parent: ShadowNode | None
    trie: PathTrie | None
    number: int
    prev: Node | None
    ids: tuple[int, ...] | None
    last: Node | None
    count: int
    texts: int
    text: str | None
    tail: str | None
    text_number: int
    tail_number: int
    attributes: dict[str, ShadowAttribute] | None
    element_only: bool
    pristine: bool

    def make_ids(self) -> tuple[int, ...]:
        """The ids from the root down. Without those of the ancestors: a deep document would have a great many."""
        numbers = []
        node: ShadowNode | None = self
        while node is not None and node.ids is None:
            numbers.append(node.number)
            node = node.parent
        above = () if node is None else node.ids
        self.ids = ids = (*(above or ()), *reversed(numbers))
        return ids

    def values(self) -> list[tuple[str, str]]:
        """Names and values of the attributes."""
        return [(name, attribute.value) for name, attribute in (self.attributes or {}).items()]

    def state(self) -> tuple[Any, ...]:
        """All that can change, to be given back to `restore`."""
        return (
            self.prev, self.last, self.count, self.texts, self.element_only, self.text, self.text_number, self.tail,
            self.tail_number, dict(self.attributes or ()),
        )  # fmt: skip

    def restore(self, state: tuple[Any, ...]) -> None:
        """Puts back what `state` returned."""
        (self.prev, self.last, self.count, self.texts, self.element_only, self.text, self.text_number, self.tail,
         self.tail_number, saved) = state  # fmt: skip
        self.attributes = dict(saved)


class Observing(Protocol):
    """An open block of `Document.observe`."""

    def widen(self) -> None:
        """Edits may be made anywhere in the document from now on, not only where the block looks."""

    def finish(self) -> None:
        """Tells what has been done in the block."""


class _Reading:
    """A block in which the wrapper reads a tree: that a proxy is made there is no news."""

    __slots__ = ("_before", "_tree")

    def __init__(self, tree: ShadowTree) -> None:
        self._tree = tree
        self._before = tree.muted

    def __enter__(self) -> None:
        self._tree.muted = True

    def __exit__(self, *_: object) -> None:
        self._tree.muted = self._before


class Tracked:
    """Marks the wrapper's own element classes: edits made through other proxies are not seen as they happen."""

    __slots__ = ()


# --- the table: what follows is all that touches it

_table: dict[Node, ShadowNode | ShadowTree] = {}

entry_of: Callable[[Node], ShadowNode | ShadowTree | None] = _table.get
"""What the table has for a node; None for a node of no wrapped document."""
enter: Callable[[Node, ShadowNode | ShadowTree], None] = _table.__setitem__
"""Puts a node into the table, or its shadow node in place of its tree."""


def new_shadow_node(
    node: Node,
    tree: ShadowTree,
    parent: ShadowNode | None,
    trie: PathTrie | None,
    number: int,
    prev: Node | None,
) -> ShadowNode:
    """Puts a shadow node without texts, attributes and children into the table for a node.

    It is made and put there in one go, and by a function, for Python calls an ``__init__`` more slowly.
    """
    shadow = _new(ShadowNode)
    shadow.tree = tree
    shadow.parent = parent
    shadow.trie = trie
    shadow.number = number
    shadow.prev = prev
    shadow.ids = shadow.last = shadow.text = shadow.tail = shadow.attributes = None
    shadow.count = shadow.texts = shadow.text_number = shadow.tail_number = 0
    shadow.element_only = shadow.pristine = False
    _table[node] = shadow
    return shadow


def leave(node: Node) -> None:
    """Takes a node out of the table; nothing happens if it is not there."""
    _table.pop(node, None)


def shadow_of(node: Node) -> ShadowNode:
    """The shadow node of a node of a wrapped document. Raises UnseenEditError if C code has put it there unseen."""
    entry = _table.get(node)
    if type(entry) is ShadowNode:
        return entry
    raise UnseenEditError(
        f"{place(node)} was {'moved' if entry else 'put into the document'} unseen, by C code such as xinclude(): run "
        "that in `with document.observe():`. Its changes can no longer be reported: close() the document and "
        "wrap the tree again"
    )


def tree_of(node: Node) -> ShadowTree | None:
    """The document a node belongs to, None for a node of no wrapped document."""
    entry = _table.get(node)
    return entry.tree if type(entry) is ShadowNode else entry  # type: ignore[return-value]


def _entries() -> Collection[tuple[Node, ShadowNode | ShadowTree]]:
    """All that the table has, of a copy: to make a list of it may collect garbage, which takes nodes out of it."""
    return _table.copy().items()


def nodes_of(tree: ShadowTree) -> Iterator[Node]:
    """All nodes that the table has of a document; costs a walk of the whole table."""
    for node, entry in _entries():
        if entry is tree or (type(entry) is ShadowNode and entry.tree is tree):
            yield node


def parents_told(nodes: Iterable[Node]) -> list[Node]:
    """The elements below which, as events have reported, these nodes are; costs a walk of the whole table."""
    shadows = {shadow_of(node).parent for node in nodes}
    return [node for node, entry in _entries() if entry in shadows] if shadows else []


def visible(text: str | None, element_only: bool) -> str | None:
    """The text that is a node of the document; None and '' are both no text node."""
    if not text or (element_only and is_blank(text)):
        return None
    return text


class ShadowTree:
    """The shadow of one wrapped document, and what its parts share.

    ``foreign`` are the nodes whose proxies are not ours, through which any of the document's nodes can be moved unseen.
    ``all_open``: every node has its shadow node, so that whatever has been done unseen can be found. ``muted``: proxies
    are made by reading, so that their ``_init`` is no news. ``observed``: the open block of `Document.observe`, at
    whose end all edits are found, those that are seen, too. ``index`` has the elements by id, once one is asked for.
    """

    __slots__ = (
        "_tries", "all_open", "clock", "credit", "delivery", "emit", "emit_alone", "emitter", "foreign",
        "ignore_whitespace", "index", "journal", "muted", "observed", "original", "others", "root",
    )  # fmt: skip

    def __init__(self, root: Node, name: str, now: Callable[[], float], ignore_whitespace: bool) -> None:
        self.root = root
        self.ignore_whitespace = ignore_whitespace
        self.clock = Clock(now)
        self.emitter = Emitter(self.clock, name)
        self.delivery = self.emitter.delivery
        self.emit = self.emitter.emit
        self.emit_alone = self.emitter.emit_alone
        self.original = Original()
        self.journal: Journal | None = None  # of the open transaction
        self.foreign: dict[Node, None] = {}
        self.credit = 0  # for looking at them (see `outside_proxies`)
        self.others: list[ShadowTree] = []  # other documents that the edit under way has taken nodes from
        self.muted = False
        self.observed: Observing | None = None
        self.index: dict[int, Node] | None = None
        self._tries: dict[str, PathTrie] = {}
        self.all_open = False

    @property
    def tree(self) -> ShadowTree:
        """Itself: what the entry of a node of this document has, whichever of the two it is."""
        return self

    @property
    def careful(self) -> bool:
        """Whether edits compare whole child lists: neighbours may have gone unseen, texts may come into view."""
        return bool(self.foreign) or self.ignore_whitespace

    @property
    def remembers_losses(self) -> bool:
        """Whether more has to be known of a node that is gone than that it is: where it was, to be undone, and whether
        white space has come into view there."""
        return self.journal is not None or self.ignore_whitespace

    @property
    def name(self) -> str:
        """The document identifier."""
        return self.emitter.document

    @property
    def fast_path(self) -> bool:
        """Whether the short ways of SubElement and append will do (see `calls.edits.append`)."""
        return not (
            self.foreign or self.ignore_whitespace or self.journal is not None or self.observed is not None
        )

    def reading(self) -> _Reading:
        """A block in which nodes are looked at and none comes: their proxies may be new."""
        return _Reading(self)

    def calm(self) -> None:
        """No call is under way, nor is a block open that observes: what they were doing is about to be undone."""
        self.muted = False
        self.observed = None
        self.others.clear()

    def add_foreign(self, node: Node) -> None:
        """A node of this document has a proxy that is not ours."""
        if not self.foreign:
            self.all_open = False  # the end of the edit sees to that
        self.foreign.setdefault(node)

    def end_edit(self) -> None:
        """Completes the edit under way; what its call did to this document has been emitted."""
        if self.foreign and not self.all_open:
            self.open_all()
        others, self.others = self.others, []
        for other in others:  # whose events wait: callbacks of this one may edit it
            other.delivery.changing = False
        try:
            self.emitter.end_edit()
        finally:  # where a callback has failed, too
            for other in others:
                other.end_edit()

    def open_all(self) -> None:
        """Gives every node its shadow node: through foreign proxies any of them may be moved unseen."""
        if not self.all_open:
            self.open_subtree(self.root)
            self.all_open = True

    def lose_if_taken(self, node: Node) -> bool:
        """Lets go of a node, of which no event has told, if what is older has taken it away; whether it is so."""
        if not self._is_taken(node):
            return False
        self.lose(node)
        return True

    def _is_taken(self, node: Node) -> bool:
        """Whether a node, of which no event has told, is not in the document any more."""
        if entry_of(node) is not self:
            return False
        each = node
        while each is not None:
            if each is self.root or type(entry_of(each)) is ShadowNode:
                return False
            each = get_parent(each)
        return True

    def lose(self, node: Node) -> None:
        """A node of which no event has told is not in the document any more: nobody can know where it was.

        With it goes what has been taken with it.
        """
        while tree_of(above := get_parent(node)) is self:
            node = above
        _LOG.warning("%r %s; verify() says where things are missing", node, _TAKEN.format(self.name))
        self.original.lost.append(node)
        for each in Element.iter(node):
            if tree_of(each) is self:
                leave(each)

    # --- nodes that have been there all the time get their shadow nodes

    def open(self, node: Node, new: Node | None = None) -> ShadowNode:
        """The shadow node of a node of this document; made, with those of its ancestors, when there is none.

        Raises UnseenEditError if C code has put it, or something below one of these, there unseen; but for ``new``, the
        node that is about to be reported.
        """
        if entry_of(node) is not self:
            return shadow_of(node)
        with self.reading():
            missing = [node]
            above: ShadowNode | None = None
            parent = get_parent(node)
            while parent is not None:
                if entry_of(parent) is not self:
                    above = shadow_of(parent)
                    break
                missing.append(parent)
                parent = get_parent(parent)
            if above is None and missing[-1] is not self.root:
                raise UnseenEditError(f"{node!r} {_TAKEN.format(self.name)}")
            for each in reversed(missing):
                children = children_of(each)
                if children and {*map(entry_of, children)} != {self}:
                    children = self._told_of(children, new)
                above = self._describe(each, above, children)
        assert above is not None
        return above

    def _told_of(self, children: list[Node], new: Node | None) -> list[Node]:
        """Those of the children of a node without shadow node that have been there all the time.

        Raises UnseenEditError for others, but ``new``.
        """
        for child in children:
            if child is not new and entry_of(child) is not self:
                shadow_of(child)
        return [child for child in children if entry_of(child) is self]

    def open_children(self, node: Node) -> ShadowNode:
        """The shadow node of ``node``, all its children having theirs, so that they can be reordered."""
        shadow = self.open(node)
        self._describe_all(iter_children(node))
        return shadow

    def open_subtree(self, node: Node) -> ShadowNode:
        """The shadow node of ``node``, every node below it having its own."""
        shadow = self.open(node)
        self._describe_all(Element.iter(node))
        return shadow

    def _describe_all(self, nodes: Iterable[Node]) -> None:
        """Gives nodes of this document, parents before children, their shadow nodes."""
        with self.reading():
            for each in nodes:
                if entry_of(each) is self:
                    self._describe(each, shadow_of(get_parent(each)))

    def _describe(
        self, node: Node, parent: ShadowNode | None, children: list[Node] | None = None
    ) -> ShadowNode:
        """The shadow node of a node that has been there all the time; all of it, or (interrupted) none."""
        try:
            name = name_of(node)
            prev = None if parent is None else self._told_before(node, parent)
            if name is None:
                shadow = new_shadow_node(node, self, parent, None, 0, prev)
            else:
                shadow = self.new_shadow(node, name, parent, prev)
                self._describe_contents(node, shadow, children)
            shadow.pristine = True
            tail = None if parent is None else visible(get_tail(node), parent.element_only)
            if tail is not None:
                shadow.tail, shadow.tail_number = tail, self.clock.new_id()
        except BaseException:
            _table[node] = self
            raise
        return shadow

    def _describe_contents(self, node: Node, shadow: ShadowNode, children: list[Node] | None) -> None:
        for key, value in attributes_of(node):
            self.new_attribute(shadow, key, value)
        if children is None:
            children = [child for child in iter_children(node) if entry_of(child) is self]
        element_only = shadow.element_only = self.has_element_only_content(node, children)
        text = shadow.text = visible(get_text(node), element_only)
        if text is not None:
            shadow.text_number = self.clock.new_id()
            shadow.texts = shadow.count = 1
        if children:
            shadow.last = children[-1]
            texts = sum(visible(tail, element_only) is not None for tail in map(get_tail, children))
            shadow.texts += texts
            shadow.count += texts + sum(map(is_element, children))

    def _told_before(self, node: Node, parent: ShadowNode) -> Node | None:
        """The sibling before a node, but those that have been put there unseen."""
        prev = get_previous(node)
        while prev is not None:
            entry = entry_of(prev)
            if entry is self or (type(entry) is ShadowNode and entry.parent is parent):
                return prev
            prev = get_previous(prev)
        return None

    # --- shadow nodes of elements, of old ones and new ones

    def new_shadow(self, node: Node, name: str, parent: ShadowNode | None, prev: Node | None) -> ShadowNode:
        """A shadow node for an element, with a fresh id."""
        if parent is None:
            trie = self._tries.get(name)
            if trie is None:
                check_name(name, "element")
                trie = self._tries[name] = PathTrie(PathType.of(True, (Step.element(name),)))
        else:
            assert parent.trie is not None
            trie = parent.trie.children.get(name) or parent.trie.child(name)
        number = self.clock.new_id()
        if self.index is not None:
            self.index[number] = node
        return new_shadow_node(node, self, parent, trie, number, prev)

    def new_attribute(self, shadow: ShadowNode, name: str, value: str) -> ShadowAttribute:
        """An attribute for a shadow node, with a fresh id."""
        attribute = ShadowAttribute(value, self.clock.new_id())
        if shadow.attributes is None:
            shadow.attributes = {}
        shadow.attributes[name] = attribute
        return attribute

    def children(self, shadow: ShadowNode) -> list[Node]:
        """The children, in order; they must have shadow nodes (`open_children`)."""
        found = list(self.backwards(shadow))
        found.reverse()
        return found

    def backwards(self, shadow: ShadowNode) -> Iterator[Node]:
        """The children, from the last to the first. Raises UnseenEditError if that leads nowhere."""
        count = 0
        child = shadow.last
        while child is not None:
            yield child
            count += 1
            if count > len(_table):
                raise UnseenEditError(
                    f"children in the document {self.name!r} were moved unseen, by C code, and then edited: run that "
                    "in `with document.observe():`. Its changes can no longer be reported: close() the document "
                    "and wrap the tree again"
                )
            child = shadow_of(child).prev

    def element_by_id(self, number: int) -> Node | None:
        """The element with this id; None if it is gone, or if no event has reported of it."""
        if self.index is None:
            self.index = {}
            for node in Element.iter(self.root, etree.Element):
                entry = entry_of(node)
                if type(entry) is ShadowNode and entry.trie is not None:
                    self.index[entry.number] = node
        return self.index.get(number)

    # --- all nodes

    def pin(self) -> set[type]:
        """Puts every node of the tree into the table; returns the classes of proxies found."""
        try:
            with self.reading():
                return self.original.pin(self.root, self, enter)
        except BaseException:
            self.drop()
            raise

    def drop(self) -> None:
        """Takes every node of this document out of the table.

        By a walk of the table, which others share, only where some may have been taken away unseen.
        """
        self.muted = True
        taken = list(nodes_of(self)) if self.foreign else []
        for nodes in (Element.iter(self.root), self.original.nodes, taken):
            for node in nodes:
                if tree_of(node) is self:
                    leave(node)
        self.original = Original()
        self.index = None
        self.foreign.clear()

    # --- white space (ignore_whitespace)

    def has_element_only_content(self, node: Node, children: list[Node] | None = None) -> bool:
        """Whether white-space-only text among the children of ``node`` (those given, or all) is to be left out."""
        if not self.ignore_whitespace:
            return False
        text = get_text(node)
        if text and not is_blank(text):
            return False
        elements = False
        for child in iter_children(node) if children is None else children:
            tail = get_tail(child)
            if tail and not is_blank(tail):
                return False
            elements = elements or is_element(child)
        return elements


def owners(nodes: Iterable[Node]) -> dict[ShadowTree, list[Node]]:
    """The wrapped documents that nodes belong to, each with its own of them."""
    found: dict[ShadowTree, list[Node]] = {}
    for node in dict.fromkeys(nodes):
        tree = tree_of(node)
        if tree is not None:
            found.setdefault(tree, []).append(node)
    return found


def end_edits(*trees: ShadowTree | None) -> None:
    """Completes the edits of these documents, each once."""
    first, *others = dict.fromkeys(tree for tree in trees if tree is not None) or (None,)
    if first is not None:
        first.others += others
        first.end_edit()
