"""Who makes the proxies: lxml's class lookups while documents are wrapped, and as they were before.

lxml asks a parser's own class lookup for the nodes of the trees it has made, and a default one for all others.
"""

from __future__ import annotations

from collections import deque
from threading import RLock
from typing import Any

from lxml import etree

from ..element_classes import lookup_of
from ..xml_parser import safe_parser
from .calls.lxml_methods import DEFAULT_LOOKUP, LOOKUP, TrackedElement
from .calls.own_classes import tracked_lookup
from .errors import WrapError
from .lxml_access import Element, Node
from .shadow.shadow import Tracked


class ClassLookups:
    """Ours where documents need them; given back when the last document that does is closed.

    Documents come and go in any thread; a document that is dropped goes whenever garbage is collected, even in the
    middle of what is done here. So one thread at a time does something, and what is given back meanwhile waits for
    the end of that.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._under_way = False
        self._given_back: deque[Any] = deque()
        self._documents = 0
        self._default_is_ours = False
        self._parsers: dict[
            Any, tuple[Any, int]
        ] = {}  # with the lookup they had, and how many documents need ours

    def take(self, root: Node) -> Any:
        """Makes our element classes those of a tree's new proxies; returns what to `give_back`.

        lxml's default is left alone if the application has set its own. Raises `WrapError` where the application's
        classes leave no room for those of a parser.
        """
        try:
            with self._lock:
                outer, self._under_way = self._under_way, True
                try:
                    return self._take(root)
                except BaseException:
                    self._give_default_back()
                    raise
                finally:
                    self._under_way = outer
        finally:
            self._settle()

    def give_back(self, parser: Any) -> None:
        """A document that took the classes is closed."""
        self._given_back.append(parser)
        self._settle()

    def _settle(self) -> None:
        """Does what waits, unless somebody is at it, who does it then."""
        while self._given_back and self._lock.acquire(blocking=False):
            try:
                if self._under_way:  # further up in this very thread
                    return
                self._under_way = True
                try:
                    self._give_back(self._given_back.popleft())
                finally:
                    self._under_way = False
            finally:
                self._lock.release()

    def _take(self, root: Node) -> Any:
        if not self._default_is_ours:
            self._take_default()
        parser = Element.getroottree(root).parser
        if parser is not None and parser not in self._parsers:
            ours = issubclass(type(Element.makeelement(root, "none")), Tracked)
            lookup = lookup_of(parser)
            if not ours or lookup is None:  # else another default, set meanwhile, would be that of its trees
                tracking = tracked_lookup(lookup)
                self._parsers[parser] = lookup, 0
                parser.set_element_class_lookup(tracking)
        self._documents += 1
        if parser not in self._parsers:
            return None
        lookup, documents = self._parsers[parser]
        self._parsers[parser] = lookup, documents + 1
        return parser

    def _give_back(self, parser: Any) -> None:
        self._documents -= 1
        if parser is not None:
            lookup, documents = self._parsers.pop(parser)
            if documents > 1:
                self._parsers[parser] = lookup, documents - 1
            else:
                parser.set_element_class_lookup(lookup)
        self._give_default_back()

    def _give_default_back(self) -> None:
        if self._default_is_ours and not self._documents:
            etree.set_element_class_lookup(None)
            self._default_is_ours = False

    def _take_default(self) -> None:
        if type(etree.Element("probe")) is etree._Element:
            etree.set_element_class_lookup(DEFAULT_LOOKUP)
            self._default_is_ours = True
        elif type(safe_parser(LOOKUP).makeelement("probe")) is not TrackedElement:
            raise WrapError(
                "the application has set element classes for all of lxml (set_element_class_lookup), so documents "
                "cannot be tracked: set them on its parsers, or as the fallback of a ParserBasedElementClassLookup"
            )


LOOKUPS = ClassLookups()
