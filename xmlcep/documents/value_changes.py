"""Attributes and text nodes that come, change and go."""

from __future__ import annotations

from lxml import etree

from ..events import IDS, OLD, VALUE, PrimitiveEvent
from .long_list import LongList
from .state import PathKind, State

# -- attributes ---------------------------------------------------------------------------------------------


def insert_attribute(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``ins`` of an attribute."""
    element = _owner(state, event)
    if element is not None:
        if event[IDS][-1] in state.nodes.attributes or element.get(kind.name) is not None:
            state.misfit(event, "the attribute is there already")
        _set(state, element, event, kind.name)


def update_attribute(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``upd`` of an attribute."""
    element = _owner(state, event)
    if element is not None:
        _check(state, element, event, kind.name)
        _set(state, element, event, kind.name)


def delete_attribute(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``del`` of an attribute."""
    element = _owner(state, event)
    if element is not None:
        _check(state, element, event, kind.name)
        state.nodes.attributes.pop(event[IDS][-1], None)
        state.nodes.attribute_ids.get(event[IDS][-2], {}).pop(kind.name, None)
        element.attrib.pop(kind.name, None)


def _owner(state: State, event: PrimitiveEvent) -> etree._Element | None:
    ids = event[IDS]
    parent = ids[-2] if len(ids) > 1 else None
    element = None if parent is None else state.nodes.elements.get(parent)
    if element is None:
        state.misfit(event, f"its element (node {parent}) is not there")
    return element


def _check(state: State, element: etree._Element, event: PrimitiveEvent, name: str) -> None:
    if not state.strict:
        return
    if state.nodes.attributes.get(event[IDS][-1]) != (event[IDS][-2], name):
        state.misfit(event, "there is no such attribute")
    if event[OLD] is not None and element.get(name) != event[OLD]:
        state.misfit(event, f"old is {event[OLD]!r}, but the attribute is {element.get(name)!r}")


def _set(state: State, element: etree._Element, event: PrimitiveEvent, name: str) -> None:
    nodes, node, parent = state.nodes, event[IDS][-1], event[IDS][-2]
    element.set(name, event[VALUE] or "")
    names = nodes.attribute_ids.setdefault(parent, {})
    if names.get(name, node) != node:
        nodes.attributes.pop(names[name], None)
    names[name] = node
    nodes.attributes[node] = (parent, name)


# -- text nodes ---------------------------------------------------------------------------------------------


def insert_text(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``ins`` of a text node."""
    nodes, ids = state.nodes, event[IDS]
    node = ids[-1]
    parent = ids[-2] if len(ids) > 1 else None
    siblings = None if parent is None else nodes.children.get(parent)
    if parent is None or siblings is None:
        return state.misfit(event, f"its parent (node {parent}) is not there")
    if node in nodes.texts or node in nodes.elements or node in nodes.attributes:
        return state.misfit(event, "a node with this id is there already")
    index = state.index(event, siblings)
    text = event[VALUE] or ""
    if not siblings:
        nodes.elements[parent].text = text or None
        nodes.texts[node] = text
        nodes.children[parent] = [node]
        return None
    siblings = nodes.ordered_siblings(parent)
    siblings.insert(index, node)
    nodes.texts[node] = text
    try:
        nodes.write_text(parent, siblings, index)
    except ValueError:
        # lxml took the old text out before it refused the new one.
        del siblings[index], nodes.texts[node]
        nodes.refresh_slot(parent, index)
        raise
    return None


def update_text(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``upd`` of a text node; one that was lost is inserted."""
    nodes, node = state.nodes, event[IDS][-1]
    before = nodes.texts.get(node)
    if before is None:
        state.misfit(event, "there is no such text node")
        return insert_text(state, event, kind)
    if state.strict and event[OLD] is not None and event[OLD] != before:
        state.misfit(event, f"old is {event[OLD]!r}, but the text is {before!r}")
    text = event[VALUE] or ""
    parent = _alone_in(state, event)
    if parent is not None:
        element = nodes.elements[parent]
        try:
            element.text = text or None
        except ValueError:
            element.text = before or None  # lxml took it out before it refused the new one
            raise
        nodes.texts[node] = text
        return None
    parent, siblings, index = _place(state, event)
    nodes.texts[node] = text
    try:
        nodes.write_text(parent, siblings, index)
    except ValueError:
        nodes.texts[node] = before
        nodes.write_text(parent, siblings, index)
        raise
    return None


def delete_text(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``del`` of a text node."""
    nodes, node = state.nodes, event[IDS][-1]
    before = nodes.texts.get(node)
    if before is None:
        return state.misfit(event, "there is no such text node")
    if state.strict and event[OLD] is not None and event[OLD] != before:
        state.misfit(event, f"old is {event[OLD]!r}, but the text is {before!r}")
    parent = _alone_in(state, event)
    if parent is not None:
        nodes.elements[parent].text = None
        nodes.children[parent] = []
        del nodes.texts[node]
        return None
    parent, siblings, index = _place(state, event)
    del siblings[index], nodes.texts[node]
    nodes.refresh_slot(parent, index)
    return None


def _alone_in(state: State, event: PrimitiveEvent) -> int | None:
    """The parent of a text node which is all there is in it: most are, so this is worth a shorter way."""
    ids = event[IDS]
    if len(ids) < 2:
        return None
    siblings = state.nodes.children.get(ids[-2])
    return ids[-2] if siblings is not None and len(siblings) == 1 and ids[-1] in siblings else None


def _place(state: State, event: PrimitiveEvent) -> tuple[int, list[int] | LongList, int]:
    """Where a text node stands: its parent, the child nodes of that, and which of them it is."""
    nodes, ids = state.nodes, event[IDS]
    node = ids[-1]
    if len(ids) > 1 and ids[-2] in nodes.children:
        siblings = nodes.ordered_siblings(ids[-2])
        if siblings and siblings[-1] == node:
            return ids[-2], siblings, len(siblings) - 1
        if node in siblings:
            return ids[-2], siblings, siblings.index(node)
    state.misfit(event, "it has another parent")
    parent = next(parent for parent, children in nodes.children.items() if node in children)
    siblings = nodes.ordered_siblings(parent)
    return parent, siblings, siblings.index(node)
