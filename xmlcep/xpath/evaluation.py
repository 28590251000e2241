"""How a checked expression is evaluated: as Python functions of values, or by libxml2 where it asks nodes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from lxml import etree

from .checking import Focus
from .closures import Closures, Sight
from .environment import Environment
from .extensions import restore
from .kinds import VariableKind, Variables
from .libxml2 import Evaluator, Translator
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
    """An expression that asks no nodes, of what a sight looks at."""
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
        closures.boolean(syntax, focus), closures.string(syntax, focus), closures.number(syntax, focus), value
    )


def by_libxml2(
    syntax: Syntax,
    focus: Focus,
    kind: VariableKind,
    variables: Variables,
    namespaces: Mapping[str, str],
    element: Callable[[Environment], etree._Element],
) -> Evaluation[Environment]:
    """An expression that asks nodes; ``element`` says where libxml2 starts. Raises `ValueError` for what libxml2
    cannot read."""
    translator = Translator(variables, namespaces)
    boolean = translator.compile(translator.boolean(syntax, focus))
    string = translator.compile(translator.string(syntax, focus))
    number = translator.compile(f"number({translator.number(syntax, focus)})")
    return Evaluation(
        lambda environment: boolean(environment, element(environment)),
        lambda environment: restore(string(environment, element(environment))),
        lambda environment: number(environment, element(environment)),
        _first(boolean, string, element)
        if kind.is_list
        else _single(translator.compile(translator.raw(syntax, focus)), element),
    )


def _first(
    boolean: Evaluator, string: Evaluator, element: Callable[[Environment], etree._Element]
) -> Callable[[Environment], Single]:
    def value(environment: Environment) -> Single:
        start = element(environment)
        return restore(string(environment, start)) if boolean(environment, start) else None

    return value


def _single(
    raw: Evaluator, element: Callable[[Environment], etree._Element]
) -> Callable[[Environment], Single]:
    def value(environment: Environment) -> Single:
        result: Any = raw(environment, element(environment))
        if isinstance(result, str):
            return restore(result)
        return None if result == [] else result

    return value


def nowhere(environment: Environment) -> etree._Element:
    """Where an expression starts that asks reference documents only."""
    return NOWHERE


def in_place(environment: Environment) -> etree._Element:
    """Where an expression starts that sees the whole document, or cannot look beyond the subtree it sees."""
    assert environment.element is not None
    return environment.element


def in_copy(environment: Environment) -> etree._Element:
    """Where an expression starts that sees a subtree only and could look beyond: a copy of the subtree is made the
    document, which takes time in proportion to its size."""
    assert environment.element is not None
    element = copy.deepcopy(environment.element)
    element.tail = None
    return element
