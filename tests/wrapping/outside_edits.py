"""Edits with nodes whose classes are not the wrapper's (see `outside`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lxml import etree

from tests.wrapping.outside_classes import Slim, outside_node
from tests.wrapping.vocabulary import is_element
from xmlcep.wrapping.shadow.shadow import Tracked

if TYPE_CHECKING:
    from tests.wrapping.mutator import Mutator


class OutsideEdits:
    """What the edits of a mutator may be beside those with nodes of the wrapper's classes."""

    def __init__(self, edits: Mutator) -> None:
        self.edits = edits
        self.calls: list[Callable[[], Any]] = [
            self.append_outside, self.insert_outside, self.replace_by_outside, self.append_outside_taker,
            self.change_class,
        ]  # fmt: skip

    def from_outside(self) -> Any:
        node, held = outside_node(self.edits.random)
        self.edits.held_outside = [*self.edits.held_outside[-30:], *held]
        return node

    def append_outside(self) -> Any:
        return self.edits.element().append(self.from_outside())

    def insert_outside(self) -> Any:
        return self.edits.element().insert(0, self.from_outside())

    def replace_by_outside(self) -> Any:
        node = self.edits.below()
        return node.getparent().replace(node, self.from_outside())

    def append_outside_taker(self) -> Any:
        """Before or after it comes it takes a node, where a proxy that nobody follows makes documents look for that."""
        if type(self.edits.root) is not etree._Element:
            return
        taker, element, node = self.from_outside(), self.edits.element(), self.edits.incoming()
        inner = next((each for each in taker.iter() if is_element(each)), None)
        if inner is None or node in {element, *element.iterancestors()}:
            return
        first, then = (inner, node), (element, taker)
        if self.edits.random.random() < 0.5:
            first, then = then, first
        first[0].append(first[1])
        then[0].append(then[1])

    def change_class(self) -> Any:
        """An element of the tree gets a class of the application's."""
        node = self.edits.element()
        if type(self.edits.root) is not etree._Element and isinstance(node, Tracked):
            node.__class__ = Slim
