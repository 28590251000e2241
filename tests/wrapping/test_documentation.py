"""docs/wrapping.md: its Python runs; the table of calls is that of `test_calls`."""

from __future__ import annotations

import doctest
import re
from typing import Any

import pytest

from tests.project.source import ROOT

PAGE = (ROOT / "docs" / "wrapping.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_python(capsys: pytest.CaptureFixture[str]) -> None:
    """In order, with the same names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    assert {kind for kind, _ in BLOCKS} == {"python", "xml"}
    for kind, text in BLOCKS:
        if kind != "python":
            continue
        session = doctest.DocTestParser().get_doctest(text, names, "wrapping.md", "wrapping.md", 0)
        if session.examples:
            session.globs = names
            doctest.DebugRunner(optionflags=FLAGS).run(session, clear_globs=False)
        else:
            exec(compile(text, "wrapping.md", "exec"), names)
            assert capsys.readouterr().out.splitlines() == [
                "ins(/order#1/item#2/price#3) at 1",
                "ins(/order#1/item#2/price#3/text()#4) at 2",
            ]
