"""Functions of the application that rules call (rule L7)."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.actions.documents_with_rules import acting, item
from xmlcep.actions.errors import ActionError, CascadeError


def test_functions_are_called_when_everything_is_told() -> None:
    told: list[str] = []
    doc = xmlcep.fromstring("<order/>")
    doc.subscribe(lambda e: told.append("event"))

    def tell(record: Any) -> None:
        told.append(f"{record.rule} {record.ts} {record.depth} {len(record.edits)} {dict(record.bindings)}")

    rules = xmlcep.parse_rules("rule R on (ins(item/@id) as $i) do call 'tell', set '../@a' = '1'")
    with doc.rules(rules, actions={"tell": tell}):
        with doc.transaction():
            etree.SubElement(doc.root, "item", id="7")
            assert told == []
        assert told == ["event"] * 3 + ["R 2 1 1 {'i': ('7',)}"]
        told.clear()
        with pytest.raises(ZeroDivisionError), doc.transaction():
            etree.SubElement(doc.root, "item", id="8")
            raise ZeroDivisionError
        assert told == []


def test_what_is_told_of_a_firing_has_all_values_of_a_variable() -> None:
    """L3, V5: those of all its events."""
    told: list[dict[str, Any]] = []
    rules = xmlcep.parse_rules("rule R on (ins(item/@id) as $i) {mode=set} do set '/order/@n' = 'count($i)'")
    doc = xmlcep.fromstring("<order/>")
    with doc.rules(rules, on_fire=lambda record: told.append(dict(record.bindings))):
        etree.SubElement(doc.root, "item", id="1")
        doc.root.extend([etree.Element("item", id="2"), etree.Element("item", id="3")])
    assert told == [{"i": ("1",)}, {"i": ("2", "3")}]


def test_a_function_that_edits_counts_in_the_depth_of_its_firing() -> None:
    doc = xmlcep.fromstring("<order/>")
    depths: list[int] = []

    def grow(record: Any) -> None:
        depths.append(record.depth)
        etree.SubElement(doc.root, "item")

    errors: list[Exception] = []
    rules = xmlcep.parse_rules("rule R on (ins(item)) do call 'grow'")
    with doc.rules(rules, actions={"grow": grow}, limit=5, on_error=errors.append):
        etree.SubElement(doc.root, "item")
    assert depths == [1, 2, 3, 4, 5]
    assert [type(error) for error in errors] == [CascadeError]
    assert len(doc.root) == 6
    doc._check()


def test_a_function_that_fails_is_reported_and_undoes_nothing() -> None:
    def fail(record: object) -> None:
        raise KeyError("no network")

    text = "rule R on (ins(item)) do set '@a' = '1', call 'fail'"
    with acting("<order/>", text, actions={"fail": fail}) as scene:
        item(scene)
        [error] = scene.errors
        assert isinstance(error, ActionError) and isinstance(error.__cause__, KeyError)
        said = "rule R, triggered at 1: call \"fail\": the function raised KeyError: 'no network'; "
        assert str(error) == f"{said}what the rule did remains"
        assert scene.root[0].get("a") == "1"
        scene.errors.clear()


def test_a_function_that_begins_a_transaction() -> None:
    doc = xmlcep.fromstring("<order/>")

    def edit(record: object) -> None:
        with doc.transaction(by="function"):
            doc.root.set("n", str(len(doc.root)))

    rules = xmlcep.parse_rules("rule R on (ins(item)) do call 'edit'")
    with doc.rules(rules, actions={"edit": edit}), doc.transaction():
        etree.SubElement(doc.root, "item")
        etree.SubElement(doc.root, "item")
    assert doc.root.get("n") == "2"
    doc._check()
