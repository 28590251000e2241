"""Replaying routed rows, one key after the other, with the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from path_types import PathType

from ..engine import Detector
from ..events import CompositeEvent, PrimitiveEvent
from ..replica import Replica
from .findings import Finding, Ranking
from .plan import Plan
from .routing import Kind, Point, Routed

ELSEWHERE = PathType.parse("/{urn:xmlcep:audit}elsewhere")
"""The path type of events that only say that time has come: no rule's path projects on it."""


class Position(NamedTuple):
    """Which pass, document and key rows belong to."""

    pass_index: int
    doc: str
    key: int


class KeyReplayer:
    """Takes rows sorted by pass, document, key, ts and kind; answers with findings.

    ``ends`` has the last time point of each document, where its trees are closed. Nothing is kept of a key once
    the next one begins, so memory depends on what is live in one key.
    """

    def __init__(self, plan: Plan, ends: Mapping[str, Point], *, operators: bool = False) -> None:
        self._plan = plan
        self._ends = ends
        self._operators = operators
        self._ranking = Ranking(plan.rules)
        self._detectors: dict[int, Detector] = {}
        self._paths: dict[str, PathType] = {}
        self._position: Position | None = None
        self._detector: Detector | None = None

    def take(self, row: Routed) -> list[Finding]:
        """Replays one row."""
        raised: list[CompositeEvent] = []
        position = self._position
        if (
            position is None
            or row.key != position.key
            or row.doc != position.doc
            or row.pass_index != position.pass_index
        ):
            raised = self.end_key()
            self._begin(Position(row.pass_index, row.doc, row.key))
        assert self._detector is not None
        if row.kind == Kind.RECORD:
            raised = (
                raised + self._detector.feed(self._event(row))
                if raised
                else self._detector.feed(self._event(row))
            )
        elif row.kind == Kind.BOUNDARY:
            raised += self._detector.feed(_moment(row.doc, row.ts, row.at))
        elif row.kind == Kind.FLUSH:
            raised += self._detector.flush(_moment(row.doc, row.ts, row.at))
        else:
            assert row.value is not None and row.ids is not None
            self._detector.reset(Replica.from_snapshot(row.value, row.ids))
        return self._ranking.findings(raised) if raised else []

    def finish(self) -> list[Finding]:
        """Ends the last key."""
        return self._ranking.findings(self.end_key())

    def end_key(self) -> list[CompositeEvent]:
        """Closes the trees of the key that was replayed (D3); forgets its state."""
        position, detector = self._position, self._detector
        if position is None or detector is None:
            return []
        self._position = None
        raised: list[CompositeEvent] = []
        if self._plan.passes[position.pass_index].has_flushes:
            end = self._ends[position.doc]
            raised = detector.flush(_moment(position.doc, end.ts, end.at))
        detector.reset()
        return raised

    def _begin(self, position: Position) -> None:
        self._position = position
        detector = self._detectors.get(position.pass_index)
        if detector is None:
            rules = self._plan.passes[position.pass_index].rules(self._plan.rules)
            detector = self._detectors[position.pass_index] = Detector(rules, operators=self._operators)
        self._detector = detector

    def _event(self, row: Routed) -> PrimitiveEvent:
        assert row.op is not None and row.path is not None and row.ids is not None
        path = self._paths.get(row.path)
        if path is None:
            path = self._paths[row.path] = PathType.parse(row.path)
        return PrimitiveEvent(
            row.ts, row.op, path, tuple(row.ids), row.value, row.old, row.pos, row.at, row.doc
        )


def _moment(doc: str, ts: int, at: str | None) -> PrimitiveEvent:
    """An event elsewhere at this time point: it releases what it releases and matches nothing."""
    return PrimitiveEvent(ts, "del", ELSEWHERE, (0,), None, None, None, at, doc)
