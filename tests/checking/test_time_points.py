"""What time points rule out: rows, and no history aimed at it in which it matches all the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.explaining.test_laws import taken
from tests.strategies import show_history
from tests.strategies.aimed import aimed_histories
from xmlcep import Detector, RuleError, Rules, parse_rules
from xmlcep.checking.checks import check_rules
from xmlcep.checking.impossible import impossible
from xmlcep.engine.errors import EvaluationError

ROWS = [
    ("{context=recent}", "upd(item/x/text()) ; upd(item/x/text())", "only the newest event of each operand counts"),
    ("(item) {context=recent}", "*(x/text()) ; del(item/y) ; upd(item/x/text())", "takes an operand before it"),
    ("(item) {context=recent}", "upd(item/@k) as $k ; not del(item/y) ; upd(item/@k) as $k", "comes before itself"),
    ("(item)", "(upd(item/@k) ; upd(item/@k)) {context=recent} & ins(item/y)", "only the newest"),
    ('{within="2 changes"}', "ins(item/x) ; ins(item/y) ; ins(item/z)", "are at least 3 changes, and"),
    ('{within="2 changes"}', "ins(item/x) & ins(item/y) & del(item/x)", "at least 3 changes"),
    ('{within="3 changes"}', "x[4,*]{path=item} ins(item/x)", "at least 4 changes, and the window is 3 changes"),
    ('{within="2 changes"}', "any[3](ins(item/x), *(item/x), ins(item/y))", "at least 3 changes"),
    ('{within="3 changes"}', "(ins(item/x) ; ins(item/y)) ; x[2,2]{path=item} ins(item/z)", "at least 4 changes"),
    ("", "ins(item/x) equals ins(item/y)", "no change is part of both operands"),
    ("", "ins(item/x) par del(item/y)", "so that 'par' never holds"),
    ("", "ins(item/x) starts (ins(item/y) ; ins(item/z))", "so that 'starts' never holds"),
    ("", "(ins(item/x) & ins(item/y)) meets (del(item/y) ; ins(item/z))", "so that 'meets' never holds"),
    ("", "ins(item) ; not ins(item/x) ; ins(item/x/text())", "ins(item/x) happens here in any case"),
    ("(item)", "ins(item) ; not *(x/text()) ; upd(item/x/text())", "ins(item/x/text()) happens here in any case"),
    ("{strict}", "ins(item) ; ins(item/x/text())", "between them ins(item/x) happens in any case"),
    ("{strict}", "ins(item) ; not del(item/x) ; upd(item/@k)", "between them ins(item/@k) happens in any case"),
]  # fmt: skip
POSSIBLE = [
    ("", "upd(item/x/text()) ; upd(item/x/text())"),
    ("{context=recent}", "upd(item/x/text()) ; *(item/x/text())"),
    ("{context=recent}", "upd(item/x/text())[. > 1] ; upd(item/x/text())"),
    ("(item) {context=recent}", "upd(item/@k) as $a ; upd(item/@k) as $b"),
    ("{context=recent}", "upd(item/x/text()) & upd(item/x/text())"),
    ("(item) {context=recent}", "Other(item) ; Other(item)"),
    ('{within="3 changes"}', "ins(item/x) ; ins(item/y) ; ins(item/z)"),
    ('{within="2 changes"}', "((ins(item/x) ; ins(item/y) ; ins(item/y)) | ins(item/z)) & ins(item/k)"),
    ('{within="2 changes"}', "ins(item/x) ; x[0,3] ins(item/y) ; ins(item/z)"),
    ('{within="2 changes"}', "*(item/x) & ins(item/x) & ins(item/y)"),
    ('{within="1 s"}', "ins(item/x) ; ins(item/y) ; ins(item/z)"),
    ("", "ins(item/x) equals *(item/x)"),
    ("", "ins(item/x) starts (ins(item/y) & *(item/x))"),
    ("", "ins(item/x) par (ins(item/y) ; ins(item/z))"),
    ("", "ins(item) ; not ins(item/x)[. = 1] ; ins(item/x/text())"),
    ("", "ins(item) ; not ins(item/x) ; ins(item/x)"),
    ("", "ins(item) ; not ins(item/x/text()) ; ins(item/x/text())"),
    ("(order)", "ins(order/item) ; not ins(order/item/x) ; ins(order/item/x/text())"),
    ("{strict}", "ins(item) ; ins(item/x)"),
    ("(order) {strict}", "ins(order/item) ; ins(order/item/x/text())"),
]


def text(head: str, expression: str) -> str:
    return f"event A{head} = {expression}\nevent Other(item) = ins(item/x)"


@pytest.mark.parametrize(("head", "expression", "said"), ROWS)
def test_what_never_matches(head: str, expression: str, said: str) -> None:
    (problem,) = check_rules(parse_rules(text(head, expression))).problems
    assert said in problem.message
    assert problem.hint
    assert problem.line == 1


@pytest.mark.parametrize(("head", "expression"), POSSIBLE)
def test_what_can_match(head: str, expression: str) -> None:
    assert check_rules(parse_rules(text(head, expression))).problems == []


@pytest.mark.parametrize(
    ("leaf", "said"),
    [
        ("ins(item/x/text())[. > $old]", "$old is never a number"),
        ("ins(item/@k)[$old = '3']", "$old is never '3'"),
        ("del(item/x/text())[$new > 1]", "$new is never a number"),
        ("upd(item/x/text())[. > $old]", None),
        ("*(item/x/text())[. > $old]", None),
        ("ins(item/x/text())[$old = '']", None),
        ("del(item//)[$old > 1 and $new = '']", None),
    ],
)
def test_values_before_and_after(leaf: str, said: str | None) -> None:
    """F2: there is none before an insertion, none after a deletion."""
    found = check_rules(parse_rules(f"event A(item) = {leaf} & ins(item/y)")).of_values
    assert [said in each.message for each in found if said] == ([] if said is None else [True])
    assert said is not None or found == []


PATHS = st.sampled_from(["item", "order/item", "/order/item"])
LEAVES = st.builds(
    "{}({}{})".format,
    st.sampled_from(["ins", "ins", "del", "upd", "*"]),
    st.sampled_from(["item", "order/item"]),
    st.sampled_from(["", "/price", "/price/text()", "/@partNum", "/price/text()"]),
)
INNER = st.one_of(
    st.builds("({} {} {})".format, LEAVES, st.sampled_from(["&", ";", "|"]), LEAVES),
    st.builds("x[{},{}]{{path=item}} {}".format, st.integers(0, 3), st.sampled_from([3, "*"]), LEAVES),
    st.builds("any[2]{{path=item}}({}, {}, {})".format, LEAVES, LEAVES, LEAVES),
)
OPERANDS = st.one_of(LEAVES, LEAVES, INNER)
RELATIONS = ["equals", "meets", "met-by", "starts", "started-by", "finishes", "finished-by", "par"]
EXPRESSIONS = st.one_of(
    st.lists(OPERANDS, min_size=2, max_size=4).map(" ; ".join),
    st.builds("{} ; not {} ; {}".format, st.sampled_from(["ins(item)", "ins(order/item)"]), LEAVES, LEAVES),
    st.lists(OPERANDS, min_size=2, max_size=4).map(" & ".join),
    st.builds("{} {} {}".format, OPERANDS, st.sampled_from(RELATIONS), OPERANDS),
    INNER,
)
OPTIONS = st.sampled_from(
    [
        "context=recent", "context=recent, order=detection", 'within="2 changes"', 'within="3 changes"', "strict",
        'within="2 changes", context=cumulative', 'within="3 changes", order=detection', "strict, context=next",
        "context=recent, flat", "end=custom", "context=recent, end=non-local", "context=unrestricted",
    ]
)  # fmt: skip


@st.composite
def warned_rules(draw: st.DrawFn) -> Rules:
    """Rules of which it is said that something in the first event's own operator is never satisfied."""
    path, options, expression = draw(PATHS), draw(OPTIONS), draw(EXPRESSIONS)
    try:
        rules = parse_rules(f"event A({path}) {{{options}}} = {expression}")
    except RuleError:
        assume(False)
    root = rules.definitions[0].expression
    own = {root.at.column, *(operand.at.column for operand in getattr(root, "operands", ()))}
    found = [each for each in impossible(rules) if each.column in own]
    assume(found)
    event(" ".join(found[0].message.split()[3:7]))
    return rules


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
@given(st.data())
def test_no_history_has_it(data: st.DataObject) -> None:
    """What is warned of is never raised, in histories of what its leaves wait for."""
    rules = data.draw(warned_rules())
    history = data.draw(aimed_histories(rules.definitions))
    detector = Detector(rules)
    try:
        raised = [one for step in history.steps for one in taken(detector, step)] + detector.close()
    except EvaluationError:
        return
    assert not raised, (
        f"{rules}\n{show_history(history)}\n{[each.message for each in check_rules(rules).problems]}"
    )
