"""Becoming true: which edits turn an expression true, and where (B1 to B4)."""

from __future__ import annotations

import pytest

import xmlcep
from tests.spec.tables import Case, cases, check, title
from xmlcep import CompositeEvent, Detector, PrimitiveEvent, Replica, RuleError, parse_rules

EDITS = """
# once when it turns true, again only after it was false
event E = becomes["price"](item)
    i1 p1 p1.2 p1-                         | 2: p1
    i1 p1 p1- p1.2 p1.2-                   | 2: p1; 4: p1.2
    i1 p1 i2 p2                            | 2: p1; 4: p2
# what an edit passes through was never there
event E = becomes["price"](item)
    i1 (p1 p1-)                            |
    i1 p1 (p1- p1.2)                       | 2: p1
    i1 p1 (p1- p1.2) p1.2- p1.3            | 2: p1; 6: p1.3
# the last change of the edit at or below the element
event E = becomes["price"](item)
    (i1 p1 c1 i2)                          | 3: c1
    (i1 i2 p2 p1)                          | 3: p2; 4: p1
    (i1 p1 t1=5) u1=5                      | 3: t1=5
# an element is new when it has been moved (E6), and was false before
event E = becomes["not(price)"](item)
    i1 i1- i1.2                            | 1: i1; 3: i1.2
    i1 p1 (p1- i1-)                        | 1: i1
# elements in elements of the same name, each by itself
event E = becomes["price or item/price"](item)
    i1 n1 m1                               | 3: m1 m1
    i1 n1 m1 p1 m1-                        | 3: m1 m1
event E = becomes["price"](/order/item)
    i1 n1 m1 p1                            | 4: p1
event E = becomes["price"](item/item)
    i1 p1 n1 m1                            | 4: m1
# what is asked looks elsewhere: the last change of the edit where there is none at the element
event E = becomes["../billTo"](item)
    o1 i1 b1 i2                            | 3: b1; 4: i2
    o1 i1 i2 b1                            | 4: b1 b1
    o1 i1 (b1 p1 c2)                       | 4: p1
event E = becomes["count(//comment) = 2"](item)
    o1 i1 i2 c1 c1.2 c1.3 c1-              | 5: c1.2 c1.2; 7: c1- c1-
event E = becomes["not(following-sibling::item)"](item)
    o1 i1 i2 i2-                           | 2: i1; 3: i2; 4: i2-
# what is not asked of anything is true of what is new
event E = becomes["true()"](item/price)
    i1 p1 p1- p1.2                         | 2: p1; 4: p1.2
event E = becomes["false()"](item/price)
    i1 p1 p1- p1.2                         |
# reference documents
reference parts = "parts.xml"
event E = becomes["@partNum = $parts//part[@state = 'old']/@n"](item)
    i1 a1=8 a1=7 a1=7 a1=8 a1=7            | 3: a1=7; 6: a1=7
# filter and variables, of the element and of the change
event E = becomes["price"](item)[@partNum] as $n = (@partNum) as $what = ($op)
    i1 p1 p1- a1=7 p1                      | 5: p1{n=[7],what=[ins]}
    i1 p1 a1=7                             |
event E {if="comment", let m="concat($n, '!')"} = becomes["price"](item) as $n = (@partNum)
    (i1 a1=7 c1) p1                        | 4: p1{m=7!,n=[7]}
    (i1 a1=7) p1 c1                        |
# a rule that asks nothing takes what was raised as ever
event F = E(item) & ins(item/comment)
event E = becomes["price"](item)
    i1 p1 c1                               | 2: E:p1; 3: F:(p1)+c1
    i1 (c1 p1 q1)                          | 4: E:q1 F:(q1)+c1
event F(/order) = x[2,2] E(item)
event E = becomes["price"](item)
    i1 p1 p1- p1.2 i2                      | 2: E:p1; 4: E:p1.2 F:(p1)+(p1.2)
"""
OPERANDS = """
# an operand like any other: with its own node and time point
event E = becomes["price"](item) ; ins(item/comment)
    i1 p1 c1                               | 3: (p1)+c1
    i1 c1 p1 c1.2                          | 4: (p1)+c1.2
    # the event is that of the change, the document that after the edit
    i1 (p1 c1)                             |
    i1 (c1 p1 c1.2)                        |
    i1 (p1) c2 c1                          | 4: (p1)+c1
event E = ins(item/price) & becomes["price"](item)
    i1 p1                                  | 2: p1+(p1)
event E = becomes["price"](item) & becomes["comment"](item)
    i1 (p1 c1)                             | 3: (c1)+(c1)
    i1 p1 p2 c1                            | 4: (p1)+(c1)
event E(/order) {context=unrestricted} = becomes["price"](item) & becomes["comment"](item)
    i1 i2 p1 c2 c1                         | 4: (p1)+(c2); 5: (p1)+(c1)
event E {flat} = becomes["price"](item) ; becomes["comment"](item)
    i1 i2 p1 c2                            | 4: (p1)+(c2)
event E {order=detection} = becomes["price"](item) ; becomes["comment"](item)
    i1 p1 c1                               | 3: (p1)+(c1)
    i1 (p1 c1)                             |
event E(/order) = x[2,3] becomes["price"](item)
    i1 i2 p1 p2                            | 4: (p1)+(p2)
    i1 i2 (p1 p2)                          | 4: (p1)+(p2)
event E(/order) = becomes["price"](item) as $n = (@partNum) ; becomes["comment"](item) as $n = (@partNum)
    i1 a1=7 i2 a2=7 p1 c2                  | 6: (p1)+(c2){n=7}
    i1 a1=7 i2 a2=8 p1 c2                  |
# what must not turn true
event E = ins(item) ; not becomes["price"](item) ; ins(item/comment)
    i1 c1                                  | 2: i1+c1
    i1 p1 c1                               |
    i1 p1 p1- c1                           |
event E {within="9 s"} = becomes["@partNum = 1"](item) ; not becomes["@partNum = 2"](item)
    @0 i1 a1=1 @5 a1=2 @20 i2              |
    @0 i1 a1=1 @5 a1=3 @20 i2              | 4: (a1=1)
    @0 i1 a1=1 @5 a1=3 @6 a1=1 @20 i2      | 5: (a1=1) (a1=1)
event E {within="3 changes"} = becomes["price"](item) & ins(item/comment)
    i1 p1 q1 c1                            | 4: (p1)+c1
    i1 p1 q1 q1.2 c1                       |
event E = plus[becomes["price"](item), "5 s"]
    @0 i1 p1 @9 i2                         | 3: (p1)
event E = aperiodic[becomes["price"](item), becomes["not(price)"](item)] ins(item/comment)
    i1 c1 p1 c1.2 p1- c1.3                 | 4: (p1)+c1.2
event E {end=non-local} = becomes["price"](item) & ins(item/comment)
    i1 p1 c1 i2                            | 4: (p1)+c1
"""
TRANSACTIONS = """
# with end=custom it is asked at the flush: false at the flush before, true at this one
event E {end=custom} = becomes["price"](item)
    [i1 p1] [c1]                           | 2: p1
    [i1 p1 c1]                             | 3: p1
    [i1] [p1 p1-] [p1.2]                   | 4: p1.2
    [i1 p1] [p1- p1.2]                     | 2: p1
    [i1 p1] [p1-] [p1.2]                   | 2: p1; 4: p1.2
    i1 p1 flush flush                      | 2: p1
    i1 p1 close                            | 2: p1
# of the last edit that turned it true
event E {end=custom} = becomes["price"](item)
    [i1 p1 p1- p1.2 c1 p1.3]               | 6: p1.2
    [i1 (p1 c1) q1]                        | 4: c1
# what is gone by then
event E {end=custom} = becomes["price"](item)
    [i1 p1 p1- i1-]                        |
    [i1 p1] [p1- i1-] [i1.2]               | 2: p1
# filter, variables and guard are asked at the flush
event E {end=custom, if="comment"} = becomes["price"](item)[@partNum] as $n = (@partNum)
    [i1 p1 c1 a1=7]                        | 4: p1{n=[7]}
    [i1 p1 c1] [a1=7]                      |
    [i1 p1 a1=7] [c1]                      |
# as an operand
event E = becomes["price"]{end=custom}(item) ; ins(item/comment)
    [i1 p1 c1] [c1.2]                      | 3: becomes1:p1 E:(p1)+c1
    [i1 p1] [c1.2]                         | 2: becomes1:p1; 3: E:(p1)+c1.2
event E {end=custom} = becomes["price"]{end=custom}(item) & ins(item/comment)
    [i1 p1 c1]                             | 3: becomes1:p1 E:(p1)+c1
event E {end=custom} = ins(item) ; not becomes["price"]{end=custom}(item)
    [i1 p1 p1-]                            | 3: i1
    [i1 p1]                                | 2: becomes1:p1
# elsewhere
event E {end=custom} = becomes["../billTo"](item)
    [o1 i1 b1 i2]                          | 4: b1 i2
"""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=title(case))
        for table in (EDITS, OPERANDS, TRANSACTIONS)
        for case in cases(table)
    ],
)
def test_becomes(case: Case) -> None:
    check(case.rules, case.words, case.raised, case.variables)


