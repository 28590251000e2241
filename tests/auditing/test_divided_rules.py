"""Rules that are replayed in parts because of columns and values: windows inside a key, flat rules
joined by a variable.

As `test_every_construct`, with rules of which each case has some.
"""

from __future__ import annotations

from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from tests.auditing.test_against_reference import found_in_parts, found_locally
from tests.auditing.test_every_construct import cut_into_files, log_of, of_document, watched
from tests.strategies import History
from tests.strategies.timed import timed_histories
from xmlcep.auditing.plan import make_plan
from xmlcep.errors import RuleError
from xmlcep.rules import Rules, parse_rules

WINDOWS = (
    "1 s",
    "4 s",
    "15 s",
    "PT1M",
    "2 changes",
    "8 changes",
    "1 transaction",
    "2 transactions",
    "3 transactions",
)
CONTEXTS = ("chronicle", "recent", "continuous", "cumulative", "unrestricted", "next")
WINDOWED = (
    'event A(item) {context=C} = (ins(item/price) ; *(item/quantity)) {within="W"}',
    'event B(item) {context=C} = (*(item/price/text()) & *(item/quantity)) {within="W"}',
    'event C(item) {context=C} = (*(item//*) ; *(item//*)) {gap="W"}',
    'event D(item) = x[2,*]{within="W"} *(item//*)',
    'event E(item) {context=C} = (not del(item/price) ; ins(item/quantity)) {within="W"}',
    'event F(item) {context=C} = any[2]{within="W"}(*(item/price), *(item/quantity), *(item/@partNum))',
    'event G(item) {context=C, end=non-local} = (*(item//*) ; *(item//*)) {within="W"}',
    'event H(item) {context=C, end=custom} = (*(item//*) ; *(item//*)) {within="W"}',
    'event I(item) {context=C, when="price"} = (*(item//*) ; *(item//*)) {within="W"}',
    'event J(item) {context=C} = periodic*[ins(item/price), "1 s", *(item/quantity)]',
    'event K {flat} = (*(item/price) ; *(item/quantity)) {within="W"}',
    "event L(order/item) = x[2,*]{path=order/item} ins(order/item/price)",
)  # fmt: skip
JOINED = (
    "event A {flat, context=C} = NUMBER ; PRICE",
    'event B {flat, context=C} = (NUMBER & PRICE) {within="W"}',
    "event C {flat, context=C} = NUMBER ; not del(item/@partNum) as $p ; PRICE",
    'event D {flat} = x[2,*]{by="p", path=item} (NUMBER | PRICE)',
    "event E {flat, context=C} = any[2](NUMBER, upd(item/@partNum) as $p, PRICE)",
    "event F {flat, context=C, end=custom} = NUMBER ; PRICE",
    "event G {flat, context=C, end=custom} = (NUMBER ; PRICE) & NUMBER",
    'event H {flat, context=C} = (NUMBER ; PRICE) {gap="W"}',
    "event I {flat, context=C} = aperiodic[ins(item/@partNum) as $p, upd(item/@partNum) as $p] PRICE",
    'event J {flat} = (x[1,*]{by="p", path=item} NUMBER) ; upd(item/price/text()) as $p',
    'event K {flat, context=C, let q="$p"} = NUMBER as $r ; *(item/price/text())[. != "7"] as $p',
    "event L(item) = *(item/price) ; *(item/quantity)",
)


@st.composite
def rule_texts(draw: st.DrawFn, templates: tuple[str, ...]) -> str:
    """Some of these rules, with windows and contexts."""
    chosen = draw(st.lists(st.sampled_from(templates), min_size=1, max_size=3, unique=True))
    return "\n".join(
        text.replace("NUMBER", "*(item/@partNum) as $p")
        .replace("PRICE", "*(item/price/text()) as $p")
        .replace("=C", f"={draw(st.sampled_from(CONTEXTS))}").replace('"W"', f'"{draw(st.sampled_from(WINDOWS))}"')
        for text in chosen
    )  # fmt: skip


CASES = st.lists(st.tuples(timed_histories(), st.integers(0, 30)), min_size=1, max_size=2)


def check(rules: Rules, histories: list[tuple[History, int]], *, operators: bool) -> None:
    """Compares both engines with watches of these documents, whose logs are cut in two."""
    logs = [log_of(of_document(history, f"doc{n}"), f"doc{n}") for n, (history, _) in enumerate(histories)]
    wanted = [record for log in logs for record in watched(log, rules, operators=operators)]
    with cut_into_files(logs, [cut for _, cut in histories]) as files:
        assert found_locally(files, rules, operators=operators) == wanted
        assert found_in_parts(files, rules, operators=operators) == wanted


@settings(max_examples=10)
@given(rule_texts(WINDOWED), CASES, st.booleans())
def test_windows_inside_a_key(text: str, histories: list[tuple[History, int]], operators: bool) -> None:
    note(text)
    check(parse_rules(text), histories, operators=operators)


@settings(max_examples=10)
@given(rule_texts(JOINED), CASES, st.booleans())
def test_flat_rules_joined_by_a_variable(
    text: str, histories: list[tuple[History, int]], operators: bool
) -> None:
    note(text)
    try:
        rules = parse_rules(text)
    except RuleError:  # in cumulative context a variable of an operand can have several values (V2)
        assume(False)
    measured = any(word in text for word in ("within", "gap", "end=", "event L"))
    assert measured or any(each.by_value for each in make_plan(rules).passes)
    check(rules, histories, operators=operators)
