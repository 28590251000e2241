"""The paths in conditions and filters against a schema: names that nothing they look at can have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from path_types import Step as PathStep

from ..suggestions import did_you_mean
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


class UnknownName(NamedTuple):
    """A name in an expression that cannot be where the path looks for it."""

    message: str
    hint: str
    at: Span


def unknown_names(
    expression: str, namespaces: Mapping[str, str], vocabulary: Vocabulary, context: States, *, is_root: bool
) -> Iterator[UnknownName]:
    """The names in an expression that no valid document has there.

    ``context`` are the declarations of the context node, ``is_root`` says that it is the root of all that is seen. The
    expression has been checked before.
    """
    roots = context if is_root else frozenset(vocabulary.schema.roots)
    yield from _Walk(vocabulary, roots).expression(parse(expression, namespaces), context)


class _Walk:
    """Walks an expression with the declarations that its context node can have."""

    def __init__(self, vocabulary: Vocabulary, roots: States) -> None:
        self.vocabulary = vocabulary
        self.roots = roots

    def expression(self, syntax: Syntax, context: States) -> Iterator[UnknownName]:
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
                    yield from self.expression(predicate, None)
            case Literal() | Number() | Variable():
                return

    def _path(self, path: Path, context: States) -> Iterator[UnknownName]:
        at_document = path.start is Root.ROOT  # above the root element
        states = context
        if isinstance(path.start, Root):
            states = self.roots
        elif path.start is not None:
            yield from self.expression(path.start, context)
            states = None
        for step in path.steps:
            wrong = self._wrong(step, states, at_document, path.at)
            if wrong is not None:
                yield wrong
                return
            states = self._after(step, states, at_document)
            at_document = at_document and step.axis is Axis.SELF
            for predicate in step.predicates:
                yield from self.expression(predicate, states)

    def _after(self, step: Step, states: States, at_document: bool) -> States:
        """The declarations of the elements that a step leads to; none if it leads to texts or attributes."""
        if step.test is NodeTest.TEXT or step.axis is Axis.ATTRIBUTE:
            return frozenset()
        if states is None:
            return None
        reached: States
        if step.axis is Axis.SELF:
            reached = states
        elif step.axis is Axis.CHILD:
            reached = states if at_document else self.vocabulary.children(states)
        elif step.axis in (Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF):
            reached = self.vocabulary.inside(states)
            if reached is not None and (step.axis is Axis.DESCENDANT_OR_SELF or at_document):
                reached |= states
        else:
            return None
        if reached is None or not isinstance(step.test, NameTest):
            return reached
        return frozenset(index for index in reached if _is_called(step.test, self._name(index)))

    def _wrong(self, step: Step, states: States, at_document: bool, at: Span) -> UnknownName | None:
        test = step.test
        if not isinstance(test, NameTest) or test.local is None or test.uri is None:
            return None
        name = f"{{{test.uri}}}{test.local}" if test.uri else test.local
        if step.axis is Axis.ATTRIBUTE:
            return self._wrong_attribute(name, states, at)
        if states is not None and not at_document and step.axis is Axis.CHILD:
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
            reached = self._after(step, states, at_document)
            if reached or (reached is None and self.vocabulary.has_element(name)):
                return None
            known = [declaration.name for declaration in self.vocabulary.schema.declarations]
            where = f"no element {test.local} can be there"
        return UnknownName(where, did_you_mean(test.local, map(local, known)), at)

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
        return UnknownName(where, did_you_mean(local(name), known), at)

    def _name(self, index: int) -> str:
        return self.vocabulary.schema.declarations[index].name

    def _called(self, states: States) -> list[str]:
        return sorted({local(self._name(index)) for index in states or ()})


def _is_called(test: NameTest, name: str) -> bool:
    uri = name[1:].partition("}")[0] if name.startswith("{") else ""
    return test.uri in (None, uri) and test.local in (None, local(name))
