"""A document as it was when it was wrapped: to verify what no event has ever told of."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import Any

from lxml import etree

from ..xml_parser import safe_parser
from ..xml_writer import xml_text
from .errors import RefusedError
from .raw import Element, Node, contents, get_parent, get_previous


class Original:
    """The nodes of a document when it was wrapped, in document order, and its text.

    Nodes that have changed since, or gone, are kept with their contents as of when events first told of them: what is
    different there has slipped through before.
    """

    __slots__ = ("_first", "_text", "lost", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.lost: list[Node] = []  # nodes that are elsewhere now, and of which no event has ever told
        self._text = b""
        self._first: dict[Node, tuple[Any, ...]] = {}

    def pin(self, root: Node, entry: Any, enter: Callable[[Node, Any], None]) -> set[type]:
        """Gives every node of the tree an entry in the table; returns the classes of proxies found."""
        collecting = gc.isenabled()
        gc.disable()  # a collection per 700 new proxies would find nothing and double the time
        try:
            nodes = self.nodes = list(Element.iter(root))
            for _ in map(enter, nodes, repeat(entry)):
                pass
            return set(map(type, nodes))
        finally:
            if collecting:
                gc.enable()

    def take_text(self, root: Node) -> None:
        """Keeps the tree as it is now, as text."""
        self._text = xml_text(root).encode()

    @property
    def text(self) -> bytes:
        """The tree as it was when it was wrapped."""
        return self._text

    def keep(self, node: Node, name: str | None, text: str | None, tail: str | None, attributes: Any) -> None:
        """``node`` is about to change, or to go: keeps what events have told of it so far, which is its first state."""
        if name is None:
            self._first[node] = (tail,)
        else:
            values = {key: attribute.value for key, attribute in (attributes or {}).items()}
            self._first[node] = (name, text, tail, values)

    def differences(
        self,
        document: str,
        first: Callable[[Node], tuple[Any, ...] | None],
        shown: Callable[[Node], tuple[Any, ...]],
    ) -> Iterator[str]:
        """How nodes differ from what they were when they were wrapped.

        ``first`` says of a node of the document what it was when events first told of it (None: nothing has been told);
        ``shown`` what events would tell of one.
        """
        try:
            before = list(etree.fromstring(self._text, safe_parser(huge=True)).iter())
        except etree.XMLSyntaxError as error:
            raise RefusedError(
                f"the document {document!r} cannot be verified: as it was when it was wrapped it cannot be parsed"
                f" again: {error}"
            ) from error
        index: dict[Any, int] = {node: number for number, node in enumerate(before)}
        for node, old in zip(self.nodes, before, strict=True):
            told = self._first.get(node) or first(node)
            if told is not None:
                if told != shown(old):
                    yield f"{node!r}: was {shown(old)} when it was wrapped, and {told} when events first told of it"
            elif not self._stands_as(node, old, index):
                yield f"{node!r}: stands elsewhere than when it was wrapped"
            elif contents(node) != contents(old):
                yield f"{node!r}: was {contents(old)} when it was wrapped, and is {contents(node)}"

    def _stands_as(self, node: Node, old: Node, index: Mapping[Any, int]) -> bool:
        """Whether a node has the parent and the node before it that it had; the document element stands anywhere."""
        parent, previous = old.getparent(), old.getprevious()
        if parent is None:
            return True
        before = None if previous is None else self.nodes[index[previous]]
        return get_parent(node) is self.nodes[index[parent]] and get_previous(node) is before
