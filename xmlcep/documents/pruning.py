"""Of a tree that has been read what is needed of it."""

from __future__ import annotations

from path_types import PathType, Step

from .node_tables import NodeTables
from .state import Needs


def prune(nodes: NodeTables, root: int, path: PathType, needs: Needs) -> list[int]:
    """Takes all nodes that are not needed out of the tables of a tree, and out of the tree.

    ``path`` is the absolute path type of its root. Returns the roots of what is left: nodes that are needed below some
    that are not are fragments by themselves.
    """
    kept: dict[int, PathType] = {}
    roots: list[int] = []
    pending = [(root, path, False)]
    while pending:
        node, path, parent_is_kept = pending.pop()
        element, is_kept = nodes.elements[node], needs.keeps(path)
        pending += [
            (child, path.child(Step.element(str(nodes.elements[child].tag))), is_kept)
            for child in nodes.children[node]
            if child in nodes.elements
        ]
        if is_kept:
            kept[node] = path
        if is_kept and not parent_is_kept:
            roots.append(node)
        above = element.getparent()
        if is_kept != parent_is_kept and above is not None:
            element.tail = None
            above.remove(element)
    _forget_all_but(nodes, kept, needs)
    for node, path in kept.items():
        _keep_in(nodes, node, path, needs)
    return roots


def _forget_all_but(nodes: NodeTables, kept: dict[int, PathType], needs: Needs) -> None:
    for node in [node for node in nodes.elements if node not in kept]:
        del nodes.elements[node]
        for attribute in nodes.attribute_ids.pop(node, {}).values():
            del nodes.attributes[attribute]
        for child in nodes.children.pop(node):
            nodes.texts.pop(child, None)


def _keep_in(nodes: NodeTables, node: int, path: PathType, needs: Needs) -> None:
    """Of an element that is needed the attributes and child nodes that are."""
    element = nodes.elements[node]
    names = nodes.attribute_ids.get(node, {})
    for name in [name for name in names if not needs.keeps(path.child(Step.attribute(name)))]:
        del nodes.attributes[names.pop(name)]
        del element.attrib[name]
    texts = needs.keeps_node(path.child(Step.text()))
    for child in nodes.children[node]:
        if child in nodes.texts and not texts:
            del nodes.texts[child]
    children = [child for child in nodes.children[node] if child in nodes.elements or child in nodes.texts]
    if needs.orders(path):
        nodes.children[node] = children
        nodes.refresh_slots(node)
        return
    nodes.children[node] = dict.fromkeys(children)
    element.text = None
    for below in element:
        below.tail = None
