"""Elements that come and go."""

from __future__ import annotations

from lxml import etree

from ..events import IDS, PrimitiveEvent
from .state import PathKind, State


def insert_element(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``ins`` of an element; one whose parent is not here becomes the root of a detached fragment."""
    nodes, ids = state.nodes, event[IDS]
    node = ids[-1]
    if node in nodes.elements or node in nodes.texts or node in nodes.attributes:
        return state.misfit(event, "a node with this id is there already")
    parent = ids[-2] if len(ids) > 1 else None
    siblings = None if parent is None else nodes.children.get(parent)
    if parent is None or siblings is None:
        nodes.elements[node] = _insert_root(state, event, node, parent, kind.name)
    elif isinstance(siblings, dict):
        nodes.elements[node] = etree.SubElement(nodes.elements[parent], kind.name)
        siblings[node] = None
    else:
        index = state.index(event, siblings)
        if index == len(siblings):
            nodes.elements[node] = etree.SubElement(nodes.elements[parent], kind.name)
            siblings.append(node)
        else:
            _insert_before(state, parent, index, node, kind.name)
    nodes.children[node] = [] if kind.ordered else {}
    return None


def _insert_root(
    state: State, event: PrimitiveEvent, node: int, parent: int | None, name: str
) -> etree._Element:
    if parent is not None:
        if not state.partial:
            state.misfit(event, f"its parent (node {parent}) is not there")
    elif state.root is not None:
        state.misfit(event, f"the document has a root already (node {state.root})")
    element = etree.Element(name)
    if parent is None and state.root is None:
        state.root = node
    state.above[node] = parent
    return element


def _insert_before(state: State, parent: int, index: int, node: int, name: str) -> None:
    nodes = state.nodes
    siblings = nodes.ordered_siblings(parent)
    element = nodes.place_element(parent, siblings, index, name)
    beside_text = siblings[index] in nodes.texts or (index > 0 and siblings[index - 1] in nodes.texts)
    siblings.insert(index, node)
    nodes.elements[node] = element
    if beside_text:
        nodes.refresh_slot(parent, index)
        nodes.refresh_slot(parent, index + 1)


def update_element(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``upd`` of an element, which there is none of."""
    state.misfit(event, "elements have no value that could be updated")


def delete_element(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``del`` of an element, with all that is still in it."""
    nodes, node = state.nodes, event[IDS][-1]
    element = nodes.elements.get(node)
    if element is None:
        return state.misfit(event, "there is no such element")
    if state.strict and (nodes.children[node] or nodes.attribute_ids.get(node)):
        state.misfit(event, "it still has attributes or child nodes, whose deletion comes first (E6)")
    above = element.getparent()
    if above is None:
        nodes.forget(node)
        state.above.pop(node, None)
        if node == state.root:
            state.root = None
        return None
    parent = _parent(state, event, above)
    siblings = nodes.children[parent]
    if isinstance(siblings, dict):
        del siblings[node]
        above.remove(element)
    elif siblings[-1] == node:  # subtrees go backwards (E6)
        del siblings[-1]
        above.remove(element)
    else:
        siblings = nodes.ordered_siblings(parent)
        index = siblings.index(node)
        del siblings[index]
        element.tail = None
        above.remove(element)
        if siblings[index] in nodes.texts:
            nodes.refresh_slot(parent, index)
    nodes.forget(node)
    return None


def _parent(state: State, event: PrimitiveEvent, above: etree._Element) -> int:
    """The id of the element that is the parent of the event's node: what the event says, unless that is wrong."""
    ids, elements = event[IDS], state.nodes.elements
    if len(ids) > 1 and elements.get(ids[-2]) is above:
        return ids[-2]
    state.misfit(event, "it has another parent")
    return next(node for node, element in elements.items() if element is above)
