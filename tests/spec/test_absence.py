"""What must not happen in a sequence, and not before it (A1, A2, A5, Q1, D5, Q4, V4, W3)."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title
from xmlcep import RuleError, parse_rules
from xmlcep.algebra import Sequence

BETWEEN = """
event E {context=$context} = ins(item/price) ; not ins(item/comment) ; ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 q1        | 2: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 c1 q1     |
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 c2 q1     | 3: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | c1 p1 q1 c1.2 | 3: p1+q1
    # behind what it was in the way of it is no more in the way
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 c1 p1.2 q1 | 4: p1.2+q1
    unrestricted | p1 c1 p1.2 p1.3 q1 q1.2 | 5: p1.2+q1 p1.3+q1; 6: p1.2+q1.2 p1.3+q1.2
    recent       | p1 c1 p1.2 p1.3 q1 q1.2 | 5: p1.3+q1; 6: p1.3+q1.2
    chronicle    | p1 c1 p1.2 p1.3 q1 q1.2 | 5: p1.2+q1; 6: p1.3+q1.2
    continuous   | p1 c1 p1.2 p1.3 q1 q1.2 | 5: p1.3+q1 p1.2+q1
    cumulative   | p1 c1 p1.2 p1.3 q1 q1.2 | 5: p1.2+p1.3+q1
    next         | p1 c1 p1.2 p1.3 q1 q1.2 | 5: p1.2+q1 p1.3+q1
    # recent: the newest two are separated
    recent       | p1 q1 c1 q1.2       | 2: p1+q1
    unrestricted | p1 q1 c1 q1.2       | 2: p1+q1
    unrestricted | p1 q1 q1.2 c1 q1.3  | 2: p1+q1; 3: p1+q1.2
# as Snoop writes it
event E = not(ins(item/comment))[ins(item/price), ins(item/quantity)]
    p1 c1 p1.2 q1                      | 4: p1.2+q1
# several in a row: none of them
event E = ins(item/price) ; not ins(item/comment) ; not upd(item/price) ; ins(item/quantity)
    p1 q1                              | 2: p1+q1
    p1 c1 q1                           |
    p1 p1! q1                          |
# at several places; each is between its own neighbours only
event E = ins(item) ; not ins(item/comment) ; ins(item/price) ; not upd(item/price) ; ins(item/quantity)
    i1 p1 q1                           | 3: i1+p1+q1
    i1 p1 c1 q1                        | 4: i1+p1+q1
    i1 p1! p1 q1                       | 4: i1+p1+q1
    i1 c1 p1 q1                        |
    i1 p1 p1! q1                       |
# the event of one operand: a terminator does not lie before itself, an earlier one does
event E = ins(item/price) ; not *(item/quantity) ; ins(item/quantity)
    p1 q1                              | 2: p1+q1
    p1 q1! q1.2                        |
# its path counts for the path type (T2)
event E = ins(order/item/price) ; not ins(order/billTo) ; ins(order/item/quantity)
    p1 q2                              | 2: p1+q2
    p1 b1 q2                           |
# a filter says which
event E = ins(item/price) ; not ins(item/comment)[$meta:user = 'ann'] ; ins(item/quantity)
    p1 c1~bob q1                       | 3: p1+q1
    p1 c1~ann q1                       |
# deferred: what counts is what is there at the release
event E {context=$context} = (ins(item/price) ; not ins(item/comment) ; ins(item/quantity)){end=custom}
    chronicle, recent, unrestricted, continuous, cumulative, next | p1 c1 q1 p1.2 q1.2 flush | 5: p1.2+q1.2
    chronicle, recent, unrestricted, continuous, cumulative, next | p1 c1 q1 flush c1.2 flush |
# what comes late takes nothing back
event E = ins(item/price) ; not (ins(item/comment)){end=custom} ; ins(item/quantity)
    p1 c1 q1 flush                     | 3: p1+q1
    p1 c1 flush q1                     |
"""

COMPOSITES = """
# a composite lies between as a whole
event E = ins(item/price) ; not (ins(item/comment) & ins(item)) ; ins(item/quantity)
    p1 c1 i1 q1                        |
    c1 p1 i1 q1                        | 4: p1+q1
    p1 c1 q1 i1                        | 3: p1+q1
# by detection times
event E {flat, order=detection} = ins(item/price) ; not (ins(item/comment) & ins(item)) ; ins(item/quantity)
    p1 c1 i1 q1                        |
    c1 p1 i1 q1                        |
    c1 i1 p1 q1                        | 4: p1+q1
