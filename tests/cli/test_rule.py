"""`xmlcep rule`: the statements that messages cite, and the line behind messages that cite some."""

from __future__ import annotations

from pathlib import Path

import pytest

from xmlcep import clauses
from xmlcep.clauses import read_clauses, where_explained
from xmlcep.cli.main import run


def test_it_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "P1  Steps"
    assert "T2  The path type of an operator" in lines
    assert "K1  Group key" in lines


def test_it_prints_statements(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", "(t4)", "K4"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("T4. The node of a composite\n\nA composite is about the node")
    assert "\n    Priced(/order#1/item#2) at 2 {ins@1, ins@2}\n" in printed
    assert "\n\nK4. A set of constituents (E4): an event" in printed
    assert printed.endswith(" at its first place.\n")


def test_statements_are_plain_text() -> None:
    assert len(read_clauses()) > 80
    for code, statement in read_clauses().items():
        assert statement.code == code
        assert statement.title and statement.text.startswith(f"{code}. {statement.title}")
        assert not any(mark in statement.text for mark in ("](#", ".md", "```", "<a "))


def test_a_statement_says_that_it_is_not_run_yet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = '## T. Trees\n\nNot yet.\n\n### <a id="t1"></a>T1. Trees\n\nA tree.\n'
    (tmp_path / "rules.md").write_text(page, encoding="utf-8")
    monkeypatch.setattr(clauses, "_folder", lambda: tmp_path)
    read_clauses.cache_clear()
    try:
        assert read_clauses()["T1"].text == "T1. Trees\n\nNot yet.\n\nA tree."
    finally:
        read_clauses.cache_clear()


def test_what_is_no_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", "Z" + "99"]) == 2
    assert "is not the code of a rule" in capsys.readouterr().err


def test_errors_say_where_the_rules_they_cite_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "bad.xcep"
    rules.write_text("event A = ins(a) & ins(b)\nevent B = x[2,1] ins(a/b)\n", encoding="utf-8")
    assert run(["check", str(rules)]) == 2
    assert capsys.readouterr().err.endswith("\nwhat (T2) and (M6) say: xmlcep rule T2 M6\n")
    rules.write_text("event A = nonsense", encoding="utf-8")
    assert run(["check", str(rules)]) == 2
    assert "xmlcep rule" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("one (M6), and the same again (M6)", "what (M6) says: xmlcep rule M6"),
        ("two at once (D4, X10); (P3)", "what (P3), (D4) and (X10) say: xmlcep rule P3 D4 X10"),
        ("(J4) is paper, T2 a name, (T2b) nothing", ""),
    ],
)
def test_the_line(message: str, line: str) -> None:
    assert where_explained(message) == line


def test_without_the_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An installation that leaves data files out has messages all the same."""
    monkeypatch.setattr(clauses, "_folder", lambda: tmp_path)
    read_clauses.cache_clear()
    try:
        assert where_explained("cannot be derived (T2)") == ""
    finally:
        read_clauses.cache_clear()
