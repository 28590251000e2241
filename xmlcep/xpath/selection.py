"""Expressions that select nodes: for whoever will change them (rule L7), and for people who say which they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from lxml import etree

from .checking import check, kind_of, outer_focus
from .closures import Closures
from .environment import Environment
from .errors import ExpressionError
from .expression import Expression
from .kinds import Known, NodeKind, Scope, VariableKind
from .locations import Locations
from .nodes import Attribute, Node, Root, Text
from .parser import parse
from .sight import in_tree
from .syntax import Axis, NameTest, NodeTest, Path, Step, Syntax
from .syntax import Root as Start

_ANY_DEPTH = Step(Axis.DESCENDANT_OR_SELF, NodeTest.NODE)


class SelectedValue(NamedTuple):
    """A text or attribute that is selected: whose it is, as lxml says it of its strings, and what it says."""

    owner: Any
    attrname: str | None
    is_tail: bool
    text: str

    @property
    def is_attribute(self) -> bool:
        """Whether it is an attribute."""
        return self.attrname is not None

    def getparent(self) -> Any:
        """The node that has it: of a text behind a node this one."""
        return self.owner


Selected: TypeAlias = Any
"""An element, or a `SelectedValue`."""


class Selection:
    """An expression that selects elements, texts and attributes of a document.

    ``attribute`` is the name that the last step asks for, if it is ``@name`` alone and not that of nodes of any depth
    (``//@name``); `owners` then gives the elements that have it or could have it.
    """

    __slots__ = ("attribute", "expression", "is_context", "nodes", "owners")

    expression: Expression
    nodes: Callable[[Environment], list[Selected]]
    """The nodes, in document order, each once."""
    owners: Callable[[Environment], list[etree._Element]] | None
    """The elements before the last step; None unless that is ``@name``."""
    attribute: str | None
    is_context: bool
    """Whether it is ``.``: the context node, whichever it is."""

    def __init__(self, expression: Expression, namespaces: Mapping[str, str]) -> None:
        self.expression = expression
        syntax = expression.syntax
        self.is_context = isinstance(syntax, Path) and syntax.is_context
        self.nodes = self._compiled(syntax, namespaces)
        self.owners, self.attribute = None, None
        if isinstance(syntax, Path) and len(syntax.steps) > 0:
            *before, last = syntax.steps
            test = last.test
            named = last.axis is Axis.ATTRIBUTE and not last.predicates and isinstance(test, NameTest)
            if named and before[-1:] != [_ANY_DEPTH]:
                assert isinstance(test, NameTest)
                self.attribute = test.name
                if self.attribute is not None:
                    self.owners = self._owners(Path(syntax.start, tuple(before), syntax.at), namespaces)

    def _owners(
        self, path: Path, namespaces: Mapping[str, str]
    ) -> Callable[[Environment], list[etree._Element]]:
        if not path.steps and path.start in (None, Start.CURRENT):
            if self.expression.node is NodeKind.ELEMENT:
                return _context_alone
            return lambda environment: []
        if not path.steps:
            if path.start is Start.ROOT:
                return lambda environment: []  # the document node has no attributes
            assert not isinstance(path.start, Start) and path.start is not None
            return self._compiled(path.start, namespaces)
        return self._compiled(path, namespaces)

    def _compiled(
        self, syntax: Syntax, namespaces: Mapping[str, str]
    ) -> Callable[[Environment], list[Selected]]:
        expression = self.expression
        if isinstance(syntax, Path) and syntax.is_context and expression.node is NodeKind.ELEMENT:
            return _context_alone
        closures = Closures(in_tree(expression.node, Scope.LIVE), expression.kinds, namespaces)
        nodes = closures.nodes(syntax, outer_focus(expression.node))
        return lambda environment: [_selected(node) for node in nodes(environment) if type(node) is not Root]

    @property
    def gives_values(self) -> bool:
        """Whether it can only give texts and attributes, no elements."""
        syntax = self.expression.syntax
        if not isinstance(syntax, Path) or not syntax.steps:
            return False
        if self.is_context:
            return self.expression.node is not NodeKind.ELEMENT
        last = syntax.steps[-1]
        return last.axis is Axis.ATTRIBUTE or last.test is NodeTest.TEXT

    def places(self, context: Locations, of_variables: Mapping[str, Locations]) -> Locations:
        """Where the nodes can be, if the context node is there."""
        found = self.expression.places(context, of_variables)
        assert found is not None
        return found

    def __repr__(self) -> str:
        return f"Selection({self.expression.text!r})"


def _selected(node: Node) -> Selected:
    if type(node) is Attribute:
        return SelectedValue(node.parent, node.name, is_tail=False, text=node.text)
    if type(node) is Text:
        owner = node.parent if node.before is None else node.before
        return SelectedValue(owner, None, is_tail=node.before is not None, text=node.text)
    return node


def _context_alone(environment: Environment) -> list[Selected]:
    return [environment.element]


def compile_selection(
    text: str, *, namespaces: Mapping[str, str] | None = None, variables: Known | None = None,
    node: NodeKind = NodeKind.ELEMENT,
) -> Selection:  # fmt: skip
    """A selection; arguments and errors as for `compile_expression`, beside which expressions are refused that give no
    nodes of the document, or nothing but the document node.

    >>> prices = compile_selection("item/price")
    >>> order = etree.fromstring("<order><item><price>3</price></item><item><price>4</price></item></order>")
    >>> [price.text for price in prices.nodes(Environment(element=order))]
    ['3', '4']
    """
    expression = Expression(text, namespaces or {}, variables or {}, node, Scope.LIVE)
    syntax = expression.syntax
    if expression.result is not VariableKind.NODES and not (isinstance(syntax, Path) and syntax.is_context):
        raise ExpressionError(
            text,
            0,
            len(text),
            "a target that selects no nodes",
            "write a path, such as item/price or @status",
        )
    if expression.places(frozenset({()}), {}) is None:
        raise ExpressionError(
            text, 0, len(text), "a target in a reference document", "reference documents are not changed (V8)"
        )
    if isinstance(syntax, Path) and syntax.start is Start.ROOT and not _leaves_root(syntax.steps):
        raise ExpressionError(
            text, 0, len(text), "a target that is the document node", "write /* for the root element"
        )
    try:
        return Selection(expression, namespaces or {})
    except ValueError as error:
        raise ExpressionError(text, 0, len(text), f"bad XPath ({error})", "simplify it") from error


def _leaves_root(steps: tuple[Step, ...]) -> bool:
    return any(step.axis is not Axis.SELF or step.test is not NodeTest.NODE for step in steps)


def select(
    text: str, element: etree._Element, *, namespaces: Mapping[str, str] | None = None
) -> list[etree._Element]:
    """The elements that a path selects from an element, in document order; of text and attributes their elements.

    Names are read as in all expressions: without a prefix they are in the default namespace (``""``). Raises
    `ExpressionError` for what is wrong, and for an expression whose value is no nodes.

    >>> order = etree.fromstring("<order><item/><item id='b'/></order>")
    >>> [item.attrib for item in select("item[@id]", order)]
    [{'id': 'b'}]
    """
    given = namespaces or {}
    syntax = parse(text, given)
    check(text, syntax, NodeKind.ELEMENT, {})
    focus = outer_focus(NodeKind.ELEMENT)
    if kind_of(syntax, focus, {}) is not VariableKind.NODES:
        raise ExpressionError(text, 0, len(text), "this selects no nodes", "write a path, such as item[2]")
    nodes = Closures(in_tree(NodeKind.ELEMENT, Scope.DOCUMENT), {}, given).nodes(syntax, focus)
    found = [
        one.parent if isinstance(one, (Text, Attribute)) else one
        for one in nodes(Environment(element=element))
    ]
    return [one for one in dict.fromkeys(found) if not isinstance(one, Root)]
