"""Conditions and filters: names that nothing they look at can have, values that it never has, falsehoods."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from path_types import Step as PathStep
from path_types.names import local_name as local
from path_types.names import namespace_of

from ..suggestions import did_you_mean_or_list
from ..xpath.parser import Written, parse_written
from ..xpath.syntax import (
    Axis,
    Call,
    Filter,
    NameTest,
    NodeTest,
    Operation,
    Path,
    Root,
    Span,
    Step,
    Syntax,
    Union,
    Variable,
    same_focus,
    variables_in,
)
from .constant import falsehood
from .ground import Kinds, Names, States
from .values import Never, Values, Variables, any_of, asked_in_vain, never_true, of_variables, value_of
from .written import WrittenText, written_text

_NONE: States = frozenset()


class Nodes(NamedTuple):
    """Nodes that a path looks at: elements of some declarations, texts and attributes of elements of ``owners``, and
    what the root element is in (``document``). ``inner`` is which text or attribute of the owners, None: any."""

    elements: States
    owners: States = _NONE
    document: bool = False
    inner: PathStep | None = None


class Misfit(NamedTuple):
    """A name in an expression that cannot be where the path looks for it, or (``of_value``) a value that never is."""

    message: str
    hint: str
    at: Span
    of_value: bool = False


def misfits(
    expression: str,
    namespaces: Mapping[str, str],
    names: Names,
    context: Nodes,
    *,
    is_root: bool,
    variables: Variables,
    documents: Collection[str],
    asks: bool,
) -> Iterator[Misfit]:
    """The names in an expression that no valid document has there, and comparisons with values that none has.

    ``context`` is what the context node can be, ``is_root`` says that it is the root of all that is seen; ``variables``
    are those of which something is known, ``documents`` those that are other documents (V8); ``asks``: whether
    it is a condition. The expression has been checked before.
    """
    roots = context.elements if is_root else names.roots
    written = parse_written(expression, namespaces)
    walk = _Walk(names, roots, written, variables, documents)
    found = list(walk.expression(written.syntax, context))
    yield from found
    part = falsehood(written) if asks and not found else None
    if part is not None:
        yield Misfit(f"{written.of(part)} is never true", "", written.extent(part), of_value=True)


def values_in(
    expression: str, namespaces: Mapping[str, str], names: Names, context: Nodes,
    variables: Variables,
) -> Values | None:  # fmt: skip
    """What is known of the value of an expression, asked of such nodes; arguments as of `misfits`."""
    walk = _walk(expression, namespaces, names, variables)
    return value_of(walk.written.syntax, lambda part: walk.values(part, context))


class Target(NamedTuple):
    """A path in an expression that says where to write (L7): the ``nodes`` it leads to, and how it is ``written``."""

    written: str
    nodes: Nodes


def targets(expression: str, namespaces: Mapping[str, str], names: Names, context: Nodes) -> Iterator[Target]:
    """The paths that an expression consists of, with what they lead to; arguments as of `misfits`."""
    walk = _walk(expression, namespaces, names, {})
    syntax = walk.written.syntax
    for part in syntax.operands if isinstance(syntax, Union) else (syntax,):
        if isinstance(part, Path):
            yield Target(walk.written.of(part), walk.nodes(part, context))


def written_in(
    expression: str, namespaces: Mapping[str, str], names: Names, context: Nodes,
    variables: Variables,
) -> WrittenText | None:  # fmt: skip
    """What is known of the string value of an expression; arguments as of `misfits`."""
    walk = _walk(expression, namespaces, names, variables)
    return written_text(walk.written.syntax, lambda part: walk.values(part, context))


def _walk(expression: str, namespaces: Mapping[str, str], names: Names, variables: Variables) -> _Walk:
    """Through an expression that sees whole documents of the schema, and no other documents."""
    written = parse_written(expression, namespaces)
    return _Walk(names, names.roots, written, variables, ())


class _Walk:
    """Walks an expression with the declarations that its context node can have."""

    def __init__(
        self,
        names: Names,
        roots: States,
        written: Written,
        variables: Variables,
        documents: Collection[str],
    ) -> None:
        self.names = names
        self.roots = roots
        self.written = written
        self.variables = variables
        self.documents = documents
        self.look = of_variables(variables)

    def expression(self, syntax: Syntax, context: Nodes) -> Iterator[Misfit]:
        never = self._never(syntax, context)
        if never is not None:
            yield Misfit(*never, of_value=True)
        match syntax:
            case Path():
                yield from self._path(syntax, context)
            case Filter():
                yield from self.expression(syntax.operand, context)
                for predicate in syntax.predicates:
                    yield from self.expression(predicate, _ANYTHING)
            case _:
                for part in same_focus(syntax):
                    yield from self.expression(part, context)

    def _never(self, syntax: Syntax, context: Nodes) -> Never | None:
        def look(part: Syntax) -> Values | None:
            return self.values(part, context)

        if isinstance(syntax, Operation):
            return never_true(self.written, syntax, look)
        return asked_in_vain(self.written, syntax, look) if isinstance(syntax, Call) else None

    def _path(self, path: Path, context: Nodes) -> Iterator[Misfit]:
        if path.start is not None and not isinstance(path.start, Root):
            yield from self.expression(path.start, context)
            if any(variable.name in self.documents for variable in variables_in(path.start)):
                yield from self._foreign(path)
                return
        nodes = self._start(path, context)
        for step in path.steps:
            wrong = self._wrong(step, nodes, path.at)
            if wrong is not None:
                yield wrong
                return
            nodes = self._after(step, nodes)
            for predicate in step.predicates:
                yield from self.expression(predicate, nodes)

    def _foreign(self, path: Path) -> Iterator[Misfit]:
        """What is asked of another document, of which nothing is known."""
        there = _Walk(Names(), None, self.written, self.variables, self.documents)
        for step in path.steps:
            for predicate in step.predicates:
                yield from there.expression(predicate, _ANYTHING)

    def _start(self, path: Path, context: Nodes) -> Nodes:
        if path.start is None:
            return context
        return Nodes(_NONE, _NONE, document=True) if path.start is Root.ROOT else _ANYTHING

    def values(self, syntax: Syntax, context: Nodes) -> Values | None:
        """What is known of the values of a path, a variable, or several paths."""
        match syntax:
            case Variable() | Call():
                return self.look(syntax)
            case Union():
                parts = [self.values(operand, context) for operand in syntax.operands]
                return None if None in parts else any_of(part for part in parts if part is not None)
            case Path():
                return self._values_of(self.nodes(syntax, context))
        return None

    def nodes(self, path: Path, context: Nodes) -> Nodes:
        """What a path leads to."""
        nodes = self._start(path, context)
        for step in path.steps:
            nodes = self._after(step, nodes)
        return nodes

    def _values_of(self, nodes: Nodes) -> Values | None:
        if nodes.document or nodes.elements is None or nodes.owners is None:
            return None
        found = self.names.contents(nodes.elements)
        if nodes.owners:
            found.append(self.names.values(nodes.owners, nodes.inner))
        return None if None in found or not found else any_of(each for each in found if each is not None)

    def _after(self, step: Step, nodes: Nodes) -> Nodes:
        """What a step leads to."""
        reached = self._reached(step.axis, nodes)
        if step.axis is Axis.SELF and step.test is NodeTest.NODE:
            return nodes
        if step.axis is Axis.ATTRIBUTE or step.test is NodeTest.TEXT:
            return Nodes(_NONE, self._having(step, reached.owners), inner=_inner(step))
        if not isinstance(step.test, NameTest):
            return reached
        test, elements = step.test, reached.elements
        if elements is not None:
            elements = frozenset(index for index in elements if _is_called(test, self._name(index)))
        return Nodes(elements)

    def _having(self, step: Step, owners: States) -> States:
        """Those that have such an attribute."""
        wanted = None if step.test is NodeTest.TEXT else _inner(step)
        if owners is None or wanted is None:
            return owners
        return self._having_all(wanted, owners)

    def _having_all(self, step: PathStep, owners: Kinds) -> Kinds:
        return frozenset(index for index in owners if self.names.has(index, step))

    def _reached(self, axis: Axis, nodes: Nodes) -> Nodes:
        """All that is on an axis."""
        elements, owners, document, _ = nodes
        names = self.names
        if axis is Axis.SELF:
            return nodes
        if axis is Axis.ATTRIBUTE:
            return Nodes(_NONE, elements)
        if axis is Axis.CHILD:
            children = _known(names.children, elements)
            return Nodes(_joined(children, self.roots if document else _NONE), elements)
        if axis in (Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF):
            tops = _joined(elements, self.roots if document else _NONE)
            inside = _joined(_known(names.inside, tops), self.roots if document else _NONE)
            if axis is Axis.DESCENDANT:
                return Nodes(inside, _joined(inside, elements))
            return Nodes(_joined(inside, elements), _joined(_joined(inside, elements), owners), document)
        if axis in (Axis.FOLLOWING, Axis.PRECEDING):
            return _ANYTHING
        is_top = elements is None or self.roots is None or bool(elements & self.roots)
        above = _joined(_known(names.parents, elements), owners)
        if axis is Axis.PARENT:
            return Nodes(above, _NONE, is_top)
        if axis in (Axis.FOLLOWING_SIBLING, Axis.PRECEDING_SIBLING):
            return Nodes(_known(names.children, above), above)
        around = _joined(above, _known(names.around, above))
        if axis is Axis.ANCESTOR_OR_SELF:
            return Nodes(_joined(around, elements), owners, document=True)
        return Nodes(around, _NONE, document=True)

    def _wrong(self, step: Step, nodes: Nodes, at: Span) -> Misfit | None:
        test = step.test
        if not isinstance(test, NameTest) or test.local is None or test.name is None:
            return None
        name = test.name
        states = nodes.elements
        if step.axis is Axis.ATTRIBUTE:
            return self._wrong_attribute(name, states, at)
        if states is not None and not nodes.document and step.axis is Axis.CHILD:
            possible = self.names.follow(states, PathStep.element(name))
            if possible is None or possible:
                return None
            known = [self._name(index) for index in self.names.children(states) or ()]
            parents = self._called(states)
            if len(parents) == 1:
                where = f"{parents[0]} has no child element {test.local}"
            else:
                where = f"no element {test.local} can be there"
        else:
            reached = self._after(step, nodes).elements
            if reached or (reached is None and self.names.has_element(name)):
                return None
            among = self._reached(step.axis, nodes).elements
            known = self.names.names(among or None)
            where = f"no element {test.local} can be there"
        return Misfit(where, did_you_mean_or_list(test.local, map(local, known)), at)

    def _wrong_attribute(self, name: str, states: States, at: Span) -> Misfit | None:
        step = PathStep.attribute(name)
        owners = self.names.having(step) if states is None else self._having_all(step, states)
        if owners is None or owners:
            return None
        known = map(local, self.names.attributes(states))
        parents = self._called(states)
        where = (
            f"{parents[0]} has no attribute {local(name)}"
            if len(parents) == 1
            else f"no attribute {local(name)} can be there"
        )
        return Misfit(where, did_you_mean_or_list(local(name), known), at)

    def _name(self, index: int) -> str:
        return self.names.name(index)

    def _called(self, states: States) -> list[str]:
        return sorted({local(self._name(index)) for index in states or ()})


_ANYTHING = Nodes(None, None, document=True)


def _inner(step: Step) -> PathStep | None:
    """The text or attribute that a step leads to, None if it can be any."""
    test = step.test
    if test is NodeTest.TEXT:
        return PathStep.text()
    if not isinstance(test, NameTest) or test.name is None:
        return None
    return PathStep.attribute(test.name)


def _joined(first: States, second: States) -> States:
    return None if first is None or second is None else first | second


def _known(following: Callable[[frozenset[int]], States], states: States) -> States:
    return None if states is None else following(states)


def _is_called(test: NameTest, name: str) -> bool:
    return test.uri in (None, namespace_of(name)) and test.local in (None, local(name))
