"""XPath tests that are true of an element in which there is, by now, enough of what its type demands.

Events wait for parts by name. Where no event can (wildcards, elements inside others of their name, P3) a condition
counts the parts there are, and only those in which there is enough in turn. A test is built as deep as derived events
follow recursive elements; where it would grow long it asks for less, and so is true early.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from ..xpath import ExpressionError, Scope, compile_expression
from . import demands
from .model import (
    Content,
    Declaration,
    DerivedType,
    ElementPart,
    GroupKind,
    Part,
    Schema,
    TextKind,
    Wildcard,
    WildcardPart,
    elements,
    has_elements,
    local,
)
from .naming import XSI, Prefixes

MAX_TEST = 200
"""Characters of the test of one child's inside; a longer one is replaced by one that looks less deep."""

MAX_TYPES = 20
"""Kinds of content that ``xsi:type`` can give one element and that are told apart by it."""

_SHORT = 2_000
"""Conditions up to this many characters are within all limits of expressions."""


class XsiType(Enum):
    """The elements whose ``xsi:type`` is asked for: those with a type that others are derived from."""

    COMPLEX = "complex"
    """Of complex types only: a simple type that is extended once would put a condition on every element of it."""

    ALL = "all"
    NONE = "none"


class Test(NamedTuple):
    """XPath, looked at from the element, ``""`` if nothing is demanded; ``exact``: it asks for all that is demanded."""

    text: str
    exact: bool = True


class Variant(NamedTuple):
    """A content that an element has as long as ``test`` is true; ``type`` is the name of the type."""

    content: Content
    test: str
    type: str


