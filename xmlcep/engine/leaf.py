"""What a leaf asks of an event before it takes it, and what it binds (rules F1, F2, V1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from path_types import PathType

from ..events import CompositeEvent, Event, PrimitiveEvent, as_event
from ..rules.programs import LeafProgram, node_kind
from ..xpath import Environment, Expression, NodeKind, Sight
from .opaque import OpaqueQuestion
from .setting import Setting
from .witness import Witness

Bindings: TypeAlias = Mapping[str, Any]
"""Variables by name: a value, or a tuple of values (V5)."""

NO_BINDINGS: Bindings = {}
OPERAND: Final = ""
"""Among the variables of an entry: what its operand is called (V10). No variable has this name."""
Reader: TypeAlias = Callable[[PrimitiveEvent], Bindings | None]
"""See `LeafState.read`."""


def own_value(event: PrimitiveEvent) -> str | None:
    """The node's value: of a deletion the one that it had."""
    return event[5] if event[1] == "del" else event[4]


# By their places in the tuple, which is the fastest: these are the innermost functions of filters.
_PRIMITIVE: dict[str, Callable[[PrimitiveEvent], Any]] = {
    "old": lambda event: event[5] or "",
    "new": lambda event: event[4] or "",
    "op": itemgetter(1),
    "ts": lambda event: float(event[0]),
    "at": lambda event: event[7] or "",
    "doc": itemgetter(8),
    "txn": lambda event: "" if event[9] is None else float(event[9]),
}
_COMPOSITE: dict[str, Callable[[CompositeEvent], Any]] = {
    "old": lambda event: "",
    "new": lambda event: "",
    "op": lambda event: "",
    "ts": lambda event: float(event.cause.ts),
    "at": lambda event: event.cause.at or "",
    "doc": lambda event: event.cause.doc,
    "txn": lambda event: "" if event.cause.txn is None else float(event.cause.txn),
}


def _of_primitive(name: str) -> Callable[[PrimitiveEvent], Any]:
    """What reads a variable of a primitive event (F2)."""
    if name in _PRIMITIVE:
        return _PRIMITIVE[name]
    key = name.removeprefix("meta:")
    return lambda event: "" if event[10] is None else event[10].get(key, "")


def _of_composite(name: str) -> Callable[[CompositeEvent], Any]:
    """What reads a variable of a composite: its own ones, and those of its cause (F2)."""
    if name in _COMPOSITE:
        return _COMPOSITE[name]
    if name.startswith("meta:"):
        key = name.removeprefix("meta:")
        return lambda event: "" if event.cause.meta is None else event.cause.meta.get(key, "")
    return lambda event: () if event.bindings is None else event.bindings.get(name, ())


def last_change(event: CompositeEvent) -> PrimitiveEvent | None:
    """The last of the changes in a composite; None if there is none."""
    last = None
    for change in event.flattened():
        if last is None or change.ts >= last.ts:
            last = change
    return last


def of_finding(name: str) -> Callable[[CompositeEvent], Any]:
    """What reads a variable of a finding for its message (Y10): those of a composite, but values and operation are
    those of its last change."""
    if name not in ("old", "new", "op"):
        return _of_composite(name)
    read = _PRIMITIVE[name]
    return lambda event: "" if (last := last_change(event)) is None else read(last)


PRIMITIVE: Sight[PrimitiveEvent] = Sight(
    lambda event: (event[5] if event[1] == "del" else event[4]) or "", _of_primitive
)
COMPOSITE: Sight[CompositeEvent] = Sight(lambda event: "", _of_composite)


Answered: TypeAlias = tuple[PrimitiveEvent, Mapping[str, Any]]
"""An event of an opaque leaf, with what the engine has returned (O1)."""


def _of_answered(name: str) -> Callable[[Answered], Any]:
    if name in _PRIMITIVE or name.startswith("meta:"):
        read = _of_primitive(name)
        return lambda answered: read(answered[0])
    return lambda answered: answered[1].get(name)


ANSWERED: Sight[Answered] = Sight(lambda answered: own_value(answered[0]) or "", _of_answered)


