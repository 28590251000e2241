"""The story of the purchase order, told: the sample document is edited, watched and recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ..events import CompositeEvent, PrimitiveEvent
from ..recording.recorder import record
from ..rules import load_rules
from ..wrapping import parse
from ._sample import Sample

DOCUMENT = "purchase-order"


@dataclass(frozen=True, slots=True)
class Chapter:
    """One transaction: who made it and why, its changes, what was found, and the document after it (C14N)."""

    user: str
    reason: str
    changes: tuple[PrimitiveEvent, ...]
    found: tuple[CompositeEvent, ...]
    document: bytes

    @property
    def end(self) -> int:
        """The time point of its last change."""
        return self.changes[-1].ts


def tell(sample: Sample, log: Path) -> Iterator[Chapter]:
    """Edits the document, one transaction per chapter, watched by the rules and recorded to ``log``."""
    changes: list[PrimitiveEvent] = []
    found: list[CompositeEvent] = []
    doc = parse(sample.document, name=DOCUMENT)
    doc.subscribe(changes.append)
    with record(doc, log), doc.watch(load_rules(sample.rules), on_event=found.append):
        for step in sample.edits.STEPS:
            with doc.transaction(user=step.user, reason=step.reason):
                step.edit(doc.root)
            yield Chapter(step.user, step.reason, tuple(changes), tuple(found), canonical(doc.root))
            changes.clear()
            found.clear()


def canonical(root: etree._Element) -> bytes:
    """The document as canonical XML without comments: what two equal documents have in common."""
    return etree.tostring(root, method="c14n2", with_comments=False)
