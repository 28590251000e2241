"""Trees that calls make are written as XML that is read again as what they are."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from lxml import etree

from xmlcep.xml_names import as_name
from xmlcep.xml_writer import xml_file, xml_text

URIS = [None, "urn:x", "urn:y"]
HIDING = [
    "<a xmlns='urn:x'><b xmlns=''><c xmlns='urn:x' k='1'/></b></a>",
    "<p:a xmlns:p='urn:x' p:k='1'><p:b xmlns:p='urn:y' p:k='1'><p:c xmlns:p='urn:x' p:k='1'/></p:b></p:a>",
    "<a xmlns='urn:x' xmlns:p='urn:x'><b xmlns='urn:y'><p:c p:k='1'/><c xmlns='urn:x'/></b></a>",
]
"""Declarations that hide others; lxml takes out those at the innermost elements, as if the outer ones were in view."""


def contents(root: Any) -> list[Any]:
    """All that there is to a tree but its prefixes."""
    return [
        (
            as_name(node.tag),
            sorted(node.attrib.items()),
            node.text or None,
            None if node is root else node.tail or None,
        )
        for node in root.iter("*")
    ]


def random_tree(random: Random) -> Any:
    """A tree made by calls, its namespaces declared here and there, or moved below others."""
    root = etree.Element(
        "r", nsmap=random.choice([{}, {None: "urn:x"}, {"p": "urn:x"}, {None: "urn:y", "p": "urn:y"}])
    )
    nodes = [root]
    for _ in range(random.randint(1, 12)):
        parent, name = random.choice(nodes), etree.QName(random.choice(URIS), random.choice("abc"))
        nsmap = random.choice([{}, {}, {None: "urn:x"}, {None: "urn:y"}, {"q": "urn:y"}, {"xmlns": "urn:x"}])
        node = etree.SubElement(parent, name, nsmap=nsmap)
        if random.random() < 0.3:
            node.set(etree.QName(random.choice(URIS), "k"), "v\r\n")
        if random.random() < 0.3:
            node.tail = etree.CDATA("t\r\n]]>")
        if random.random() < 0.3:
            node.text = random.choice(["u\r", etree.CDATA("\r"), "]]>"])
        if random.random() < 0.3:
            node.tag = random.choice("abc")
        if random.random() < 0.2:
            nodes[0].append(node)
        if random.random() < 0.1:
            node.tag = "{no uri}a"
            node.tag = random.choice([etree.QName("a"), b"b", "{urn:x}c"])
        if random.random() < 0.2:
            node.append(etree.fromstring(random.choice(HIDING)))
            nodes += node[-1].iter()
        nodes.append(node)
    return root


@pytest.mark.parametrize("seed", range(200))
def test_any_tree(seed: int) -> None:
    root = random_tree(Random(seed))
    before = etree.tostring(root)
    assert contents(etree.fromstring(xml_text(root))) == contents(root)
    assert contents(etree.fromstring(xml_file(root.getroottree()))) == contents(root)
    assert etree.tostring(root) == before


def test_what_is_written_well_is_written_as_lxml_writes_it() -> None:
    text = '<r xmlns="urn:y" xmlns:p="urn:p"><p:a k="1">x<!--n--></p:a><?q z?><b xmlns="">y</b></r>'
    root = etree.fromstring(f"<!DOCTYPE r><!--before-->{text}<!--after-->")
    assert xml_text(root) == text
    assert xml_file(root.getroottree()) == etree.tostring(
        root.getroottree(), encoding="UTF-8", xml_declaration=True
    )


def test_a_file_keeps_what_stands_beside_the_root() -> None:
    root = etree.fromstring("<!DOCTYPE r><!--b--><?q z?><r xmlns='urn:y'><a/></r><!--c--><!--d-->")
    root[0].tag = "a"
    assert xml_file(root.getroottree()).decode() == (
        "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE r>\n"
        '<!--b--><?q z?><r xmlns="urn:y"><a xmlns=""/></r><!--c--><!--d-->'
    )


@pytest.mark.parametrize("text", ["a--b", "-", "", "--><z/>"])
def test_comments_that_would_end_early_keep_texts_apart(text: str) -> None:
    root = etree.fromstring("<r>1<!--n-->2</r>")
    root[0].text = text
    assert xml_text(root) == "<r>1<!---->2</r>"


@pytest.mark.parametrize(("target", "text"), [("a b", ""), ("xml", ""), ("p", "?>"), ("a?><z/>", "x")])
def test_instructions_that_would_be_something_else(target: str, text: str) -> None:
    root = etree.fromstring("<r>1<?p q?>2</r>")
    instruction: Any = root[0]
    instruction.target, instruction.text = target, text
    assert xml_text(root) == "<r>1<!---->2</r>"
