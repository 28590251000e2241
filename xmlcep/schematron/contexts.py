"""Contexts of Schematron rules, which are match patterns of XSLT, as path types and conditions at their elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from path_types import PathType
from path_types import Step as TypeStep

from ..xpath import ExpressionError
from ..xpath.checking import selects_by_place
from ..xpath.parser import Written, parse_written
from ..xpath.syntax import (
    Axis,
    NameTest,
    NodeTest,
    Operation,
    Path,
    Root,
    Step,
    Syntax,
    Union,
    parts_of,
    same_focus,
)
from ..xpath.tokens import TokenKind, tokenize

_ANY_DEPTH = Step(Axis.DESCENDANT_OR_SELF, NodeTest.NODE)


class Place(NamedTuple):
    """The nodes that one path of a context means.

    They are elements of this path type at which the ``conditions`` hold, or their attribute ``of``. ``whole`` is what
    tells these nodes from others of the same ``key``, with all that the path type says.
    """

    path: PathType
    of: str
    conditions: tuple[str, ...]
    whole: tuple[str, ...]
    key: tuple[str, str]


class _Link(NamedTuple):
    """A step, and whether it may be at any depth below the one before."""

    step: Step
    deep: bool


def places_of(context: str, namespaces: Mapping[str, str]) -> Iterator[Place]:
    """What a context means, path by path; raises `ExpressionError` for what has no name, or asks for places."""
    written = parse_written(context, namespaces)
    syntax = written.syntax
    for path in syntax.operands if isinstance(syntax, Union) else (syntax,):
        if not isinstance(path, Path) or not (path.start is None or path.start is Root.ROOT):
            raise _refused(
                written, path, "a context that is not a path", "write the element's name: order/item"
            )
        yield _Reader(written, path, namespaces).place()


def _refused(written: Written, at: Syntax, problem: str, hint: str) -> ExpressionError:
    return ExpressionError(written.text, at.at.start, at.at.width, problem, hint)


class _Reader:
    def __init__(self, written: Written, path: Path, namespaces: Mapping[str, str]) -> None:
        self._written = written
        self._path = path
        self._prefixes = {uri: prefix for prefix, uri in namespaces.items()}
        self._links: list[_Link] = []
        deep = False
        for step in path.steps:
            if step != _ANY_DEPTH:
                self._links.append(_Link(step, deep))
            deep = step == _ANY_DEPTH

    def place(self) -> Place:
        links, attribute, own = self._links, "", ""
        if links and links[-1].step.axis is Axis.ATTRIBUTE:
            step, deep = links.pop()
            attribute, own = f"@{self._name(step)}", self._predicates(step)
            if any(_is_current(part) for each in step.predicates for part in parts_of(each)):
                raise self._refused("current() in a context of attributes", "name the element")
            links = [] if deep else links
        if not links:
            raise self._refused("a context without an element's name", "name the elements: order | item")
        for link in links:
            if link.step.axis is not Axis.CHILD:
                raise self._refused("a step that no context has", "a context has names, / and //")
        name = self._name(links[-1].step)
        own_conditions = [
            f"({self._written.of(each)})" if isinstance(each, Operation) else self._written.of(each)
            for each in self._checked(links[-1].step)
        ]
        own_conditions += [f"{attribute}{own}"] if attribute else []
        first = self._first_plain()
        above = self._above()
        steps = [TypeStep.element(self._test(link.step)) for link in links[first:]]
        absolute = first == 0 and self._path.start is Root.ROOT and not links[0].deep
        return Place(
            PathType.of(absolute, steps), attribute, (*(above if first else ()), *own_conditions),
            (*above, *own_conditions), (name, attribute),
        )  # fmt: skip

    def _refused(self, problem: str, hint: str) -> ExpressionError:
        return _refused(self._written, self._path, problem, hint)

    def _first_plain(self) -> int:
        """The first of the steps that the path type has: no predicates and no gaps between them."""
        first = len(self._links) - 1
        while first > 0 and not self._links[first].deep and not self._links[first - 1].step.predicates:
            first -= 1
        return first

    def _above(self) -> tuple[str, ...]:
        """What has to be above the element, as a condition."""
        links = self._links
        top = self._path.start is Root.ROOT and not links[0].deep
        steps = []
        for link, (above, _) in zip(links[:0:-1], links[-2::-1], strict=False):
            axis = "ancestor" if link.deep else "parent"
            steps.append(f"{axis}::{self._name(above)}{self._predicates(above)}")
        if not steps:
            return ("not(parent::*)",) if top else ()
        return (f"{'/'.join(steps)}{'[not(parent::*)]' if top else ''}",)

    def _predicates(self, step: Step) -> str:
        return "".join(f"[{self._written.of(each)}]" for each in self._checked(step))

    def _checked(self, step: Step) -> tuple[Syntax, ...]:
        for predicate in step.predicates:
            if selects_by_place(predicate, {}):
                raise _refused(
                    self._written,
                    predicate,
                    "a place in a context",
                    "write count(preceding-sibling::item) = 0",
                )
        return step.predicates

    def _test(self, step: Step) -> str:
        name = step.test.name if isinstance(step.test, NameTest) else None
        if name is None:
            raise self._refused("a context of nodes without a name", "name them: order | item")
        return name

    def _name(self, step: Step) -> str:
        """The name as expressions write it."""
        self._test(step)
        assert isinstance(step.test, NameTest)
        uri, local = step.test.uri, step.test.local
        return f"{self._prefixes[uri]}:{local}" if uri else str(local)


def from_there(text: str, there: str, namespaces: Mapping[str, str]) -> str:
    """An expression that is asked elsewhere as one of this place; ``there`` leads to its context node: ``/`` to the
    root, ``@id`` to an attribute, ``current()`` from brackets to the node that the whole expression is asked of."""
    parts, at = [], 0
    for path in sorted(_starts(parse_written(text, namespaces).syntax), key=lambda each: each.at.start):
        start, width = path.at
        parts.append(text[at:start])
        written = text[start : start + width]
        at = start + width
        if path.start is Root.CURRENT:
            at = text.index(")", at) + 1
            parts.append({"/": "(/)", "current()": "current()"}.get(there, f"current()/{there}"))
        elif path.is_context and (written == "." or text[at:].lstrip().startswith("(")):
            at = at if written == "." else text.index(")", at)
            parts.append(there if written == "." else f"{text[start:at]}{there}")
        else:
            parts.append(f"{there.rstrip('/')}/{written}")
    return "".join([*parts, text[at:]])


def _starts(syntax: Syntax) -> Iterator[Path]:
    """The paths that start at the context node of an expression: in brackets those from ``current()``."""
    yield from _from_context(syntax)
    for part in parts_of(syntax):
        if isinstance(part, Path) and _is_current(part):
            yield part


def _is_current(syntax: Syntax) -> bool:
    return isinstance(syntax, Path) and syntax.start is Root.CURRENT


def _from_context(syntax: Syntax) -> Iterator[Path]:
    if isinstance(syntax, Path) and syntax.start is None:
        yield syntax
    for part in same_focus(syntax):
        yield from _from_context(part)


def with_variables(text: str, variables: Mapping[str, str]) -> str:
    """An expression with variables replaced by what they are."""
    parts, at = [], 0
    for token in tokenize(text):
        if token.kind is TokenKind.VARIABLE and token.text[1:] in variables:
            parts += [text[at : token.start], f"({variables[token.text[1:]]})"]
            at = token.end
    return "".join([*parts, text[at:]])
