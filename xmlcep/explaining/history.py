"""A history replayed with questions in mind: a detector, and beside it what is noted (rules Y2, Y3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from path_types import PathType

from ..documents import Replica
from ..engine import Detector
from ..engine.detector import TimeGiven
from ..events import CompositeEvent, PrimitiveEvent
from ..rules import Rules
from .evidence import Evidence
from .nodes import Elements, Nodes


class History:
    """One document's history under the rules that have to do with one event.

    Feed it as a detector: `feed`, `flush`, `advance`. ``initial`` is the document before, if there was one;
    ``document`` is what the detector's expressions ask. Raises `ValueError` for an event that the rules do not have.
    """

    def __init__(
        self, rules: Rules, event: str, *, doc: str = "", initial: Replica | None = None,
        document: Replica | None = None,
    ) -> None:  # fmt: skip
        self.doc = doc
        self.types: Counter[tuple[str, PathType]] = Counter()
        self.last: PrimitiveEvent | None = None
        self.raised: list[CompositeEvent] = []
        """What the root of the event's tree has raised."""
        by_name = {tree.name: tree for tree in rules.graph.trees}
        if event not in by_name:
            raise ValueError(
                f"{event!r} is not an event of these rules: expected one of {', '.join(by_name)}"
            )
        asked = by_name[event]
        chosen = [asked] if asked.across else rules.graph.with_used([asked])
        self.detector = Detector(
            rules, operators=True, document=document, trees=[tree.name for tree in chosen]
        )
        self.nodes = Nodes(rules.namespaces, several=asked.across)
        setting = self.detector.setting
        self._evidence = {
            tree.name: Evidence(self.detector.trees[tree.index], setting, self.types, self.nodes, initial)
            for tree in chosen
        }
        self.evidence = self._evidence[event]
        for evidence in self._evidence.values():
            evidence.used = self._evidence
        self._all = tuple(self._evidence.values())
        setting.witnesses = {evidence.tree.tree.index: evidence for evidence in self._all}
        for evidence in self._all:
            for leaf in evidence.tree.leaves.values():
                leaf.witness = evidence

    # ---- feeding --------------------------------------------------------------------------------------

    @property
    def is_local(self) -> bool:
        """Whether each group needs no more than the events at or below its node: nothing waits for what happens
        elsewhere, or asks for time or the document."""
        return not any(
            tree.tree.flat or tree.tree.extended or tree.deferrals or tree.leaves
            for tree in self.detector.trees.values()
        )

    def feed(
        self, event: PrimitiveEvent, composites: Sequence[CompositeEvent] = (), *, unseen: bool = False
    ) -> list[CompositeEvent]:
        """The next event, and what was raised elsewhere at it, as for `Detector.feed`; ``unseen``: one that is noted,
        but that the detector has no need of."""
        if event[3]:  # else it is not a change, but brings what was raised (V11)
            self.types[event[1], event[2]] += 1
        self.last = event
        raised = [] if unseen else self.detector.feed(event, composites)
        for evidence in self._all:
            evidence.note(event)
        if raised or composites:
            self._note([*composites, *raised])
        return raised

    def flush(self) -> None:
        """The end of a transaction (D3)."""
        self._end_edit(self.detector.flush())

    def advance(self, time: TimeGiven) -> list[CompositeEvent]:
        """Time has passed (W6)."""
        raised = self.detector.advance(time)
        self._end_edit(raised)
        return raised

    def set_clock(self, time: int | None, transaction: int) -> None:
        """See `Detector.set_clock`."""
        self.detector.set_clock(time, transaction)

    def end_edit(self) -> None:
        """The edit is over, whatever its last record said (U1): no questions are asked within one."""
        self._end_edit(self.detector.end_edit())

    def _end_edit(self, raised: Iterable[CompositeEvent]) -> None:
        for evidence in self._all:
            evidence.end_edit()
        self._note(raised)

    def name_nodes(self, document: Elements | None) -> None:
        """Nodes are called as they are in this document from now on."""
        self.nodes.document = document

    def _note(self, raised: Iterable[CompositeEvent]) -> None:
        for composite in raised:
            for evidence in self._all:
                evidence.note_composite(composite)
            if composite.name == self.evidence.name and composite.operator is None:
                self.raised.append(composite)
