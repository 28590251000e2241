"""Event trees: expressions with derived path types, checked before the first event (rules T1 to T4, M6, D2).

Everything that is wrong is collected as `RuleProblem`, so that a person sees all of it at once.

One module because a tree and what is wrong with it are found together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from path_types import PathType, left_bound_intersection
from path_types.relations import offsets
from path_types.types import DOCUMENT

from ..algebra import (
    Becomes,
    ContextName,
    EventDefinition,
    Leaf,
    Operator,
    Order,
    Position,
    Termination,
    Unit,
    Window,
    operators_of,
)
from ..errors import RuleProblem
from ..events import ANY, EventType, PrimitiveType, Scope
from ..xpath import Expression, ExpressionError, Known, compile_expression
from ..xpath import Scope as Sees
from .meaningless import meaningless_contexts
from .overlap import may_repeat
from .path_hints import path_to_give


@dataclass(frozen=True, slots=True, eq=False)
class LeafNode:
    """An event type node: stores the events of a type compatible with ``type`` (T1, T5) that its filter admits (F1)."""

    leaf: Leaf
    child_index: int

    @property
    def type(self) -> EventType:
        """The leaf's event type."""
        return self.leaf.type

    @property
    def path(self) -> PathType:
        """The leaf's path type."""
        return self.type.path


@dataclass(frozen=True, slots=True, eq=False)
class OperatorNode:
    """An operator of a tree: ``index`` is its place in postorder, ``parent`` its parent's (None: the root).

    ``path`` is the given or derived path type (T2), by which events are grouped (H1); ``may_repeat`` says
    whether one event can reach it through two leaves (Q1). ``window`` is its own or, of a multiplicity, that of the
    operator above (Q4); ``outer_window`` is that of the operator above if it has its own.
    """

    definition: Operator
    index: int
    parent: int | None
    child_index: int
    children: tuple[OperatorNode | LeafNode, ...]
    path: PathType
    label: str
    context: ContextName
    termination: Termination
    condition: Expression | None
    may_repeat: bool
    is_negated: bool = False
    window: Window | None = None
    outer_window: Window | None = None

    @property
    def kind(self) -> str:
        """``conjunction``, ``sequence``, ``disjunction`` or ``multiplicity``."""
        return self.definition.kind

    @property
    def deferred(self) -> bool:
        """Whether it may raise a composite later than it becomes possible (D2 to D4)."""
        return self.termination is not Termination.EARLIEST or self.condition is not None

    @property
    def takes_back(self) -> bool:
        """Whether it takes back composites, and wants to know what becomes of them (M1, M3): not if all it raises are
        releases, after each of which it starts over (D5)."""
        released = self.termination is not Termination.EARLIEST and self.condition is None
        return self.definition.takes_back and not released

    @property
    def windows(self) -> tuple[Window, ...]:
        """All that it measures with."""
        options, definition = self.definition.options, self.definition
        given = (self.window, self.outer_window, options.gap, *definition.durations)
        return tuple(window for window in given if window is not None)

    @property
    def needs_time(self) -> bool:
        """Whether it measures document time (W1)."""
        return any(window.unit is Unit.TIME for window in self.windows)

    @property
    def has_timers(self) -> bool:
        """Whether it may raise because time has passed, without any record of its group (W5)."""
        return self.definition.has_timers

    @property
    def needs_moments(self) -> bool:
        """Whether it looks at how far apart events are, or at what happened between them."""
        return bool(self.windows) or self.definition.options.strict

    @property
    def watches_group(self) -> bool:
        """Whether it has to know of every event in its groups, of whatever type (S3, W10)."""
        return self.definition.options.strict or self.definition.watches_group

    @property
    def counts(self) -> bool:
        """Whether it is a negated multiplicity, whose arrivals are counted where they lie (A1)."""
        return self.is_negated and self.definition.takes_back

    @property
    def optional(self) -> frozenset[int]:
        """The operands that it may leave out (M5)."""
        operands = (child for child in self.children if isinstance(child, OperatorNode))
        empty = {each.child_index for each in operands if each.definition.creates_empty}
        return frozenset(empty.difference(self.definition.aside) if self.definition.leaves_out else ())

    def leaves(self) -> Iterator[LeafNode]:
        """The leaves that are direct children."""
        return (child for child in self.children if isinstance(child, LeafNode))


