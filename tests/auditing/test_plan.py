"""From rules to keys, and which records a pass needs."""

from __future__ import annotations

import pytest

from path_types import PathType
from xmlcep.auditing.plan.description import describe_plan
from xmlcep.auditing.plan.partition_key import DOCUMENT, FOREIGN, Role, key_step, make_plan
from xmlcep.rules import parse_rules


def keys(text: str) -> list[tuple[str, ...]]:
    """The key path types of each pass."""
    return [tuple(map(str, each.keys)) for each in make_plan(parse_rules(text)).passes]


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


def roles(text: str, *records: str) -> list[str]:
    """What records (``op path``) are to the first pass."""
    each = make_plan(parse_rules(text)).passes[0]
    return [each.route(op, PathType.parse(path)).role.value for op, path in map(str.split, records)]


def test_what_is_fed() -> None:
    plain = "event A = ins(item) ; ins(item/price)"
    records = ("ins /o/item", "upd /o/item/x/text()", "del /o/item", "ins /o", "del /o/item/price")
    assert roles(plain, *records) == ["fed", "passing", "fed", "foreign", "passing"]
    # A condition sees all that happens below its node.
    assert roles(plain.replace("= ", "= (") + ') {when="true()"}', *records) == [
        "fed",
        "fed",
        "fed",
        "foreign",
        "fed",
    ]
    # Records of the key node's own group release nothing; those of another group in it do.
    quiet = "event A = (ins(item) & ins(item/price)) {end=non-local}"
    assert roles(quiet, "upd /o/item/x/text()", "upd /o/item/item/x/text()") == ["passing", "fed"]
    created = "event A = x[0,*]{path=item} ins(item/price)"
    assert roles(created, "ins /o/item", "del /o/item", "ins /o/item/x") == ["fed", "fed", "passing"]
    assert roles("event A {flat} = ins(r/a) ; ins(r/b)", "ins /r/a", "ins /r/c") == ["fed", "passing"]


def test_routes_say_where() -> None:
    each = make_plan(parse_rules("event A = ins(item) ; ins(item/price)")).passes[0]
    assert each.route("ins", PathType.parse("/o/item/price")) == (Role.FED, 1)
    assert each.route("ins", PathType.parse("/o")) is FOREIGN
    flat = make_plan(parse_rules("event A {flat} = ins(r/a) ; ins(r/b)")).passes[0]
    assert flat.route("ins", PathType.parse("/r/b")) == (Role.FED, DOCUMENT)


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
        "outermost item", "every operator groups by item", "a lower bound of 0", "boundary markers", "flush markers",
        "expressions (U2)", "the document", "F is flat",
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