class _Asked:
    """The questions about events at nodes of one kind, as functions."""

    def __init__(
        self, filter_: Callable[[Any], bool] | None, variables: tuple[tuple[str, Callable[[Any], Any]], ...],
        name: str | None,
    ) -> None:  # fmt: skip
        self.filter = filter_
        self.variables = variables
        bindings = self.bindings = variables if name is None else (*variables, (OPERAND, lambda _: name))
        # Of most leaves that bind something it is one variable.
        self.only = bindings[0] if len(bindings) == 1 else None


class LeafState:
    """A leaf's program, ready to be asked.

    ``rule`` is the event it belongs to; ``setting`` has the document where it looks if it has to, and the reference
    documents (V8).
    """

    def __init__(self, program: LeafProgram, rule: str, setting: Setting) -> None:
        self.program = program
        self.witness: Witness | None = None
        self._opaque = None if program.opaque is None else OpaqueQuestion(program.opaque, rule, setting)
        self._setting = setting  # whose document is another one after a reset
        self._references = setting.references
        self._asked: dict[PathType | None, _Asked] = {}

    def read(self, event: Event) -> Bindings | None:
        """The variables that an event binds here; None if the leaf does not take it."""
        path = event[2]
        asked = self._asked.get(path)  # a leaf takes composites only, or none
        if asked is None:
            assert path is not None
            asked = self._asked[path] = self._ask(type(event) is CompositeEvent, node_kind(path))
        if self._opaque is not None:
            assert isinstance(event, PrimitiveEvent)
            return self._read_opaque(self._opaque, event, asked)
        if asked.filter is not None and not asked.filter(event):
            if self.witness is not None:
                self.witness.filtered(self.program, event)
            return None
        if asked.only is not None:
            name, value = asked.only
            return {name: value(event)}
        return {name: value(event) for name, value in asked.bindings} if asked.bindings else NO_BINDINGS

    def agrees(self, event: Event, beside: Bindings) -> bool:
        """Whether an event that it takes counts beside a combination with such variables (A8); its own come first."""
        path = event[2]
        composite = type(event) is CompositeEvent
        assert path is not None
        compared = self.program.questions[node_kind(path)].compared
        if compared is None:
            return True
        sight: Sight[Any] = COMPOSITE if composite else PRIMITIVE
        own = {name for name in compared.variables if name not in beside and name not in self._references}
        if composite and event.bindings is not None:  # type: ignore[union-attr]
            own |= compared.variables & event.bindings.keys()  # type: ignore[union-attr]
        variables = {**self._references, **beside, **{name: sight.variable(name)(event) for name in own}}
        return compared.boolean(Environment(variables, value=sight.own(event)))

    def reader(self, operation: str, path: PathType) -> Reader:
        """`read` for primitive events of this type, which may be tuples of their layout where no document is asked."""
        if self._opaque is not None:
            # A witness knows an event by its identity.
            return lambda event: self.read(as_event(event))
        asked = self._of_path(path)
        filter_ = asked.filter
        if filter_ is None and 1 <= len(asked.bindings) <= 2:  # as most have
            return _bind([(name, _of_operation(value, operation)) for name, value in asked.bindings])
        takes = self.filter(path)
        if takes is None or asked.bindings:
            return self.read
        return lambda event: NO_BINDINGS if takes(event) else None

    def bound(self, event: PrimitiveEvent) -> Bindings:
        """The variables of an event that it has taken; where its program `is_of_events_alone`."""
        asked = self._of_path(event[2])
        return {name: value(event) for name, value in asked.variables} if asked.variables else NO_BINDINGS

    def values(self, operation: str, path: PathType) -> Mapping[str, Callable[[PrimitiveEvent], Any]]:
        """What reads the variables of events of this type, which may be tuples of their layout, by name; where its
        program `is_of_events_alone`."""
        return {name: _of_operation(value, operation) for name, value in self._of_path(path).variables}

    def filter(self, path: PathType) -> Callable[[PrimitiveEvent], bool] | None:
        """Whether it takes a primitive event of this type, or a tuple of their layout; None if it takes all."""
        if self._opaque is not None:
            return lambda event: self.read(as_event(event)) is not None
        filter_ = self._of_path(path).filter
        if filter_ is None:
            return None

        def takes(event: PrimitiveEvent) -> bool:
            if filter_(event):
                return True
            if self.witness is not None:
                self.witness.filtered(self.program, event)
            return False

        return takes

    def _of_path(self, path: PathType) -> _Asked:
        """What is asked of primitive events at nodes of this path type."""
        asked = self._asked.get(path)
        if asked is None:
            asked = self._asked[path] = self._ask(False, node_kind(path))
        return asked

    def seen(self, subject: Any) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The filter as it is written, and what it compares with the values that it sees of an event (of an opaque leaf
        with what its language returned)."""
        is_answered = self._opaque is not None
        event: Event = subject[0] if is_answered else subject
        assert event[2] is not None
        filter_ = self.program.questions[node_kind(event[2])].filter
        assert filter_ is not None
        composite = type(event) is CompositeEvent
        sight: Sight[Any] = ANSWERED if is_answered else COMPOSITE if composite else PRIMITIVE
        environment = self._seen_by(filter_, sight)(subject)
        return filter_.text, () if environment is None else tuple(filter_.compared(environment))

    def _read_opaque(self, opaque: OpaqueQuestion, event: PrimitiveEvent, asked: _Asked) -> Bindings | None:
        """O1: the engine is asked first; filter and ``as`` see what it returns."""
        said = opaque.ask(event)
        answered = (event, said or {})
        if said is None or (asked.filter is not None and not asked.filter(answered)):
            if self.witness is not None:
                self.witness.refused(self.program, event, said)
            return None
        bound = opaque.bound(said) | {name: value(answered) for name, value in asked.bindings}
        if self.witness is not None:
            self.witness.answered(self.program, event, bound)
        return bound

    def _ask(self, composite: bool, kind: NodeKind) -> _Asked:
        questions = self.program.questions[kind]
        opaque = self._opaque is not None
        sight: Sight[Any] = ANSWERED if opaque else COMPOSITE if composite else PRIMITIVE
        filter_ = None if questions.filter is None else self._boolean(questions.filter, sight)
        bindings: list[tuple[str, Callable[[Any], Any]]] = []
        for name, expression in questions.bindings:
            if expression is not None:
                bindings.append((name, self._value(expression, sight)))
            elif composite or kind is NodeKind.ELEMENT:
                bindings.append((name, _no_value))
            else:
                bindings.append((name, _answered_value if opaque else own_value))
        return _Asked(filter_, tuple(bindings), self.program.name)

    def _boolean(self, expression: Expression, sight: Sight[Any]) -> Callable[[Any], bool]:
        if not expression.needs_nodes:
            return expression.on(sight).boolean
        see = self._seen_by(expression, sight)

        def ask(subject: Event | Answered) -> bool:
            environment = see(subject)
            return environment is not None and expression.boolean(environment)

        return ask

    def _value(self, expression: Expression, sight: Sight[Any]) -> Callable[[Any], Any]:
        if not expression.needs_nodes:
            return expression.on(sight).value
        see = self._seen_by(expression, sight)

        def ask(subject: Event | Answered) -> Any:
            environment = see(subject)
            return None if environment is None else expression.value(environment)

        return ask

    def _seen_by(self, expression: Expression, sight: Sight[Any]) -> Callable[[Any], Environment | None]:
        """What the expression sees of an event; None where its node is not in the document (U2)."""
        readers = {
            name: sight.variable(name) for name in expression.variables if name not in self._references
        }
        references = {name: self._references[name] for name in expression.variables & self._references.keys()}
        setting = self._setting

        is_answered = self._opaque is not None

        def see(subject: Any) -> Environment | None:
            variables = {name: read(subject) for name, read in readers.items()} | references
            if not expression.needs_document:
                return Environment(variables, value=sight.own(subject))
            event: Event = subject[0] if is_answered else subject
            assert event[2] is not None
            return setting.sees(event[2], event[3], variables)

        return see


def _bind(bindings: Sequence[tuple[str, Callable[[PrimitiveEvent], Any]]]) -> Reader:
    """What binds one variable or two."""
    (name, value), *others = bindings
    if not others:
        return lambda event: {name: value(event)}
    [(other, other_value)] = others
    return lambda event: {name: value(event), other: other_value(event)}


def _of_operation(value: Callable[[PrimitiveEvent], Any], operation: str) -> Callable[[PrimitiveEvent], Any]:
    """The same of events of one operation, of which it is known where their value is."""
    return itemgetter(5 if operation == "del" else 4) if value is own_value else value


def _no_value(subject: Event | Answered) -> None:
    return None


def _answered_value(answered: Answered) -> str | None:
    return own_value(answered[0])
