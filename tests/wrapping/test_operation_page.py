"""docs/operation.md: its examples work."""

from __future__ import annotations

import doctest

from tests.project.source import ROOT

PAGE = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")


def test_the_examples() -> None:
    session = doctest.DocTestParser().get_doctest(
        PAGE, {"__name__": "__main__"}, "operation.md", "operation.md", 0
    )
    assert len(session.examples) > 7
    doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(session)
