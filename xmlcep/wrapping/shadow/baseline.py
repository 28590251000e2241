"""A document as it was when it was wrapped: to verify what no event has ever reported."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from ...xml_parser import parse_own
from ...xml_writer import xml_text
from ..errors import RefusedError
from ..lxml_access import Element, Node, contents, get_parent, get_previous

_new = tuple.__new__


class First(NamedTuple):
    """What a node was when events first reported it, or of something at or below it.

    ``contents`` are name, text, tail and attributes, of a comment and the like the tail; ``number`` is its id,
    ``parent`` that of its parent, ``previous`` the node before it.
    """

    contents: tuple[Any, ...]
    number: int
    parent: int | None
    previous: Node | None

    @classmethod
    def of(cls, shadow: Any) -> First:
        """As the shadow of a node has it that is as it was when it was made."""
        parent = None if shadow.parent is None else shadow.parent.number
        if shadow.trie is None:
            return cls((shadow.tail,), shadow.number, parent, shadow.prev)
        attributes = {name: attribute.value for name, attribute in (shadow.attributes or {}).items()}
        told = shadow.trie.name, shadow.text, shadow.tail, attributes
        return _new(cls, (told, shadow.number, parent, shadow.prev))


class Original:
    """The nodes of a document when it was wrapped, in document order, and its text.

    Nodes that have changed since, moved or gone, are kept as they were when events first reported them: what is
    different there has slipped through before.
    """

    __slots__ = ("_first", "_text", "lost", "nodes", "previous")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.lost: list[Node] = []  # nodes that are elsewhere now, and of which no event has ever told
        self._text = b""
        self._first: dict[Node, First] = {}
        self.previous: dict[Node, Node | None] = {}
        """The node before each that has another before it now, and was as it had been until then."""

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

    def keep(self, node: Node, shadow: Any) -> None:
        """``node`` is about to change, or to go: keeps what its shadow has, which is its first state."""
        self._first[node] = First.of(shadow)

    def differences(
        self,
        document: str,
        first: Callable[[Node], First | None],
        shown: Callable[[Node], tuple[Any, ...]],
    ) -> Iterator[str]:
        """How nodes differ from what they were when they were wrapped.

        ``first`` says of a node of the document what it was when events first reported it (None: nothing has been
        reported, or only that it is not here any more); ``shown`` what events would tell of one.
        """
        try:
            before = list(parse_own(self._text).iter())
        except ValueError as error:
            raise RefusedError(
                f"the document {document!r} cannot be verified: as it was when it was wrapped it cannot be parsed"
                f" again: {error}"
            ) from error
        # By identity: from the outermost to the innermost, as a dict lets go of its keys, lxml walks up from each.
        index = {id(node): number for number, node in enumerate(before)}
        told = [self._first.get(node) or first(node) for node in self.nodes]
        for number, (node, old) in enumerate(zip(self.nodes, before, strict=True)):
            known = told[number]
            if known is not None:
                if known.contents != shown(old):
                    yield (
                        f"{node!r}: was {shown(old)} when it was wrapped, and {known.contents} at its "
                        "first event"
                    )
                elif not self._was_told_as(node, known, old, index, told):
                    yield f"{node!r}: was elsewhere at its first event than when it was wrapped"
            elif not self._stands_as(node, old, index):
                yield f"{node!r}: is elsewhere than when it was wrapped"
            elif contents(node) != contents(old):
                yield f"{node!r}: was {contents(old)} when it was wrapped, and is {contents(node)}"

    def _was_told_as(
        self, node: Node, known: First, old: Node, index: Mapping[int, int], told: Sequence[First | None]
    ) -> bool:
        """Whether events first reported a node where it was: below which parent, and behind which node."""
        parent, previous = old.getparent(), old.getprevious()
        if parent is None:
            return known.parent is None
        above = told[index[id(parent)]]
        if above is None or above.number != known.parent:
            return False
        before = None if previous is None else self.nodes[index[id(previous)]]
        return self.previous.get(node, known.previous) is before

    def _stands_as(self, node: Node, old: Node, index: Mapping[int, int]) -> bool:
        """Whether a node has the parent and the node before it that it had; the document element is anywhere."""
        parent, previous = old.getparent(), old.getprevious()
        if parent is None:
            return True
        before = None if previous is None else self.nodes[index[id(previous)]]
        return get_parent(node) is self.nodes[index[id(parent)]] and get_previous(node) is before
