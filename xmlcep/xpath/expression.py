"""Expressions, compiled: what filters, conditions, guards, ``as``, ``let`` and ``having`` are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar, cast

from path_types import PathType

from ..arguments import BY_NAME, MAPPING, STRING, one_of, optional
from ..arguments import check as check_arguments
from .checking import check, kind_of, outer_focus
from .environment import Environment
from .errors import ExpressionError
from .evaluation import Evaluation, where_it_is
from .kinds import Known, NodeKind, Scope, VariableKind, Variables
from .locations import Locations
from .parser import compared, parse
from .reads import Reads, locate, read_places
from .sight import ENVIRONMENT, Sight, in_tables, in_tree
from .syntax import (
    Axis,
    NameTest,
    Step,
    Syntax,
    paths_from_variables_in,
    starts_at_context,
    variables_in,
)
from .values import Single

S = TypeVar("S")
_FORMS = frozenset({"boolean", "string", "number", "value"})


def compile_expression(
    text: str,
    *,
    namespaces: Mapping[str, str] | None = None,
    variables: Known | None = None,
    node: NodeKind = NodeKind.ELEMENT,
    scope: Scope = Scope.DOCUMENT,
) -> Expression:
    """An expression, checked to its last branch, so that evaluating it never raises.

    ``namespaces`` maps prefixes to URIs (``""``: of element names without a prefix), ``variables`` the names it may
    refer to (without ``$``) to what they hold, or to the one value that they have; ``node`` says what its context node
    is, ``scope`` how far it sees.
    Raises `ExpressionError`, which points into the text: syntax, unknown functions, variables, prefixes and axes,
    wrong arguments, paths where there is no node, comments and processing instructions, patterns that RE2
    cannot match, and more than the limits allow. Raises `ValueError` for a subtree whose root is not an element.

    >>> rise = compile_expression(
    ...     "number(.) > 1.1 * number($old)", variables={"old": VariableKind.STRING}, node=NodeKind.TEXT
    ... )
    >>> rise.boolean(Environment({"old": "30"}, value="34")), rise.needs_document
    (True, False)
    """
    check_arguments(
        "compile_expression()", text=(text, STRING), namespaces=(namespaces, optional(BY_NAME)),
        variables=(variables, optional(MAPPING)), node=(node, one_of(NodeKind)), scope=(scope, one_of(Scope)),
    )  # fmt: skip
    return Expression(text, namespaces or {}, variables or {}, node, scope)


class Expression:
    """An expression of the language, ready to be evaluated; made by `compile_expression`.

    Immutable; equal to another if text, names, variables, node and scope are equal.
    """

    __slots__ = (
        "_constants", "_key", "_names", "_reads", "_syntax", "_variables", "boolean", "kind", "needs_document",
        "needs_nodes", "node", "number", "scope", "string", "text", "value", "variables",
    )  # fmt: skip

    text: str
    """As it was written."""
    node: NodeKind
    scope: Scope
    kind: VariableKind
    """What a variable holds that `value` is bound to: a string, a number, a boolean, or one value."""
    needs_nodes: bool
    """Whether it asks nodes, of the document or of a reference document."""
    needs_document: bool
    """Whether it asks nodes of the document (F3); else it costs no document."""
    variables: frozenset[str]
    """The variables that it refers to."""
    boolean: Callable[[Environment], bool]
    """Its value as a boolean."""
    string: Callable[[Environment], str]
    """Its value as a string."""
    number: Callable[[Environment], float]
    """Its value as a number."""
    value: Callable[[Environment], Single]
    """Its value: of nodes or a list the first as a string; None for nothing (V1)."""
    _constants: Mapping[str, float | str]
    _key: object
    _names: tuple[tuple[str, str], ...]
    _reads: dict[tuple[PathType | None, bool], Reads]
    _syntax: Syntax
    _variables: dict[str, VariableKind]

    def __init__(
        self, text: str, namespaces: Mapping[str, str], given: Known, node: NodeKind, scope: Scope
    ) -> None:
        if scope is Scope.SUBTREE and node is not NodeKind.ELEMENT:
            raise ValueError(f"a subtree has an element as its root, so node cannot be {node}")
        syntax = parse(text, namespaces, given)
        variables = cast("Variables", given)  # of the others none is left in the tree
        needs = check(text, syntax, node, variables)
        used = {variable.name: variables[variable.name] for variable in variables_in(syntax)}
        constants = {name: value for name, value in given.items() if not isinstance(value, VariableKind)}
        kind = kind_of(syntax, outer_focus(node), used)
        fields = {
            "text": text,
            "node": node,
            "scope": scope,
            "kind": VariableKind.VALUE if kind.is_list else kind,
            "needs_nodes": needs.nodes,
            "needs_document": needs.document,
            "variables": frozenset(used),
            "_reads": {},
            "_syntax": syntax,
            "_names": tuple(namespaces.items()),
            "_variables": used,
            "_constants": constants,
            "_key": (
                text,
                frozenset(namespaces.items()),
                frozenset({**used, **constants}.items()),
                node,
                scope,
            ),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """Makes a form of it when it is asked for the first time."""
        if name not in _FORMS:
            raise AttributeError(f"an expression has no {name!r}")
        made = self._on(ENVIRONMENT if not self.needs_nodes else in_tree(self.node, self.scope))
        if self.needs_document and self.scope is not Scope.LIVE:
            function = where_it_is(name, self._on(in_tables(self.node, self.scope)), made)
        else:
            function = getattr(made, name)
        object.__setattr__(self, name, function)
        return function

    def on(self, sight: Sight[S]) -> Evaluation[S]:
        """The functions that evaluate it of whatever a sight looks at, such as events as they are, without an
        `Environment`; raises `ValueError` if it asks nodes."""
        if self.needs_nodes:
            raise ValueError(f"{self.text!r} asks nodes: it needs an Environment")
        return self._on(sight)

    def _on(self, sight: Sight[S]) -> Evaluation[S]:
        return Evaluation(self._syntax, outer_focus(self.node), self._variables, dict(self._names), sight)

    def places(self, context: Locations, of_variables: Mapping[str, Locations]) -> Locations | None:
        """Where the nodes are that it gives, if the context node, and the nodes that variables have, are there; None if
        it gives no nodes of the document."""
        return locate(self._syntax, self.node, self._variables, context, of_variables)

    def reads_at(self, context: Locations, of_variables: Mapping[str, Locations]) -> Locations:
        """Where the nodes are whose changes can change its value, if the context node, and the nodes that variables
        have, are there."""
        return read_places(self._syntax, self.node, self._variables, context, of_variables)

    @property
    def syntax(self) -> Syntax:
        """Its syntax tree."""
        return self._syntax

    @property
    def kinds(self) -> Variables:
        """What the variables hold that it refers to."""
        return self._variables

    @property
    def result(self) -> VariableKind:
        """What it gives: nodes, a list, a single value."""
        return kind_of(self._syntax, outer_focus(self.node), self._variables)

    @property
    def asks_context(self) -> bool:
        """Whether a path of it starts at the context node."""
        return starts_at_context(self._syntax)

    def top_elements(self, variable: str) -> set[NameTest]:
        """The names of the elements that it looks for right below a reference document's root node."""
        return {
            steps[0].test
            for steps in self.lookups(variable)
            if steps[0].axis is Axis.CHILD and isinstance(steps[0].test, NameTest)
        }

    def lookups(self, variable: str) -> Iterator[tuple[Step, ...]]:
        """The steps of its paths that start at a reference document's root node."""
        return (steps for name, steps in paths_from_variables_in(self._syntax) if name == variable)

    @property
    def reads(self) -> Reads:
        """What can change its value (U2)."""
        return self.reads_from(None)

    @property
    def truth_reads(self) -> Reads:
        """What can change its value as a boolean: less than `reads`, where all that is asked is whether there are
        nodes."""
        return self.reads_from(None, truth=True)

    def reads_from(self, path: PathType | None, *, truth: bool = False) -> Reads:
        """`reads` (or `truth_reads`) where the context node has this path type: more exact than without it."""
        known = self._reads.get((path, truth))
        if known is None:
            known = Reads.of(self._syntax, self.node, self.scope, self._variables, path, truth=truth)
            self._reads[path, truth] = known
        return known

    def compared(self, environment: Environment) -> Iterator[tuple[str, str]]:
        """The parts that are compared or asked for their truth, as they are written, each with its value as a string:
        what a person wants to see of an expression that is false (Y1). Literals are left out."""
        for part in _compared(self):
            yield part.text, part.string(environment)

    def _compared(self) -> tuple[Expression, ...]:
        found = []
        for text in compared(self.text, dict(self._names)):
            with suppress(ExpressionError):  # whatever cannot stand by itself is not shown
                known = {**self._variables, **self._constants}
                found.append(Expression(text, dict(self._names), known, self.node, self.scope))
        return tuple(found)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Expression) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an expression is immutable: {name} cannot be set")

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


@lru_cache(maxsize=256)
def _compared(expression: Expression) -> tuple[Expression, ...]:
    return expression._compared()
