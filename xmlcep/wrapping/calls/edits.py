"""lxml's structural edits on tracked trees: what is looked at before the call, and what is emitted after it.

One module because every edit goes the same way: what is unseen is reported, what cannot be reported is refused, lxml is
called, the difference is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lxml import etree

from ..errors import RefusedError
from ..lxml_access import (
    Element,
    Node,
    attribute_names,
    get_next,
    get_parent,
    get_previous,
    get_tail,
    get_text,
    name_of,
    number_of_children,
)
from ..shadow import outside_proxies
from ..shadow.comparison import is_elsewhere
from ..shadow.mutations import (
    change_tail,
    check_leaf,
    insert,
    insert_leaf,
    link,
    position,
    remove,
    take_over,
    take_over_below,
    unlink,
    write_down,
)
from ..shadow.reconcile import reconcile
from ..shadow.shadow import ShadowNode, ShadowTree, Tracked, end_edits, entry_of, owners, shadow_of, tree_of
from ..xml_validity import check_incoming, check_node, check_parser

Call = Callable[[], None]

LXML_ERRORS = (
    TypeError, ValueError, LookupError, AttributeError, AssertionError, ArithmeticError, etree.Error,
)  # fmt: skip
"""What lxml raises when it refuses to do what it is asked for, and does nothing."""


_append = Element.append


def run(call: Callable[..., Any], given: tuple[Any, ...], *trees: ShadowTree) -> Any:
    """Makes an lxml call that changes these documents; what it does is not reported yet (see `doubt`)."""
    for tree in trees:
        tree.delivery.changing = True
    try:
        return call(*given)
    except LXML_ERRORS:
        for tree in trees:
            tree.delivery.changing = False
        raise


def ready(node: Node) -> ShadowNode | None:
    """The shadow node of a tracked node that is about to be edited; None if it is not tracked.

    Or not now: what is done in a block of `Document.observe` is found at its end. C code may have made of the tree
    what no shadow knows, so that nothing could say what an edit in the midst of it has done.
    """
    entry = entry_of(node)
    if entry is None:
        return None
    tree = entry.tree
    delivery = tree.delivery
    if (  # it is busy
        delivery.changing
        or delivery.delivering is not None
        or delivery.reacting is not None
        or delivery.blocks
        or delivery.missed
    ):
        delivery.check()
    if type(entry) is ShadowNode and not tree.foreign and tree.observed is None:
        return entry
    if tree.observed is not None:
        tree.observed.widen()
        return None
    if tree.foreign:
        outside_proxies.look(tree)
        if tree_of(node) is not tree:  # somebody had taken it away
            return None
    elif entry is tree and tree.lose_if_taken(node):
        return None
    return tree.open(node)


def see(node: Node) -> None:
    """Before a node is moved: what has come into a document unseen is reported first, for an undo goes back there."""
    if entry_of(node) is not None:
        return
    above = get_parent(node)
    while above is not None:
        tree = tree_of(above)
        if tree is not None:
            outside_proxies.catch_up(tree)
            return
        above = get_parent(above)


def owner(node: Node) -> ShadowTree | None:
    """The document that a node belongs to, when all that others have done unseen to this one is reported."""
    tree = tree_of(node)
    if tree is not None and tree.foreign:
        outside_proxies.catch_up(tree)
        see(node)
        tree = tree_of(node)
    return tree


def ready_to_leave(node: Node) -> ShadowNode | None:
    """As `ready`, for a node that may leave its document with all that is below it.

    If somebody has taken it elsewhere, unseen, that is reported first: an undo goes back there.
    """
    shadow = ready(node)
    if shadow is None or not shadow.tree.foreign:
        return shadow
    if is_elsewhere(node, shadow):
        outside_proxies.miss(node)
        see(node)
        shadow = ready(node)
    if shadow is None or not shadow.tree.foreign:
        return shadow
    tree = shadow.tree
    outside_proxies.look_below(tree, node)
    return tree.open(node) if tree_of(node) is tree else None


# --- one node goes somewhere


class Departure:
    """A tracked node that a call is about to move or remove: where it is, its subtree with shadow nodes."""

    __slots__ = ("following", "node", "parent", "previous", "shadow", "tree")

    def __init__(self, node: Node, shadow: ShadowNode) -> None:
        tree = shadow.tree
        refuse_root(tree, node)
        self.node = node
        self.shadow = shadow
        self.tree = tree
        if number_of_children(node):
            tree.open_subtree(node)
        self.parent = get_parent(node)
        self.previous = get_previous(node)
        self.following = get_next(node)
        if self.following is not None and (entry_of(self.following) is not None or not tree.careful):
            tree.open(self.following)
        if tree.journal is not None and not tree.foreign:
            tree.journal.moving(node)  # where it is, its neighbours may have gone unseen: `rearrange` knows

    def stayed(self) -> bool:
        """Whether the node is where it was."""
        node = self.node
        return (
            get_parent(node) is self.parent
            and get_previous(node) is self.previous
            and get_next(node) is self.following
        )

    def emit(self) -> None:
        """The node has left its place."""
        remove(self.tree, self.node, self.shadow)
        unlink(self.tree, self.shadow, self.following)


def departure(node: object) -> Departure | None:
    """What to remember of a node before it is moved, if it belongs to a wrapped document."""
    shadow = ready_to_leave(node) if isinstance(node, Element) else None
    if shadow is None:
        refuse_observed_root(node)
        return None
    return Departure(node, shadow)


def exchange(parent: Node, old: Any, new: Any, call: Call) -> None:
    """Runs an lxml call that puts ``new`` where ``old``, a child of ``parent``, is."""
    nodes = [node for node in (old, new) if isinstance(node, Element)]
    if len(nodes) == 2 and get_parent(new) is not parent:
        put(new, call, parent, instead_of=old)
        return
    parents = open_all(nodes, parent)
    rearrange([parent, *parents], call)


def put(
    node: Any, call: Call, target: Node | None, *, beside: Node | None = None, instead_of: Node | None = None
) -> None:
    """Runs an lxml call that puts ``node`` below ``target`` (which may be untracked) and emits the difference.

    ``beside``: the neighbour to be; where that is a root, ``target`` is None and the tree remembers the comment.
    ``instead_of``: the child of ``target`` whose place it takes.
    """
    if not isinstance(node, Element):
        call()  # which raises lxml's own error
        return
    see(node)
    site = target if target is not None else beside
    into, known = ready(site), tree_of(node) is not None
    leaving = departure(node)
    if into is None and known:
        into = ready(site)  # looking at where the node was may have found it
    going = None if instead_of is None else departure(instead_of)
    tree = None if into is None else into.tree
    if tree is not None and leaving is None:  # it is new, or comes from a document that observes
        check_incoming(node)
    if tree is None and leaving is None and going is None:
        call()
        return
    source = None if leaving is None else leaving.tree
    if tree is not None and tree.journal is not None and source is not tree:
        tree.journal.arriving(node, None if source is None else source.journal)
    observed = tree is not None and leaving is None and tree_of(node) is not None  # by the document it is in
    if observed or any(each is not None and each.careful for each in (tree, source)):
        _put_anyhow(node, call, target, leaving)
        return
    run(call, (), *(each for each in (source, tree) if each is not None))
    if leaving is not None:
        if leaving.stayed():
            change_tail(leaving.tree, node, leaving.shadow, get_tail(node) or None, leaving.tree.emit)
        else:
            leaving.emit()
    if going is not None:
        going.emit()
    arrive(node)
    end_edits(source, tree)


def arrive(node: Node) -> None:
    """``node``, untracked, may now stand below a tracked parent."""
    above = get_parent(node)
    tree = None if above is None else tree_of(above)
    if tree is None or tree.observed is not None or entry_of(node) is not None:
        return
    parent = tree.open(above, node)
    take_over_below(tree, node)
    following = get_next(node)
    if following is not None and entry_of(following) is tree:
        tree.open(following)
    if following is None:
        insert(tree, node, parent, parent.count, parent.last)
        return
    last = parent.last
    insert(tree, node, parent, position(tree, node, parent), get_previous(node))
    parent.last = last
    link(tree, following, node)


def _put_anyhow(node: Node, call: Call, target: Node | None, leaving: Departure | None) -> None:
    """As `put`, by comparing whole child lists: texts may come into or out of view, neighbours be unknown."""
    sites = [target] if leaving is None else [target, leaving.parent]
    with_parents = [site for site in sites if site is not None]
    rearrange(with_parents, call)
    if leaving is not None and entry_of(node) is leaving.shadow and leaving.parent is not get_parent(node):
        take_over(None, node)
        leaving.tree.end_edit()


def take_out(node: Node, call: Call) -> None:
    """Runs an lxml call that removes ``node`` (with its tail) from its parent."""
    leaving = departure(node)
    if leaving is None:
        call()
        return
    if leaving.tree.careful:
        rearrange([leaving.parent], call)
        return
    run(call, (), leaving.tree)
    leaving.emit()
    leaving.tree.end_edit()


def born(tree: ShadowTree, node: Node) -> None:
    """``node`` was made below a tracked parent by C code (SubElement): it is there with its attributes."""
    check_node(node)
    above = get_parent(node)
    if tree.lose_if_taken(above):
        return
    if tree.journal is not None:
        tree.journal.placed(node)
    if tree.foreign:
        outside_proxies.look(
            tree
        )  # which may find the node itself, or that somebody had taken its parent away
        if tree_of(above) is not tree:
            return
    parent = tree.open(above, node) if entry_of(node) is None else None
    if parent is not None:
        alone = get_next(node) is None and not number_of_children(node)
        # SubElement gives neither text nor tail: it may have come through a foreign proxy, and been seen now.
        if (
            alone
            and not (get_text(node) or get_tail(node))
            and get_previous(node) is parent.last
            and not tree.ignore_whitespace
        ):
            if tree.journal is not None:
                tree.journal.came(node)
                tree.journal.keep(parent)
            insert_leaf(tree, node, str(name_of(node)), parent)
            return
        tree.open_children(above)
        reconcile(tree, [above])
    tree.end_edit()


# --- the short way of ``append``


def append(self: Node, element: Any) -> None:
    """As lxml's ``append``: `put`, short where there is nothing to look at.

    That is a document without open transaction, foreign proxies or ``ignore_whitespace`` (`ShadowTree.fast_path`), and
    an element that is new to all wrapped documents. `SubElement` has its own, in `lxml_methods`.
    """
    above = entry_of(self)
    if type(above) is not ShadowNode or not isinstance(element, Tracked) or entry_of(element) is not None:
        put(element, lambda: _append(self, element), self)
        return
    tree = above.tree
    if tree.delivery.is_busy:
        tree.delivery.check()
    name = name_of(element)
    if name is None or not tree.fast_path:
        put(element, lambda: _append(self, element), self)
    elif number_of_children(element) or get_text(element) or get_tail(element):
        check_incoming(element)
        tree.delivery.changing = True
        _append(self, element)
        take_over_below(tree, element)
        insert(tree, element, above, above.count, above.last)
        tree.end_edit()
    else:
        check_parser(element)
        check_leaf(name, attribute_names(element), above)
        tree.delivery.changing = True
        _append(self, element)
        insert_leaf(tree, element, name, above)


# --- a node gets another class


def set_class_of(node: Node, value: type) -> None:
    """``node.__class__ = value``: with a class of the application's its edits are seen late (`outside_proxies`).

    Raises `RefusedError` for classes that nodes of wrapped documents cannot have.
    """
    if issubclass(value, Tracked):
        object.__setattr__(node, "__class__", value)
        return
    shadow = ready(node)
    if shadow is None and type(entry := entry_of(node)) is ShadowNode and entry.tree.observed is not None:
        shadow = entry  # in a block that observes
    old = type(node)
    object.__setattr__(node, "__class__", value)
    if shadow is not None:
        try:
            check_node(node)
        except RefusedError:
            object.__setattr__(node, "__class__", old)
            raise
        shadow.tree.open_all()
        shadow.tree.add_foreign(node)
        shadow.tree.end_edit()


# --- anything may happen to some child lists


def rearrange(sites: Iterable[Node], call: Call) -> None:
    """Runs an lxml call that may change the child lists and texts of ``sites`` in any way; emits the difference.

    Whatever the call has done before it raised is emitted, too.
    """
    trees = owners(site for site in sites if ready(site) is not None)
    for tree, own in trees.items():
        for site in own:
            tree.open_children(site)
            if tree.journal is not None and tree.foreign:
                write_down(site, shadow_of(site))  # of what is there some may have been taken already
            elif tree.journal is not None:
                tree.journal.children(site)
    for tree in trees:
        tree.delivery.changing = True
    try:
        call()
    finally:
        for tree, own in trees.items():
            reconcile(tree, [site for site in own if tree_of(site) is tree])
        end_edits(*trees)


def open_all(nodes: Iterable[Node], into: Node) -> list[Node]:
    """Opens the subtrees of nodes that are about to move into or out of ``into``; returns the tracked ones' parents."""
    parents = []
    tree = tree_of(into)
    if tree is not None and tree.observed is not None:
        tree = None
    for node in nodes:
        see(node)
        shadow = ready_to_leave(node)
        if shadow is None:
            refuse_observed_root(node)
        if tree is not None and (shadow is None or shadow.tree is not tree):
            if shadow is None:
                check_incoming(node)
            if tree.journal is not None:
                tree.journal.arriving(node, None if shadow is None else shadow.tree.journal)
        if shadow is None:
            continue
        refuse_root(shadow.tree, node)
        shadow.tree.open_subtree(node)
        parents.append(get_parent(node))
    return parents


