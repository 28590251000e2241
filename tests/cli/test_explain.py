"""`xmlcep explain`: the clauses that messages cite, and the line behind messages that cite some."""

from __future__ import annotations

from pathlib import Path

import pytest

from xmlcep import clauses
from xmlcep.clauses import read_clauses, where_explained
from xmlcep.cli.main import run


def test_it_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "P1  Steps"
    assert "T2  The path type of an operator" in lines
    assert "L3  Once for each, or once for all" in lines


def test_it_prints_clauses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "(t4)", "m2"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("T4. The node of a composite\n\nA composite is raised at the node")
    assert "\n    Anywhere(/order#1) at 2 {ins@1, ins@2}\n" in printed
    assert "\n\nM2. Full at u\n\nThe composite with u arrivals is final" in printed
    assert printed.endswith(" 3: c1.3\n")


def test_clauses_are_plain_text() -> None:
    assert len(read_clauses()) > 80
    for code, clause in read_clauses().items():
        assert clause.code == code
        assert clause.title and clause.text.startswith(f"{code}. {clause.title}")
        assert not any(mark in clause.text for mark in ("](#", ".md", "```", "<a "))


def test_what_is_no_clause(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "Z" + "99"]) == 2
    assert "is not the code of a clause" in capsys.readouterr().err


def test_errors_say_where_the_rules_they_cite_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "bad.xcep"
    rules.write_text("event A = ins(a) & ins(b)\nevent B = x[2,1] ins(a/b)\n", encoding="utf-8")
    assert run(["check", str(rules)]) == 2
    assert capsys.readouterr().err.endswith("\nwhat (T2) and (M6) say: xmlcep explain T2 M6\n")
    rules.write_text("event A = nonsense", encoding="utf-8")
    assert run(["check", str(rules)]) == 2
    assert "xmlcep explain" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("one (M6), and the same again (M6)", "what (M6) says: xmlcep explain M6"),
        ("two at once (D4, V1); (P3)", "what (P3), (D4) and (V1) say: xmlcep explain P3 D4 V1"),
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
