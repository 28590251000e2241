"""What explanations say in cases that were said wrongly once: of what has not been raised, and of what waits."""

from __future__ import annotations

import pytest

from tests.explaining.histories import ITEM, events
from tests.explaining.test_why_not import ask
from xmlcep.engine import Detector
from xmlcep.rules import parse_rules

TABLE = {
    "what is false is not true": (
        'becomes["price > 10"](item)', "ins item 1.3\nins item/price 1.3.4\nins item/price/text() 1.3.4.5 =7",
        "never-occurred: no edit has turned price > 10 true at any item",
    ),
    "what has not turned true of several": (
        'becomes["price"](item) & becomes["comment"](item)', "ins item 1.3\nins item/price 1.3.4",
        "condition-false: comment is false",
    ),
    "what was used up": (
        'becomes["price"](item) & ins(item/comment)',
        "ins item 1.3\nins item/price 1.3.4\nins item/comment 1.3.5\nins item/comment 1.3.6",
        "price is true there already, and turns true again only after it was false",
    ),
    "a window over which nothing followed": (
        'x[2,*]{within="2 changes"} ins(item/price)', "ins item/price 1.3.4\nins x 1.8\nins x 1.9",
        "expired: ins(/order#1/item#3/price#4) at 1 and now span 1 change more than the 2 changes allowed",
    ),
    "a window of transactions": (
        '(ins(item/price) & ins(item/quantity)) {within="1 transaction"}',
        "ins item/price 1.3.4 #1\nins item/quantity 1.3.5 #2",
        "span 1 transaction more than the 1 transaction allowed",
    ),
    "nothing is used up where everything is kept": (
        '(ins(item) ; ins(item/price)) {context=unrestricted, within="3 changes"}',
        "ins item 1.3\nins item/price 1.3.4\nins x 1.8\nins x 1.9\nins item/price 1.3.5",
        "expired: ins(/order#1/item#3) at 1 and ins(/order#1/item#3/price#5) at 5",
    ),
    "it was here, and an inner operator has dropped it": (
        '(ins(item/price) ; ins(item/quantity)) {within="2 changes"} ; ins(item/comment)',
        "ins item/price 1.3.4\nins x 1.8\nins x 1.9\nins item/comment 1.3.5",
        "expired: ins(/order#1/item#3/price#4) at 1 and now",
    ),
    "two before it are missing": (
        "ins(item/comment) ; ins(item/price) ; ins(item/quantity)",
        "ins item/price 1.3.4\nins item/quantity 1.3.5\nins item/comment 1.3.6",
        "wrong-order: ins(/order#1/item#3/price#4) at 1 came before ins(/order#1/item#3/comment#6) at 3",
    ),
    "one event for two operands": (
        "any[2]{path=item}(ins(item/price), *(item/price))", "ins item/price 1.3.4",
        "never-occurred: ins(/order#1/item#3/price#4) at 1 would do for several operands, but counts for one",
    ),
    "a guard where everything is kept": (
        '(ins(item/price/text()) as $p & ins(item/quantity)) {context=unrestricted, if="$p > 10"}', ITEM,
        "guard-false: at 4 everything was there, but if $p > 10 is false: $p is '7'",
    ),
    "having of a multiplicity that was full": (
        'x[1,1]{having="sum($p) > 10"} ins(item/price/text()) as $p', ITEM,
        "having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "having of a multiplicity that was released": (
        'x[1,2]{path=item, having="sum($p) > 10", end=custom} ins(item/price/text()) as $p',
        "ins item/price/text() 1.3.4.5 =7 #1\nins x 1.9",
        "having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "having before a condition that was not asked": (
        'x[1,2]{path=item, having="sum($p) > 10", when="note"} ins(item/price/text()) as $p', ITEM,
        "having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "the guard of a multiplicity": (
        'x[1,2]{if="$p > 10"} ins(item/price/text()) as $p', "ins item/price/text() 1.3.4.5 =7",
        "guard-false: at 1 everything was there, but if $p > 10 is false: $p is '7'",
    ),
    "the guard of a multiplicity that was released": (
        'ins(item/comment) ; x[1,2]{if="$p > 10", end=custom} ins(item/price/text()) as $p',
        "ins item/comment 1.3.9 #1\nins item/price/text() 1.3.4.5 =7 #1\nins x 1.9",
        "guard-false: at 2 everything was there, but if $p > 10 is false: $p is '7'",
    ),
    "the guard of an empty composite": (
        'x[0,*]{path=item, if="price"} ins(item/price)', "ins . 1\nins item 1.3",
        "at /order#1/item#3: guard-false: at 2 everything was there, but if price is false",
    ),
    "what was raised for other values is no answer": (
        '(ins(item/price/text()) as $p & ins(item/quantity/text()) as $p) {if="$p = 7"}',
        "ins item/price/text() 1.3.4.5 =7\nins item/quantity/text() 1.3.6.7 =7\n"
        "ins item/price/text() 1.3.8.9 =8\nins item/quantity/text() 1.3.10.11 =8",
        "C was not raised at /order#1/item#3: guard-false: at 4 everything was there, but if $p = 7 is false",
    ),
    "what was forbidden for other values is no reason": (
        '(ins(item/price/text()) as $p & ins(item/quantity/text()) as $p) {if="$p > 7"}',
        "ins item/price/text() 1.3.4.5 =7\nins item/quantity/text() 1.3.6.7 =7\nins item/price/text() 1.3.8.9 =8",
        "join-mismatch: ins(/order#1/item#3/quantity#6/text()#7) at 2 has $p = '7', and the others have $p = '8'",
    ),
    "a condition of paths and sums": (
        '(ins(item/price) & ins(item/quantity)) {when="price/text() + 1 > 10 and not(../note)"}', ITEM,
        "price/text() + 1 is '8', ../note is ''",
    ),
    "within, an event without a value": (
        "x[1,*]{path=item} (ins(item/@partNum) as $p = (//nothing) & ins(item/price/text()) as $p)",
        "ins . 1\nins item 1.3\nins item/@partNum 1.3.4 =7",
        "no-value: ins(/order#1/item#3/@partNum) at 3 has no value for $p",
    ),
    "what stands in another operand, and others elsewhere": (
        "ins(item/price) ; ins(item/price)", "ins item/price 1.3.4\nins item/price 1.5.6",
        "elsewhere: ins(/order#1/item#3/price#4) at 1: in another group",
    ),
    "what stands in another operand, several times": (
        "ins(item/@partNum) ; upd(item/@partNum) ; ins(item/@partNum) ; upd(item/@partNum)",
        "ins item/@partNum 1.3.4 =7\nupd item/@partNum 1.3.4 =8\nupd item/@partNum 1.3.4 =9",
        "never-occurred: no other ins(item/@partNum) has occurred than ins(/order#1/item#3/@partNum) at 1",
    ),
    "its node was deleted, and all had come": (
        '(ins(item/price) ; del(item/price)) {within="3 changes"}',
        "ins item/price 1.3.4\nins x 1.8\nins x 1.9\ndel item/price 1.3.4",
        "expired: ins(/order#1/item#3/price#4) at 1",
    ),
    "its node was deleted, and what had come was refused": (
        "ins(item/price/text())[. > 10] & upd(item/price/text())",
        "ins item/price/text() 1.3.4.5 =7\nupd item/price/text() 1.3.4.5 =8\ndel item/price/text() 1.3.4.5 <8",
        "filtered: ins(/order#1/item#3/price#4/text()#5) at 1",
    ),
    "its node was deleted, and had too few": (
        "x[3,*] *(item/price)", "ins item/price 1.3.4\nins item/price 1.3.5\ndel item 1.3",
        "; it had 2 of the 3 events that are needed by then",
    ),
    "its node was deleted, and its condition was false": (
        '(ins(item/price) & ins(item/quantity)) {when="note"}',
        "ins item 1.3\nins item/price 1.3.4\nins item/quantity 1.3.5\ndel item 1.3",
        "; so when note cannot become true there any more (U6)",
    ),
    "too few are left of many": (
        'x[3,3]{slide, within="3 changes"} ins(item/price)',
        "ins item/price 1.3.4\nins x 1.8\nins item/price 1.3.5\nins x 1.9\nins item/price 1.3.6",
        "expired: ins(/order#1/item#3/price#4) at 1 and ins(/order#1/item#3/price#6) at 5",
    ),
    "too few are left of those that are used up": (
        "x[2,2] ins(item/price)", "ins item/price 1.3.4\nins item/price 1.3.5\nins item/price 1.3.6",
        "consumed: ins(/order#1/item#3/price#5) at 2 is part of C(/order#1/item#3) at 2",
    ),
    "an inner operator of another rule has raised something": (
        "B(item) & ins(item)\nevent B = (ins(item/price) | ins(item/remark)) ; ins(item/prize)", ITEM,
        "never-occurred: B has not been raised: never-occurred: no ins(item/prize) has occurred",
    ),
    "another rule is raised at another place": (
        "(B(shop/item) & ins(item)) {path=item}\nevent B = ins(item/price) | ins(item/note)", ITEM,
        "never-occurred: B has been raised, but at /order/item, not at shop/item",
    ),
    "all is kept, and the last would be needed once more": (
        "(ins(item) ; ins(item/price) ; ins(item/quantity)) {context=unrestricted}", ITEM,
        "consumed: ins(/order#1/item#3/quantity#6) at 4 is part of C(/order#1/item#3) at 4",
    ),
    "the newest of both operands is the same": (
        "(ins(item/price) ; ins(item/price)) {context=recent, path=item}",
        "ins item/price 1.3.4",
        "wrong-order: ins(/order#1/item#3/price#4) at 1 is in both operands, and cannot come before itself",
    ),
    "a text is called as its element": (
        "ins(remark/text())", "ins item/remarks/text() 1.3.4.5 =7\nins item/price/text() 1.3.6.7 =7",
        "similar: ins(/order/item/remarks/text())",
    ),
    "a text of another element is none of it": (
        "ins(zebra/text())", "ins item/price/text() 1.3.6.7 =7", "similar: ins(/order/item/price/text())",
    ),
    "a language that says no": (
        'opaque["xpath31", ". > 10"](item/price/text())', "ins . 1\n" + ITEM,
        "filtered: ins(/order#1/item#3/price#4/text()#5) at 4, but xpath31 says no",
    ),
    "a filter of what a language returns": (
        'opaque["xpath31", "map{\'half\': number(.) div 2}"](item/price/text())[$half > 10]', "ins . 1\n" + ITEM,
        "filtered: ins(/order#1/item#3/price#4/text()#5) at 4, but its filter $half > 10 is false: $half is '3.5'",
    ),
    "another has come in an item in it": (
        "(ins(item/price) ; ins(item/price)) {path=item}", "ins item/price 1.3.4\nins item/x/item/price 1.3.5.6.7",
        "at /order#1/item#3/x#5/item#6: elsewhere: ins(/order#1/item#3/price#4) at 1: in another group",
    ),
    "what an inner operator takes, and the whole does not": (
        "(ins(item/price) ; (ins(note) & ins(note/@id)) {path=note}) {path=item}",
        "ins item/price 1.3.4\nins note 1.8\nins note/@id 1.8.9",
        "null-projection: ins(/order#1/note#8) at 2: it is not at or below any item, and the groups are those of item",
    ),
    "having of a run that never began": (
        '(ins(item/price) & ins(item/quantity)) {context=next, having="2 < 1"}', "ins item/price 1.3.4",
        "having-false: having 2 < 1 is false",
    ),
    "having of a run that did not go on": (
        '(ins(item/price/text()) as $p & ins(item/quantity/text()) as $q & ins(item/note)) '
        '{context=next, having="$p < $q"}',
        ITEM, "having-false: having $p < $q is false: $p is '7', $q is '0'",
    ),
    "what waits at a node that is gone": (
        "x[1,*]{path=item, end=custom} ins(item/price) ; ins(item/note)",
        "ins item 1.3\nins item/price 1.3.4\ndel item 1.3",
        "node-deleted: its node was deleted: del(/order#1/item#3) at 3",
    ),
    "nothing, which was raised": (
        "x[0,*]{end=custom} ins(item/price)", "ins . 1\nins item 1.3 #1\nins x 1.9",
        "C was raised at /order#1/item#3: C(/order#1/item#3) at 2 {}",
    ),
    "a filter with a remainder": (
        "ins(item/price/text())[time($at) mod 2 = 1]", "ins item/price/text() 1.3.4.5 =7 @4",
        "filtered: ins(/order#1/item#3/price#4/text()#5) at 1, but its filter time($at) mod 2 = 1 is false: "
        "time($at) mod 2 is '0'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_rows(case: str) -> None:
    rule, text, said = TABLE[case]
    assert said in ask(f"event C = {rule}", text).answer


PENDING = {
    "refused within": (
        'ins(item/comment) ; x[1,*]{path=item, having="sum($p) > 10"} ins(item/price/text()) as $p',
        "ins item/comment 1.3.9\nins item/price/text() 1.3.4.5 =7",
        "100%  C at /order#1/item#3: having-false: having sum($p) > 10 is false: sum($p) is '7'",
    ),
    "not released within": (
        "ins(item/comment) ; x[1,*]{path=item, end=custom} ins(item/price)",
        "ins item/comment 1.3.9\nins item/price 1.3.4",
        "100%  C at /order#1/item#3: not-released: x[1,*]{end=custom, path=item} ins(item/price) has all it needs, and "
        "waits for the end of the transaction",
    ),
    "refused, and something else is missing": (
        'ins(item/comment) & x[1,*]{path=item, having="sum($p) > 10"} ins(item/price/text()) as $p',
        "ins item/price/text() 1.3.4.5 =7",
        "50%  C at /order#1/item#3: missing ins(item/comment); having-false",
    ),
    "what it keeps is over": (
        "(ins(item/price) ; not ins(item/quantity)) {end=custom, context=unrestricted}",
        "ins item/price 1.3.4\nins item/quantity 1.3.5",
        "C at /order#1/item#3: absence-violated: its events were raised, or ended by an event that must not occur",
    ),
    "of several branches one is enough": (
        "any[2](ins(item/price), ins(item/quantity), ins(item/comment)) & ins(item/remark)",
        "ins item/price 1.3.4",
        "missing ins(item/quantity) or ins(item/comment), ins(item/remark)",
    ),
    "of several branches two are": (
        "any[3](ins(item/price), ins(item/quantity), ins(item/comment), ins(item/remark))", "ins item/price 1.3.4",
        "missing 2 of ins(item/quantity), ins(item/comment), ins(item/remark)",
    ),
    "of several branches enough are there": (
        "any[2](ins(item/price), ins(item/quantity), ins(item/comment)) & ins(item/remark)",
        "ins item/price 1.3.4\nins item/quantity 1.3.5",
        "67%  C at /order#1/item#3: missing ins(item/remark)",
    ),
    "one of two branches": (
        "(ins(item/price) & ins(item/quantity)) | (ins(item/comment) & ins(item/remark) & ins(item/note))",
        "ins item/price 1.3.4",
        "missing ins(item/quantity) or (ins(item/comment), ins(item/remark), ins(item/note))",
    ),
    "what is due within": (
        'plus[ins(item/price), "5 s"] & ins(item/note)', "ins item/price 1.3.4 @1\nins item/note 1.3.5 @2",
        'not-released: plus[ins(item/price), "5 s"] is due 2026-01-01T00:00:06Z, unless something ends it before',
    ),
    "the node of what waits is gone": (
        "x[1,*]{path=item, end=custom} ins(item/price) ; ins(item/note)",
        "ins item 1.3\nins item/price 1.3.4\ndel item 1.3",
        "missing ins(item/note); node-deleted: its node was deleted, so that nothing more can come",
    ),
    "nothing of what has too few": (
        "x[0,1]{path=item} x[2,2] ins(item/price)", "ins item/price 1.3.4",
        "50%  C at /order#1/item#3: 1 of the 2 events that are needed are there",
    ),
    "nothing that having forbids to be released": (
        'x[0,1]{path=item, end=custom, having="$p = 5"} ins(item/price/text()) as $p', "ins . 1\nins item 1.3",
        "having-false: having $p = 5 is false: $p is ''",
    ),
    "one more of what takes several events": (
        "x[0,*]{path=item} (ins(item/note) ; ins(item/price))", "ins . 1\nins item 1.3\nins item/note 1.3.4",
        " 50%  C at /order#1/item#3: missing ins(item/price)",
    ),
    "what inserts the node itself does so once": (
        "any[1]{path=item, context=continuous}(ins(item), ins(item/note) ; ins(item/price))", "ins item 1.3",
        "has been raised; one more composite of an operand raises it again",
    ),
    "and nothing else raises it": (
        "any[1]{path=item, context=continuous}(ins(item), ins(order/item))", "ins item 1.3",
        "has been raised; nothing can raise it again",
    ),
    "the second of two is held back": (
        'x[2,3]{path=item} (ins(item/note) | ins(item/price)){when="note"}',
        "ins . 1\nins item 1.3\nins item/note 1.3.4\ndel item/note 1.3.4\nins item/price 1.3.5",
        "100%  C at /order#1/item#3: condition-false: when note is false: note is ''",
    ),
    "what would not come in order, once it is released": (
        "ins(item/price) ; (ins(item/note) & ins(item/quantity)) {end=custom}",
        "ins item/note 1.3.4\nins item/price 1.3.5\nins item/quantity 1.3.6",
        "a flush now would not raise it: ",
    ),
    "too few": (
        "x[2,3]{path=item} ins(item/price)", "ins item/price 1.3.4",
        "50%  C at /order#1/item#3: 1 of the 2 events that are needed are there",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PENDING)
def test_what_a_group_waits_for(case: str) -> None:
    rule, text, said = PENDING[case]
    detector = Detector(parse_rules(f"event C = {rule}"))
    for event in events(text):
        detector.feed(event)
    assert said in str(detector.pending())


def test_what_must_not_occur_needs_no_reason() -> None:
    answer = ask(
        "event C = not x[2,3]{path=item} ins(item/price) ; ins(item/quantity)", "ins item/price 1.3.4"
    )
    assert "must not occur x[2,3]" in answer.text()
    assert answer.text().count("ins(item/price)") == 2  # in the whole, and there


OF_ALL_VALUES = (
    "(aperiodic*[ins(item/price/text()) as $p, x[2,2] ins(item/note)] ins(item/quantity/text()) as $p & ins(item)) "
    "{path=item}"
)


def test_what_closes_windows_is_there_without_any() -> None:
    """It is of all values (V4), and there is no group of any."""
    text = "ins item 1.3\nins item/note 1.3.4"
    answer = ask(f"event C = {OF_ALL_VALUES}", text).text()
    assert "50%     x[2,2] ins(item/note)" in answer and "in another group" not in answer, answer
    detector = Detector(parse_rules(f"event C = {OF_ALL_VALUES}"))
    for event in events(text):
        detector.feed(event)
    assert "has      ins(item/note)" in detector.pending()[0].text()
    raised = ask(
        f"event C = {OF_ALL_VALUES.replace('x[2,2] ins(item/note)', 'any[1](ins(item/note), ins(item/x))')}",
        text,
    )
    assert "consumed: ins(/order#1/item#3/note#4) at 2 is part of any1" in raised.text(), raised.text()
    closed = ask(f"event C = {OF_ALL_VALUES.replace('x[2,2] ', '')}", text).text()
    assert "window-closed: ins(/order#1/item#3/note#4) at 2: no window was open" in closed, closed


def test_no_list_without_part_in_it_would_complete_anything() -> None:
    """What has been released already is stored below, in another operand."""
    rule = 'event C {end=custom} = ins(item/price) | plus[ins(item/note) & ins(item/price), "5 s"]'
    detector = Detector(parse_rules(rule))
    for event in events("ins item/price 1.3.4 @1"):
        detector.feed(event)
    detector.flush()
    (group,) = detector.pending(complete=True)
    assert [str(one) for one in group.completion.proposals] == ["ins(/order#1/item#3/price), then flush"]


def test_a_list_says_the_release_that_an_inner_operator_waits_for() -> None:
    """What has been raised already is no reason to release what waits within."""
    rule = "event C(/order) = x[0,*] any[2](x[0,*]{end=custom} ins(/order/item), upd(/order/item/@partNum))"
    detector = Detector(parse_rules(rule))
    for event in events("ins . 1\nins item 1.3"):
        detector.feed(event)
    (group,) = detector.pending(complete=True)
    assert [one.release for one in group.completion.proposals] == ["flush"]
