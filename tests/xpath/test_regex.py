"""Patterns of ``matches``: what they mean, what is refused, and that no text takes long."""

from __future__ import annotations

import subprocess
import sys
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xmlcep.xpath import Environment, ExpressionError, NodeKind, VariableKind, compile_expression
from xmlcep.xpath.regex import PatternError, matcher

# pattern, flags, texts that match, texts that do not
MEANING = [
    ("ab", "", ["ab", "xabx"], ["a b", ""]),
    ("", "", ["", "a"], []),
    ("^a.c$", "", ["abc", "a\rc", "a𝄞c"], ["a\nc", "xabc", "abc\n"]),
    ("^a.c$", "s", ["a\nc"], ["ac"]),
    ("^b$", "m", ["a\nb\nc", "b"], ["ab"]),
    ("straße", "i", ["STRAßE"], ["strase"]),
    ("a b", "x", ["ab"], ["a b"]),
    ("[a b]", "x", [" "], ["x"]),
    (r"\d", "", ["7", "\u0663"], ["x", "½"]),
    (r"\D", "", ["x"], ["77"]),
    (r"^\s$", "", [" ", "\t", "\n", "\r"], ["\u00a0", "\x0b"]),
    (r"^\S$", "", ["\u00a0", "\x0b"], [" "]),
    (r"^\w$", "", ["a", "é", "7", "+", "𝄞"], ["-", " ", "_"]),
    (r"^\W$", "", ["-", " ", "_"], ["a"]),
    (r"^\i\c*$", "", ["po:item", "_a-1", "größe"], ["1a", "-", ""]),
    (r"^\I$", "", ["1", "-"], ["a", ":"]),
    (r"^\C$", "", [" "], ["a", "-", "1"]),
    (r"^[\i-]$", "", ["a", "-"], ["1"]),
    (r"^[^\d\s]$", "", ["a"], ["1", " "]),
    (r"^[\S]$", "", ["a"], [" "]),
    (r"^[\D]$", "", ["a"], ["1"]),
    (r"^\p{Lu}\P{Lu}$", "", ["Aa", "Éé"], ["AA"]),
    (r"^[\p{L}0-9]+$", "", ["aé9"], ["-"]),
    (r"^\\\|\.\?\*\+\(\)\{\}\-\[\]\^\$$", "", [r"\|.?*+(){}-[]^$"], [r"\|.?*+(){}-[]^"]),
    (r"^[\^\]\\\[-]$", "", ["^", "]", "\\", "[", "-"], ["a"]),
    (r"^[+--]$", "", ["+", ",", "-"], ["."]),
    (r"^[a-c-]$", "", ["b", "-"], ["d"]),
    (r"^[-a]$", "", ["-", "a"], ["b"]),
    (r"^\n\r\t$", "", ["\n\r\t"], ["nrt"]),
    ("^(a|b){2,3}?$", "", ["ab", "bab"], ["a", "abab"]),
    ("^a{2}$", "", ["aa"], ["a", "aaa"]),
    ("^a{2,}$", "", ["aaa"], ["a"]),
    ("^a??b+?c*?$", "", ["b", "abbcc"], ["a"]),
    ("^a|b$", "", ["ax", "xb"], ["xbx"]),
    ("'\"&<#@!%~`,;:=/_", "", ["'\"&<#@!%~`,;:=/_"], [""]),
    ("𝄞{2}", "", ["𝄞𝄞"], ["𝄞"]),
]


@pytest.mark.parametrize(("pattern", "flags", "matching", "others"), MEANING, ids=[row[0] for row in MEANING])
def test_meaning(pattern: str, flags: str, matching: list[str], others: list[str]) -> None:
    finds = matcher(pattern, flags)
    assert [text for text in matching if not finds(text)] == []
    assert [text for text in others if finds(text)] == []


