"""From rules to keys, and which records a pass needs."""

from __future__ import annotations

import pytest

from path_types import PathType
from xmlcep.auditing.plan.description import describe_pass
from xmlcep.auditing.plan.partition_key import DOCUMENT, VALUE, Plan, key_step, make_plan
from xmlcep.rules import parse_rules


def keys(text: str) -> list[tuple[str, ...]]:
    """The key path types of each pass."""
    return [tuple(map(str, each.keys)) for each in make_plan(parse_rules(text)).passes]


def describe_plan(plan: Plan) -> str:
    return "\n\n".join(map(describe_pass, plan.passes))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("event A = ins(item) ; ins(item/price)", [("item",)]),
        ("event A = ins(item) & (ins(item/price/text()) | ins(item/price/@x))", [("item",)]),
        ("event A = ins(/order/item) ; del(/order/item/price)", [("/order/item",)]),
        ("event A {flat} = ins(item) ; ins(item/price)", [()]),
        ("event A = ins(a) ; ins(a/b)\nevent B = ins(c) ; ins(c/d)", [("a",), ("c",)]),
        ("event A = ins(a) ; ins(a/b)\nevent B = ins(a) & ins(a/d)", [("a",)]),
        # A reused tree is replayed before the one that uses it, by a key of its own.
        ("event A = ins(a) ; ins(a/b)\nevent B = A(c/a) & ins(c/d)", [("a",), ("c",)]),
        # Wherever a/b ends, a ended before: it adds nothing.
        ("event A(a) = x[1,*]{path=a/b} ins(a/b/c) & ins(a/d)", [("a",)]),
        ("event A(/r/a) = x[1,*]{path=a/b} ins(a/b/c) & ins(/r/a/d)", [("/r/a", "a/b")]),
    ],
)
def test_keys(text: str, expected: list[tuple[str, ...]]) -> None:
    assert keys(text) == expected


@pytest.mark.parametrize(
    ("path", "step"),
    [
        ("/order/item", 1),
        ("/order/item/item/price", 1),
        ("/order", None),
        ("/item", 0),
        ("/r/a/b", 2),
        ("/a/x/a/b", 3),
    ],
)
def test_the_key_node_is_the_outermost(path: str, step: int | None) -> None:
    assert key_step([PathType.parse("item"), PathType.parse("a/b")], PathType.parse(path)) == step


def steps(text: str, *records: str) -> list[int | None]:
    """The step of the key of records (``op path``) that the first pass is fed with; None of others."""
    each = make_plan(parse_rules(text)).passes[0]
    return [each.fed_at(op, PathType.parse(path)) for op, path in map(str.split, records)]


def test_what_is_fed() -> None:
    plain = "event A = ins(item) ; ins(item/price)"
    records = ("ins /o/item", "upd /o/item/x/text()", "del /o/item", "ins /o", "del /o/item/price")
    assert steps(plain, *records) == [1, None, 1, None, None]
    # What asks the document, waits for a release or measures time needs all records.
    asking = plain.replace("= ", "= (") + ') {when="true()"}'
    for needy in (asking, "event A = (ins(item) & ins(item/price)) {end=non-local}"):
        assert steps(needy, *records) == [DOCUMENT] * 5
    created = "event A = x[0,*]{path=item} ins(item/price)"
    assert steps(created, "ins /o/item", "del /o/item", "ins /o/item/x") == [1, 1, None]
    assert steps("event A {flat} = ins(r/a) ; ins(r/b)", "ins /r/a", "ins /r/c") == [DOCUMENT, DOCUMENT]


def test_the_plan_in_words() -> None:
    text = describe_plan(
        make_plan(
            parse_rules(
                'event A = (x[0,1] ins(item/b) & ins(item/a)) {end=non-local, when="true()"}\n'
                "event F {flat} = ins(r/a) ; ins(r/b)"
            )
        )
    )
    for expected in (
        "A is released", "A reads the document", "a lower bound of 0", "the document", "F is flat",
    ):  # fmt: skip
        assert expected in text


