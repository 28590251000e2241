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
