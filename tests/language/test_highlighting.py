"""The lexer for Pygments: all of the text, no errors, and each word as what it is."""

from __future__ import annotations

import re

import pytest
from pygments.token import Error, string_to_tokentype

from tests.project.source import ROOT
from xmlcep.language.highlighting import RulesLexer

TEXTS = {
    file.name: file.read_text(encoding="utf-8") for file in sorted((ROOT / "samples").glob("*/*.xcep"))
} | {
    f"{page}, {number}": text
    for page in ("language", "testing", "semantics", "actions")
    for number, text in enumerate(
        re.findall(r"```xcep\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text("utf-8"), re.DOTALL)
    )
}


@pytest.mark.parametrize("name", TEXTS)
def test_all_of_the_text(name: str) -> None:
    found = list(RulesLexer(stripnl=False, ensurenl=False).get_tokens(TEXTS[name]))
    assert "".join(text for _, text in found) == TEXTS[name]
    assert [text for kind, text in found if kind in Error] == []


# a text, its parts by kind
ROWS = [
    ("event A = ins(set/if)", {"Keyword.Declaration": ["event"], "Name.Builtin": ["ins"], "Name": ["A", "set", "if"]}),
    ("del(a)[b > ']'] as $v = (. + 1)", {"Literal.String.Other": ["[b > ']']", "(. + 1)"], "Name.Variable": ["$v"]}),
    ("x[1,*]{within=\"3 days\"} ins({urn:a}b/p:c)", {"Name.Tag": ["{urn:a}b", "p:c"], "Literal.String": ['"3 days"']}),
    ("rule R on (A) do set \"@a\" = '1'", {"Keyword.Declaration": ["rule"], "Keyword": ["on", "do", "set"]}),
    ("a(b) ; not c(d/text()) # e", {"Operator.Word": ["not"], "Name.Builtin": ["text()"], "Comment.Single": ["# e"]}),
    ("any[2](a(b), c(d), upd(e))", {"Keyword": ["any"], "Literal.Number": ["2"]}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_rows(text: str, expected: dict[str, list[str]]) -> None:
    found = list(RulesLexer(ensurenl=False).get_tokens(text))
    for kind, words in expected.items():
        wanted = string_to_tokentype(kind)
        assert [word for each, word in found if each is wanted] == words
