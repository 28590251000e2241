"""Where a path type cannot be derived, what is given as an example can be written, and then the rule can match."""

from __future__ import annotations

import re
from itertools import product

import pytest

from xmlcep import RuleError, parse_rules
from xmlcep.checking.checks import check_rules

PATHS = ["a", "a/b", "b/a", "a/b/c", "c/b", "/a/b", "/b/a/c", "/c/a", "a/@n", "b/text()", "/a/b/c/@n"]
EXAMPLE = re.compile(r"for example \{path=(.*)\}")


def hint(text: str) -> str | None:
    """What is said if the path type cannot be derived; None if it can, or something else is wrong."""
    try:
        parse_rules(text)
    except RuleError as error:
        [problem] = error.problems
        return problem.hint if "cannot be derived" in problem.message else None
    return None


def can_match(text: str) -> bool:
    try:
        return not check_rules(parse_rules(text)).problems
    except RuleError:
        return False


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("ins(item/price) & ins(order/item)", "for example {path=item}"),
        ("ins(/order/item) ; ins(item/price)", "for example {path=item}"),
        ("x[2,*] (ins(item) & ins(item/price))", "for example {path=item}"),
        ("x[2,*] ins(item)", "{path=…} with the name of an element that item is in"),
        ("ins(item/price) & ins(billTo)", "{path=…} with the name of an element that all of this is in"),
        ("external", "for example {path=item}"),
        # An item has one parent.
        ("ins(order/item) & ins(shop/item)", "{path=…} with the name of an element that all of this is in"),
    ],
)
def test_what_is_said(expression: str, said: str) -> None:
    assert said in (hint(f"event A = {expression}") or "")


@pytest.mark.parametrize("sign", ["&", ";"])
def test_an_example_is_one_that_can_match_and_there_is_one_wherever_one_name_can(sign: str) -> None:
    examples = none = 0
    for first, second in product(PATHS, PATHS):
        leaves = f"*({first}) {sign} *({second})"
        said = hint(f"event A = {leaves}")
        if said is None:
            continue
        found = EXAMPLE.search(said)
        if found is None:
            none += 1
            assert not any(
                can_match(f"event A = ({leaves}) {{path={name}}}") for name in _shared(first, second)
            )
        else:
            examples += 1
            assert can_match(f"event A = ({leaves}) {{path={found[1]}}}"), (leaves, said)
    assert examples > 10 and none > 10


def _shared(first: str, second: str) -> set[str]:
    """The elements that both paths name."""
    return {name for name in first.split("/") if name.isalpha()} & set(second.split("/"))