# below a not every combination counts, unless another context is given
event E = ins(item/price) ; not (ins(item/comment) & upd(item/price)) ; ins(item/quantity)
    c1 p1 c1.2 p1! q1                  |
event E = ins(item/price) ; not (ins(item/comment) & upd(item/price)){context=chronicle} ; ins(item/quantity)
    c1 p1 c1.2 p1! q1                  | 5: p1+q1
# a multiplicity: at least l of what it counts lie between (A1), whatever it has raised
event E = ins(item/price) ; not x[2,*] ins(item/comment) ; ins(item/quantity)
    p1 c1 q1                           | 3: p1+q1
    p1 c1 c1.2 q1                      |
    c1 p1 c1.2 q1                      | 4: p1+q1
    c1 p1 c1.2 c1.3 q1                 |
    p1 c1 p1.2 c1.2 q1                 | 5: p1.2+q1
event E = ins(item/price) ; not x[2,2] ins(item/comment) ; ins(item/quantity)
    c1 p1 c1.2 c1.3 q1                 |
    p1 c1 q1                           | 3: p1+q1
event E = ins(item/price) ; not x[2,*]{within="2 changes"} ins(item/comment) ; ins(item/quantity)
    p1 c1 i1 c1.2 q1                   | 5: p1+q1
    p1 c1 i1 c1.2 c1.3 q1              |
event E = ins(item/price) ; not x[1,*]{having="sum($n) > 5"} upd(item/price/text()) as $n ; ins(item/quantity)
    i1 p1 t1=1 t1=2 t1=3 q1            | 6: p1+q1
    i1 p1 t1=1 t1=2 t1=4 q1            |
event E(order) = ins(order/item/price) ; not x[2,*] ins(order/item/comment) ; ins(order/item/quantity)
    p1 c1 c2 q1                        | 4: p1+q1
    p1 c1 c1.2 q1                      |
# it lies where its composites would: what it counts at the order is at no item (H1, T4)
event E(order/item) = not x[1,2]{path=order} *(order/item/price) ; ins(order/item/comment)
    i1 p1 c1                           | 3: c1
event E(order/item) = ins(order/item/comment) ; not x[1,2]{path=order} *(order/item/price) ; ins(order/item/quantity)
    c1 p1 q1                           | 3: c1+q1
event E(order/item) = not x[1,2]{path=order} x[1,2]{path=order/item} *(order/item/price) ; ins(order/item/comment)
    i1 p1 c1                           | 3: c1
event E(order) = not x[1,2]{path=order} x[1,2]{path=order/item} *(order/item/price) ; ins(order/item/comment)
    i1 p1 c1                           |
# something empty forbids nothing
event E = ins(item/price) ; not x[0,1] ins(item/comment) ; ins(item/quantity)
    p1 i1 q1                           | 3: p1+q1
    p1 i1 c1 q1                        |
# an empty neighbour is replaced by the next one that is not
event E = ins(item) ; x[0,1] ins(item/comment) ; not upd(item/price) ; ins(item/quantity)
    i1 q1                              | 2: i1+q1
    i1 p1! q1                          |
    i1 p1! c1 q1                       | 4: i1+(c1)+q1
    i1 c1 p1! q1                       |
event E = x[0,1] ins(item/comment) ; not upd(item/price) ; ins(item/quantity)
    i1 q1                              | 2: q1
    i1 p1! q1                          |
    i1 p1! c1 q1                       | 4: (c1)+q1
"""

STARTING_OVER = """
# a multiplicity starts over when its composite is consumed (M3), wherever a negated operand stands
event E {context=$context} = not del(item) ; x[1,3]{name=M} ins(item/price) ; ins(item/quantity)
    chronicle, continuous, cumulative, next | p1 q1 p1.2 q1.2 | 1: M:p1; 2: E:(p1)+q1; 3: M:p1.2; 4: E:(p1.2)+q1.2
    unrestricted, recent | p1 q1 p1.2  | 1: M:p1; 2: E:(p1)+q1; 3: M:p1+p1.2
event E {context=$context} = ins(item) ; not del(item) ; x[1,3]{name=M, slide} ins(item/price) ; ins(item/quantity)
    chronicle, continuous, cumulative, next | i1 p1 q1 p1.2 | 2: M:p1; 3: E:i1+(p1)+q1; 4: M:p1.2
