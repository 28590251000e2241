"""Whoever cites a clause by its code finds it: in the code, the tests, the pages and the messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.project.source import ROOT, tracked_files
from xmlcep.clauses import read_clauses

PAGES = tuple(ROOT / "docs" / name for name in ("semantics.md", "actions.md", "explain.md"))
LETTERS = "PETHMDGQUSRABWFVOLY"
ELSEWHERE = "LY"  # action rules and explanations, on their own pages
# Clauses that have become part of others, for whoever still cites them.
_FORMER = """
K1>H1 K2>H1 K3>P10 K4>Q1 K5>T4
X1>D2 X2>D6 X3>D4 X4>D4 X5>U2 X6>D5 X7>D5 X8>D5 X9>G3 X10>D4 X11>D4 X12>D5 X13>U6
N1>G2 N2>G2 N3>G5 N4>T1 N5>Q3 N6>T1 N7>G5 N8>E3
Z3>Q4 Z4>Q4 Z5>A1 Z6>A1 Z7>W3 Z8>W3 Z9>V6 Z10>U2 Z11>D4 Z12>U2 Z13>W6 Z14>W5 Z15>W5 Z16>A3 Z17>W7 Z18>W8 Z19>W10
Z20>S1 Z21>S2 Z22>V5 Z23>V7 Z24>V8 Z25>F5 Z26>O1 Z27>Q5 Z28>L7
H4>Q1 H5>Q1 U3>D4 U4>D4 U5>D4 U7>U2 W11>G4 R2>E5 R3>R1
"""
FORMER = dict(pair.split(">") for pair in _FORMER.split())
CODE = re.compile(rf"\b(?:[{LETTERS}][1-9]\d?|{'|'.join(FORMER)})\b")
RANGE = re.compile(rf"\b([{LETTERS}])([1-9]\d?) to \1([1-9]\d?)\b")
PROSE = re.compile(r"""\#[^\n]*|(\"{3}|'{3}).*?\1|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
HEADING = re.compile(r"^## ([A-Z])\. [^\n]*\n\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PARTS = dict(HEADING.findall(PAGES[0].read_text(encoding="utf-8")))

# Names that look like the code of a rule and are none; a name that has gone from its file goes from here.
OTHER_MEANINGS = {
    "benchmarks/NOTES.md": "Q1 Q2",  # Q1 to Q3 are the queries that the benchmarks measure
    "benchmarks/audit.py": "Q1",
    "benchmarks/contexts.py": "Q1",
    "benchmarks/floor.py": "Q1 Q2 Q3",
    "benchmarks/memory.py": "Q1 Q2",
    "benchmarks/one_rule.py": "Q1 Q2",
    "benchmarks/q1.py": "Q1",
    "benchmarks/q2.py": "Q2",
    "benchmarks/q3.py": "Q1 Q3",
    "benchmarks/queries.py": "Q1 Q2 Q3",
    "benchmarks/samples.py": "Q1",
    "docs/performance.md": "Q1 Q2 Q3",
    "tests/cli/test_exchange_formats.py": "B6",  # of an escaped character
    "tests/spec/test_paper_tables.py": "Q1 Q2 S1 S2 S3 S4 S6 S7 S8 S9",  # as the paper names them
}


@cache
def citations() -> tuple[tuple[str, str], ...]:
    """Every file and the codes in it: anywhere in pages and grammars, in Python where it is text."""
    return tuple(_citations())


def _citations() -> Iterator[tuple[str, str]]:
    for file in tracked_files():
        name = str(file.relative_to(ROOT))
        if file == Path(__file__).resolve():
            continue  # the list of other meanings
        if name == "CHANGELOG.md":
            continue  # it tells of rules that went, too
        if file.suffix == ".py":
            text = _prose(file)
        elif file.suffix in (".md", ".lark", ".xcep", ".txt", ".cfg", ".toml"):
            text = file.read_text(encoding="utf-8")
        else:
            continue
        other = OTHER_MEANINGS.get(name, "").split()
        yield from ((name, code) for code in sorted(_codes(text)) if code not in other)


def _codes(text: str) -> set[str]:
    """The codes in a text, those between the ends of a range ("M1 to M6") included."""
    between = {
        f"{letter}{number}"
        for letter, first, last in RANGE.findall(text)
        for number in range(int(first), int(last))
    }
    return between | set(CODE.findall(text))


def _prose(file: Path) -> str:
    """Comments and strings of a module."""
    return "\n".join(each[0] for each in PROSE.finditer(file.read_text(encoding="utf-8")))


def test_every_code_that_is_cited_has_a_clause() -> None:
    clauses = read_clauses()
    cited = citations()
    assert len({code for _, code in cited}) > 70
    unknown = [(file, code) for file, code in cited if code not in clauses]
    assert [f"{file}: {code}, now {FORMER.get(code)}" for file, code in unknown] == []


def test_every_clause_is_cited_somewhere_else() -> None:
    """A clause that neither code nor tests name is implemented nowhere, or nobody knows where."""
    pages = {str(page.relative_to(ROOT)) for page in PAGES}
    cited = {code for file, code in citations() if file not in pages and not file.startswith("docs/")}
    assert sorted(set(read_clauses()) - cited) == []


def test_anchors_are_codes_each_once_and_in_order() -> None:
    anchors = [anchor for page in PAGES for anchor in ANCHOR.findall(page.read_text(encoding="utf-8"))]
    assert [anchor for anchor, count in Counter(anchors).items() if count > 1] == []
    assert [anchor.upper() for anchor in anchors] == list(read_clauses())
    for letter in dict.fromkeys(anchor[0] for anchor in anchors):
        numbers = [int(anchor[1:]) for anchor in anchors if anchor[0] == letter]
        assert numbers == sorted(numbers), (
            f"the clauses of {letter.upper()}"
        )  # a clause that went leaves its number


def test_all_letters_have_a_part() -> None:
    assert "".join(PARTS) == LETTERS.removesuffix(ELSEWHERE)


@pytest.mark.parametrize("file", OTHER_MEANINGS)
def test_other_meanings_are_used(file: str) -> None:
    path = ROOT / file
    text = _prose(path) if path.suffix == ".py" else path.read_text(encoding="utf-8")
    assert set(OTHER_MEANINGS[file].split()) <= set(CODE.findall(text))
