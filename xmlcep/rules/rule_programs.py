"""Rules that act, compiled, as values: what a rule asks and does, in a form that can be run (L1 to L7).

`active_rules` compiles them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from path_types import PathType

from ..algebra import Action, ActiveRule, Call, Coupling, Mode
from ..xpath import Expression, NodeKind, Selection
from .event_graph import EventGraph
from .fragments import Fragment
from .trees import EventTree

DELTA, DELETED = "delta", "deleted"
"""The variables that every rule has (L1)."""


@dataclass(frozen=True, slots=True, eq=False)
class ActionProgram:
    """An action with what is compiled of it: what it selects (``target``; ``source`` of a move), the ``value`` that
    is set,
    the ``fragment`` that is inserted."""

    action: Action
    target: Selection | None = None
    source: Selection | None = None
    value: Expression | None = None
    fragment: Fragment | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All its expressions."""
        found = [selection.expression for selection in (self.target, self.source) if selection is not None]
        found += [] if self.value is None else [self.value]
        return (*found, *(() if self.fragment is None else self.fragment.expressions))


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """Condition and actions, compiled for a context node of one kind."""

    node: NodeKind
    condition: Expression | None
    actions: tuple[ActionProgram, ...]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All expressions."""
        own = () if self.condition is None else (self.condition,)
        return (*own, *(expression for action in self.actions for expression in action.expressions))


@dataclass(frozen=True, slots=True, eq=False)
class RuleProgram:
    """A rule, compiled.

    ``index`` is its place in the order of definition; ``event`` the name of the event tree that triggers it, ``path``
    which of its composites do (None: all); ``tree`` is that tree. ``forms`` are its condition and actions by the kind
    of the context node: an event at a text or attribute that is deleted has the element that it stood in (L1).
    ``of_leaf`` says that the event is a single leaf, so that ``$old``, ``$new``, ``$op`` and ``$at`` are known (L2).
    """

    definition: ActiveRule
    index: int
    event: str
    path: PathType | None
    tree: EventTree
    mode: Mode
    forms: Mapping[NodeKind, Form]
    of_leaf: bool
    variables: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The rule's name."""
        return self.definition.name

    @property
    def at_commit(self) -> bool:
        """Whether it waits for the end of the transaction (L4)."""
        return self.definition.coupling is Coupling.COMMIT

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All its expressions."""
        return tuple(expression for form in self.forms.values() for expression in form.expressions)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Triggers:
    """The rules of a rules file that act, and the event graph that triggers them.

    It can be given to a detector in place of rules: ``graph`` has the defined events and the rules' own ones;
    ``trees`` are the names of those that some rule needs, directly or not.
    """

    graph: EventGraph
    programs: tuple[RuleProgram, ...]
    trees: tuple[str, ...]
    externals: Mapping[str, EventTree]

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the application's functions that rules call, each once."""
        called = [action for rule in self.programs for action in rule.definition.actions]
        return tuple(dict.fromkeys(action.function for action in called if isinstance(action, Call)))
