"""Foreign proxies: Python objects of nodes of a document whose class is not the wrapper's.

They are older than the wrapping, or of an application's element classes; somebody holds them, so lxml makes no others.
What is edited through them cannot be seen as it happens. It is found by comparison: before every other edit (of many
proxies, or long lists of children, a part in turn), at the end of a transaction, and at every call of the `Document`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

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
from .comparison import differs, has_its_name, has_its_place, is_elsewhere
from .mutations import take_over, take_over_below
from .reconcile import reconcile
from .shadow import (
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


def adopt(tree: ShadowTree) -> None:
    """Looks for foreign proxies in a document that has just been wrapped."""
    for node in tree.original.nodes:
        if not isinstance(node, Tracked):
            tree.add_foreign(node)
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
    turn = []
    for node in tree.foreign:
        cost = 1 + shadow_of(node).count
        if cost > tree.credit:
            break
        tree.credit -= cost
        turn.append(node)
    else:
        tree.credit = 0  # all have had their turn
    for node in turn:
        tree.foreign[node] = tree.foreign.pop(node)  # behind the others
    _tell(tree, turn)


def look_below(tree: ShadowTree, node: Node) -> None:
    """Before a subtree leaves a document: emits what was done through foreign proxies in it; later nobody could."""
    if tree.foreign and not tree.muted:
        with tree.reading():
            below = [each for each in Element.iter(node) if each in tree.foreign]
        _tell(tree, below)


def catch_up(tree: ShadowTree) -> None:
    """Emits all that was done through foreign proxies, as one edit; lets go of the root's if nobody else holds it.

    Raises `RefusedError` for what cannot be tracked, and if the root has been put somewhere else.
    """
    _check_root(tree.root)
    if tree.foreign and not tree.muted:
        _tell(tree, tree.foreign)
        if tree.journal is None and tree.root in tree.foreign:
            _renew_root(tree)


def miss(node: Node) -> None:
    """Emits that ``node``, which `is_elsewhere`, is gone from where it was, and what else has become of that place."""
    for tree, sites in owners(parents_told([node])).items():
        report(tree, sites)


def _tell(tree: ShadowTree, nodes: Iterable[Node]) -> None:
    """Emits what was done to these nodes of foreign proxies, and to their places."""
    sites: dict[Node, None] = {}
    taken: list[Node] = []
    with tree.reading():
        for node in nodes:
            parent, is_root = get_parent(node), shadow_of(node).parent is None
            if not is_root and tree_of(parent) is not tree:
                taken.append(node)
            elif not is_root and not has_its_place(node):
                sites[parent] = None  # it has another child now
            if differs(tree, node):
                sites[node] = None
        if taken and tree.remembers_losses:
            sites.update(dict.fromkeys(parents_told(taken)))
    if sites or taken:
        report(tree, list(sites), taken)


def report(tree: ShadowTree, sites: Sequence[Node], taken: Iterable[Node] = ()) -> None:
    """Emits how elements differ from what events have reported, and nodes that somebody has ``taken``, as one edit.

    Raises `RefusedError`, at every call until that is put right, if something has come that cannot be tracked.
    """
    with tree.reading():
        for site in sites:
            check_node(site)
            for child in iter_children(site):
                check_child(child)
    reconcile(tree, sites)
    for node in taken:
        entry = entry_of(node)
        if type(entry) is ShadowNode and is_elsewhere(node, entry):
            take_over(tree, node)
    for site in sites:
        if entry_of(site) is None:  # it has left the document with all that it had taken
            take_over_below(tree, site)
    tree.end_edit()


def check_child(child: Node) -> None:
    """Raises `RefusedError` if a child that has come or been renamed unseen, or what it brought, cannot be tracked."""
    _check_root(child)
    tree = tree_of(get_parent(child))
    if tree_of(child) is tree:
        if not has_its_name(child):
            check_node(child)
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


# --- letting go


def _renew_root(tree: ShadowTree) -> None:
    """Has lxml make a new proxy, of our class, for the root, if nobody but this document holds the old one.

    It is what ``wrap(etree.fromstring(…))`` leads to. A comment put before the root for a moment leads back to it.
    """
    node, nodes = tree.root, tree.original.nodes  # of which it is the first
    shadow = shadow_of(node)
    with tree.reading():
        anchor = etree.Comment("")
        Element.addprevious(node, anchor)
        try:
            leave(node)
            del tree.foreign[node]
            tree.root = nodes[0] = None
            if tree.index is not None:
                tree.index.pop(shadow.number, None)
            if sys.getrefcount(node) <= 2:  # this variable and the argument
                del node
                node = get_next(anchor)
        finally:
            Element.append(etree.Element("none"), anchor)
            tree.root = nodes[0] = node
            enter(node, shadow)
            if tree.index is not None:
                tree.index[shadow.number] = node
            if not isinstance(node, Tracked):
                tree.foreign[node] = None
