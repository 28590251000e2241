"""Rules texts in one style: what `xmlcep fmt` writes. Comments and the order of statements stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import RuleError, RuleProblem, XmlCepError
from .active_rules import active_rule
from .building import definition
from .declarations import declaration, parameter, reference
from .layout import lay_out
from .parser import PREDECLARED, parse_definitions, parse_statement
from .printer import print_active_rule, print_definitions
from .source import Source
from .statements import Extent, extents
from .xml_form import is_xml


def format_rules(text: str, source_name: str = "<rules>") -> str:
    """The rules text with every statement as it is printed, which says the same.

    A statement with comments in it is left as it is. Comments keep their places, of blank lines one is kept. Raises
    `RuleError` for a text with syntax errors, `XmlCepError` for rules in XML; whether the events are right is not
    looked at.

    >>> format_rules("event   A=ins( item )&ins(item/price)  # new\\n\\n\\n")
    'event A = ins(item) & ins(item/price)  # new\\n'
    """
    if is_xml(text):
        raise XmlCepError(
            f"{source_name}: rules in XML are not printed in a style: xmlcep convert writes both forms"
        )
    problems: list[RuleProblem] = []
    namespaces = parse_definitions(text, problems).namespaces
    if problems:
        raise RuleError(problems, source_name=source_name, text=text)
    source = Source(text, problems)
    pieces: list[str] = []
    at = 0
    for extent in extents(text):
        pieces += _between(text[at : extent.start], behind=bool(pieces))
        pieces.append(_statement(source, extent, namespaces))
        at = extent.end
    pieces += _between(text[at:], behind=bool(pieces))
    return "".join(pieces).strip("\n") + "\n"


def _statement(source: Source, extent: Extent, namespaces: dict[str, str]) -> str:
    """A statement in the style of the house; in its own where there are comments in it."""
    part = source.part(extent.start, extent.end)
    own = "\n".join(line.rstrip() for line in part.text.split("\n"))
    tree = None if extent.has_comments else parse_statement(part)
    if tree is None:
        return own
    if tree.data == "namespace":
        declared = declaration(tree, part)
        return (
            own if declared is None else print_definitions((), {declared.prefix: declared.uri}).rstrip("\n")
        )
    if tree.data == "reference":
        named = reference(tree, part)
        return own if named is None else print_definitions((), {}, [named]).rstrip("\n")
    if tree.data == "param":
        given = parameter(tree, part)
        return own if given is None else print_definitions((), {}, parameters=[given]).rstrip("\n")
    if tree.data == "rule":
        acting = active_rule(tree, {**PREDECLARED, **namespaces}, part)
        return own if acting is None else print_active_rule(acting, namespaces)
    read = definition(tree, {**PREDECLARED, **namespaces}, part)
    return own if read is None else lay_out(read, namespaces)


def _between(text: str, *, behind: bool) -> Iterator[str]:
    """Comments and blank lines between two statements; ``behind``: the first line is the end of a statement's."""
    lines = [line.strip(" \t\r\ufeff") for line in text.split("\n")]
    if behind and lines[0]:
        yield f"  {lines[0]}"
    rest = "\n".join(lines[1:] if behind else lines)
    if behind:
        yield "\n"
    yield re.sub(r"\n{2,}", "\n\n", rest)
