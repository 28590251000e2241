"""The tracker of one wrapped document: turns what changed in the tree into events.

Its parts, each in a module of its own and each building on the one before: `Ledger` (clock, ids, events), `Describer`
(records of nodes), `Teller` (single changes), `Reconciler` (child lists), and here what is needed to verify.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from ..xml_parser import safe_parser
from .errors import RefusedError
from .reconciling import Reconciler
from .records import TABLE, Node
from .walks import contents


class Tracker(Reconciler):
    """All that is known of one document; its functions are called after the edit is complete in the tree."""

    __slots__ = ("_baseline",)

    def __init__(self, root: Node, name: str, now: Callable[[], float], ignore_whitespace: bool) -> None:
        super().__init__(root, name, now, ignore_whitespace)
        self._baseline = b""  # the tree as it was wrapped, to verify nodes of which nothing was ever told

    def take_baseline(self) -> None:
        """Keeps the tree as it is now, as text."""
        self._baseline = etree.tostring(self.root, encoding="utf-8", with_tail=False)

    def baseline_differences(self) -> Iterator[str]:
        """How nodes without events differ from what they were when the document was wrapped."""
        try:
            before = list(etree.fromstring(self._baseline, safe_parser(huge=True)).iter())
        except etree.XMLSyntaxError as error:
            raise RefusedError(f"the document {self.name!r} is too deep to be verified: {error}") from error
        index: dict[Any, int] = {node: number for number, node in enumerate(before)}
        for node, old in zip(self._pinned, before, strict=True):
            known = TABLE.get(node)
            now = contents(node) if known is self else self._first.get(node)
            if now is not None and now != contents(old):
                yield f"{node!r}: was {contents(old)} when it was wrapped, and {now} when events first told of it"
            if known is self and old.getparent() is not None:
                parent, previous = old.getparent(), old.getprevious()
                if node.getparent() is not self._pinned[index[parent]] or node.getprevious() is not (
                    None if previous is None else self._pinned[index[previous]]
                ):
                    yield f"{node!r}: stands elsewhere than when it was wrapped"