MISTAKES = {
    'event E = becomes["price"](item/@partNum)': "takes the path of an element, and item/@partNum is none (B1)",
    'event E = becomes["price"](item//)': "not an operation, an event or a scope (B1)",
    'event E(order) = becomes["price"](item)': "about the element that it asks, item, not about order (B2)",
    'event E {end=non-local} = becomes["price"](item)': "becomes has no end=non-local (B3)",
    'event E {when="price"} = becomes["price"](item)': "a becomes has no option 'when'",
    'event E = becomes["pric(."](item)': "in the expression 'pric(.'",
    'event E = becomes["$old = 3"](item)': "$old",
    'event E = becomes["price"](item) as $n': "an element has no value (V1)",
    'event E = becomes["price"](item)[$x = 3]': "$x",
}


@pytest.mark.parametrize("rules", MISTAKES)
def test_mistakes(rules: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rules(rules)
    assert MISTAKES[rules] in str(caught.value)


def change(ts: int, op: str, path: str, *ids: int) -> PrimitiveEvent:
    return PrimitiveEvent.from_record({"ts": ts, "op": op, "path": path, "ids": [*ids], "pos": 0})


ORDER = ("<order><item><price/></item><item/></order>", [1, 2, 3, 4])


@pytest.mark.parametrize("end", ["earliest", "custom"])
@pytest.mark.parametrize("test", ["price", "price and //item"])
def test_what_is_there_at_the_beginning_is_what_it_was(end: str, test: str) -> None:
    """B4: item 2 had a price, item 4 had none."""
    rules = parse_rules(f'event E {{end={end}}} = becomes["{test}"](item)')
    detector = Detector(rules, document=Replica.from_snapshot(*ORDER))
    steps = [
        change(1, "del", "/order/item/price", 1, 2, 3), change(2, "ins", "/order/item/price", 1, 2, 5),
        change(3, "ins", "/order/item/price", 1, 4, 6),
    ]  # fmt: skip
    found = [one for step in steps for one in detector.feed(step)] + detector.flush()
    assert [one.ids for one in found] == ([(1, 2), (1, 4)] if end == "earliest" else [(1, 4)])


def test_what_nobody_has_inserted_is_not_asked() -> None:
    """B4: a log that begins in the middle, without the document."""
    detector = Detector(parse_rules('event E = becomes["price"](item)'))
    assert detector.feed(change(1, "ins", "/order/item/price", 1, 2, 3)) == []
    assert detector.feed(change(2, "ins", "/order/item", 1, 4)) == []
    assert [one.ids for one in detector.feed(change(3, "ins", "/order/item/price", 1, 4, 5))] == [(1, 4)]


def test_only_what_is_touched_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """B4: twice, before the edit and after it; at an edit that touches nothing it reads, not at all."""
    from xmlcep.engine.operators.becomes import BecomesState

    asked: list[int] = []
    is_true = BecomesState.is_true
    monkeypatch.setattr(
        BecomesState, "is_true", lambda self, path, ids: asked.append(ids[-1]) or is_true(self, path, ids)
    )
    doc = xmlcep.fromstring("<order><item><price>1</price></item><item/><item/></order>")
    first, second, _ = doc.root
    found: list[CompositeEvent] = []
    with doc.watch(parse_rules('event E = becomes["price > 3"](item)'), on_event=found.append):
        first.set("partNum", "7")
        second.append(doc.root.makeelement("comment"))
        assert asked == []
        first[0].text = "5"
        assert asked == [2, 2]
    assert [one.ids for one in found] == [(1, 2)]
