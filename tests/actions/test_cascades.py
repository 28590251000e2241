"""When rules fire, in which order, what is undone (rules L1 to L6, L8)."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.actions.acting import ORDER, acting
from xmlcep.actions.errors import ActionError, CascadeError
from xmlcep.wrapping import CallbackError, WrapError


def item(scene: Any, **attributes: str) -> Any:
    return etree.SubElement(scene.root, "item", **attributes)


# ---- what a firing sees (L1 to L3) --------------------------------------------------------------------------


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


# ---- order (L5) ---------------------------------------------------------------------------------------------


def test_a_firing_is_whole_and_what_it_triggers_comes_before_what_waits() -> None:
    text = (
        "rule A on (ins(item)) {priority=2} do set '@a' = '1', set '@b' = '1'\n"
        "rule OnA on (ins(item/@a)) {priority=-5} do set '../@seen' = 'string(../@b)'\n"
        "rule Waits on (ins(item)) {priority=1} do set '@waits' = 'string(@seen)'"
    )
    with acting("<order/>", text) as scene:
        assert dict(item(scene).attrib) == {"a": "1", "b": "1", "seen": "1", "waits": "1"}
        assert scene.fired == ["A", "OnA", "Waits"]


def test_ties_go_by_order_of_definition_then_of_composites() -> None:
    text = "".join(
        f"rule R{n} on (ins(item/@id) as $i) do insert '<r n=\"{n}\" i=\"{{$i}}\"/>' last into '/order'\n"
        for n in range(3)
    )
    with acting("<order/>", text) as scene:
        scene.root.extend([etree.Element("item", id="x"), etree.Element("item", id="y")])
        assert [(r.get("n"), r.get("i")) for r in scene.root.iter("r")] == [
            ("0", "x"), ("0", "y"), ("1", "x"), ("1", "y"), ("2", "x"), ("2", "y")
        ]  # fmt: skip


def test_two_rule_sets_are_one_schedule() -> None:
    with acting(
        "<order/>",
        "rule A on (ins(item)) do set '@x' = 'concat(@x, 1)'\n"
        "rule B on (ins(item)) {priority=2} do set '@x' = 'concat(@x, 2)'",
        "rule A on (ins(item)) do set '@x' = 'concat(@x, 3)'\n"
        "rule C on (ins(item)) {priority=3} do set '@x' = 'concat(@x, 4)'",
    ) as scene:
        assert item(scene).get("x") == "4213"
        scene.sets[0].close()
        assert item(scene).get("x") == "43"


def test_200_rules_on_one_event() -> None:
    text = "".join(
        f"rule R{n} on (ins(item)) do set '@n' = 'number(concat(0, @n)) + 1'\n" for n in range(200)
    )
    with acting("<order/>", text) as scene:
        assert item(scene).get("n") == "200"
        assert scene.fired == [f"R{n}" for n in range(200)]


# ---- watches and subscribers (L4) ---------------------------------------------------------------------------


def test_an_edit_and_its_cascade_are_told_together() -> None:
    rules = xmlcep.parse_rules("rule R on (ins(item)) do set '@a' = '1'")
    events = xmlcep.parse_rules("event Item = ins(item)\nevent A = ins(item/@a)")
    doc = xmlcep.fromstring("<order/>")
    seen: list[str] = []
    watch = doc.watch(events, on_event=lambda e: seen.append(f"{e.name} {doc.root[0].get('a')}"))
    doc.subscribe(lambda e: seen.append(f"{e.op} {doc.root[0].get('a')}"))
    with watch, doc.rules(rules):
        etree.SubElement(doc.root, "item")
    assert seen == ["Item 1", "ins 1", "A 1", "ins 1"]


def test_edits_of_subscribers_trigger_rules_too() -> None:
    doc = xmlcep.fromstring("<order/>")

    def react(event: xmlcep.PrimitiveEvent) -> None:
        if str(event.path) == "/order/item":
            doc.root[0].set("sub", "1")

    doc.subscribe(react)
    with doc.rules(xmlcep.parse_rules("rule R on (ins(item/@sub)) do set '../@rule' = '1'")):
        etree.SubElement(doc.root, "item")
    assert dict(doc.root[0].attrib) == {"sub": "1", "rule": "1"}


def test_a_rule_that_ends_what_is_told_of_it_disturbs_nobody() -> None:
    """It deletes the node it was raised for, or moves it; a function that it calls closes the watch and the rules."""
    rules = xmlcep.parse_rules("rule R on (ins(item)) do call 'close', delete '.'")
    doc = xmlcep.fromstring("<order/>")
    watch = doc.watch(xmlcep.parse_rules("event Item = ins(item)"))
    acting_rules: list[Any] = []

    def close(_: object) -> None:
        watch.close()
        acting_rules[0].close()

    acting_rules.append(doc.rules(rules, actions={"close": close}))
    etree.SubElement(doc.root, "item")
    assert (len(doc.root), len(watch.findings)) == (0, 1)
    etree.SubElement(doc.root, "item")
    assert (len(doc.root), len(watch.findings)) == (1, 1)
    doc._check()


# ---- functions of the application (L7) ----------------------------------------------------------------------


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
        assert told == ["event"] * 3 + ["R 2 1 1 {'i': ('7',)}"] or told == ["event"] * 3 + [
            "R 2 1 1 {'i': '7'}"
        ]
        told.clear()
        with pytest.raises(ZeroDivisionError), doc.transaction():
            etree.SubElement(doc.root, "item", id="8")
            raise ZeroDivisionError
        assert told == []


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
        assert str(error) == f"{said}what the rule did stands"
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


# ---- transactions (L4, L6) ----------------------------------------------------------------------------------


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


# ---- without end (L8) ---------------------------------------------------------------------------------------

ENDLESS = (
    "rule Ping on (*(order/@a)) do set '../@b' = '. + 1'\nrule Pong on (*(order/@b)) do set '../@a' = '. + 1'"
)


def test_an_endless_cascade_is_undone_and_names_its_cycle() -> None:
    with acting("<order/>", ENDLESS) as scene:
        scene.root.set("a", "1")
        assert scene.xml == '<order a="1"/>'
        [error] = scene.errors
        assert isinstance(error, CascadeError)
        assert error.rules == ("Ping", "Pong") or error.rules == ("Pong", "Ping")
        assert len(error.steps) == 2 and error.kept
        assert "deeper than 64" in str(error)
        assert scene.fired == []
        assert [event.ts for event in scene.told] == [1]
        scene.errors.clear()
        scene.root.set("c", "1")
        assert scene.told[-1].ts == 2


def test_strict_undoes_the_edit_too() -> None:
    with acting("<order/>", ENDLESS, strict=True) as scene:
        with pytest.raises(CascadeError, match="and so is the edit that began it"):
            scene.root.set("a", "1")
        assert (scene.xml, scene.told, scene.doc.clock) == ("<order/>", [], 0)
        with pytest.raises(CascadeError), scene.doc.transaction():
            scene.root.set("c", "1")
            scene.root.set("a", "1")
        assert (scene.xml, scene.told) == ("<order/>", [])
        with scene.doc.transaction():
            scene.root.set("c", "1")
            with pytest.raises(CascadeError):
                scene.root.set("a", "1")
            scene.root.set("d", "1")
        assert (scene.xml, [event.ts for event in scene.told]) == ('<order c="1" d="1"/>', [1, 2])
        scene.root.set("e", "1")
        assert scene.told[-1].ts == 3


def test_limits_can_be_set() -> None:
    text = "rule Count on (*(order/@n)) if '. < 200' do set '.' = '. + 1'"
    with acting("<order/>", text, limit=300) as scene:
        scene.root.set("n", "0")
        assert scene.root.get("n") == "200"
        assert scene.fired == ["Count"] * 200
    with acting("<order/>", text, limit=300, firings=100) as scene:
        scene.root.set("n", "0")
        assert scene.root.get("n") == "0"
        assert "longer than 100 firings" in str(scene.errors.pop())


def test_an_endless_cascade_in_a_transaction_and_at_its_end() -> None:
    for coupling in ("immediate", "commit"):
        text = f"rule Count on (*(order/@n)) {{coupling={coupling}}} do set '.' = '. + 1'"
        with acting("<order/>", text) as scene:
            with scene.doc.transaction():
                scene.root.set("m", "1")
                scene.root.set("n", "0")
            assert scene.xml == '<order m="1" n="0"/>'
            assert [type(error) for error in scene.errors] == [CascadeError]
            scene.errors.clear()


# ---- opening ------------------------------------------------------------------------------------------------


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
    with pytest.raises(WrapError, match="has no rules that act"):
        doc.rules(xmlcep.parse_rules("event A = ins(item)"))
    with pytest.raises(WrapError, match="rules that act are needed"):
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
