"""Why a finding was raised: the events in it, and why these and not others (rule Y2)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import CONTEXTS
from contexts.entry import EVENT

from ..algebra import Share
from ..engine.operators import OperatorState
from ..events import CompositeEvent, CompositeType, Event, PrimitiveEvent
from ..rules.trees import LeafNode
from .answers import Answers
from .evidence import Evidence
from .nodes import written
from .values import Explanation, Part, PendingGroup
from .why_not import cause_for

OTHERS = 3
"""How many events that were not taken a leaf shows."""
_FULL = Share(1, 1)


def why(evidence: Evidence, finding: CompositeEvent, *, doc: str = "") -> Explanation:
    """Why a finding of this evidence's event was raised; the history must end with its time point."""
    nodes = evidence.nodes
    part = _Reading(evidence, finding).part(evidence.tree.root, finding)
    path, ids = (None, ()) if nodes.several else (finding.path, finding.ids)
    node = nodes.name(path, ids)
    group = PendingGroup(
        finding.name, doc, node, path, ids, part.share, part, _values(finding), True, nodes=nodes
    )
    flattened = list(finding.flattened())
    events = f"{len(flattened)} event{'' if len(flattened) == 1 else 's'}"
    last = max(flattened, key=lambda event: event.ts, default=None)
    if last is None:
        because = "nothing has to occur for it"
    elif last.ts == finding.ts:
        because = f"{nodes.event_in_full(last)} was the last of {events}"
    else:
        were = "its event was" if len(flattened) == 1 else f"its {events} were"
        because = f"{were} there at {last.ts}, and {_release(evidence, finding)} at {finding.ts}"
    answer = f"{finding.name} was raised at {node} at {finding.ts}: {because}"
    return Explanation("why", finding.name, doc, answer, None, (group,))


def _release(evidence: Evidence, finding: CompositeEvent) -> str:
    """What made it be raised later than it was possible."""
    cause = finding.cause
    if not isinstance(cause, PrimitiveEvent):
        return "time had passed"
    defers = any(state.node.deferred for state in evidence.tree.states)
    return f"{evidence.nodes.event(cause)} {'released' if defers else 'decided'} it"