def refuse_root(tree: ShadowTree, node: Node) -> None:
    """The root of a wrapped document stays where it is."""
    if node is tree.root:
        raise RefusedError(
            f"<{name_of(node)}> is the root of the wrapped document {tree.name!r} and cannot be moved away: "
            "attach copy.deepcopy(root), or close() the document first"
        )


def refuse_observed_root(node: Any) -> None:
    """As `refuse_root`, of any node, where it is not looked at otherwise."""
    tree = tree_of(node)
    if tree is not None and tree.observed is not None:
        refuse_root(tree, node)


def refuse_cycle(target: Node, nodes: Iterable[Any]) -> None:
    """lxml 6.1 does not check item and slice assignment for cycles: a tree in a circle would crash it."""
    above = {target, *Element.iterancestors(target)}
    for node in nodes:
        if node in above:
            raise RefusedError(
                f"<{name_of(node)}> contains (or is) <{name_of(target)}> and cannot be put below it: "
                "move the inner one out first"
            )


def refuse_duplicates(nodes: Iterable[Any]) -> None:
    """A node can be in one place only."""
    seen = set()
    for node in nodes:
        if node in seen:
            raise RefusedError(
                f"<{name_of(node)}> is given twice: give copy.deepcopy(…) of it for the second place"
            )
        seen.add(node)
