"""Documents with rules on them, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lxml import etree

import xmlcep
from xmlcep.wrapping.acting.active_rules import ActiveRules

ORDER = "<order><item><price>3</price></item></order>"


class Acting:
    """A document with rules open on it, what was told of it, and what went wrong."""

    def __init__(self, xml: str, *texts: str, raises: bool = False, **options: Any) -> None:
        self.doc = xmlcep.fromstring(xml)
        self.errors: list[Exception] = []
        self.fired: list[str] = []
        self.told: list[xmlcep.PrimitiveEvent] = []
        self.doc.subscribe(self.told.append)
        if not raises:
            options.setdefault("on_error", self.errors.append)
        options.setdefault("on_fire", lambda record: self.fired.append(record.rule))
        self.sets: list[ActiveRules] = [self.doc.rules(xmlcep.parse_rules(text), **options) for text in texts]

    @property
    def root(self) -> Any:
        return self.doc.root

    @property
    def rules(self) -> ActiveRules:
        return self.sets[0]

    @property
    def xml(self) -> str:
        return etree.tostring(self.root, encoding="unicode")

    def check(self) -> None:
        """Tree, shadow and what was told agree: the events lead from the first document to this one."""
        self.doc._check()

    def close(self) -> None:
        for rules in self.sets:
            rules.close()


@contextmanager
def acting(xml: str, *texts: str, **options: Any) -> Iterator[Acting]:
    """A document with rules; checked at the end, with no error unless the test has taken it away."""
    scene = Acting(xml, *texts, **options)
    try:
        yield scene
        scene.check()
        assert scene.errors == []
    finally:
        scene.close()


def item(scene: Acting, **attributes: str) -> Any:
    """A new item, behind all others."""
    return etree.SubElement(scene.root, "item", **attributes)