def test_a_pass_knows_what_its_rules_name() -> None:
    """Even if it never reaches them: `Both` lies at prices, what `Twice` takes at items."""
    rules = parse_rules(
        """
        event Both = ins(item/price) | *(item/price)
        event Twice = Both(item) & Both(item)
        event Flat(/order) {flat} = ins(item)
        """
    )
    found = [sorted(each.name for each in one.rules(rules).definitions) for one in make_plan(rules).passes]
    assert found == [["Both"], ["Both", "Twice"], ["Flat"]]


JOINED = "event J {flat} = ins(item/@n) as $n ; del(item/@n) as $n"


def test_values_divide_flat_rules_that_they_join() -> None:
    text = f'{JOINED}\nevent K {{flat}} = x[3,*]{{by="p", path=item}} *(item/price/text()) as $p'
    [each] = make_plan(parse_rules(text)).passes
    assert (each.by_value, each.by_document, each.keys) == (True, False, ())
    assert each.fed_at("ins", PathType.parse("/order/item/@n")) == VALUE
    assert each.fed_at("del", PathType.parse("/order/item")) is None
    said = describe_plan(make_plan(parse_rules(text)))
    assert "key         the value of the node" in said
    assert "all operators of K group by $p, the value of the event's own node (V2)" in said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{JOINED}\nevent U(item) = x[2,*]{{path=item}} J(item)", "uses the events of others, or is used by others"),
        ("event J {flat} = (ins(item/@n) as $n ; del(item/@n) as $n) {strict}", "looks at whatever happens"),
        ("event J {flat} = ins(item/@n) as $n = (concat(., 1)) ; del(item/@n) as $n", "is not joined throughout"),
        ("event J {flat} = ins(item/@n) as $n ; not upd(item/@n) ; del(item/@n) as $n", "is not joined throughout"),
    ],
)  # fmt: skip
def test_what_keeps_values_from_dividing_a_flat_rule_is_said(text: str, why: str) -> None:
    plan = make_plan(parse_rules(text))
    assert not any(each.by_value for each in plan.passes)
    said = describe_plan(plan)
    assert "key         the document" in said and f"values do not divide J: it {why}" in said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            'event A(item) = (ins(item/a) ; ins(item/b)) {within="1 h"}',
            "measures time",
        ),
        (
            'event A(item) = (ins(item/a) ; not ins(item/b)) {within="4 changes"}',
            "is raised by the time",
        ),
        ('event A(item) = plus[ins(item/a), "1 h"]', "is raised by the time"),
        ('event A(item) = periodic[ins(item/a), "1 h", ins(item/b)]', "is raised by the time"),
        ("event A(item) = (ins(item/a) & ins(item/b)) {end=custom}", "is released by other records"),
        ("event A(item) = (ins(item/a) & ins(item/b)) {end=non-local}", "is released by other records"),
        ('event A(item) = (ins(item/a) & ins(item/b)) {when="@n"}', "reads the document"),
        ('event A = becomes["@n"](item)', "reads the document"),
    ],
)
def test_what_any_record_of_a_document_may_decide_has_the_document_as_key(text: str, why: str) -> None:
    assert keys(text) == [()]
    said = describe_plan(make_plan(parse_rules(text)))
    assert f"A {why}" in said and "drops       nothing" in said


@pytest.mark.parametrize(("levels", "used"), [(60, "E{0}(item) ; E{0}(item)"), (400, "E{0}(item)")])
def test_rules_built_on_each_other_are_looked_at_once_each(levels: int, used: str) -> None:
    """However often they are used (two to the power of 60 ways down), and however deep."""
    text = 'event E0 = plus[ins(item), "5 s"]\n' + "".join(
        f"event E{number} = {used.format(number - 1)} ; del(item)\n" for number in range(1, levels)
    )
    assert set(keys(text)) <= {("item",), ()}
