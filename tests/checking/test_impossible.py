"""What can never match, whatever the document: rows, and no history in which it matches all the same."""

from __future__ import annotations

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from tests.strategies import History, histories
from xmlcep import Detector, RuleError, parse_rules
from xmlcep.algebra import Leaf
from xmlcep.checking.checks import check_rules
from xmlcep.checking.impossible import impossible

ROWS = [
    ("A", "upd(item/price)", "an element has no value that could be updated", "upd(item/price/text())"),
    (
        "A",
        "del(message) ; ins(message/field)",
        "after del(message) nothing happens to the same message",
        "{path=order}",
    ),
    ("A", "del(item/@k) ; ins(item/@k)", "after del(item/@k) nothing happens to the same @k", "{path=item}"),
    ("A", "upd(a/b/@k) ; ins(a/b)", "before ins(a/b) nothing happens to the same b", "{path=a}"),
    ("A(item)", "del(item) ; x[1,*] ins(item/x)", "after del(item)", ""),
    ("A(item)", "del(item) ; (x[0,1] ins(item/x) & ins(item/y))", "after del(item)", ""),
    ("A(item)", "(ins(item/x) | upd(item/@k)) ; *(item/z) ; ins(item)", "before ins(item)", ""),
    ("A(item)", "x[2,*] ins(item)", "the same item is inserted only once, and ×[2,*] asks for 2 times", ""),
    ("A(item)", "x[3,3] del(order/item)", "the same item is deleted only once", ""),
    ("A", "ins(item) ; (ins(item/x) & (del(item) ; upd(item/@k)))", "after del(item)", ""),
    (
        "A",
        "ins(item/x) during ins(item/y)",
        "a single change has no duration, so that 'during' never holds",
        "before",
    ),
    (
        "A",
        "(ins(item/x) ; ins(item/y)) overlaps ins(item/z)",
        "a single change has no duration, so that 'overlaps' never holds of ins(item/z)",
        "",
    ),
    (
        "A",
        "ins(item/x) started-by (ins(item/x) ; ins(item/y))",
        "a single change has no duration, so that 'started-by' never holds of ins(item/x)",
        "",
    ),
]
POSSIBLE = [
    ("A", "ins(item/x) during (ins(item/y) ; ins(item/z))"),
    ("A", "ins(item/x) starts (ins(item/x) ; ins(item/z))"),
    ("A", "ins(item/x) equals *(item/x)"),
    ("A", "(ins(item/x) ; ins(item/z)) contains Other(item)"),
    ("A", "upd(item/price/text()) & upd(item/@k)"),
    ("A", "upd(item//*)"),
    ("A", "del(item//*) ; ins(item/x)"),
    ("A(order)", "del(order/message) ; ins(order/message)"),
    ("A", "del(message) & ins(message/field)"),
    ("A", "ins(item) ; del(item)"),
    ("A(item)", "del(item) ; x[0,1] ins(item/x)"),
    ("A(item)", "del(item) ; Other(item)"),
    ("A(item) {flat}", "del(item) ; ins(item)"),
    ("A(item) {order=detection}", "del(item) ; (x[1,*] ins(item/x)){end=custom}"),
    ("A", "x[2,*] ins(item)", "x[2,*]{path=order} ins(order/item)"),
    ("A(/order/item)", "del(item) ; ins(item/x)"),  # an item in an item
]


def text(head: str, expression: str) -> str:
    return f"event {head} = {expression}\nevent Other(item) = ins(item/x)"


@pytest.mark.parametrize(("head", "expression", "message", "hint"), ROWS)
def test_what_never_matches(head: str, expression: str, message: str, hint: str) -> None:
    (problem,) = check_rules(parse_rules(text(head, expression))).problems
    assert f"event A: {message}" in problem.message
    assert hint in problem.hint
    assert problem.line == 1


@pytest.mark.parametrize("row", POSSIBLE, ids=lambda row: row[1])
def test_what_can_match(row: tuple[str, ...]) -> None:
    assert check_rules(parse_rules(text(row[0], row[-1]))).problems == []


def test_updates_are_left_to_others() -> None:
    rules = parse_rules("event A = upd(item) & (del(item) ; ins(item/x))")
    assert len(check_rules(rules).problems) == 2
    assert len(impossible(rules)) == 1


PATHS = st.sampled_from(["item", "order/item", "/order/item"])
LEAVES = st.builds(
    "{}({}{})".format,
    st.sampled_from(["ins", "del", "upd", "*"]),
    PATHS,
    st.sampled_from(["", "", "/price", "/@partNum"]),
)
TIMES = st.builds("x[{},3]{{path={}}} {}".format, st.integers(0, 3), PATHS, LEAVES)
OPERANDS = LEAVES | LEAVES | TIMES | st.builds("({} & {})".format, LEAVES, LEAVES)


@settings(max_examples=150, deadline=None)
@given(
    path=PATHS, options=st.sampled_from(["", "{order=detection}", "{context=recent}", "{end=custom}"]),
    operands=st.lists(OPERANDS, min_size=1, max_size=3), history=histories(),
)  # fmt: skip
def test_no_history_has_it(path: str, options: str, operands: list[str], history: History) -> None:
    """An event whose own operator is said to be impossible is never raised."""
    try:
        rules = parse_rules(f"event A({path}){options} = {' ; '.join(operands)}")
    except RuleError:
        assume(False)
    root = rules.definitions[0].expression
    direct = {operand.at.column for operand in root.operands if isinstance(operand, Leaf)}
    found = [each for each in impossible(rules) if each.column in direct]
    event(f"impossible: {bool(found)}")
    detector = Detector(rules)
    raised = [detector.flush() if step == "flush" else detector.feed(step) for step in history.steps]
    assert not found or not any(raised), found[0].message
