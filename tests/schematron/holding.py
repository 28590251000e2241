"""What holds at the end of each version: by the events that rules raise, and by lxml's own Schematron (SVRL).

``python -m tests.schematron.holding FILE.sch VERSION.xml…`` compares both over any versions of a document, and after
each over a damaged one, so that there is something to find.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

from lxml import etree
from lxml.isoschematron import SVRL_NS, Schematron

import xmlcep
from xmlcep.algebra.operators import Becomes
from xmlcep.language import print_definitions
from xmlcep.matching.whitespace import unindent
from xmlcep.schematron import convert

ISO = "http://purl.oclc.org/dsdl/schematron"
OFF = ".off"
OWN = "ancestor-or-self::*[1]"


def marked(schema: bytes) -> str:
    """A schema whose assertions have ids of their own, and say which element it is: lxml does not of attributes."""
    text = schema.decode("utf-8").replace("http://www.ascc.net/xml/schematron", ISO)
    root = etree.fromstring(text.encode("utf-8"), etree.XMLParser(remove_comments=True))
    root.attrib.pop("queryBinding", None)  # lxml refuses what is not xslt
    for number, each in enumerate(root.iter(f"{{{ISO}}}assert", f"{{{ISO}}}report")):
        each.set("id", f"A{number}")
        at = etree.SubElement(
            each, f"{{{ISO}}}value-of", select=f"count({OWN}/ancestor::* | {OWN}/preceding::*)"
        )
        at.tail = "#"
        if len(each) > 1:
            each[-2].tail = (each[-2].tail or "") + "#"
        else:
            each.text = (each.text or "") + "#"
    return etree.tostring(root, encoding="unicode")


def in_svrl(tree: Any, schematron: Schematron) -> Iterator[tuple[Any, str, str]]:
    """The elements at which assertions do not hold (of an attribute its element), the assertion and what it says."""
    schematron.validate(tree)
    elements = list(tree.iter("*"))
    for found in schematron.validation_report.iter(
        f"{{{SVRL_NS}}}failed-assert", f"{{{SVRL_NS}}}successful-report"
    ):
        parts = found.xpath("*[local-name() = 'text' or local-name() = 'diagnostic-reference']")
        said = "".join("".join(part.itertext()) for part in parts)
        (number,) = re.findall(r"#\s*(\d+)\s*#", said)
        yield elements[int(number)], found.get("id"), said


def assertion(event: str) -> str:
    """The assertion that an event is about: those of the paths of a context are told apart by ``-2`` and so on."""
    return event.partition("-")[0]


def plain(said: str) -> str:
    """A message without white space, of which lxml's stylesheet drops and adds some, and the prefixes of names."""
    return re.sub(r"\s|\w+:(?=\w)", "", said)


class Compared:
    """Versions of a document under converted rules, compared with lxml at the end of each."""

    def __init__(self, schema: bytes, phase: str | None = None) -> None:
        text = marked(schema)
        made = convert(text, "rules.sch", phase)
        falling = [
            replace(each, name=each.name + OFF, expression=replace(test, test=f"not({test.test})"))
            for each in made.definitions
            for test in [cast("Becomes", each.expression)]
        ]
        self.rules = xmlcep.parse_rules(print_definitions([*made.definitions, *falling], made.namespaces))
        self.schematron = Schematron(
            etree.fromstring(text.encode("utf-8")), phase=phase, store_report=True, validate_schema=False,
            error_finder=Schematron.ASSERTS_AND_REPORTS,
        )  # fmt: skip
        self.raised = 0
        self.held = 0

    def run(self, versions: Iterable[bytes]) -> None:
        """Fails at the first version at whose end not the same holds."""
        trees = [etree.ElementTree(etree.fromstring(version)) for version in versions]
        for tree in trees:
            unindent(tree.getroot())
        top = etree.Element(trees[0].getroot().tag, nsmap=trees[0].getroot().nsmap)
        document = xmlcep.wrap(etree.ElementTree(top), name="versions")
        holding = {(document.ids_of(top)[-1], name) for _, name, _ in self._by_lxml(document)}
        news: dict[tuple[int, str], str] = {}

        def heard(event: Any) -> None:
            if event.name.endswith(OFF):
                holding.discard((event.ids[-1], event.name.removesuffix(OFF)))
            else:
                holding.add((event.ids[-1], event.name))
                news[event.ids[-1], assertion(event.name)] = event.message

        with document.watch(self.rules, on_event=heard):
            for number, tree in enumerate(trees):
                news.clear()
                document.update_to(tree)
                there = {document.ids_of(each)[-1] for each in document.root.iter("*")}
                expected = {
                    (document.ids_of(node)[-1], name): said for node, name, said in self._by_lxml(document)
                }
                found = {(node, assertion(name)) for node, name in holding if node in there}
                assert found == set(expected), (number, found ^ set(expected))
                for key, said in news.items():
                    same = plain(expected.get(key, said)) == plain(said)
                    assert same, (number, key, expected[key], said)
                self.raised += len(news)
                self.held += len(found)

    def _by_lxml(self, document: Any) -> list[tuple[Any, str, str]]:
        return list(in_svrl(document.tree, self.schematron))


def names_in(schema: bytes) -> list[str]:
    """The names with a prefix that contexts and tests of a schema have."""
    root = etree.fromstring(schema)
    uris = {each.get("prefix"): each.get("uri") for each in root.iter("{*}ns")}
    named = re.findall(r"([\w.-]+):([A-Za-z][\w.-]*)", " ".join(root.xpath("//@context | //@test")))
    return [f"{{{uris[prefix]}}}{local}" for prefix, local in named if prefix in uris]


def damaged(document: bytes, random: Random, names: Sequence[str], places: int = 8) -> bytes:
    """The document with a few elements, attributes and texts taken from other places in it, or taken away, and elements
    called otherwise."""
    root = etree.fromstring(document)
    elements = list(root.iter("*"))
    for _ in range(places):
        here, there = random.choice(elements), random.choice(elements)
        match random.randint(0, 5):
            case 0 if here is not root and here.getparent() is not None:
                here.getparent().remove(here)
            case 1:
                here.text = there.text
            case 2 if here.attrib:
                del here.attrib[random.choice(list(here.attrib))]
            case 3 if there.attrib:
                name = random.choice(list(there.attrib))
                here.set(name, there.get(name))
            case 4 if len(there) < 20:
                here.append(deepcopy(there))
            case 5 if here is not root:
                here.tag = random.choice(names)
    return etree.tostring(root)


def main(file: str, *versions: str) -> None:
    """What the docstring of the module says; after each version a damaged one."""
    schema = Path(file).read_bytes()
    compared, random, names = Compared(schema), Random(1), names_in(schema)
    texts = [Path(version).read_bytes() for version in versions]
    compared.run(each for text in texts for each in (text, damaged(text, random, names, 40)))
    print(
        f"{file}: {len(versions)} versions and as many damaged ones, {compared.raised} raised,"
        f" {compared.held} held at their ends: the same"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
