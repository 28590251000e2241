"""Wrapped trees are genuine lxml trees: the same operations give what plain trees give."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import subprocess
import sys
from random import Random
from typing import Any

import lxml.html
import pytest
from lxml import etree, isoschematron, objectify, sax

from tests.wrapping.mutator import START, Mutator
from xmlcep.wrapping import fromstring

XML = (
    '<po:order xmlns:po="urn:po" id="o1"><!--c--><po:item n="1">a<b/>t</po:item><po:item n="2"><b>x</b>u</po:item>'
    "<?p q?>v<empty/></po:order>"
)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("subscribed", [True, False])
def test_the_same_edits_give_the_same(seed: int, subscribed: bool) -> None:
    """Results, exceptions and serialisation after every step are those of a plain tree."""
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup())
    plain = Mutator(etree.fromstring(START, parser), Random(seed), elsewhere=False, deviating=False)
    plain_results = []
    for _ in range(40):
        plain_results.append((plain.step(), etree.tostring(plain.root)))
    document = fromstring(START)
    if subscribed:
        document.subscribe(lambda event: None)
    wrapped = Mutator(document.root, Random(seed), elsewhere=False, deviating=False)
    for expected in plain_results:
        assert (wrapped.step(), etree.tostring(wrapped.root)) == expected
    document._check()


READINGS = {
    "tostring": lambda r: etree.tostring(r),
    "pretty": lambda r: etree.tostring(r, pretty_print=True, xml_declaration=True, encoding="utf-8"),
    "c14n": lambda r: etree.tostring(r, method="c14n", exclusive=True),
    "canonicalize": lambda r: etree.canonicalize(etree.tostring(r, encoding="unicode")),
    "xpath": lambda r: [n.tag for n in r.xpath("//p:item[b]", namespaces={"p": "urn:po"})],
    "xpath text": lambda r: r.xpath("string(.)"),
    "xpath attribute": lambda r: r.xpath("//@n"),
    "find": lambda r: r.find("{urn:po}item/b").tag,
    "findall": lambda r: len(r.findall(".//b")),
    "findtext": lambda r: r.findtext(".//b"),
    "iterfind": lambda r: [n.tag for n in r.iterfind("*")],
    "iter": lambda r: [str(n.tag) for n in r.iter()],
    "itertext": lambda r: list(r.itertext()),
    "iterwalk": lambda r: [(e, str(n.tag)) for e, n in etree.iterwalk(r, events=("start", "end", "comment", "pi"))],
    "nsmap": lambda r: (r.nsmap, r.prefix, r[1].prefix, r.base),
    "attrib": lambda r: (dict(r.attrib), r.items(), r.keys(), r.values(), repr(r.attrib), len(r[1].attrib)),
    "index": lambda r: (r.index(r[2]), len(r), r[-1].tag, [n.tag for n in r[1:3]], bool(len(r[-1]))),
    "siblings": lambda r: (r[1].getnext().tag, r[2].getprevious().tag, r[1].getparent().tag),
    "path": lambda r: r.getroottree().getpath(r[2][0]),
    "elementpath": lambda r: r.getroottree().getelementpath(r[2][0]),
    "deepcopy": lambda r: etree.tostring(copy.deepcopy(r[1])),
    "copy": lambda r: etree.tostring(copy.copy(r)),
    "comments": lambda r: [(n.text, n.tail) for n in r.iter(etree.Comment, etree.PI)],
    "sourceline": lambda r: r[1].sourceline,
    "isinstance": lambda r: (etree.iselement(r), isinstance(r, etree._Element)),
    "attribute mapping": lambda r: (
        r.attrib == {"id": "o1"}, "id" in r.attrib, r.attrib.get("x", 3), list(r.attrib), r.attrib | {}
        if hasattr(type(r.attrib), "merge") else None, isinstance(copy.copy(r.attrib), dict),
        {**r.attrib}, dict(r.attrib.items()), sorted(r.attrib), r.attrib.has_key("id"),
    ),
    "new with attrib": lambda r: etree.tostring(etree.Element("x", r.attrib)),
    "sub with attrib": lambda r: etree.tostring(etree.SubElement(etree.Element("y"), "x", dict(r.attrib), k="v")),
    "write": lambda r: written(r),
    "xslt": lambda r: str(SHEET(r)),
    "xslt tree": lambda r: str(SHEET(r.getroottree())),
    "relaxng": lambda r: RELAX.validate(r),
    "schema": lambda r: SCHEMA.validate(r),
    "schematron-like": lambda r: r.xpath("count(//b) = 2"),
    "cssselect": lambda r: [n.tag for n in etree.XPath("descendant-or-self::b")(r)],
    "evaluator": lambda r: etree.XPathEvaluator(r)("count(//*)"),
    "extension": lambda r: r.xpath("f:double(2)", namespaces={"f": "urn:f"}, extensions={("urn:f", "double"): double}),
    "sax": lambda r: etree.tostring(etree.fromstring(etree.tostring(r))),
    "saxify": lambda r: saxified(r),
    "c14n file": lambda r: written(r, "write_c14n"),
    "text only": lambda r: etree.tostring(r, method="text", encoding="unicode", with_tail=False),
    "as html": lambda r: (lxml.html.tostring(r), lxml.html.HtmlMixin.text_content(r)),
    "links": lambda r: list(lxml.html.iterlinks(etree.tostring(r))),
    "classes": lambda r: sorted(lxml.html.Classes(r.attrib)),
    "serialised in parts": lambda r: (etree.tostringlist(r), etree.tounicode(r)),
    "into a file of others": lambda r: filed(r),
    "smart strings": lambda r: [(str(s.getparent().tag), s.is_tail, s.attrname) for s in r.xpath("//text() | //@*")],
    "every axis": lambda r: [
        len(r.xpath(f"//{axis}::node()"))
        for axis in ("ancestor", "following", "preceding", "following-sibling", "preceding-sibling", "parent", "self")
    ],
    "namespace axis": lambda r: r.xpath("//namespace::*"),
    "variables": lambda r: len(r.xpath("$nodes/b", nodes=list(r))),
    "regular expressions": lambda r: r.xpath("re:replace('a', 'a', 'g', 'b')", namespaces={"re": REGEX}),
    "compiled": lambda r: [len(etree.XPath("//b")(r)), len(etree.ETXPath("//{urn:po}item")(r.getroottree()))],
    "objectify path": lambda r: objectify.ObjectPath("{urn:po}order.item").hasattr(r),
    "validators": lambda r: [
        bool(validate(r))
        for validate in (SCHEMA, RELAX, DECLARED, isoschematron.Schematron(RULES))
    ],
    "schema of the tree": lambda r: (r.getroottree().relaxng(RELAX_TREE), r.getroottree().xmlschema(SCHEMA_TREE)),
    "transformed by the tree": lambda r: etree.tostring(r.getroottree().xslt(COPY.getroottree())),
    "copied by XSLT": lambda r: etree.tostring(etree.XSLT(COPY)(r, p=etree.XSLT.strparam("v"))),
    "part transformed": lambda r: etree.tostring(etree.XSLT(COPY)(r[2])),
    "walked with tags": lambda r: [(e, n.text) for e, n in etree.iterwalk(r, events=("end",), tag=("b", "{urn:po}*"))],
    "iterators": lambda r: [
        [str(n.tag) for n in each] for each in (
            r.iterdescendants("b"), r[1].iterancestors(), r[1].itersiblings(), r[-1].itersiblings(preceding=True),
            r.iterchildren(reversed=True), reversed(r), r.getroottree().iter("*"),
        )
    ],
    "compared": lambda r: (r == r, r != r[0], r in {r}, r[1] in r, r[1][0] in r, sorted(map(str, {n.tag for n in r}))),
    "copied by parts": lambda r: [etree.tostring(copy.copy(n)) for n in r.iter()],
    "tree copied": lambda r: etree.tostring(copy.deepcopy(r.getroottree())),
    "pickled": lambda r: raised(lambda: pickle.dumps(r)),
    "made, not put": lambda r: etree.tostring(r.makeelement("x", r.attrib, r.nsmap)),
    "document": lambda r: (
        r.getroottree().docinfo.doctype, r.getroottree().docinfo.root_name, r.getroottree().docinfo.standalone,
        r.getroottree().getroot() is r,
    ),
    "instruction": lambda r: [(n.target, n.text, n.get("x"), dict(n.attrib)) for n in r.iter(etree.PI)],
    "what is not there": lambda r: [
        raised(call) for call in (
            lambda: r[99], lambda: r.attrib["none"], lambda: r.index(etree.Element("x")), lambda: r.xpath("//q:x"),
            lambda: r.remove(etree.Element("x")), lambda: r.replace(etree.Element("x"), etree.Element("y")),
            lambda: r.attrib.pop("none"), lambda: r.insert(0, None), lambda: r.append("x"), lambda: r.extend(["x"]),
        )
    ],
}  # fmt: skip


def double(_: Any, number: float) -> float:
    return 2 * number


def written(root: Any, how: str = "write") -> bytes:
    out = io.BytesIO()
    getattr(root.getroottree(), how)(out)
    return out.getvalue()


def filed(root: Any) -> bytes:
    out = io.BytesIO()
    with etree.xmlfile(out) as file, file.element("all"):
        file.write(root, *root, pretty_print=True)
    return out.getvalue()


def saxified(root: Any) -> bytes:
    handler = sax.ElementTreeContentHandler()
    sax.saxify(root, handler)
    return etree.tostring(handler.etree)


def raised(call: Any) -> str:
    try:
        call()
    except Exception as error:
        return next(
            kind.__name__ for kind in type(error).__mro__ if kind.__module__ in ("builtins", "lxml.etree")
        )
    return "nothing"


SHEET = etree.XSLT(etree.XML(
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
    '<xsl:template match="/"><out><xsl:value-of select="count(//b)"/></out></xsl:template></xsl:stylesheet>'
))  # fmt: skip
RELAX = etree.RelaxNG(etree.XML(
    '<element name="*" xmlns="http://relaxng.org/ns/structure/1.0"><anyName/><zeroOrMore><choice><text/>'
    '<attribute><anyName/></attribute></choice></zeroOrMore></element>'.replace(' name="*"', "")
))  # fmt: skip
SCHEMA = etree.XMLSchema(etree.XML(
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:po">'
    '<xs:element name="order"/></xs:schema>'
))  # fmt: skip


SCHEMA_TREE = etree.XML(
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:po">'
    '<xs:element name="order"/></xs:schema>'
)
RELAX_TREE = etree.XML('<element xmlns="http://relaxng.org/ns/structure/1.0"><anyName/><text/></element>')
DECLARED = etree.DTD(io.StringIO('<!ELEMENT order ANY><!ATTLIST order id CDATA "o" k CDATA "d">'))
RULES = etree.XML(
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron"><pattern id="p"><rule context="b">'
    '<report test="@k">k</report></rule></pattern></schema>'
)
REGEX = "http://exslt.org/regular-expressions"
COPY = etree.XML(
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:param name="p"/><xsl:template '
    'match="@*|node()"><xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template></xsl:stylesheet>'
)


@pytest.mark.parametrize("name", READINGS)
def test_readings_are_the_same(name: str) -> None:
    document = fromstring(XML)
    events: list[Any] = []
    document.subscribe(events.append)
    read = READINGS[name]
    plain = read(etree.fromstring(XML))
    assert read(document.root) == plain
    gc.collect()
    assert read(document.root) == plain
    assert events == []
    document._check()


def test_copies_are_not_tracked() -> None:
    document = fromstring(XML)
    events: list[Any] = []
    document.subscribe(events.append)
    for node in (copy.deepcopy(document.root), copy.copy(document.root), SHEET(document.root).getroot()):
        node.set("k", "v")
        etree.SubElement(node, "x").text = "y"
        del node[0]
    assert events == []


def test_trees_that_are_not_wrapped_never_tell() -> None:
    document = fromstring("<a/>")
    events: list[Any] = []
    document.subscribe(events.append)
    for seed in range(5):
        mutator = Mutator(etree.fromstring(START), Random(seed))
        for _ in range(40):
            mutator.step()
    assert events == []
    document._check()


def test_other_lxml_users_get_their_default_classes_back() -> None:
    text = (
        "import gc; from lxml import etree, objectify; from xmlcep.wrapping import fromstring\n"
        "with fromstring('<a/>'):\n"
        "    assert type(etree.Element('x')) is not etree._Element\n"
        "    assert type(objectify.fromstring('<a><b>1</b></a>').b) is objectify.IntElement\n"
        "assert type(etree.Element('x')) is etree._Element\n"
        "document = fromstring('<a/>'); del document; gc.collect()\n"
        "assert type(etree.Element('x')) is etree._Element\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True)
