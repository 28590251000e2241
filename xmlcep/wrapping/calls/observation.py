"""What C code has done to a tree, in blocks or at any time, is found by comparison."""

from __future__ import annotations

from ..doubt import Block
from ..errors import RefusedError, WrapError
from ..lxml_access import Element, Node, children_of, get_parent, name_of, set_tag
from ..shadow import outside_proxies
from ..shadow.comparison import different, has_its_name
from ..shadow.mutations import remember
from ..shadow.reconcile import reconcile
from ..shadow.shadow import ShadowNode, ShadowTree, entry_of, shadow_of, tree_of
from ..xml_validity import check_name
from .assignments import take_out_refused


class Observation(Block):
    """The ``with`` block of `Document.observe`: what was changed, by C code or not, is emitted at its end, as one edit.

    C code may change what is at or below an element; other edits may be anywhere (`widen`).
    """

    __slots__ = ("_element", "_remembered", "_tree", "_wide")

    _instead = "begin another one, document.observe()"

    def __init__(self, tree: ShadowTree, element: Node) -> None:
        super().__init__()
        self._tree = tree
        self._element = element
        self._remembered: frozenset[Node] = frozenset()
        self._wide = False
        self._check()

    def _enter(self) -> Observation:
        tree, delivery = self._tree, self._tree.delivery
        delivery.check()
        if tree.muted:
            raise RefusedError(
                "observe() inside observe(): one block is enough, the outer one emits everything"
            )
        outside_proxies.catch_up(tree)
        self._check()  # somebody may have taken it away
        tree.open_subtree(self._element)
        delivery.blocks = (*delivery.blocks, self)
        if tree.journal is not None:
            nodes = list(Element.iter(self._element))
            self._remembered = frozenset(nodes)
            for node in nodes:
                remember(tree, node)
        tree.muted, tree.observed = True, self
        return self

    def widen(self) -> None:
        """Every node is compared at the end; those elsewhere are now as events have reported."""
        tree = self._tree
        if not self._wide:
            self._wide = True
            if self._element is not tree.root:
                tree.open_subtree(tree.root)
                if tree.journal is not None:
                    for node in Element.iter(tree.root):
                        if node not in self._remembered and entry_of(node) is not None:
                            remember(tree, node)

    def _leave(self, *, failed: bool) -> None:
        if self._tree.observed is self:
            self.finish()

    def finish(self) -> None:
        """Emits what there is. Raises `RefusedError` for what no log could hold, when that has been taken out again."""
        tree, element = self._tree, self._element
        delivery = tree.delivery
        delivery.changing = True
        delivery.blocks = tuple(each for each in delivery.blocks if each is not self)
        refused: RefusedError | None = None
        try:  # muted: new nodes get their proxies here, and are reported below
            tree.observed = None
            sites = list(Element.iter(tree.root if self._wide else element))
            parent = None if self._wide else get_parent(element)
            if parent is not None and tree_of(parent) is tree:
                tree.open_children(parent)
                sites.insert(0, parent)
            changed = different(tree, [site for site in sites if tree_of(site) is tree])
            refused = _take_out_refused(changed)
        finally:
            tree.muted = False
        reconcile(tree, [site for site in changed if tree_of(site) is tree])
        tree.end_edit()
        if refused is not None:
            raise refused

    def _check(self) -> None:
        if not isinstance(self._element, Element) or tree_of(self._element) is not self._tree:
            raise WrapError(f"{self._element!r} is not an element of the document {self._tree.name!r}")


def compare_all(tree: ShadowTree) -> None:
    """Emits all that is different from what events have reported, whoever has done it, as one edit.

    Where events have reported all nodes, and no transaction is open, whose undo could not go back there. Costs a walk.
    Raises `RefusedError` for what cannot be tracked.
    """
    if not tree.all_open or tree.muted or tree.journal is not None:
        return
    with tree.reading():
        sites = different(tree, Element.iter(tree.root))
    if sites:
        outside_proxies.report(tree, sites)


def _take_out_refused(nodes: list[Node]) -> RefusedError | None:
    """Takes out what has come and cannot be tracked or parsed again; the first error that says so."""
    found: list[RefusedError] = []
    for node in nodes:
        shadow = shadow_of(node)
        errors = [_give_back_name(node), take_out_refused(node, shadow)]
        for child in children_of(node):
            entry = entry_of(child)
            if type(entry) is ShadowNode and entry.parent is shadow:  # it has been here all the time
                errors.append(_give_back_name(child))
                continue
            try:
                outside_proxies.check_child(child)
            except RefusedError as error:
                errors.append(error)
                Element.remove(node, child)
        found += [error for error in errors if error is not None]
    return found[0] if found else None


def _give_back_name(node: Node) -> RefusedError | None:
    """Gives a node, if its new name cannot be parsed again, the one back that it had; the error that says so."""
    if not has_its_name(node):
        try:
            check_name(str(name_of(node)), "element")
        except RefusedError as error:
            trie = shadow_of(node).trie
            assert trie is not None
            set_tag(node, trie.name)
            return error
    return None
