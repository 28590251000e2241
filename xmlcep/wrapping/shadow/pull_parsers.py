"""Nodes that a parser may still add to.

A pull parser, or `iterparse`, gives out elements that are not complete. What it adds to one that has become part of a
wrapped document is added by C code: so such nodes are looked at like those with foreign proxies (`outside_proxies`),
until the parser has gone on to what stands behind them, or nobody can feed it any more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ..lxml_access import (
    Node,
    get_next,
    get_parent,
    get_previous,
    get_tail,
    get_text,
    is_element,
    last_child,
    line_of,
    root_tree,
)
from .shadow import tree_of

_PULLED = (etree.XMLPullParser, etree.HTMLPullParser)  # iterparse has one of them, too
_IDLE = 3
"""The references to a parser that nobody can feed: of `_Parser`, of the tree it has made, and an argument."""


@dataclass(slots=True, eq=False)
class _Parser:
    """A parser: the one reference to it that is ours."""

    parser: Any


@dataclass(slots=True, eq=False)
class Feed:
    """What a parser may still add to: an element that has come out of its tree, and some of those below it.

    ``parent`` is where it has come from, ``last`` and ``text`` what stood before it there. ``idle`` is how many
    references there are to a parser that nobody can feed.
    """

    parser: _Parser
    parent: Node
    last: Node
    text: str | None
    idle: int
    nodes: list[Node] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Whether nothing will be added any more."""
        if sys.getrefcount(self.parser.parser) <= self.idle:
            return True
        parent = self.parent
        if parent is None:
            return False
        last = last_child(parent)
        if last is not self.last:
            return last is not None and (self.last is None or get_parent(self.last) is parent)
        return _text_behind(parent, last) != self.text


fed: dict[Node, Feed] = {}
"""The nodes of all feeds, in whatever tree they are."""


def is_pulled(node: Node) -> bool:
    """Whether a parser has made a node that gives out what is not complete."""
    return line_of(node) is not None and isinstance(root_tree(node).parser, _PULLED)


def notice(node: Node, kept: int = 0) -> bool:
    """Before a node comes into a document, or its tree becomes one: whether a parser may still add to it.

    ``kept``: how many further references to its parser are the document's.
    """
    if node in fed or not is_element(node) or not is_pulled(node):
        return node in fed
    parser = root_tree(node).parser
    _clear()
    each = node
    while each is not None:
        if _is_left(each):
            return False
        each = get_parent(each)
    known = next((feed.parser for feed in fed.values() if feed.parser.parser is parser), None)
    parent, last = get_parent(node), get_previous(node)
    text = None if parent is None else _text_behind(parent, last)
    feed = Feed(known or _Parser(parser), parent, last, text, _IDLE + kept)
    each = node
    while each is not None and is_element(each) and not _is_left(each):
        _add(feed, each)
        each = last_child(each)
    return True


def follow(node: Node) -> bool:
    """Whether a parser may still add to a node that has come into a document, because it came to one like that."""
    feed = fed.get(get_parent(node))
    if feed is not None and node not in fed and is_element(node) and not _is_left(node):
        _add(feed, node)
    return node in fed


def ended(nodes: dict[Node, int]) -> list[Feed]:
    """The feeds of these nodes that have ended."""
    feeds = dict.fromkeys(feed for node in nodes if (feed := fed.get(node)) is not None)
    return [feed for feed in feeds if feed.ended]


def forget(feed: Feed) -> None:
    """Its nodes are like others from now on."""
    for node in feed.nodes:
        fed.pop(node, None)


def _clear() -> None:
    """Forgets the feeds that have ended of which no document has anything any more."""
    for feed in set(fed.values()):
        if feed.ended and all(tree_of(node) is None for node in feed.nodes):
            forget(feed)


def _is_left(node: Node) -> bool:
    """Whether the parser has gone on to what stands behind a node."""
    return get_next(node) is not None or bool(get_tail(node))


def _add(feed: Feed, node: Node) -> None:
    fed[node] = feed
    feed.nodes.append(node)


def _text_behind(parent: Node, child: Node) -> str | None:
    """The text behind the last child; of an element without children its text."""
    return get_text(parent) if child is None else get_tail(child)  # type: ignore[no-any-return]
