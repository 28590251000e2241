"""How subjects are looked at: events as they are, and what an `Environment` shows of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, TypeVar

from .environment import Environment
from .kinds import NodeKind, Scope, VariableKind
from .lxml_nodes import LxmlNodes
from .nodes import Attribute, Document, Node, Source, Text, in_document_order
from .table_nodes import TableNodes
from .values import Value

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class View(Generic[S]):
    """How a subject shows a document: by which source its nodes are known, what that looks at, the context node, and
    the environment that has the nodes of the document that are in variables; ``at_top``: the context node is the top
    element."""

    source: Source
    document: Callable[[S], Document]
    node: Callable[[S], Node]
    environment: Callable[[S], Environment]
    at_top: bool = False


@dataclass(frozen=True, slots=True)
class Sight(Generic[S]):
    """How a subject is looked at: its own text (``.``), what reads a variable of it, and the document, if there is any;
    ``running`` are the functions whose value its one variable keeps up to date, by name; ``current`` is the view of
    the whole expression's context node, in predicates, where it is another than ``view``."""

    own: Callable[[S], str]
    variable: Callable[[str], Callable[[S], Value]]
    view: View[S] | None = None
    running: Mapping[str, Callable[[S], Value]] = field(default_factory=dict)
    current: View[S] | None = None


def _variable(name: str) -> Callable[[Environment], Any]:
    return lambda environment: environment.variables.get(name)


def _itself(environment: Environment) -> Environment:
    return environment


ENVIRONMENT: Sight[Environment] = Sight(attrgetter("value"), _variable)
"""The sight of an `Environment` without a document."""


def in_tree(node: NodeKind, scope: Scope) -> Sight[Environment]:
    """The sight of an `Environment` that has lxml elements."""
    subtree, element = scope is Scope.SUBTREE, attrgetter("element")
    return _with_view(LxmlNodes(bounded=subtree), element, element, node, at_top=subtree)


def in_tables(node: NodeKind, scope: Scope) -> Sight[Environment]:
    """The sight of an `Environment` that has a place in tables."""
    subtree = scope is Scope.SUBTREE
    return _with_view(
        TableNodes(bounded=subtree),
        attrgetter("place"),
        lambda environment: environment.place[1],  # type: ignore[index]
        node,
        at_top=subtree,
    )


def _with_view(
    source: Source,
    document: Callable[[Environment], Document],
    element: Callable[[Environment], Any],
    node: NodeKind,
    *,
    at_top: bool,
) -> Sight[Environment]:
    def of_text(environment: Environment) -> Node:
        above, seen = element(environment), document(environment)
        texts = [each for each in source.nodes(seen, above) if type(each) is Text]
        here = texts[environment.text - 1 : environment.text]
        return here[0] if here else Text(above, None, environment.value)

    def of_attribute(environment: Environment) -> Node:
        above, name = element(environment), environment.attribute
        value = source.attribute(document(environment), above, name)
        return Attribute(above, name, environment.value if value is None else value)

    found = {NodeKind.TEXT: of_text, NodeKind.ATTRIBUTE: of_attribute}.get(node, element)
    return Sight(ENVIRONMENT.own, ENVIRONMENT.variable, View(source, document, found, _itself, at_top))


def nodes_of(
    kind: VariableKind, name: str, environment: Environment, source: Source, document: Document
) -> Sequence[Node]:
    """The nodes of the document that a variable has, in document order: its elements, or their texts or attributes."""
    elements: Any = environment.variables.get(name) or ()
    found: list[Node] = []
    for element in elements:
        if kind is VariableKind.ELEMENTS:
            found.append(element)
        elif kind is VariableKind.TEXTS:
            texts = [each for each in source.nodes(document, element) if type(each) is Text]
            number = environment.text
            found += texts[number - 1 : number] if number else texts
        else:
            value = source.attribute(document, element, environment.attribute)
            found += [] if value is None else [Attribute(element, environment.attribute, value)]
    return in_document_order(source, document, found)
