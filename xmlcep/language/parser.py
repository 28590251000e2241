"""Rules texts to event definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from lark import Token, Tree, UnexpectedInput

from path_types.names import is_ncname

from ..algebra import ActiveRule, EventDefinition, Reference, RuleParameter
from ..errors import RuleProblem
from .active_rules import active_rule
from .building import definition
from .declarations import Declaration, declaration, parameter, reference
from .grammar import statement_parser
from .mistakes import report_mistake
from .source import Source
from .statements import comment_above, statements

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
"""A number as the value of a parameter."""
PREDECLARED = MappingProxyType({"xml": XML_NAMESPACE})
"""Prefixes that need no declaration."""


class ParsedRules(NamedTuple):
    """What a rules text says: its event definitions in order, its namespaces (prefix "" for the default), its
    reference documents, its action rules, and its parameters.

    ``unreadable`` has the names of events whose definitions could not be read, so that they are not taken
    for unknown where others use them.
    """

    definitions: tuple[EventDefinition, ...]
    namespaces: dict[str, str]
    unreadable: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    active_rules: tuple[ActiveRule, ...] = ()
    parameters: tuple[RuleParameter, ...] = ()

    @property
    def printed(self) -> Printed:
        """What `print_definitions` takes."""
        return self.definitions, self.namespaces, self.references, self.active_rules, self.parameters


Printed: TypeAlias = tuple[
    tuple[EventDefinition, ...], Mapping[str, str], tuple[Reference, ...], tuple[ActiveRule, ...],
    tuple[RuleParameter, ...],
]  # fmt: skip
"""All that rules say, as those take it who print it."""


class Collected:
    """The statements of one text, one after the other: a second one of a name is reported, and left out.

    A statement that could not be read, of which that has been reported, is added as None.
    """

    def __init__(self, problems: list[RuleProblem]) -> None:
        self._problems = problems
        self._events: dict[str, EventDefinition] = {}
        self._unreadable: list[str] = []
        self._references: dict[str, Reference] = {}
        self._rules: dict[str, ActiveRule] = {}
        self._parameters: dict[str, RuleParameter] = {}
        self._has_rules = False

    def add_event(self, name: str, read: EventDefinition | None) -> None:
        """An event, and the name that is in the text, "" if none does."""
        if read is None:
            self._unreadable.append(name)
        elif (first := self._events.setdefault(read.name, read)) is not read:
            self._problems.append(defined_twice("event", read, first))

    def add_rule(self, read: ActiveRule | None) -> None:
        """An action rule."""
        self._has_rules = True
        if read is not None and (first := self._rules.setdefault(read.name, read)) is not read:
            self._problems.append(defined_twice("rule", read, first))

    def add_reference(self, read: Reference | None) -> None:
        """A reference document; what two files say alike is said once (V8)."""
        if read is not None and (first := self._references.setdefault(read.name, read)) is not read:
            what = f"the reference document {read.name!r}"
            self._add_again(read, first, what, f"{what} is another one in {first.at.file}", "V8")

    def add_parameter(self, read: RuleParameter | None) -> None:
        """A parameter; what two files say alike is said once (V9)."""
        if read is None:
            return
        first = self._references.get(read.name) or self._parameters.setdefault(read.name, read)
        if first is not read:
            other = f"the parameter {read.name!r} has another value in {first.at.file}"
            self._add_again(read, first, f"${read.name}", other, "V9")

    def _add_again(
        self,
        read: Reference | RuleParameter,
        first: Reference | RuleParameter,
        what: str,
        other: str,
        rule: str,
    ) -> None:
        in_a_file = first.at.file == read.at.file or type(first) is not type(read)
        if in_a_file or first != read:
            message, way = (
                (f"{what} is declared twice", "leave one out") if in_a_file else (other, "say the same")
            )
            self._problems.append(RuleProblem(message, f"{way}, or use two names ({rule})", read.at))

    @property
    def is_empty(self) -> bool:
        """Whether there is neither an event nor a rule, and nothing has been said of that."""
        return not (self._events or self._unreadable or self._has_rules or self._problems)

    def parsed(self, namespaces: dict[str, str], *, of_several: bool = False) -> ParsedRules:
        """All of it; rules that are called like an event are reported: a rule gives its name to the event that it is
        triggered by, where that has none of its own (L1). ``of_several``: files, each of which has been read before."""
        for rule in self._rules.values():
            event = self._events.get(rule.name)
            if event is None or (of_several and event.at.file == rule.at.file):
                continue
            message = f"there is an event that is called {rule.name!r}, as this rule is (L1)"
            where = f"it is in {event.at.file}, line {event.at.line}: " if of_several else ""
            self._problems.append(
                RuleProblem(message, f"{where}choose another name for one of them", rule.at)
            )
        return ParsedRules(
            tuple(self._events.values()),
            namespaces,
            tuple(name for name in self._unreadable if name not in self._events and is_ncname(name)),
            tuple(self._references.values()),
            tuple(self._rules.values()),
            tuple(self._parameters.values()),
        )


def defined_twice(
    kind: str, again: EventDefinition | ActiveRule, first: EventDefinition | ActiveRule
) -> RuleProblem:
    """The problem of an event or rule whose name another one has, in this file or one before it."""
    line, file = f"line {first.at.line}", first.at.file
    where = line if file == again.at.file else f"{file}, {line}"
    hint = (
        f"its first definition is in {where}: choose another name" if first.at.line else "choose another name"
    )
    return RuleProblem(f"the {kind} {again.name!r} is defined twice", hint, again.at)


def parse_definitions(text: str, problems: list[RuleProblem], file: str = "") -> ParsedRules:
    """Reads a rules text; what is wrong in it is appended to ``problems`` and left out of the result.

    ``file`` is the name that positions in it get where there are several texts.
    """
    source = Source(text, problems, file)
    parts = [source.part(span.start, span.end) for span in statements(text)]
    trees = [(tree, part) for part in parts if (tree := parse_statement(part)) is not None]
    namespaces = _namespaces([(tree, part) for tree, part in trees if tree.data == "namespace"])
    known = {**PREDECLARED, **namespaces}
    collected = Collected(problems)
    for tree, part in trees:
        if tree.data == "reference":
            collected.add_reference(reference(tree, part))
        elif tree.data == "param":
            collected.add_parameter(parameter(tree, part))
        elif tree.data == "rule" or (tree.data == "unreadable" and _is_rule(part)):
            collected.add_rule(active_rule(tree, known, part) if tree.data == "rule" else None)
        elif tree.data != "namespace":
            read = definition(tree, known, part) if tree.data == "event" else None
            if read is not None:
                read = replace(read, description=comment_above(text, part.start))
            collected.add_event(_event_name(tree), read)
    if collected.is_empty:
        hint = "write event NAME = …, such as: event NewItem = ins(item)"
        source.report(0, 0, "there is no event in these rules", hint)
    return collected.parsed(namespaces)


def _is_rule(part: Source) -> bool:
    """Whether a statement with a syntax mistake would be a rule."""
    return part.text.split(None, 1)[0] == "rule"


def parse_statement(part: Source) -> Tree[Token] | None:
    """The tree of a statement; with a mistake in it a tree "unreadable" with the event's name, or None."""
    try:
        return statement_parser().parse(part.text)
    except UnexpectedInput as error:
        return report_mistake(error, part)


