"""docs/expressions.md: its examples work, and its table has all functions."""

from __future__ import annotations

import doctest
import re

from tests.project.source import ROOT
from xmlcep.xpath.functions import FUNCTIONS
from xmlcep.xpath.parser import MAX_NESTED, MAX_PREDICATES_NESTED
from xmlcep.xpath.tokens import MAX_LENGTH, MAX_TOKENS

PAGE = (ROOT / "docs" / "expressions.md").read_text(encoding="utf-8")


def test_the_examples() -> None:
    session = doctest.DocTestParser().get_doctest(
        PAGE, {"__name__": "__main__"}, "expressions.md", "expressions.md", 0
    )
    assert len(session.examples) > 10
    doctest.DebugRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(session)


def test_the_table_of_functions() -> None:
    [table] = re.findall(r"^## Functions\n\n(.*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert sorted(re.findall(r"`([\w-]+)`", table)) == sorted([*FUNCTIONS, "current"])


def test_the_limits() -> None:
    for limit in (
        f"{MAX_TOKENS:,}",
        f"{MAX_LENGTH:,}",
        f"{MAX_NESTED} parentheses",
        f"{MAX_PREDICATES_NESTED} brackets",
    ):
        assert limit in " ".join(PAGE.split())
