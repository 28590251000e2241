"""Values that documents of a schema never have: comparisons with them are warned of, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
import xmlschema
from hypothesis import event, given
from hypothesis import strategies as st
from lxml import etree

from xmlcep import parse_rules
from xmlcep.schema import check_rules, check_values, loading
from xmlcep.xpath import NodeKind, compile_expression
from xmlcep.xpath.environment import Environment

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'


def simple(base: str, *facets: str) -> str:
    """A simple type; a facet is ``kind=value``."""
    inside = "".join(
        f"<xs:{kind} value={quoteattr(value)}/>" for kind, _, value in (f.partition("=") for f in facets)
    )
    return f'<xs:simpleType><xs:restriction base="xs:{base}">{inside}</xs:restriction></xs:simpleType>'


def of_list(item: str) -> str:
    return f"<xs:simpleType><xs:list>{item}</xs:list></xs:simpleType>"


def of_union(*members: str) -> str:
    return f"<xs:simpleType><xs:union>{''.join(members)}</xs:union></xs:simpleType>"


STATUS = simple("token", "enumeration=open", "enumeration=shipped", "enumeration=sent back")
PERCENT = simple("integer", "minInclusive=0", "maxInclusive=100")
CODE = simple("token", r"pattern=[A-Z]{2}-\d+", r"pattern=\$\d")


def schema_of(inside: str, attributes: str = "", **of_element: str) -> str:
    """A schema of ``r`` with elements ``e`` of a type, which have an attribute ``a``."""
    given = "".join(f" {name}={quoteattr(value)}" for name, value in of_element.items())
    return (
        f'<xs:schema {XS}><xs:element name="r"><xs:complexType><xs:sequence>'
        f'<xs:element name="e" maxOccurs="unbounded"{given}>{inside}</xs:element>'
        f'<xs:element name="s" minOccurs="0"><xs:complexType>{attributes}</xs:complexType></xs:element>'
        "</xs:sequence></xs:complexType></xs:element></xs:schema>"
    )


def warned(tmp_path: Path, schema: str, rules: str) -> list[str]:
    file = tmp_path / "s.xsd"
    file.write_text(schema, encoding="utf-8")
    checked = parse_rules(rules)
    assert check_rules(checked, file) == []
    return [f"{each.message} ({each.hint})" for each in check_values(checked, file)]


NEVER = [
    (STATUS, ". = 'shiped'", ". is never 'shiped'", "did you mean shipped?; . is open, shipped, sent back"),
    (STATUS, "'Open' != .", ". is never 'Open' (so that != always holds)", "did you mean open?"),
    (STATUS, ". > 3", "never a number", ""),
    (STATUS, "starts-with(., 'shp')", "starts-with() is true of no value of .", "did you mean shipped?"),
    (PERCENT, ". > 100", ". is never > 100", "of type integer (from 0, to 100)"),
    (PERCENT, "-1 >= .", ". is never <= -1", ""),
    (PERCENT, ". = 50.5", ". is never 50.5", ""),
    (PERCENT, "number(.) != 101", "(so that != always holds)", ""),
    (PERCENT, ". = 'fifty'", ". is never 'fifty'", ""),
    (PERCENT, "max(../../e) > 100", "max(../../e) is never > 100", ""),
    (CODE, ". = 'ab-1'", ". is never 'ab-1'", r"pattern [A-Z]{2}-\d+"),
    (CODE, "../../e = 'AB1' or ../text() = '$'", "../../e is never 'AB1'", ""),
    (simple("boolean"), ". = 'yes'", ". is never 'yes'", ". is true, false, 1, 0"),
    (simple("boolean"), ". = 'TRUE'", ". is never 'TRUE'", "did you mean true?"),
    (simple("date"), ". = '2026-02-30'", ". is never '2026-02-30'", "of type date"),
    (simple("date"), ". < ../../s/@d", "never a number", ""),
    (simple("string", "maxLength=3"), ". = 'four'", ". is never 'four'", "at most of length 3"),
    (simple("NMTOKEN"), ". = 'a b'", ". is never 'a b'", "of type NMTOKEN"),
    (of_list(STATUS), ". = 'open shipt'", ". is never 'open shipt'", "a list of (open, shipped"),
    (of_union(PERCENT, STATUS), ". = 'all' or . = '7'", ". is never 'all'", "integer (from 0, to 100) or open"),
    (STATUS, ". = ../../s/@c", ". is never the same as ../../s/@c", ""),
    (STATUS, "$new = 'shut' or $op = 'ins'", "$new is never 'shut'", "open"),
    (STATUS, "$op = 'update'", "$op is never 'update'", "$op is ins, upd, del"),
    (simple("string"), ". < '2026-01-01'", "'2026-01-01' is not a number", "translate(…, '-', '')"),
    (simple("string"), "string-length(.) < 0 or count(../../e) = 2.5", "string-length(.) is never < 0", "0 or more"),
]  # fmt: skip
BESIDE = (
    f'<xs:attribute name="c">{simple("NMTOKEN", "enumeration=red", "enumeration=blue")}</xs:attribute>'
    '<xs:attribute name="d" type="xs:date"/><xs:attribute name="f" fixed="EUR" type="xs:token"/>'
    '<xs:attribute name="n" fixed="7" type="xs:int"/><xs:attribute name="q" type="xs:QName"/>'
    '<xs:anyAttribute namespace="##other" processContents="skip"/>'
)


@pytest.mark.parametrize(("type_", "filter_", "message", "hint"), NEVER)
def test_what_is_never_true(tmp_path: Path, type_: str, filter_: str, message: str, hint: str) -> None:
    found = warned(tmp_path, schema_of(type_, BESIDE), f"event A = *(e/text())[{filter_}]")
    assert found
    assert message in found[0]
    assert hint in found[0]


@pytest.mark.parametrize(
    ("type_", "filter_"),
    [
        (STATUS, ". = 'open' or . = 'sent back' or . = ' open ' or contains(., 'ship') or . != 'open'"),
        (STATUS, "$old = '' or $new = '' or $old = 'shipped' or $meta:user = 'x' or $doc = 'y'"),
        (PERCENT, ". >= 100 or . <= 0 or . = 7 or . = '007' or . + 1 > 200 or sum(../../e) > 1000 or not(. < 200)"),
        (CODE, ". = 'AB-12' or . = '$7' or . = ' AB-1 '"),
        (simple("boolean"), ". = 'true' or . = '1' or . = 1 or . = true() or . = false()"),
        (simple("decimal", "maxExclusive=1"), ". = 0.999 or . = '.5' or . = '-0'"),
        (simple("double"), ". = 'INF' or . = '1e3' or . > 5"),
        (of_list(PERCENT), ". = '1 2' or . = 100 or . = ''"),
        (simple("string"), ". = ' ' or . > 3 or ../@x:y = 'z'"),
        (simple("gYear"), ". > 2025"),
        (simple("string"), "../../s/@f = 'EUR' or ../../s/@n = 7 or ../../s/@n = '07'"),
        (simple("string"), "../../s/@x:n = 'a' or ../../s/@q = 'p:b'"),
        (simple("string"), ". = ../../s/@c or ../../s/@* = 'blue green' or string(../../s/@c) = ''"),
    ],
)  # fmt: skip
def test_what_can_be_true(tmp_path: Path, type_: str, filter_: str) -> None:
    filter_ = filter_.replace(" or ../@x:y = 'z'", "")
    assert (
        warned(tmp_path, schema_of(type_, BESIDE), f'namespace x = "urn:x"\nevent A = *(e/text())[{filter_}]')
        == []
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("event A = ins(e)[. = 'shiped']", "1:18"),
        ("event A(e) {when=\". = 'shiped'\"} = x[1,2] ins(e)", "1:19"),
        ("event A(r) {if=\"e and e = 'shiped'\"} = x[1,2] ins(e)", "1:23"),
        ("event A = ins(e) as $x = (. = 'shiped')", "1:27"),
        ("event A = ins(r)[e[. = 'shiped']/text() or /r//e[. = 'open']]", "1:20"),
        ('rule R on (ins(e)) if ". = \'shiped\'" do delete "."', "1:24"),
        ("rule R on (ins(r)) do delete \"e[. = 'shiped']\"", "1:33"),
        ('rule R on (ins(r)) do set "e" = ". = \'shiped\'"', "1:33"),
    ],
)
def test_wherever_it_is_asked(tmp_path: Path, text: str, place: str) -> None:
    file = tmp_path / "s.xsd"
    file.write_text(schema_of(STATUS), encoding="utf-8")
    found = check_values(parse_rules(text), file)
    assert [f"{each.line}:{each.column}" for each in found] == ([place] if place else [])


def test_what_no_schema_is_needed_for(tmp_path: Path) -> None:
    """One walk asks all: what there cannot be so often, and what asks nothing."""
    rules = 'event A(r) {having="count($t) > 2", when="false()"} = x[1,2] ins(r/e/text()) as $t'
    schema = schema_of("", type="xs:string")
    first, second = warned(tmp_path, schema, rules)
    assert "count($t) is never > 2" in first or "count($t) is never > 2" in second
    assert "false() is never true" in first or "false() is never true" in second


def test_an_element_that_can_be_empty(tmp_path: Path) -> None:
    """A default, a fixed value and nil let an element be empty, whatever its type."""
    for said in ({"default": "open"}, {"nillable": "true"}, {"fixed": "open"}):
        assert warned(tmp_path, schema_of(STATUS, **said), "event A = ins(e)[. = '']") == []
    assert warned(tmp_path, schema_of(STATUS), "event A = ins(e)[. = '']")
    assert warned(tmp_path, schema_of(STATUS, fixed="open"), "event A = ins(e)[. = 'shipped']")


def test_simple_content_that_restricts_a_complex_type(tmp_path: Path) -> None:
    named = STATUS.replace("<xs:simpleType", '<xs:simpleType name="Status"', 1)
    schema = (
        f'<xs:schema {XS}>{named}<xs:complexType name="Wider"><xs:simpleContent><xs:extension base="Status"/>'
        '</xs:simpleContent></xs:complexType><xs:element name="e"><xs:complexType><xs:simpleContent>'
        '<xs:restriction base="Wider"><xs:enumeration value="open"/></xs:restriction>'
        "</xs:simpleContent></xs:complexType>"
        "</xs:element></xs:schema>"
    )
    assert warned(tmp_path, schema, "event A = ins(e)[. = 'open']") == []
    (message,) = warned(tmp_path, schema, "event A = ins(e)[. = 'shipped']")
    assert message.endswith("(. is open)")


def test_one_name_with_several_types(tmp_path: Path) -> None:
    """The types of the elements that are asked count, not of others of the name."""
    attribute = f'<xs:attribute name="c">{simple("NMTOKEN", "enumeration=x")}</xs:attribute>'
    schema = schema_of(
        f'<xs:complexType><xs:attribute name="c">{STATUS}</xs:attribute></xs:complexType>', attribute
    )
    assert warned(tmp_path, schema, "event A = *(e/@c)[. = 'x']")
    assert warned(tmp_path, schema, "event A = *(s/@c)[. = 'x']") == []
    assert warned(tmp_path, schema, "event A = *(@c)[. = 'x' or . = 'open']") == []
    assert warned(tmp_path, schema, "event A = *(@c)[. = 'y']")


def test_long_enumerations(tmp_path: Path) -> None:
    """The library is not given them (`facets`); they are looked at all the same."""
    type_ = simple("token", *(f"enumeration=v{number}" for number in range(3_000)))
    (message,) = warned(tmp_path, schema_of(type_), "event A = ins(e)[. = 'v2999' or . = 'v3000']")
    assert ". is never 'v3000'" in message
    assert "v7 and 2,992 more" in message


def test_what_stands_in_other_documents_is_not_the_schema_s(tmp_path: Path) -> None:
    """Names and values: the paths begin at a reference document (V8)."""
    text = "event A = ins(e)[not($parts/parts/part[@state = 'x']/@n = .) or $parts//a/b = 'y']"
    file = tmp_path / "s.xsd"
    file.write_text(schema_of(STATUS), encoding="utf-8")
    rules = parse_rules(text, references={"parts": b"<parts><part/></parts>"})
    assert check_rules(rules, file) == check_values(rules, file) == []


# -- the law: brute force over the values there can be ------------------------------------------------------

WORDS = ["open", "shipped", "a", "b c", "B", "true", "1", "7"]
_NUMBERS = ["0", "1", "5", "7", "10", "100", "-3"]
POOL = [
    *WORDS, *_NUMBERS, "", " ", "open ", " shipped", "b  c", "a b", "open a", "5 7", "1 true", "+5", "05", "5.0", "5.5",
    ".5", "-0", "1e3", "INF", "NaN", "false", "2026-01-31", "2026", "12:00:00", "x-1", "AB-12", "ab", "aaa", "P1D",
    "\n7\t", "99", "101", "-4", "Infinity", "6.999",
]  # fmt: skip


@st.composite
def types(draw: st.DrawFn, depth: int = 1) -> str:
    kinds = ["text", "text", "number", "number", "built in", *(["list", "union"] if depth else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "list":
        return of_list(draw(types(depth=0)))
    if kind == "union":
        return of_union(draw(types(depth=0)), draw(types(depth=0)))
    if kind == "built in":
        names = [
            "string",
            "token",
            "boolean",
            "date",
            "NMTOKEN",
            "NCName",
            "gYear",
            "double",
            "int",
            "unsignedByte",
            "language",
            "time",
        ]
        return simple(draw(st.sampled_from(names)))
    if kind == "number":
        base = draw(st.sampled_from(["decimal", "integer", "positiveInteger", "float", "byte"]))
        allowed = [n for n in _NUMBERS if base != "positiveInteger" or int(n) > 0]
        if draw(st.booleans()):
            return simple(base, *(f"enumeration={n}" for n in draw(_some(allowed))))
        bounds = sorted(draw(st.tuples(*2 * [st.sampled_from(allowed)])), key=int)
        kinds = [draw(st.sampled_from(["Inclusive", "Inclusive", "Exclusive"])) for _ in bounds]
        if "Exclusive" in kinds and bounds[0] == bounds[1]:
            kinds = ["Inclusive", "Inclusive"]
        chosen = [f"min{kinds[0]}={bounds[0]}", f"max{kinds[1]}={bounds[1]}"]
        return simple(base, *chosen[draw(st.integers(0, 1)) :])
    base = draw(st.sampled_from(["string", "token", "normalizedString", "NMTOKEN"]))
    words = [word for word in WORDS if base != "NMTOKEN" or " " not in word]
    facets = draw(st.sampled_from(["enumeration", "enumeration", "pattern", "length"]))
    if facets == "enumeration":
        return simple(base, *(f"enumeration={word}" for word in draw(_some(words))))
    if facets == "length":
        return simple(base, f"minLength={draw(st.integers(0, 2))}", f"maxLength={draw(st.integers(2, 5))}")
    patterns = ["[a-z]+", r"\d*", "[A-Z]{2}-[0-9]+", "open|shipped", "a{1,3}", r".\d?", "[^a]+", r"\S+ \S+"]
    return simple(base, *(f"pattern={pattern}" for pattern in draw(_some(patterns))))


def _some(values: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True)


@st.composite
def questions(draw: st.DrawFn) -> str:
    subject = draw(
        st.sampled_from(
            [
                "@a",
                "e",
                "e/text()",
                ".//e",
                "true()",
                "contains(e, 'a')",
                "string(e)",
                "number(@a)",
                "(e | @a)",
                "max(e)",
                "string(@b)",
            ]
        )
    )
    literal = st.sampled_from(POOL).filter(lambda text: "\n" not in text).map(lambda text: f"'{text}'")
    number = st.sampled_from(["0", "1", "5", "5.5", "7", "10", "100", "-3", "- 4", "99.5", "1000"])
    if subject not in ("number(@a)", "max(e)") and draw(st.integers(0, 5)) == 0:
        function = draw(st.sampled_from(["starts-with", "contains", "ends-with"]))
        return f"{function}({subject}, {draw(literal)})"
    other = draw(st.one_of(literal, literal, number, number, st.sampled_from(["@b", "@a", "e", "string(e)"])))
    sign = draw(st.sampled_from(["=", "=", "!=", "<", "<=", ">", ">="]))
    return f"{subject} {sign} {other}" if draw(st.booleans()) else f"{other} {sign} {subject}"


@cache
def accepted(type_: str) -> list[str] | None:
    """Those of the pool that the library takes, which is told all that the schema says; None if it is no type."""
    try:
        schema = xmlschema.XMLSchema11(
            f'<xs:schema {XS}><xs:element name="e">{type_}</xs:element></xs:schema>'
        )
    except xmlschema.XMLSchemaException:
        return None
    found = []
    for text in POOL:
        root = etree.Element("e")
        root.text = text
        if schema.is_valid(root):
            found.append(text)
    return found


def documents(element: Iterable[str], a: Iterable[str], b: Iterable[str]) -> Iterable[etree._Element]:
    for text in element:
        for of_a in (None, *a):
            for of_b in (None, *b):
                root = etree.Element("r", {k: v for k, v in (("a", of_a), ("b", of_b)) if v is not None})
                etree.SubElement(root, "e").text = text
                yield root


@given(element=types(), a=types(), b=types(), question=questions())
def test_no_value_there_can_be_makes_true_what_is_warned_of(
    element: str, a: str, b: str, question: str
) -> None:
    values = [accepted(each) for each in (element, a, b)]
    if None in values:
        return
    asked = compile_expression(question, node=NodeKind.ELEMENT)
    told = [
        [text for text in POOL if text in known] if name in question else []
        for name, known in zip(("e", "@a", "@b"), (set(each or ()) for each in values), strict=True)
    ]
    outcomes = {
        asked.boolean(Environment(element=root)) for root in documents(told[0] or [""], told[1], told[2])
    }
    schema = (
        f'<xs:schema {XS}><xs:element name="r"><xs:complexType><xs:sequence><xs:element name="e">{element}</xs:element>'
        f'</xs:sequence><xs:attribute name="a">{a}</xs:attribute><xs:attribute name="b">{b}</xs:attribute>'
        "</xs:complexType></xs:element></xs:schema>"
    )
    problems = check_values(parse_rules(f"event A = ins(r)[{question}]"), opened(schema))
    always = any("!= always" in each.message for each in problems)
    event(f"warned: {bool(problems)}, can be true: {True in outcomes}")
    if problems and not always:
        assert True not in outcomes, str(problems[0].message)
    if re.fullmatch("(@a|e) = '.*'", question) and any(told):
        assert bool(problems) is (
            True not in outcomes
        )  # a text is a value of a type or is none: nothing is missed


def opened(schema: str) -> xmlschema.XMLSchema11:
    """A schema as it is read from a file: without the facets that are simplified."""
    found = xmlschema.XMLSchema11(schema, build=False)
    for each in found.maps.schemas:
        if each.target_namespace != "http://www.w3.org/2001/XMLSchema":
            loading.simplify_facets(each.root)
    found.build()
    return found


BASE = (
    f'<xs:schema {XS}><xs:simpleType name="State"><xs:restriction base="xs:token"><xs:enumeration value="new"/>'
    '<xs:enumeration value="old"/><xs:enumeration value="gone"/></xs:restriction></xs:simpleType>'
    '<xs:attributeGroup name="G"><xs:attribute name="state" type="State"/></xs:attributeGroup></xs:schema>'
)
ELEMENT = '<xs:element name="e"><xs:complexType><xs:attributeGroup ref="G"/></xs:complexType></xs:element></xs:schema>'


@pytest.mark.parametrize(
    ("top", "inside", "never"),
    [
        ("", '<xs:include schemaLocation="base.xsd"/>', ["up"]),
        ('targetNamespace="urn:t" xmlns="urn:t"', '<xs:include schemaLocation="base.xsd"/>', ["up"]),
        (
            "",
            '<xs:redefine schemaLocation="base.xsd"><xs:simpleType name="State"><xs:restriction base="State">'
            '<xs:enumeration value="new"/></xs:restriction></xs:simpleType></xs:redefine>',
            ["gone", "up"],
        ),
        (
            'xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1"',
            '<xs:override schemaLocation="base.xsd"><xs:simpleType name="State"><xs:restriction base="xs:token">'
            '<xs:enumeration value="up"/></xs:restriction></xs:simpleType></xs:override>',
            ["new", "gone"],
        ),
    ],
    ids=["included", "included by a chameleon", "redefined", "overridden"],
)
def test_types_of_other_files(tmp_path: Path, top: str, inside: str, never: list[str]) -> None:
    (tmp_path / "base.xsd").write_text(BASE, encoding="utf-8")
    schema = f"<xs:schema {XS} {top}>{inside}{ELEMENT}"
    namespace = 'namespace "urn:t"\n' if "urn:t" in top else ""
    rules = f"{namespace}event A = ins(e/@state)[. = 'new' or . = 'gone' or . = 'up']"
    said = warned(tmp_path, schema, rules)
    assert [
        word for word in ("new", "gone", "up") if any(f"never '{word}'" in each for each in said)
    ] == never
