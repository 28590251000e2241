"""The replica against a model document (`random_documents`), event by event."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from lxml import etree

from tests.log.random_documents import RandomDocument
from xmlcep.documents import Replica, ReplicaError, Strictness
from xmlcep.documents.snapshots import SnapshotError
from xmlcep.events import PrimitiveEvent


def canonical(xml: str | etree._Element) -> str:
    text = xml if isinstance(xml, str) else etree.tostring(xml, encoding="unicode")
    return str(etree.canonicalize(text, rewrite_prefixes=True))


def event(ts: int, op: str, path: str, ids: list[int], **fields: object) -> PrimitiveEvent:
    return PrimitiveEvent.from_record({"ts": ts, "op": op, "path": path, "ids": ids, **fields})


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_document_after_every_event(seed: int) -> None:
    document, replica = RandomDocument(seed), Replica(strictness=Strictness.STRICT)
    while document.ts < 300:
        for change in document.change():
            replica.apply(change)
        tree = replica.tree()
        if document.root is None:
            assert tree is None
            assert len(replica) == 0
            continue
        assert tree is not None
        assert canonical(tree) == canonical(document.xml())
        assert replica.root_id == document.root.id
        assert len(replica) == len(document.snapshot()[1])


@pytest.mark.parametrize("seed", range(8))
def test_snapshot_and_state_hold_everything(seed: int) -> None:
    document, replica = RandomDocument(seed), Replica(strictness=Strictness.STRICT)
    for change in document.events(150):
        replica.apply(change)
    if document.root is None:
        return
    xml, ids = replica.snapshot()
    assert xml is not None
    assert ids == document.snapshot()[1]
    again = [
        Replica.from_snapshot(xml, ids, strictness=Strictness.STRICT),
        Replica.from_snapshot(*document.snapshot(), strictness=Strictness.STRICT),
        Replica.from_state(json.loads(json.dumps(replica.to_state())), strictness=Strictness.STRICT),
        deepcopy(replica),
    ]
    before = replica.to_state()
    for change in document.events(150):
        for one in again:
            one.apply(change)
    if document.root is not None:
        for one in again:
            assert canonical(one.tree()) == canonical(document.xml())
    assert replica.to_state() == before


def test_plain_tuples_are_events() -> None:
    replica = Replica()
    replica.apply(tuple(event(1, "ins", "/a", [1], pos=0)))  # type: ignore[arg-type]
    assert etree.tostring(replica.element(1)) == b"<a/>"


def test_adjacent_text_nodes_are_separate_nodes() -> None:
    replica = Replica.from_snapshot("<a>one<!--c-->two<b/>three<?p i?>four</a>", [1, 2, 3, 4, 5, 6])
    assert etree.tostring(replica.element(1)) == b"<a>onetwo<b/>threefour</a>"
    replica.apply(event(1, "upd", "/a/text()", [1, 3], value="TWO", old="two"))
    replica.apply(event(2, "del", "/a/text()", [1, 5], old="three"))
    assert etree.tostring(replica.element(1)) == b"<a>oneTWO<b/>four</a>"
    replica.apply(event(3, "ins", "/a/c", [1, 7], pos=1))
    assert etree.tostring(replica.element(1)) == b"<a>one<c/>TWO<b/>four</a>"


def test_elements_stay_the_same_objects() -> None:
    replica = Replica.from_snapshot("<a><b/></a>", [1, 2])
    before = replica.element(2)
    replica.apply(event(1, "ins", "/a/c", [1, 3], pos=0))
    assert replica.element(2) is before
    assert replica.element(9) is None


def test_an_unknown_parent_makes_a_detached_fragment() -> None:
    replica = Replica()
    replica.apply(event(5, "ins", "/a/b", [1, 2], pos=7))
    replica.apply(event(6, "ins", "/a/b/@c", [1, 2, 3], value="x"))
    replica.apply(event(7, "ins", "/a/b/d/text()", [1, 2, 8, 9], value="lost: its parent is not there"))
    assert replica.tree() is None
    assert etree.tostring(replica.element(2)) == b'<b c="x"/>'
    again = Replica.from_state(json.loads(json.dumps(replica.to_state())))
    assert etree.tostring(again.element(2)) == b'<b c="x"/>'
    again.apply(event(8, "del", "/a/b", [1, 2]))
    assert len(again) == 0


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"op": "ins", "path": "/a", "ids": [9]}, "has a root already"),
        ({"op": "ins", "path": "/a/b", "ids": [1, 2], "pos": 0}, "is there already"),
        ({"op": "ins", "path": "/a/b", "ids": [1, 9], "pos": 5}, "pos is 5"),
        ({"op": "ins", "path": "/a/x/y", "ids": [1, 8, 9], "pos": 0}, "its parent (node 8) is not there"),
        ({"op": "del", "path": "/a/b", "ids": [1, 2]}, "still has attributes or child nodes"),
        ({"op": "del", "path": "/a/b", "ids": [1, 9]}, "no such element"),
        ({"op": "upd", "path": "/a/b", "ids": [1, 2]}, "elements have no value"),
        ({"op": "upd", "path": "/a/b/@c", "ids": [1, 2, 3], "value": "y", "old": "z"}, "old is 'z'"),
        ({"op": "del", "path": "/a/b/@d", "ids": [1, 2, 3]}, "no such attribute"),
        ({"op": "ins", "path": "/a/b/@c", "ids": [1, 2, 9], "value": "y"}, "the attribute is there already"),
        ({"op": "upd", "path": "/a/text()", "ids": [1, 4], "value": "y", "old": "z"}, "old is 'z'"),
        ({"op": "del", "path": "/a/text()", "ids": [1, 9]}, "no such text node"),
        ({"op": "ins", "path": "/a/text()", "ids": [1, 9], "value": "\x00", "pos": 0}, "cannot be applied"),
        ({"op": "upd", "path": "/a/text()", "ids": [1, 4], "value": "\x00"}, "cannot be applied"),
    ],
)
def test_a_strict_replica_says_what_cannot_have_happened(record: dict[str, object], problem: str) -> None:
    replica = Replica.from_snapshot('<a><b c="x"/>t</a>', [1, 2, 3, 4], strictness=Strictness.STRICT)
    before = canonical(replica.tree())
    with pytest.raises(ReplicaError) as caught:
        replica.apply(PrimitiveEvent.from_record({"ts": 1, **record}))
    assert problem in str(caught.value)
    assert canonical(replica.tree()) == before


def test_a_tolerant_replica_goes_on_without_lost_records() -> None:
    """Any subset of the events is taken; what is known stays consistent."""
    for seed in range(20):
        document, replica = RandomDocument(seed), Replica()
        for change in document.events(200):
            if document.random.random() < 0.8:
                replica.apply(change)
        again = Replica.from_state(json.loads(json.dumps(replica.to_state())))
        assert len(again) == len(replica)


@pytest.mark.parametrize(
    ("xml", "ids", "problem"),
    [
        ("<a>", [1], "not well-formed"),
        ("<a/>", [1, 2], "has 1 nodes, but ids has 2"),
        ("<a>t</a>", [1], "more nodes"),
        ("<a>t</a>", [1, 1], "twice"),
        ('<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>', [1, 2], "document type declaration"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', [1], "document type declaration"),
    ],
)
def test_bad_snapshots_are_refused(xml: str, ids: list[int], problem: str) -> None:
    with pytest.raises(SnapshotError) as caught:
        Replica.from_snapshot(xml, ids)
    assert problem in str(caught.value)


def test_fragments_are_added_side_by_side() -> None:
    """Each with its own nodes, which later events find, and with no place in the document."""
    replica = Replica(strictness=Strictness.STRICT)
    assert replica.add('<item id="a"><price>5</price></item>', [2, 3, 4, 5]) == 2
    assert replica.add("<item>x<!--c-->y</item>", [7, 8, 9]) == 7
    assert (replica.root_id, replica.tree(), len(replica)) == (None, None, 7)
    replica.apply(event(1, "upd", "/order/item/price/text()", [1, 2, 4, 5], value="6", old="5"))
    replica.apply(event(2, "upd", "/order/item/@id", [1, 2, 3], value="b", old="a"))
    replica.apply(event(3, "del", "/order/item/text()", [1, 7, 8], old="x"))
    replica.apply(event(4, "ins", "/order/item/note", [1, 7, 10], pos=1))
    assert etree.tostring(replica.element(2)) == b'<item id="b"><price>6</price></item>'
    assert etree.tostring(replica.element(7)) == b"<item>y<note/></item>"
    again = Replica.from_state(json.loads(json.dumps(replica.to_state())), strictness=Strictness.STRICT)
    for one in (replica, again):
        one.apply(event(5, "del", "/order/item/note", [1, 7, 10]))
        one.apply(event(6, "del", "/order/item/text()", [1, 7, 9], old="y"))
        one.apply(event(7, "del", "/order/item", [1, 7]))
        assert (len(one), one.element(7)) == (4, None)


def test_a_fragment_is_added_to_a_document() -> None:
    replica = Replica.from_snapshot("<order><item/></order>", [1, 2])
    replica.add("<item><price/></item>", [5, 6])
    assert replica.snapshot() == ("<order><item/></order>", [1, 2])
    assert etree.tostring(replica.element(6)) == b"<price/>"


@pytest.mark.parametrize(
    ("xml", "ids", "problem"),
    [
        ("<item", [5], "not well-formed"),
        ("<item/>", [5, 6], "has 1 nodes, but ids has 2"),
        ("<item><price/></item>", [5, 2], "node id 2, which the replica has already"),
        ("<item><price>7</price></item>", [5, 6, 3], "node id 3, which the replica has already"),
        ("<item a='1'/>", [5, 4], "node id 4, which the replica has already"),
    ],
)
def test_nothing_is_left_of_a_fragment_that_is_refused(xml: str, ids: list[int], problem: str) -> None:
    replica = Replica.from_snapshot('<order><item b="1">t</item></order>', [1, 2, 4, 3])
    before = replica.to_state()
    with pytest.raises(SnapshotError) as caught:
        replica.add(xml, ids)
    assert problem in str(caught.value)
    assert replica.to_state() == before
    assert len(replica) == 4


@pytest.mark.parametrize("place", ["root", "fragments", "empty", "unordered", "partial", "digest"])
def test_a_state_that_was_changed_is_refused(place: str) -> None:
    """It would be another document."""
    replica = Replica.from_snapshot('<a><b c="x"/>t</a>', [1, 2, 3, 4])
    for change in ({}, {place: 2}, {place: None}):
        state = {name: part for name, part in replica.to_state().items() if name != place} | change
        with pytest.raises(SnapshotError, match="damaged: it is not what was written"):
            Replica.from_state(state)