# a multiplicity starts over behind what cuts it off (Q4), its composite stays where it is
event E = x[1,*]{name=M} ins(item/price) ; not ins(item/comment) ; ins(item/quantity)
    p1 p1.2 q1                         | 1: M:p1; 2: M:p1+p1.2; 3: E:(p1+p1.2)+q1
    p1 c1 p1.2 q1                      | 1: M:p1; 3: M:p1.2; 4: E:(p1.2)+q1
    p1 c1 p1.2 p1.3 q1                 | 1: M:p1; 3: M:p1.2; 4: M:p1.2+p1.3; 5: E:(p1.2+p1.3)+q1
    p1 c1 q1 p1.2 q1.2                 | 1: M:p1; 4: M:p1.2; 5: E:(p1.2)+q1.2
    # at another item it does not
    p1 c2 p1.2 q1                      | 1: M:p1; 3: M:p1+p1.2; 4: E:(p1+p1.2)+q1
event E = x[2,*]{name=M} ins(item/price) ; not ins(item/comment) ; ins(item/quantity)
    p1 p1.2 c1 p1.3 q1                 | 2: M:p1+p1.2
    # what is not enough yet starts over, too
    p1 c1 p1.2 q1                      |
event E = x[1,*]{name=M} ins(item/price) ; not x[2,*] ins(item/comment) ; ins(item/quantity)
    p1 c1 p1.2 q1                      | 1: M:p1; 3: M:p1+p1.2; 4: E:(p1+p1.2)+q1
    p1 c1 c1.2 p1.2 q1                 | 1: M:p1; 4: M:p1.2; 5: E:(p1.2)+q1
# it is the same where nothing has been before it, so that it could not be combined anyway
event E {context=$context} = ins(item) ; x[1,3]{name=M} ins(item/price) ; not ins(item/comment) ; ins(item/quantity)
    chronicle, continuous, cumulative, unrestricted | p1 c1 i1 p1.2 q1 | 1: M:p1; 4: M:p1.2; 5: E:i1+(p1.2)+q1
    chronicle, continuous, cumulative, unrestricted | p1 i1 p1.2 q1 | 1: M:p1; 3: M:p1+p1.2
    chronicle, continuous, cumulative | p1 c1 p1.2 c1.2 i1 p1.3 q1 | 1: M:p1; 3: M:p1.2; 6: M:p1.3; 7: E:i1+(p1.3)+q1
# what is not right behind it does not let it start over
event E = x[1,*]{name=M} ins(item/price) ; ins(item) ; not ins(item/comment) ; ins(item/quantity)
    p1 c1 p1.2 i1 q1                   | 1: M:p1; 3: M:p1+p1.2; 5: E:(p1+p1.2)+i1+q1
# but goes together with what was begun before the cut, and ends behind it: that does not lie in between
event S = ins(item/quantity) ; upd(item/quantity)
event E {context=$context} = ins(item) ; x[1,*]{name=M} ins(item/price) ; not ins(item/comment) ; S(item/quantity)
    unrestricted, chronicle, continuous, cumulative | i1 p1 q1 c1 q1! | 2: M:p1; 5: S:q1+q1! E:i1+(p1)+(q1+q1!)
    chronicle | i1 p1 q1 c1 p1.2 q1! | 2: M:p1; 5: M:p1.2; 6: S:q1+q1! E:i1+(p1)+(q1+q1!)
    chronicle | i1 p1 c1 q1 q1!        | 2: M:p1; 5: S:q1+q1!
"""

LEADING = """
# several that come at once, one by one, whatever must not have come before them (Q1)
event E {context=$context} = not ins(item/comment) ; (ins(item/price)){end=custom} ; ins(item/quantity)
    recent       | p1 q1 p1.2 flush q1.2 | 4: (p1.2)+q1.2
    next         | p1 q1 p1.2 flush q1.2 | 4: (p1)+q1.2 (p1.2)+q1.2
event E {context=$context} = ins(item/price) ; not ins(item/comment) ; (ins(item/quantity)){end=custom}
    recent       | p1 q1 q1.2 flush    | 3: p1+(q1.2)
    next         | p1 q1 p1.2 q1.2 flush | 4: p1+(q1) p1.2+(q1.2)
event E {context=$context} = not ins(item/comment) ; ins(item/price)
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 c1 p1.2 p2 | 1: p1; 4: p2
    unrestricted, recent, chronicle, continuous, cumulative, next | c1 p1 |
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 p1.2 | 1: p1; 2: p1.2
event E {context=$context} = not ins(item/comment) ; ins(item/price) ; ins(item/quantity)
    unrestricted | p1 p1.2 c1 p1.3 q1  | 5: p1+q1 p1.2+q1
    recent       | p1 p1.2 c1 p1.3 q1  |
    chronicle    | p1 p1.2 c1 p1.3 q1  | 5: p1+q1
    continuous   | p1 p1.2 c1 p1.3 q1  | 5: p1.2+q1 p1+q1
    cumulative   | p1 p1.2 c1 p1.3 q1  | 5: p1+p1.2+q1
    next         | p1 p1.2 c1 p1.3 q1  | 5: p1+q1 p1.2+q1
