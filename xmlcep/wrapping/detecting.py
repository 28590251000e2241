"""Detectors that begin on a document that is there."""

from __future__ import annotations

from collections.abc import Collection

from ..documents import Replica
from ..engine import Detector
from ..rules import Rules
from .shadow.shadow import ShadowTree
from .shadow.snapshots import take_snapshot


def detector_on(
    tree: ShadowTree, rules: Rules, *, operators: bool = False, trees: Collection[str] | None = None
) -> Detector:
    """A detector that knows of the document, as it is now, what the rules need of it; arguments as for `Detector`."""
    detector = Detector(rules, operators=operators, trees=trees)
    if detector.needs is not None:
        detector.reset(Replica.from_snapshot(*take_snapshot(tree), needs=detector.needs))
    return detector
