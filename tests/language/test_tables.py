"""The tables of the grammar that are written down are those that lark works out, and read rules alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lark
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.language.tables import PLACE, tables
from xmlcep.language import grammar_tables
from xmlcep.language.grammar import grammar_text, parser_of_grammar, statement_parser
from xmlcep.language.grammar_tables import parser_of_tables

WRITTEN = json.loads(PLACE.read_text(encoding="utf-8"))
SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "purchase_order"
STATEMENTS = [
    "event" + statement
    for file in sorted(SAMPLES.glob("*.xcep"))
    for statement in file.read_text(encoding="utf-8").split("\nevent")[1:]
] + [
    'namespace po = "urn:po"',
    'reference parts = "parts.xml"',
    'rule Flag on Dearer do set "../../@check" = "\'price\'"',
    'event A {within="3 days"} = (ins({urn:x}a/@b) as $n ; not x[2,*] upd(//*)) | aperiodic*[ins(a), del(b), ins(c)]',
]
ANEW = parser_of_grammar(grammar_text())
needs_this_lark = pytest.mark.skipif(
    WRITTEN["lark"] != lark.__version__,
    reason=f"written by lark {WRITTEN['lark']}: python -m tests.language.tables writes those of this one",
)


@needs_this_lark
def test_they_are_those_of_the_grammar() -> None:
    assert tables() == WRITTEN, "write them again: python -m tests.language.tables"


@needs_this_lark
def test_they_are_used() -> None:
    assert statement_parser().source_path == "<deserialized>"


def test_with_another_grammar_or_another_lark_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parser_of_tables(grammar_text() + "\n") is None
    monkeypatch.setattr(grammar_tables.lark, "__version__", "0")
    assert parser_of_tables(grammar_text()) is None


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_what_is_read_by_them_is_read_alike(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(STATEMENTS))
    for _ in range(data.draw(st.integers(0, 2))):
        place = data.draw(st.integers(0, len(text)))
        other = data.draw(
            st.sampled_from(["", "(", ")", "=", ";", "not ", "x[", "{", "a", '"', "$", "/", " ", "event "])
        )
        text = text[:place] + other + text[place + data.draw(st.integers(0, 3)) :]
    assert _read(statement_parser(), text) == _read(ANEW, text)


def _read(parser: lark.Lark, text: str) -> Any:
    """The tree with all places, or what was wrong and could have stood there."""
    try:
        tree = parser.parse(text)
    except lark.UnexpectedInput as error:
        event(type(error).__name__)
        expected = getattr(error, "expected", None) or getattr(error, "allowed", None) or ()
        interactive = getattr(error, "interactive_parser", None)
        accepted = () if interactive is None else interactive.accepts()
        return type(error), error.line, error.column, sorted(expected), sorted(accepted)
    event("a tree")
    return [
        (
            each.data,
            each.meta.empty or (each.meta.start_pos, each.meta.end_pos),
            [
                (child.type, child, child.start_pos)
                for child in each.children
                if isinstance(child, lark.Token)
            ],
        )
        for each in tree.iter_subtrees_topdown()
    ]
