"""The axes and node tests of location paths, over any source of nodes.

A step is a function of the document and a node that gives the nodes on its axis that pass its test, in the order of the
axis: those before a node, and those above it, come the nearest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from path_types.names import namespace_of

from .nodes import Attribute, Document, Node, Root, Source, Text, parent_of
from .syntax import Axis, NameTest, NodeTest, Test

StepFunction: TypeAlias = Callable[[Document, Node], Sequence[Node]]

_MOST = 1_000  # functions that are kept: expressions have few steps that differ

REVERSE = frozenset({Axis.ANCESTOR, Axis.ANCESTOR_OR_SELF, Axis.PRECEDING, Axis.PRECEDING_SIBLING})
"""The axes that lead back: their nodes come in reverse document order."""


@lru_cache(_MOST)
def step_function(source: Source, axis: Axis, test: Test) -> StepFunction:
    """What follows a step without predicates."""
    if axis is Axis.ATTRIBUTE:
        return _attributes(source, test)
    if axis is Axis.CHILD and isinstance(test, NameTest):
        return _child_elements(source, test)
    if axis in (Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF) and isinstance(test, NameTest):
        return _descendant_elements(source, test, itself=axis is Axis.DESCENDANT_OR_SELF)
    passes = _passing(source, test)
    if axis is Axis.SELF:
        return lambda document, node: (node,) if passes(document, node) else ()
    walk = _WALKS[axis]
    if test is NodeTest.NODE:
        return lambda document, node: list(walk(source, document, node))
    return lambda document, node: [each for each in walk(source, document, node) if passes(document, each)]


def named(test: Test) -> str | None:
    """The one name that a test asks for."""
    return test.name if isinstance(test, NameTest) else None


# -- tests --------------------------------------------------------------------------------------------------------


def _passing(source: Source, test: Test) -> Callable[[Document, Node], bool]:
    """Whether a node of an axis of elements passes."""
    if test is NodeTest.NODE:
        return lambda document, node: True
    if test is NodeTest.TEXT:
        return lambda document, node: type(node) is Text
    assert isinstance(test, NameTest)
    accepts = _accepting(test)
    return lambda document, node: not isinstance(node, tuple) and accepts(source.name(document, node))


def _accepting(test: NameTest) -> Callable[[str], bool]:
    uri, wanted = test.uri, test.name
    if wanted is not None:
        return lambda name: name == wanted
    return lambda name: uri is None or namespace_of(name) == uri


# -- steps that are frequent --------------------------------------------------------------------------------------


def _attributes(source: Source, test: Test) -> StepFunction:
    wanted, read, read_one = named(test), source.attributes, source.attribute

    def called_so(document: Document, node: Node) -> Sequence[Node]:
        if isinstance(node, tuple):
            return ()
        value = read_one(document, node, wanted)  # type: ignore[arg-type]
        return () if value is None else (Attribute(node, wanted, value),)  # type: ignore[arg-type]

    if wanted is not None:
        return called_so
    if test is NodeTest.TEXT:
        return lambda document, node: ()
    accepts = _accepting(test) if isinstance(test, NameTest) else lambda name: True

    def all_that_pass(document: Document, node: Node) -> Sequence[Node]:
        if isinstance(node, tuple):
            return ()
        return [Attribute(node, *each) for each in read(document, node).items() if accepts(each[0])]

    return all_that_pass


def _child_elements(source: Source, test: NameTest) -> StepFunction:
    wanted, passes = test.name, _passing(source, test)

    def of_any_name(document: Document, node: Node) -> Sequence[Node]:
        return [child for child in source.elements(document, node) if passes(document, child)]

    inside: StepFunction = of_any_name if wanted is None else source.named(wanted)

    def children(document: Document, node: Node) -> Sequence[Node]:
        if not isinstance(node, tuple):
            return inside(document, node)
        return [node.top] if type(node) is Root and passes(document, node.top) else []

    return children


def _descendant_elements(source: Source, test: NameTest, *, itself: bool) -> StepFunction:
    wanted, passes = test.name, _passing(source, test)
    below = source.below(wanted)

    def descendants(document: Document, node: Node) -> Sequence[Node]:
        above = itself
        if isinstance(node, tuple):
            if type(node) is not Root:
                return ()
            node, above = node.top, True
        found = below(document, node)
        if wanted is None:
            found = [each for each in found if passes(document, each)]
        return [node, *found] if above and passes(document, node) else found

    return descendants


@lru_cache(_MOST)
def attribute_texts(source: Source, name: str) -> Callable[[Document, Node], Sequence[str]]:
    """What gives the value of the attribute of a name, if there is one."""
    read = source.attribute

    def texts(document: Document, node: Node) -> Sequence[str]:
        value = None if isinstance(node, tuple) else read(document, node, name)
        return () if value is None else (value,)

    return texts


# -- any node -----------------------------------------------------------------------------------------------------

_Walk: TypeAlias = Callable[[Source, Document, Node], Iterable[Node]]


def _inside(source: Source, document: Document, node: Node) -> Sequence[Node]:
    """The child nodes of any node."""
    if not isinstance(node, tuple):
        return source.nodes(document, node)
    return (node.top,) if type(node) is Root else ()


def _down(source: Source, document: Document, node: Node) -> Iterator[Node]:
    """A node and all below it, in document order."""
    pending = [node]
    while pending:
        each = pending.pop()
        yield each
        pending += reversed(_inside(source, document, each))


def _below(source: Source, document: Document, node: Node) -> Iterator[Node]:
    walk = _down(source, document, node)
    next(walk)
    return walk


def _parent(source: Source, document: Document, node: Node) -> Sequence[Node]:
    parent = parent_of(source, document, node)
    return () if parent is None else (parent,)


def _above(source: Source, document: Document, node: Node) -> Iterator[Node]:
    while (node := parent_of(source, document, node)) is not None:
        yield node


def _up(source: Source, document: Document, node: Node) -> Iterator[Node]:
    if type(node) is not Root:  # which is nobody's ancestor (U2)
        yield node
        yield from _above(source, document, node)


def _siblings(source: Source, document: Document, node: Node) -> tuple[Sequence[Node], Sequence[Node]]:
    """The nodes before and behind one in the same element."""
    parent = parent_of(source, document, node)
    if parent is None or type(node) is Attribute:
        return (), ()
    siblings = source.nodes(document, parent)
    if node not in siblings:  # a text node without text
        return (), ()
    index = siblings.index(node)
    return siblings[:index], siblings[index + 1 :]


def _after(source: Source, document: Document, node: Node) -> Sequence[Node]:
    return _siblings(source, document, node)[1]


def _before(source: Source, document: Document, node: Node) -> Sequence[Node]:
    return _siblings(source, document, node)[0][::-1]


def _following(source: Source, document: Document, node: Node) -> Iterator[Node]:
    # What is around an attribute is its element, to lxml as well.
    for above in _up(source, document, node.parent if type(node) is Attribute else node):
        for sibling in _after(source, document, above):
            yield from _down(source, document, sibling)


def _preceding(source: Source, document: Document, node: Node) -> Iterator[Node]:
    for above in _up(source, document, node.parent if type(node) is Attribute else node):
        for sibling in _before(source, document, above):
            yield from list(_down(source, document, sibling))[::-1]


_WALKS: dict[Axis, _Walk] = {
    Axis.CHILD: _inside, Axis.DESCENDANT: _below, Axis.DESCENDANT_OR_SELF: _down,
    Axis.PARENT: _parent, Axis.ANCESTOR: _above, Axis.ANCESTOR_OR_SELF: _up, Axis.FOLLOWING: _following,
    Axis.FOLLOWING_SIBLING: _after, Axis.PRECEDING: _preceding, Axis.PRECEDING_SIBLING: _before,
}  # fmt: skip
