"""Which action rules would have fired for a log, without doing anything (rule L11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from path_types import PathType, Step

from ..actions.firing import Anchor, gathered
from ..algebra import Coupling, Mode
from ..documents import Replica
from ..engine import Detector
from ..errors import XmlCepError
from ..events import CompositeEvent, CompositeType, PrimitiveEvent
from ..language import print_path
from ..log.quarantine import BadRecordPolicy, refuse
from ..log.reading import read_everything
from ..log.records import RAISED, ClockRecord, Control, Header, raised_event
from ..rules import Rules
from ..rules.rule_programs import DELETED, DELTA, RuleProgram, Triggers
from ..xpath import Environment, NodeKind
from .inputs import LogPath, find_files
from .quarantine import raised_twice
from .raised import RaisedThere


class WouldFire(NamedTuple):
    """A firing that there would have been: of which rule, at which time point, for which node."""

    doc: str
    ts: int
    at: str | None
    rule: str
    path: str
    ids: tuple[int, ...]
    events: int

    def to_record(self) -> dict[str, Any]:
        """As a JSON object; ``events`` is how many composites it would have fired for."""
        return {**self._asdict(), "ids": list(self.ids)}


def would_fire(
    logs: Sequence[LogPath], rules: Rules, *, on_bad: BadRecordPolicy = refuse
) -> Iterator[WouldFire]:
    """The firings of the action rules, for the changes in these logs, in order of the logs.

    Conditions are asked of the document as it was after the edit (of rules that wait for the end of a transaction, at
    that end). What the rules would have changed is not there, so what that would have triggered is not found; what
    rules have made in the log triggers as it did. Raises `XmlCepError` for rules none of which act, and for logs that
    cannot be read.
    """
    if rules.triggers is None:
        raise XmlCepError(f"{rules.source_name}: there are no action rules: write rule NAME on EVENT do …")
    documents: dict[str, _Document] = {}
    files = [file.path for file in find_files(list(logs)).files]
    raised: dict[str, RaisedThere] = {}
    for origin, item in read_everything(files, on_bad=on_bad):
        if isinstance(item, Header):
            known = documents.get(item.doc)
            if known is not None:
                yield from known.finish()
            documents[item.doc] = _Document(rules, rules.triggers, item.doc, item)
            continue
        if isinstance(item, Control):
            if item.kind == RAISED:
                event = raised_event(item)
                if event.cause.doc in documents and rules.takes_external(event):
                    if not raised.setdefault(event.cause.doc, RaisedThere()).is_new(event.ts, item):
                        refuse(raised_twice(item, origin))
                    yield from documents[event.cause.doc].raised(event)
            continue
        doc = item.doc
        document = documents.get(doc)
        if document is None:
            document = documents[doc] = _Document(rules, rules.triggers, doc, None)
        yield from document.clock(item) if isinstance(item, ClockRecord) else document.take(item)
    for document in documents.values():
        yield from document.finish()


def _late_rules(triggers: Triggers) -> set[str]:
    """The rules that can be triggered by the end of a transaction: they wait for it, or their events do (L4, D3)."""
    trees = triggers.graph.trees
    waiting: set[int] = set()
    for tree in trees:  # in the order of G2: behind those that it takes
        operators = tree.operators
        if not waiting.isdisjoint(tree.dependencies) or any(
            each.deferred or each.has_timers for each in operators
        ):
            waiting.add(tree.index)
    return {
        rule.name
        for rule in triggers.programs
        if rule.definition.coupling is Coupling.COMMIT or rule.tree.index in waiting
    }


class _Document:
    """One document of the logs: as it is, and what its rules have seen."""

    def __init__(self, rules: Rules, triggers: Triggers, doc: str, header: Header | None) -> None:
        self._doc = doc
        self._namespaces = rules.namespaces
        self._references = rules.reference_roots()
        self._by_event: dict[str, list[RuleProgram]] = {}
        for rule in triggers.programs:
            self._by_event.setdefault(rule.event, []).append(rule)
        self._late = _late_rules(triggers)
        self._replica = Replica()
        before = Replica()
        if header is not None and header.snapshot is not None:
            self._replica = Replica.from_snapshot(header.snapshot, header.ids)
            before = Replica.from_snapshot(header.snapshot, header.ids)
        self._detector = Detector(replace(rules, graph=triggers.graph), trees=triggers.trees, document=before)
        self._txn: int | None = None
        self._edit: list[PrimitiveEvent] = []
        self._waiting: list[tuple[RuleProgram, CompositeEvent]] = []
        self._triggered_at: set[tuple[str, str]] = set()  # in the transaction that is open: rule, cause

    def take(self, event: PrimitiveEvent) -> Iterator[WouldFire]:
        """The next record."""
        if event.txn != self._txn:
            yield from self.finish()
            self._txn = event.txn
            self._triggered_at.clear()
        if event.txn is not None and event.meta and not self._edit:
            made_by = event.meta.get("rule", ""), event.meta.get("cause", "")
            if made_by[0] in self._late and made_by not in self._triggered_at:
                # What triggered it waited for the end of the transaction: it had come then (L4).
                yield from self._end_transaction()
                self._triggered_at.add(made_by)
        self._edit.append(event)
        if not event.more:
            yield from self._end_edit()

    def _end_edit(self) -> Iterator[WouldFire]:
        edit, self._edit = self._edit, []
        raised: list[CompositeEvent] = []
        for event in edit:
            self._replica.apply(event)
            raised += self._detector.feed(event)
        yield from self._triggered(raised)

    def _end_transaction(self) -> Iterator[WouldFire]:
        yield from self._triggered(self._detector.flush(), late=True)
        waiting, self._waiting = self._waiting, []
        yield from self._fire(waiting)

    def finish(self) -> Iterator[WouldFire]:
        """The end of a transaction, or of the log."""
        if self._edit:
            yield from self._end_edit()
        if self._txn is not None:
            yield from self._end_transaction()
        self._txn = None

    def clock(self, clock: ClockRecord) -> Iterator[WouldFire]:
        """Time has passed."""
        yield from self.finish()
        yield from self._triggered(self._detector.advance(clock.at))

    def raised(self, event: CompositeEvent) -> Iterator[WouldFire]:
        """A rule has raised an external event."""
        yield from self._triggered(self._detector.raise_external(event))

    def _triggered(self, composites: Sequence[CompositeEvent], *, late: bool = False) -> Iterator[WouldFire]:
        now: list[tuple[RuleProgram, CompositeEvent]] = []
        for composite in composites:
            for rule in self._by_event.get(composite.name, ()):
                if rule.path is not None and not _is_at(composite, rule.path):
                    continue
                waits = rule.at_commit and self._txn is not None and not late
                (self._waiting if waits else now).append((rule, composite))
        yield from self._fire(now)

    def _fire(self, triggered: Sequence[tuple[RuleProgram, CompositeEvent]]) -> Iterator[WouldFire]:
        """By priority and order of definition (L5); in set mode all events of a rule at once (L3)."""
        self._triggered_at.update((rule.name, str(composite.cause.ts)) for rule, composite in triggered)
        sets: dict[int, list[CompositeEvent]] = {}
        firings: list[tuple[RuleProgram, list[CompositeEvent]]] = []
        for rule, composite in triggered:
            if rule.mode is Mode.SET:
                if rule.index not in sets:
                    firings.append((rule, sets.setdefault(rule.index, [])))
                sets[rule.index].append(composite)
            else:
                firings.append((rule, [composite]))
        firings.sort(key=lambda firing: (-firing[0].definition.priority, firing[0].index))
        for rule, composites in firings:
            fired = self._would(rule, composites)
            if fired is not None:
                yield fired

    def _would(self, rule: RuleProgram, composites: Sequence[CompositeEvent]) -> WouldFire | None:
        anchors = [(composite, self._anchor(composite)) for composite in composites]
        there = [(composite, anchor) for composite, anchor in anchors if anchor is not None]
        if not there:
            return None
        anchor = there[0][1]
        environment = self._environment(rule, there)
        if environment is None:
            return None
        kind, seen = environment
        condition = rule.forms[kind].condition if kind in rule.forms else None
        if condition is not None and not condition.boolean(seen):
            return None
        cause = there[-1][0].cause
        return WouldFire(self._doc, cause.ts, cause.at, rule.name, str(anchor.path), anchor.ids, len(there))

    def _anchor(self, composite: CompositeEvent) -> Anchor | None:
        path, ids = composite.path, composite.ids
        if path is None:
            root = self._replica.root_id
            element = None if root is None else self._replica.element(root)
            if root is None or element is None:
                return None
            return Anchor(PathType.of(True, (Step.element(str(element.tag)),)), (root,))
        if self._replica.environment(path, ids) is not None:
            return Anchor(path, ids)
        if not any(e.op == "del" and e.ids == ids[: len(e.ids)] for e in composite.flattened()):
            return None
        above = path.parent
        while above is not None and self._replica.element(ids[len(above) - 1]) is None:
            above = above.parent
        return None if above is None else Anchor(above, ids[: len(above)], print_path(path, self._namespaces))

    def _environment(
        self, rule: RuleProgram, there: Sequence[tuple[CompositeEvent, Anchor]]
    ) -> tuple[NodeKind, Environment] | None:
        composite, anchor = there[0]
        variables: dict[str, Any] = dict(self._references)
        if rule.mode is Mode.SET:
            root = None if self._replica.root_id is None else self._replica.element(self._replica.root_id)
            if root is None:
                return None
            elements = [self._element(each) for _, each in there]
            variables |= gathered([each for each, _ in there])
            variables[DELTA] = [each for each in elements if each is not None]
            variables[DELETED] = tuple(each.deleted for _, each in there if each.deleted is not None)
            return NodeKind.ELEMENT, Environment(variables, root, "", anchor.path.last.test, 0)
        variables |= composite.bindings or {}
        variables |= {DELTA: [self._element(anchor)], DELETED: anchor.deleted, **_of_event(rule, composite)}
        seen = self._replica.environment_in_tree(anchor.path, anchor.ids, variables)
        last = anchor.path.last
        kind = NodeKind.ELEMENT if last.is_element else NodeKind.ATTRIBUTE
        if last.test == "text()":
            kind = NodeKind.TEXT
        return None if seen is None else (kind, seen)

    def _element(self, anchor: Anchor) -> Any:
        return self._replica.element(anchor.ids[-1] if anchor.path.last.is_element else anchor.ids[-2])


def _is_at(composite: CompositeEvent, path: PathType) -> bool:
    return composite.path is not None and CompositeType(composite.name, path).accepts(
        composite.name, composite.path
    )


def _of_event(rule: RuleProgram, composite: CompositeEvent) -> Mapping[str, str]:
    """What is known of the event of a single leaf (L2)."""
    if not rule.of_leaf:
        return {}
    event = composite.constituents[0]
    assert isinstance(event, PrimitiveEvent)
    return {"old": event.old or "", "new": event.value or "", "op": event.op, "at": event.at or ""}
