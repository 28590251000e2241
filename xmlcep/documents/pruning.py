"""Of a tree that has been read what is needed of it."""

from __future__ import annotations

from lxml import etree

from path_types import PathType, Step

from .node_tables import NodeTables
from .state import Instance, Needs, instance_of
from .xml_trees import XmlTrees


def prune(
    nodes: NodeTables, trees: XmlTrees | None, root: int, path: PathType, needs: Needs
) -> dict[int, Instance | None]:
    """Takes all nodes that are not needed out of the tables of a tree, and out of the tree, if that is of use.

    ``path`` is the absolute path type of its root. Returns the roots of what is left: nodes that are needed below some
    that are not are fragments by themselves; with their path instances, if the root is a document's.
    """
    kept: dict[int, PathType] = {}
    roots: dict[int, Instance | None] = {}
    pending: list[tuple[PathType, tuple[int, ...], bool]] = [(path, (root,), False)]
    while pending:
        path, ids, parent_is_kept = pending.pop()
        node, is_kept = ids[-1], needs.keeps(path)
        pending += [
            (path.child(Step.element(nodes.names[child])), (*ids, child), is_kept)
            for child in nodes.children[node]
            if child in nodes.names
        ]
        if is_kept:
            kept[node] = path
        if is_kept and not parent_is_kept:
            roots[node] = instance_of(path, ids)
            nodes.parents.pop(node, None)
        if is_kept != parent_is_kept and trees is not None:
            _cut_off(trees.elements[node])
    forgotten = _forget_all_but(nodes, kept)
    for node, path in kept.items():
        _keep_in(nodes, node, path, needs)
    if trees is not None:
        trees.forget(forgotten)
        for node in kept:
            _show(nodes, trees, node)
    return roots


def _forget_all_but(nodes: NodeTables, kept: dict[int, PathType]) -> list[int]:
    forgotten = [node for node in nodes.names if node not in kept]
    for node in forgotten:
        del nodes.names[node]
        nodes.parents.pop(node, None)
        nodes.values.pop(node, None)
        for attribute in nodes.attribute_ids.pop(node, {}).values():
            del nodes.attributes[attribute]
        for child in nodes.children.pop(node):
            nodes.texts.pop(child, None)
    return forgotten


def _keep_in(nodes: NodeTables, node: int, path: PathType, needs: Needs) -> None:
    """Of an element that is needed the attributes and child nodes that are."""
    names = nodes.attribute_ids.get(node, {})
    for name in [name for name in names if not needs.keeps(path.child(Step.attribute(name)))]:
        del nodes.attributes[names.pop(name)], nodes.values[node][name]
    texts = needs.keeps_node(path.child(Step.text()))
    for child in nodes.children[node]:
        if child in nodes.texts and not texts:
            del nodes.texts[child]
    children = [child for child in nodes.children[node] if child in nodes]
    nodes.children[node] = children if needs.orders(path) else dict.fromkeys(children)


def _cut_off(element: etree._Element) -> None:
    above = element.getparent()
    if above is not None:
        element.tail = None
        above.remove(element)


def _show(nodes: NodeTables, trees: XmlTrees, node: int) -> None:
    """The attributes and texts of an element in the tree as they are in the tables."""
    element, values = trees.elements[node], nodes.values.get(node, {})
    for name in [name for name in element.attrib if str(name) not in values]:
        del element.attrib[name]
    if isinstance(nodes.children[node], dict):
        element.text = None
        for below in element:
            below.tail = None
    else:
        trees.refresh_texts(node)
