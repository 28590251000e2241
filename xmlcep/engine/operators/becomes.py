"""Becoming true at run time (B1 to B3): `xmlcep.engine.becoming` says at which elements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from contexts import Entry
from contexts.entry import BINDINGS, EVENT, FIRST
from contexts.grouping import Key
from path_types import PathType

from ...events import Cause, PrimitiveEvent
from ...xpath import Environment, Expression
from ..errors import UnknownTimeError
from ..leaf import PRIMITIVE, Bindings
from ..timers import Due
from .deferrable import DeferrableState
from .state import Account, Arrivals, Blueprint, Kept


class Turn(NamedTuple):
    """An edit has turned the expression true or false at an element, which has this path instance."""

    path: PathType
    ids: tuple[int, ...]
    is_true: bool


class BecomesState(DeferrableState):
    """An expression that turns true at elements; groups go by the element.

    ``turns`` are those of the edit that is processed, until the record has its turn that did it. ``changed`` are, with
    ``end=custom``, the elements at which the expression is not what it was at the flush before: with the change that
    made it true, None where it is false; ``places`` are their path instances.
    """

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        program = self.setting.programs[of.tree.index][of.node.index]
        assert program.test is not None and program.subject is not None
        self.test = program.test
        self.subject = program.subject
        self.turns: dict[Key, Turn] = {}
        self.changed: dict[Key, Entry | None] = {}
        self.places: dict[Key, tuple[PathType, tuple[int, ...]]] = {}
        self._by_detection = self.composer.by_detection
        self._needs_time = of.tree.needs_time

    def is_true(self, path: PathType, ids: tuple[int, ...]) -> bool:
        """Whether the expression is true at an element now; not where there is none (B1)."""
        seen = self.setting.sees(path, ids, self._variables(self.test, {}))
        return seen is not None and self.test.boolean(seen)

    def seen_at(
        self, path: PathType, ids: tuple[int, ...]
    ) -> tuple[bool, tuple[tuple[str, str], ...]] | None:
        """Whether the expression is true at an element, and what it compares with the values that it sees; None where
        there is none."""
        seen = self.setting.sees(path, ids, self._variables(self.test, {}))
        return None if seen is None else (self.test.boolean(seen), tuple(self.test.compared(seen)))

    def elements(self) -> Iterator[tuple[PathType, tuple[int, ...]]]:
        """All elements that there are now."""
        document = self.setting.document
        assert document is not None
        return document.instances(self.node.path)

    def _variables(self, expression: Expression, known: Mapping[str, Any]) -> dict[str, Any]:
        references = self.setting.references
        return {
            name: references[name] if name in references else known[name] for name in expression.variables
        }

    def fire(self, due: Due, cause: Cause) -> None:
        key = due.key
        path, ids, is_true = self.turns.pop(key)
        at = self.clock.point if self._by_detection else cause.ts
        entry: Entry = (at, at, self.clock.point, cause)
        if self.composer.extended:
            moment = self.clock.moment()
            entry = (*entry, moment, moment, None)
        if not self.node.deferred:
            if is_true:
                self._raise(path, ids, entry, cause)
        elif key in self.changed:  # it is what it was at the flush
            self.forget(key)
        else:
            self.changed[key] = entry if is_true else None
            self.places[key] = (path, ids)

    def is_possible(self, key: Key) -> bool:
        return key in self.changed

    def release(self, key: Key, cause: Cause) -> None:
        entry, (path, ids) = self.changed.pop(key), self.places.pop(key)
        if entry is not None:
            self._raise(path, ids, entry, cause)

    def _raise(self, path: PathType, ids: tuple[int, ...], entry: Entry, cause: Cause) -> None:
        change: PrimitiveEvent = entry[EVENT]
        bound = self._bound(path, ids, change)
        if bound is None:
            return
        if self._needs_time and self.clock.time is None:
            raise UnknownTimeError(self.composer.name, change.ts)
        extended, values = self.composer.extended, None
        if not self.values.is_silent:
            values = self.values.of(((*entry[:BINDINGS], bound),) if extended else ())
        span = entry[FIRST:BINDINGS] if extended else None
        self.raise_composite(
            self.composer.composite(path, ids, (change,), change.ts, change.ts, cause, span, values)
        )

    def _bound(self, path: PathType, ids: tuple[int, ...], change: PrimitiveEvent) -> Bindings | None:
        """The variables that a filter which is true of an element lets it bind; None if it is false (B2)."""
        filter_, bindings, _ = self.subject
        if filter_ is not None and not filter_.boolean(self._seen(filter_, path, ids, change)):
            return None
        return {
            name: expression.value(self._seen(expression, path, ids, change))
            for name, expression in bindings
            if expression is not None
        }

    def _seen(
        self, expression: Expression, path: PathType, ids: tuple[int, ...], change: PrimitiveEvent
    ) -> Environment:
        references = self.setting.references
        known = {
            name: PRIMITIVE.variable(name)(change) for name in expression.variables if name not in references
        }
        variables = self._variables(expression, known)
        seen = self.setting.sees(path, ids, variables) if expression.needs_document else None
        return Environment(variables) if seen is None else seen

    # ---- what all operators do --------------------------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        raise AssertionError("nothing arrives where an expression is asked")

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        for child, entries in arrivals:
            self.arrive(child, key, entries, cause)

    def kept(self) -> Kept:
        return self.changed, self.places

    def clear(self) -> None:
        self.turns.clear()
        super().clear()

    def group_keys(self) -> Collection[Key]:
        return [key for key, entry in self.changed.items() if entry is not None]

    def account(self, key: Key) -> Account:
        """What it is made of: nothing arrives in operands."""
        entry = self.changed.get(key)
        return Account(((),) if entry is None else ((entry,),))

    def size(self) -> int:
        return len(self.changed)


new_state = BecomesState
