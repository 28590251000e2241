"""Constructs of XML Schema one by one: documents of them inserted in random orders, xmlschema being the judge."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import xmlschema
from lxml import etree

from tests.schema.validation import left_out, nodes_of, outcome, random_order
from xmlcep.rules import parse_rules
from xmlcep.schema import SchemaError, derive

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
OPTIONAL = 'minOccurs="0"'
TWO_OR_THREE = 'minOccurs="2" maxOccurs="3"'
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


class Row(NamedTuple):
    """The inside of a schema, and a document; ``version`` of XML Schema."""

    schema: str
    document: str
    version: str = "1.0"


def element(name: str, content: str, attributes: str = "") -> str:
    return f'<xs:element name="{name}"><xs:complexType>{content}{attributes}</xs:complexType></xs:element>'


def string(*names: str, more: str = "") -> str:
    return "".join(f'<xs:element name="{name}" type="xs:string" {more}/>' for name in names)


def sequence(*parts: str, occurs: str = "") -> str:
    return f"<xs:sequence {occurs}>{''.join(parts)}</xs:sequence>"


SKIP = 'namespace="##any" processContents="skip"'
POSITIVE = '<xs:attribute name="n" type="xs:int" use="required"/>'
NODE = element(
    "node",
    sequence(string("label"), '<xs:element ref="node" minOccurs="0" maxOccurs="unbounded"/>'),
    '<xs:attribute name="id" use="required"/>',
)
SHAPES = (
    '<xs:element name="shape" abstract="true" type="xs:decimal"/>'
    '<xs:element name="circle" substitutionGroup="shape"/><xs:element name="square" substitutionGroup="circle"/>'
)
PAYMENTS = (
    f'<xs:complexType name="P">{sequence(string("amount"))}</xs:complexType>'
    f'<xs:complexType name="Card"><xs:complexContent><xs:extension base="P">{sequence(string("card"))}'
    "</xs:extension></xs:complexContent></xs:complexType>"
)
ROWS = {
    "all": Row(element("r", f"<xs:all>{string('a', 'b')}{string('c', more=OPTIONAL)}</xs:all>"), "<r><b/><c/><a/></r>"),
    "choice": Row(element("r", f"<xs:choice>{string('a')}{sequence(string('b', 'c'))}</xs:choice>"), "<r><b/><c/></r>"),
    "choice with an empty branch": Row(
        element("r", f"<xs:choice>{sequence(string('a', more=OPTIONAL))}{string('b')}</xs:choice>"), "<r><b/></r>"
    ),
    "choice of groups twice": Row(
        element("r", f'<xs:choice minOccurs="2" maxOccurs="2">{string("a")}{sequence(string("b", "c"))}</xs:choice>'),
        "<r><b/><c/><a/></r>",
    ),
    "the same element in two places": Row(
        element("r", sequence(string("a", "b"), string("a"), string("b", more='minOccurs="0"'))), "<r><a/><b/><a/></r>"
    ),
    "the same element in a sequence and in a choice": Row(
        element("r", sequence(string("a"), f"<xs:choice>{string('a')}{string('b')}</xs:choice>")), "<r><a/><a/></r>"
    ),
    "a group that needs one more of an element": Row(
        element("r", sequence(string("a"), sequence(string("b", "a"), occurs='maxOccurs="unbounded"'))),
        "<r><a/><b/><a/><b/><a/></r>",
    ),
    "rounds with several of an element": Row(
        element("r", sequence(string("a", more='maxOccurs="2"'), string("b"), occurs='minOccurs="2" maxOccurs="3"')),
        "<r><a/><a/><b/><a/><b/></r>",
    ),
    "rounds with an optional element": Row(
        element("r", sequence(string("a"), string("b", more=OPTIONAL), occurs='minOccurs="2" maxOccurs="2"')),
        "<r><a/><a/><b/></r>",
    ),
    "substitution group": Row(
        SHAPES + element("r", sequence('<xs:element ref="shape" minOccurs="2" maxOccurs="unbounded"/>')),
        "<r><circle>1</circle><square>2</square></r>",
    ),
    "extension": Row(PAYMENTS + '<xs:element name="r" type="Card"/>', "<r><amount/><card/></r>"),
    "xsi:type": Row(
        PAYMENTS + '<xs:element name="r" type="P"/>', f'<r {XSI} xsi:type="Card"><amount/><card/></r>'
    ),
    "abstract type": Row(
        PAYMENTS.replace('name="P"', 'name="P" abstract="true"') + '<xs:element name="r" type="P"/>',
        f'<r {XSI} xsi:type="Card"><amount/><card/></r>',
    ),
    "nillable, nil": Row(
        element("r", sequence(string("a")), '<xs:attribute name="k" use="required"/>').replace(
            'name="r"', 'name="r" nillable="true"'
        ),
        f'<r {XSI} xsi:nil="true" k="1"/>',
    ),
    "nillable, not nil": Row(
        element("r", sequence(string("a"))).replace('name="r"', 'name="r" nillable="true"'), "<r><a/></r>"
    ),
    "required wildcard": Row(
        element("r", sequence(string("a"), f'<xs:any {SKIP} minOccurs="2" maxOccurs="2"/>')),
        "<r><a/><x/><y/></r>",
    ),
    "required wildcard in a choice": Row(
        element("r", f'<xs:choice>{string("a")}<xs:any namespace="urn:o" processContents="skip"/></xs:choice>'),
        '<r><o:z xmlns:o="urn:o"/></r>',
    ),
    "mixed": Row(
        element("r", sequence(string("a"))).replace("<xs:complexType>", '<xs:complexType mixed="true">'),
        "<r>x<a/>y</r>",
    ),
    "default": Row(
        element("r", sequence('<xs:element name="a" type="xs:decimal" default="1"/>', string("b"))),
        "<r><a>2</a><b/></r>",
    ),
    "list and union": Row(
        '<xs:simpleType name="L"><xs:list itemType="xs:int"/></xs:simpleType><xs:simpleType name="U">'
        '<xs:union memberTypes="xs:int xs:date"/></xs:simpleType>'
        + element("r", sequence('<xs:element name="l" type="L"/><xs:element name="u" type="U"/>')),
        "<r><l>1 2</l><u>3</u></r>",
    ),
    "recursion": Row(NODE, '<node id="1"><label/><node id="2"><label/></node><node id="3"><label/></node></node>'),
    "one name, two types": Row(
        element("r", sequence(string("t"), element("s", sequence('<xs:element name="t" type="xs:int"/>')))),
        "<r><t/><s><t>1</t></s></r>",
    ),
    "names outside ASCII": Row(
        element("größe", sequence('<xs:element name="naïve.x-1" type="xs:int"/>', string("日本"))),
        "<größe><naïve.x-1>1</naïve.x-1><日本/></größe>",
    ),
    "assertion (XSD 1.1)": Row(
        element("r", sequence(string("a")), f'{POSITIVE}<xs:assert test="@n &gt; 0"/>'),
        '<r n="1"><a/></r>',
        "1.1",
    ),
    "all with several (XSD 1.1)": Row(
        element("r", f"<xs:all>{string('a', more=TWO_OR_THREE)}{string('b')}</xs:all>"),
        "<r><a/><b/><a/></r>",
        "1.1",
    ),
}  # fmt: skip


def load(row: Row) -> xmlschema.XMLSchema10:
    kind = xmlschema.XMLSchema10 if row.version == "1.0" else xmlschema.XMLSchema11
    return kind(f"<xs:schema {XS}>{row.schema}</xs:schema>", allow="none", defuse="never")


@pytest.mark.parametrize("name", ROWS)
def test_complete_when_enough_is_there(name: str) -> None:
    row = ROWS[name]
    schema = load(row)
    root = etree.fromstring(row.document)
    schema.validate(root)
    nodes = nodes_of(root, schema)
    rules = derive(schema)
    choose = random.Random(name)
    seen = 0
    for turn in range(30):
        gone = [choose.choice(nodes[1:])] if turn % 2 else []
        kept = left_out(nodes, gone)
        result = outcome(random_order(kept, choose), rules, schema)
        for node in kept:
            has_event = any(composite_ends(tree.path, node.path) for tree in rules.graph.trees)
            if node.is_element and has_event:
                expected = [result.expected[node.index]] if node.index in result.expected else []
                assert result.raised.get(node.index, []) == expected, str(node.path)
                seen += bool(expected)
    assert seen >= 15


def composite_ends(path: object, whole: object) -> bool:
    from path_types import PathType, offset

    assert isinstance(path, PathType) and isinstance(whole, PathType)
    return whole.steps[-len(path) :] == path.steps and (whole is path or offset(path, whole) is not None)


def derived_text(
    schema: str, tmp_path: Path, namespace: str = "", *, version: str = "", **options: Any
) -> str:
    file = tmp_path / "s.xsd"
    target = (
        f'targetNamespace="{namespace}" xmlns:t="{namespace}" elementFormDefault="qualified"'
        if namespace
        else ""
    )
    file.write_text(f"<xs:schema {XS} {target} {version}>{schema}</xs:schema>", encoding="utf-8")
    return derive(file, **options).text or ""


@pytest.mark.parametrize(
    ("lower", "upper", "derived"),
    [
        ("3", "999999999", "x[3,999999999] ins(r/a)"),
        ("3", "2000000000", "x[3,*] ins(r/a)"),  # a bound that the language cannot read, nor anybody reach
        ("999999999", "1" + "0" * 30, "x[999999999,*] ins(r/a)"),
        ("2", "unbounded", "x[2,*] ins(r/a)"),
    ],
)
def test_great_bounds(lower: str, upper: str, derived: str, tmp_path: Path) -> None:
    text = derived_text(
        element("r", sequence(string("a", more=f'minOccurs="{lower}" maxOccurs="{upper}"'))),
        tmp_path,
        deletions=False,
    )
    assert f"event CompleteR(r) = ins(r) ; {derived}\n" in text
    parse_rules(text)


@pytest.mark.parametrize("times", ["1", "1000000"])
def test_what_no_event_can_be_made_of(times: str, tmp_path: Path) -> None:
    """10^30 children, or 10^6 times 10^6: `check` would refuse such bounds, and no document has so many."""
    many = "1" + "0" * (30 if times == "1" else 6)
    child = string("a", more=f'minOccurs="{many}" maxOccurs="unbounded"')
    content = sequence(child, occurs=f'minOccurs="{times}" maxOccurs="{times}"')
    with pytest.raises(SchemaError, match=r"r: the schema asks for more than 999,999,999 .* \(MAX_BOUND\)"):
        derived_text(element("r", content), tmp_path)


def test_namespaces_are_declared(tmp_path: Path) -> None:
    schema = element("r", sequence('<xs:element name="a" type="xs:int"/>'))
    assert 'namespace "urn:x"' in derived_text(schema, tmp_path, "urn:x")
    assert "ins(r/a)" not in derived_text(schema, tmp_path, "urn:x")
    assert "CompleteA(r/a)" in derived_text(schema, tmp_path, "urn:x")


def test_unqualified_local_elements_need_prefixes(tmp_path: Path) -> None:
    file = tmp_path / "s.xsd"
    schema = element("r", sequence(string("a")))
    file.write_text(
        f'<xs:schema {XS} xmlns:t="urn:x" targetNamespace="urn:x">{schema}</xs:schema>', encoding="utf-8"
    )
    text = derive(file).text or ""
    assert 'namespace t = "urn:x"' in text
    assert "event CompleteR(t:r) = ins(t:r) ; ins(t:r/a)\n" in text


def test_documentation_cannot_leave_its_comment(tmp_path: Path) -> None:
    said = "one&#10;event Evil = ins(x)&#13;two\u2028three\x85four"
    annotation = f"<xs:annotation><xs:documentation>{said}</xs:documentation></xs:annotation>"
    schema = element("r", sequence(string("a"))).replace("<xs:complexType>", annotation + "<xs:complexType>")
    text = derived_text(schema, tmp_path)
    assert "# r: one event Evil = ins(x) two three four\n" in text
    assert [line for line in text.splitlines() if line.startswith("event")] == [
        "event CompleteR(r) = ins(r) ; ins(r/a)"
    ]


def test_a_schema_gives_the_same_text_every_time(tmp_path: Path) -> None:
    schema = SHAPES + element("r", sequence('<xs:element ref="shape" maxOccurs="unbounded"/>'))
    assert len({derived_text(schema, tmp_path) for _ in range(5)}) == 1


def test_required_children_of_the_same_name_are_counted(tmp_path: Path) -> None:
    """G1: no event can be made of itself, so that a condition has to do."""
    content = (
        '<xs:choice minOccurs="2" maxOccurs="9"><xs:element ref="and"/>' + string("leaf") + "</xs:choice>"
    )
    text = derived_text(element("and", content), tmp_path, depth=1)
    assert "# a condition, not an event, says whether there is enough in and, to a limited depth" in text
    assert 'event CompleteAnd(and) {when="count(and[count(and | leaf) >= 2] | leaf) >= 2"}' in text


def test_declarations_that_no_path_tells_apart_are_named(tmp_path: Path) -> None:
    """Two declarations of ``b`` that demand different things, in each other without end."""
    inner = '<xs:element name="b" type="{}" minOccurs="0"/>'
    types = "".join(
        f'<xs:complexType name="{name}">{sequence(string(demand), inner.format(other))}</xs:complexType>'
        for name, other, demand in (("B", "C", "x"), ("C", "B", "y"))
    )
    root = element("r", sequence(string("t"), '<xs:element name="b" type="B"/>'))
    text = derived_text(types + root, tmp_path, deletions=False)
    assert "# no events, as no paths of reasonable length tell their declarations apart: b\n" in text
    assert 'event CompleteR(r) = ins(r) ; (ins(r/t) & x[1,1]{when="b[x]"} ins(r/b))\n' in text


@pytest.mark.parametrize(
    ("wildcard", "told"),
    [
        ('<xs:any namespace="##other" minOccurs="0" maxOccurs="unbounded"/>', "count(t:source) > 1"),
        ('<xs:any namespace="##any" minOccurs="0" maxOccurs="2"/>', "count(t:source) > 3"),
        ('<xs:any namespace="##targetNamespace" minOccurs="0"/>', "count(t:source) > 2"),
        ('<xs:any namespace="##any" minOccurs="0" maxOccurs="unbounded"/>', None),
    ],
)
def test_bounds_beside_wildcards(wildcard: str, told: str | None, tmp_path: Path) -> None:
    """Only a wildcard that takes the child's name changes how many of it there may be."""
    content = sequence('<xs:element name="source" type="xs:string"/>', wildcard)
    text = derived_text(element("unit", content), tmp_path, "urn:t", violations=True)
    assert re.findall(r'TooManySourceInUnit\(unit\) \{when="(.*)"\}', text) == ([told] if told else [])


