"""The paths in conditions and filters against a schema: names that nothing they look at can have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from path_types import Step as PathStep
from path_types.names import namespace_of

from ..suggestions import did_you_mean_or_list
from ..xpath.parser import parse
from ..xpath.syntax import (
    Axis,
    Call,
    Filter,
    Literal,
    NameTest,
    Negation,
    NodeTest,
    Number,
    Operation,
    Path,
    Root,
    Span,
    Step,
    Syntax,
    Union,
    Variable,
)
from .model import local
from .vocabulary import Vocabulary

States: TypeAlias = frozenset[int] | None
"""The declarations that an element can be of; None: not known."""

_NONE: States = frozenset()


class Nodes(NamedTuple):
    """Nodes that a path looks at: elements of some declarations, texts and attributes of elements of ``owners``, and
    what the root element stands in (``document``)."""

    elements: States
    owners: States = _NONE
    document: bool = False


class UnknownName(NamedTuple):
    """A name in an expression that cannot be where the path looks for it."""

    message: str
    hint: str
    at: Span


def unknown_names(
    expression: str, namespaces: Mapping[str, str], vocabulary: Vocabulary, context: Nodes, *, is_root: bool
) -> Iterator[UnknownName]:
    """The names in an expression that no valid document has there.

    ``context`` is what the context node can be, ``is_root`` says that it is the root of all that is seen. The
    expression has been checked before.
    """
    roots = context.elements if is_root else frozenset(vocabulary.schema.roots)
    yield from _Walk(vocabulary, roots).expression(parse(expression, namespaces), context)


class _Walk:
    """Walks an expression with the declarations that its context node can have."""

    def __init__(self, vocabulary: Vocabulary, roots: States) -> None:
        self.vocabulary = vocabulary
        self.roots = roots

    def expression(self, syntax: Syntax, context: Nodes) -> Iterator[UnknownName]:
        match syntax:
            case Path():
                yield from self._path(syntax, context)
            case Call():
                for argument in syntax.arguments:
                    yield from self.expression(argument, context)
            case Negation():
                yield from self.expression(syntax.operand, context)
            case Operation():
                yield from self.expression(syntax.first, context)
                for _, operand in syntax.rest:
                    yield from self.expression(operand, context)
            case Union():
                for operand in syntax.operands:
                    yield from self.expression(operand, context)
            case Filter():
                yield from self.expression(syntax.operand, context)
                for predicate in syntax.predicates:
                    yield from self.expression(predicate, _ANYTHING)
            case Literal() | Number() | Variable():
                return

    def _path(self, path: Path, context: Nodes) -> Iterator[UnknownName]:
        nodes = context
        if isinstance(path.start, Root):
            nodes = Nodes(_NONE, _NONE, document=True)
        elif path.start is not None:
            yield from self.expression(path.start, context)
            nodes = _ANYTHING
        for step in path.steps:
            wrong = self._wrong(step, nodes, path.at)
            if wrong is not None:
                yield wrong
                return
            nodes = self._after(step, nodes)
            for predicate in step.predicates:
                yield from self.expression(predicate, nodes)

    def _after(self, step: Step, nodes: Nodes) -> Nodes:
        """What a step leads to."""
        reached = self._reached(step.axis, nodes)
        if step.axis is Axis.ATTRIBUTE or step.test is NodeTest.TEXT:
            return Nodes(_NONE, self._having(step, reached.owners))
        if not isinstance(step.test, NameTest):
            return reached
        test, elements = step.test, reached.elements
        if elements is not None:
            elements = frozenset(index for index in elements if _is_called(test, self._name(index)))
        return Nodes(elements)

    def _having(self, step: Step, owners: States) -> States:
        """Those that have such an attribute."""
        test = step.test
        if owners is None or not isinstance(test, NameTest) or test.name is None:
            return owners
        wanted = PathStep.attribute(test.name)
        return frozenset(index for index in owners if self.vocabulary.has(index, wanted))

    def _reached(self, axis: Axis, nodes: Nodes) -> Nodes:
        """All that is on an axis."""
        elements, owners, document = nodes
        vocabulary = self.vocabulary
        if axis is Axis.SELF:
            return nodes
        if axis is Axis.ATTRIBUTE:
            return Nodes(_NONE, elements)
        if axis is Axis.CHILD:
            children = _known(vocabulary.children, elements)
            return Nodes(_joined(children, self.roots if document else _NONE), elements)
        if axis in (Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF):
            tops = _joined(elements, self.roots if document else _NONE)
            inside = _joined(_known(vocabulary.inside, tops), self.roots if document else _NONE)
            if axis is Axis.DESCENDANT:
                return Nodes(inside, _joined(inside, elements))
            return Nodes(_joined(inside, elements), _joined(_joined(inside, elements), owners), document)
        if axis in (Axis.FOLLOWING, Axis.PRECEDING):
            return _ANYTHING
        is_top = elements is None or self.roots is None or bool(elements & self.roots)
        above = _joined(_known(vocabulary.parents, elements), owners)
        if axis is Axis.PARENT:
            return Nodes(above, _NONE, is_top)
        if axis in (Axis.FOLLOWING_SIBLING, Axis.PRECEDING_SIBLING):
            return Nodes(_known(vocabulary.children, above), above)
        around = _joined(above, _known(vocabulary.around, above))
        if axis is Axis.ANCESTOR_OR_SELF:
            return Nodes(_joined(around, elements), owners, document=True)
        return Nodes(around, _NONE, document=True)

    def _wrong(self, step: Step, nodes: Nodes, at: Span) -> UnknownName | None:
        test = step.test
        if not isinstance(test, NameTest) or test.local is None or test.name is None:
            return None
        name = test.name
        states = nodes.elements
        if step.axis is Axis.ATTRIBUTE:
            return self._wrong_attribute(name, states, at)
        if states is not None and not nodes.document and step.axis is Axis.CHILD:
            possible = self.vocabulary.follow(states, PathStep.element(name))
            if possible is None or possible:
                return None
            known = [self._name(index) for index in self.vocabulary.children(states) or ()]
            parents = self._called(states)
            if len(parents) == 1:
                where = f"{parents[0]} has no child element {test.local}"
            else:
                where = f"no element {test.local} can be there"
        else:
            reached = self._after(step, nodes).elements
            if reached or (reached is None and self.vocabulary.has_element(name)):
                return None
            among = self._reached(step.axis, nodes).elements
            declarations = self.vocabulary.schema.declarations
            known = [declarations[index].name for index in among or range(len(declarations))]
            where = f"no element {test.local} can be there"
        return UnknownName(where, did_you_mean_or_list(test.local, map(local, known)), at)

    def _wrong_attribute(self, name: str, states: States, at: Span) -> UnknownName | None:
        everywhere = range(len(self.vocabulary.schema.declarations))
        among = everywhere if states is None else states
        if states is None and self.vocabulary.is_open:
            return None
        if any(self.vocabulary.has(index, PathStep.attribute(name)) for index in among):
            return None
        contents = [c for index in among for c in self.vocabulary.schema.declarations[index].contents()]
        known = [local(attribute.name) for content in contents for attribute in content.attributes]
        parents = self._called(states)
        where = (
            f"{parents[0]} has no attribute {local(name)}"
            if len(parents) == 1
            else f"no attribute {local(name)} can be there"
        )
        return UnknownName(where, did_you_mean_or_list(local(name), known), at)

    def _name(self, index: int) -> str:
        return self.vocabulary.schema.declarations[index].name

    def _called(self, states: States) -> list[str]:
        return sorted({local(self._name(index)) for index in states or ()})


_ANYTHING = Nodes(None, None, document=True)


def _joined(first: States, second: States) -> States:
    return None if first is None or second is None else first | second


def _known(following: Callable[[frozenset[int]], States], states: States) -> States:
    return None if states is None else following(states)


def _is_called(test: NameTest, name: str) -> bool:
    return test.uri in (None, namespace_of(name)) and test.local in (None, local(name))
