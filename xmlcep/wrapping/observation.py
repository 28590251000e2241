"""Blocks in which C code changes a tree: what it has done is found by comparison."""

from __future__ import annotations

from . import foreign
from .errors import RefusedError, WrapError
from .mutations import remember
from .raw import Element, Node, get_parent
from .reconcile import reconcile
from .shadow import ShadowTree, tree_of


class Observation:
    """The ``with`` block of `Document.observe`: what C code changed is emitted at its end, as one edit.

    If something has come that cannot be tracked nothing is emitted: `RefusedError`, and the next block that finds it
    taken out emits the rest.
    """

    __slots__ = ("_element", "_tree")

    def __init__(self, tree: ShadowTree, element: Node) -> None:
        self._tree = tree
        self._element = element
        self._check()

    def __enter__(self) -> Observation:
        tree = self._tree
        if tree.muted:
            raise RefusedError(
                "observe() inside observe(): one block is enough, the outer one emits everything"
            )
        foreign.catch_up(tree)
        self._check()  # somebody may have taken it away
        tree.open_subtree(self._element)
        if tree.journal is not None:
            for node in Element.iter(self._element):
                remember(tree, node)
        tree.muted = True
        return self

    def __exit__(self, *_: object) -> None:
        tree, element = self._tree, self._element
        sites = list(Element.iter(element))  # muted: new nodes that get their proxies here are told of below
        parent = get_parent(element)
        tree.muted = False
        if tree_of(element) is tree:
            if parent is not None and tree_of(parent) is tree:
                tree.open_children(parent)
                sites.insert(0, parent)
            sites = [site for site in sites if tree_of(site) is tree]
            foreign.check_all(tree, sites)
            reconcile(tree, sites)
        tree.end_edit()

    def _check(self) -> None:
        if not isinstance(self._element, Element) or tree_of(self._element) is not self._tree:
            raise WrapError(f"{self._element!r} is no element of the document {self._tree.name!r}")
