"""What a replay has to know of the log as a whole, which no segment and no bucket tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .document_clock import DocumentClock
from .finding_chunks import FindingRanges
from .segment_summary import ClockReading, TimePoint


class DocumentEnd(NamedTuple):
    """Where a document ends: in which segment, at which time point."""

    segment: int
    point: TimePoint


@dataclass(frozen=True, slots=True)
class WholeLog:
    """What a replay has to know of the log as a whole.

    ``ends`` says where documents end: there their trees are closed and their state is freed. Where nothing is raised by
    that (`Plan.closes_documents`) it leaves those out that have one segment only: they end with it. ``headers`` has
    the number of each document's header; ``ranges`` those into which findings go; ``resorted`` the documents whose
    records come once more, sorted; ``edits`` of each document under which numbers edits go on in a later segment, and
    began; ``readings`` what its clock shows where segments begin; ``clocks`` how it went on, if timers fire in keys.
    """

    ends: Mapping[str, DocumentEnd]
    headers: Mapping[str, int]
    ranges: FindingRanges
    resorted: Collection[str] = ()
    edits: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    readings: Mapping[str, Mapping[int, ClockReading]] = field(default_factory=dict)
    clocks: Mapping[str, DocumentClock] = field(default_factory=dict)
