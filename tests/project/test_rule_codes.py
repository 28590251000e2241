"""Whoever cites a rule by its code finds a statement: in the code, the tests, the pages and the messages."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.project.source import ROOT, tracked_files
from xmlcep.clauses import read_clauses

PAGES = (ROOT / "docs" / "rules.md", ROOT / "docs" / "semantics.md")
LETTERS = "PETHMDGQUSRABWFVOLYKCXNZ"
OF_SEMANTICS = "KCXNZ"
CODE = re.compile(rf"\b[{LETTERS}][1-9]\d?\b")
RANGE = re.compile(rf"\b([{LETTERS}])([1-9]\d?) to \1([1-9]\d?)\b")
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
HEADING = re.compile(r"^## ([A-Z])\. [^\n]*\n\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PARTS = dict(HEADING.findall(PAGES[0].read_text(encoding="utf-8")))
NOT_BUILT, NOT_RUN = "Not built yet.", "Read and checked, not run yet."

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
    "benchmarks/spark_rules.py": "Q1",
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
    kinds = (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
    with file.open("rb") as opened:
        tokens = tokenize.tokenize(io.BytesIO(opened.read()).readline)
        return "\n".join(token.string for token in tokens if token.type in kinds)


def test_every_code_that_is_cited_has_a_statement() -> None:
    statements = read_clauses()
    cited = citations()
    assert len({code for _, code in cited}) > 70
    assert [f"{file}: {code}" for file, code in cited if code not in statements] == []


def test_every_statement_is_cited_somewhere_else() -> None:
    """A rule that neither code nor tests name is implemented nowhere, or nobody knows where."""
    pages = {str(page.relative_to(ROOT)) for page in PAGES}
    cited = {code for file, code in citations() if file not in pages and not file.startswith("docs/")}
    due = {code for code in read_clauses() if not PARTS.get(code[0], "").startswith(NOT_RUN)}
    assert sorted(due - cited) == []


def test_anchors_are_codes_each_once_and_in_order() -> None:
    anchors = [anchor for page in PAGES for anchor in ANCHOR.findall(page.read_text(encoding="utf-8"))]
    assert [anchor for anchor, count in Counter(anchors).items() if count > 1] == []
    assert [anchor.upper() for anchor in anchors] == list(read_clauses())
    for letter in dict.fromkeys(anchor[0] for anchor in anchors):
        numbers = [int(anchor[1:]) for anchor in anchors if anchor[0] == letter]
        assert numbers == sorted(numbers), (
            f"the statements of {letter.upper()}"
        )  # a rule that went leaves its number


@pytest.mark.parametrize("letter", PARTS)
def test_a_part_of_the_rules_has_its_statements_or_says_that_it_has_none(letter: str) -> None:
    text = PARTS[letter]
    stated = [code for code in read_clauses() if code[0] == letter]
    assert (text.strip() == NOT_BUILT) is (not stated)
    assert [f'<a id="{code.lower()}"></a>{code}. ' in text for code in stated] == [True] * len(stated)


def test_the_contents_name_all_statements_in_order() -> None:
    contents = PAGES[0].read_text(encoding="utf-8").partition("\n## ")[0]
    named = re.findall(r"\[(\w+)\]\(#\w+\) (.+?)(?: ·| \|)", contents)
    stated = [each for each in read_clauses().values() if each.code[0] not in OF_SEMANTICS]
    assert [(code, title.lower()) for code, title in named] == [
        (each.code, each.title.lower()) for each in stated
    ]


def test_all_letters_have_a_part() -> None:
    assert "".join(PARTS) == LETTERS.removesuffix(OF_SEMANTICS)


@pytest.mark.parametrize("file", OTHER_MEANINGS)
def test_other_meanings_are_used(file: str) -> None:
    path = ROOT / file
    text = _prose(path) if path.suffix == ".py" else path.read_text(encoding="utf-8")
    assert set(OTHER_MEANINGS[file].split()) <= set(CODE.findall(text))
