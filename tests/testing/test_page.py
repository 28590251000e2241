"""docs/testing.md: its examples work."""

from __future__ import annotations

import doctest
import re

from tests.project.source import ROOT
from xmlcep.rules import parse_rules
from xmlcep.testing import examples_of
from xmlcep.testing.script import Action

PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")


def test_the_sessions() -> None:
    session = doctest.DocTestParser().get_doctest(
        PAGE, {"__name__": "__main__"}, "testing.md", "testing.md", 0
    )
    assert session.examples
    doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(session)


def test_the_rules_files() -> None:
    texts = re.findall(r"```xcep\n(.*?)```", PAGE, re.DOTALL)
    found = [[example.failures(parse_rules(text)) for example in examples_of(text)] for text in texts]
    assert found == [[[], [], []], [[]]]


def test_all_steps_are_there() -> None:
    for action in Action:
        assert f"`{action.value}" in PAGE