class _Reading:
    """One finding, read operator by operator."""

    def __init__(self, evidence: Evidence, finding: CompositeEvent) -> None:
        self.evidence = evidence
        self.finding = finding
        self.inside = {id(event) for event in finding.flattened()}

    def part(self, state: OperatorState, composite: CompositeEvent) -> Part:
        """What an operator raised, with its operands."""
        evidence = self.evidence
        by_operand = self._by_operand(state, composite.constituents) if state.node.children else []
        parts = []
        for k, child in enumerate(state.node.children):
            events = by_operand[k]
            negated = k in state.node.definition.negated
            if isinstance(child, LeafNode):
                text = written(child.leaf, evidence.nodes.namespaces)
                notes = () if negated else self._others(state, k, composite)
                used = (
                    evidence.used.get(child.type.name or "")
                    if isinstance(child.type, CompositeType)
                    else None
                )
                inner = tuple(
                    _Reading(used, event).part(used.tree.root, event)
                    for event in events
                    if used is not None and isinstance(event, CompositeEvent)
                )
                share = _FULL if events else Share(0, 0)
                parts.append(Part(text, share, "", tuple(events), (), inner, negated, notes=notes))
            else:
                below = state.children[k]
                assert below is not None
                found = [self.part(below, e) for e in events if isinstance(e, CompositeEvent)]
                if found:
                    parts += found
                elif not negated:
                    text = written(below.node.definition, evidence.nodes.namespaces)
                    parts.append(
                        Part(text, Share(0, 0), is_leaf=False, notes=("not needed, and nothing of it",))
                    )
        text = written(state.node.definition, evidence.nodes.namespaces)
        if not state.node.children:
            return Part(text, _FULL, "", tuple(composite.constituents))
        context = CONTEXTS.get(state.node.context.value)
        notes = (
            () if context is None or len(parts) < 2 else (f"{context.name} context: {context.preference}",)
        )
        return Part(text, _FULL, "", (), (), tuple(parts), is_leaf=False, notes=notes)

    def _by_operand(self, state: OperatorState, constituents: Sequence[Event]) -> list[list[Event]]:
        """Constituents stand in order of operand (E4), so each belongs to the first one from there on that fits."""
        found: list[list[Event]] = [[] for _ in state.node.children]
        k = 0
        for event in constituents:
            for operand in range(k, len(found)):
                if _fits(state, operand, event) and not (
                    operand == k and found[k] and self._is_next(state, k, event)
                ):
                    k = operand
                    break
            found[k].append(event)
        return found

    def _is_next(self, state: OperatorState, k: int, event: Event) -> bool:
        """Whether an event can as well be the next operand's, where each operand has one."""
        context = CONTEXTS.get(state.node.context.value)
        return (
            context is not None
            and not context.batches
            and any(_fits(state, operand, event) for operand in range(k + 1, len(state.node.children)))
        )

    def _others(self, state: OperatorState, operand: int, composite: CompositeEvent) -> tuple[str, ...]:
        """What had arrived there as well and is not in it."""
        evidence = self.evidence
        place = evidence.place(self.finding)
        own = None if evidence.tree.flat else state.grouping.place(composite.path, composite.ids)
        notes = []
        arrivals = evidence.arrived.get(-1 if place is None else place, {}).get(
            (state.node.index, operand), ()
        )
        for entry in reversed(arrivals):
            event = entry[EVENT]
            if (
                id(event) in self.inside
                or event is composite
                or any(event is c for c in composite.constituents)
            ):
                continue
            key = evidence.key_of(state, operand, entry)
            if (
                operand in state.node.definition.optional_binders
                or key is None
                or (own is not None and state.grouping.place_of(key) != own)
            ):
                continue
            said = self._why_not_this(state, operand, key, entry, place, composite)
            notes.append(f"not {evidence.nodes.event(event)}: {said}")
            if len(notes) == OTHERS:
                break
        return tuple(notes)

    def _why_not_this(
        self, state: OperatorState, operand: int, key: object, entry: tuple[object, ...], place: int | None,
        composite: CompositeEvent,
    ) -> str:  # fmt: skip
        evidence = self.evidence
        leaf = state.node.index, operand
        answers = Answers(evidence, cause_for)
        if evidence.is_refused(leaf, entry[EVENT]):  # type: ignore[arg-type]
            return str(answers.refused(leaf, entry))
        if state.by_value:
            own = state.grouping.key(state.grouping.place_of(key), composite.bindings)
            joined = None if own is None else answers.of_other_values(state, operand, own, [entry])
            if joined is not None and not evidence.belongs(state, operand, entry, own):
                return str(joined)
        if any(
            one is entry or one[EVENT] is entry[EVENT]
            for one in evidence.tree.account(state, key).stored[operand]
        ):
            context = CONTEXTS.get(state.node.context.value)
            return "it is kept for the next" + ("" if context is None else f" ({context.preference})")
        return str(answers.fate(state, operand, key, entry, place))


def _fits(state: OperatorState, operand: int, event: Event) -> bool:
    child = state.node.children[operand]
    if operand in state.node.definition.negated:
        return False
    if not isinstance(child, LeafNode):
        return isinstance(event, CompositeEvent) and event.operator == child.label
    if isinstance(event, CompositeEvent):
        composite = (
            isinstance(child.type, CompositeType) and event.operator is None and event.path is not None
        )
        return composite and child.type.accepts(event.name, event.path)  # type: ignore[arg-type]
    return not isinstance(child.type, CompositeType) and child.type.accepts(event.op, event.path)


def _values(finding: CompositeEvent) -> tuple[tuple[str, str], ...]:
    return tuple((name, repr(value)) for name, value in (finding.bindings or {}).items())