@dataclass(frozen=True, slots=True, eq=False)
class EventTree:
    """The tree that defines one named composite event type (T1, T4).

    ``operators`` are in postorder, the root last; ``dependencies`` are the indexes (in the graph) of the
    trees whose composites its leaves take (G1). ``extended`` says that its composites carry moments and variables,
    because it or a tree that uses it needs them; ``measured`` that the moments are compared, and so have to be true.
    """

    definition: EventDefinition
    index: int
    operators: tuple[OperatorNode, ...]
    dependencies: tuple[int, ...]
    extended: bool = False
    measured: bool = False

    @property
    def name(self) -> str:
        """The name of the composite event type."""
        return self.definition.name

    @property
    def flat(self) -> bool:
        """Whether all events form one group (H2)."""
        return self.definition.flat

    @property
    def across(self) -> bool:
        """Whether it is of several documents (V11)."""
        return self.definition.across

    @property
    def order(self) -> Order:
        """What "before" means to its sequences (H2)."""
        return self.definition.order

    @property
    def root(self) -> OperatorNode:
        """The root operator."""
        return self.operators[-1]

    @property
    def path(self) -> PathType:
        """The path type of the composite event type: the root's (T4)."""
        return self.root.path

    @property
    def needs_time(self) -> bool:
        """Whether any of its durations is one of time (W1), or time says in which order things happened (V11)."""
        return self.across or any(node.needs_time for node in self.operators)

    @property
    def needs_moments(self) -> bool:
        """Whether it looks at how far apart events are, or at what happened between them."""
        return any(node.needs_moments for node in self.operators)

    def seen(self) -> dict[Leaf | Becomes, EventType]:
        """What it takes of a history, as written: what its leaves take; all at or below where it asks."""
        found: dict[Leaf | Becomes, EventType] = {}
        for operator in self.operators:
            found |= {leaf.leaf: leaf.type for leaf in operator.leaves()}
            if isinstance(operator.definition, Becomes):
                found[operator.definition] = PrimitiveType(ANY, operator.path, Scope.AT_OR_BELOW)
        return found

    def leaves(self) -> Iterator[LeafNode]:
        """All leaves, in order of the operators they belong to."""
        for operator in self.operators:
            yield from operator.leaves()


def build_tree(
    definition: EventDefinition,
    index: int,
    problems: list[RuleProblem],
    *,
    namespaces: Mapping[str, str] | None = None,
    given: Known | None = None,
    conditions: dict[str, Expression] | None = None,
) -> EventTree | None:
    """The event tree of one definition; None when it has problems, which are appended to ``problems``.

    ``namespaces`` (prefix to URI, ``""`` for the default) are those of the conditions, ``given`` what these can ask
    beside the document (V8, V9). ``conditions`` are those that were read with these names before, by their text; others
    are added: derived rules ask the same at many places.
    """
    known = {} if conditions is None else conditions
    operators = _TreeBuilder(definition, namespaces or {}, given or {}, problems, known).build()
    return None if operators is None else EventTree(definition, index, operators, ())


