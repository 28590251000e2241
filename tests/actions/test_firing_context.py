"""What a firing sees, and how often a rule fires (rules L1 to L3)."""

from __future__ import annotations

import pytest
from lxml import etree

import xmlcep
from tests.actions.documents_with_rules import ORDER, acting, item
from xmlcep import RuleError, parse_rules


def test_variables_old_new_and_delta() -> None:
    text = (
        "rule R on (upd(item/price/text()) as $p) if '$new > $old' do set '../@was' = '$old', set '../@is' = '$p', "
        "set '../@op' = '$op', set '../@at' = 'string-length($at)', set '../@delta' = '$delta'"
    )
    with acting(ORDER, text) as scene:
        price = scene.root[0][0]
        price.text = "2"
        assert price.attrib == {}
        price.text = "5"
        assert dict(price.attrib) == {"was": "2", "is": "5", "op": "upd", "at": "24", "delta": "5"}
        assert (scene.rules.counts.fired, scene.rules.counts.refused) == (1, 1)


def test_the_condition_is_asked_when_the_turn_comes() -> None:
    """What a firing before it has done is there (L2)."""
    text = (
        "rule Second on (ins(item)) if '@first' do set '@second' = '@first + 1'\n"
        "rule First on (ins(item)) {priority=1} do set '@first' = '1'"
    )
    with acting("<order/>", text) as scene:
        assert dict(item(scene).attrib) == {"first": "1", "second": "2"}
        assert scene.fired == ["First", "Second"]


def test_a_deletion_is_about_the_nearest_ancestor_that_lives() -> None:
    text = "rule R on (del(price)) do set '@gone' = 'concat(name(), \" \", $deleted, \" \", count($delta))'"
    with acting("<order><item><price>3</price></item></order>", text) as scene:
        del scene.root[0][0]
        assert scene.root[0].get("gone") == "item /order/item/price 1"
        inner = etree.fromstring("<item><price/></item>")
        scene.root.append(inner)
        scene.root.remove(inner)
        assert scene.root.get("gone") == "order /order/item/price 1"


def test_a_deleted_text_or_attribute_is_about_its_element() -> None:
    text = (
        "rule T on (del(price/text())) do set '@text' = '$old'\n"
        "rule A on (*(item/@id)) do set '@a' = 'concat(name(), $op)'"
    )
    with acting("<order><item id='1'><price>3</price></item></order>", text, on_error=None) as scene:
        scene.root[0][0].text = None
        assert scene.root[0][0].get("text") == "3"
        del scene.root[0].attrib["id"]
        assert scene.root[0].get("a") == "itemdel"


def test_a_firing_whose_node_has_gone_is_dropped_and_counted() -> None:
    text = (
        "rule First on (ins(item)) {priority=1} do delete '.'\nrule Second on (ins(item)) do set '@x' = '1'"
    )
    with acting("<order/>", text) as scene:
        item(scene)
        assert len(scene.root) == 0
        assert (scene.fired, scene.rules.counts.dropped) == (["First"], 1)


def test_set_mode_fires_once_for_all_of_an_edit() -> None:
    text = (
        "rule Set on (ins(item)) {mode=set} do set '/order/@n' = 'count($delta)', set '$delta/@all' = 'count($delta)'\n"
        "rule One on (ins(item)) do set '@one' = 'count($delta)'"
    )
    with acting("<order/>", text) as scene:
        scene.root.extend([etree.Element("item"), etree.Element("item")])
        assert scene.fired == ["Set", "One", "One"]
        assert scene.xml == '<order n="2"><item all="2" one="1"/><item all="2" one="1"/></order>'


def test_set_mode_has_all_values_of_a_variable() -> None:
    text = "rule R on (ins(item/@id) as $id) {mode=set} do set '/order/@sum' = 'sum($id)'"
    with acting("<order/>", text) as scene:
        scene.root.extend([etree.Element("item", id="3"), etree.Element("item", id="4")])
        assert scene.root.get("sum") == "7"


def test_gone_nodes_leave_delta() -> None:
    text = (
        "rule First on (ins(item)) {priority=1, mode=set} do delete '/order/item[1]'\n"
        "rule Second on (ins(item)) {mode=set} do set '/order/@n' = 'count($delta)'"
    )
    with acting("<order/>", text) as scene:
        scene.root.extend([etree.Element("item"), etree.Element("item")])
        assert scene.root.get("n") == "1"


def test_a_composite_event_and_its_variables() -> None:
    text = (
        "event Both(item) = (ins(item/price/text()) as $p & ins(item/quantity/text()) as $q)\n"
        "rule Total on Both(item) do set '@total' = '$p * $q'"
    )
    with acting("<order><item><price/><quantity/></item></order>", text) as scene:
        scene.root[0][1].text = "3"
        scene.root[0][0].text = "5"
        assert scene.root[0].get("total") == "15"


def test_events_that_ask_the_document() -> None:
    """Filters and conditions of the event itself see the document as it was changed by the rules, too."""
    text = (
        "rule Big on (ins(item/price/text())[../../@vip]) {path=item} do set '@big' = '1'\n"
        "rule Vip on (ins(item)) if 'count(/order/item) = 1' do set '@vip' = '1'"
    )
    with acting("<order/>", text) as scene:
        for _ in range(2):
            etree.SubElement(item(scene), "price").text = "1"
        assert scene.xml == (
            '<order><item vip="1" big="1"><price>1</price></item><item><price>1</price></item></order>'
        )


def test_what_is_said_of_the_event_that_triggers() -> None:
    """$meta:NAME of a record or a signal: one of each event, in set mode those of all (L2)."""
    text = (
        "event Paid(item) = external\n"
        "rule Each on Paid(item) if '$meta:amount > 10' do set '@paid' = '$meta:amount'\n"
        "rule All on Paid(item) {mode=set} do set '/order/@by' = 'concat($meta:user, count($meta:amount))'\n"
        "rule Who on (ins(item/price)) do set '../@who' = '$meta:user'"
    )
    with acting("<order><item/></order>", text) as scene:
        with xmlcep.acting_as(user="ann"):
            etree.SubElement(scene.root[0], "price")
            scene.doc.signal("Paid", scene.root[0], amount=12)
            scene.doc.signal("Paid", scene.root[0], amount=5)
        assert scene.xml == '<order by="ann1"><item who="ann" paid="12"><price/></item></order>'
        etree.SubElement(scene.root[0], "price")
        assert scene.root[0].get("who") == ""
    with pytest.raises(RuleError, match=r"unknown variable \$met:user"):
        parse_rules("rule R on (ins(item)) do set '@x' = '$met:user'")
