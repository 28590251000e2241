"""Values that rules write although no valid document has them there: these are warned of, and no others (L7, L12)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import xmlschema
from hypothesis import assume, event, given
from hypothesis import strategies as st
from lxml import etree

import xmlcep
from tests.schema.test_values import (
    BESIDE,
    POOL,
    STATUS,
    XS,
    accepted,
    documents,
    opened,
    schema_of,
    types,
    warned,
)
from xmlcep import parse_rules
from xmlcep.cli.main import run
from xmlcep.schema import check_values
from xmlcep.xpath import NodeKind, compile_expression
from xmlcep.xpath.environment import Environment

NEVER = [
    ("ins(e)", 'set "." = "\'shiped\'"', ". is set to 'shiped', which is never valid there (. is open, shipped"),
    ("ins(r)", 'set "e/text()" = "7"', "e/text() is set to 7"),
    ("ins(r)", 'set "." = "\'x\'"', ". is without text of its own"),
    ("ins(r)", 'set "e" = "\'\'"', "e is set to ''"),
    ("ins(r)", 'set "/r/e" = "s/@c"', "/r/e is set to s/@c"),
    ("ins(r)", 'set "s/@c" = "not(e)"', "s/@c is set to not(e)"),
    ("ins(r)", 'set "s/@d" = "s/@d + 1"', "s/@d is of type date"),
    ("ins(r)", 'set "s/@d" = "count(e)", call "told"', "s/@d is set to count(e)"),
    ("ins(r)", 'set "s/@n" = "- 7"', "s/@n is always 7"),
    ("ins(r)", 'set "s/@f" = "\'eur\'", set "s/@n" = "7"', "s/@f is always EUR"),
    ("ins(r)", 'set "s/@c | e" = "\'red\'"', "e is set to 'red'"),
    ("upd(e/text())", 'set "." = "\'shut\'"', ". is set to 'shut'"),
    ("upd(e/text()) as $x", 'set "../../s/@c" = "$x"', "../../s/@c is set to $x"),
    ("upd(e/text())", 'set "../../s/@c" = "$new"', "../../s/@c is set to $new"),
    ("ins(r)", 'insert "<e>shiped</e>" last into "."', "e is never valid as it is inserted: <e>shiped</e> (e is open"),
    ("ins(e)", "insert \"<s c='{not(../e)}'/>\" after \".\"", "s/@c is never valid as it is inserted"),
    ("ins(r)", "replace \"e\" with \"<e><!-- or -->open</e><s c='black'/>\"", "s/@c is red, blue"),
]  # fmt: skip


@pytest.mark.parametrize(("trigger", "actions", "message"), NEVER)
def test_what_is_never_valid(tmp_path: Path, trigger: str, actions: str, message: str) -> None:
    (found,) = warned(tmp_path, schema_of(STATUS, BESIDE), f"rule R on ({trigger}) do {actions}")
    assert message in found


@pytest.mark.parametrize(
    ("trigger", "actions"),
    [
        ("ins(e)", 'set "." = "\' sent  back \'", set "../s/@c" = "\'red\'"'),
        ("ins(e)", 'set "../s/@d" = "\'2026-02-28\'", set "../s/@n" = "3 + 4", set "../s/@f" = "\'EUR\'"'),
        ("ins(e)", 'set "../s/@own" = "\'x\'", set "../s/@q" = "\'x\'", set "@*" = "\'x\'"'),
        ("ins(e)", 'set "." = "../s/@x:own", set "." = "concat(\'x\', .)", set "." = "$delta"'),
        ("ins(r)", 'set "." = "\' \'"'),
        ("ins(r)", 'set "e" = "\'shut\'", delete "e"'),
        ("ins(r)", 'set "e" = "\'o\'", insert "pen" last into "e"'),
        ("ins(r)", 'set "s/@c" = "\'shut\'", set "s/@c" = "\'red\'"'),
        ("ins(r)", 'set "s/@c" = "\'shut\'", set "//@c" = "\'red\'"'),
        ("ins(r)", 'insert "<e>shut</e>" last into ".", set "e" = "\'open\'"'),
        ("ins(r)", 'insert "<e/>" last into ".", insert "<e>{concat(s/@c, 1)}</e>" last into "."'),
        ("ins(r)", 'insert "<x y=\'z\'>1<e>2</e></x>" last into ".", insert "<e>sh{s}ut</e>" last into "."'),
        ("del(e/text())", 'set "." = "\'shut\'"'),  # of the element, of the root if that went, too (L1)
    ],
)
def test_what_can_be_valid(tmp_path: Path, trigger: str, actions: str) -> None:
    assert (
        warned(
            tmp_path, schema_of(STATUS, BESIDE), f'namespace x = "urn:x"\nrule R on ({trigger}) do {actions}'
        )
        == []
    )


def test_check_says_it_where_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.xsd").write_text(schema_of(STATUS), encoding="utf-8")
    rules = tmp_path / "r.xcep"
    rules.write_text('rule R on (ins(e))\n     do set "." = "\'shiped\'"\n')
    assert run(["check", "-q", str(rules), "--schema", str(tmp_path / "s.xsd")]) == 0
    said = capsys.readouterr().err
    assert f"{rules}:2:19: warning: rule R: . is set to 'shiped', which is never valid there" in said


def test_a_firing_that_is_warned_of_is_undone(tmp_path: Path) -> None:
    """L12: what no valid document has, a document that is kept valid has not for long."""
    (tmp_path / "s.xsd").write_text(schema_of(STATUS), encoding="utf-8")
    text = 'rule R on (ins(r/e)) do set "." = "\'shiped\'"'
    assert check_values(parse_rules(text), tmp_path / "s.xsd")
    document = xmlcep.fromstring("<r><e>open</e></r>")
    errors: list[Exception] = []
    schema = etree.XMLSchema(etree.parse(tmp_path / "s.xsd"))
    with document.rules(parse_rules(text), schema=schema, on_error=errors.append):
        document.root.append(etree.fromstring("<e>shipped</e>"))
    assert len(errors) == 1
    assert etree.tostring(document.root) == b"<r><e>open</e><e>shipped</e></r>"


# -- the law: the values that valid documents have, and what the library takes --------------------------------

VALUES = (
    "@a", "@b", "e", "e/text()", "string(@a)", "string(e)", "number(@a)", "number(e)", "@a + 1", "- @a", "-e",
    "count(e)", "string-length(e)", "max(@a)", "min(e | @a)", "@a = e", "not(@b)", "boolean(e)", "number(@a = e)",
    "number(@b) * 0", "normalize-space(e)", "e | @a", "@nothing", "1 div 0", "sum(@a)", "round(@a)", "string(@a = @b)",
    "@a and e", "@*",
    "string(number(e))",
)  # fmt: skip


@st.composite
def values(draw: st.DrawFn) -> str:
    texts = st.sampled_from(POOL).filter(lambda text: "\n" not in text).map(lambda text: f"'{text}'")
    numbers = st.sampled_from(["0", "1", "5.5", "7", "100", "-3", "- 4", "1000", "0.10", "007"])
    return draw(st.one_of(st.sampled_from(VALUES), st.sampled_from(VALUES), texts, numbers))


@cache
def _library(type_: str) -> xmlschema.XMLSchema11:
    return xmlschema.XMLSchema11(f'<xs:schema {XS}><xs:element name="e">{type_}</xs:element></xs:schema>')


def takes(type_: str, text: str) -> bool:
    element = etree.Element("e")
    element.text = text
    return bool(_library(type_).is_valid(element))


@given(
    element=types(),
    a=types(),
    b=types(),
    value=values(),
    target=st.sampled_from(["e", "@a", "@b", "e/text()"]),
)
def test_what_is_warned_of_is_valid_in_no_document(
    element: str, a: str, b: str, value: str, target: str
) -> None:
    known = [accepted(each) for each in (element, a, b)]
    assume(None not in known)
    wanted = {"@a": a, "@b": b}.get(target, element)
    told = [
        (found or [])[:8] if name in value or "*" in value else (found or [])[:1]
        for name, found in zip(("e", "@a", "@b"), known, strict=True)
    ]
    asked = compile_expression(value, node=NodeKind.ELEMENT)
    written = {
        asked.string(Environment(element=root)) for root in documents(told[0] or [""], told[1], told[2])
    }
    outcomes = {takes(wanted, text) for text in written}
    schema = (
        f'<xs:schema {XS}><xs:element name="r"><xs:complexType><xs:sequence><xs:element name="e">{element}</xs:element>'
        f'</xs:sequence><xs:attribute name="a">{a}</xs:attribute><xs:attribute name="b">{b}</xs:attribute>'
        "</xs:complexType></xs:element></xs:schema>"
    )
    rules = parse_rules(f'rule R on (ins(r)) do set "{target}" = "{value}"')
    said = [each for each in check_values(rules, opened(schema)) if "never valid there" in each.message]
    event(f"warned: {bool(said)}, can be valid: {True in outcomes}")
    if said:
        assert True not in outcomes
    if value[0] in "'-0123456789" and value[-1] in "'0123456789" and " " not in value.strip("'")[1:]:
        assert bool(said) is (True not in outcomes)  # of what is written as it stands nothing is missed
