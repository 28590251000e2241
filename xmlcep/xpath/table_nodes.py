"""Nodes in tables: of a document that is kept in step with its events, without a tree.

The document is its tables with the id of the context element.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Reversible, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from .nodes import Node, Text


class Siblings(Reversible[int], Collection[int], Protocol):
    """Ids in an order, or in none."""


class Tables(Protocol):
    """A document as tables of its nodes, by id; names are in Clark notation."""

    @property
    def names(self) -> Mapping[int, str]:
        """Of elements."""

    @property
    def parents(self) -> Mapping[int, int]:
        """Of elements; not of those at the top."""

    @property
    def children(self) -> Mapping[int, Siblings]:
        """Of each element the elements and text nodes in it, in their order as far as anybody has use for it."""

    @property
    def texts(self) -> Mapping[int, str]:
        """Of text nodes. Those that are side by side are one to XPath, those without text are none."""

    @property
    def values(self) -> Mapping[int, Mapping[str, str]]:
        """Of the attributes of an element, by name."""


Place: TypeAlias = tuple[Tables, int]
"""An element in tables."""

_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class TableNodes:
    """Nodes in tables; ``bounded``: the context element is the top of what is seen."""

    bounded: bool

    def name(self, document: Place, element: int) -> str:
        """The name in Clark notation."""
        return document[0].names[element]

    def nodes(self, document: Place, element: int) -> Sequence[Node]:
        """The elements and text nodes in an element, in order."""
        tables, run, first = document[0], "", 0
        found: list[Node] = []
        for child in tables.children[element]:
            text = tables.texts.get(child)
            if text is None:
                if run:
                    found.append(Text(element, first, run))
                    run = ""
                found.append(child)
            elif text:
                first, run = (first, run + text) if run else (child, text)
        if run:
            found.append(Text(element, first, run))
        return found

    def elements(self, document: Place, element: int) -> Sequence[int]:
        """The elements in an element."""
        tables = document[0]
        return [child for child in tables.children[element] if child in tables.names]

    def named(self, name: str) -> Callable[[Place, int], Sequence[int]]:
        """What gives those of a name."""

        def called_so(document: Place, element: int) -> Sequence[int]:
            tables = document[0]
            names = tables.names
            return [child for child in tables.children[element] if names.get(child) == name]

        return called_so

    def below(self, name: str | None) -> Callable[[Place, int], Sequence[int]]:
        """What gives all elements below one, of a name or of any, in document order."""

        def descendants(document: Place, element: int) -> Sequence[int]:
            tables, found = document[0], []
            names, children = tables.names, tables.children
            pending = [child for child in reversed(children[element]) if child in names]
            while pending:
                node = pending.pop()
                if name is None or names[node] == name:
                    found.append(node)
                if inside := children[node]:
                    pending += [child for child in reversed(inside) if child in names]
            return found

        return descendants

    def attributes(self, document: Place, element: int) -> Mapping[str, str]:
        """Names and values of the attributes, in order."""
        return document[0].values.get(element, _NOTHING)

    def attribute(self, document: Place, element: int, name: str) -> str | None:
        """The value of one of them; None without it."""
        return document[0].values.get(element, _NOTHING).get(name)

    def parent(self, document: Place, element: int) -> int | None:
        """The element around an element; None at the top."""
        return None if self.bounded and element == document[1] else document[0].parents.get(element)

    def string(self, document: Place, element: int) -> str:
        """The string-value of an element: all text in it."""
        return _joined(document[0], element)


def _joined(tables: Tables, node: int) -> str:
    texts, children = tables.texts, tables.children
    found: list[str] = []
    pending = [iter(children[node])]
    while pending:
        for child in pending[-1]:
            if child not in texts:
                pending.append(iter(children[child]))
                break
            found.append(texts[child])
        else:
            pending.pop()
    return "".join(found)
