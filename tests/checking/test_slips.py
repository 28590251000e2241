"""``text`` without parentheses: asked about where it is likely a slip, and nowhere else."""

from __future__ import annotations

import pytest

from xmlcep import parse_rules
from xmlcep.checking.checks import check_rules
from xmlcep.checking.slips import slips

LIKELY = [
    ("event A = ins(item/price/text)", "item/price/text()"),
    ("event A(/order) = del(item/price) ; *(/order/item/price/text)", "/order/item/price/text()"),
    ('namespace "urn:po"\nevent A = ins(item/text)', "item/text()"),
    ('rule R on (*(item/text)) do delete "."', "item/text()"),
]
UNLIKELY = [
    "event A = ins(item/price/text())",
    "event A = ins(item/texts) & ins(item/@text)",
    "event A = ins(text)",  # of what?
    "event A = ins(svg/text) & *(svg/text/@x)",  # it has an attribute,
    "event A = ins(svg/text)\nevent B = upd(text/text())",  # and text of its own
    "event A = *(svg/text//*)",
]


@pytest.mark.parametrize(("text", "instead"), LIKELY)
def test_what_is_likely(text: str, instead: str) -> None:
    (problem,) = slips(parse_rules(text))
    assert problem.message.endswith("is an element called text")
    assert problem.hint == f"for the text of an element write {instead}"


@pytest.mark.parametrize("text", UNLIKELY)
def test_what_is_not(text: str) -> None:
    assert slips(parse_rules(text)) == []


def test_an_update_of_it_never_happens() -> None:
    rules = parse_rules("event A = upd(item/price/text)")
    (problem,) = check_rules(rules).problems
    assert "write upd(item/price/text()) for its text" in problem.hint
    assert slips(rules) == []