@pytest.mark.parametrize(
    ("excluded", "bound"), [("##defined", 2), ("##definedSibling", 1), ("t:other", 2), ("t:source", 1)]
)
def test_wildcards_that_exclude_names(excluded: str, bound: int, tmp_path: Path) -> None:
    """XSD 1.1: ``##defined`` is what is declared globally, ``##definedSibling`` all that the content model declares."""
    wildcard = f'<xs:any notQName="{excluded}" processContents="lax"/>'
    content = sequence('<xs:element name="source" type="xs:string"/>', wildcard)
    version = 'xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1"'
    text = derived_text(element("unit", content), tmp_path, "urn:t", version=version, violations=True)
    assert f'{{when="count(t:source) > {bound}"}}' in text


EXTENDED_ONCE = (
    '<xs:simpleType name="Money"><xs:restriction base="xs:decimal"/></xs:simpleType>'
    '<xs:complexType name="Taxed"><xs:simpleContent><xs:extension base="Money">'
    '<xs:attribute name="rate" use="required"/></xs:extension></xs:simpleContent></xs:complexType>'
    '<xs:complexType name="Base"><xs:sequence><xs:element name="p" type="Money"/></xs:sequence></xs:complexType>'
    '<xs:complexType name="More"><xs:complexContent><xs:extension base="Base">'
    '<xs:attribute name="m" use="required"/></xs:extension></xs:complexContent></xs:complexType>'
    '<xs:element name="b" type="Base"/>'
)


