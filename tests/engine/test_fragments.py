"""A detector that has only parts of a document: conditions at nodes of fragments (D4)."""

from __future__ import annotations

import pytest

from path_types import PathType
from xmlcep import Detector, PrimitiveEvent, parse_rules
from xmlcep.documents.snapshots import SnapshotError

SANE = parse_rules('event Sane(item) {when="price > 3 and @id"} = upd(item/price/text()) & ins(item/note)')


def event(ts: int, op: str, path: str, *ids: int, **fields: str) -> PrimitiveEvent:
    return PrimitiveEvent(ts, op, PathType.parse(path), ids, **fields)


def noted(ts: int, item: int) -> list[PrimitiveEvent]:
    """The price of an item of a fragment set to 5, and a note."""
    text = event(ts, "upd", "/order/item/price/text()", 1, item, item + 2, item + 3, value="5", old="1")
    return [text, event(ts + 1, "ins", "/order/item/note", 1, item, item + 4)]


def test_conditions_at_nodes_of_two_fragments() -> None:
    """Both see what their fragment had before the first record, and what the records change."""
    detector = Detector(SANE)
    detector.add_fragment('<item id="a"><price>1</price></item>', [10, 11, 12, 13])
    raised = [str(composite) for step in noted(1, 10) for composite in detector.feed(step)]
    # The second comes while the first is under way; its item has no id before its last record.
    detector.add_fragment("<item>x<price>1</price></item>", [20, 21, 22, 23])
    later = [*noted(3, 20), event(5, "ins", "/order/item/@id", 1, 20, 25, value="b"), *noted(6, 10)]
    raised += [str(composite) for step in later for composite in detector.feed(step)]
    assert raised == [
        "Sane(/order#1/item#10) at 2 {upd@1, ins@2}",
        "Sane(/order#1/item#20) at 5 {upd@3, ins@4}",
        "Sane(/order#1/item#10) at 7 {upd@6, ins@7}",
    ]


def test_a_fragment_is_what_the_document_is_elsewhere() -> None:
    """The same records, once after the whole document, once after its parts."""
    document = '<order><item id="a"><price>1</price></item><item id="b"><price>1</price></item></order>'
    whole, parts = Detector(SANE), Detector(SANE)
    whole.add_fragment(document, [1, 10, 11, 12, 13, 20, 21, 22, 23])
    parts.add_fragment(document[7:43], [10, 11, 12, 13])
    parts.add_fragment(document[43:79], [20, 21, 22, 23])
    steps = [
        *noted(1, 10),
        *noted(3, 20),
        event(5, "del", "/order/item/@id", 1, 10, 11, old="a"),
        *noted(6, 10),
    ]
    raised = [composite for step in steps for composite in whole.feed(step)]
    assert [composite for step in steps for composite in parts.feed(step)] == raised
    assert [composite.ids for composite in raised] == [(1, 10), (1, 20)]


def test_without_conditions_there_is_no_document() -> None:
    rules = parse_rules(f"{SANE}\nevent Noted(item) = ins(item/note)")
    for detector in (Detector(rules, trees=["Noted"]), Detector(parse_rules("event Any = ins(item)"))):
        detector.add_fragment("<item/>", [1])
        detector.add_fragment("<item/>", [1])


def test_a_fragment_that_is_refused() -> None:
    detector = Detector(SANE)
    detector.add_fragment("<item/>", [1])
    with pytest.raises(SnapshotError, match="node id 1, which the replica has already"):
        detector.add_fragment("<item/>", [1])


def test_a_detector_that_is_used_again_asks_the_new_document() -> None:
    """Guards and filters, too, look at the document of now."""
    rules = parse_rules(
        'event Priced(item) = x[1,*]{if="price"} ins(item/note)\n'
        "event Beside(item) = x[1,*] ins(item/note)[../price]"
    )
    detector = Detector(rules)
    for ts in (1, 5):
        raised = []
        steps = [("/order/item", (1, 2)), ("/order/item/price", (1, 2, 3)), ("/order/item/note", (1, 2, 4))]
        for number, (path, ids) in enumerate(steps):
            raised += detector.feed(event(ts + number, "ins", path, *ids))
        assert [composite.name for composite in raised] == ["Priced", "Beside"]
        detector.reset()


def test_what_a_fragment_has_that_no_rule_reads_is_not_kept() -> None:
    detector = Detector(SANE)
    detector.add_fragment(
        '<item id="a" n="1"><price>1</price><x/></item>', range(10, 16), PathType.parse("/order/item")
    )
    detector.add_fragment(
        '<item id="a"><price>1</price></item>', range(20, 24), PathType.parse("/order/item")
    )
    raised = [str(composite) for step in noted(1, 20) for composite in detector.feed(step)]
    assert raised == ["Sane(/order#1/item#20) at 2 {upd@1, ins@2}"]
    assert detector._document is not None and len(detector._document) == 8