class Enough:
    """Tests for the declarations of one schema; children are looked into ``depth`` levels deep."""

    def __init__(self, schema: Schema, prefixes: Prefixes, depth: int, xsi_type: XsiType) -> None:
        self.schema = schema
        self.prefixes = prefixes
        self.depth = depth
        self.xsi_type = xsi_type
        self._known: dict[tuple[int, int], Test] = {}
        self._models: dict[int, Part | None] = {}

    def types(self, declaration: Declaration) -> tuple[DerivedType, ...]:
        """The types that ``xsi:type`` can name in an element, as far as it is asked for. Abstract ones need one."""
        if declaration.abstract_type or self.xsi_type is XsiType.ALL:
            return declaration.derived
        asked = self.xsi_type is XsiType.COMPLEX and not declaration.simple_type
        return declaration.derived if asked else ()

    def variants(self, declaration: Declaration) -> tuple[Variant, ...]:
        """What else than the declared content an element can have; no two of these tests are true at once."""
        return tuple(
            Variant(each.content, type_test(self.prefixes, [local(each.name)]), local(each.name))
            for each in self.types(declaration)
        )

    def model(self, content: Content) -> Part | None:
        """The simplified content model of a content of the schema."""
        if id(content) not in self._models:
            self._models[id(content)] = demands.simplified(content.model)
        return self._models[id(content)]

    def demands_nothing(self, index: int) -> bool:
        """Whether elements of a declaration are complete as soon as they are inserted."""
        declaration = self.schema.declarations[index]
        if declaration.abstract_type or not self._nothing(declaration, declaration.content):
            return False
        return all(self._nothing(declaration, variant.content) for variant in self.variants(declaration))

    def _nothing(self, declaration: Declaration, content: Content) -> bool:
        if any(attribute.required for attribute in content.attributes):
            return False
        if content.text is TextKind.REQUIRED:
            return declaration.has_default
        part = self.model(content)
        return part is None or part.lower == 0

    def children(self, members: tuple[int, ...], count: int) -> Test:
        """Whether there are ``count`` children of these declarations with enough in them."""
        nodes = self._members(members, self.depth)
        return Test(_at_least(nodes.text, count), nodes.exact)

    def part(self, part: Part, named: Iterable[int]) -> Test:
        """Whether there is enough for a part of a content model that names the children ``named``."""
        names = tuple(dict.fromkeys(self.schema.declarations[index].name for index in named))
        return self._part(part, names, self.depth)

    def present(self, index: int, *, at_any_length: bool) -> Test:
        """Whether there is enough in an element of a declaration, its children looked into as deep as stays short."""
        for levels in range(self.depth, 0, -1):
            test = self.element(index, levels)
            if at_any_length or len(test.text) <= MAX_TEST:
                return test
        return self.element(index, 0)

    def element(self, index: int, depth: int) -> Test:
        """Whether there is enough in an element of a declaration, its children looked into ``depth`` levels deep."""
        known = self._known.get((index, depth))
        if known is None:
            known = self._known[index, depth] = self._element(self.schema.declarations[index], depth)
        return known

    def _element(self, declaration: Declaration, depth: int) -> Test:
        own = self._content(declaration, declaration.content, depth)
        return self._selected(declaration, own, depth)

    def _content(self, declaration: Declaration, content: Content, depth: int) -> Test:
        attributes = [
            f"@{self.prefixes.of_attribute(attribute.name)}"
            for attribute in content.attributes
            if attribute.required
        ]
        inside = self._inside(declaration, content, depth)
        if inside.text and declaration.nillable:
            inside = Test(f"({inside.text} or {nil_test(self.prefixes)})", inside.exact)
        return Test(_and([*attributes, inside.text]), inside.exact)

    def _inside(self, declaration: Declaration, content: Content, depth: int) -> Test:
        if content.text is TextKind.REQUIRED:
            return Test("" if declaration.has_default else "text()")
        part = self.model(content)
        if part is None:
            return Test("")
        names = tuple(dict.fromkeys(self.schema.declarations[index].name for index in elements(part)))
        return self._part(part, names, depth)

    def _selected(self, declaration: Declaration, own: Test, depth: int) -> Test:
        """``own``, the test of the declared content, and those of the others where they demand something else."""
        by_test: dict[Test, list[Variant]] = {}
        for variant in self.variants(declaration):
            by_test.setdefault(self._content(declaration, variant.content, depth), []).append(variant)
        if not declaration.abstract_type:
            by_test.pop(own, None)
        if not by_test and not declaration.abstract_type:
            return own
        if len(by_test) > MAX_TYPES:
            return own._replace(exact=False)
        exact = own.exact and all(test.exact for test in by_test)
        branches = []
        others = []
        for test, variants in by_test.items():
            others.append(either(variants))
            branches.append(_and([f"({others[-1]})", test.text]))
        if not declaration.abstract_type:
            branches.insert(0, _and([f"not({' or '.join(others)})", own.text]))
        return Test(_or(branches), exact)

    # parts of a content model

    def _part(self, part: Part, names: tuple[str, ...], depth: int, times: int = 1) -> Test:
        """``times``: how often the groups around the part have to occur; ``names`` are those of the whole model."""
        times *= part.lower
        if times == 0:
            return Test("")
        if isinstance(part, ElementPart):
            nodes = self._members(part.declarations, depth)
            return Test(_at_least(nodes.text, times), nodes.exact)
        if isinstance(part, WildcardPart):
            return Test(_at_least(self._other(part.wildcard, names), times))
        if part.kind is GroupKind.ALL:
            inner = [self._part(each, names, depth, times) for each in part.parts]
            return Test(_and([test.text for test in inner]), all(test.exact for test in inner))
        if demands.can_be_empty(part):
            return Test("")
        single = [each for each in part.parts if isinstance(each, ElementPart) and each.lower == 1]
        if len(single) == len(part.parts):
            members = tuple(dict.fromkeys(index for each in single for index in each.declarations))
            nodes = self._members(members, depth)
            return Test(_at_least(nodes.text, times), nodes.exact)
        if all(not _is_group(each) and each.lower == 1 for each in part.parts):
            found = [self._nodes(each, names, depth) for each in part.parts]
            text = _at_least(" | ".join(dict.fromkeys(test.text for test in found)), times)
            return Test(text, all(test.exact for test in found))
        # several rounds of a choice between groups are more than counting can tell: one of them has to do
        inner = [self._part(each, names, depth) for each in part.parts]
        return Test(_or([test.text for test in inner]), times == 1 and all(test.exact for test in inner))

    def _nodes(self, part: Part, names: tuple[str, ...], depth: int) -> Test:
        if isinstance(part, WildcardPart):
            return Test(self._other(part.wildcard, names))
        assert isinstance(part, ElementPart)
        return self._members(part.declarations, depth)

    def _members(self, members: tuple[int, ...], depth: int) -> Test:
        """The children of these declarations in which there is enough, as an expression for a node-set."""
        names: dict[str, list[str]] = {}
        exact = True
        for index in members:
            test = self._short(index, depth - 1)
            exact = exact and test.exact
            name = self.prefixes.in_condition(self.schema.declarations[index].name)
            names.setdefault(test.text, []).append(name)
        return Test(" | ".join(_with(dict.fromkeys(same), test) for test, same in names.items()), exact)

    def _short(self, index: int, depth: int) -> Test:
        """The test of a child's inside, as deep as it stays short."""
        for levels in range(depth, -1, -1):
            test = self.element(index, levels)
            if len(test.text) <= MAX_TEST:
                return test
        if depth < 0 or not has_elements(self.schema.declarations[index].content.model):
            return Test("", self.demands_nothing(index))
        return Test("*", False)

    def _other(self, wildcard: Wildcard, names: tuple[str, ...]) -> str:
        """What stands for a wildcard: an element that the model does not name."""
        uris = [f"namespace-uri() = '{uri}'" for uri in wildcard.namespaces]
        tests = []
        if uris:
            joined = " or ".join(uris)
            tests.append(
                f"not({joined})" if wildcard.excluding else joined if len(uris) == 1 else f"({joined})"
            )
        excluded = [
            name for name in (*names, *wildcard.names) if wildcard.admits(name) or name in wildcard.names
        ]
        if excluded:
            tests.append(
                f"not({' or '.join(f'self::{self.prefixes.in_condition(name)}' for name in excluded)})"
            )
        return f"*[{' and '.join(tests)}]" if tests else "*"


