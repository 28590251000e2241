"""Whether entries of a log raise a finding: they are replayed under the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...algebra import ContextName
from ...documents import Replica
from ...engine import Detector
from ...errors import XmlCepError
from ...events import CompositeEvent, PrimitiveEvent
from ...log.erasable import GONE
from ...log.errors import Origin
from ...log.json_codec import FASTEST
from ...log.records import MARK, RAISED, ClockRecord, Control, Header, is_clock, raised_event
from ...proofs.errors import ProofError
from ...rules import Rules
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree
from ..erased import erased_values, events_reading
from ..plan.reach import is_external
from .bundle import Bundle, Record, without_numbers


class Replay:
    """Replays entries under rules; raises no finding but those of the document and event that are asked about."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._trees = {tree.name: tree for tree in rules.graph.trees}
        self._detectors: dict[tuple[str, bool], Detector] = {}

    def stands_alone(self, name: Any) -> bool:
        """Whether what raises an event is its constituents, whatever else there was; else it is all that was recorded
        from the first to the last of them. Raises `ProofError` for no event of the rules."""
        graph = self._rules.graph
        return all(_stands_alone(graph, tree) for tree in graph.with_used([self._tree(name)]))

    def raises(
        self, finding: Record, entries: Iterable[Record], *, ends: bool, until: str | None = None
    ) -> bool:
        """Whether the entries raise the finding; ``ends``: they are the last, and time goes on ``until`` then.

        Raises `XmlCepError` for entries that cannot be replayed.
        """
        wanted = without_numbers(finding)
        for composite in self._raised(finding, entries, until if ends else None, ends=ends):
            is_near = (composite.ts, composite.name) == (wanted.get("ts"), wanted.get("name"))
            if is_near and FASTEST.loads(FASTEST.dumps(composite.to_record())) == wanted:
                return True
        return False

    def check(self, bundle: Bundle) -> None:
        """Raises `ProofError` unless the entries of a bundle raise its finding under these rules."""
        bundle.check_rules(self._rules)
        finding = bundle.finding
        if not bundle.is_whole and not self.stands_alone(finding.get("name")):
            raise ProofError(
                f"event {finding.get('name')!r} depends on what did not happen, too, and the bundle leaves out entries:"
                " it is not proved that there were no others"
            )
        last = max(bundle.entries)
        try:
            records = (bundle.entries[n] for n in sorted(bundle.entries))
            raised = self.raises(finding, records, ends=last == bundle.tree.size, until=bundle.until)
        except XmlCepError as error:
            raise ProofError(f"the entries cannot be replayed: {error}") from error
        if not raised:
            raise ProofError(
                "the entries are in the log, but under these rules they do not raise the finding"
            )

    def _refuse_erased(self, finding: Record, record: Record) -> None:
        if GONE not in record:
            return
        n, name = record.get("n"), finding.get("name")
        for value in erased_values(Origin("", 0), FASTEST.dumps(record)):
            if name in events_reading(self._rules, value.op, value.path):
                raise ProofError(
                    f"a value of entry {n} was erased, and event {name} reads it: cannot be judged"
                )

    def _tree(self, name: Any) -> EventTree:
        if not isinstance(name, str) or name not in self._trees:
            raise ProofError(f"the finding is of the event {name!r:.60}, which these rules do not have")
        return self._trees[name]

    def _detector(self, finding: Record) -> Detector:
        """A detector for what it is about, as new."""
        tree, operators = self._tree(finding.get("name")), finding.get("operator") is not None
        found = self._detectors.get((tree.name, operators))
        if found is None:
            names = [used.name for used in self._rules.graph.with_used([tree])]
            found = Detector(self._rules, operators=operators, trees=names)
            self._detectors[tree.name, operators] = found
        found.reset()
        return found

    def _raised(
        self, finding: Record, entries: Iterable[Record], until: str | None, *, ends: bool
    ) -> Iterator[CompositeEvent]:
        detector, doc = self._detector(finding), finding.get("doc")
        txn: int | None = None
        begun = False
        for record in entries:
            if record.get("doc") != doc:
                continue
            self._refuse_erased(finding, record)
            if MARK in record:
                if "control" not in record:
                    if not begun:
                        detector.reset(_document(Header.from_record(record)))
                elif record["control"] == RAISED:
                    event = raised_event(Control.from_record(record))
                    if self._rules.takes_external(event):
                        yield from detector.raise_external(event)
                continue
            begun = True
            own = None if is_clock(record) else record.get("txn")
            if txn is not None and own != txn:
                yield from detector.flush()
            txn = own
            if is_clock(record):
                yield from detector.advance(ClockRecord.from_record(record).at)
            else:
                yield from detector.feed(PrimitiveEvent.from_record(record))
        if until is not None:
            yield from detector.advance(until)
        if ends:
            yield from detector.flush()


def _document(header: Header) -> Replica | None:
    return None if header.snapshot is None else Replica.from_snapshot(header.snapshot, header.ids)


def _stands_alone(graph: EventGraph, tree: EventTree) -> bool:
    if is_external(tree) or any(program.needs_document for program in graph.programs[tree.index]):
        return False
    return not any(
        node.deferred
        or node.has_timers
        or node.takes_back
        or node.watches_group
        or node.definition.negated
        or node.definition.gathers
        or node.context is ContextName.CUMULATIVE
        for node in tree.operators
    )
