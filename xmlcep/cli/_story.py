"""The story of the purchase order: the sample document is edited, watched and recorded."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from lxml import etree

from ..events import CompositeEvent, PrimitiveEvent
from ..recording.recorder import record
from ..rules import load_rules
from ..wrapping import parse


@dataclass(frozen=True, slots=True)
class Sample:
    """The files of the purchase order sample."""

    folder: Path

    @property
    def document(self) -> Path:
        """The order before the story."""
        return self.folder / "purchase-order.xml"

    @property
    def schema(self) -> Path:
        """Its XML Schema."""
        return self.folder / "purchase-order.xsd"

    @property
    def rules(self) -> Path:
        """The events that somebody who looks after it wants to see."""
        return self.folder / "purchase-order.xcep"

    @property
    def control(self) -> Path:
        """What somebody who checks it asks afterwards: absence, time and values."""
        return self.folder / "control.xcep"

    @property
    def acting(self) -> Path:
        """Rules that act: what is to be kept right without being asked."""
        return self.folder / "keeping.xcep"

    @property
    def edits(self) -> ModuleType:
        """The module with the edits, which are ordinary lxml calls."""
        spec = importlib.util.spec_from_file_location("purchase_order_edits", self.folder / "edits.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def find_sample() -> Sample:
    """The sample that came with this installation; of a source folder, its own (see setup.cfg)."""
    package = Path(__file__).parent.parent
    installed = package / "samples" / "purchase_order"
    return Sample(installed if installed.is_dir() else package.parent / "samples" / "purchase_order")


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
