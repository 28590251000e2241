"""The running state of one event tree: arrivals in at the leaves, composites out at the root (G2, D6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from contexts import Entry
from contexts.group import composite as composite_entry
from path_types import PathType

from ..algebra import Conjunction, Disjunction, Multiplicity, Order, Promise
from ..algebra import Sequence as SequenceDefinition
from ..documents.replica import Replica
from ..events import CompositeEvent, PrimitiveEvent
from ..rules.trees import EventTree, OperatorNode
from .combining import ConjunctionState, SequenceState
from .disjunction import DisjunctionState
from .multiplicity import MultiplicityState
from .operator_state import Input, OperatorState
from .pairs import PairConjunction, PairSequence, is_plain_pair
from .plan import Delivery, Plan, key_of, with_ancestors
from .promises import promise
from .termination import Deferral

STATES: dict[type, type[OperatorState]] = {
    Conjunction: ConjunctionState,
    SequenceDefinition: SequenceState,
    Disjunction: DisjunctionState,
    Multiplicity: MultiplicityState,
}
"""The running state of each kind of operator: the one place where a new operator is entered."""


class TreeState:
    """One event tree at run time.

    ``reused`` is what is promised of the trees that it reuses, ``composite_plans`` says where it stores
    composites by name and absolute path type.
    """

    def __init__(
        self,
        tree: EventTree,
        document: Replica | None,
        report: list[CompositeEvent],
        *,
        report_operators: bool,
        reused: Promise,
        composite_plans: Mapping[tuple[str, PathType], tuple[Delivery, ...]],
    ) -> None:
        self.tree = tree
        self.flat = tree.flat
        self.states = tuple(
            _new_state(node, tree, report if report_operators or node.parent is None else None, reused)
            for node in tree.operators
        )
        self.root = self.states[-1]
        for state in self.states:
            self._connect(state, document)
        self.deferred = tuple(state for state in self.states if state.deferral is not None)
        self._composite_plans = composite_plans

    def _connect(self, state: OperatorState, document: Replica | None) -> None:
        node = state.node
        if node.parent is not None:
            state.parent = self.states[node.parent]
            state.same_groups = state.parent.node.path is node.path and not self.flat
            state.parent.children[node.child_index] = state
            if isinstance(state, MultiplicityState):
                state.set_parent_kind(state.parent.node.definition)
        if node.deferred:
            state.deferral = Deferral(state, node.termination, node.condition, document)
        state.set_owners(
            [child if isinstance(child, MultiplicityState) else None for child in state.children]
        )

    # ---- one time point -------------------------------------------------------------------------------

    def process(
        self,
        event: PrimitiveEvent,
        plan: Plan | None,
        composites: Sequence[CompositeEvent] = (),
        *,
        flush: bool = False,
    ) -> list[Entry]:
        """Takes the tree through one time point in postorder (G2, D6); returns what the root raised.

        ``plan`` is what the primitive event means to the tree, ``composites`` what earlier trees raised. At a
        flush the event is only the cause: it has been processed before.
        """
        inputs: dict[int, list[Input]] = {}
        visit: Sequence[int] = ()
        if plan is not None:
            visit = plan.visit
            ts = event[0]
            for operator, child, index in plan.deliveries:
                entry: Entry = (ts, ts, ts, event, False)
                inputs.setdefault(operator, []).append((child, key_of(index, event[3]), [entry]))
        touched = self._deliver(composites, event, inputs) if composites else set()
        touched.update(
            state.node.index for state in self.deferred if state.deferral and state.deferral.pending
        )
        if not touched.issubset(visit):
            visit = sorted(with_ancestors(touched, self.tree.operators).union(visit))
        raised: list[Entry] = []
        for index in visit:
            entries = self._visit(self.states[index], inputs.get(index, ()), plan, event, flush=flush)
            parent = self.states[index].parent
            if parent is None:
                raised = entries
            elif entries:
                inputs.setdefault(parent.node.index, []).extend(
                    parent.grouped(self.states[index].child_index, entries)
                )
        return raised

    def _visit(
        self,
        state: OperatorState,
        inputs: Sequence[Input],
        plan: Plan | None,
        event: PrimitiveEvent,
        *,
        flush: bool,
    ) -> list[Entry]:
        """One operator's turn (X2): creation, arrivals child by child, releases; returns what it raised."""
        deferral = state.deferral
        if plan is not None and state.node.index in plan.creations and isinstance(state, MultiplicityState):
            key = state.grouping.key(event.path, event.ids)
            if deferral is not None and key is not None:
                deferral.create(state, key, event.path, event.ids, event)
            elif key is not None:
                state.create(key, event.path, event.ids, event)
        for child, key, arrivals in sorted(inputs, key=_operand) if len(inputs) > 1 else inputs:
            if deferral is not None:
                deferral.arrive(child, key, arrivals, event)
            else:
                state.arrive(child, key, arrivals, event)
        if deferral is not None and deferral.is_waiting():
            rechecks = plan.rechecks.get(state.node.index, ()) if plan is not None else ()
            nodes = [event.ids[index] for index in rechecks]
            deferral.release_due(state.grouping.key(event.path, event.ids), nodes, event, flush=flush)
        entries, state.outbox = state.outbox, []
        return entries

    def _deliver(
        self, composites: Sequence[CompositeEvent], cause: PrimitiveEvent, inputs: dict[int, list[Input]]
    ) -> set[int]:
        """Stores other trees' composites in the leaves they are compatible with; says whom that touches."""
        touched = set()
        by_detection = self.tree.order is Order.DETECTION
        arrivals: dict[tuple[int, int, int], list[Entry]] = {}
        for event in composites:
            for operator, child, index in self.composite_deliveries(event):
                start, end = event.start, event.end
                if by_detection and start is not None:
                    start = end = cause[0]
                entry = composite_entry(start, end, cause[0], event)
                place = (operator, child, key_of(index, event.ids))
                arrivals.setdefault(place, []).append(entry)
        for (operator, child, key), entries in arrivals.items():
            inputs.setdefault(operator, []).append((child, key, entries))
            touched.add(operator)
        return touched

    def composite_deliveries(self, event: CompositeEvent) -> tuple[Delivery, ...]:
        """Where the tree stores such a composite."""
        if event.path is None:
            return ()
        return self._composite_plans[event.name, event.path]

    def must_release(self, event: PrimitiveEvent) -> bool:
        """Whether the event releases a non-local group by happening elsewhere (D2)."""
        for state in self.deferred:
            deferral = state.deferral
            if (
                deferral is not None
                and deferral.pending
                and deferral.concerns(state.grouping.key(event[2], event[3]))
            ):
                return True
        return False

    def has_pending(self) -> bool:
        """Whether any group has something still to be released."""
        return any(state.deferral is not None and state.deferral.pending for state in self.deferred)

    # ---- deletion (G4) ----------------------------------------------------------------------------------

    def is_awaited(self, state: OperatorState, key: int) -> bool:
        """Whether something deferred in this group or below it may still be released."""
        # A multiplicity must know that the node is gone as long as something may be consumed above it (M5).
        above_too = isinstance(state, MultiplicityState) and state.refills
        for other in self.states if above_too else self._below(state):
            deferral = other.deferral
            if deferral is None or not deferral.pending:
                continue
            # Groups of one path type are the same nodes; of different ones they may lie in each other.
            if other.node.path is not state.node.path or deferral.may_release(key):
                return True
        return False

    def _below(self, state: OperatorState) -> Iterable[OperatorState]:
        yield state
        for child in state.children:
            if child is not None:
                yield from self._below(child)


def _new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, reused: Promise
) -> OperatorState:
    """The running state of an operator; ``reused`` is what is promised of other trees' composites."""
    operands = [promise(child, reused) for child in node.children]
    if is_plain_pair(node, tree, operands):
        pair = PairConjunction if isinstance(node.definition, Conjunction) else PairSequence
        return pair(node, tree, report)
    state = STATES[type(node.definition)](node, tree, report)
    if isinstance(state, SequenceState):
        state.set_promises(operands)
    return state


def _operand(entry: Input) -> int:
    return entry[0]
