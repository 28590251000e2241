"""Nodes as functions: location paths, unions, predicates of nodes, and what asks nodes for more than their texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Generic

from path_types.names import clark_name, local_name, name_parts, namespace_of

from ..language import PREDECLARED
from .axes import REVERSE, attribute_texts, named, step_function
from .checking import Focus
from .closure_forms import S, Selection, Texts, Truths, Values
from .kinds import VariableKind, Variables
from .lxml_nodes import LxmlNodes
from .nodes import Document, Node, Source, in_document_order, name_of, parent_of, root_of, string_value
from .nodes import Root as RootNode
from .paths import NodeSelection, from_top, strides
from .sight import Sight, View, nodes_of
from .syntax import Axis, Filter, Path, Root, Step, Syntax, Union, Variable
from .values import Value

REFERENCE = LxmlNodes(bounded=True)
"""Reference documents: their root elements are the tops."""


class NodeClosures(Generic[S]):
    """Makes functions of the parts of a checked expression that give nodes, or look at them; ``namespaces`` are for the
    names that it gives."""

    def __init__(self, sight: Sight[S], variables: Variables, namespaces: Mapping[str, str]) -> None:
        self._sight = sight
        self._variables = variables
        self._namespaces = namespaces

    @abstractmethod
    def string(self, syntax: Syntax, focus: Focus) -> Texts[S]:
        """The expression as a string."""

    @abstractmethod
    def _selections(
        self, source: Source | None, predicates: Sequence[Syntax], focus: Focus
    ) -> Sequence[Selection[Any]]:
        """What predicates keep of nodes of a source, or of values."""

    def nodes(self, syntax: Syntax, focus: Focus) -> Callable[[S], Sequence[Node]]:
        """The expression, which gives nodes, as these nodes, in document order."""
        match syntax:
            case Path() if syntax.is_context and focus is Focus.OWN:
                node = self._view.node
                return lambda subject: (node(subject),)
            case Path():
                path = self._from_top(syntax, focus)
                assert isinstance(path, Path)
                return self._path(path, focus)
            case Variable(name):
                return self._variable_nodes(name)
            case Filter(operand, predicates):
                source, document = self._seen_by(operand)
                nodes, selections = (
                    self.nodes(operand, focus),
                    self._selections(source, predicates, Focus.NODE),
                )
                return _after_all(nodes, document, selections)
            case Union(operands):
                source, document = self._seen_by(syntax)
                parts = [self.nodes(operand, focus) for operand in operands]
                return lambda subject: in_document_order(
                    source, document(subject), [node for part in parts for node in part(subject)]
                )
        raise TypeError(f"{syntax} gives no nodes")

    @property
    def _view(self) -> View[S]:
        assert self._sight.view is not None
        return self._sight.view

    @property
    def _current(self) -> View[S]:
        return self._sight.current or self._view

    def _seen_by(self, syntax: Syntax) -> tuple[Source, Callable[[S], Document]]:
        """By which source the nodes of an expression are known, and what it looks at."""
        match syntax:
            case Variable(name) if self._variables[name] is VariableKind.NODES:
                return REFERENCE, self._sight.variable(name)
            case Union(operands):
                return self._seen_by(operands[0])
            case Filter(operand):
                return self._seen_by(operand)
            case Path(Root.CURRENT):
                return self._current.source, self._current.document
            case Path(start) if start is not None and not isinstance(start, Root):
                return self._seen_by(start)
        return self._view.source, self._view.document

    def _variable_nodes(self, name: str) -> Callable[[S], Sequence[Node]]:
        kind = self._variables[name]
        if kind is VariableKind.NODES:
            read = self._sight.variable(name)
            return lambda subject: () if (top := read(subject)) is None else (RootNode(top),)
        source, document, environment = self._view.source, self._view.document, self._view.environment
        return lambda subject: nodes_of(kind, name, environment(subject), source, document(subject))

    def _start(self, path: Path, focus: Focus) -> Callable[[S], Sequence[Node]]:
        if not (path.start is None or isinstance(path.start, Root)):
            return self.nodes(path.start, focus)
        node = (self._current if path.start is Root.CURRENT else self._view).node
        if path.start is not Root.ROOT:
            return lambda subject: (node(subject),)
        source, document = self._view.source, self._view.document
        return lambda subject: (root_of(source, document(subject), node(subject)),)

    def _path(self, path: Path, focus: Focus) -> Callable[[S], Sequence[Node]]:
        (source, document), steps = self._seen_by(path), path.steps
        if path.start is None and len(steps) == 1 and _is_plain(steps[0]):
            step, node = step_function(source, steps[0].axis, steps[0].test), self._view.node
            return lambda subject: step(document(subject), node(subject))
        start, selections = self._start(path, focus), partial(self._of_step, source)
        made = strides(source, steps, self._variables, selections, single=self._is_single(path.start))
        return _after_all(start, document, made)

    def _is_single(self, start: Syntax | Root | None) -> bool:
        """Whether a path starts at one node."""
        if isinstance(start, Variable):
            return self._variables[start.name] is VariableKind.NODES
        return start is None or isinstance(start, Root)

    def _of_step(self, source: Source, step: Step) -> Sequence[NodeSelection]:
        return self._selections(source, step.predicates, Focus.NODE)

    def _from_top(self, syntax: Syntax, focus: Focus) -> Syntax:
        """An absolute path as one from the context node, where that is the top element."""
        view = self._sight.view
        if isinstance(syntax, Path) and syntax.start is Root.ROOT and view is not None and view.at_top:
            steps = from_top(syntax.steps, self._variables)
            return syntax if steps is None else replace(syntax, start=None, steps=steps)
        return syntax

    def _texts(self, syntax: Syntax, focus: Focus) -> Callable[[S], Sequence[str]]:
        """The string-values of nodes."""
        if (texts := self._attribute_texts(syntax, focus)) is not None:
            return texts
        (source, document), nodes = self._seen_by(syntax), self.nodes(syntax, focus)

        def strings(subject: S) -> Sequence[str]:
            seen = document(subject)
            return [string_value(source, seen, node) for node in nodes(subject)]

        return strings

    def _attribute_texts(self, syntax: Syntax, focus: Focus) -> Callable[[S], Sequence[str]] | None:
        """The same of attributes of one name, without making nodes of them; None of others."""
        path = self._from_top(syntax, focus)
        if not (isinstance(path, Path) and path.steps and _is_plain(path.steps[-1])):
            return None
        (source, document), (*above, last) = self._seen_by(path), path.steps
        name = named(last.test)
        if name is None or last.axis is not Axis.ATTRIBUTE:
            return None
        texts = attribute_texts(source, name)
        if not above and path.start is None:
            node = self._view.node
            return lambda subject: texts(document(subject), node(subject))
        if not above:
            return None
        owners = self._path(replace(path, steps=tuple(above)), focus)

        def joined(subject: S) -> Sequence[str]:
            seen = document(subject)
            return [text for owner in owners(subject) for text in texts(seen, owner)]

        return joined

    def first(self, syntax: Syntax, focus: Focus) -> Values[S]:
        """The string-value of the first node; None without one."""
        if (texts := self._attribute_texts(syntax, focus)) is not None:
            return lambda subject: found[0] if (found := texts(subject)) else None
        (source, document), nodes = self._seen_by(syntax), self.nodes(syntax, focus)

        def first(subject: S) -> Value:
            found = nodes(subject)
            return string_value(source, document(subject), found[0]) if found else None

        return first

    def _name(self, function: str, argument: Syntax, focus: Focus) -> Texts[S]:
        """``name``, ``local-name`` and ``namespace-uri`` of the first node."""
        (source, document), nodes = self._seen_by(argument), self.nodes(argument, focus)
        tell = name_function(function, self._namespaces)

        def told(subject: S) -> str:
            found = nodes(subject)
            return tell(name_of(source, document(subject), found[0])) if found else ""

        return told

    def _language(self, argument: Syntax, focus: Focus) -> Truths[S]:
        wanted, view = self.string(argument, focus), self._view
        return lambda subject: is_in_language(
            view.source, view.document(subject), view.node(subject), wanted(subject)
        )


def _after_all(
    start: Callable[[S], Sequence[Node]], document: Callable[[S], Document], steps: Sequence[NodeSelection]
) -> Callable[[S], Sequence[Node]]:
    """What is left of the nodes at the start behind all strides, or predicates."""

    def nodes(subject: S) -> Sequence[Node]:
        found, seen = start(subject), document(subject)
        for step in steps:
            found = step(subject, seen, found)
        return found

    return nodes


def _is_plain(step: Step) -> bool:
    return not step.predicates and step.axis not in REVERSE


LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def name_function(function: str, namespaces: Mapping[str, str]) -> Callable[[str], str]:
    """What ``name``, ``local-name`` or ``namespace-uri`` gives of a name in Clark notation.

    ``name()`` is as the rules write it: the records of a change have no prefixes. Of several prefixes it is the first
    in alphabetical order; none if the namespace is that of names without one.
    """
    if function == "local-name":
        return local_name
    if function == "namespace-uri":
        return namespace_of
    declared = {uri: prefix for prefix, uri in sorted({**PREDECLARED, **namespaces}.items(), reverse=True)}

    def written(name: str) -> str:
        uri, local = name_parts(name)
        if not uri:
            return local
        prefix = declared.get(uri)
        if prefix is None:
            return clark_name(uri, local)
        return f"{prefix}:{local}" if prefix else local

    return written


def is_in_language(source: Source, document: Document, node: Node, wanted: str) -> bool:
    """``lang(wanted)``: whether the nearest ``xml:lang`` is this language or a kind of it."""
    above = node if not isinstance(node, tuple) else parent_of(source, document, node)
    while above is not None:
        language = source.attribute(document, above, LANGUAGE)
        if language is not None:
            same = _small(language[: len(wanted)]) == _small(wanted)
            return same and language[len(wanted) :][:1] in ("", "-")
        above = source.parent(document, above)
    return False


def _small(text: str) -> str:
    return text.translate(_SMALL)


_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)
