"""The detector as an object: work per event, freeing of state, flush, close and reset, plain tuples."""

from __future__ import annotations

from typing import Any

import pytest

from path_types import PathType
from xmlcep import Detector, PrimitiveEvent, fromstring, parse_rules
from xmlcep.xpath import Expression

COMPLETE = "event Complete = ins(item) ; (ins(item/price) & ins(item/quantity))"


def event(ts: int, op: str, path: str, *ids: int) -> PrimitiveEvent:
    return PrimitiveEvent(ts, op, PathType.parse(path), ids)


def life(first: int, item: int, *, deleted: bool = True) -> list[PrimitiveEvent]:
    """An item with price and quantity, from its creation to its deletion."""
    paths = [("/order/item", (1, item)), ("/order/item/price", (1, item, item + 1))]
    paths.append(("/order/item/quantity", (1, item, item + 2)))
    steps = [("ins", *place) for place in paths]
    if deleted:
        steps += [("del", *place) for place in reversed(paths)]
    return [event(first + i, op, path, *ids) for i, (op, path, ids) in enumerate(steps)]


@pytest.mark.parametrize(
    "rules",
    [
        COMPLETE,
        "event Recent {context=recent} = *(item/price) & *(item/quantity)",
        "event Optional = ins(item) ; (x[0,1] ins(item/comment) & ins(item/price))",
        "event Left = (x[1,*]{end=non-local} ins(item/price) & ins(item/quantity)) {end=non-local}",
        "event Sane = (ins(item/price) & ins(item/quantity)) {when='price > 0'}",
        f"{COMPLETE}\nevent Twice(item) = x[2,2] Complete(item)",
    ],
)
def test_nothing_is_left_of_deleted_items(rules: str) -> None:
    """G4: what is stored depends on what lives, not on the length of the history."""
    detector = Detector(parse_rules(rules.replace("'", '"')))
    detector.feed(event(1, "ins", "/order", 1))
    ts = 2
    for number in range(50):
        for step in life(ts, 10 * (number + 1)):
            detector.feed(step)
            detector._check()
        ts += 6
    detector.feed(event(ts, "ins", "/order/billTo", 1, 9999))
    assert detector.size() == 0


def test_a_deferred_group_outlives_its_node_until_it_is_released() -> None:
    rules = "event Changes = (ins(item/price) & del(item/price)) {end=custom}"
    detector = Detector(parse_rules(rules))
    for step in life(1, 10):
        assert detector.feed(step) == []
    assert [str(composite) for composite in detector.flush()] == [
        "Changes(/order#1/item#10/price#11) at 6 {ins@2, del@5}"
    ]
    assert detector.size() == 0


def test_rules_that_cannot_match_are_not_asked() -> None:
    """The work per event does not grow with the number of rules: only trees that can match have a step."""
    others = "\n".join(f"event Other{n} = ins(thing{n}) & upd(thing{n}/price/text())" for n in range(100))
    detector = Detector(parse_rules(f"{others}\n{COMPLETE}"))
    dispatch = detector._evaluation.dispatch["ins"]
    price = dispatch[PathType.parse("/order/item/price")]
    assert price is not None
    assert [tree.tree.name for tree, _ in price.steps] == ["Complete"]
    assert dispatch[PathType.parse("/order/item/note")] is None


def test_a_plain_tuple_that_two_leaves_take_is_one_event_to_it() -> None:
    rules = parse_rules("event Twice {context=unrestricted} = ins(item/price) & ins(item/price)")
    price = (1, "ins", PathType.parse("/order/item/price"), (1, 2, 3), *[None] * 4, "a", None, None, False)
    assert list(Detector(rules).replay([price])) == []  # type: ignore[list-item]


def test_plain_tuples_and_events_are_the_same_to_it() -> None:
    events = life(1, 10)
    from_events = list(Detector(parse_rules(COMPLETE)).replay(events))
    from_tuples = list(Detector(parse_rules(COMPLETE)).replay([tuple(step) for step in events]))  # type: ignore[misc]
    assert from_events == from_tuples
    assert all(isinstance(inner, PrimitiveEvent) for inner in from_tuples[0].flattened())


def test_replay_flushes_after_each_transaction() -> None:
    """D3: the end of a transaction is a flush at the time point of its last event."""
    rules = parse_rules("event Batch = x[1,*]{end=custom} ins(item/price)")
    paths = PathType.parse("/order/item/price")
    events = [
        PrimitiveEvent(ts, "ins", paths, (1, 2, 10 + ts), txn=txn)
        for ts, txn in [(1, 1), (2, 1), (3, 2), (4, None)]
    ]
    detector = Detector(rules)
    assert [(c.ts, len(c.constituents)) for c in detector.replay(events)] == [(2, 2), (3, 1)]
    assert [(c.ts, len(c.constituents)) for c in detector.close()] == [(4, 1)]


