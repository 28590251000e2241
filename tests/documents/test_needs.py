"""Replicas that hold only what is needed, and what they say to expressions."""

from __future__ import annotations

import pytest
from lxml import etree

from path_types import PathType
from tests.documents.test_replica import event
from xmlcep.documents import Needs, Replica, Strictness
from xmlcep.xpath import Environment, NodeKind, Scope, compile_expression

ITEM = PathType.parse("item")
XML = (
    '<order id="o"><!--c--><item n="1">a<x/>b<price>3<vat/>4</price></item>tail'
    '<item n="2"><price>5</price></item></order>'
)
IDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]


def needs(text: str) -> Needs:
    return Needs.of(subtrees=[(ITEM, compile_expression(text, scope=Scope.SUBTREE).truth_reads)])


def shown(replica: Replica, node: int) -> str:
    element = replica.element(node)
    return "" if element is None else etree.tostring(element, encoding="unicode")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("price > 3", "<item><price>3<vat/>4</price></item>"),
        ("price", "<item><price/></item>"),
        ("@n = 1", '<item n="1"/>'),
        ("text() = 'a'", "<item>a<x/>b<price/></item>"),
        ("name(*) = 'x'", "<item>a<x/>b<price/></item>"),
        ("true()", "<item/>"),
    ],
)
def test_what_is_kept_of_a_snapshot(text: str, expected: str) -> None:
    replica = Replica.from_snapshot(XML, IDS, needs=needs(text))
    assert shown(replica, 3) == expected
    assert replica.element(1) is None
    assert replica.root_id is None
    assert replica.tree() is None


def test_children_without_an_order_come_in_any() -> None:
    replica = Replica(needs=needs("count(price) = 2"))
    for record in [
        {"ts": 1, "op": "ins", "path": "/order", "ids": [1]},
        {"ts": 2, "op": "ins", "path": "/order/item", "ids": [1, 2], "pos": 0},
        {"ts": 3, "op": "ins", "path": "/order/item/x", "ids": [1, 2, 3], "pos": 0},
        {"ts": 4, "op": "ins", "path": "/order/item/price", "ids": [1, 2, 4], "pos": 1},
        {"ts": 5, "op": "ins", "path": "/order/item/price", "ids": [1, 2, 5], "pos": 0},
        {
            "ts": 6,
            "op": "ins",
            "path": "/order/item/price/text()",
            "ids": [1, 2, 5, 6],
            "value": "7",
            "pos": 0,
        },
        {"ts": 7, "op": "del", "path": "/order/item/price", "ids": [1, 2, 4]},
    ]:
        replica.apply(
            event(record.pop("ts"), record.pop("op"), record.pop("path"), record.pop("ids"), **record)
        )
    assert shown(replica, 2) == "<item><price/></item>"
    assert len(replica) == 2


def test_a_fragment_whose_place_is_known() -> None:
    path = PathType.parse("/order/item")
    replica = Replica(needs=needs("price"))
    replica.add("<item n='1'><price>3</price><x/></item>", [2, 3, 4, 5, 6], path)
    replica.add("<item n='1'><price>3</price><x/></item>", [12, 13, 14, 15, 16])
    assert shown(replica, 2) == "<item><price/></item>"
    assert shown(replica, 12) == '<item n="1"><price>3</price><x/></item>'
    replica.apply(event(1, "ins", "/order/item/price", [1, 2, 7], pos=2))
    assert shown(replica, 2) == "<item><price/><price/></item>"


def test_needs_of_several_expressions() -> None:
    quantity = compile_expression("../../quantity > 3", node=NodeKind.TEXT)
    several = Needs.of(
        subtrees=[(ITEM, compile_expression("@n", scope=Scope.SUBTREE).truth_reads)],
        documents=[quantity.reads_from(PathType.parse("item/price/text()"))],
    )
    kept = [
        path
        for path in (
            "/order",
            "/order/item",
            "/order/item/@n",
            "/order/item/@m",
            "/order/item/quantity/text()",
            "/order/customer",
        )
        if several.keeps(PathType.parse(path))
    ]
    assert kept == ["/order/item", "/order/item/@n", "/order/item/quantity/text()"]


def test_what_is_held_whole_keeps_its_prefixes() -> None:
    xml = "<p:a xmlns:p='urn:p'><p:b/></p:a>"
    for needs in (None, Needs.everything()):
        replica = Replica.from_snapshot(xml, [1, 2], needs=needs)
        assert [each.prefix for each in (replica.element(1), replica.element(2), replica.tree())] == ["p"] * 3  # type: ignore[union-attr]


def test_environments() -> None:
    replica = Replica.from_snapshot(XML, IDS)
    places = {
        ("/order", (1,)): Environment({"v": 1}, replica.element(1)),
        ("/order/item/@n", (1, 3, 4)): Environment({"v": 1}, replica.element(3), "1", "n"),
        ("/order/item/text()", (1, 3, 7)): Environment({"v": 1}, replica.element(3), "b", text=2),
        ("/order/item/price/text()", (1, 3, 8, 11)): Environment({"v": 1}, replica.element(8), "4", text=2),
    }
    for (path, ids), expected in places.items():
        assert replica.environment_in_tree(PathType.parse(path), ids, {"v": 1}) == expected
        seen = replica.environment(PathType.parse(path), ids, {"v": 1})
        assert seen is not None and seen.place is not None
        assert replica.element(seen.place[1]) is expected.element
        assert seen._replace(place=None, element=expected.element) == expected
    for path, ids in [("/order/x", (1, 99)), ("/order/@x", (1, 99)), ("/order/text()", (1, 99))]:
        assert replica.environment(PathType.parse(path), ids) is None


def test_texts_beside_each_other_are_one_to_lxml_and_two_to_expressions() -> None:
    replica = Replica.from_snapshot("<a>one<!--x-->two<b/>three</a>", [1, 2, 3, 4, 5])
    path = PathType.parse("/a/text()")
    own = compile_expression(".", node=NodeKind.TEXT)
    after = compile_expression("name(following-sibling::*)", node=NodeKind.TEXT)
    found = [
        (own.string(environment), after.string(environment), environment.text)
        for node in (2, 3, 5)
        if (environment := replica.environment(path, (1, node)))
    ]
    assert found == [("one", "b", 1), ("two", "b", 1), ("three", "", 2)]


def test_a_strict_replica_misses_a_parent_that_is_wrong() -> None:
    strict = Replica.from_snapshot("<a><b>x<c/></b><d/></a>", [1, 2, 3, 4, 5], strictness=Strictness.STRICT)
    tolerant = Replica.from_snapshot("<a><b>x<c/></b><d/></a>", [1, 2, 3, 4, 5])
    for wrong in (
        event(1, "del", "/a/d/c", [1, 5, 4]),
        event(1, "del", "/a/d/text()", [1, 5, 3], old="x"),
        event(1, "upd", "/a/d/text()", [1, 5, 3], old="x", value="y"),
    ):
        with pytest.raises(ValueError, match="it has another parent"):
            strict.apply(wrong)
    tolerant.apply(event(1, "upd", "/a/d/text()", [1, 5, 3], old="x", value="y"))
    tolerant.apply(event(2, "del", "/a/d/c", [1, 5, 4]))
    assert shown(tolerant, 1) == "<a><b>y</b><d/></a>"
    tolerant.apply(event(3, "del", "/a/d/text()", [1, 5, 3], old="y"))
    assert shown(tolerant, 1) == "<a><b/><d/></a>"
