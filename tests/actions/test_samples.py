"""The action rules of the samples do what their comments say."""

from __future__ import annotations

from lxml import etree

import xmlcep
from tests.conftest import REPOSITORY
from xmlcep.actions import triggering_graph
from xmlcep.cli._story import find_sample

SAMPLE = find_sample()


def test_a_purchase_order_is_kept_right() -> None:
    rules = xmlcep.load_rules(SAMPLE.acting)
    assert rules.triggers is not None and triggering_graph(rules.triggers).terminates
    doc = xmlcep.parse(SAMPLE.document)
    errors: list[Exception] = []
    with doc.rules(rules, on_error=errors.append):
        for step in SAMPLE.edits.STEPS:
            with doc.transaction(user=step.user, reason=step.reason):
                step.edit(doc.root)
            amounts = []
            for item in doc.root.iterfind("item"):
                price, quantity = item.findtext("price"), item.findtext("quantity")
                assert (item.get("status") == "no price") is (item.find("price") is None)
                if price and quantity:
                    amounts.append(round(float(price) * float(quantity), 2))
                    if item.get("amount") is not None:
                        assert float(item.get("amount")) == amounts[-1]
            known = [float(item.get("amount")) for item in doc.root.iterfind("item") if item.get("amount")]
            if doc.root.get("total") is not None:
                assert abs(float(doc.root.get("total")) - sum(known)) < 0.005
        with doc.transaction():
            bare = etree.SubElement(doc.root, "item")
        assert bare.get("status") == "no price"
        etree.SubElement(bare, "price").text = "600"
        etree.SubElement(bare, "quantity").text = "1"
        assert "status" not in bare.attrib
        assert doc.root.get("discount") == "5%"
        doc.root.remove(bare)
        assert doc.root.get("discount") == "5%"
    assert errors == []
    notes = [note.text for note in doc.root.iter("comment") if (note.text or "").startswith("price was")]
    assert len(notes) > 2 and notes[0] == "price was 39.98, is 35.00"
    doc._check()


def test_the_version_of_an_interface_is_kept_in_step() -> None:
    rules = xmlcep.load_rules(REPOSITORY / "samples" / "histories" / "acting" / "wayland.xcep")
    doc = xmlcep.fromstring("<protocol><interface version='1'><request since='1'/></interface></protocol>")
    with doc.rules(rules):
        interface = doc.root[0]
        etree.SubElement(interface, "event", since="3")
        assert interface.get("version") == "3"
        interface[0].set("since", "2")
        assert interface.get("version") == "3"
        interface[1].set("since", "4")
        assert interface.get("version") == "4"
