"""calls.md: every call and its events; docs/wrapping.md shows some of them."""

from __future__ import annotations

import pytest

from tests.project.source import ROOT
from tests.wrapping.call_table import TABLE, Row, rows, run
from xmlcep.wrapping.calls.attributes import TrackedAttributes
from xmlcep.wrapping.calls.lxml_methods import TrackedElement

ROWS = rows(TABLE)
PAGE = (ROOT / "docs" / "wrapping.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ROWS, ids=[row.call for row in ROWS])
def test_row(row: Row) -> None:
    assert run(row.call) == row.expected


def test_the_table_is_all_there() -> None:
    assert len(ROWS) == sum(line.startswith("| `") for line in TABLE.splitlines()) > 80


def test_the_page_shows_rows_of_the_table() -> None:
    shown = rows(PAGE.partition("\n## Which call gives which events")[2].partition("\n## ")[0])
    assert len(shown) > 10
    assert [row for row in shown if row not in ROWS] == []


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
