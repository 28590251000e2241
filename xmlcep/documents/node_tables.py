"""The nodes of a document by id, beside the lxml tree that shows them."""

from __future__ import annotations

from typing import TypeAlias

from lxml import etree

from .long_list import SHORT, LongList

Siblings: TypeAlias = list[int] | LongList | dict[int, None]
"""The child nodes of an element: in order, or, where their order is of no interest, as the keys of a dict."""


class NodeTables:
    """The nodes of a document by id. Whoever changes it keeps the tables and the lxml tree in step; what is done to
    text slots and to places among siblings is done here.

    Elements whose children have no order have elements as children only.
    """

    __slots__ = ("attribute_ids", "attributes", "children", "elements", "texts")

    def __init__(self) -> None:
        self.elements: dict[int, etree._Element] = {}
        self.children: dict[int, Siblings] = {}  # element -> its elements and text nodes
        self.texts: dict[int, str] = {}
        self.attributes: dict[int, tuple[int, str]] = {}  # attribute -> its element and name
        self.attribute_ids: dict[int, dict[str, int]] = {}  # element -> name -> attribute

    def __contains__(self, node: object) -> bool:
        return node in self.elements or node in self.texts or node in self.attributes

    def update(self, other: NodeTables) -> None:
        """Takes over the nodes of other tables."""
        self.elements.update(other.elements)
        self.children.update(other.children)
        self.texts.update(other.texts)
        self.attributes.update(other.attributes)
        self.attribute_ids.update(other.attribute_ids)

    def forget(self, node: int) -> None:
        """Takes an element or text node and all below it out of the tables."""
        if node in self.elements and not (self.children[node] or node in self.attribute_ids):
            del self.elements[node], self.children[node]  # most go when they are empty (E6)
            return
        pending = [node]
        while pending:
            node = pending.pop()
            if self.elements.pop(node, None) is None:
                del self.texts[node]
                continue
            pending += self.children.pop(node)
            for attribute in self.attribute_ids.pop(node, {}).values():
                del self.attributes[attribute]

    # -- places among siblings ----------------------------------------------------------------------------------

    def ordered_siblings(self, parent: int) -> list[int] | LongList:
        """The child nodes of an element in order; a list that has grown long is made one for that."""
        siblings = self.children[parent]
        assert not isinstance(siblings, dict)
        if len(siblings) > SHORT and isinstance(siblings, list):
            siblings = self.children[parent] = LongList(siblings)
        return siblings

    def place_element(
        self, parent: int, siblings: list[int] | LongList, index: int, name: str
    ) -> etree._Element:
        """A new element in the lxml tree before the sibling at ``index``; the caller fills the text slots."""
        above = self.elements[parent]
        if index == len(siblings):
            return etree.SubElement(above, name)
        element = above.makeelement(name)
        for position in range(index - 1, -1, -1):
            before = self.elements.get(siblings[position])
            if before is not None:
                before.addnext(element)
                return element
        above.insert(0, element)
        return element

    # -- text slots ---------------------------------------------------------------------------------------------

    def write_text(self, parent: int, siblings: list[int] | LongList, index: int) -> None:
        """Writes the lxml slot of the text node at ``index`` anew, with the text nodes beside it."""
        elements, texts = self.elements, self.texts
        start, end = index, index + 1
        while start > 0 and siblings[start - 1] not in elements:
            start -= 1
        while end < len(siblings) and siblings[end] not in elements:
            end += 1
        text = "".join([texts[node] for node in siblings[start:end]])
        if start == 0:
            elements[parent].text = text or None
        else:
            elements[siblings[start - 1]].tail = text or None

    def refresh_slot(self, parent: int, index: int) -> None:
        """Writes the slot before the child node at ``index``, with all text nodes around it, anew."""
        siblings, elements, texts = self.ordered_siblings(parent), self.elements, self.texts
        start = end = index
        while start > 0 and siblings[start - 1] not in elements:
            start -= 1
        while end < len(siblings) and siblings[end] not in elements:
            end += 1
        text = "".join([texts[node] for node in siblings[start:end]]) or None
        if start == 0:
            elements[parent].text = text
        else:
            elements[siblings[start - 1]].tail = text

    def refresh_slots(self, parent: int) -> None:
        """Writes all text slots of an element anew."""
        self.refresh_slot(parent, 0)
        for index, node in enumerate(self.children[parent]):
            if node in self.elements:
                self.refresh_slot(parent, index + 1)

    def text_number(self, parent: int, node: int) -> int:
        """The number (from 1) among the text nodes of the lxml element of the one that shows a text node."""
        number, in_text = 0, False
        for sibling in self.children[parent]:
            if sibling in self.elements:
                in_text = False
            elif self.texts[sibling]:
                number += not in_text
                in_text = True
            if sibling == node:
                break
        return max(number, 1)
