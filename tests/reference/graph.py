"""The event graph at work: trees in order, round by round (G1 to G3, G5, W5), edit by edit (U1, U2).

Trees that ask the document, or take what such trees raise, are *held*: they hear of an edit when it is over. The
others are *prompt*. Each set has its own rounds through its trees; what prompt trees raised is handed to the held
ones with the record at which it was raised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from lxml import etree

from path_types import PathType
from xmlcep.algebra import Becomes, EventDefinition, Expression, Leaf, Unit, Window
from xmlcep.events import CompositeType, PrimitiveEvent, Scope

from . import expressions, leaves, messages
from .clock import Clock, Due, written
from .document import NaiveDocument
from .events import Cause, Composite, Event
from .operators import OperatorState, Surroundings, new_state
from .operators.external import ExternalState
from .paths import path_of
from .relations import equals_or_ends, occurrences
from .steps import Advance, Raise, Step
from .termination import take_turn
from .values import as_text

Compile = Callable[[str], Callable[..., Any]]
Raised = list[tuple[int, Composite]]
"""What roots raised, each with the place of its tree in their order."""
Round = tuple[Due | None, Raised]
"""What is due, None for the step itself, and what was raised then."""


def evaluate(
    definitions: Sequence[EventDefinition],
    steps: Iterable[Step],
    *,
    references: Mapping[str, str] | None = None,
    languages: Mapping[str, Compile] | None = None,
    params: Mapping[str, float | str] | None = None,
) -> Evaluation:
    """The evaluation of the event trees over the steps: events, time that passes, flushes, at last a close.

    ``references`` are the texts of reference documents (V8), ``languages`` compile opaque leaves (O1), ``params`` are
    the values of parameters (V9).
    """
    evaluation = Evaluation(definitions, references=references, languages=languages, params=params)
    for step in steps:
        evaluation.take(step)
    return evaluation


@dataclass
class Happening:
    """A step of a history with what the clock says of it: an event, primitive or external, time that passes, or a
    flush."""

    kind: str
    cause: Cause | None
    time: int | None
    ts: int
    ordinal: int
    event: PrimitiveEvent | None = None
    external: Raise | None = None

    def passes(self, due: Due) -> bool:
        """Whether something is due before this (W5, W6)."""
        if self.kind in ("flush", "external"):
            return False
        if due.unit is Unit.TIME:
            assert self.time is not None
            return due.value <= self.time if self.kind == "advance" else due.value < self.time
        if self.kind == "advance":
            return False
        return due.value < (self.ts if due.unit is Unit.CHANGES else self.ordinal)


class Trees:
    """Some of the trees with what they share, and all that they raised so far, with its place in the findings."""

    def __init__(self, trees: list[tuple[int, OperatorState]], around: Surroundings) -> None:
        self.trees = trees
        self.around = around
        self.raised: list[tuple[tuple[Any, ...], Composite]] = []

    def take(
        self, step: Happening, handed: list[Round], before: NaiveDocument, after: NaiveDocument,
        *, begins: bool = False,
    ) -> list[Round]:  # fmt: skip
        """One step: what is due before it, due by due, then the step itself. ``handed`` is what other trees raised at
        the same; ``begins``: the record begins its edit, so that what is due before it sees the document before."""
        done: list[Round] = []
        self.around.before = before
        self.around.after = before if begins or step.kind != "record" else after
        while dues := self._dues(step, handed):
            done.append((dues[0], self._round(step, dues[0], self._handed(handed, dues[0]))))
        self.around.after = after
        self.around.now = step.time
        if step.kind != "advance":
            if step.event is not None:
                self._record(step.event)
            done.append((None, self._round(step, None, self._handed(handed, None))))
        return done

    def _dues(self, step: Happening, handed: list[Round]) -> list[Due]:
        """What is due before the step, the first first; what other trees did comes in their order."""
        own = [due for _, tree in self.trees for operator in tree.postorder() for due in operator.dues()]
        found = [due for due in own if step.passes(due)]
        if handed and handed[0][0] is not None:
            found.append(handed[0][0])
        return sorted(found, key=lambda due: due.order)

    def _handed(self, handed: list[Round], due: Due | None) -> Raised:
        return handed.pop(0)[1] if handed and handed[0][0] == due else []

    def _record(self, event: PrimitiveEvent) -> None:
        self.around.history.append(event)
        if event.op == "del":
            self.around.deleted.add(event.ids[-1])

    def _round(self, step: Happening, due: Due | None, handed: Raised) -> Raised:
        """One time point (W5), or a flush, which has that of the round before."""
        around = self.around
        around.ts, around.ordinal = step.ts, step.ordinal
        if due is None:
            around.round += step.kind == "record"
            around.cause = step.cause
        else:
            assert step.cause is not None
            around.round += 1
            timed = due.unit is Unit.TIME
            around.now = due.value if timed else step.time
            around.cause = Cause(step.ts, written(due.value) if timed else None, step.cause.doc)
        return self._time_point(step, due, handed)

    def _time_point(self, step: Happening, due: Due | None, handed: Raised) -> Raised:
        """G2: every tree once, within a tree the operators in postorder; G2: what a root raises is there
        for later trees, in the order of the finding records, be they held or not."""
        event = step.event if due is None else None
        occurred: list[Event] = [] if event is None else [event]
        reaching: Raised = []
        outside = list(handed)
        for index, tree in self.trees:
            while outside and outside[0][0] < index:
                occurred.append(outside.pop(0)[1])
            for number, operator in enumerate(tree.postorder()):
                take_turn(operator, occurred, event, due, flush=due is None and step.kind == "flush")
                if step.external is not None and isinstance(operator, ExternalState):
                    operator.happen(step.external)
                for composite in operator.raised:
                    place = (composite.cause.ts, index, number, _ids(composite), composite.rank)
                    self.raised.append((place, composite))
            # Whatever the root raised, also what it withdrew from its (missing) parent since (G2, M1).
            for composite in tree.raised:
                messages.say(tree.definition, composite, self.around)
            found = sorted(tree.raised, key=lambda composite: (_ids(composite), composite.rank))
            occurred += found
            reaching += [(index, composite) for composite in found]
        self.around.flushes += due is None and step.kind == "flush"
        return reaching


class Evaluation:
    """The state of all event trees of one document, and all that was raised so far."""

    def __init__(
        self,
        definitions: Sequence[EventDefinition],
        *,
        references: Mapping[str, str] | None = None,
        languages: Mapping[str, Compile] | None = None,
        params: Mapping[str, float | str] | None = None,
    ) -> None:
        self.clock = Clock()
        self.document = NaiveDocument()
        self.languages = languages or {}
        known = {name: _holder(text) for name, text in (references or {}).items()} | dict(params or {})
        self.prompt, self.held = (
            Trees([], Surroundings(self.clock, known, self.languages)) for _ in range(2)
        )
        self.trees: list[OperatorState] = []
        self._open(definitions, [])
        self.closed = False
        self.last: PrimitiveEvent | None = None
        self.before = self.document  # as it was before the edit that is open
        self.edit: list[tuple[Happening, list[Round]]] = []  # its records so far

    def rank(self, record: Mapping[str, Any]) -> tuple[Any, ...]:
        """What orders findings of one document in the findings file; equal ones stay in raise order."""
        (tree,) = (tree for tree in self.trees if tree.definition.name == record["name"])
        label = record["operator"] or tree.label
        labels = [operator.label for operator in tree.postorder()]
        operator = tree.postorder()[labels.index(label)]
        values = tuple(_text_of(record["bindings"][name]) for name in operator.joined)
        return record["ts"], self.trees.index(tree), labels.index(label), record["ids"], values

    def take(self, step: Step) -> list[dict[str, Any]]:
        """Takes one step; gives the finding records of it, in the order of the findings file. What an edit raises in
        trees that are held comes with the step that ends it."""
        counts = len(self.prompt.raised), len(self.held.raised)
        if not self.closed:
            if isinstance(step, PrimitiveEvent):
                self._take_record(step)
            else:
                self._end_edit()
                if isinstance(step, Advance):
                    self._advance(step)
                elif self.last is not None:
                    external = step if isinstance(step, Raise) else None
                    self._take_all(
                        self._happening("flush" if external is None else "external", external=external)
                    )
            self.closed = step == "close"
        prompt, held = self.prompt.raised[counts[0] :], self.held.raised[counts[1] :]
        return _records([*prompt, *held])

    def findings(self, *, operators: bool = True) -> list[dict[str, Any]]:
        """All finding records so far in the order of the findings file; ``operators``: inner ones, too."""
        records = _records([*self.prompt.raised, *self.held.raised])
        return records if operators else [record for record in records if record["operator"] is None]

    def stored(self, event: str, label: str | None = None) -> list[list[Event]]:
        """What the operator (default: the root) of this event type stores unconsumed, child by child,
        oldest first."""
        for tree in self.trees:
            for operator in tree.postorder():
                if tree.definition.name == event and (
                    operator.label == label or (operator is tree and not label)
                ):
                    entries = [entry for group in operator.groups.values() for entry in group.stored]
                    entries.sort(key=lambda entry: entry.rank)
                    return [
                        [entry.event for entry in entries if entry.child == child]
                        for child in range(len(operator.children))
                    ]
        raise KeyError(f"no operator {label!r} in {event!r}")

    # Rules that are replaced (G7)

    def replace(
        self, definitions: Sequence[EventDefinition], kept: Collection[str], *, flush: bool,
        past: Evaluation | None = None,
    ) -> list[dict[str, Any]]:  # fmt: skip
        """Goes on with these definitions. Trees with ``kept`` names stay, the others end, with a flush or not; gives
        what that raises. The others of the definitions begin, or have seen what they have in ``past``."""
        self._end_edit()
        counts = len(self.prompt.raised), len(self.held.raised)
        stay = [tree for tree in self.trees if tree.definition.name in kept]
        if flush and self.last is not None:
            for part in (self.prompt, self.held):
                part.trees = [(index, tree) for index, tree in part.trees if tree not in stay]
            self._take_all(self._happening("flush"))
            for part in (self.prompt, self.held):
                part.around.flushes -= 1  # it is none for those that stay
        if past is not None:
            self.clock.latest, self.clock.edit_time = past.clock.latest, past.clock.edit_time
        elif not any(_measures_time(tree.definition.expression) for tree in self.trees):
            self.clock.latest = self.clock.edit_time = None  # nobody has looked at it
            if self.last is not None and self.last.at is not None:
                self.clock.advance(self.last.at)
        come = [] if past is None else [tree for tree in past.trees if tree.definition.name not in kept]
        for part, other in () if past is None else ((self.prompt, past.prompt), (self.held, past.held)):
            part.around.go_on_behind(other.around)
        self._open(definitions, [*stay, *come])
        return _records([*self.prompt.raised[counts[0] :], *self.held.raised[counts[1] :]])

    def _open(self, definitions: Sequence[EventDefinition], there: Sequence[OperatorState]) -> None:
        """Has the trees of these definitions, with those that are there already."""
        ordered = evaluation_order(definitions)
        held = holding(ordered, self.languages)
        states = {tree.definition.name: tree for tree in there}
        self.prompt.trees, self.held.trees, self.trees = [], [], []
        for index, definition in enumerate(ordered):
            part = self.held if definition.name in held else self.prompt
            tree = states.get(definition.name) or new_state(
                definition.expression, definition, None, part.around
            )
            for operator in tree.postorder():
                operator.around = part.around
            part.trees.append((index, tree))
            self.trees.append(tree)
            if definition.name not in states:
                _label(tree)

    # Edit by edit

    def _take_record(self, event: PrimitiveEvent) -> None:
        if self.edit and self.last is not None and event.txn != self.last.txn:
            self._end_edit()
        begins = not self.edit
        if begins:
            self.before = self.document.copy()
        self.clock.record(event, begins_edit=begins)
        self.document.apply(event)
        self.last = event
        happening = self._happening("record", event)
        self.edit.append((happening, self.prompt.take(happening, [], self.before, self.document)))
        if not event.more:
            self._end_edit()

    def _end_edit(self) -> None:
        """U2: now it is known how the document is after it."""
        edit, self.edit = self.edit, []
        self.held.around.edit = [happening.event for happening, _ in edit if happening.event is not None]
        for number, (happening, handed) in enumerate(edit):
            self.held.take(happening, handed, self.before, self.document, begins=number == 0)

    def _advance(self, step: Advance) -> None:
        if self.clock.advance(step.time) and self.last is not None:
            self._take_all(self._happening("advance"))

    def _take_all(self, happening: Happening) -> None:
        handed = self.prompt.take(happening, [], self.document, self.document)
        self.held.take(happening, handed, self.document, self.document)

    def _happening(
        self, kind: str, event: PrimitiveEvent | None = None, external: Raise | None = None
    ) -> Happening:
        assert self.last is not None
        ts = self.last.ts
        return Happening(
            kind, Cause.of(self.last), self.clock.edit_time, ts, self.clock.ordinals[ts], event, external
        )


def _ids(composite: Composite) -> tuple[int, ...]:
    return () if composite.instance is None else composite.instance.ids


def _records(raised: list[tuple[tuple[Any, ...], Composite]]) -> list[dict[str, Any]]:
    """Findings by ts, event type, operator, path ids, values, then as raised."""
    return [composite.record() for _, composite in sorted(raised, key=lambda pair: pair[0])]


def _text_of(value: Any) -> str:
    return as_text(value if isinstance(value, (bool, str)) else float(value))


def _holder(text: str) -> Any:
    """V8: `$parts` is the root of the document, which has the document element in it."""
    holder = etree.Element("root")
    holder.append(etree.fromstring(text))
    return holder


def _label(tree: OperatorState) -> None:
    """G5: kind and number (of that kind) in postorder, unless a name is given."""
    numbers: Counter[str] = Counter()
    for operator in tree.postorder():
        numbers[operator.expression.kind] += 1
        operator.label = operator.label or f"{operator.expression.kind}{numbers[operator.expression.kind]}"


# Which trees take what others raise (G1), which are held (U2)


def evaluation_order(definitions: Sequence[EventDefinition]) -> list[EventDefinition]:
    """G2: repeatedly the first definition whose dependencies have all been placed."""
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
    the other way round; a flat one: always; one with a scope: see F5."""
    theirs = path_of(other.expression)
    return any(
        isinstance(leaf.type, CompositeType)
        and leaf.type.name in (None, other.name)
        and (other.flat or _related(leaf.type, theirs))
        and (leaf.type.scope is Scope.NODE or other is not definition)
        for leaf in leaves_in(definition.expression)
    )


