"""Decisions of docs/semantics.md in the finer points, which no table of an operator shows by itself."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

# Rules, and below them, indented, the rows they are run with: words, then what is raised.
TABLE = """
# C11: what a root raised stays an event for later trees when a later composite integrates it
event M(item) = x[1,2] ins(item/price)
event B(item) = x[2,2] M(item)
    p1 p1.2                    | 1: M:p1; 2: M:p1+p1.2 B:(p1)+(p1+p1.2)
# C12: one silent empty for each group of the multiplicity; a real composite takes its place, as the newest
event E(/order) {context=cumulative} = x[0,1]{name=C} ins(order/item/comment) & ins(order/item/price)
    i1 i2 p1 p2                | 1: C:0; 2: C:0; 3: E:(0)+(0)+p1; 4: E:(0)+(0)+p2
    i1 i2 p1 c1 p2             | 1: C:0; 2: C:0; 3: E:(0)+(0)+p1; 4: C:c1; 5: E:(0)+(c1)+p2
# Q2: a sequence has a silent one of an operand only beside something of another operand that is not silent
event E(/order) {context=cumulative} = x[0,2]{path=/order} ins(order/billTo) ; x[0,2] ins(order/item/comment)
    o1 i1 i2 b1 i3             | 2: (0)+(0); 3: (0)+(0); 4: (b1)+(0)+(0); 5: (0)+(0)
event E(/order) {context=cumulative, within="9 changes"} = x[0,2]{path=/order} ins(billTo) ; x[0,2] ins(item/comment)
    o1 i1 i2 b1 i3             | 2: (0)+(0); 3: (0)+(0); 4: (b1)+(0)+(0); 5: (0)+(0)
event E(/order) {context=cumulative} = x[0,2] ins(item/comment) ; x[0,2] *(item/price) ; x[0,2]{path=/order} ins(billTo)
    o1 i1 i2 b1                | 2: (0)+(0)+(0); 3: (0)+(0)+(0) (0)+(0)+(0)+(0); 4: (0)+(0)+(0)+(0)+(b1)
event E(/order) {context=cumulative, end=custom} = x[0,2] ins(item/comment) ; x[0,2]{path=/order} ins(billTo)
    o1 i1 flush i2 flush i3 b1 flush | 2: (0)+(0); 3: (0)+(0); 5: (0)+(0)+(0)+(b1)
event E(/order) {context=cumulative, end=custom} = x[0,2] ins(order/item/comment) ; not ins(order/item/price)
    i1 i2 flush i3 flush       | 2: (0)+(0); 3: (0)
# C12: flat, an empty one replaces an earlier one that is unconsumed
event E {flat, context=cumulative} = x[0,1]{name=C} ins(item/comment) & ins(item/price)
    i1 i2 p1                   | 1: C:0; 2: C:0; 3: E:(0)+p1
# C12: chronicle stops where the oldest of every operand are silent
event E = x[0,1]{name=C} ins(item/comment) & x[0,1]{name=Q} ins(item/quantity)
    i1 q1                      | 1: C:0 Q:0 E:(0)+(0); 2: Q:q1 E:(0)+(q1)
# C5: what was raised is unconsumed from then on, so no silent empty stands ready beside what has yet to arrive
event E(/order) = ins(/order/billTo) & x[0,2]{path=/order} ins(order/billTo)
    o1 b1 b2 b3                | 2: b1+(b1); 3: b2+(b2); 4: b3+(b3)
event E(/order) = x[0,2]{path=/order} ins(order/billTo) & x[0,2]{path=/order} ins(order/billTo)
    o1 b1                      | 1: (0)+(0); 2: (b1)+(b1)
event E(/order) {context=recent} = x[0,*]{path=/order} ins(order/billTo) ; x[0,2]{path=/order} ins(order/billTo)
    o1 b1                      | 1: (0)+(0)
event E(/order) {context=continuous} = ins(/order/billTo) & x[0,2]{path=/order} ins(order/billTo)
    o1 b1 b2 b3 b4             | 2: b1+(b1); 3: b2+(b1+b2); 4: b3+(b1+b2) b3+(b3); 5: b4+(b3+b4)
# C4: what takes the place of a consumed empty composite is not there for the same terminator, but as one behind it
event E {context=continuous} = x[0,*] ins(item/price) ; x[1,1] ins(item/quantity) ; x[0,2] ins(item/quantity)
    i1 q1 q1.2 q1.3            | 4: (0)+(q1.2)+(q1.3)
