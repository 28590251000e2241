"""Rules and transactions: what they see, what waits, what is undone (rules L4 and L6)."""

from __future__ import annotations

import pytest
from lxml import etree

import xmlcep
from tests.actions.documents_with_rules import acting, item
from xmlcep.actions.errors import ActionError


def test_rules_see_each_edit_of_a_transaction_at_its_end() -> None:
    with acting("<order/>", "rule R on (ins(item)) do set '@a' = '1'") as scene:
        with scene.doc.transaction(user="ann"):
            assert item(scene).get("a") == "1"
            assert scene.told == []
        assert [(event.txn, dict(event.meta or {})) for event in scene.told] == [
            (1, {"user": "ann"}), (1, {"user": "ann", "rule": "R", "cause": "1"})
        ]  # fmt: skip


def test_an_undone_transaction_takes_what_rules_did_and_saw() -> None:
    text = (
        "event Two(order) = x[2,2] ins(order/item)\n"
        "rule R on (ins(item)) do set '@a' = '1'\nrule T on Two(order) do insert '<two/>' last into '.'"
    )
    with acting("<order/>", text) as scene:
        with pytest.raises(ZeroDivisionError), scene.doc.transaction():
            item(scene)
            raise ZeroDivisionError
        assert (scene.xml, scene.told, scene.fired) == ("<order/>", [], [])
        item(scene)
        assert len(scene.root) == 1  # the item of the transaction does not count
        item(scene)
        assert scene.xml == '<order><item a="1"/><item a="1"/><two/></order>'
        assert scene.told[0].ts == 1


def test_a_failed_rule_leaves_the_transaction() -> None:
    with acting("<order/>", "rule R on (ins(item)) do set '@a' = '1', delete '/order'") as scene:
        with scene.doc.transaction():
            item(scene)
            item(scene)
        assert scene.xml == "<order><item/><item/></order>"
        assert [type(error) for error in scene.errors] == [ActionError] * 2
        assert [event.ts for event in scene.told] == [1, 2]  # the clock went back
        assert [event.ids[-1] for event in scene.told] != [2, 3]  # ids did not
        scene.errors.clear()


def test_without_on_error_the_error_comes_when_all_is_told() -> None:
    doc = xmlcep.fromstring("<order/>")
    told: list[object] = []
    doc.subscribe(told.append)
    with doc.rules(xmlcep.parse_rules("rule R on (ins(order/@a)) do delete '/order'")):
        with pytest.raises(ActionError, match="the root element /order cannot be deleted"):
            doc.root.set("a", "1")
        assert len(told) == 1
        with pytest.raises(ActionError), doc.transaction():
            del doc.root.attrib["a"]
            doc.root.set("a", "2")
            doc.root.set("b", "3")  # the transaction goes on
        assert len(told) == 4
    assert dict(doc.root.attrib) == {"a": "2", "b": "3"}


def test_commit_coupling_waits_for_the_end_of_the_transaction() -> None:
    text = (
        "rule Now on (ins(item)) do set '@now' = 'count(../item)'\n"
        "rule Late on (ins(item)) {coupling=commit} do set '@late' = 'count(../item)'\n"
        "rule All on (ins(item)) {coupling=commit, mode=set} do set '/order/@n' = 'count($delta)'"
    )
    with acting("<order/>", text) as scene:
        with scene.doc.transaction():
            item(scene)
            with scene.doc.transaction():
                item(scene)
            assert scene.xml == '<order><item now="1"/><item now="2"/></order>'
        assert scene.xml == '<order n="2"><item now="1" late="2"/><item now="2" late="2"/></order>'
        assert scene.fired == ["Now", "Now", "Late", "Late", "All"]
        item(scene)  # outside a transaction like immediate
        assert scene.root[2].get("late") == "3"


def test_commit_coupling_goes_on_until_nothing_fires() -> None:
    text = (
        "rule A on (ins(item)) {coupling=commit} if 'count(/order/item) < 4' do insert '<item/>' last into '/order'\n"
        "rule End on (ins(item)) {coupling=commit} if 'count(/order/item) = 4' do set '/order/@done' = '1'"
    )
    with acting("<order/>", text) as scene:
        with scene.doc.transaction():
            item(scene)
        assert len(scene.root) == 4 and scene.root.get("done") == "1"


def test_the_end_of_a_transaction_triggers_rules() -> None:
    """D3: it is a flush of the rules' own events; what that makes of the document is flushed again."""
    text = (
        "event Ready(order) {end=custom} = x[2,*] ins(order/item)\n"
        "rule R on Ready(order) do insert '<ready n=\"{count(item)}\"/>' last into '.'"
    )
    with acting("<order/>", text) as scene:
        item(scene)
        item(scene)
        assert len(scene.root) == 2
        with scene.doc.transaction():
            item(scene)
        assert scene.root[3].get("n") == "3"
        item(scene)
        item(scene)
        scene.rules.flush()
        assert scene.root[-1].get("n") == "5"


def test_an_immediate_transaction() -> None:
    """Its edits are told at once; its undo is edits, too, which rules see and do not act on."""
    text = "rule R on (ins(item)) do set '@a' = '1'\nrule D on (del(item)) do set '/order/@gone' = '1'"
    with acting("<order/>", text) as scene:
        with scene.doc.transaction(immediate=True):
            item(scene)
            assert len(scene.told) == 2
        with pytest.raises(ZeroDivisionError), scene.doc.transaction(immediate=True):
            item(scene)
            raise ZeroDivisionError
        assert scene.xml == '<order><item a="1"/></order>'
        assert scene.fired == ["R", "R"]


def test_timers_fire_rules() -> None:
    times = iter(range(1000, 10_000, 100))
    doc = xmlcep.fromstring("<order/>", now=lambda: next(times))
    text = "rule Late on (ins(item) ; not ins(item/price)) {path=item, within='1 h'} do set '@late' = '1'"
    with doc.rules(xmlcep.parse_rules(text)):
        etree.SubElement(doc.root, "item")
        etree.SubElement(etree.SubElement(doc.root, "item"), "price")
        assert doc.next_due() is not None
        doc.advance("1970-01-02T00:00:00Z")
        assert [each.get("late") for each in doc.root] == ["1", None]


def test_an_error_of_a_rule_goes_with_the_transaction_that_is_undone() -> None:
    """What the application raised is what it gets."""
    with acting("<order/>", "rule Out on (ins(item)) do delete '/order'", raises=True) as scene:
        with pytest.raises(ZeroDivisionError), scene.doc.transaction():
            item(scene)
            raise ZeroDivisionError
        scene.root.set("x", "1")
        assert scene.xml == '<order x="1"/>'