class _TreeBuilder:
    """Builds the operators of one definition bottom-up; None stands for a subtree with a problem."""

    def __init__(
        self, definition: EventDefinition, namespaces: Mapping[str, str], given: Known,
        problems: list[RuleProblem], conditions: dict[str, Expression],
    ) -> None:  # fmt: skip
        self.definition = definition
        self.conditions = conditions
        self.namespaces = namespaces
        self.given = given
        self.problems = problems
        self.operators: list[OperatorNode] = []
        self.labels: dict[str, int] = {}
        self.kinds: dict[str, int] = {}
        self.sound = True

    def build(self) -> tuple[OperatorNode, ...] | None:
        self._operator(self.definition.expression, first=0, parent=None, child_index=0)
        for mistake in meaningless_contexts(self.definition):
            self._problem(*mistake)
        return tuple(self.operators) if self.sound else None

    def _problem(self, message: str, hint: str, at: Position) -> None:
        self.sound = False
        self.problems.append(RuleProblem(f"event {self.definition.name}: {message}", hint, at))

    def _operator(
        self, operator: Operator, *, first: int, parent: int | None, child_index: int,
        above: Operator | None = None, inherited: Window | None = None, below_not: bool = False,
    ) -> OperatorNode | None:  # fmt: skip
        """Builds ``operator``, whose subtree takes the postorder indexes from ``first`` on."""
        index = first + len([*operators_of(operator)]) - 1
        own = operator.options.within
        # Q4: a multiplicity directly below an operator with a window has that window, if it has none of its own.
        inherits = inherited is not None and operator.takes_back
        window = own or (inherited if inherits else None)
        children: list[OperatorNode | LeafNode | None] = []
        for position, operand in enumerate(operator.operands if operator.takes_events else ()):
            if isinstance(operand, Leaf):
                children.append(LeafNode(operand, position))
            else:
                children.append(self._operator(
                    operand, first=first, parent=index, child_index=position, above=operator, inherited=window,
                    below_not=below_not or position in operator.negated,
                ))  # fmt: skip
                first += len([*operators_of(operand)])
        label = self._label(operator)
        for message, hint in operator.problems():
            self._problem(message, hint, operator.at)
        self._check_counted(operator, above, child_index)
        termination = self._termination(operator)
        default = ContextName.UNRESTRICTED if below_not else self.definition.context  # A1
        built = [child for child in children if child is not None]
        path = self._path(operator, built) if len(built) == len(children) else None
        condition = self._condition(operator, path)
        if path is None:
            self.sound = False
            return None
        node = OperatorNode(
            operator, index, parent, child_index, tuple(built), path, label,
            operator.options.context or default, termination, condition,
            _may_repeat(operator, built),
            above is not None and child_index in above.negated, window,
            inherited if inherits and own is not None else None,
        )  # fmt: skip
        self.operators.append(node)
        return node

    def _path(self, operator: Operator, children: list[OperatorNode | LeafNode]) -> PathType | None:
        """The explicit path type, checked by T3, or the derived one (T2)."""
        explicit = operator.options.path
        if explicit is None:
            return self._derived_path(operator, [child.path for child in children])
        sound = True
        for child in children:
            if not _is_valid(explicit, child.path):
                sound = False
                self._problem(
                    f"the path type {explicit} of the {operator.title} does not fit its operand {child.path}",
                    "events of the operand could never belong to it (T3): write a path type that the "
                    "operand's path starts with or contains",
                    operator.options.place("path", operator.at),
                )
        return explicit if sound else None

    def _derived_path(self, operator: Operator, paths: list[PathType]) -> PathType | None:
        derived = operator.derived_path(paths)
        if derived is None and self.definition.flat and paths:
            return DOCUMENT
        if derived is None:
            self._problem(
                f"the path type of the {operator.title} cannot be derived: "
                f"{operator.no_derived_path(paths)} (T2)",
                path_to_give(operator, paths),
                operator.at,
            )
        return derived

    def _label(self, operator: Operator) -> str:
        """The given or the numbered label, unique in the tree (G5)."""
        self.kinds[operator.kind] = number = self.kinds.get(operator.kind, 0) + 1
        label = operator.options.name or f"{operator.kind}{number}"
        if label in self.labels:
            self._problem(f"two operators are called {label}", "give one of them another name", operator.at)
        self.labels[label] = number
        return label

    def _check_counted(self, operator: Operator, above: Operator | None, child_index: int) -> None:
        """A1: a negated multiplicity counts what lies in between, so nothing can make it wait or slide."""
        if above is None or child_index not in above.negated or not operator.takes_back:
            return
        given = {"end": operator.options.end, "when": operator.options.when, "if": operator.options.guard}
        for name, value in {**given, "slide": operator.options.slide or None}.items():
            if value is not None:
                self._problem(
                    f"{name!r} has no meaning for a negated {operator.kind} (A1)",
                    "it forbids what lies in between, whenever that is: leave the option out",
                    operator.options.place(name, operator.at),
                )

    def _termination(self, operator: Operator) -> Termination:
        termination = operator.options.end or Termination.EARLIEST
        if termination is Termination.NON_LOCAL and self.definition.flat:
            self._problem(
                "end=non-local has no meaning in a flat event (D2)",
                "there is one group, and no change is outside it: use end=custom, or remove flat",
                operator.at,
            )
        return termination

    def _condition(self, operator: Operator, path: PathType | None) -> Expression | None:
        options = operator.options
        if options.when is None:
            return None
        at = options.place("when", operator.at)
        if self.definition.flat:
            self._problem(
                "a condition has no meaning in a flat event (D4)",
                "a flat event has no node to test it on: remove when=… or flat",
                at,
            )
            return None
        if path is not None and not path.last.is_element:
            what = f"a condition needs an element as its context node, but the path type here is {path} (D4)"
            self._problem(what, "give the operator the path type of the element, such as {path=item}", at)
            return None
        known = self.conditions.get(options.when)
        if known is not None:
            return known
        try:
            condition = compile_expression(
                options.when, namespaces=self.namespaces, variables=self.given, scope=Sees.SUBTREE
            )
        except ExpressionError as error:
            self._problem(error.message, error.hint, at.part(options.when, error.offset, error.width))
            return None
        self.conditions[options.when] = condition
        return condition


def _may_repeat(operator: Operator, children: Iterable[OperatorNode | LeafNode]) -> bool:
    """Whether one event can be a constituent twice (Q1); what is negated is none."""
    leaves = (child for child in children if isinstance(child, LeafNode))
    constituents = frozenset(operator.constituent_operands)
    return may_repeat([leaf.type for leaf in leaves if leaf.child_index in constituents])


def _is_valid(operator: PathType, child: PathType) -> bool:
    """T3: whether events of a child with this path type can be expected to be aligned to nodes of the operator's."""
    if not child.absolute or child is DOCUMENT:
        return True
    return bool(left_bound_intersection(operator, child) if operator.absolute else offsets(operator, child))
