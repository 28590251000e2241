"""Foreign proxies: Python objects of nodes of a document whose class is not the wrapper's.

They are older than the wrapping, or of an application's element classes; somebody holds them, so lxml makes no others.
What is edited through them cannot be seen as it happens. It is found by comparison: before every other edit (of many
proxies, or long lists of children, a part in turn), at the end of a transaction, and at every call of the `Document`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import islice

from lxml import etree

from ..errors import RefusedError
from ..lxml_access import (
    Element,
    Node,
    get_next,
    get_parent,
    iter_children,
    name_of,
    place,
)
from ..xml_validity import check_incoming, check_node
from .comparison import (
    contents_differ,
    differs,
    ends_differ,
    has_its_name,
    has_its_place,
    is_elsewhere,
)
from .mutations import take_over, take_over_below
from .reconcile import reconcile
from .shadow import (
    NOT_ORIGINAL,
    ShadowNode,
    ShadowTree,
    Tracked,
    enter,
    entry_of,
    leave,
    owners,
    parents_told,
    shadow_of,
    tree_of,
)

CREDIT = 100
"""How many children may be compared for each edit, on average."""
GLANCES = 4
"""At how many proxies each edit looks without comparing their children."""


def adopt(tree: ShadowTree) -> None:
    """Looks for foreign proxies in a document that has just been wrapped."""
    for number, node in enumerate(tree.original.nodes):
        if not isinstance(node, Tracked):
            tree.add_foreign(node, number)
    tree.end_edit()


def look(tree: ShadowTree) -> None:
    """Before an edit: emits what was done through foreign proxies, as an edit of its own.

    Each edit earns credit for comparing children; the proxies take turns, so that a long list is compared less often.
    With a transaction open all are looked at, for an undo goes back step by step.
    """
    if tree.journal is not None:
        catch_up(tree)
        return
    if tree.muted or not tree.foreign:
        return
    tree.credit += CREDIT
    found = _Found(tree)
    for _ in range(len(tree.foreign)):
        node = next(iter(tree.foreign))
        cost = 1 + shadow_of(node).count
        if cost > tree.credit:
            break
        tree.credit -= cost
        tree.foreign[node] = tree.foreign.pop(node)  # behind the others
        found.compare(node, thoroughly=True)
    else:
        tree.credit = 0  # all have had their turn
    for node in islice(tree.foreign, GLANCES) if tree.credit else ():
        found.compare(node, thoroughly=False)
    found.emit()


def look_below(tree: ShadowTree, node: Node) -> None:
    """Before a subtree leaves a document: emits what was done through foreign proxies in it; later nobody could."""
    if tree.foreign and not tree.muted:
        found = _Found(tree)
        tree.muted = True
        try:
            below = [each for each in Element.iter(node) if each in tree.foreign]
        finally:
            tree.muted = False
        for each in below:
            found.compare(each, thoroughly=True)
        found.emit()


def catch_up(tree: ShadowTree) -> None:
    """Emits all that was done through foreign proxies, as one edit; lets go of the root's if nobody else holds it.

    Raises `RefusedError` for what cannot be tracked, and if the root has been put somewhere else.
    """
    _check_root(tree.root)
    if tree.foreign and not tree.muted:
        found = _Found(tree)
        for node in tree.foreign:
            found.compare(node, thoroughly=True)
        found.emit()
        if tree.journal is None and tree.root in tree.foreign:
            del node, found
            _renew_root(tree)


def miss(node: Node) -> None:
    """Emits that ``node``, which `is_elsewhere`, is gone from where it was, and what else has become of that place."""
    for tree, sites in owners(parents_told([node])).items():
        check_all(tree, sites)
        reconcile(tree, sites)
        tree.end_edit()


class _Found:
    """What is different from the shadow: elements to be compared in full, and nodes that somebody has taken away."""

    def __init__(self, tree: ShadowTree) -> None:
        self._tree = tree
        self._changed: dict[Node, None] = {}
        self._taken: list[Node] = []

    def compare(self, node: Node, *, thoroughly: bool) -> None:
        """Looks at the node of a foreign proxy, and at its place; ``thoroughly``: at the list of its children, too."""
        tree = self._tree
        tree.muted = True
        try:
            self._compare(tree, node, shadow_of(node), thoroughly=thoroughly)
        finally:
            tree.muted = False

    def _compare(self, tree: ShadowTree, node: Node, shadow: ShadowNode, *, thoroughly: bool) -> None:
        parent = get_parent(node)
        if shadow.parent is not None and tree_of(parent) is not tree:
            self._taken.append(node)
        elif shadow.parent is not None and not (has_its_place(node, shadow) and has_its_name(node)):
            self._changed[parent] = None  # it has another child now
        if shadow.trie is None:
            return
        if differs(tree, node, shadow) if thoroughly else _seems_to_differ(node, shadow):
            self._changed[node] = None

    def emit(self) -> None:
        """Emits what there is, as one edit.

        Raises `RefusedError`, at every call until that is put right, if something has come that cannot be tracked.
        """
        tree = self._tree
        if not (self._changed or self._taken):
            return
        tree.muted = True
        try:
            robbed = parents_told(self._taken) if tree.remembers_losses else ()
            sites = list(dict.fromkeys((*self._changed, *robbed)))
        finally:
            tree.muted = False
        check_all(tree, sites)
        reconcile(tree, sites)
        for node in self._taken:
            entry = entry_of(node)
            if type(entry) is ShadowNode and is_elsewhere(node, entry):
                take_over(tree, node)
        for node in self._changed:
            if entry_of(node) is None:  # it has left the document with all that it had taken
                take_over_below(tree, node)
        tree.end_edit()


def check_all(tree: ShadowTree, nodes: Iterable[Node]) -> None:
    """Raises `RefusedError` if one of these nodes has changed, or got children, in ways that are refused elsewhere."""
    tree.muted = True
    try:
        for node in nodes:
            _check(node)
    finally:
        tree.muted = False


def _check(node: Node) -> None:
    """Raises `RefusedError` for a node that has changed, or has got children, in ways that are refused elsewhere."""
    check_node(node)
    for child in iter_children(node):
        check_child(child)


def check_child(child: Node) -> None:
    """Raises `RefusedError` if a child that has come unseen, or what it brought, cannot be tracked."""
    _check_root(child)
    tree = tree_of(get_parent(child))
    if tree_of(child) is tree:
        return
    check_incoming(child)
    for each in Element.iter(child):
        _check_root(each)
        owner = tree_of(each)
        if owner not in (None, tree):
            raise RefusedError(
                f"{place(each)} belongs to the wrapped document {owner.name!r} and has come unseen, through an element "
                "that is older than the wrapping: take it out again, and attach copy.deepcopy(element)"
            )


def _check_root(node: Node) -> None:
    """Raises `RefusedError` for the root of a wrapped document that has been put somewhere else."""
    tree = tree_of(node)
    if tree is not None and node is tree.root and get_parent(node) is not None:
        raise RefusedError(
            f"<{name_of(node)}>, the root of the wrapped document {tree.name!r}, has been put below "
            f"<{name_of(get_parent(node))}> unseen: take it out and attach copy.deepcopy(root), or close() the document"
        )


def _seems_to_differ(node: Node, shadow: ShadowNode) -> bool:
    """Whether an element differs from its shadow, as far as can be said without looking at all of its children."""
    return not has_its_name(node) or contents_differ(node, shadow) or ends_differ(node, shadow)


# --- letting go


def _renew_root(tree: ShadowTree) -> None:
    """Has lxml make a new proxy, of our class, for the root, if nobody but this document holds the old one.

    It is what ``wrap(etree.fromstring(…))`` leads to. A comment put before the root for a moment leads back to it.
    """
    node = tree.root
    number = tree.foreign[node]
    shadow = shadow_of(node)
    tree.muted = True
    anchor = etree.Comment("")
    Element.addprevious(node, anchor)
    try:
        leave(node)
        del tree.foreign[node]
        tree.root = None
        if number != NOT_ORIGINAL:
            tree.original.nodes[number] = None
        if tree.index is not None:
            tree.index.pop(shadow.number, None)
        if sys.getrefcount(node) <= 2:  # this variable and the argument
            del node
            node = get_next(anchor)
    finally:
        Element.append(etree.Element("none"), anchor)
        tree.root = node
        enter(node, shadow)
        if number != NOT_ORIGINAL:
            tree.original.nodes[number] = node
        if tree.index is not None:
            tree.index[shadow.number] = node
        if not isinstance(node, Tracked):
            tree.foreign[node] = number
        tree.muted = False
        tree.update_fast_path()
