"""The event graph at work: trees in order, time point by time point (G1 to G3, N1 to N3, X9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from path_types import PathType
from xmlcep.algebra import EventDefinition, Expression, Leaf
from xmlcep.events import CompositeType, PrimitiveEvent

from .document import NaiveDocument
from .events import Composite, Event
from .operators import OperatorState, Surroundings
from .paths import path_of
from .relations import equals_or_ends
from .termination import take_turn

Step: TypeAlias = PrimitiveEvent | Literal["flush", "close"]


def evaluate(definitions: Sequence[EventDefinition], steps: Iterable[Step]) -> Evaluation:
    """The evaluation of the event trees over the steps: primitive events, flushes, at last a close."""
    evaluation = Evaluation(definitions)
    for step in steps:
        evaluation.take(step)
    return evaluation


class Evaluation:
    """The state of all event trees of one document, and all that was raised so far."""

    def __init__(self, definitions: Sequence[EventDefinition]) -> None:
        self.around = Surroundings()
        self.document = NaiveDocument()
        self.trees = [
            OperatorState(definition.expression, definition, None, self.around)
            for definition in evaluation_order(definitions)
        ]
        for tree in self.trees:
            _label(tree)
        self.closed = False
        self._raised: list[tuple[tuple[Any, ...], Composite]] = []

    def rank(self, record: Mapping[str, Any]) -> tuple[Any, ...]:
        """What orders findings of one document in the findings file; equal ones stay in raise order."""
        (tree,) = (tree for tree in self.trees if tree.definition.name == record["name"])
        label = record["operator"] or tree.label
        labels = [operator.label for operator in tree.postorder()]
        return record["ts"], self.trees.index(tree), labels.index(label), record["ids"]

    def take(self, step: Step) -> list[dict[str, Any]]:
        """Takes one step; gives the finding records of it, in the order of the findings file."""
        before = len(self._raised)
        if step == "flush" or step == "close":
            if not self.closed and self.around.cause is not None:
                self._time_point(None)
            self.closed = self.closed or step == "close"
        elif not self.closed:
            self._take_event(step)
        return _records(self._raised[before:])

    def findings(self, *, operators: bool = True) -> list[dict[str, Any]]:
        """All finding records so far in the order of the findings file; ``operators``: inner ones, too."""
        records = _records(self._raised)
        return records if operators else [record for record in records if record["operator"] is None]

    def stored(self, event: str, label: str | None = None) -> list[list[Event]]:
        """What the operator (default: the root) of this event type stores unconsumed, silent empties left
        out, child by child, oldest first."""
        for tree in self.trees:
            for operator in tree.postorder():
                if tree.definition.name == event and (
                    operator.label == label or (operator is tree and not label)
                ):
                    entries = [entry for group in operator.groups.values() for entry in group.stored]
                    entries.sort(key=lambda entry: entry.number)
                    return [
                        [entry.event for entry in entries if entry.child == child and not entry.silent]
                        for child in range(len(operator.children))
                    ]
        raise KeyError(f"no operator {label!r} in {event!r}")

    def _take_event(self, event: PrimitiveEvent) -> None:
        """One time point. A deleted node has ceased to exist before the event is processed (C5)."""
        if event.op == "del":
            self.around.deleted.add(event.ids[-1])
            for tree in self.trees:
                for operator in tree.postorder():
                    operator.forget_silent(event.ids[-1])
        self.document.apply(event)
        self.around.cause = event
        self._time_point(event)

    def _time_point(self, event: PrimitiveEvent | None) -> None:
        """G2: every tree once, within a tree the operators in postorder; N2: what a root raises is there
        for later trees, in the order of the finding records."""
        occurred: list[Event] = [] if event is None else [event]
        for index, tree in enumerate(self.trees):
            for number, operator in enumerate(tree.postorder()):
                take_turn(operator, occurred, event, self.document)
                for composite in operator.raised:
                    ids = () if composite.instance is None else composite.instance.ids
                    self._raised.append(((composite.cause.ts, index, number, ids), composite))
            occurred += _reaching_later_trees(tree)


def _reaching_later_trees(tree: OperatorState) -> list[Composite]:
    """Whatever the root raised, also what it withdrew from its (missing) parent since (G2, C6, N2)."""
    return sorted(tree.raised, key=lambda c: () if c.instance is None else c.instance.ids)


def _records(raised: list[tuple[tuple[Any, ...], Composite]]) -> list[dict[str, Any]]:
    """Findings by ts, event type, operator, path ids, then as raised."""
    return [composite.record() for _, composite in sorted(raised, key=lambda pair: pair[0])]


def _label(tree: OperatorState) -> None:
    """N3: kind and number (of that kind) in postorder, unless a name is given."""
    numbers: Counter[str] = Counter()
    for operator in tree.postorder():
        numbers[operator.expression.kind] += 1
        operator.label = operator.label or f"{operator.expression.kind}{numbers[operator.expression.kind]}"


def evaluation_order(definitions: Sequence[EventDefinition]) -> list[EventDefinition]:
    """N1: repeatedly the first definition whose dependencies have all been placed."""
    placed: list[EventDefinition] = []
    waiting = list(definitions)
    while waiting:
        ready = [a for a in waiting if not any(depends(a, b) for b in waiting)]
        if not ready:
            raise ValueError("the definitions depend on one another in a cycle (G1)")
        placed.append(ready[0])
        waiting.remove(ready[0])
    return placed


def depends(definition: EventDefinition, other: EventDefinition) -> bool:
    """G1: a composite leaf with the other's name, or any, whose path type equals or ends the other's, or
    the other way round; a flat one: always."""
    theirs = path_of(other.expression)
    return any(
        isinstance(leaf.type, CompositeType)
        and leaf.type.name in (None, other.name)
        and (other.flat or _related(leaf.type.path, theirs))
        for leaf in _leaves(definition.expression)
    )


def _related(one: PathType, other: PathType | None) -> bool:
    return equals_or_ends(one, other) or equals_or_ends(other, one)


def _leaves(expression: Expression) -> list[Leaf]:
    if isinstance(expression, Leaf):
        return [expression]
    return [leaf for operand in expression.operands for leaf in _leaves(operand)]
