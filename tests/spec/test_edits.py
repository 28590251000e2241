"""Edits: what asks the document sees it edit by edit; `when` and `if` (U1, U2, D4, U6)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference import Evaluation
from tests.spec.alphabet import steps_of
from tests.spec.tables import Case, cases, check, title
from xmlcep.language import parse_definitions

EDITS = """
# a subtree that is taken out passes through no state in between
event E = (del(item/price/text()) | del(item/price)){path=item, when="price[not(text())]"}
    i1 p1 t1=5 (t1- p1-)               |
    i1 p1 t1=5 t1- p1-                 | 4: t1-
    i1 p1 t1=5 (t1- u1=5)              | 4: t1-
# what comes with the edit is there from its first record on
event E {when="price"} = x[1,1] ins(item/comment)
    (i1 c1 p1)                         | 2: c1
    i1 c1 p1                           | 3: c1
    i1 (c1 p1) p1-                     | 2: c1
    i1 (c1 p1 p1-)                     |
# a message sees the document as it is when it is raised, not what comes next (Y10)
event E {message="{@partNum}"} = periodic[ins(item), "1 s", ins(item/price)]
    @0 i1 a1=7 @1.5 i1-                | 3: i1<7>
    @0 i1 a1=7 @1.5 (a1=8 i1-)         | 3: i1<7>
event E {message="{@partNum}", when="price"} = x[1,1] ins(item/comment)
    i1 a1=7 (c1 p1 [a1=8])             | 3: c1<7>
