"""Derived events of a wrapped document, edited with ordinary lxml calls."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from path_types import Step
from tests.schema.validation import Node, nodes_of, outcome, random_order
from xmlcep.events import CompositeEvent
from xmlcep.schema import derive
from xmlcep.wrapping import fromstring

SCHEMA = Path(__file__).resolve().parents[2] / "samples" / "purchase_order" / "purchase-order.xsd"


def test_an_item_is_told_once_when_its_last_part_comes() -> None:
    document = fromstring("<purchaseOrder/>")
    told: list[CompositeEvent] = []
    with document.watch(derive(SCHEMA), on_event=told.append):
        item = etree.SubElement(document.root, "item")
        quantity = etree.SubElement(item, "quantity")
        etree.SubElement(item, "comment").text = "soon"
        item.set("partNum", "872-AA")
        etree.SubElement(item, "price").text = "148.95"
        assert [event.name for event in told] == ["CompletePrice"]
        quantity.text = "1"
        assert [event.name for event in told] == ["CompletePrice", "CompleteQuantity", "CompleteItem"]
        etree.SubElement(item, "quantity").text = "2"
        assert [event.name for event in told] == [
            "CompletePrice",
            "CompleteQuantity",
            "CompleteItem",
            "CompleteQuantity",
        ]
    complete = told[2]
    assert {str(event.path.last) for event in complete.flattened()} == {
        "item", "@partNum", "comment", "price", "text()", "quantity",
    }  # fmt: skip


def test_a_whole_subtree_at_once() -> None:
    document = fromstring("<purchaseOrder orderDate='2026-01-01'/>")
    told: list[str] = []
    with document.watch(derive(SCHEMA), on_event=lambda event: told.append(event.name)):
        document.root.append(
            etree.fromstring(
                "<billTo><name>A</name><address><street>S</street><city>C</city></address></billTo>"
            )
        )
    assert told == ["CompleteName", "CompleteStreet", "CompleteCity", "CompleteAddress", "CompleteBillTo"]


@given(seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_random_orders_of_ordinary_calls(seed: int) -> None:
    """The sample's nodes inserted one by one, with lxml's calls: the same as the judge's events."""
    library = xmlschema.XMLSchema10(str(SCHEMA), allow="local", defuse="always")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_blank_text=True, remove_comments=True
    )
    nodes = nodes_of(etree.fromstring(SCHEMA.with_suffix(".xml").read_bytes(), parser), library)
    order = random_order(nodes, random.Random(seed))
    expected = outcome(order, derive(library), library).expected
    document = fromstring("<inbox/>")
    made: dict[int, etree._Element] = {}
    told: list[CompositeEvent] = []
    with document.watch(derive(library), on_event=told.append):
        for node in order:
            _insert(node, made, document.root)
    by_path = Counter((event.name, event.ts) for event in told)
    names = {tree.path.last.test: tree.name for tree in derive(library).graph.trees}
    judged = {node.index: node.step.test for node in nodes if node.is_element and node.step.test in names}
    assert by_path == Counter((names[judged[index]], ts) for index, ts in expected.items() if index in judged)


def _insert(node: Node, made: dict[int, etree._Element], top: etree._Element) -> None:
    """One lxml call for one node."""
    parent = top if node.parent is None else made[node.parent.index]
    if node.step == Step.text():
        parent.text = node.value
    elif not node.is_element:
        parent.set(node.step.test, node.value or "")
    else:
        siblings = () if node.parent is None else node.parent.children
        before = [
            made[s.index] for s in siblings if s.index < node.index and s.is_element and s.index in made
        ]
        parent.insert(len(before), etree.Element(node.step.test))
        made[node.index] = parent[len(before)]