@pytest.mark.parametrize(
    ("asked", "conditions", "remark"),
    [("complex", 2, "of simple types"), ("all", 4, ""), ("none", 0, "of all types")],
)
def test_whose_xsi_type_is_asked_for(asked: str, conditions: int, remark: str, tmp_path: Path) -> None:
    """A simple type that is extended once does not put a condition on every element of it, unless asked."""
    text = derived_text(EXTENDED_ONCE, tmp_path, xsi_type=asked, deletions=False)
    assert text.count("when=") == conditions
    assert ("# xsi:type is not looked at in elements " + remark in text) == bool(remark)
    assert ("event CompleteP(p) = ins(p) ; ins(p/text())\n" in text) == (asked != "all")


@pytest.mark.parametrize("where", ["block", "blockDefault"])
def test_types_that_cannot_stand_in_an_instance_are_not_asked_for(where: str, tmp_path: Path) -> None:
    """``block`` forbids what is derived: then the plain event is all there is."""
    file = tmp_path / "s.xsd"
    blocked = EXTENDED_ONCE.replace('name="b" type', 'name="b" block="extension" type')
    schema = f"<xs:schema {XS}>{blocked}</xs:schema>"
    if where == "blockDefault":
        schema = f'<xs:schema {XS} blockDefault="#all">{EXTENDED_ONCE}</xs:schema>'
    file.write_text(schema, encoding="utf-8")
    assert "event CompleteB(b) = ins(b) ; CompleteP(b/p)\n" in (derive(file).text or "")
