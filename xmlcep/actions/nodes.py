"""Nodes of a live document as selections give them, texts around elements, and what else actions need of whoever runs
them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from lxml import etree

from ..xpath import Environment, Selected, Selection
from .errors import RefusedActionError


class Host(Protocol):
    """Runs the actions of a firing."""

    @property
    def root(self) -> etree._Element:
        """The root element of the document."""
        ...

    def contains(self, element: etree._Element) -> bool:
        """Whether an element is in the document: what an action before has taken out is not."""
        ...

    def begin_edit(self) -> None:
        """What is done until `end_edit` is one edit (U1)."""

    def end_edit(self) -> None:
        """The other end."""

    def call(self, function: str) -> None:
        """A function of the application is to be called when the transaction is over."""

    def raise_event(self, name: str, node: Selected) -> None:
        """An external event happens at a node."""


Element: TypeAlias = etree._Element


def is_element(node: Selected) -> bool:
    """Whether it is an element; else it is a text or an attribute."""
    return isinstance(node, etree._Element)


def nodes(selection: Selection, environment: Environment, host: Host) -> list[Selected]:
    """The nodes that a selection gives and that are in the document: what has gone meanwhile is skipped (L7)."""
    return [node for node in selection.nodes(environment) if is_there(node, host)]


def is_there(node: Selected, host: Host) -> bool:
    """Whether a node is in the document."""
    element = node if isinstance(node, etree._Element) else node.getparent()
    return element is not None and host.contains(element)


def elements(selection: Selection, environment: Environment, host: Host) -> list[Any]:
    """The elements that a selection gives; raises `RefusedActionError` for anything else."""
    found = nodes(selection, environment, host)
    for node in found:
        if not isinstance(node, etree._Element):
            raise RefusedActionError(
                f"{selection.expression.text!r} selects a text or attribute: expected elements"
            )
    return found


def described(node: Selected) -> str:
    """A node in a message: its path with positions, shortened where that is long."""
    if isinstance(node, etree._Element):
        return str(node.getroottree().getpath(node))
    parent = node.getparent()
    owner = "" if parent is None else described(parent)
    return f"{owner}/@{node.attrname}" if node.is_attribute else f"{owner}/text()"


def keep_tail(node: Element) -> None:
    """Gives the text behind an element to what is before it, so that it stays when the element goes."""
    tail = node.tail
    if not tail:
        return
    node.tail = None
    add_text_before(node, tail)


def add_text_before(node: Element, text: str) -> None:
    """Puts text right before a node, behind the text that is there."""
    previous = node.getprevious()
    if previous is not None:
        previous.tail = (previous.tail or "") + text
    else:
        parent = node.getparent()
        assert parent is not None
        parent.text = (parent.text or "") + text


def add_text(parent: Element, text: str) -> None:
    """Puts text behind all that an element has."""
    if not text:
        return
    last = parent[-1] if len(parent) else None
    if last is None:
        parent.text = (parent.text or "") + text
    else:
        last.tail = (last.tail or "") + text


def without_inner(nodes: Iterable[Element]) -> list[Element]:
    """The elements that are below none of the others."""
    given = list(nodes)
    chosen = set(given)
    return [node for node in given if not any(above in chosen for above in node.iterancestors())]
