"""Detectors that begin on a document that is there."""

from __future__ import annotations

from collections.abc import Collection

from ..documents import Replica
from ..engine import Detector, OnRemoved, Replacement
from ..engine.dispatch import select
from ..rules import Rules
from .shadow.shadow import ShadowTree
from .shadow.snapshots import take_snapshot


def detector_on(
    tree: ShadowTree, rules: Rules, *, operators: bool = False, trees: Collection[str] | None = None
) -> Detector:
    """A detector that knows of the document, as it is now, what the rules need of it; arguments as for `Detector`."""
    return Detector(rules, operators=operators, trees=trees, document=_document(tree, rules, trees))


def replace_on(
    tree: ShadowTree, detector: Detector, rules: Rules, on_removed: OnRemoved, trees: Collection[str] | None = None,
    past: Detector | None = None,
) -> Replacement:  # fmt: skip
    """`Detector.replace` of a detector that has heard of all edits of the document."""
    document = _document(tree, rules, trees)
    return detector.replace(rules, on_removed=on_removed, trees=trees, document=document, past=past)


def _document(tree: ShadowTree, rules: Rules, trees: Collection[str] | None) -> Replica | None:
    needs = select(rules.graph, trees).needs
    return None if needs is None else Replica.from_snapshot(*take_snapshot(tree), needs=needs)
