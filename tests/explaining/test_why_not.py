"""Why not: every reason there is, where it belongs, with what a person needs to see of it (Y3)."""

from __future__ import annotations

import pytest

from tests.explaining.histories import ITEM, events
from xmlcep import Replica, parse_rules
from xmlcep.explaining import Explanation, Reason
from xmlcep.explaining.history import History
from xmlcep.explaining.why import why
from xmlcep.explaining.why_not import why_not


def ask(rules: str, text: str, place: int | None = None, initial: str | None = None) -> Explanation:
    """Why the event C was not raised in the history that a text tells."""
    before = (
        None if initial is None else Replica.from_snapshot(initial, range(1, 1 + initial.count("<") // 2))
    )
    history = History(parse_rules(rules), "C", doc="d", initial=before)
    txn = None
    for event in events(text):
        if txn is not None and event.txn != txn:
            history.flush()
        txn = event.txn
        history.feed(event)
    return why_not(history.evidence, doc="d", places=None if place is None else {place})


PRICE_AND_QUANTITY = "ins(item/price) & ins(item/quantity)"

CASES = {
    "a misspelt name": (
        "ins(item/prize) & ins(item/quantity)", ITEM, "never-occurred", "ins(/order/item/price) (once)",
    ),
    "another operation": ("upd(item/price) & ins(item/quantity)", ITEM, "never-occurred", "other operations: "),
    "another place": ("ins(catalogue/books/price)", ITEM, "never-occurred", "at other places"),
    "another beginning": ("ins(/item/price)", ITEM, "never-occurred", "at other places: ins(/order/item/price)"),
    "nothing alike": ("ins(zebra)", ITEM, "never-occurred", "similar: "),
    "nothing at all": ("ins(zebra)", "", "never-occurred", "nothing at all has occurred"),
    "in another item": (
        PRICE_AND_QUANTITY, "ins item/price 1.3.4\nins item/quantity 1.5.6", "elsewhere",
        "ins(/order#1/item#3/price#4) at 1: in another group",
    ),
    "the wrong order": ("ins(item/quantity) ; ins(item/price)", ITEM, "wrong-order", "came before"),
    "the wrong order, held back": (
        "(ins(item/quantity) ; ins(item/price)) {end=custom}", ITEM, "wrong-order", "came before",
    ),
    "the wrong order, a multiplicity": (
        "x[1,2] ins(item/quantity) ; ins(item/price)", ITEM, "wrong-order", "came before",
    ),
    "a filter": ("ins(item/price/text())[. > 10] & ins(item/quantity)", ITEM, "filtered", ". > 10 is false: . is '7'"),
    "a filter of one alone": ("ins(item/price/text())[. > 10]", ITEM, "filtered", ". is '7'"),
    "used up": (
        PRICE_AND_QUANTITY, ITEM + "ins item/quantity 1.3.9", "consumed", "is part of C(/order#1/item#3) at 4",
    ),
    "used up within": (
        "(ins(item/price) & ins(item/quantity)) ; del(item/price)",
        ITEM + "del item/price 1.3.4\nins item/price 1.3.9\ndel item/price 1.3.9", "consumed", "is part of C",
    ),
    "replaced": (
        "(ins(item) ; ins(item/price) ; ins(item/quantity)) {context=recent}",
        "ins item 1.3\nins item/price 1.3.4\nins item 1.3\nins item/quantity 1.3.5", "replaced",
        "ins(/order#1/item#3) at 3 has taken the place of ins(/order#1/item#3) at 1",
    ),
    "taken back": (
        "x[1,*]{path=item} ins(item/price) ; ins(item/quantity) ; ins(item/comment)",
        "ins item/price 1.3.4\nins item/quantity 1.3.5\nins item/price 1.3.6\nins item/comment 1.3.7", "withdrawn",
        "has taken back multiplicity1",
    ),
    "an expired window": (
        f'({PRICE_AND_QUANTITY}) {{within="2 changes"}}', ITEM, "expired", "span 1 change more than the 2",
    ),
    "an expired window of time": (
        '(ins(item/price) & ins(item/quantity)) {within="5 seconds"}',
        "ins item/price 1.3.4 @1\nins item/quantity 1.3.5 @20", "expired", "further apart than 0:00:05, by 0:00:14",
    ),
    "what must not be in between": (
        "ins(item) ; not ins(item/price) ; ins(item/quantity)", ITEM, "absence-violated",
        "ins(/order#1/item#3/price#4) at 2 has occurred, and must not",
    ),
    "too few of all": (
        "ins(item) ; all[2,*] ins(item/price) ; ins(item/quantity)", ITEM, "absence-violated",
        "the number of ins(item/price) is 1, and all[2,*] is asked for",
    ),
    "too few of all, in any order": (
        "(ins(item) & all[2,3] ins(item/price) & ins(item/quantity)) {end=custom}", ITEM, "absence-violated",
        "the number of ins(item/price) is 1, and all[2,3] is asked for",
    ),
    "all of what is due": (
        '(ins(item/quantity) & all[1,*] ins(item/price)) {within="9 changes"}', ITEM, "not-released", "it is due after",
    ),
    "what must not be behind": (
        "(ins(item) ; not ins(item/price)) {end=custom}", ITEM, "absence-violated", "and must not",
    ),
    "what must not be before": (
        "not ins(item) ; ins(item/price)", ITEM, "absence-violated", "ins(/order#1/item#3) at 1",
    ),
    "a relation": (
        "(ins(item/price) ; ins(item/price/text())) during (ins(item) ; ins(item/price/text()))", ITEM,
        "relation-false", "(from 1 to 3) is false",
    ),
    "having": (
        '(ins(item/price/text()) as $p & ins(item/quantity/text()) as $q) {having="$p < $q"}', ITEM, "having-false",
        "$p < $q is false: $p is '7', $q is '0'",
    ),
    "having of a multiplicity": (
        'x[1,*] {having="sum($p) > 10"} ins(item/price/text()) as $p', ITEM, "having-false",
        "sum($p) > 10 is false: sum($p) is '7'",
    ),
    "a condition": (
        f'({PRICE_AND_QUANTITY}) {{when="quantity > 0"}}', ITEM, "condition-false", "quantity > 0 is false",
    ),
    "the end of a transaction": (
        f"({PRICE_AND_QUANTITY}) {{end=custom}}", ITEM, "not-released", "end of the transaction",
    ),
    "an event elsewhere": (f"({PRICE_AND_QUANTITY}) {{end=non-local}}", ITEM, "not-released", "event elsewhere"),
    "other values": (
        "ins(item/price/text()) as $p & ins(item/quantity/text()) as $p", ITEM, "join-mismatch",
        "has $p = '0', and the others have $p = '7'",
    ),
    "outside of every group": (
        "(ins(order/@status) & ins(order/item/price)) {path=order/item}",
        "ins @status 1.2 =new\nins item/price 1.3.4", "null-projection",
        "ins(/order#1/@status) at 1: it is not at or below any order/item, and the groups are those of order/item",
    ),
    "a guard": (
        '(ins(item/price/text()) as $p & ins(item/quantity/text())) {if="$p > 10"}', ITEM, "guard-false",
        "$p > 10 is false: $p is '7'",
    ),
    "something in between": (
        "(ins(item/price) ; ins(item/quantity)) {strict}", ITEM, "not-contiguous", "in between, at 3",
    ),
    "a gap": ('(ins(item/price) ; ins(item/quantity)) {gap="2 changes"}', ITEM, "gap", "span 1 change more than the 2"),
    "no window": (
        "aperiodic[ins(item), del(item/quantity)] upd(item/price/text())",
        "ins item 1.3\nins item/quantity 1.3.6\ndel item/quantity 1.3.6\nupd item/price/text() 1.3.4.5 =1 <0",
        "window-closed", "the window was closed",
    ),
    "no value to join by": (
        "ins(item/price/text()) as $p & ins(item/quantity) as $p = (@unit)", ITEM, "no-value", "no value for $p",
    ),
    "its node was deleted": (
        "ins(item/price) & ins(item/weight)", ITEM + "del item 1.3", "node-deleted",
        "; it had no ins(item/weight) by then",
    ),
    "an event of another rule": (
        "B(item) & ins(item)\nevent B = ins(item/prize) & ins(item/price)", ITEM, "never-occurred",
        "B has not been raised: never-occurred: no ins(item/prize)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_first_line_names_the_reason(case: str) -> None:
    rule, text, reason, words = CASES[case]
    answer = ask(f"event C = {rule}", text)
    assert answer.cause is not None, answer.text()
    assert answer.cause.reason.word == reason, answer.text()
    assert words in answer.answer, answer.text()
    assert answer.answer.startswith("C was not raised") and "\n" not in answer.answer
    assert answer.to_record()["cause"]["reason"] == reason


@pytest.mark.parametrize(
    ("leaf", "fix"),
    [
        (
            "upd(item/price)",
            "write ins(item/price), or upd(item/price/text()): an element has no value that could be updated",
        ),
        ("del(item/price)", "write ins(item/price)"),
        ("ins(/item/price)", "leave out the / at the beginning for any place: ins(item/price)"),
        ("ins(/item//*)", "leave out the / at the beginning for any place: ins(item//*)"),
        ("ins(shop/price)", "compare the path with these"),
        ("ins(item/prize)", "did you mean ins(item/price)?"),
    ],
)
def test_what_could_be_written_instead(leaf: str, fix: str) -> None:
    answer = ask(f"event C = {leaf}", ITEM)
    assert f"\n→ {fix}\n" in answer.text(), answer.text()


def test_a_window_that_slid_on() -> None:
    answer = ask(
        'event C = x[2,3] {slide, within="3 changes"} ins(item/price)',
        "ins item/price 1.3.4\nins x 1.9\nins x 1.8\nins item/price 1.3.5",
    )
    assert answer.groups[0].share == (1, 2)


def test_what_was_there_before_the_first_event() -> None:
    answer = ask(
        f"event C = {PRICE_AND_QUANTITY}",
        "ins item/quantity 1.2.9",
        initial="<order><item><price></price></item></order>",
    )
    assert answer.cause is not None and answer.cause.reason is Reason.NOT_OPEN
    assert "was there before the first event" in answer.answer


def test_the_most_promising_group_comes_first() -> None:
    answer = ask(
        "event C = ins(item/price) & ins(item/quantity) & ins(item/comment)",
        "ins item/price 1.3.4\nins item/price 1.5.6\nins item/comment 1.5.7\nins item/price 1.8.9",
    )
    assert [group.ids for group in answer.groups] == [(1, 5), (1, 8), (1, 3)]


def test_one_node_is_asked_about() -> None:
    text = "ins item/price 1.3.4\nins item/quantity 1.5.6\nins item/price 1.5.7"
    assert ask(f"event C = {PRICE_AND_QUANTITY}", text, place=3).cause.reason is Reason.ELSEWHERE
    raised = ask(f"event C = {PRICE_AND_QUANTITY}", text, place=5)
    assert raised.cause is None
    assert raised.answer == "C was raised at /order#1/item#5: C(/order#1/item#5) at 3 {ins@3, ins@2}"


@pytest.mark.parametrize(
    ("rule", "missing"),
    [
        ("ins(list/item) & ins(list/y)", "ins(/order#1/list#2/y#8) at 7: in another group"),
        ("ins(list/y) ; ins(list/x)", "ins(/order#1/list#2/y#8) at 7: in another group"),
        ("ins(list) ; ins(list/z)", "no ins(list/z) has occurred"),
        ("ins(list/@id) & ins(list/item) & ins(list/y)", "ins(/order#1/list#2/y#8) at 7: in another group"),
    ],
)
def test_a_node_inside_one_of_its_name(rule: str, missing: str) -> None:
    """What has happened at the outer one is in another group (P10)."""
    text = "ins list 1.2\nins list/@id 1.2.3\nins list/list 1.2.4\nins list/list/@id 1.2.4.5\n"
    text += "ins list/list/item 1.2.4.6\nins list/list/x 1.2.4.7\nins list/y 1.2.8"
    answer = ask(f"event C(list) = {rule}", text, place=4)
    assert "/order#1/list#2/list#4" in answer.answer
    assert missing in answer.answer


def test_why_not_an_event_of_other_values() -> None:
    rule = "event C(order) = ins(order/a/@k) as $k & ins(order/b/@k) as $k"
    text = "ins a/@k 1.2.3 =1\nins a/@k 1.4.5 =2\nins b/@k 1.6.7 =1"
    history = History(parse_rules(rule), "C", doc="d")
    for event in events(text):
        history.feed(event)
    answer = why(history.evidence, history.raised[-1], doc="d").text()
    assert "join-mismatch: ins(/order#1/a#4/@k) at 2 has $k = '2', and the others have $k = '1'" in answer
    assert "kept for the next" not in answer


def test_every_reason_stands_in_a_case() -> None:
    known = {reason for _, _, reason, _ in CASES.values()} | {"not-open"}
    assert known == {reason.word for reason in Reason}
