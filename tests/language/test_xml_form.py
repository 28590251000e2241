"""Rules in XML say what rules in the event language say, in both directions, and the schema admits them."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from contexts.constraints import RELATIONS
from tests.conftest import REPOSITORY
from tests.language import definitions as made
from tests.strategies.full_rules import full_rule_sets
from xmlcep.algebra import (
    ACTIONS,
    OPERATORS,
    ContextName,
    Coupling,
    Mode,
    Order,
    Reference,
    Termination,
    Where,
    parts_of_action,
)
from xmlcep.errors import RuleError, XmlCepError
from xmlcep.language import (
    ParsedRules,
    parse_definitions,
    print_definitions,
    print_xml_definitions,
    read_definitions,
)
from xmlcep.language.formatting import format_rules
from xmlcep.language.xml_form import schema_text
from xmlcep.language.xml_form.names import NAMESPACE, may_lack, operator_name
from xmlcep.rules import Rules, load_rules, parse_rules
from xmlcep.rules.plain_rules import PlainRules

SCHEMA_TEXT = schema_text().encode()
SCHEMA = etree.XMLSchema(etree.fromstring(SCHEMA_TEXT))
XS = "{http://www.w3.org/2001/XMLSchema}"


def parsed(text: str) -> ParsedRules:
    problems: list = []
    read = read_definitions(text, problems)
    assert not problems, (text, [(problem.message, problem.hint, problem.at) for problem in problems])
    return read


def as_xml(rules: ParsedRules) -> str:
    return print_xml_definitions(*rules.printed)


def as_text(rules: ParsedRules) -> str:
    return print_definitions(*rules.printed)


def canonical(xml: str) -> str:
    return etree.canonicalize(xml)


_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def for_xml(value):
    """The same value without characters that XML has none for: these have a test of their own."""
    if isinstance(value, str):
        return _NOT_IN_XML.sub("", value)
    if is_dataclass(value):
        changed = {each.name: for_xml(getattr(value, each.name)) for each in fields(value)}
        if "description" in changed:  # as the lines of a comment are read
            lines = changed["description"].split("\n")
            changed["description"] = "\n".join(line.strip(" ") for line in lines).strip("\n")
        return replace(value, **changed)
    if isinstance(value, tuple):
        parts = map(for_xml, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


@settings(max_examples=25)
@given(made.definition_lists(), made.namespaces, made.active_rule_lists, made.parameter_lists)
def test_any_definitions_go_there_and_back(definitions, namespaces, active_rules, parameters):
    definitions, active_rules, parameters = for_xml(definitions), for_xml(active_rules), for_xml(parameters)
    references = [Reference("parts", "a & b<.xml")]
    xml = print_xml_definitions(definitions, namespaces, references, active_rules, parameters)
    assert SCHEMA.validate(etree.fromstring(xml.encode())), (xml, SCHEMA.error_log)
    read = parsed(xml)
    assert read.definitions == definitions
    assert read.namespaces == namespaces
    assert read.active_rules == active_rules
    assert read.references == (Reference("parts", "a & b<.xml"),)
    assert read.parameters == parameters
    assert [each.description for each in read.definitions] == [each.description for each in definitions]
    assert read == parsed(as_text(read))  # text and XML say the same
    assert canonical(as_xml(parsed(as_text(read)))) == canonical(xml)


@settings(max_examples=50)
@given(full_rule_sets())
def test_valid_rules_go_there_and_back(definitions):
    text = print_definitions(definitions)
    xml = as_xml(parsed(text))
    assert as_text(parsed(xml)) == text
    assert canonical(as_xml(parsed(as_text(parsed(xml))))) == canonical(xml)
    assert SCHEMA.validate(etree.fromstring(xml.encode()))


@pytest.mark.parametrize(
    "file",
    sorted((REPOSITORY / "samples").rglob("*.xcep")),
    ids=lambda file: f"{file.parent.name}/{file.name}",
)
def test_samples(file: Path, tmp_path: Path) -> None:
    text = file.read_text(encoding="utf-8")
    read = parsed(text)
    xml = as_xml(read)
    assert parsed(xml) == read
    assert SCHEMA.validate(etree.fromstring(xml.encode()))


def test_rules_are_loaded_from_both(tmp_path: Path) -> None:
    first, second, latin = tmp_path / "a.xcep", tmp_path / "b.xml", tmp_path / "c.xml"
    first.write_text("event Größe = ins(item) ; Both(item)\n", encoding="utf-8")
    both = parse_rules('event Both = ins(item) ; upd(item/text())[. > "ö"]')
    second.write_text(both.xml(), encoding="utf-8")
    latin.write_bytes(both.xml().replace("UTF-8", "ISO-8859-1").encode("latin-1"))
    together = load_rules(first, second)
    assert [definition.name for definition in together.definitions] == ["Größe", "Both"]
    assert load_rules(second) == both == load_rules(latin)
    for encoding in ("utf-8-sig", "utf-16"):
        latin.write_text(
            both.xml().replace("UTF-8", encoding.upper().removesuffix("-SIG")), encoding=encoding
        )
        assert load_rules(latin) == both
    assert PlainRules.of(load_rules(second)).parse() == both  # as workers get them


def test_the_same_in_other_words() -> None:
    """What is written by hand can have comments, prefixes, blanks, entities of XML, any line ends."""
    xml = f"""\ufeff<?xml version="1.0"?>\r
