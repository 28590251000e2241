"""How events are shown, and the XPath expressions that lead from them to nodes."""

from __future__ import annotations

import pytest
from lxml import etree

import xmlcep
from path_types import PathType, Step
from xmlcep.events import CompositeEvent, PrimitiveEvent

NAMESPACES = ["urn:a", "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "it's"]


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_the_expression_of_an_event_finds_its_node(namespace: str) -> None:
    root = etree.Element(f"{{{namespace}}}r")
    document = xmlcep.wrap(root)
    events: list[PrimitiveEvent] = []
    document.subscribe(events.append)
    child = etree.SubElement(root, f"{{{namespace}}}c")
    child.set(f"{{{namespace}}}k", "v")
    child.set("plain", "w")
    child.text = "t"
    etree.SubElement(child, "d")
    found = [root.getroottree().xpath(event.xpath) for event in events]
    assert found == [[child], ["v"], ["w"], ["t"], [child[0]]]
    assert [document.element(event) for event in events] == [child, child, child, child, child[0]]
    assert document.ids_of(child[0]) == events[-1].ids
    del child[0]
    assert document.element(events[4]) is None


@pytest.mark.parametrize("namespace", ['a "quoted" one', """both ' and " here"""])
def test_a_name_in_a_log_that_no_document_has_gives_an_expression_all_the_same(namespace: str) -> None:
    event = PrimitiveEvent(1, "ins", PathType.of(True, [Step.element(f"{{{namespace}}}r")]), (1,))
    literal = event.xpath.removesuffix("]").partition("namespace-uri()=")[2]
    assert etree.Element("r").xpath(f"string({literal})") == namespace


def test_a_relative_path_is_looked_for_everywhere() -> None:
    event = PrimitiveEvent(1, "ins", PathType.parse("item/price"), (1, 2))
    assert event.xpath == "//item/price"


def test_each_namespace_is_shown_once() -> None:
    path = PathType.parse("/{urn:a}r/{urn:b}c/{urn:a}d/@{urn:b}k")
    event = PrimitiveEvent(7, "upd", path, (1, 2, 3, 4), "new", "old")
    assert str(event) == "upd(/ns1:r#1/ns2:c#2/ns1:d#3/@ns2:k#4) at 7 where ns1='urn:a', ns2='urn:b'"
    whole = CompositeEvent("Both", None, path, (1, 2, 3, 4), (event, event), 7, 7, event)
    assert str(whole) == (
        "Both(/ns1:r#1/ns2:c#2/ns1:d#3/@ns2:k#4) at 7 {upd@7, upd@7} where ns1='urn:a', ns2='urn:b'"
    )
    assert whole.xpath == event.xpath
    assert whole._replace(path=None, ids=()).xpath is None


def test_names_of_no_namespace_stand_as_they_are() -> None:
    event = PrimitiveEvent(3, "ins", PathType.parse("/order/item"), (1, 2))
    assert str(event) == "ins(/order#1/item#2) at 3"
    assert event.xpath == "/order/item"
