"""Rules and proxies that are not the wrapper's: what is edited through them is seen only when it is looked for."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest
from lxml import etree

import xmlcep
from xmlcep.actions.errors import CascadeError

ORDER = b"<order><item n='1'/>x<item n='2'/><box/></order>"


def order() -> etree._ElementTree:
    """With lxml's own element classes, whatever else is wrapped at the time."""
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup())
    return etree.parse(io.BytesIO(ORDER), parser)


@pytest.mark.parametrize(
    ("actions", "result"),
    [
        ("set '@m' = '@n + 1'", "<order><item n='5' m='6'/>x<item n='2'/><box/></order>"),
        ("set '//item/@m' = '7'", "<order><item n='5' m='7'/>x<item n='2' m='7'/><box/></order>"),
        (
            "insert '<a/>' last into '.', insert 'T' after 'a'",
            "<order><item n='5'><a/>T</item>x<item n='2'/><box/></order>",
        ),
        ("delete '.'", "<order>x<item n='2'/><box/></order>"),
        ("move '.' last into '../box'", "<order>x<item n='2'/><box><item n='5'/></box></order>"),
        ("replace '.' with '<new/>'", "<order><new/>x<item n='2'/><box/></order>"),
    ],
)
def test_a_rule_edits_an_element_with_a_foreign_proxy(actions: str, result: str) -> None:
    tree = order()
    held = tree.getroot()[0]
    assert type(held) is etree._Element
    doc = xmlcep.wrap(tree)
    told: list[xmlcep.PrimitiveEvent] = []
    edits: list[int] = []
    doc.subscribe(told.append)
    rules = xmlcep.parse_rules(f"rule R on (upd(item/@n)) {{path=item}} do {actions}")
    with doc.rules(rules, on_fire=lambda record: edits.append(len(record.edits))):
        held.set("n", "5")
        doc.catch_up()
        wanted = etree.fromstring(result)
        assert etree.tostring(tree) == etree.tostring(wanted)
        assert [(event.meta or {}).get("rule") for event in told] == [None] + ["R"] * (len(told) - 1)
        assert edits == [len(told) - 1]
        doc._check()
        # And in a transaction all of it is undone.
        with suppress(ZeroDivisionError), doc.transaction():
            for each in tree.getroot().iter("item"):
                each.set("n", "9")
            doc.catch_up()
            raise ZeroDivisionError
        assert etree.tostring(tree) == etree.tostring(wanted)
        doc._check()


def test_an_endless_cascade_on_a_foreign_proxy_is_found() -> None:
    tree = order()
    held = tree.getroot()[0]
    assert type(held) is etree._Element
    doc = xmlcep.wrap(tree)
    with doc.rules(xmlcep.parse_rules("rule R on (*(item/@n)) do set '.' = '. + 1'")):
        held.set("n", "5")
        with pytest.raises(CascadeError, match="R → R"):
            doc.catch_up()
        assert held.get("n") == "5"
        doc._check()
