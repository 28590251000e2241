"""The paths that documents of a schema can have, and the nearest of them to one they cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from path_types import Axis, PathType, Step

from ..checking.ground import Mismatch, Names
from ..checking.values import Values, any_of
from ..suggestions import KnownNames
from .bounds import most_children
from .model import Content, Schema, TextKind, Wildcard, elements, local, namespace, wildcards
from .naming import XSI

_ALWAYS = {f"{{{XSI}}}{name}" for name in ("type", "schemaLocation", "noNamespaceSchemaLocation")}
_NIL = f"{{{XSI}}}nil"
_BLANK = Values(lambda text: not text.strip(" \t\r\n"), ("",), (), "without text of its own")


class Vocabulary(Names):
    """Answers which paths a schema allows. Elements that wildcards let in are followed as far as they are known.

    A name that the schema declares is taken for that declaration where a path begins with it, although a wildcard
    may let in others of the name: with a single ``xs:any`` no relative path would be wrong otherwise.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._by_name: dict[str, list[int]] = {}
        self._children: list[dict[str, list[int]]] = []
        for index, declaration in enumerate(schema.declarations):
            self._by_name.setdefault(declaration.name, []).append(index)
            named: dict[str, list[int]] = {}
            for content in declaration.contents():
                for child in elements(content.model):
                    named.setdefault(schema.declarations[child].name, []).append(child)
            self._children.append(named)
        self._wildcards = [
            tuple(
                dict.fromkeys(
                    wildcard for content in declaration.contents() for wildcard in wildcards(content.model)
                )
            )
            for declaration in schema.declarations
        ]

    @property
    def roots(self) -> frozenset[int]:
        """The declarations of root elements."""
        return frozenset(self.schema.roots)

    def name(self, index: int) -> str:
        """The name of the elements of a declaration."""
        return self.schema.declarations[index].name

    def names(self, states: frozenset[int] | None) -> list[str]:
        """The names of these elements; None: of all."""
        return [self.name(index) for index in states or range(len(self.schema.declarations))]

    def attributes(self, states: frozenset[int] | None) -> list[str]:
        """The names of the attributes of these elements; None: of all."""
        among = range(len(self.schema.declarations)) if states is None else states
        contents = [content for index in among for content in self.schema.declarations[index].contents()]
        return [attribute.name for content in contents for attribute in content.attributes]

    def contents(self, states: Iterable[int]) -> list[Values | None]:
        """What such elements can be as texts, each."""
        return [self.schema.declarations[index].values for index in states]

    def most(self, group: PathType, path: PathType) -> int | None:
        """The most nodes at ``path`` that one node at ``group`` has at once; None: no bound, or not known."""
        depth = len(group)
        if group.absolute != path.absolute or group.steps != path.steps[:depth] or len(path) == depth:
            return None
        states: Iterable[int] | None = self.states(group)
        most = 1
        for step in path.steps[depth:]:
            if states is None:
                return None
            if not step.is_element:
                return most if step.axis is Axis.ATTRIBUTE else None  # comments part a text
            found = [most_children(self.schema, self.schema.declarations[at], step.test) for at in states]
            if not found or None in found:
                return None
            most *= max(filter(None, found), default=0)
            states = self.follow(states, step)
        return most

    def allows(self, path: PathType) -> bool:
        """Whether a node of a valid document can have a path that is, or ends with, ``path``."""
        return self._walk(path) is None

    def mismatch(self, path: PathType) -> Mismatch | None:
        """Why no node of a valid document has a path that is or ends with ``path``; None if one can have it."""
        stop = self._walk(path)
        if stop is None:
            return None
        at, states = stop
        return self._dead_end(path, at, states) if at else self._unknown_start(path)

    def _walk(self, path: PathType) -> tuple[int, list[int]] | None:
        """The first step that leads nowhere, and the declarations before it; None if there is none."""
        states = self.starting(path)
        if states is None:
            return None
        if not states:
            return 0, []
        for at in range(1, len(path)):
            following = self.follow(states, path.steps[at])
            if following is None:
                return None
            if not following:
                return at, states
            states = following
        return None

    # walking

    def starting(self, path: PathType) -> list[int] | None:
        """The declarations of a path's first step; None when it cannot be known what it stands for."""
        step = path.steps[0]
        if not step.is_element:
            return self._having(step) or (None if self.is_open else [])
        found = self._by_name.get(step.test, [])
        if path.absolute:
            found = [index for index in found if index in self.schema.roots]
        if not found and not path.absolute and self._let_in(step.test):
            return None
        return found

    def _having(self, step: Step) -> list[int]:
        """Declarations with such an attribute, or with text."""
        return [index for index in range(len(self.schema.declarations)) if self.has(index, step)]

    def having(self, step: Step) -> frozenset[int] | None:
        """The declarations of the elements with such an attribute, or with text; None: not known."""
        return None if self.is_open else frozenset(self._having(step))

    def states(self, path: PathType) -> frozenset[int] | None:
        """The declarations that an element with a path that is, or ends with, ``path`` can be of; None: not known."""
        states = self.starting(path)
        for step in path.steps[1:]:
            states = None if states is None else self.follow(states, step)
        return None if states is None else frozenset(states)

    def children(self, states: Iterable[int]) -> frozenset[int] | None:
        """The declarations of the child elements of such elements; None: not known."""
        among = list(states)
        if any(map(self.lets_in_unknown, among)):
            return None
        return frozenset(child for index in among for child in self.all_children(index))

    def inside(self, states: Iterable[int]) -> frozenset[int] | None:
        """The declarations of all elements inside such elements; None: not known."""
        return _closure(self.children, states)

    def parents(self, states: Iterable[int]) -> frozenset[int] | None:
        """The declarations of the elements that such elements can be in; None: not known."""
        found: set[int] = set()
        for index in states:
            if self.is_open and self.schema.declarations[index].is_global:
                return None
            found.update(self._parents[index])
        return frozenset(found)

    def around(self, states: Iterable[int]) -> frozenset[int] | None:
        """The declarations of all elements around such elements; None: not known."""
        return _closure(self.parents, states)

    @cached_property
    def _parents(self) -> list[set[int]]:
        found: list[set[int]] = [set() for _ in self.schema.declarations]
        for index in range(len(found)):
            for child in self.all_children(index):
                found[child].add(index)
        return found

    def has_element(self, name: str) -> bool:
        """Whether an element of this name can be anywhere."""
        return name in self._by_name or self.is_open

    @property
    def is_open(self) -> bool:
        """Whether wildcards let in elements that the schema does not declare."""
        return any(map(self.lets_in_unknown, range(len(self._wildcards))))

    def follow(self, states: Iterable[int], step: Step) -> list[int] | None:
        """The declarations one step further; None when a wildcard lets in what is not known."""
        if not step.is_element:
            return [index for index in states if self.has(index, step)]
        found: dict[int, None] = {}
        for index in states:
            known, unknown = self.called(index, step.test)
            if unknown:
                return None
            found.update(dict.fromkeys(known))
        return list(found)

    def called(self, index: int, name: str) -> tuple[list[int], bool]:
        """The declarations of its child elements of this name; whether a wildcard lets in others so called."""
        found = list(self._children[index].get(name, ()))
        unknown = False
        for wildcard in self._wildcards[index]:
            if wildcard.admits(name):
                known = self.globals_called(name)
                found += known
                unknown = unknown or wildcard.skip or (not known and not wildcard.strict)
        return found, unknown

    def globals_called(self, name: str) -> list[int]:
        """The global declarations of this name, which stand for a wildcard that admits it."""
        return [index for index in self._by_name.get(name, ()) if self.schema.declarations[index].is_global]

    def is_declared(self, name: str) -> bool:
        """Whether the schema declares elements of this name."""
        return name in self._by_name

    def all_children(self, index: int) -> set[int]:
        """The declarations of the child elements; those that wildcards let in, too."""
        found = {child for children in self._children[index].values() for child in children}
        return found.union(
            child
            for wildcard in self._wildcards[index]
            for child, declaration in enumerate(self.schema.declarations)
            if declaration.is_global and wildcard.admits(declaration.name)
        )

    def lets_in_unknown(self, index: int) -> bool:
        """Whether child elements can be there that the schema does not declare."""
        return any(not wildcard.strict for wildcard in self._wildcards[index])

    def has(self, index: int, step: Step) -> bool:
        """Whether elements of a declaration can have such an attribute, or text."""
        declaration, name = self.schema.declarations[index], step.test
        if step.axis is Axis.CHILD:
            return any(content.text is not TextKind.NONE for content in declaration.contents())
        if namespace(name) == XSI:  # no wildcard is about these
            return name in _ALWAYS or (name == _NIL and declaration.nillable)
        return any(self._has(content, name) for content in declaration.contents())

    def _has(self, content: Content, attribute: str) -> bool:
        return attribute in {each.name for each in content.attributes} or any(
            self._lets_in(wildcard, attribute) for wildcard in content.any_attribute
        )

    def values(self, states: Iterable[int], inner: Step | None) -> Values | None:
        """What the text of such elements can be, or this attribute of theirs; None: not known, or ``inner`` is None."""
        if inner is None:
            return None
        found: list[Values] = []
        for index in states:
            declaration = self.schema.declarations[index]
            if inner.axis is Axis.CHILD:
                given: list[Values | None] = [declaration.values]
            else:
                contents = [content for content in declaration.contents() if self._has(content, inner.test)]
                given = [each.values for c in contents for each in c.attributes if each.name == inner.test]
                if any(inner.test not in {each.name for each in content.attributes} for content in contents):
                    return None  # a wildcard lets it in
            for each in given:
                if each is None:
                    return None
                found.append(each)
        return any_of(found) if found else None

    def to_write(self, states: Iterable[int], inner: Step | None) -> list[Values] | None:
        """What the text of such elements (``inner`` None or a text) or this attribute of theirs can be, written anew;
        None: not known. In an element that has no text of its own it is white space."""
        if inner is not None and inner.axis is not Axis.CHILD:
            found = self.values(states, inner)
            return None if found is None else [found]
        texts = []
        for index in states:
            has_text = self.has(index, Step.text())
            values = self.schema.declarations[index].values if has_text else _BLANK
            if values is None:
                return None
            texts.append(values)
        return texts

    def _lets_in(self, wildcard: Wildcard, attribute: str) -> bool:
        return wildcard.admits(attribute) and (not wildcard.strict or attribute in self.schema.attributes)

    def _let_in(self, name: str) -> bool:
        return any(
            wildcard.admits(name) and not wildcard.strict for found in self._wildcards for wildcard in found
        )

    # explaining

    def _unknown_start(self, path: PathType) -> Mismatch:
        step = path.steps[0]
        if path.absolute and step.is_element:
            names = [self.schema.declarations[index].name for index in self.schema.roots]
            message = f"no document of the schema has the root element {local(step.test)}"
        elif step.is_element:
            names = list(self._by_name)
            message = f"the schema has no element {local(step.test)}"
        else:
            names = self.attributes(None)
            message = f"no element of the schema has {'text' if step.axis is Axis.CHILD else f'an attribute {step}'}"
        relative = path.relative
        near = relative if path.absolute and self.allows(relative) else self._repaired(path, 0, names)
        return Mismatch(0, message, near)

    def _dead_end(self, path: PathType, at: int, states: list[int]) -> Mismatch:
        step, parent = path.steps[at], local(path.steps[at - 1].test)
        if step.is_element:
            names = [name for index in states for name in self._children[index]]
            message = f"{parent} has no child element {local(step.test)}"
        elif step.axis is Axis.CHILD:
            names = []
            message = f"{parent} has no text of its own"
        else:
            names = self.attributes(frozenset(states))
            message = f"{parent} has no attribute {local(step.test)}"
        return Mismatch(at, message, self._repaired(path, at, names) or self._elsewhere(path, at))

    def _repaired(self, path: PathType, at: int, names: Iterable[str]) -> PathType | None:
        """The path with the step replaced by the name most like it, if the rest of it then exists."""
        step = path.steps[at]
        by_local = {local(name): name for name in names}
        found = KnownNames(by_local).nearest(local(step.test))
        if found is None:
            return None
        steps = (*path.steps[:at], Step(step.axis, by_local[found]), *path.steps[at + 1 :])
        repaired = PathType.of(path.absolute, steps)
        if self.allows(repaired):
            return repaired
        return PathType.of(path.absolute, steps[: at + 1]) if steps[at] != step else None

    def _elsewhere(self, path: PathType, at: int) -> PathType | None:
        """The end of the path, where it does exist: under another parent, or as an attribute instead of an element."""
        step = path.steps[at]
        if step.test != "text()":
            other = Step.attribute(step.test) if step.is_element else Step.element(step.test)
            turned = PathType.of(path.absolute, (*path.steps[:at], other))
            if self.allows(turned):
                return turned
        if step.is_element:
            for index, children in enumerate(self._children):
                if step.test in children:
                    return PathType.of(False, [Step.element(self.schema.declarations[index].name), step])
        return PathType.of(path.absolute, path.steps[:at])


def _closure(
    following: Callable[[Iterable[int]], frozenset[int] | None], states: Iterable[int]
) -> frozenset[int] | None:
    """All that these lead to, directly or not; None: not known."""
    found: set[int] = set()
    waiting = list(states)
    while waiting:
        reached = following([waiting.pop()])
        if reached is None:
            return None
        waiting += reached - found
        found |= reached
    return frozenset(found)
