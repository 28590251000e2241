"""How a checked expression is evaluated: as Python functions of values, or by libxml2 where it asks nodes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from lxml import etree

from .checking import Focus
from .closures import Closures, Sight
from .environment import Environment
from .extensions import restore
from .kinds import VariableKind, Variables
from .libxml2 import Translator
from .libxml2_names import NOWHERE
from .syntax import Syntax
from .values import Single, number_of, text_of

S = TypeVar("S")


class Evaluation(NamedTuple, Generic[S]):
    """The functions that give the value of an expression, of whatever they are asked of."""

    boolean: Callable[[S], bool]
    string: Callable[[S], str]
    number: Callable[[S], float]
    value: Callable[[S], Single]


def by_closures(
    syntax: Syntax, focus: Focus, kind: VariableKind, variables: Variables, sight: Sight[S]
) -> Evaluation[S]:
    """An expression that asks no nodes, or such in tables, of what a sight looks at."""
    closures = Closures(sight, variables)
    raw = closures.raw(syntax, focus)

    def value(subject: S) -> Single:
        result = raw(subject)
        if kind.is_list:
            return text_of(result) if result else None
        if isinstance(result, int) and not isinstance(result, bool):
            return number_of(result)
        return result  # type: ignore[return-value]

    return Evaluation(
        closures.boolean(syntax, focus), closures.string(syntax, focus), closures.number(syntax, focus),
        raw if kind is VariableKind.STRING else value,  # type: ignore[arg-type]
    )  # fmt: skip


def where_it_is(tables: Evaluation[Environment], tree: Evaluation[Environment]) -> Evaluation[Environment]:
    """An expression of an element: in tables where the environment has its place there, else in its lxml tree."""

    def choose(
        one: Callable[[Environment], Any], other: Callable[[Environment], Any]
    ) -> Callable[[Environment], Any]:
        return lambda environment: other(environment) if environment.place is None else one(environment)

    return Evaluation(*map(choose, tables, tree))


def by_libxml2(
    syntax: Syntax,
    focus: Focus,
    kind: VariableKind,
    variables: Variables,
    namespaces: Mapping[str, str],
    start: Callable[[Environment], etree._Element],
    *,
    live: bool = False,
) -> Evaluation[Environment]:
    """An expression that asks nodes; ``start`` gives the node where libxml2 starts; ``live``: it may have comments
    beside
    it. Raises `ValueError` for what libxml2 cannot read."""
    translator = Translator(variables, namespaces, live=live)
    boolean = translator.compile(translator.boolean(syntax, focus), start)
    # If libxml2 reads it as a boolean it reads it as anything: the rest is compiled if it is asked for.
    string = _late(lambda: translator.compile(translator.string(syntax, focus), start))
    number = _late(lambda: translator.compile(f"number({translator.number(syntax, focus)})", start))
    if kind.is_list:
        value = _first(boolean, string)
    else:
        value = _single(_late(lambda: translator.compile(translator.raw(syntax, focus), start)))
    return Evaluation(boolean, lambda environment: restore(string(environment)), number, value)


def _late(make: Callable[[], Callable[[Environment], Any]]) -> Callable[[Environment], Any]:
    """A function that is made at its first call."""
    made: Callable[[Environment], Any] | None = None

    def function(environment: Environment) -> Any:
        nonlocal made
        if made is None:
            made = make()
        return made(environment)

    return function


def _first(
    boolean: Callable[[Environment], bool], string: Callable[[Environment], str]
) -> Callable[[Environment], Single]:
    return lambda environment: restore(string(environment)) if boolean(environment) else None


def _single(raw: Callable[[Environment], Any]) -> Callable[[Environment], Single]:
    def value(environment: Environment) -> Single:
        result = raw(environment)
        if isinstance(result, str):
            return restore(result)
        return None if result == [] else result

    return value


def nowhere(environment: Environment) -> etree._Element:
    """Where an expression starts that asks reference documents only."""
    return NOWHERE


in_place: Callable[[Environment], etree._Element] = attrgetter("element")
"""Where an expression starts that sees the whole document, or cannot look beyond the subtree it sees."""


def in_copy(environment: Environment) -> etree._Element:
    """Where an expression starts that sees a subtree only and could look beyond: a copy of the subtree is made the
    document, which takes time in proportion to its size."""
    assert environment.element is not None
    element = copy.deepcopy(environment.element)
    element.tail = None
    return element
