"""Elements that come and go."""

from __future__ import annotations

from ..events import IDS, PATH, PrimitiveEvent
from .state import PathKind, State


def insert_element(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``ins`` of an element; one whose parent is not here becomes the root of a detached fragment."""
    nodes, trees, ids = state.nodes, state.trees, event[3]
    node, names, children = ids[-1], nodes.names, nodes.children
    if node in names or node in nodes.texts or node in nodes.attributes:
        return state.misfit(event, "a node with this id is there already")
    parent = ids[-2] if len(ids) > 1 else None
    siblings = children.get(parent)  # type: ignore[arg-type]
    index: int | None = None  # behind all others
    if isinstance(siblings, dict):
        siblings[node] = None
    elif parent is None or siblings is None:
        _insert_root(state, event, node, parent)
    else:
        index = state.index(event, siblings)
        if index == len(siblings):
            siblings.append(node)
            index = None
        else:
            nodes.ordered_siblings(parent).insert(index, node)
    names[node] = kind.name
    if siblings is not None:
        nodes.parents[node] = parent  # type: ignore[assignment]
    children[node] = [] if kind.ordered else {}
    if trees is None:
        return None
    if parent is None or siblings is None:
        trees.insert_root(node)
    else:
        trees.insert(parent, index, node)
    return None


def _insert_root(state: State, event: PrimitiveEvent, node: int, parent: int | None) -> None:
    if parent is not None:
        if not state.partial:
            state.misfit(event, f"its parent (node {parent}) is not there")
    elif state.root is not None:
        state.misfit(event, f"the document has a root already (node {state.root})")
    if parent is None and state.root is None:
        state.root = node
    state.roots[node] = (event[PATH], event[IDS])


def update_element(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``upd`` of an element, which there is none of."""
    state.misfit(event, "elements have no value that could be updated")


def delete_element(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``del`` of an element, with all that is still in it."""
    nodes, trees, node = state.nodes, state.trees, event[IDS][-1]
    if node not in nodes.names:
        return state.misfit(event, "there is no such element")
    if state.strict and (nodes.children[node] or nodes.attribute_ids.get(node)):
        state.misfit(event, "it still has attributes or child nodes, whose deletion comes first (E6)")
    if node in state.roots:
        del state.roots[node]
        if node == state.root:
            state.root = None
    else:
        parent = state.parent(event)
        siblings, index = nodes.children[parent], None
        if isinstance(siblings, dict):
            del siblings[node]
        elif siblings[-1] == node:  # subtrees go backwards (E6)
            del siblings[-1]
        else:
            siblings = nodes.ordered_siblings(parent)
            index = siblings.index(node)
            del siblings[index]
        if trees is not None:
            trees.remove(parent, index, node)
    forgotten = nodes.forget(node)
    if trees is not None:
        trees.forget(forgotten)
    return None
