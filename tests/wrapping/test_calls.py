"""The table of docs/wrapping.md: every call and its events."""

from __future__ import annotations

import pytest

from tests.wrapping.call_table import PAGE, Row, rows, run
from xmlcep.wrapping.calls.attributes import TrackedAttributes
from xmlcep.wrapping.calls.lxml_methods import TrackedElement

ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=[row.call for row in ROWS])
def test_row(row: Row) -> None:
    assert run(row.call) == row.expected


def test_the_table_is_all_there() -> None:
    assert (
        len(ROWS)
        == sum(line.startswith("| `") for line in PAGE.read_text(encoding="utf-8").splitlines())
        > 80
    )


def test_every_overridden_call_has_a_row() -> None:
    text = " ".join(row.call for row in ROWS)
    for name in ("append", "insert", "extend", "remove", "replace", "clear", "addnext", "addprevious", "set"):
        assert name in vars(TrackedElement) or name in vars(TrackedElement.__mro__[1])
        assert f".{name}(" in text
    for name in ("update", "pop", "clear"):
        assert name in vars(TrackedAttributes)
        assert f".attrib.{name}(" in text
    for name in ("text", "tail", "tag", "base"):
        assert f".{name} = " in text
