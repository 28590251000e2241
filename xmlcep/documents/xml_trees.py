"""The lxml trees of nodes in tables: for whoever wants XML.

Text nodes that are side by side share one text slot of lxml.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

from lxml import etree

from .node_tables import NodeTables


class XmlTrees:
    """The document and the detached fragments of some tables. Whoever changes these says so here, afterwards."""

    __slots__ = ("_tables", "elements")

    def __init__(self, tables: NodeTables) -> None:
        self._tables = tables
        self.elements: dict[int, etree._Element] = {}

    @classmethod
    def of(cls, tables: NodeTables, roots: Iterable[int]) -> XmlTrees:
        """The trees with these roots, made from the tables."""
        trees = cls(tables)
        names, elements = tables.names, trees.elements
        pending: list[tuple[int, etree._Element | None]] = [(root, None) for root in roots]
        while pending:
            node, above = pending.pop()
            element = etree.Element(names[node]) if above is None else etree.SubElement(above, names[node])
            elements[node] = element
            for name, value in tables.values.get(node, {}).items():
                element.set(name, value)
            pending += [(child, element) for child in reversed(tables.children[node]) if child in names]
        for node in elements:
            if not isinstance(tables.children[node], dict):
                trees.refresh_texts(node)
        return trees

    def copy(self, tables: NodeTables, roots: Iterable[int]) -> XmlTrees:
        """The same trees of a copy of their tables; ``roots`` are their roots."""
        other = XmlTrees(tables)
        nodes = {element: node for node, element in self.elements.items()}
        for root in roots:
            element = self.elements[root]
            for one, copied in zip(element.iter(), deepcopy(element).iter(), strict=True):
                other.elements[nodes[one]] = copied
        return other

    # -- elements -----------------------------------------------------------------------------------------------

    def insert_root(self, node: int) -> None:
        """A new element that has no parent here."""
        self.elements[node] = etree.Element(self._tables.names[node])

    def insert(self, parent: int, index: int | None, node: int) -> None:
        """A new element among the child nodes of another one; ``index`` is None behind the last."""
        above, name = self.elements[parent], self._tables.names[node]
        if index is None:
            self.elements[node] = etree.SubElement(above, name)
            return
        siblings, texts = self._tables.ordered_siblings(parent), self._tables.texts
        element = above.makeelement(name)
        for position in range(index - 1, -1, -1):
            before = self.elements.get(siblings[position])
            if before is not None:
                before.addnext(element)
                break
        else:
            above.insert(0, element)
        self.elements[node] = element
        if siblings[index + 1] in texts or (index > 0 and siblings[index - 1] in texts):
            self.refresh_text(parent, index)
            self.refresh_text(parent, index + 1)

    def remove(self, parent: int, index: int | None, node: int) -> None:
        """An element is gone from among the child nodes of another one; ``index`` is None if nothing stood behind it,
        or nothing has an order there."""
        element = self.elements[node]
        if index is not None:
            element.tail = None
        self.elements[parent].remove(element)
        if index is not None and self._tables.ordered_siblings(parent)[index] in self._tables.texts:
            self.refresh_text(parent, index)

    def forget(self, elements: Iterable[int]) -> None:
        """These elements are in the tables no more."""
        for node in elements:
            del self.elements[node]

    # -- text slots ---------------------------------------------------------------------------------------------

    def refresh_text(self, parent: int, index: int) -> None:
        """Writes the slot at or before the child node at ``index``, with all text nodes that share it, anew."""
        siblings = self._tables.ordered_siblings(parent)
        names, texts = self._tables.names, self._tables.texts
        start = end = index
        while start > 0 and siblings[start - 1] not in names:
            start -= 1
        while end < len(siblings) and siblings[end] not in names:
            end += 1
        text = "".join([texts[node] for node in siblings[start:end]]) or None
        if start == 0:
            self.elements[parent].text = text
        else:
            self.elements[siblings[start - 1]].tail = text

    def refresh_texts(self, parent: int) -> None:
        """Writes all text slots of an element anew."""
        self.refresh_text(parent, 0)
        for index, node in enumerate(self._tables.children[parent]):
            if node in self._tables.names:
                self.refresh_text(parent, index + 1)
