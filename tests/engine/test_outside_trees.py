"""A detector of some trees, fed with what the others raised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from path_types import PathType
from xmlcep import CompositeEvent, Detector, PrimitiveEvent, parse_rules

RULES = parse_rules(
    """
    event Made(order) = ins(item)
    event Filled(item) = ins(item/price) & ins(item/quantity)
    event Ready(order) = Made(order) & Filled(item)
    event Both(order) {context=cumulative} = x[1,*]{path=order} ins(billTo) & x[2,*]{path=order} Filled(item)
    """
)


def event(ts: int, op: str, path: str, *ids: int) -> PrimitiveEvent:
    return PrimitiveEvent(ts, op, PathType.parse(path), ids)


def filled(ts: int, item: int) -> CompositeEvent:
    """What `Filled` raises for an item, as another detector says."""
    path = PathType.parse("/order/item")
    return CompositeEvent("Filled", None, path, (1, item), (), ts, ts, event(ts, "ins", "/order", 1))


def test_only_the_chosen_trees_are_evaluated() -> None:
    detector = Detector(RULES, trees=["Filled"])
    raised = [
        str(composite)
        for step in [
            event(1, "ins", "/order/item", 1, 2),
            event(2, "ins", "/order/item/price", 1, 2, 3),
            event(3, "ins", "/order/item/quantity", 1, 2, 4),
        ]
        for composite in detector.feed(step)
    ]
    assert raised == ["Filled(/order#1/item#2) at 3 {ins@2, ins@3}"]
    assert detector.size() == 0


def test_only_events_that_matter_to_the_chosen_trees_concern_it() -> None:
    item, price = PathType.parse("/order/item"), PathType.parse("/order/item/price")
    assert Detector(RULES).concerns("ins", price)
    assert not Detector(RULES, trees=["Ready"]).concerns("ins", price)
    assert not Detector(RULES, trees=["Ready"]).concerns("ins", item)
    assert Detector(RULES, trees=["Made"]).concerns("ins", item)


def test_a_composite_from_outside_is_an_operand() -> None:
    detector = Detector(RULES, trees=["Made", "Ready"])
    item, price = event(1, "ins", "/order/item", 1, 2), event(2, "ins", "/order/item/price", 1, 2, 3)
    assert [composite.name for composite in detector.feed(item)] == ["Made"]
    given = filled(2, 2)
    (ready,) = detector.feed(price, [given])
    assert (ready.name, ready.ids, ready.start, ready.end) == ("Ready", (1,), 1, 2)
    assert ready.constituents[1] is given


def test_it_arrives_when_its_tree_would_have_its_turn() -> None:
    """G2: the composite and what the trees inside raise at the same time point reach their user together."""
    detector = Detector(RULES, trees=["Made", "Ready"])
    raised = detector.feed(event(1, "ins", "/order/item", 1, 2), [filled(1, 2)])
    assert [composite.name for composite in raised] == ["Made", "Ready"]
    assert [part.name for part in raised[1].constituents] == ["Made", "Filled"]


def test_composites_arrive_by_path_ids_whatever_the_order_in_which_they_are_given() -> None:
    """G2, and the given order where the ids are the same."""
    detector = Detector(RULES, trees=["Both"])
    detector.feed(event(1, "ins", "/order/billTo", 1, 9))
    early, late, twin = filled(2, 3), filled(2, 5), filled(2, 5)
    raised = detector.feed(event(2, "del", "/order/remark", 1, 8), [late, early, twin])
    constituents = raised[-1].constituents[-1].constituents
    assert [id(part) for part in constituents] == [id(part) for part in (early, late, twin)]


def test_what_no_chosen_tree_uses_is_left_out() -> None:
    detector = Detector(RULES, trees=["Made"])
    assert detector.feed(event(1, "upd", "/order/text()", 1, 2), [filled(1, 2)]) == []
    assert detector.size() == 0


def test_composites_of_the_deletion_come_before_the_node_is_freed() -> None:
    """G4: at the deletion of its node a group takes what that raises, and is freed afterwards."""
    rules = parse_rules("event Gone(item) = del(item)\nevent Life(item) = ins(item) ; Gone(item)")
    path = PathType.parse("/order/item")
    detector = Detector(rules, trees=["Life"])
    detector.feed(event(1, "ins", "/order/item", 1, 2))
    assert detector.size() == 1
    deletion = event(2, "del", "/order/item", 1, 2)
    gone = CompositeEvent("Gone", None, path, (1, 2), (deletion,), 2, 2, deletion)
    assert [str(composite) for composite in detector.feed(deletion, [gone])] == [
        "Life(/order#1/item#2) at 2 {ins@1, del@2}"
    ]
    assert detector.size() == 0


def test_an_empty_composite_of_a_tree_outside_is_expected() -> None:
    """What a tree outside may raise is known from its definition: the sequence must keep its second event."""
    rules = parse_rules(
        "event Any(item) = x[0,*] ins(item/price)\nevent After(item) = Any(item) ; ins(item/note)"
    )
    note = event(2, "ins", "/order/item/note", 1, 2, 3)
    empty = CompositeEvent("Any", None, PathType.parse("/order/item"), (1, 2), (), None, None, note)
    detector = Detector(rules, trees=["After"])
    assert detector.feed(event(1, "ins", "/order/item/note", 1, 2, 3)) == []
    (after,) = detector.feed(event(2, "upd", "/order/item/@id", 1, 2, 4), [empty])
    assert (after.start, after.end) == (1, 1)


def test_no_document_is_kept_for_the_conditions_of_others() -> None:
    rules = parse_rules(
        'event Sane(item) {when="price"} = ins(item/price) & ins(item/note)\nevent All(order) = x[2,2] Sane(item)'
    )
    assert Detector(rules, trees=["Sane"])._document is not None
    assert Detector(rules, trees=["All"])._document is None


class Unread(Sequence[object]):
    """Constituents into which nobody may look."""

    def __getitem__(self, index: object) -> object:
        raise AssertionError("looked into")

    def __len__(self) -> int:
        raise AssertionError("looked into")

    def __iter__(self) -> Iterator[object]:
        raise AssertionError("looked into")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("looked into")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("context", ["chronicle", "recent", "continuous", "cumulative", "unrestricted"])
@pytest.mark.parametrize("options", ["", ", flat", ", flat, order=detection", ", end=custom"])
@pytest.mark.parametrize(
    "expression",
    [
        "Filled(item) & ins(order)",
        "ins(order) ; Filled(item) ; ins(item/price)",
        "x[0,1]{path=order} Filled(item) & Filled(item) & ins(order)",
        "Filled(item) | del(order)",
    ],
)
def test_nobody_looks_into_the_constituents_of_what_is_fed(
    context: str, options: str, expression: str
) -> None:
    """They may be any sequence: those of recorded composites are records."""
    rules = parse_rules(
        "event Filled(item) = ins(item/price) & ins(item/quantity)\n"
        f"event User(order) {{context={context}{options}}} = {expression}"
    )
    detector = Detector(rules, trees=["User"])
    raised = detector.feed(event(1, "ins", "/order", 1))
    for ts in range(2, 6):
        given = [filled(ts, item)._replace(constituents=Unread()) for item in (5, 3) if ts % 2 == 0]
        raised += detector.feed(event(ts, "ins", "/order/item/price", 1, 3, 10 + ts), given)
        raised += detector.flush()
    raised += detector.feed(event(9, "del", "/order", 1))
    detector.close()
    assert {composite.name for composite in raised} == {"User"}


def test_a_tree_that_is_not_there() -> None:
    with pytest.raises(
        ValueError, match="trees has 'Fileld', which is not an event of these rules: expected some"
    ):
        Detector(RULES, trees=["Made", "Fileld"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "Made"}, "'Made' was fed, which is evaluated by this very detector"),
        ({"name": "Other"}, "'Other' was fed, which is not an event of these rules"),
        ({"operator": "conjunction1"}, "'conjunction1', an inner operator of 'Filled', was fed"),
    ],
)
def test_composites_that_cannot_come_from_outside(wrong: dict[str, str], message: str) -> None:
    detector = Detector(RULES, trees=["Made", "Ready"])
    with pytest.raises(ValueError, match=message):
        detector.feed(event(1, "ins", "/order", 1), [filled(1, 2)._replace(**wrong)])  # type: ignore[arg-type]
