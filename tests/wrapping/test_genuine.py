"""Wrapped trees are genuine lxml trees: the same operations give what plain trees give."""

from __future__ import annotations

import copy
import gc
import io
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.mutator import START, Mutator
from xmlcep.wrapping import fromstring

XML = (
    '<po:order xmlns:po="urn:po" id="o1"><!--c--><po:item n="1">a<b/>t</po:item><po:item n="2"><b>x</b>u</po:item>'
    "<?p q?>v<empty/></po:order>"
)


@pytest.mark.parametrize("seed", range(30))
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
}  # fmt: skip


def double(_: Any, number: float) -> float:
    return 2 * number


def written(root: Any) -> bytes:
    out = io.BytesIO()
    root.getroottree().write(out, encoding="utf-8")
    return out.getvalue()


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