def type_test(prefixes: Prefixes, names: Iterable[str]) -> str:
    """Whether ``xsi:type`` names one of these types (local names)."""
    attribute = f"@{prefixes.of_attribute(f'{{{XSI}}}type')}"
    return " or ".join(
        f"{attribute} = '{name}' or substring-after({attribute}, ':') = '{name}'" for name in names
    )


def either(variants: Iterable[Variant]) -> str:
    """Whether an element has one of these."""
    return " or ".join(dict.fromkeys(variant.test for variant in variants))


def can_be_read(condition: str, prefixes: Prefixes) -> bool:
    """Whether a condition is within the limits of expressions when the rules are read."""
    if len(condition) <= _SHORT:
        return True
    try:
        compile_expression(condition, namespaces=prefixes.namespaces, scope=Scope.SUBTREE)
    except ExpressionError:
        return False
    return True


def nil_test(prefixes: Prefixes) -> str:
    """Whether ``xsi:nil`` says that the element has no content."""
    attribute = f"@{prefixes.of_attribute(f'{{{XSI}}}nil')}"
    return f"{attribute} = 'true' or {attribute} = '1'"


def _is_group(part: Part) -> bool:
    return not isinstance(part, (ElementPart, WildcardPart))


def _with(names: Iterable[str], test: str) -> str:
    joined = " | ".join(names)
    if not test:
        return joined
    return f"({joined})[{test}]" if " | " in joined else f"{joined}[{test}]"


def _at_least(nodes: str, count: int) -> str:
    return nodes if count == 1 else f"count({nodes}) >= {count}"


def _and(tests: Iterable[str]) -> str:
    given = list(dict.fromkeys(filter(None, tests)))
    return " and ".join(given) if len(given) < 2 else " and ".join(map(_in_and, given))


def _in_and(test: str) -> str:
    return f"({test})" if " or " in test and not test.startswith("(") else test


def _or(tests: Iterable[str]) -> str:
    given = list(dict.fromkeys(tests))
    if "" in given:
        return ""
    return given[0] if len(given) == 1 else f"({' or '.join(given)})"
