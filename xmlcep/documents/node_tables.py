"""The nodes of a document by id: what a replica knows, and what expressions that need no lxml tree are asked of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .long_list import SHORT, LongList

Siblings: TypeAlias = list[int] | LongList | dict[int, None]
"""The child nodes of an element: in order, or, where their order is of no interest, as the keys of a dict."""


class NodeTables:
    """The nodes of a document by id.

    Elements whose children have no order have elements as children only.
    """

    __slots__ = ("attribute_ids", "attributes", "children", "names", "parents", "texts", "values")

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # of elements, in Clark notation
        self.parents: dict[int, int] = {}  # of elements; not of those at the top
        self.children: dict[int, Siblings] = {}  # element -> its elements and text nodes
        self.texts: dict[int, str] = {}
        self.attributes: dict[int, tuple[int, str]] = {}  # attribute -> its element and name
        self.attribute_ids: dict[int, dict[str, int]] = {}  # element -> name -> attribute
        self.values: dict[int, dict[str, str]] = {}  # element -> name of an attribute -> its value

    def __contains__(self, node: object) -> bool:
        return node in self.names or node in self.texts or node in self.attributes

    def update(self, other: NodeTables) -> None:
        """Takes over the nodes of other tables."""
        self.names.update(other.names)
        self.parents.update(other.parents)
        self.children.update(other.children)
        self.texts.update(other.texts)
        self.attributes.update(other.attributes)
        self.attribute_ids.update(other.attribute_ids)
        self.values.update(other.values)

    def copy(self) -> NodeTables:
        """Other tables with the same nodes."""
        other = NodeTables()
        other.update(self)
        other.children = {node: _copy(siblings) for node, siblings in self.children.items()}
        other.attribute_ids = {node: dict(names) for node, names in self.attribute_ids.items()}
        other.values = {node: dict(values) for node, values in self.values.items()}
        return other

    def forget(self, node: int) -> Sequence[int]:
        """Takes an element or text node and all below it out of the tables; returns the elements among them."""
        if node in self.names and not (self.children[node] or node in self.attribute_ids):
            del self.names[node], self.children[node]  # most go when they are empty (E6)
            self.parents.pop(node, None)
            return (node,)
        elements, pending = [], [node]
        while pending:
            node = pending.pop()
            if self.names.pop(node, None) is None:
                del self.texts[node]
                continue
            elements.append(node)
            self.parents.pop(node, None)
            pending += self.children.pop(node)
            self.values.pop(node, None)
            for attribute in self.attribute_ids.pop(node, {}).values():
                self.attributes.pop(attribute, None)
        return elements

    def ordered_siblings(self, parent: int) -> list[int] | LongList:
        """The child nodes of an element in order; a list that has grown long is made one for that."""
        siblings = self.children[parent]
        assert not isinstance(siblings, dict)
        if len(siblings) > SHORT and isinstance(siblings, list):
            siblings = self.children[parent] = LongList(siblings)
        return siblings

    def text_number(self, parent: int, node: int) -> int:
        """The number (from 1) of what XPath sees of a text node among those of its element: those side by side are
        one."""
        number, in_text = 0, False
        for sibling in self.children[parent]:
            if sibling in self.names:
                in_text = False
            elif self.texts[sibling]:
                number += not in_text
                in_text = True
            if sibling == node:
                break
        return max(number, 1)


def _copy(siblings: Siblings) -> Siblings:
    if isinstance(siblings, dict):
        return dict(siblings)
    return LongList(siblings) if isinstance(siblings, LongList) else list(siblings)