# with a window: only what lies in it, counted back from the end of the combination
event E {context=$context} = (not ins(item/comment) ; ins(item/price) ; ins(item/quantity)){within="3 changes"}
    chronicle, unrestricted, recent, continuous, cumulative, next | c1 p1 q1    |
    chronicle, unrestricted, recent, continuous, cumulative, next | c1 p1 i1 q1 | 4: p1+q1
    chronicle, unrestricted, recent, continuous, cumulative, next | c1 i1 p1 q1 | 4: p1+q1
# what was forbidden stays so, whatever comes later and is not
event E {context=$context} = (not ins(item/comment) ; ins(item/price)){within="4 changes"}
    unrestricted, recent, chronicle, continuous, cumulative, next | c1 p1 q1 i2 p1.2 | 5: p1.2
event E = (not ins(item/comment) ; ins(item/price)){within="5 s"}
    @0 c1 @5 p1                        |
    @0 c1 @6 p1                        | 2: p1
# also when it is asked later: what waits for a release was in time for what forbids it
event E {within="3 changes", end=custom} = not ins(item/comment) ; ins(item/price)
    c1 i1 p1 i2 i3 p2 flush            | 6: p2
    c1 i1 i2 p1 i3 p2 flush            | 6: p1 p2
event E {within="5 s", when="quantity"} = not ins(item/comment) ; ins(item/price)
    @0 i1 c1 @5 p1 @20 q1              |
    @0 i1 c1 @6 p1 @20 q1              | 4: p1
event E {within="3 changes", end=custom, flat} = not ins(item/comment) ; ins(item/price)
    c1 i1 p1 i2 i3 p2 flush            | 6: p2
# a composite counts by its start (W3)
event E = (not (ins(item/comment) & ins(item)) ; ins(item/price)){within="3 changes"}
    c1 i1 p1                           |
    c1 i1 o1! p1                       | 4: p1
# before and in between
event E = not upd(item/price) ; ins(item/price) ; not ins(item/comment) ; ins(item/quantity)
    p1 q1                              | 2: p1+q1
    p1! p1 q1                          |
    p1 c1 q1                           |
"""

VALUES = """
# what binds the variable of the join forbids where its value is the same; what does not, for all (V4)
event E {flat} = ins(item/@partNum) as $n ; not ins(item/price/text()) as $n ; del(item/@partNum) as $n
    a1=7 a1-                           | 2: a1=7+a1-{n=7}
    a1=7 p2 t2=7 a1-                   |
    a1=7 p2 t2=8 a1-                   | 4: a1=7+a1-{n=7}
event E {flat} = ins(item/@partNum) as $n ; not ins(item/price/text()) ; del(item/@partNum) as $n
    a1=7 p2 t2=8 a1-                   |
    a1=7 p2 a1-                        | 3: a1=7+a1-{n=7}
# what happened before there was such a group counts, too
event E {flat} = not ins(item/price/text()) as $n ; ins(item/@partNum) as $n ; del(item/@partNum) as $n
    p2 t2=7 a1=7 a3=8 a1- a3-          | 6: a3=8+a3-{n=8}
"""


@pytest.mark.parametrize(
    "case",
    cases(BETWEEN) + cases(COMPOSITES) + cases(STARTING_OVER) + cases(LEADING) + cases(VALUES),
    ids=title,
)
def test_absence(case: Case) -> None:
    check(*case)


def test_both_ways_to_write_it_are_one() -> None:
    snoop = parse_rules("event E = not(ins(item/b))[ins(item/a), ins(item/c)]")
    assert snoop == parse_rules("event E = ins(item/a) ; not ins(item/b) ; ins(item/c)")
    (definition,) = snoop.definitions
    assert isinstance(definition.expression, Sequence)
    assert definition.expression.negated == (1,)


@pytest.mark.parametrize(
    "rules",
    [
        "not ins(item/a)",
        "not ins(item/a) ; not ins(item/b)",
        "not ins(item/a) & ins(item/b)",
        "x[1,2] not ins(item/a)",
        "(not ins(item/a) | ins(item/b)) ; ins(item/c)",
    ],
)
def test_not_elsewhere_is_an_error(rules: str) -> None:
    """A5."""
    with pytest.raises(RuleError, match="not"):
        parse_rules(f"event E = {rules}")
