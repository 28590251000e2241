"""An XML name is the same in documents, paths, rules texts and conditions."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from path_types import PathSyntaxError, PathType, Step
from path_types.names import NAME_CHARACTERS, is_ncname
from tests.project.source import ROOT
from xmlcep import RuleError, parse_rules
from xmlcep.language import parse_definitions
from xmlcep.xpath import Environment, Expression, ExpressionError, Scope, compile_expression


def condition_of(text: str, **given: Any) -> Expression:
    return compile_expression(text, scope=Scope.SUBTREE, **given)


def at_the_edges() -> str:
    """The first and last characters of all ranges of name characters, and their neighbours outside."""
    text = re.sub(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", lambda m: chr(int(m[1] or m[2], 16)), NAME_CHARACTERS)
    ends = set(re.sub(r"(?<!\\)-", "", text).replace("\\", ""))
    near = {chr(ord(end) + by) for end in ends for by in (-1, 0, 1) if ord(end) + by < 0x110000}
    return "".join(sorted(character for character in near if not "\ud800" <= character <= "\udfff"))


EDGES = at_the_edges()
NAMES = st.text(st.sampled_from(EDGES + "ªº·‿⁀0-.:ȘĲ٣"), min_size=1, max_size=3)


def is_name_to_lxml(text: str) -> bool:
    try:
        etree.Element(text)
    except ValueError:
        return False
    return ":" not in text and "{" not in text


@given(NAMES)
@example("ª")  # a word character, but no name
@example("a‿b")  # a name, but no word
@example("\u0218ef")  # of the fifth edition: not a name to libxml2's XPath
def test_what_is_a_name(text: str) -> None:
    assert is_ncname(text) == is_name_to_lxml(text)
    try:
        path = PathType.parse(text)
    except PathSyntaxError:
        assert not is_ncname(text)
    else:
        assert (path.steps == (Step.element(text),)) == is_ncname(text)


@given(NAMES.filter(is_ncname).filter(lambda name: name not in ("p", "xml", "xmlns")))
@example("x")  # no word is reserved
@example("event")
@example("text")
def test_a_condition_can_name_every_element_that_a_path_can(name: str) -> None:
    condition = f"{name} and @{name} and p:{name}/@p:{name} and {name}:a and {{urn:p}}{name}"
    paths = f"{name}/{name}", f"{name}/@{name}", f"{name}/p:{name}/@p:{name}", f"{name}/{name}:{name}"
    rules = parse_rules(
        f"namespace p = 'urn:p'\nnamespace {name} = 'urn:other'\n"
        f'event A{name} {{when="{condition}"}} = {" & ".join(f"ins({path})" for path in paths)}\n'
        f"event B = (A{name}({name}) & ins({name}/{{urn:p}}{name}/{{}}a)){{name={name}}}"
    )
    assert [definition.name for definition in rules.definitions] == [f"A{name}", "B"]
    assert parse_rules(str(rules)) == rules


@given(NAMES.filter(is_ncname), st.sampled_from(["", "urn:p", "it's"]))
def test_conditions_find_what_they_name(name: str, uri: str) -> None:
    tag, declared = (f"p:{name}", f"xmlns:p={quoteattr(uri)}") if uri else (name, "")
    element = etree.fromstring(f'<top {declared} {tag}="1"><first/><{tag}/><{tag}/></top>')
    written = f"{{{uri}}}{name}" if uri else name
    assert condition_of(f"{written} and {written}[2] and @{written} = 1").boolean(
        Environment(element=element)
    )
    assert condition_of(f"count(child::{written}) = 2 and attribute::{written}").boolean(
        Environment(element=element)
    )
    others = (f"{written}[3]", f"{written}0", f"{{urn:x}}{name}", f"@{{urn:x}}{name}", f"{{\"'}}{name}")
    assert not condition_of(" or ".join(others)).boolean(Environment(element=element))


@pytest.mark.parametrize("text", ["ª", "aª", "a×", "\u037e"])
def test_what_is_no_name_is_refused_everywhere(text: str) -> None:
    with pytest.raises(ExpressionError):
        condition_of(text)
    for rule in (f"event {text} = ins(a)", f"event A = ins({text})", f"event A = ins(p:{text})"):
        with pytest.raises(RuleError):
            parse_rules(rule)


def test_the_grammar_has_no_names_of_its_own() -> None:
    """Its terminals for names come from `path_types.names`."""
    grammar = (ROOT / "xmlcep" / "language" / "grammar.lark").read_text(encoding="utf-8")
    assert re.findall(r"\\w|A-Z|a-z|\\u", re.sub(r"//.*", "", grammar)) == [
        "\\u"
    ]  # the byte order mark is a blank


@pytest.mark.parametrize("word", ["before", "not", "equals"])
def test_a_word_before_an_operand_may_be_followed_by_any_parentheses(word: str) -> None:
    """Neither ``text()`` nor what stands in strings makes it an event that is called so."""
    operand = """(x[1,2]{path=/a/b, when="true() or 'it('"} ins(c/d) & ins(b/text()))"""
    first = "ins(a/b) ; " if word == "not" else "ins(a/b) "
    (definition,) = parse_definitions(f"event E {{end=custom}} = {first}{word} {operand}", []).definitions
    assert definition.expression.kind == ("sequence" if word == "not" else "relation")
    (named,) = parse_definitions(f"event E = {word}(a/text())", []).definitions
    assert named.expression.kind == "disjunction"
