"""Edits with nodes of parsers that go on: what they add to these comes unseen."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from lxml import etree

from xmlcep.wrapping.shadow.shadow import Tracked

if TYPE_CHECKING:
    from tests.wrapping.mutator import Mutator

FED = (
    "<x>\n<item k='1'>1<a/>2<b l='2'>3<c>4</c>5<!--n--></b>6</item>7<b/><a/>8<!--n-->9<a><c/>t<item><b>u</b></item>v"
    "</a><?p q?><c><a k='3'/><a/></c></x>"
)


def cut(text: str, random: Random) -> list[str]:
    """Pieces of a text."""
    places = [0, *sorted(random.sample(range(4, len(text)), random.randint(1, 8))), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


class FeedingEdits:
    """What the edits of a mutator may be beside those with nodes that are complete."""

    def __init__(self, edits: Mutator) -> None:
        self.edits = edits
        self.parsers: list[tuple[Any, list[str]]] = []
        self.calls: list[Callable[[], Any]] = [self.begin_feeding, self.feed]

    def begin_feeding(self) -> Any:
        """A node comes here that a parser has just completed, or is completing as far as anybody can say."""
        pieces = cut(FED, self.edits.random)
        kind = self.edits.random.choice([etree.XMLPullParser, etree.XMLPullParser, etree.HTMLPullParser])
        parser = kind(events=self.edits.random.choice([("end",), ("start", "end")]))
        nodes: list[Any] = []
        while not nodes and pieces:
            parser.feed(pieces.pop(0))
            nodes = [
                node
                for event, node in parser.read_events()
                if event == "end" and node.tag not in ("x", "html")
            ]
        if nodes:
            target, top = self.edits.element(), nodes[-1]
            if self.edits.documents and not isinstance(target, Tracked):
                return  # nobody would know where it has come from
            self.parsers.append((parser, pieces))
            if self.edits.random.random() < 0.5:
                target.append(top)
            else:
                target.insert(0, top)

    def feed(self) -> Any:
        """The parser goes on behind it, or ends."""
        if self.parsers:
            parser, pieces = self.edits.random.choice(self.parsers)
            if pieces:
                parser.feed(pieces.pop(0))
                list(parser.read_events())
            else:
                self.parsers.remove((parser, pieces))
