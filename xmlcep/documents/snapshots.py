"""Documents as XML text with the ids of their nodes, as headers of change logs hold them.

The ids are in document order: an element, its attributes, its child nodes. Every lxml text slot that is not
empty is one text node; a comment or processing instruction keeps the texts on its two sides apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy

from lxml import etree

from ..errors import XmlCepError
from ..xml_parser import read_xml
from ..xml_writer import xml_text
from .node_tables import NodeTables
from .xml_trees import XmlTrees


class SnapshotError(XmlCepError, ValueError):
    """A snapshot that cannot be read: not safe and well-formed XML, or its ids do not belong to it."""


def load_snapshot(tables: NodeTables, xml_text: str, ids: Sequence[int]) -> XmlTrees:
    """Adds the nodes of a snapshot, the first of which is the root element, to the tables, without comments and PIs;
    returns the tree that was read, without these.

    Raises `SnapshotError` when the text is not safe, well-formed XML or the ids do not belong to it.
    """
    loader = _Loader(tables, ids)
    loader.load(parse_snapshot(xml_text))
    return loader.trees


def dump_snapshot(tables: NodeTables, trees: XmlTrees, root: int) -> tuple[str, list[int]]:
    """The element ``root`` with all below it as a snapshot: XML text and ids.

    Adjacent text nodes are kept apart by an empty comment, those without text are left out.
    """
    element = trees.elements[root]
    shown = deepcopy(element)
    shown.tail = None
    ids = _ids(tables, trees, root)
    if not tables.texts.keys().isdisjoint(ids):
        copies = dict(zip(element.iter(), shown.iter(), strict=True))
        _separate_texts(
            tables, {node: copies[trees.elements[node]] for node in ids if node in tables.names}, ids
        )
    return xml_text(shown), ids


def empty_texts(tables: NodeTables) -> list[tuple[int, int, int]]:
    """The text nodes without text, which no XML text can show: the parent of each, its index there, its id.

    Those of one parent are in their order, so that each can be inserted where it was.
    """
    if "" not in tables.texts.values():
        return []
    return sorted(
        (parent, index, node)
        for parent, children in tables.children.items()
        if not isinstance(children, dict)
        for index, node in enumerate(children)
        if tables.texts.get(node) == ""
    )


class _Loader:
    """Gives the nodes of a parsed tree their ids and takes comments and processing instructions out of it."""

    def __init__(self, tables: NodeTables, ids: Sequence[int]) -> None:
        self.tables = tables
        self.trees = XmlTrees(tables)
        self.ids = ids
        self.used = 0
        self.children: dict[int, list[int]] = {}

    def load(self, root: etree._Element) -> None:
        above: list[int] = []
        not_nodes: list[etree._Element] = []
        reshaped: set[int] = set()
        for what, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if what == "start":
                above.append(self._element(element, above[-1] if above else None))
                continue
            if what == "end":
                above.pop()
            elif above:
                not_nodes.append(element)
                reshaped.add(above[-1])
            if above and element.tail:
                self.tables.texts[self._child(above[-1])] = element.tail
        if self.used != len(self.ids):
            raise SnapshotError(f"the snapshot has {self.used} nodes, but ids has {len(self.ids)} node ids")
        for comment in not_nodes:
            comment.getparent().remove(comment)  # type: ignore[union-attr]
        for parent in reshaped:
            self.trees.refresh_texts(parent)

    def _element(self, element: etree._Element, parent: int | None) -> int:
        tables, node = self.tables, self._child(parent)
        if parent is not None:
            tables.parents[node] = parent
        self.trees.elements[node] = element
        tables.names[node] = str(element.tag)
        tables.children[node] = self.children[node] = []
        if element.attrib:
            tables.values[node] = {str(name): str(value) for name, value in element.attrib.items()}
            names = tables.attribute_ids[node] = {}
            for name in tables.values[node]:
                attribute = self._take()
                names[name] = attribute
                tables.attributes[attribute] = (node, name)
        if element.text:
            tables.texts[self._child(node)] = element.text
        return node

    def _child(self, parent: int | None) -> int:
        node = self._take()
        if parent is not None:
            self.children[parent].append(node)
        return node

    def _take(self) -> int:
        if self.used == len(self.ids):
            raise SnapshotError(f"the snapshot has more nodes than ids has node ids ({len(self.ids)})")
        node = self.ids[self.used]
        self.used += 1
        if type(node) is not int:
            raise SnapshotError(f"ids has {node!r}: expected a whole number")
        if node in self.tables:
            raise SnapshotError(f"ids has node id {node} twice")
        return node


def _ids(tables: NodeTables, trees: XmlTrees, root: int) -> list[int]:
    ids, pending = [], [root]
    while pending:
        node = pending.pop()
        element = trees.elements.get(node)
        if element is not None:
            names = tables.attribute_ids.get(node, {})
            ids += [node, *(names[str(name)] for name in element.attrib)]
            pending += reversed(tables.children[node])
        elif tables.texts[node]:
            ids.append(node)
    return ids


def _separate_texts(tables: NodeTables, copies: Mapping[int, etree._Element], ids: list[int]) -> None:
    """Puts an empty comment between adjacent text nodes of a copied subtree."""
    for parent in ids:
        run: list[str] = []
        for node in reversed(tables.children.get(parent, ())):
            if node in tables.texts:
                run.insert(0, tables.texts[node])
                continue
            _split_slot(copies[parent], copies[node], run)
            run = []
        if run:
            _split_slot(copies[parent], None, run)


def _split_slot(parent: etree._Element, before: etree._Element | None, run: list[str]) -> None:
    run = list(filter(None, run))
    if len(run) < 2:
        return
    first, *others = run
    if before is None:
        parent.text, index = first, 0
    else:
        before.tail, index = first, parent.index(before) + 1
    for text in reversed(others):
        comment = etree.Comment("")
        comment.tail = text
        parent.insert(index, comment)


def parse_snapshot(xml_text: str) -> etree._Element:
    """The root element of a snapshot, comments and all; raises `SnapshotError`.

    It may be as large and deep as a document can become by calls; it has no use for a document type.
    """
    try:
        root = read_xml(xml_text, huge=True)[0]
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SnapshotError(f"the snapshot is not well-formed XML: {error}") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise SnapshotError("the snapshot has a document type declaration, which is refused")
    return root
