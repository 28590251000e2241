"""How a checked expression is evaluated: the functions that `closures` makes of it, of whatever they are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

from .checking import Focus, kind_of
from .closures import Closures
from .environment import Environment
from .kinds import VariableKind, Variables
from .sight import Sight
from .syntax import Syntax
from .values import Single, number_of, text_of

S = TypeVar("S")


class Evaluation(Generic[S]):
    """The functions that give the value of an expression of what a sight looks at, each made when it is asked for."""

    def __init__(
        self,
        syntax: Syntax,
        focus: Focus,
        variables: Variables,
        namespaces: Mapping[str, str],
        sight: Sight[S],
    ) -> None:
        self._given = syntax, focus
        self._kind = kind_of(syntax, focus, variables)
        self._closures = Closures(sight, variables, namespaces)

    @cached_property
    def boolean(self) -> Callable[[S], bool]:
        """Its value as a boolean."""
        return self._closures.boolean(*self._given)

    @cached_property
    def string(self) -> Callable[[S], str]:
        """Its value as a string."""
        return self._closures.string(*self._given)

    @cached_property
    def number(self) -> Callable[[S], float]:
        """Its value as a number."""
        return self._closures.number(*self._given)

    @cached_property
    def value(self) -> Callable[[S], Single]:
        """Its value: of nodes or a list the first as a string; None for nothing (V1)."""
        kind = self._kind
        if kind is VariableKind.NODES:
            return self._closures.first(*self._given)  # type: ignore[return-value]
        raw = self._closures.raw(*self._given)
        if kind is VariableKind.STRING:
            return raw  # type: ignore[return-value]

        def value(subject: S) -> Single:
            result = raw(subject)
            if kind is VariableKind.LIST:
                return text_of(result) if result else None
            if isinstance(result, int) and not isinstance(result, bool):
                return number_of(result)
            return result  # type: ignore[return-value]

        return value


def where_it_is(
    form: str, tables: Evaluation[Environment], tree: Evaluation[Environment]
) -> Callable[[Environment], Any]:
    """A form of an expression of a document: in tables where the environment has its place there, else in its lxml
    tree, which few have."""
    in_tables = getattr(tables, form)
    in_tree: Callable[[Environment], Any] | None = None

    def choose(environment: Environment) -> Any:
        nonlocal in_tree
        if environment.place is not None:
            return in_tables(environment)
        if in_tree is None:
            in_tree = getattr(tree, form)
        return in_tree(environment)

    return choose