event E {context=continuous, order=detection} = ins(item/price) ; x[0,2]{end=custom} ins(item/price)
    i1 p1 p1.2 flush p1.3      | 3: p1+(p1+p1.2) p1.2+(0); 4: p1.3+(0)
# Z2: so it is where a conjunction has constraints
event E {context=continuous, within="4 changes"} = x[0,*] *(item/price) & *(item/price) & x[0,2] upd(item/price)
    i1 p1 p1!                  | 2: (p1)+p1+(0); 3: (p1!)+p1!+(p1!)
# Z8: what is left of full batches is set aside with them, if it is enough
event E {within="2 changes"} = x[1,2]{end=custom} ins(item/price) ; ins(item/comment)
    p1 p1.2 p1.3 p1.4 c1 flush | 5: (p1.3)+c1
# S2: runs share an empty composite, too, that was consumed with the first of them
event E(/order) {context=next} = x[0,1]{path=/order} ins(order/billTo) & x[0,1]{path=/order} ins(order/billTo)
    o1 b1                      | 1: (0)+(0); 2: (b1)+(0) (b1)+(b1) (0)+(b1)
# C13: what arrived while the condition was false was not integrated, and stays when the composite is consumed
event E = x[1,*]{name=M, when="quantity > 3"} ins(item/price) & ins(item/comment)
    i1 q1 u1=5 p1 u1=1 p1.2 c1 u1=7 | 4: M:p1; 7: E:(p1)+c1; 8: M:p1.2
# N5: an operator may have another context than its event
event E = (ins(item/price) & ins(item/quantity)){context=recent, name=R} & ins(item/comment)
    p1 q1 p1.2 c1 c1.2         | 2: R:p1+q1; 3: R:p1.2+q1; 4: E:(p1+q1)+c1; 5: E:(p1.2+q1)+c1.2
# X11: when the combination ceases to exist the next one has not been asked yet
event E = (ins(item/price) ; ins(item/quantity)){context=recent, end=non-local, when="comment"}
    i1 p1 q1 i2 c1             |
    i1 p1 q1 i2 c1 i2!         | 6: p1+q1
    i1 p1 q1 i2 p1.2 c1 q1.2 i2! | 8: p1.2+q1.2
# X11: one that goes as another integrates it has ceased to exist; what integrates it comes to be when the condition holds
event E = x[1,*]{path=item, when="comment"} x[1,2]{name=M} ins(item/price)
    i1 p1 (p1.2 c1) p1.3       | 2: M:p1; 3: M:p1+p1.2 E:(p1+p1.2); 5: M:p1.3 E:(p1+p1.2)+(p1.3)
    i1 p1 (c1 p1.2) p1.3       | 2: M:p1; 3: E:(p1); 4: M:p1.2 E:(p1.2); 5: M:p1.3 E:(p1.2)+(p1.3)
    i1 c1 p1 p1.2 c1- p1.3 (p1.4 c1.2) p1.5 | 3: M:p1 E:(p1); 4: M:p1.2 E:(p1)+(p1.2); 6: M:p1.3; 7: M:p1.3+p1.4 E:(p1)+(p1.2)+(p1.3+p1.4); 9: M:p1.5 E:(p1)+(p1.2)+(p1.3+p1.4)+(p1.5)
# X11: what `having` refuses is no combination, and does not wait
event E = x[1,*]{when="comment", having="count($v) mod 2 = 0"} ins(item/price) as $v = ($op)
    i1 p1 (p1.2 c1) p1.3 p1.4  | 3: E:p1+p1.2{v=[ins,ins]}; 6: E:p1+p1.2+p1.3+p1.4{v=[ins,ins,ins,ins]}
    i1 p1 p1.2 c1 p1.3 p1.4    | 4: E:p1+p1.2{v=[ins,ins]}; 6: E:p1.3+p1.4{v=[ins,ins]}
    i1 p1 p1.2 (p1.3 c1) p1.4  | 6: E:p1+p1.2+p1.3+p1.4{v=[ins,ins,ins,ins]}
# V6: at u it starts over all the same, while the condition is false
event E = x[1,3]{when="comment", having="count($v) mod 2 = 0"} ins(item/price) as $v = ($op)
    i1 p1 p1.2 p1.3 p1.4 (p1.5 c1) p1.6 p1.7 | 6: E:p1.4+p1.5{v=[ins,ins]}
