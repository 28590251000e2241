"""Rules opened on a document: arguments, what is told of firings, schemas (rules L7 and L12)."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.actions.documents_with_rules import acting, item
from xmlcep.wrapping import CallbackError, WrapError


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "the rules call tell"),
        ({"actions": {"tell": 3}}, "is 3: pass a function"),
        ({"actions": {"tell": print}, "on_fire": 3}, "on_fire is 3"),
        ({"actions": {"tell": print}, "limit": 0}, "limit is 0"),
        ({"actions": {"tell": print}, "firings": "x"}, "firings is 'x'"),
        ({"actions": {"tell": print}, "schema": "no.xsd"}, "no.xsd: the schema cannot be used"),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be(options: dict[str, Any], problem: str) -> None:
    doc = xmlcep.fromstring("<order/>")
    with pytest.raises(WrapError, match=problem):
        doc.rules(xmlcep.parse_rules("rule R on (ins(item)) do call 'tell'"), **options)
    with pytest.raises(WrapError, match="has no action rules"):
        doc.rules(xmlcep.parse_rules("event A = ins(item)"))
    with pytest.raises(WrapError, match="action rules are needed"):
        doc.rules("rule R")  # type: ignore[arg-type]


def test_on_fire_that_fails_disturbs_nobody() -> None:
    def fail(record: object) -> None:
        raise KeyError("x")

    with acting("<order/>", "rule R on (ins(item)) do set '@a' = '1'", on_fire=fail) as scene:
        with pytest.raises(CallbackError, match="KeyError"):
            item(scene)
        assert len(scene.told) >= 2


def test_a_document_is_kept_valid(tmp_path: Any) -> None:
    xsd = tmp_path / "order.xsd"
    xsd.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="order"><xs:complexType><xs:sequence>'
        '<xs:element name="item" minOccurs="0" maxOccurs="2"/></xs:sequence><xs:attribute name="n" type="xs:int"/>'
        "</xs:complexType></xs:element></xs:schema>"
    )
    text = (
        "rule Number on (ins(item)) do set '/order/@n' = 'count(/order/item)'\n"
        "rule More on (ins(item)) do insert '<item/>' last into '/order'"
    )
    with acting("<order/>", text, schema=xsd) as scene:
        item(scene)
        assert scene.xml == '<order n="2"><item/><item/></order>'
        assert [error.rule for error in scene.errors] == ["More"]  # type: ignore[attr-defined]
        assert "the document would not be valid" in str(scene.errors[0])
        scene.errors.clear()


def test_a_schema_that_sets_defaults_does_not_edit_the_document() -> None:
    """lxml tells nobody whether it does."""
    schema = etree.XMLSchema(
        etree.XML(
            '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="order"><xs:complexType>'
            '<xs:sequence><xs:element name="item" maxOccurs="9" type="xs:string" default="text"/></xs:sequence>'
            '<xs:attribute name="n"/><xs:attribute name="m" default="0"/></xs:complexType></xs:element></xs:schema>'
        ),
        attribute_defaults=True,
    )
    with acting("<order/>", "rule Number on (ins(item)) do set '/order/@n' = '1'", schema=schema) as scene:
        item(scene)
        assert scene.xml == '<order n="1"><item/></order>'
        assert scene.doc.verify() == []


def test_what_an_action_has_taken_out_is_no_target_of_the_next() -> None:
    text = (
        "event P(item) = external\n"
        "rule R on (ins(item)) do delete '.', set '@a' = '1', insert '<b/>' after '.', insert '<b/>' last into '.', "
        "move '.' last into '/order', replace '.' with '<c/>', delete '.', raise P\n"
        "rule S on P do set '/order/@p' = '1'"
    )
    with acting("<order/>", text) as scene:
        gone = item(scene)
        assert (scene.xml, dict(gone.attrib), len(gone)) == ("<order/>", {}, 0)
        assert scene.rules.counts.empty == 7