# asked when the combination comes to be, then at the first record of each later edit at or below the node
event E {when="count(comment) = 2"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1 (c1 c1.2)                 | 4: p1+q1
    i1 p1 q1 (o1! c1 c1.2)             | 5: p1+q1
    i1 p1 q1 (c1 c1.2 c1.2-) c1.3      | 7: p1+q1
    i1 p1 (q1 c1) (c1.2 p2)            | 5: p1+q1
# a record that does not end its edit is in the same edit as the next; other things end it, too
event E {when="price"} = x[1,1] ins(item/comment)
    i1 (c1 flush p1)                   | 3: c1
    i1 (c1 >9 p1)                      | 3: c1
    i1 [(c1] p1)                       | 3: c1
# a node that comes and goes within one edit is not there
event E = ins(item/price)[../comment]
    i1 (c1 p1)                         | 3: p1
    i1 (p1 c1)                         | 2: p1
    i1 (p1 c1 p1-)                     |
    i1 p1 c1                           |
event E = del(item/price)[../comment]
    i1 c1 p1 (c1- p1-)                 | 5: p1-
    i1 p1 (c1 p1-)                     |
    i1 c1 (p1 p1-)                     |
event E = *(item/price)[../comment]
    i1 p1 (c1 p1!) (c1- p1-)           | 4: p1!; 6: p1-
event E = ins(item)[@partNum = '7']
    (i1 a1=7)                          | 1: i1
    i1 a1=7                            |
# a filter that needs the record only does not care
event E = ins(item/price/text())[. > 3]
    i1 p1 (t1=5 t1- p1-)               | 3: t1=5
# what is known too late fires at the next time point (W5), within an edit, too, each at its time
event E {within="5 s"} = x[1,*]{end=non-local, name=M} ins(item/price) ; not ins(item/comment)
    @0 p1 @9 (i2 q1 q1.2)              | 2: M:p1; 3: E:(p1)
    @0 p1 @9 (i2 c1 q1)                | 2: M:p1; 3: E:(p1)
event E {within="5 s", when="quantity"} = x[1,*]{end=non-local, name=M} ins(item/price) ; not ins(item/comment)
    @0 i1 p1 @9 (i2 q1 q1.2)           | 3: M:p1; 4: E:(p1)
    @0 i1 p1 @9 (q1 i2) i3             | 4: M:p1; 5: E:(p1)
    @0 i1 p1 @9 (i2 c1 q1)             | 3: M:p1; 4: E:(p1)
    @0 i1 p1 @9 (i2 c1 i3)             | 3: M:p1
event E {order=detection, when="comment"} =
(x[1,*]{end=non-local} ins(item/price) ; not ins(item/item)){name=P, within="2 s"} ;
(x[1,*]{end=non-local} ins(item/quantity) ; not ins(item/item)){name=Q, within="3 s"}
    @0 i1 q1 p1 @9 (i2 c1 c1.2)        | 4: multiplicity1:p1 multiplicity2:q1; 5: P:(p1) Q:(q1) E:((p1))+((q1))
# the records are dealt with one by one, at their own time points
event E {when="price"} = ins(item/price) ; ins(item/quantity)
    (i1 p1 q1 q1.2)                    | 3: p1+q1
    (i1 p1 q1 p1.2 q1.2)               | 3: p1+q1; 5: p1.2+q1.2
"""

RELEASES = """
# at a release, and only there (D4): false, the group waits for one after something has happened there
event E {end=custom, when="comment"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1 c1                        |
    i1 p1 q1 c1 flush                  | 4: p1+q1
    i1 p1 q1 flush c1 flush            | 4: p1+q1
    i1 p1 q1 c1 c1- flush              |
    i1 p1 q1 flush flush c1 flush      | 4: p1+q1
    [i1 p1 q1] [c1]                    | 4: p1+q1
    [i1 p1 q1 c1]                      | 4: p1+q1
# a release within an edit asks again what the edit changes, once something has happened at the node, whatever it is
event E(item) {end=non-local, when="string-length(.) > 1"} = ins(item)
    i1 (p1 t1=5) i2 (q1 i2! u1=5)      | 6: i1
    i1 (p1 t1=5) i2 (i2! q1 u1=5)      | 5: i1
    i1 (p1 t1=5) i2 (i2! q1 u1=5) i2!.2 | 5: i1
    i1 (p1 t1=5) i2 q1 i2! u1=5        |
event E {end=non-local, when="comment"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1 i2 c1 i2!                 | 6: p1+q1
    i1 p1 q1 c1 i2                     | 5: p1+q1
    # asked at i2 of the document as it is after the edit
    i1 p1 q1 (i2 c1)                   | 4: p1+q1
    # not asked again at i2!, for nothing had happened there before it
    i1 p1 q1 i2 (i2! c1) i2!.2         | 5: p1+q1
    # a record below the node is not elsewhere
    i1 p1 q1 i2 c1 n1 i2!              | 7: p1+q1
    # what has happened there need not be what the condition reads
    i1 p1 q1 i2 q1! (i2! c1)           | 6: p1+q1
    i1 p1 q1 (i2 q1!) (i2! c1)         | 6: p1+q1
    # but it must have happened since the condition was asked last
    i1 p1 q1 i2 q1! i2! (i2!.2 c1)     | 7: p1+q1
    i1 p1 q1 i2 q1! i2! (i2!.2 c1) i2!.3 | 7: p1+q1
event E {end=non-local, when="item"} = ins(item/price) & ins(item/quantity)
    # a record below the node has happened there, and the next elsewhere releases
    i1 p1 q1 i2 n1 i2!                 | 6: p1+q1
    i1 p1 q1 i2 (n1 i2!)               | 6: p1+q1
    i1 p1 q1 i2 (i2! n1)               | 5: p1+q1
    i1 p1 q1 i2 n1 n1- i2!             |
    i1 p1 q1 i2 (n1 n1-) i2!           |
# what comes to be next has not been asked (D4)
event E {context=recent, end=custom, when="comment"} = ins(item/price) ; ins(item/quantity)
    i1 p1 q1 flush p1.2 flush c1 q1.2 flush | 6: p1.2+q1.2
"""

GUARDS = """
# asked once, when it would be raised; false, it is used up all the same
event E {context=$context, if="comment"} = ins(item/price) & ins(item/quantity)
    unrestricted | i1 p1 q1 c1 q1.2    | 5: p1+q1.2
    recent       | i1 p1 q1 c1 q1.2    | 5: p1+q1.2
    chronicle    | i1 p1 q1 c1 q1.2 p1.2 | 6: p1.2+q1.2
    continuous   | i1 p1 q1 c1 p1.2    | 5: p1.2+q1
    cumulative   | i1 p1 q1 c1 p1.2 q1.2 | 6: p1.2+q1.2
    next         | i1 p1 q1 c1 q1.2    |
    chronicle    | i1 p1 (q1 c1)       | 3: p1+q1
event E {if="comment"} = ins(item/price) ; ins(item/quantity)
    i1 p1 q1 c1 q1.2                   |
    i1 c1 p1 q1                        | 4: p1+q1
event E {if="comment"} = ins(item/price) | ins(item/quantity)
    i1 p1 c1 q1                        | 4: q1
# the whole document is there, unlike for `when`
event E {if="/order/billTo and ../item[2]"} = ins(item/price) & ins(item/quantity)
    o1 b1 i1 p1 q1                     |
    o1 b1 i1 i2 p1 q1                  | 6: p1+q1
event E {when="/order"} = ins(item/price) & ins(item/quantity)
    o1 i1 p1 q1                        |
# with a condition that comes first
event E {when="comment", if="price"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1 c1                        | 4: p1+q1
    i1 p1 q1 p1- c1                    |
    i1 p1 q1 p1- c1 q1.2 p1.2          | 7: p1.2+q1.2
# at the release
event E {end=custom, if="comment"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1 c1 flush                  | 4: p1+q1
    i1 p1 q1 flush c1 flush            |
# on a multiplicity as a false having: what was raised stays, counting goes on, and starts over at u all the same
event E = x[1,*]{name=M, if="comment"} ins(item/price) & ins(item/quantity)
    i1 p1 c1 p1.2 q1                   | 4: M:p1+p1.2; 5: E:(p1+p1.2)+q1
    i1 c1 p1 c1- p1.2 q1               | 3: M:p1; 6: E:(p1)+q1
event E = x[1,2]{if="comment"} ins(item/price)
    i1 p1 p1.2 c1 p1.3                 | 5: p1.3
event E = x[1,2]{end=custom, if="comment"} ins(item/price)
    i1 p1 p1.2 p1.3 flush c1 flush     |
    i1 p1 p1.2 p1.3 flush c1 p1.4 flush | 6: p1.4
event E = x[0,1]{if="comment"} ins(item/price)
    i1 c1 p1                           | 3: p1
    (i1 c1) p1                         | 1: 0; 3: p1
# it sees the variables of the combination; of these alone it asks no node (D4)
event E {if="$n = comment/text()"} = ins(item/@partNum) as $n & ins(item/price)
    i1 c1 v1=7 a1=7 p1                 | 5: a1=7+p1{n=[7]}
    i1 c1 v1=7 a1=8 p1                 |
event E {if="$n > 5"} = del(item/@partNum) as $n ; del(item)
    i1 a1=7 a1- i1-                    | 4: a1-+i1-{n=[7]}
    i1 a1=4 a1- i1-                    |
"""

GONE = """
# at a node that is gone nothing holds (U6)
event E {when="true()"} = del(item/price) ; del(item)
    i1 p1 p1- i1-                      |
event E {if="true()"} = del(item/price) ; del(item)
    i1 p1 p1- i1-                      | 4: p1-+i1-
event E {if="not(price)"} = del(item/price) ; del(item)
    i1 p1 p1- i1-                      |
event E {if="not(price)"} = del(item/price) & ins(item/quantity)
    i1 p1 q1 p1-                       | 4: p1-+q1
    i1 p1 q1 (p1- q1- i1-)             |
event E {end=custom, when="not(price)"} = ins(item) & del(item/price)
    [i1 p1] [p1-]                      | 3: i1+p1-
    [i1 p1] [(p1- i1-)]                |
    [i1 p1] [p1- i1-]                  |
"""


@pytest.mark.parametrize("case", cases(EDITS) + cases(RELEASES) + cases(GUARDS) + cases(GONE), ids=title)
def test_edits(case: Case) -> None:
    check(*case)


def steps_with_findings(rules: str, words: str) -> list[list[Any]]:
    """What the reference evaluator says at each step: names and time points."""
    steps, _ = steps_of(words)
    evaluation = Evaluation(parse_definitions(rules, []).definitions)
    return [[(r["name"], r["ts"]) for r in evaluation.take(step)] for step in steps]


def test_what_an_edit_raises_comes_with_its_last_record() -> None:
    """U2, for rules that ask the document or use what such rules raise; others are not held up."""
    rules = """
        event Asks {when="price"} = x[1,1] ins(item/comment)
        event Uses = Asks(item)
        event Plain = ins(item/comment)
    """
    assert steps_with_findings(rules, "i1 (c1 p1 q1)") == [
        [], [("Plain", 2)], [], [("Asks", 2), ("Uses", 2)]
    ]  # fmt: skip
    # What else ends the edit brings it along.
    assert steps_with_findings(rules, "i1 (c1 p1 flush)")[-2:] == [[], [("Asks", 2), ("Uses", 2)]]
