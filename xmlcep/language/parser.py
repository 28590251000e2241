"""Rules texts to event definitions."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from lark import Token, Tree, UnexpectedInput

from ..algebra import ActiveRule, EventDefinition, Reference
from ..errors import RuleProblem
from .active_rules import active_rule
from .building import Declaration, declaration, definition, reference
from .grammar import statement_parser
from .mistakes import report_mistake
from .source import Source
from .statements import statements

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
PREDECLARED = MappingProxyType({"xml": XML_NAMESPACE})
"""Prefixes that need no declaration."""


class ParsedRules(NamedTuple):
    """What a rules text says: its event definitions in order, its namespaces (prefix "" for the default), its
    reference documents, and its rules that act.

    ``unreadable`` has the names of events whose definitions could not be read, so that they are not taken
    for unknown where others use them.
    """

    definitions: tuple[EventDefinition, ...]
    namespaces: dict[str, str]
    unreadable: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    active_rules: tuple[ActiveRule, ...] = ()


def parse_definitions(text: str, problems: list[RuleProblem], file: str = "") -> ParsedRules:
    """Reads a rules text; what is wrong in it is appended to ``problems`` and left out of the result.

    ``file`` is the name that positions in it get where there are several texts.
    """
    source = Source(text, problems, file)
    parts = [source.part(span.start, span.end) for span in statements(text)]
    trees = [(tree, part) for part in parts if (tree := parse_statement(part)) is not None]
    namespaces = _namespaces([(tree, part) for tree, part in trees if tree.data == "namespace"])
    known = {**PREDECLARED, **namespaces}
    definitions: dict[str, EventDefinition] = {}
    unreadable: list[str] = []
    references: dict[str, Reference] = {}
    active_rules: dict[str, ActiveRule] = {}
    rules_read = 0
    for tree, part in trees:
        if tree.data == "namespace":
            continue
        if tree.data == "reference":
            add_reference(references, reference(tree, part), problems)
            continue
        if tree.data == "rule" or (tree.data == "unreadable" and _is_rule(part)):
            rules_read += 1
            add_rule(active_rules, active_rule(tree, known, part) if tree.data == "rule" else None, problems)
            continue
        name = _event_name(tree)
        read = definition(tree, known, part) if tree.data == "event" else None
        if read is None:
            unreadable.append(name)
        else:
            add_definition(definitions, read, problems)
    if not definitions and not unreadable and not rules_read and not problems:
        source.report(
            0,
            0,
            "there is no event in these rules",
            "write event NAME = …, such as: event NewItem = ins(item)",
        )
    unreadable = [name for name in unreadable if name not in definitions]
    check_rule_names(active_rules, definitions, problems)
    return ParsedRules(
        tuple(definitions.values()), namespaces, tuple(unreadable), tuple(references.values()),
        tuple(active_rules.values()),
    )  # fmt: skip


def _is_rule(part: Source) -> bool:
    """Whether a statement with a syntax mistake would be a rule."""
    return part.text.split(None, 1)[0] == "rule"


def add_rule(rules: dict[str, ActiveRule], read: ActiveRule | None, problems: list[RuleProblem]) -> None:
    """Adds a rule that acts to those of a file; a second one of a name is reported instead."""
    if read is None:
        return
    if read.name in rules:
        message = f"the rule {read.name!r} is defined twice"
        hint = f"its first definition is in line {rules[read.name].at.line}: choose another name"
        problems.append(RuleProblem(message, hint, read.at))
        return
    rules[read.name] = read


def check_rule_names(
    rules: dict[str, ActiveRule], definitions: dict[str, EventDefinition], problems: list[RuleProblem]
) -> None:
    """Reports rules that are called like an event: a rule gives its name to the event it is triggered by, where that
    has none of its own (L1)."""
    for rule in rules.values():
        if rule.name in definitions:
            message = f"there is an event that is called {rule.name!r}, as this rule is (L1)"
            problems.append(RuleProblem(message, "choose another name for one of them", rule.at))


def add_definition(
    definitions: dict[str, EventDefinition], read: EventDefinition, problems: list[RuleProblem]
) -> None:
    """Adds a definition to those of a file; a second one of a name is reported instead."""
    if read.name in definitions:
        message = f"the event {read.name!r} is defined twice"
        hint = f"its first definition is in line {definitions[read.name].at.line}: choose another name"
        problems.append(RuleProblem(message, hint, read.at))
        return
    definitions[read.name] = read


def add_reference(
    references: dict[str, Reference], read: Reference | None, problems: list[RuleProblem]
) -> None:
    """Adds a reference document to those of a file; a second one of a name is reported instead."""
    if read is None:
        return
    if read.name in references:
        message = f"the reference document {read.name!r} is declared twice"
        problems.append(RuleProblem(message, "leave one out, or use two names (V8)", read.at))
        return
    references[read.name] = read


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
        return "xml and xmlns are reserved", f"xml always stands for {XML_NAMESPACE}: choose another prefix"
    if prefix and not uri:
        return (
            f"the prefix {prefix!r} stands for no namespace",
            "write the namespace's URI, or names without prefix",
        )
    if set(uri) & set("{}") or any(character.isspace() for character in uri):
        return f"{uri!r} is no URI", "a namespace URI has no blanks and no braces"
    return None