event E = x[1,2]{when="comment", having="count($v) = 3"} ins(item/price) as $v = ($op)
    i1 p1 p1.2 (p1.3 c1) p1.4  |
# D5: the empty one is nothing any more when something has accumulated
event E = x[0,*]{when="comment", having="count($v) = 1"} ins(item/price) as $v = ($op)
    i1 (p1 c1) p1.2            | 2: E:p1{v=[ins]}
# H4: in continuous context what several arrivals use is consumed round by round, as what one does; so the silent one of a
# flat count stands for what was used last (C12)
event A {context=unrestricted} = ins(item/price) & ins(item/quantity)
event E {context=continuous, flat} = A(item) & x[0,2]{name=C} ins(item/comment)
event O = E(item)
    c1 c1.2 c2 c2.2 p1 q1 p1.2 | 1: C:c1; 2: C:c1+c1.2; 3: C:c2; 4: C:c2+c2.2; 6: A:p1+q1 E:(p1+q1)+(c2+c2.2) E:(p1+q1)+(c1+c1.2) O:((p1+q1)+(c1+c1.2)); 7: A:p1.2+q1 E:(p1.2+q1)+(0) O:((p1.2+q1)+(0))
    c1 c1.2 c2 c2.2 p1 p1.2 q1 p1.3 | 1: C:c1; 2: C:c1+c1.2; 3: C:c2; 4: C:c2+c2.2; 7: A:p1+q1 A:p1.2+q1 E:(p1+q1)+(c2+c2.2) E:(p1.2+q1)+(c2+c2.2) E:(p1+q1)+(c1+c1.2) E:(p1.2+q1)+(c1+c1.2) O:((p1+q1)+(c1+c1.2)) O:((p1.2+q1)+(c1+c1.2)); 8: A:p1.3+q1 E:(p1.3+q1)+(0) O:((p1.3+q1)+(0))
# X12: by the operands' stored order; one per arrival in order of arrival; cumulative in order of operand
event E {context=unrestricted} = (ins(item/price) & ins(item/quantity)){end=custom}
    q1.2 q1 p1.2 p1 flush      | 4: p1.2+q1.2 p1.2+q1 p1+q1.2 p1+q1
event E = (ins(item/price) | ins(item/quantity)){end=custom}
    q1 p1 flush                | 2: q1 p1
event E {context=cumulative} = (ins(item/price) | ins(item/quantity)){end=custom}
    q1 p1 flush                | 2: p1+q1
# X13: a condition does not hold at a node that is gone
event E = (ins(item/price) & ins(item/quantity)){when="not(*)"}
    i1 p1 q1 q1- p1-           | 5: p1+q1
event E = (ins(item/price) & ins(item/quantity)){when="not(*) and comment"}
    i1 p1 q1 q1- p1- i1- flush |
"""  # noqa: E501


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_decisions(case: Case) -> None:
    check(*case)


def test_an_event_that_stands_in_several_operands_is_consumed_in_each() -> None:
    """C4, H4: in continuous context, of arrivals that come together."""
    rules = (
        "event A {context=unrestricted} = ins(item/price) & ins(item/quantity)\n"
        "event E {context=continuous} = A(item) & A(item) & A(item)"
    )
    raised = (
        "2: A:p1+q1 E:(p1+q1); 3: A:p1.2+q1 E:(p1.2+q1)+(p1+q1);"
        " 4: A:p1+q1.2 A:p1.2+q1.2 E:(p1+q1.2)+(p1.2+q1) E:(p1.2+q1.2)+(p1.2+q1) E:(p1.2+q1.2)+(p1+q1.2)"
        " E:(p1.2+q1.2) E:(p1+q1.2) E:(p1+q1.2)+(p1.2+q1.2);"
        " 5: A:p1.3+q1 A:p1.3+q1.2 E:(p1.3+q1.2)+(p1.3+q1)+(p1.2+q1.2) E:(p1.3+q1.2)+(p1.2+q1.2)"
        " E:(p1.3+q1)+(p1+q1.2) E:(p1.3+q1)+(p1.3+q1.2)+(p1+q1.2)"
    )
    check(rules, "p1 q1 p1.2 q1.2 p1.3", raised)