# pattern, flags, what is marked, what is said
REFUSED = [
    (r"(a)\1", "", r"\1", "a reference to a group"),
    ("a(?=b)", "", "(?", "'(?'"),
    ("(?i)a", "", "(?", "'(?'"),
    ("a{,2}", "", "{", "'{' alone"),
    ("a}", "", "}", "'}' alone"),
    ("a]", "", "]", "']' alone"),
    ("[a-z-[aeiou]]", "", "[", "'[' within [ ]"),
    ("[[:alpha:]]", "", "[", "'[' within [ ]"),
    (r"[\W]", "", r"\W", r"\W within [ ]"),
    (r"\pL", "", r"\p", r"the unknown escape \p"),
    (r"\b", "", r"\b", r"the unknown escape \b"),
    ("a\\", "", "\\", "a backslash at the end"),
    ("a", "g", "a", "the unknown flag 'g'"),
    *(
        (pattern, "", pattern, problem)
        for pattern, problem in (
            ("a**", "bad repetition operator: **"),
            ("+a", "no argument for repetition operator: +"),
            ("(|*)", "no argument for repetition operator: *"),
            ("a{2000}", "invalid repetition size: {2000}"),
            ("a{5,2}", "invalid repetition size: {5,2}"),
            ("(a", "missing ): (a"),
            ("a)", "unexpected ): a)"),
            ("[a", "missing ]: [a"),
            ("[]", "missing ]: []"),
            ("[z-a]", "invalid character class range: z-a"),
            (r"[a-\d]", "invalid escape sequence"),
            (r"\p{IsGreek}", r"invalid character class range: \p{IsGreek}"),
            (r"\p{Xx}", r"invalid character class range: \p{Xx}"),
            ("((((a{9}){9}){9}){9}){9}", "invalid repetition size"),
        )
    ),
]


@pytest.mark.parametrize(("pattern", "flags", "marked", "problem"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(pattern: str, flags: str, marked: str, problem: str) -> None:
    with pytest.raises(PatternError) as caught:
        matcher(pattern, flags)
    error = caught.value
    assert problem in error.problem
    assert error.hint
    assert pattern[error.offset : error.offset + error.width] == marked
    with pytest.raises(ExpressionError) as within:
        compile_expression(f'matches(., "{pattern}", "{flags}")')
    assert problem in within.value.problem
    at = within.value.offset
    assert within.value.expression[at : at + within.value.width] == marked


@given(st.text("ab\\[](){}^$.|*+?-,19dDsSwWiIcCpPnLu: \U0001d11e", max_size=12), st.text(max_size=8))
@settings(max_examples=150)
def test_whatever_is_accepted_works(pattern: str, text: str) -> None:
    try:
        finds = matcher(pattern)
    except PatternError as error:
        assert 0 <= error.offset <= len(pattern)
        return
    assert finds(text) in (True, False)


@given(st.text(max_size=6))
def test_a_text_matches_itself(text: str) -> None:
    """With all signs escaped, and in a class of each."""
    escaped = "".join(
        "\\" + character if character in "\\|.?*+(){}-[]^$" else character for character in text
    )
    assert matcher(f"^{escaped}$", "s")(text)
    in_classes = "".join(f"[{c if c not in '[]^-' + chr(92) else chr(92) + c}]" for c in text)
    assert matcher(f"^{in_classes}$")(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 50_000 + "!"),
        ("^(a|aa)+$", "a" * 50_000 + "!"),
        ("(x+x+)+y", "x" * 50_000),
        ("^(.*,){30}p", "1," * 20_000),
        ("(a?){50}a{50}", "a" * 49),
    ],
)
def test_no_text_takes_long(pattern: str, text: str) -> None:
    """Python's re would take years; a minute is a generous limit for a thousandth of a second."""
    started = process_time()
    matcher(pattern)(text)
    assert process_time() - started < 60


def test_a_missing_package_is_named_where_the_pattern_stands() -> None:
    code = """
import sys
sys.modules["re2"] = None
from xmlcep.xpath import ExpressionError, compile_expression
try:
    compile_expression("price = 3 or matches(., '^a')")
except ExpressionError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs the package google-re2" in done.stdout
    assert "hint: run  pip install 'xmlcep[regex]'" in done.stdout


def test_half_characters_are_no_error() -> None:
    expression = compile_expression(
        "matches($v, '^.$')", variables={"v": VariableKind.STRING}, node=NodeKind.NONE
    )
    assert expression.boolean(Environment({"v": "\ud800"}))
