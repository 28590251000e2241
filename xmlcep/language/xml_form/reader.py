"""Rules in XML to event definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml import etree

from path_types.names import is_ncname

from ...algebra import Reference, RuleParameter
from ...errors import RuleProblem
from ...xml_parser import parse_data
from ..building import MAX_NESTING
from ..declarations import Declaration
from ..parser import NUMBER, PREDECLARED, Collected, ParsedRules, wrong_declaration
from ..source import Source
from .active_rules import active_rule
from .elements import Element
from .events import Events, check_empty, name_in
from .markup import Tag, tags, without_declaration
from .names import NAMESPACE, OPERATOR_BY_NAME

STATEMENTS = ("namespace", "reference", "param", "event", "rule")
"""What can be in ``rules``."""


def is_xml(text: str) -> bool:
    """Whether a rules text is in XML: a statement of the event language begins with a word."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def parse_xml_definitions(text: str, problems: list[RuleProblem], file: str = "") -> ParsedRules:
    """Reads rules in XML, as `parse_definitions` does rules in the event language."""
    source = Source(text, problems, file)
    root = _root(source)
    if root is None:
        return ParsedRules((), {})
    root.check_attributes(())
    root.check_text()
    statements = list(root.known_children(STATEMENTS))
    namespaces = _namespaces(statements)
    events = Events({**PREDECLARED, **namespaces})
    collected = Collected(problems)
    for statement in statements:
        if statement.name == "reference":
            collected.add_reference(_reference(statement))
        elif statement.name == "param":
            collected.add_parameter(_parameter(statement))
        elif statement.name == "rule":
            collected.add_rule(active_rule(statement, events))
        elif statement.name == "event":
            collected.add_event(statement.node.get("name") or "", events.definition(statement))
    if collected.is_empty:
        root.report("there is no event in these rules", 'write <event name="…">…</event>')
    return collected.parsed(namespaces)


def _root(source: Source) -> Element | None:
    """The element ``rules``; None, which is reported, if there is none that could be read."""
    text = without_declaration(source.text)
    doctype = re.search(r"<!DOCTYPE", text)
    try:
        node = parse_data(text.encode("utf-8", "surrogatepass"))
    except ValueError as error:
        start = _syntax_error_at(error, source)
        source.report(start, start + 1, f"this is not well-formed XML: {error}", "")
        return None
    if doctype is not None and node.getroottree().docinfo.internalDTD is not None:
        hint = "leave it out: the schema of rules is known"
        source.report(doctype.start(), doctype.end(), "rules have no document type", hint)
        return None
    nodes = list(node.iter(etree.Element))
    tag_of = dict(zip(nodes, tags(text), strict=True))
    root = Element(node, tag_of[node], source, tag_of)
    return root if _is_rules(root) and _is_shallow(root, nodes, tag_of) else None


def _syntax_error_at(error: ValueError, source: Source) -> int:
    """The offset of what could not be parsed, as far as it is known."""
    cause = error.__cause__
    line, column = cause.position if isinstance(cause, etree.XMLSyntaxError) else (1, 1)
    before = source.text.split("\n")[: max(0, line - 1)]
    own = source.text.split("\n")[len(before) : len(before) + 1]
    return sum(len(each) + 1 for each in before) + min(max(0, column - 1), len("".join(own)))


def _is_rules(root: Element) -> bool:
    if root.name == "rules":
        return True
    name = etree.QName(root.node)
    where = f"in the namespace {name.namespace}" if name.namespace else "in no namespace"
    root.report(
        f"this is XML, not rules: its first element is <{name.localname}> {where}",
        f'rules in XML are in <rules xmlns="{NAMESPACE}">; xmlcep derive writes those of an XML Schema',
    )
    return False


def _is_shallow(root: Element, nodes: list[etree._Element], tag_of: Mapping[etree._Element, Tag]) -> bool:
    """Whether operators are not too deep in each other; else that is reported, before anything recurses."""
    depth = {root.node: 0}
    for node in nodes[1:]:
        parent = node.getparent()
        assert parent is not None
        element = Element(node, tag_of[node], root.source, tag_of)
        depth[node] = depth[parent] + (element.name in OPERATOR_BY_NAME)
        if depth[node] > MAX_NESTING:
            element.report(
                f"operators are nested more than {MAX_NESTING} deep",
                "give an inner part a name with an event of its own",
            )
            return False
    return True


def _namespaces(statements: list[Element]) -> dict[str, str]:
    """The declarations of the file; they hold for all of it."""
    namespaces: dict[str, str] = {}
    for statement in statements:
        if statement.name != "namespace":
            continue
        check_empty(statement, ("prefix", "uri"))
        uri, prefix = statement.text("uri"), statement.node.get("prefix") or ""
        if uri is None:
            continue
        if prefix and not is_ncname(prefix):
            statement.report_value("prefix", f"{prefix!r} cannot be a prefix", "write a name without ':'")
            continue
        marked = "prefix" if "prefix" in statement else "uri"
        declared = Declaration(prefix, uri, *statement.place(marked)[2:])
        wrong = wrong_declaration(declared, namespaces)
        if wrong:
            statement.report_value(marked, *wrong)
        else:
            namespaces[prefix] = uri
    return namespaces


def _reference(statement: Element) -> Reference | None:
    """The reference document that a ``reference`` names (V8)."""
    check_empty(statement, ("name", "file"))
    name, file = statement.text("name"), statement.text("file")
    if name is None or file is None:
        return None
    if not is_ncname(name):
        statement.report_value("name", f"{name!r} cannot be a name", "write a name without blanks and ':'")
        return None
    return Reference(name, file, statement.value_at("name"))


def _parameter(statement: Element) -> RuleParameter | None:
    """The parameter that a ``param`` declares (V9)."""
    check_empty(statement, ("name", "number", "text"))
    name = name_in(statement, "name", "a parameter")
    if ("number" in statement) == ("text" in statement):
        statement.report("<param> has one value", 'write number="100" or text="…"')
        return None
    given = statement.text("number" if "number" in statement else "text") or ""
    if "number" in statement and not NUMBER.fullmatch(given):
        statement.report_value("number", f"{given!r} is not a number", "write digits, such as 100 or 1.5")
        return None
    value = float(given) if "number" in statement else given
    return None if name is None else RuleParameter(name, value, statement.value_at("name"))
