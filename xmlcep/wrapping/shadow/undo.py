"""Undoing a transaction: the inverse edits of its journal, and shadow nodes as they were."""

from __future__ import annotations

from typing import Any

from lxml import etree

from ..lxml_access import (
    Element,
    Node,
    attributes_of,
    children_of,
    get_next,
    get_parent,
    get_previous,
    get_tail,
    get_text,
    is_element,
    name_of,
    set_attribute,
    set_content,
    set_tag,
    set_tail,
    set_text,
)
from .journal import Journal, Place
from .reconcile import reconcile
from .shadow import ShadowTree, Tracked, end_edits, enter, leave, tree_of

_Instruction: Any = etree._ProcessingInstruction
_attributes: Any = Element.attrib.__get__


def undo(tree: ShadowTree, journal: Journal) -> None:
    """Brings tree and shadow back to where they were when the journal was opened; nobody has heard of it."""
    others = _undo_edits(tree, journal)
    for node, shadow in journal.entries.items():
        if tree_of(node) is tree:
            leave(node)  # if it has been here before, with another shadow node, perhaps
            if shadow is None:
                tree.foreign.pop(node, None)
    try:
        others.reconcile()
    finally:
        for node, shadow in journal.entries.items():
            if shadow is not None:
                enter(node, shadow)
                if not isinstance(node, Tracked):
                    tree.add_foreign(node)
        for shadow, state in journal.states.items():
            shadow.restore(state)
        tree.index = None
    end_edits(*others.sites)


def undo_visibly(tree: ShadowTree, journal: Journal) -> None:
    """Brings the tree back, as edits like all others: what comes back is new to those who have heard of it."""
    sites = dict.fromkeys(_sites(journal))
    for site in sites:
        if tree_of(site) is tree:
            tree.open_children(site)
    others = _undo_edits(tree, journal)
    others.reconcile()
    reconcile(tree, [site for site in sites if tree_of(site) is tree])
    end_edits(tree, *others.sites)


def _sites(journal: Journal) -> list[Node]:
    """The nodes whose texts, attributes or children have changed."""
    found = []
    for kind, node, *rest in journal.edits:
        if kind in ("place", "origin"):
            found += [rest[0].parent, get_parent(node)]
        else:
            found += [node, get_parent(node)]
    return [node for node in found if node is not None]


def _undo_edits(tree: ShadowTree, journal: Journal) -> _Others:
    others = _Others(tree)
    inverse = _Inverse(tree, journal, others)
    with tree.reading():
        for kind, node, *rest in reversed(journal.edits):
            if not inverse.has_gone_on(node):
                getattr(inverse, kind)(node, *rest)
    journal.undone()
    return others


class _Others:
    """The other wrapped documents that nodes are taken from, or given back to: they emit that as edits."""

    def __init__(self, tree: ShadowTree) -> None:
        self._tree = tree
        self.sites: dict[ShadowTree, dict[Node, None]] = {}

    def changes(self, site: Node | None) -> None:
        """The children of this element are about to change."""
        owner = None if site is None else tree_of(site)
        if owner is not None and owner is not self._tree:
            owner.open_children(site)
            self.sites.setdefault(owner, {})[site] = None

    def leaves(self, node: Node) -> None:
        """The node is about to leave its place."""
        owner = tree_of(node)
        if owner is not None and owner is not self._tree:
            owner.open_subtree(node)
            self.changes(get_parent(node))

    def reconcile(self) -> None:
        """Brings the shadows of these documents in step."""
        for tree, sites in self.sites.items():
            reconcile(tree, [site for site in sites if tree_of(site) is tree])


