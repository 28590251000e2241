"""A comment may stand wherever a blank may, and says as little."""

from __future__ import annotations

import re

import pytest

from xmlcep import RuleError, Rules, parse_rules

ROWS = [
    "event A(a) = x[1,2]{path=a} ins(a/b) & ×[0,*] del(a/@c)",
    "event A(a) = aperiodic*[ins(a), del(a)] ins(a/b) | aperiodic[ins(a), del(a)] upd(a/b/text())",
    'event A(a) = plus[ins(a), "1 s"] | periodic*[ins(a), "1 s", del(a)]',
    "event A(a) = any[2](ins(a), ins(a/b), ins(a/c)) ; not (ins(a/d) | ins(a/e)) ; del(a)",
    "event A(a) = not(ins(a/b))[ins(a), del(a)]",
    'event A(a) {let v="1", context=recent, flat, order=detection} = ins(a/b) & ins({urn:x#y}c//*)',
    "event A = ins(r/a) during (ins(r/b) & ins(r/c)) & (ins(r/d) met-by ins(r/e))",
    'event X(a) = external\nrule R on X(a) {priority=3} if "1" do insert "<b/>" first into ".", raise X(".")',
    'rule R on (ins(a)) do set "@b" = "1", replace "c" with "<d/>", move "e" before "f"',
    'rule R on (ins(a)) do call "g", delete "b", insert "h" last into "."',
    'namespace "urn:a"\nnamespace p = "urn:p"\nevent opaque = opaque["xpath31", "true()"](p:a/@b) as $c',
    "event A(x) = x(x/x) & not(x) & during(x)\nevent not = ins(x)\nevent x(x/x) = ins(x/x)\nevent during = ins(x)",
]
TOKEN = re.compile(r"""("[^"]*"|\$\w+|\{urn[^}]*\}\w+|[\w.-]+(?::\w+)?|//|.)""", re.DOTALL)
COMMENT = "#it's \"( [ {\n"


def read(text: str) -> Rules | None:
    try:
        return parse_rules(text)
    except RuleError:
        return None


@pytest.mark.parametrize("text", ROWS)
def test_a_comment_is_a_blank(text: str) -> None:
    meant = read(text)
    assert meant is not None
    pieces = TOKEN.findall(text)
    assert "".join(pieces) == text
    allowed = 0
    for at in range(1, len(pieces)):
        before, behind = "".join(pieces[:at]), "".join(pieces[at:])
        if read(f"{before} \n {behind}") == meant:
            allowed += 1
            assert read(before + COMMENT + behind) == meant, (before, behind)
    assert allowed > len(pieces) / 2


@pytest.mark.parametrize(
    "text", ["event A = ins(a) ; x\u00a0[1,2] ins(b)", "event A = ins(a)\x0bevent B = ins(b)"]
)
def test_other_white_space_is_no_blank(text: str) -> None:
    with pytest.raises(RuleError, match="unexpected"):
        parse_rules(text)
