"""Location paths that only lead down, step by step, followed in tables of nodes instead of an lxml tree.

Such are ``price``, ``@id``, ``price/vat``, ``text()``, ``*/@currency`` and ``.``: without predicates and ``//``. What
they lead to is asked for its texts only, so attributes and text nodes are their texts here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

from path_types.names import namespace_of

from .checking import Focus, focus_in, kind_of, same_focus
from .functions import FUNCTIONS, Parameter
from .kinds import VariableKind, Variables
from .syntax import Axis, Call, Filter, NameTest, NodeTest, Path, Step, Syntax, Union, Variable

S = TypeVar("S")


class Tables(Protocol):
    """A document as tables of its nodes, by id; names are in Clark notation."""

    @property
    def names(self) -> Mapping[int, str]:
        """Of elements."""

    @property
    def children(self) -> Mapping[int, Collection[int]]:
        """Of each element the elements and text nodes in it, in their order as far as anybody has use for it."""

    @property
    def texts(self) -> Mapping[int, str]:
        """Of text nodes. Those that stand side by side are one to XPath, those without text are none."""

    @property
    def values(self) -> Mapping[int, Mapping[str, str]]:
        """Of the attributes of an element, by name."""


Place: TypeAlias = tuple[Tables, int]
"""An element in tables."""
_Placed: TypeAlias = Callable[[S], Place]
_Elements: TypeAlias = Callable[[Tables, int], Sequence[int]]


# -- what can be followed -----------------------------------------------------------------------------------------


def is_in_tables(syntax: Syntax, focus: Focus, variables: Variables) -> bool:
    """Whether a checked expression asks nothing of nodes but the texts of those that such paths lead to."""
    match syntax:
        case Path():
            own = syntax.is_context and focus is not Focus.NODE
            return own or (focus is Focus.NODE and syntax.start is None and leads_down(syntax.steps))
        case Variable(name):
            kind = variables[name]
            return not (kind is VariableKind.NODES or kind.is_of_document)
        case Union():
            return False
        case Filter(operand, predicates):
            kind = kind_of(operand, focus, variables)
            return (
                kind is not VariableKind.NODES
                and all(is_in_tables(predicate, focus_in(kind), variables) for predicate in predicates)
                and is_in_tables(operand, focus, variables)
            )
        case Call(name):
            if name == "lang" or Parameter.NODES in FUNCTIONS[name].parameters:
                return False
    return all(is_in_tables(part, focus, variables) for part in same_focus(syntax))


def leads_down(steps: Sequence[Step]) -> bool:
    """Whether steps only lead down, from one element or attribute or text node to those right below it."""
    *inner, last = steps
    return all(_leads_to_elements(step) for step in inner) and (
        _leads_to_elements(last)
        or (last.axis is Axis.ATTRIBUTE and not last.predicates and _name(last.test) is not None)
        or last == Step(Axis.CHILD, NodeTest.TEXT)
    )


def _leads_to_elements(step: Step) -> bool:
    if step.predicates:
        return False
    if step.axis is Axis.SELF:
        return step.test is not NodeTest.TEXT
    return step.axis is Axis.CHILD and isinstance(step.test, NameTest)


def _name(test: NameTest | NodeTest) -> str | None:
    return test.name if isinstance(test, NameTest) else None


# -- following ----------------------------------------------------------------------------------------------------


def texts_at(steps: Sequence[Step], place: _Placed[S]) -> Callable[[S], Sequence[str]]:
    """What gives the texts of the nodes that steps, which lead down, lead to from the place of a subject."""
    *above, last = steps
    name = _name(last.test)
    if last.axis is Axis.ATTRIBUTE:
        assert name is not None
        return _attributes(_elements(above), name, place)
    if last.axis is Axis.CHILD and name is not None:
        return _children(_elements(above), name, place)
    elements = _elements(above if last.test is NodeTest.TEXT else steps)

    def text_nodes(subject: S) -> Sequence[str]:
        tables, node = place(subject)
        return [text for element in elements(tables, node) for text in _text_nodes(tables, element)]

    def strings(subject: S) -> Sequence[str]:
        tables, node = place(subject)
        return [string_value(tables, element) for element in elements(tables, node)]

    return text_nodes if last.test is NodeTest.TEXT else strings


def existence_at(steps: Sequence[Step], place: _Placed[S]) -> Callable[[S], bool]:
    """What says whether there are such nodes, whose texts need not be there."""
    if _leads_to_elements(steps[-1]):
        elements = _elements(steps)
        return lambda subject: bool(elements(*place(subject)))
    texts = texts_at(steps, place)
    return lambda subject: bool(texts(subject))


def _elements(steps: Sequence[Step]) -> _Elements:
    if len(steps) == 1:
        return _step(steps[0])
    walk = [_step(step) for step in steps]

    def follow(tables: Tables, node: int) -> Sequence[int]:
        found: Sequence[int] = (node,)
        for step in walk:
            found = [child for one in found for child in step(tables, one)]
        return found

    return follow if walk else lambda _, node: (node,)


def _step(step: Step) -> _Elements:
    name = _name(step.test)
    if step.axis is Axis.CHILD and name is not None:

        def called_so(tables: Tables, node: int) -> Sequence[int]:
            names = tables.names
            return [child for child in tables.children[node] if names.get(child) == name]

        return called_so
    passes = _test(step.test)
    if step.axis is Axis.SELF:
        return lambda tables, node: (node,) if passes(tables.names[node]) else ()

    def elements(tables: Tables, node: int) -> Sequence[int]:
        names = tables.names
        return [child for child in tables.children[node] if child in names and passes(names[child])]

    return elements


def _test(test: NameTest | NodeTest) -> Callable[[str], bool]:
    """Whether an element of this name passes."""
    if not isinstance(test, NameTest) or (test.local is None and test.uri is None):
        return lambda name: True
    wanted, uri = _name(test), test.uri
    if wanted is None:
        return lambda name: namespace_of(name) == uri
    return lambda name: name == wanted


def _children(above: _Elements, name: str, place: _Placed[S]) -> Callable[[S], Sequence[str]]:
    def texts(subject: S) -> Sequence[str]:
        tables, node = place(subject)
        names, children, strings, found = tables.names, tables.children, tables.texts, []
        for element in above(tables, node):
            for child in children[element]:
                if names.get(child) == name:
                    below = children[child]
                    if len(below) == 1 and (only := next(iter(below))) in strings:  # as mostly
                        found.append(strings[only])
                    else:
                        found.append(string_value(tables, child))
        return found

    return texts


def _attributes(above: _Elements, name: str, place: _Placed[S]) -> Callable[[S], Sequence[str]]:
    def texts(subject: S) -> Sequence[str]:
        tables, node = place(subject)
        of_element = map(tables.values.get, above(tables, node))
        return [values[name] for values in of_element if values is not None and name in values]

    return texts


def string_value(tables: Tables, node: int) -> str:
    """The string-value of an element: all text in it."""
    texts, children = tables.texts, tables.children
    found: list[str] = []
    pending = [iter(children[node])]
    while pending:
        for child in pending[-1]:
            if child not in texts:
                pending.append(iter(children[child]))
                break
            found.append(texts[child])
        else:
            pending.pop()
    return "".join(found)


def _text_nodes(tables: Tables, node: int) -> Iterator[str]:
    """The text nodes of an element, as XPath sees them."""
    run = ""
    for child in tables.children[node]:
        text = tables.texts.get(child)
        if text is not None:
            run += text
        elif run:
            yield run
            run = ""
    if run:
        yield run