<!-- ours --><r:rules xmlns:r="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\r
  xsi:schemaLocation="{NAMESPACE} rules.xsd">\r
  <?keep me?><r:event name='A' flat="0"><r:sequence within=' P3D ' strict="1"><r:let select="'&#36;'"\r
     name="t"/><!-- <r:event/> --><r:ins path=" item/@n " filter='. &gt; 1 and . != ">"'\r
     /><r:change path="item//"/></r:sequence></r:event></r:rules>"""
    text = (
        """event A = (ins(item/@n)[. > 1 and . != ">"] ; *(item//)){within="3 days", strict, let t="'$'"}"""
    )
    assert parse_rules(xml) == parse_rules(text)


def test_what_xml_has_no_characters_for() -> None:
    rules = parse_rules('event A = opaque["none", "\x01"](a)', languages={"none": _Anything()})
    with pytest.raises(XmlCepError, match="characters that XML has none for"):
        rules.xml()


class _Anything:
    needs_document = False
    on_workers = True

    def compile(self, text):
        return lambda event, document: True


def test_the_page_shows_the_same_in_both_forms() -> None:
    page = (REPOSITORY / "docs" / "language.md").read_text(encoding="utf-8").partition("\n## Rules in XML")[2]
    xml, text = (re.search(rf"^```{kind}\n(.*?)^```", page, re.M | re.S)[1] for kind in ("xml", "xcep"))
    assert parse_rules(xml) == parse_rules(text)
    assert SCHEMA.validate(etree.fromstring(xml))


# ---- mistakes --------------------------------------------------------------------------------------------

_MISTAKES = (
    Path(__file__).with_name("mistakes_in_xml.txt").read_text(encoding="utf-8").strip().split("\n\n")[1:]
)


@pytest.mark.parametrize("block", _MISTAKES, ids=[block.split("\n")[0][2:60] for block in _MISTAKES])
def test_mistake(block: str) -> None:
    """A block is the content of ``rules`` behind ``> ``, then the message."""
    lines = block.split("\n")
    inside = "\n".join(line.removeprefix("> ") for line in lines if line.startswith("> "))
    expected = "\n".join(line for line in lines if not line.startswith("> "))
    expected = expected.replace("$operators", ", ".join(map(operator_name, OPERATORS)))
    text = (
        inside if inside.startswith(("<!", "<rules")) else f'<rules xmlns="{NAMESPACE}">\n{inside}\n</rules>'
    )
    with pytest.raises(RuleError) as caught:
        parse_rules(text)
    assert str(caught.value) == expected


@settings(max_examples=75)
@given(full_rule_sets(max_events=1), st.data())
def test_spoilt_rules_are_explained(definitions, data):
    """Whatever is left out, doubled or put elsewhere: rules are read, or one says why not, at a place that is there."""
    xml = print_xml_definitions(definitions)
    pieces = re.split(r"""(<[^\s/>]*|\s[\w-]+=|"[^"]*"|/?>)""", xml)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        other = data.draw(st.integers(0, len(pieces) - 1))
        change = data.draw(st.sampled_from(("omit", "repeat", "swap", "put")))
        if change == "swap":
            pieces[at], pieces[other] = pieces[other], pieces[at]
        else:
            pieces[at] = {"omit": "", "repeat": pieces[at] * 2, "put": pieces[other]}[change]
    text = "".join(pieces)
    problems: list = []
    read_definitions(text, problems)
    lines = text.split("\n")
    for problem in problems:
        assert problem.message
        assert 1 <= problem.line <= len(lines) and 1 <= problem.column <= len(lines[problem.line - 1]) + 1


@pytest.mark.parametrize("depth", (101, 200, 3000))
def test_nothing_is_nested_too_deep(depth: int) -> None:
    inner = '<plus delay="1 s">' * depth + '<ins path="a"/>' + "</plus>" * depth
    with pytest.raises(RuleError, match="deep"):
        parse_rules(f'<rules xmlns="{NAMESPACE}"><event name="A">{inner}</event></rules>')
    for start, end in (
        ("plus[", ', "1 s"]'),
        ("any[1](", ")"),
        ("not(ins(b))[ins(a), ", "]"),
        ("x[1,2] ", ""),
    ):
        with pytest.raises(RuleError, match="deep"):
            parse_rules(f"event A = {start * depth}ins(a){end * depth}")


def test_as_deep_as_can_be() -> None:
    rules = "event A = " + "plus[" * 100 + "ins(a) as $p" + ', "1 s"]' * 100
    read = parsed(rules)
    assert parsed(as_xml(read)) == read


# ---- the schema ------------------------------------------------------------------------------------------


def test_the_schema_has_all_operators_with_their_options() -> None:
    """Those of the declarations, whatever they say."""
    schema = etree.fromstring(SCHEMA_TEXT)

    def named(kind: str, name: str) -> etree._Element:
        return schema.find(f"{XS}{kind}[@name='{name}']")

    listed = {each.get("name"): each.get("type") for each in named("group", "operator").iter(f"{XS}element")}
    assert list(listed) == [operator_name(operator) for operator in OPERATORS]
    common = {
        each.get("name") for each in named("complexType", "Operator").iter(f"{XS}attribute", f"{XS}element")
    }
    waiting = {each.get("name") for each in named("attributeGroup", "termination").iter(f"{XS}attribute")}
    for operator in OPERATORS:
        type_ = named("complexType", listed[operator_name(operator)])
        attributes = {each.get("name") for each in type_.iter(f"{XS}attribute")} | common
        attributes |= waiting if type_.find(f".//{XS}attributeGroup") is not None else set()
        assert attributes == operator.takes | {parameter.name for parameter in operator.parameters}, operator


def test_the_schema_has_all_actions() -> None:
    schema = etree.fromstring(SCHEMA_TEXT)
    rule = schema.find(f"{XS}complexType[@name='Rule']")
    listed = rule.findall(f"{XS}sequence/{XS}choice/{XS}element")
    assert [each.get("name") for each in listed] == list(ACTIONS)
    for each in listed:
        action = ACTIONS[each.get("name")]
        attributes = each.findall(f".//{XS}attribute")
        assert tuple(attribute.get("name") for attribute in attributes) == parts_of_action(action)
        for attribute in attributes:
            assert (attribute.get("use") is None) == may_lack(action, attribute.get("name"))


def test_external_events_and_what_raises_them() -> None:
    text = "event Stale(item) = external\n\nrule Check on (upd(item/text())) {flat}\n     do raise Stale\n"
    read = parsed(text)
    assert parsed(as_xml(read)) == read
    assert SCHEMA.validate(etree.fromstring(as_xml(read).encode()))
    assert as_text(parsed(as_xml(read))) == text == format_rules(text)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Context", [each.value for each in ContextName]),
        ("Termination", [each.value for each in Termination]),
        ("Order", [each.value for each in Order]),
        ("IntervalRelation", list(RELATIONS)),
        ("Mode", [each.value for each in Mode]),
        ("Coupling", [each.value for each in Coupling]),
        ("Where", [each.value for each in Where]),
    ],
)
def test_the_schema_has_all_values(name: str, values: list[str]) -> None:
    schema = etree.fromstring(SCHEMA_TEXT)
    type_ = schema.find(f"{XS}simpleType[@name='{name}']")
    assert [each.get("value") for each in type_.iter(f"{XS}enumeration")] == values


def test_rules_print_as_they_are_written() -> None:
    rules = parse_rules("event A = ins(a)")
    assert Rules.from_definitions(rules.definitions).xml() == rules.xml()
    assert parse_definitions(str(parse_rules(rules.xml())), []).definitions == rules.definitions