class _Inverse:
    """The inverse edits, by their kind in the journal."""

    def __init__(self, tree: ShadowTree, journal: Journal, others: _Others) -> None:
        self._tree = tree
        self._entries = journal.entries
        self._others = others

    def text(self, node: Node, value: str | None) -> None:
        (set_text if is_element(node) else set_content)(node, value)

    def tail(self, node: Node, value: str | None) -> None:
        set_tail(node, value)

    def tag(self, node: Node, name: str) -> None:
        if name_of(node) != name:
            set_tag(node, name)

    def target(self, node: Node, value: str) -> None:
        _Instruction.target.__set__(node, value)

    def attributes(self, node: Node, items: list[tuple[str, str]]) -> None:
        if attributes_of(node) != items:
            _attributes(node).clear()  # all anew, so that their order is the old one
            for key, value in items:
                set_attribute(node, key, value)

    def children(self, node: Node, text: str | None, children: list[tuple[Node, str | None]]) -> None:
        wanted = [child for child, _ in children if not self.has_gone_on(child)]
        present = children_of(node)
        if present != wanted:
            self._others.changes(node)
            for child in present:
                Element.remove(node, child)
            for child in wanted:
                self._others.leaves(child)
                _part(child, node)
                Element.append(node, child)
        if get_text(node) != text:
            set_text(node, text)
        for child, tail in children:
            if get_tail(child) != tail and not self.has_gone_on(child):
                set_tail(child, tail)

    def beside(
        self, root: Node, before: list[Node], after: list[Node], tails: list[tuple[Node, str | None]]
    ) -> None:
        wanted = [[node for node in nodes if not self.has_gone_on(node)] for nodes in (before, after)]
        present = [list(Element.itersiblings(root, preceding=True))[::-1], list(Element.itersiblings(root))]
        if present != wanted:
            for node in (*present[0], *present[1]):
                _take_out(node)
            for node in wanted[0]:
                Element.addprevious(root, node)
            for node in reversed(wanted[1]):
                Element.addnext(root, node)
        for node, tail in tails:
            if get_tail(node) != tail and not self.has_gone_on(node):
                set_tail(node, tail)

    def place(self, node: Node, place: Place) -> None:
        """Puts a node of this document back, wherever it is by now, or takes out a new one."""
        self._others.leaves(node)
        self._put(node, place)

    def origin(self, node: Node, place: Place, source: Journal | None) -> None:
        """Gives a node back to where it came from; if that is undone already, to where it had come from there."""
        while source is not None and (origin := source.origin(node)) is not None:
            place, source = origin
        self._others.changes(place.parent)
        owner = None if place.parent is None else tree_of(place.parent)
        if owner is not None and owner.journal is not None and node not in owner.journal.entries:
            owner.journal.came(node)
            owner.journal.placed(node)
        self._put(node, place)

    def has_gone_on(self, node: Node) -> bool:
        """Whether a node that was not here before the transaction is in another document: it is that one's business."""
        return self._entries.get(node) is None and tree_of(node) not in (None, self._tree)

    def _put(self, node: Node, place: Place) -> None:
        parent, following, previous, tail = place
        if parent is not None:
            _part(node, parent)
        elif is_element(node):  # it was the root of a tree, which lxml puts beside nothing again
            following = previous = None
        if following is not None and get_parent(following) is parent:
            if get_next(node) is not following or get_parent(node) is not parent:
                Element.addprevious(following, node)
        elif (
            previous is not None
            and get_parent(previous) is parent
            and (following is not None or parent is None)
        ):
            if get_previous(node) is not previous:
                Element.addnext(previous, node)
        elif parent is not None:
            Element.append(parent, node)
        else:
            _take_out(node)
        if (get_tail(node) or None) != (tail or None):
            set_tail(node, tail)


def _take_out(node: Node) -> None:
    """Takes a node out of its tree, the text behind it, too; from beside a root it goes by being moved."""
    parent = get_parent(node)
    if parent is not None:
        Element.remove(parent, node)
    elif get_next(node) is not None or get_previous(node) is not None:
        Element.append(etree.Element("none"), node)


def _part(node: Node, target: Node) -> None:
    """Takes ``target`` out of ``node`` if it is in it, by the branch it is on, so that ``node`` can be put below it."""
    branch = target
    while branch is not None:
        above = get_parent(branch)
        if above is node:
            Element.remove(node, branch)
        branch = above
