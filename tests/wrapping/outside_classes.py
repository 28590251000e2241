"""Nodes whose Python classes are not the wrapper's: an application's own, lxml.html's, lxml's own."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import lxml.html
from lxml import etree


class Own(etree.ElementBase):
    """An element class of an application."""


class Slim(etree.ElementBase):
    """One that an element may get by assignment."""

    __slots__ = ()


def plain_parser() -> etree.XMLParser:
    """A parser that makes elements of lxml's own class, whatever lxml's default is just now."""
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup())
    return parser


def own_parser() -> etree.XMLParser:
    """A parser with a class lookup of the application."""
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Own))
    return parser


class Spoken(etree.ElementBase):
    """An element class that has its own ideas, as those of python-docx have."""

    def _init(self) -> None:
        self.made = True

    @property
    def text(self) -> str | None:  # type: ignore[override]
        """As lxml's."""
        return super().text

    @text.setter
    def text(self, value: Any) -> None:
        super(Spoken, type(self)).text.__set__(self, value)  # type: ignore[attr-defined]

    def set(self, key: Any, value: Any) -> None:
        """As lxml's."""
        super().set(key, value)

    def append(self, element: Any) -> None:
        """As lxml's."""
        self.insert(len(self), element)


class Remark(etree.CommentBase):
    """A comment class of an application."""


class _ByNode(etree.PythonElementClassLookup):
    def lookup(self, doc: Any, element: Any) -> Any:
        return (Own, Spoken, None)[len(element) % 3] if isinstance(element.tag, str) else None


class _ByName(etree.CustomElementClassLookup):
    def lookup(self, type: Any, doc: Any, namespace: Any, name: Any) -> Any:
        return Remark if type == "comment" else Spoken if type == "element" and name[-1:] in "024" else None


def own_classes(number: int) -> etree.XMLParser:
    """A parser with one of the ways that applications choose classes in."""
    named = etree.ElementNamespaceClassLookup(etree.ElementDefaultClassLookup(element=Own, comment=Remark))
    named.get_namespace(None).update({"n1": Spoken, "a": Spoken})
    attributed = etree.AttributeBasedElementClassLookup("k", {"1": Spoken, "3": Own}, named)
    lookups = (named, attributed, _ByName(), _ByNode(named), etree.ElementDefaultClassLookup(element=Spoken))
    parser = etree.XMLParser()
    parser.set_element_class_lookup(lookups[number % len(lookups)])
    return parser


MAKERS: tuple[Callable[[], Any], ...] = (
    lambda: etree.fromstring("<b k='5'>o<a/>p<c>q</c></b>", plain_parser()),
    lambda: etree.fromstring("<b>o<!--i-->p</b>", plain_parser())[0],
    lambda: etree.fromstring("<b>o<?p q?>p</b>", plain_parser())[0],
    lambda: etree.fromstring("<a l='1'><b/>t</a>", own_parser()),
    lambda: Own("k1", "v"),
    lambda: lxml.html.fromstring("<p class='x'>y<b>z</b>w</p>"),
)  # fmt: skip


def outside_node(random: Random) -> tuple[Any, list[Any]]:
    """A node of a class that is not the wrapper's, perhaps in a tree, and the proxies to be held of it."""
    node = random.choice(MAKERS)()
    return node, list(node.iter()) if random.random() < 0.6 else [node]
