"""The variables of composites: what an operator makes of those of its constituents (rules V2 to V6, D4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import methodcaller
from typing import Any, Protocol

from contexts import Entry
from contexts.entry import BINDINGS, EVENT

from ..events import CompositeEvent
from ..rules.programs import OperatorProgram
from ..xpath import Environment, Expression, RunningValues, Sight
from ..xpath.values import text_of
from .leaf import Bindings
from .setting import Setting


class Part(Protocol):
    """Some of the arrivals of an operator."""

    def values(self, name: str) -> tuple[Any, ...]:
        """All values of a variable of theirs."""


class GatheredBindings(Mapping[str, Any]):
    """Variables of a composite of a part of the arrivals, whose lists are gathered when somebody looks at them; what is
    ``known`` it may have in common with others."""

    __slots__ = ("_known", "_lists", "_part")

    def __init__(self, known: Mapping[str, Any], lists: tuple[str, ...], part: Part) -> None:
        self._known = known
        self._lists = lists
        self._part = part

    @property
    def parts(self) -> tuple[Mapping[str, Any], tuple[str, ...], Part]:
        """What is known, the names of the lists, and of which arrivals these are gathered."""
        return self._known, self._lists, self._part

    def __getitem__(self, name: str) -> Any:
        if name not in self._known and name in self._lists:
            self._known = {**self._known, name: self._part.values(name)}
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._known, *self._lists)))

    def __len__(self) -> int:
        return len(self._known.keys() | set(self._lists))

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)


BINDINGS_ALONE: Sight[Bindings] = Sight(lambda bindings: "", lambda name: methodcaller("get", name))
"""The sight of variables and nothing else."""

LIST_ALONE: Sight[RunningValues] = Sight(
    lambda values: "",
    lambda name: _itself,
    running={"sum": RunningValues.total, "min": RunningValues.smallest, "max": RunningValues.greatest},
)
"""The sight of one list and nothing else."""


class Values:
    """An operator's program, ready to be asked of combinations."""

    def __init__(self, program: OperatorProgram, setting: Setting) -> None:
        self.program = program
        self._setting = setting  # whose document is another one after a reset
        self._references = setting.references
        self._single = program.grouping.names
        self._only = self._single[0] if len(self._single) == 1 else None  # as most have
        self._has_only_singles = not (program.lists or program.lets)
        self._joined = tuple(sorted(program.grouping.names))
        self.lists = program.lists
        self.lets = program.lets
        self._singles = (*self._single, *(name for name, _ in self.lets))
        self.having = program.having
        self.sees = None if self.having is None else self._see(self.having)
        """``having`` as a function of variables, see `holds`."""
        self.guard = program.guard
        self.has_variables = bool(program.variables)
        self.is_silent = not self.has_variables and self.guard is None
        expressions = [*(expression for _, expression in self.lets), self.having, self.guard]
        asked = {name for each in expressions if each is not None for name in each.variables}
        self.sees_list = None if self.having is None else self._see_list(self.having)
        """``having`` as a function of the one list that it is about; None if it is about anything else."""
        self.asked_lists = tuple(name for name in self.lists if name in asked)
        """The lists that ``let``, ``having`` and the guard ask."""

    def of(self, entries: Sequence[Entry], values: Mapping[str, Any] | None = None) -> Bindings | None:
        """The variables of the composite of these events (V5), its operator's own ``values`` with them; None if its
        event has none."""
        if not self.has_variables:
            return None
        found = self.singles_of(entries)
        if self._has_only_singles and not values:
            return found
        if values:
            found = {**values, **found}
        for name in self.lists:
            found[name] = all_values(entries, name)
        return self._with_lets(found) if self.lets else found

    def _with_lets(self, found: dict[str, Any]) -> dict[str, Any]:
        for name, expression in self.lets:
            value = expression.value(self._environment(found, expression))
            if value is not None:
                found[name] = value
        return found

    def seen_of(self, entries: Sequence[Entry], lists: Mapping[str, RunningValues]) -> dict[str, Any]:
        """What ``having`` and the guard see of arrivals, given the ``asked_lists`` that are kept of them: the same as
        of `of`, in a time that does not depend on how many they are."""
        found: dict[str, Any] = {**lists, **self.singles_of(entries)}
        return self._with_lets(found) if self.lets else found

    def singles_of(self, entries: Sequence[Entry]) -> dict[str, Any]:
        """The variables by which the operator groups, of the composite of such arrivals."""
        only, found = self._only, {}
        if only is not None and entries:  # mostly the first one says it
            bindings = entries[0][BINDINGS]
            value = None if bindings is None else bindings.get(only)
            if type(value) is str:
                return {only: value}
        for name in self._single:
            value = first_value(entries, name)
            if value is not None:
                found[name] = value
        return found

    def carried(self, seen: Mapping[str, Any], part: Part) -> Bindings | None:
        """The variables of the composite of arrivals, given what `seen_of` says of them."""
        if not self.has_variables:
            return None
        known = {name: seen[name] for name in self._singles if name in seen}
        return GatheredBindings(known, self.lists, part)

    def holds(self, bindings: Bindings) -> bool:
        """Whether ``having`` is true of such variables (V6)."""
        assert self.sees is not None
        return self.sees(bindings)

    def _see(self, having: Expression) -> Callable[[Bindings], bool]:
        """``having`` as a function of variables."""
        if not (having.needs_nodes or having.variables & self._references.keys()):
            return having.on(BINDINGS_ALONE).boolean
        return lambda bindings: having.boolean(self._environment(bindings, having))

    def _see_list(self, having: Expression) -> Callable[[RunningValues], bool] | None:
        """``having`` as a function of the one list that it is about."""
        if having.needs_nodes or len(having.variables) != 1 or not having.variables <= set(self.lists):
            return None
        return having.on(LIST_ALONE).boolean

    def joined(self, bindings: Bindings | None) -> tuple[str, ...]:
        """The values by which the operator groups, as text, by name: of the variables of one of its composites."""
        return tuple(text_of(bindings[name]) for name in self._joined) if bindings else ()

    def admits(self, entries: Sequence[Entry]) -> bool:
        """Whether ``having`` is true of a combination (V6)."""
        return self.holds(self.of(entries) or {})

    def seen(self, entries: Sequence[Entry]) -> tuple[str, tuple[tuple[str, str], ...]]:
        """``having`` as it is written, and what it compares with the values that it sees of a combination."""
        if self.having is None:
            return "", ()
        environment = self._environment(self.of(entries) or {}, self.having)
        return self.having.text, tuple(self.having.compared(environment))

    def seen_by_guard(self, composite: CompositeEvent) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The same of the guard and a composite that would be raised."""
        guard = self.guard
        if guard is None:
            return "", ()
        environment = self._seen_by_guard(guard, composite)
        return guard.text, () if environment is None else tuple(guard.compared(environment))

    def admitter(self) -> Callable[[Sequence[Entry]], bool] | None:
        """`admits`, if there is anything to ask."""
        return None if self.having is None else self.admits

    def allows(self, composite: CompositeEvent, seen: Bindings | None = None) -> bool:
        """Whether the guard is true of a composite that would be raised (D4), of which ``seen`` are the variables, if
        `seen_of` has been asked."""
        guard = self.guard
        if guard is None:
            return True
        environment = self._seen_by_guard(guard, composite, seen)
        return environment is not None and guard.boolean(environment)

    def _seen_by_guard(
        self, guard: Expression, composite: CompositeEvent, seen: Bindings | None = None
    ) -> Environment | None:
        variables = self._variables((composite.bindings or {}) if seen is None else seen, guard)
        if not guard.needs_document:
            return Environment(variables)
        if composite.path is None:
            return None
        return self._setting.sees(composite.path, composite.ids, variables)

    def _environment(self, bindings: Bindings, expression: Expression) -> Environment:
        return Environment(self._variables(bindings, expression))

    def _variables(self, bindings: Bindings, expression: Expression) -> Mapping[str, Any]:
        if not self._references:
            return bindings
        return {
            **bindings,
            **{n: self._references[n] for n in expression.variables & self._references.keys()},
        }


def _itself(values: RunningValues) -> Any:
    return values


def first_value(entries: Iterable[Entry], name: str) -> Any:
    """The one value of a variable by which an operator groups: that of the first event that has it."""
    for entry in entries:
        bindings = entry[BINDINGS]
        value = None if bindings is None else bindings.get(name)
        if type(value) is str:
            return value
        if isinstance(value, tuple):
            value = value[0] if value else None
        if value is not None:
            return value
    return None


def all_values(entries: Iterable[Entry], name: str) -> tuple[Any, ...]:
    """All values of a variable, in order of constituents; lists are flattened. An event that reached the operator
    through two operands counts once, with the first that binds the variable (Q1)."""
    found: list[Any] = []
    events: set[int] = set()
    for entry in entries:
        values = values_in(entry, name)
        if values and id(entry[EVENT]) not in events:
            events.add(id(entry[EVENT]))
            found.extend(values)
    return tuple(found)


def values_in(entry: Entry, name: str) -> tuple[Any, ...]:
    """The values that a variable has in one event."""
    value = None if entry[BINDINGS] is None else entry[BINDINGS].get(name)
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)
