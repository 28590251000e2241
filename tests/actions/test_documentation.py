"""The examples in docs/actions.md work."""

from __future__ import annotations

import doctest

from tests.conftest import REPOSITORY


def test_python_in_the_documentation() -> None:
    page = REPOSITORY / "docs" / "actions.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert not result.failed
