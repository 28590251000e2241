"""Attributes and text nodes that come, change and go."""

from __future__ import annotations

from ..events import IDS, OLD, VALUE, PrimitiveEvent
from ..xml_parser import NOT_XML
from .long_list import LongList
from .state import PathKind, State


def _value(event: PrimitiveEvent) -> str:
    """The value of an event as XML can hold it; raises `ValueError` if it cannot."""
    text = event[VALUE] or ""
    if not str.isprintable(text) and (wrong := NOT_XML.search(text)):
        raise ValueError(f"XML has no character {wrong.group()!r}")
    return text


# -- attributes ---------------------------------------------------------------------------------------------


def insert_attribute(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``ins`` of an attribute."""
    parent = _owner(state, event)
    if parent is not None:
        if event[IDS][-1] in state.nodes.attributes or kind.name in state.nodes.values.get(parent, ()):
            state.misfit(event, "the attribute is there already")
        _set(state, parent, event, kind.name)


def update_attribute(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``upd`` of an attribute."""
    parent = _owner(state, event)
    if parent is not None:
        _check(state, parent, event, kind.name)
        _set(state, parent, event, kind.name)


def delete_attribute(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``del`` of an attribute."""
    parent = _owner(state, event)
    if parent is None:
        return
    _check(state, parent, event, kind.name)
    state.nodes.attributes.pop(event[IDS][-1], None)
    state.nodes.attribute_ids.get(parent, {}).pop(kind.name, None)
    state.nodes.values.get(parent, {}).pop(kind.name, None)
    if state.trees is not None:
        state.trees.elements[parent].attrib.pop(kind.name, None)


def _owner(state: State, event: PrimitiveEvent) -> int | None:
    """The element of an attribute; None if it is not there."""
    ids = event[IDS]
    parent = ids[-2] if len(ids) > 1 else None
    if parent in state.nodes.names:
        return parent
    state.misfit(event, f"its element (node {parent}) is not there")
    return None


def _check(state: State, parent: int, event: PrimitiveEvent, name: str) -> None:
    if not state.strict:
        return
    nodes, node = state.nodes, event[IDS][-1]
    if nodes.attributes.get(node) != (parent, name):
        state.misfit(event, "there is no such attribute")
    value = nodes.values.get(parent, {}).get(name)
    if event[OLD] is not None and value != event[OLD]:
        state.misfit(event, f"old is {event[OLD]!r}, but the attribute is {value!r}")


def _set(state: State, parent: int, event: PrimitiveEvent, name: str) -> None:
    nodes, node, value = state.nodes, event[IDS][-1], _value(event)
    names = nodes.attribute_ids.setdefault(parent, {})
    if names.get(name, node) != node:
        nodes.attributes.pop(names[name], None)
    names[name] = node
    nodes.attributes[node] = (parent, name)
    nodes.values.setdefault(parent, {})[name] = value
    if state.trees is not None:
        state.trees.elements[parent].set(name, value)


# -- text nodes ---------------------------------------------------------------------------------------------


def insert_text(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``ins`` of a text node."""
    nodes, ids = state.nodes, event[3]
    node, texts = ids[-1], nodes.texts
    parent = ids[-2] if len(ids) > 1 else None
    siblings = nodes.children.get(parent)  # type: ignore[arg-type]
    if parent is None or siblings is None:
        return state.misfit(event, f"its parent (node {parent}) is not there")
    if node in texts or node in nodes.names or node in nodes.attributes:
        return state.misfit(event, "a node with this id is there already")
    text = _value(event)
    if not siblings and not event[6]:  # pos: as most do
        texts[node] = text
        nodes.children[parent] = [node]
        if state.trees is not None:
            state.trees.elements[parent].text = text or None
        return None
    index = state.index(event, siblings)
    texts[node] = text
    nodes.ordered_siblings(parent).insert(index, node)
    if state.trees is not None:
        state.trees.refresh_text(parent, index)
    return None


def update_text(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``upd`` of a text node; one that was lost is inserted."""
    nodes, trees, node = state.nodes, state.trees, event[3][-1]
    texts = nodes.texts
    if node not in texts:
        state.misfit(event, "there is no such text node")
        return insert_text(state, event, kind)
    if state.strict and event[OLD] is not None and event[OLD] != texts[node]:
        state.misfit(event, f"old is {event[OLD]!r}, but the text is {texts[node]!r}")
    text = _value(event)
    if trees is None and not state.strict:
        texts[node] = text
        return None
    parent = _alone_in(state, event)
    if parent is not None:
        nodes.texts[node] = text
        if trees is not None:
            trees.elements[parent].text = text or None
        return None
    parent, _, index = _place(state, event)
    nodes.texts[node] = text
    if trees is not None:
        trees.refresh_text(parent, index)
    return None


def delete_text(state: State, event: PrimitiveEvent, kind: PathKind) -> None:
    """``del`` of a text node."""
    nodes, trees, node = state.nodes, state.trees, event[IDS][-1]
    before = nodes.texts.get(node)
    if before is None:
        return state.misfit(event, "there is no such text node")
    if state.strict and event[OLD] is not None and event[OLD] != before:
        state.misfit(event, f"old is {event[OLD]!r}, but the text is {before!r}")
    parent = _alone_in(state, event)
    if parent is not None:
        nodes.children[parent] = []
        del nodes.texts[node]
        if trees is not None:
            trees.elements[parent].text = None
        return None
    parent, siblings, index = _place(state, event)
    del siblings[index], nodes.texts[node]
    if trees is not None:
        trees.refresh_text(parent, index)
    return None


def _alone_in(state: State, event: PrimitiveEvent) -> int | None:
    """The parent of a text node which is all there is in it: most are, so this is worth a shorter way."""
    ids = event[IDS]
    if len(ids) < 2:
        return None
    siblings = state.nodes.children.get(ids[-2])
    return ids[-2] if siblings is not None and len(siblings) == 1 and ids[-1] in siblings else None


def _place(state: State, event: PrimitiveEvent) -> tuple[int, list[int] | LongList, int]:
    """Where a text node is: its parent, the child nodes of that, and which of them it is."""
    parent, node = state.parent(event), event[IDS][-1]
    siblings = state.nodes.ordered_siblings(parent)
    return parent, siblings, len(siblings) - 1 if siblings[-1] == node else siblings.index(node)