def _event_name(tree: Tree[Token]) -> str:
    return str(next(child for child in tree.children if isinstance(child, Token) and child.type == "NAME"))


def _namespaces(trees: list[tuple[Tree[Token], Source]]) -> dict[str, str]:
    """The declarations of the file; they hold for all of it."""
    namespaces: dict[str, str] = {}
    for tree, part in trees:
        declared = declaration(tree, part)
        if declared is None:
            continue
        wrong = wrong_declaration(declared, namespaces)
        if wrong:
            part.report(declared.start, declared.end, *wrong)
        else:
            namespaces[declared.prefix] = declared.uri
    return namespaces


def wrong_declaration(declared: Declaration, namespaces: dict[str, str]) -> tuple[str, str] | None:
    """What is wrong with a declaration behind those of the file, and what to do; None if it is right."""
    prefix, uri = declared.prefix, declared.uri
    if prefix in namespaces:
        what = f"the prefix {prefix!r}" if prefix else "the namespace of unprefixed names"
        return (
            f"{what} is declared twice",
            "declarations hold for the whole file: leave one out, or use two prefixes",
        )
    if prefix == "xmlns" or (prefix == "xml") != (uri == XML_NAMESPACE):
        return "xml and xmlns are reserved", f"xml is always {XML_NAMESPACE}: choose another prefix"
    if prefix and not uri:
        return (
            f"the prefix {prefix!r} has no namespace",
            "write the namespace's URI, or names without prefix",
        )
    if set(uri) & set("{}") or any(character.isspace() for character in uri):
        return f"{uri!r} is not a URI", "a namespace URI has no blanks and no braces"
    return None