def _related(wanted: CompositeType, other: PathType | None) -> bool:
    one = wanted.path
    if wanted.scope is Scope.NODE:
        return equals_or_ends(one, other) or equals_or_ends(other, one)
    assert other is not None
    return not other.absolute or bool(occurrences(one, other))


def holding(definitions: Sequence[EventDefinition], languages: Mapping[str, Compile]) -> set[str]:
    """The names of the definitions that ask the document, or take what those raise (U2)."""
    held: set[str] = set()
    for definition in definitions:  # in order of evaluation
        before = [other for other in definitions if other.name in held]
        asks = _asks(definition.expression, languages) or messages.ask_document(definition)
        if asks or any(depends(definition, other) for other in before):
            held.add(definition.name)
    return held


def _asks(expression: Expression, languages: Mapping[str, Compile]) -> bool:
    if isinstance(expression, Leaf):
        texts = [expression.filter, *(binding.expression for binding in expression.bindings)]
        if expression.opaque is not None:
            compiled = languages[expression.opaque.language](expression.opaque.text)
            if getattr(compiled, "needs_document", True):
                return True
        return any(text is not None and leaves.asks_document(expression, text) for text in texts)
    guard = expression.options.guard
    if expression.options.when is not None or isinstance(expression, Becomes):
        return True
    if guard is not None and expressions.asks_document(guard, dot_does=True):
        return True
    return any(_asks(operand, languages) for operand in expression.operands)


def _measures_time(expression: Expression) -> bool:
    """Whether any of its durations is one of time (W1)."""
    if isinstance(expression, Leaf):
        return False
    own = [getattr(each, field.name) for each in (expression, expression.options) for field in fields(each)]
    return any(isinstance(each, Window) and each.unit is Unit.TIME for each in own) or any(
        map(_measures_time, expression.operands)
    )


def leaves_in(expression: Expression) -> list[Leaf]:
    """The leaves of an expression."""
    if isinstance(expression, Leaf):
        return [expression]
    return [leaf for operand in expression.operands for leaf in leaves_in(operand)]
