"""The examples in the documentation work."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.conftest import REPOSITORY
from xmlcep.checking.checks import check_rules
from xmlcep.errors import RuleError
from xmlcep.rules import parse_rules

_PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
_BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in _PAGES
    for number, block in enumerate(
        re.findall(r"^```xcep\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    )
]
_LANGUAGE = (REPOSITORY / "docs" / "language.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", _BLOCKS)
def test_rules_in_the_documentation(block):
    rules = parse_rules(block)
    assert rules.definitions or rules.active_rules
    assert parse_rules(str(rules)) == rules
    assert [problem.message for problem in check_rules(rules).problems] == []


def test_both_notations_are_the_same():
    [block] = [block.values[0] for block in _BLOCKS if "SameThing" in block.values[0]]
    first, second = parse_rules(block).definitions[:2]
    assert first.expression == second.expression


def test_the_mistakes_in_the_documentation():
    [shown] = re.findall(r"^```text\n(.*?)\n```", _LANGUAGE, re.M | re.S)
    lines = [line[2:] for line in shown.split("\n") if line.startswith("  event")]
    with pytest.raises(RuleError) as caught:
        parse_rules("\n".join([*lines, "event C = ins(item)"]), "orders.xcep")
    assert str(caught.value) == shown


def test_python_in_the_documentation():
    result = doctest.testfile(
        str(REPOSITORY / "docs" / "language.md"), module_relative=False, encoding="utf-8"
    )
    assert result.attempted
    assert not result.failed