def test_a_closed_detector_stores_nothing_and_a_reset_one_starts_anew() -> None:
    detector = Detector(parse_rules(COMPLETE))
    first = [c for step in life(1, 10) for c in detector.feed(step)]
    detector.close()
    assert [c for step in life(7, 20) for c in detector.feed(step)] == []
    detector.reset()
    assert [c for step in life(1, 10) for c in detector.feed(step)] == first


def test_flush_takes_another_cause() -> None:
    detector = Detector(parse_rules("event Some = x[1,*]{end=custom} ins(item/price)"))
    detector.feed(event(1, "ins", "/order/item/price", 1, 2, 3))
    (composite,) = detector.flush(event(9, "ins", "/order", 1))
    assert (composite.ts, composite.start, composite.end) == (9, 1, 1)


def test_inner_operators_are_reported_on_request() -> None:
    detector = Detector(parse_rules(COMPLETE), operators=True)
    raised = [c for step in life(1, 10) for c in detector.feed(step)]
    assert [(c.name, c.operator) for c in raised] == [("Complete", "conjunction1"), ("Complete", None)]


def test_a_group_that_waits_is_not_searched_again_at_each_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work per event does not grow with what waits: once a group is pending, arrivals are only stored."""
    names = ("price", "quantity", "comment")
    rule = f"event All = ({' & '.join(f'ins(item/{name})' for name in names)}) {{end=custom}}"
    detector = Detector(parse_rules(rule))
    state = detector._evaluation.trees[0].root
    asked: list[int] = []
    is_possible = state.is_possible
    monkeypatch.setattr(state, "is_possible", lambda key: asked.append(key) or is_possible(key))
    for ts in range(1, 100):
        detector.feed(event(ts, "ins", f"/order/item/{names[ts % 3]}", 1, 2, 100 + ts))
    assert len(asked) == 3  # until the first of each made it possible
    assert len(detector.flush()) == 33


def test_detectors_of_the_same_trees_share_what_events_mean_and_nothing_else() -> None:
    rules = parse_rules(COMPLETE)
    first, second = Detector(rules), Detector(rules, trees=None)
    assert first._active is second._active
    events = life(1, 10)
    assert first.feed(events[0]) == second.feed(events[1]) == []
    assert [c.ts for step in events[1:] for c in first.feed(step)] == [3]
    assert [c for step in events[2:] for c in second.feed(step)] == []


def test_no_more_than_so_many_event_types_are_kept_for_all_detectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents may have names without end; each detector keeps only those of its own document."""
    monkeypatch.setattr("xmlcep.engine.dispatch._MOST_TYPES", 5)
    rules = parse_rules(COMPLETE)
    for number in range(20):
        detector = Detector(rules)
        detector.feed(event(1, "ins", f"/order/other{number}", 1, 5))
        assert [c.ts for step in life(2, 10) for c in detector.feed(step)] == [4]
        assert len(detector._active.by_type) <= 5


def test_a_condition_that_asks_whether_there_are_nodes_is_not_asked_again_for_their_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """U2: of a node-set only its truth is asked, and no text below its nodes changes that."""
    asked: list[str] = []
    make = Expression.__getattr__

    def counted(condition: Expression, form: str) -> Any:
        function = make(condition, form)
        noted = lambda seen: (asked.append(condition.text), function(seen))[1]  # noqa: E731
        object.__setattr__(condition, form, noted)
        return noted

    monkeypatch.setattr(Expression, "__getattr__", counted)
    rule = 'event Doubled(list) {when="string[@name = following-sibling::string/@name]"} = ins(list/string)'
    document = fromstring('<r><list><string name="a"><v>0</v></string></list></r>')
    raised: list[str] = []
    with document.watch(parse_rules(rule), on_event=lambda composite: raised.append(composite.name)):
        (rows,) = document.root
        rows.append(rows.makeelement("string", {"name": "b"}))
        waiting = len(asked)
        assert waiting > 0
        for number in range(5):
            rows[0][0].text = str(number)
            rows[1].text = str(number)
        assert len(asked) == waiting
        rows[1].set("name", "a")
        assert len(asked) == waiting + 1
        assert raised == ["Doubled"]


def test_whatever_leaves_ask_composites_come_in_the_order_of_their_trees() -> None:
    """G2: also where one measures time, one has a filter, and one neither."""
    rules = """
        event Soon = (ins(item/price) & ins(item/quantity)) {within="100 changes"}
        event Both = ins(item/price) & ins(item/quantity)
        event Asked = ins(item/price)[$ts > 0] & ins(item/quantity)[$ts > 0]
        event Again = ins(item/price) & ins(item/quantity)
        event Last = (ins(item/price) & ins(item/quantity)) {within="100 changes"}
    """
    steps, names = life(1, 10), ["Soon", "Both", "Asked", "Again", "Last"]
    detector = Detector(parse_rules(rules))
    assert [[composite.name for composite in detector.feed(step)] for step in steps] == [
        [], [], names, [], [], [],
    ]  # fmt: skip
    assert [composite.name for composite in Detector(parse_rules(rules)).replay(steps)] == names
