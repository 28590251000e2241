"""Values that a variable never has, by what its leaves bind: questions about them are warned of, and no others."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import xmlcep
from tests.schema.test_values import (
    BESIDE,
    POOL,
    STATUS,
    XS,
    accepted,
    opened,
    schema_of,
    types,
    warned,
)  # fmt: skip
from xmlcep import RuleError, parse_rules
from xmlcep.schema import check_values

TEXT = "*(e/text()) as $p"
NEVER = [
    (f"event A(r) {{having=\"$p = 'shiped'\"}} = x[2,*] {TEXT}", "(did you mean shipped?; $p is open"),
    (f"event A(r) {{let m=\"$p[1] = 'x' or $p = 'shut'\"}} = x[2,*] {TEXT}", "$p is never 'shut'"),
    (f"event A(r) {{let n=\"count($p)\", having=\"$n < 0\"}} = x[2,*] {TEXT}", "$n is never < 0"),
    ("event A(r) {let n=\"string($p)\", having=\"$n = 'c'\"} = x[2,*] *(e/text()) as $p", "$n is never 'c'"),
    ("event A(e) = (*(e/text()) as $p & *(e) as $q = (../s/@n)) {having=\"$q = 8\"}", "$q is never 8"),
    ("event A(e) {if=\"$p = 'x'\"} = x[1,2] *(e/text()) as $p", "$p is never 'x'"),
    (f"event A(e) = {TEXT}\nevent B(r) = A(e)[$p = 'shut']", "event B: $p is never 'shut'"),
    (f"event A(e) = {TEXT}\nevent B(r) {{having=\"$s = 'shut'\"}} = x[1,2] A(e) as $s = ($p)", "$s is never 'shut'"),
    ("event A(e) = *(e/text())\nevent B(r) = A(e)[$op = 'ins']", "$op is never 'ins'"),
    (f"rule R on (x[1,2] {TEXT}) if \"$p = 'shut'\" do delete \"parent::*[$p = 'x']\"", "rule R: $p is never 'shut'"),
    (f"event A(e) = x[1,2] {TEXT}\nrule R on A if \"$p = 'shut'\" do delete \".\"", "rule R: $p is never 'shut'"),
    ("rule R on (upd(e/text())) if \"$old = 'shut' or $op = 'del'\" do delete \".\"", "rule R: $old is never 'shut'"),
    ("event A(r) {if=\"$p = 'shut'\"} = *(e/text()) as $p | ins(s) as $p = ('here')", "$p is never 'shut'"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "message"), NEVER)
def test_what_no_value_makes_true(tmp_path: Path, rules: str, message: str) -> None:
    found = warned(tmp_path, schema_of(STATUS, BESIDE), rules)
    assert found
    assert message in found[0]


@pytest.mark.parametrize(
    "rules",
    [
        f"event A(r) {{having=\"$p = 'open' or $p != 'shipped' or count($p) > 1\"}} = x[2,*] {TEXT}",
        "event A(r) {if=\"$p = 'here' or $p = 'open'\"} = *(e/text()) as $p | ins(s) as $p = ('here')",
        "event A(r) {if=\"$p = 'x'\"} = *(e/text()) as $p | ins(s) as $p = (string(@q))",
        "event A(r) {having=\"$p = '7' or $p = 7\"} = x[1,2] *(s/@n) as $p = (number(.))",
        "event A(r) {having=\"$p = 'x'\"} = x[1,2] *(r//*) as $p",
        'event A(r) {having="$p = \'x\'"} = x[1,2] opaque["xpath31", "true()"](e/text()) as $p',
        "event A(r) {having=\"$p = '' or $p = 'open'\"} = x[1,2] upd(e/text()) as $p = ($old)",
        "rule R on (*(e/text())) if \"$old = '' or $new = '' or $op = 'del'\" do delete \"..\"",
    ],
)
def test_what_a_value_can_make_true(tmp_path: Path, rules: str) -> None:
    assert warned(tmp_path, schema_of(STATUS, BESIDE), rules) == []


# -- the law: documents whose values are those that the types have ------------------------------------------

LEAVES = (
    "*(r/e/text()) as $p", "*(r/@a) as $p", "*(r/e/text()) as $p = (../@a)", "*(r/@a) as $p = (number(.))",
    "*(r/@a) as $p = (string(../e))", "*(r/e/text()) as $p = ($new)", "upd(r/@a) as $p = ($old)",
    "*(r/e/text()) as $p = ('5')", "*(r/e/text()) as $p = (. = 'a')", "*(r/@a) as $p = ((. | ../e)[1])",
)  # fmt: skip
SHAPES = (
    "event A(r) {{having=\"{question}\"}} = x[1,3] {leaf}",
    "event A(r) {{having=\"{question}\", context=cumulative}} = {leaf} & *(r/@b)",
    "event A(r) {{having=\"{question}\", context=unrestricted}} = x[1,2] {leaf} ; x[0,1] {other}",
    "event A(r) {{if=\"{question}\"}} = {leaf} | {other}",
    "event A(r) {{let m=\"{question}\", having=\"$m\"}} = x[1,3] {leaf}",
    "event A(r) {{let p=\"$q\", having=\"{question}\"}} = x[1,3] {renamed}",
    "event A(r) {{if=\"{question}\", context=recent}} = {leaf} & *(r/@b)",
    "event I(r) = x[1,2] {leaf}\nevent A(r) = I(r)[{question}]",
    "event I(r) = x[1,2] {renamed}\nevent A(r) {{having=\"{question}\"}} = x[1,2] I(r) as $p = ($q)",
    "event I(r) = {leaf}\nevent A(r) {{if=\"{question}\"}} = I(r) as $p = ($p) | {other}",
)  # fmt: skip


@st.composite
def questions(draw: st.DrawFn) -> str:
    subject = draw(
        st.sampled_from(["$p", "$p", "string($p)", "number($p)", "$p[1]", "max($p)", "count($p)", "sum($p)"])
    )
    literal = st.sampled_from(POOL).filter(lambda text: "\n" not in text).map(lambda text: f"'{text}'")
    if subject == "$p" and draw(st.integers(0, 5)) == 0:
        return f"{draw(st.sampled_from(['starts-with', 'contains', 'ends-with']))}($p, {draw(literal)})"
    number = st.sampled_from(["0", "1", "5", "5.5", "7", "10", "100", "-3", "99.5", "1000"])
    other = draw(st.one_of(literal, literal, number, st.sampled_from(["$p", "true()"])))
    sign = draw(st.sampled_from(["=", "=", "!=", "<", "<=", ">", ">="]))
    return f"{subject} {sign} {other}" if draw(st.booleans()) else f"{other} {sign} {subject}"


@given(
    element=types(), a=types(), leaf=st.sampled_from(LEAVES), other=st.sampled_from(LEAVES),
    shape=st.sampled_from(SHAPES),
    question=questions(), seed=st.integers(0, 2**32),
)  # fmt: skip
@settings(max_examples=60)
def test_what_is_warned_of_never_fires(
    element: str, a: str, leaf: str, other: str, shape: str, question: str, seed: int
) -> None:
    texts, values = accepted(element), accepted(a)
    assume(texts and values)
    assert texts is not None
    assert values is not None
    text = shape.format(leaf=leaf, other=other, question=question, renamed=leaf.replace("as $p", "as $q"))
    try:
        rules = parse_rules(text)
    except RuleError:
        assume(False)
        raise
    schema = (
        f'<xs:schema {XS}><xs:element name="r"><xs:complexType><xs:sequence><xs:element name="e">{element}</xs:element>'
        f'</xs:sequence><xs:attribute name="a">{a}</xs:attribute><xs:attribute name="b"/></xs:complexType>'
        "</xs:element></xs:schema>"
    )
    problems = [
        each for each in check_values(rules, opened(schema)) if each.message.endswith(f": {question}")
    ]
    problems = [each for each in problems if "!= always" not in each.message]
    event(f"warned: {bool(problems)}")
    if problems:
        raised = _raised(rules, texts, values, Random(seed))
        assert "A" not in raised, f"{text}\n{problems[0].message}"


def _raised(rules: xmlcep.Rules, texts: list[str], values: list[str], random: Random) -> list[str]:
    """The names of what is raised while a document is edited from one valid state to another."""
    found: list[str] = []
    document = xmlcep.fromstring("<r><e/></r>")
    document.root[0].text = random.choice(texts)
    with document, document.watch(rules, on_event=lambda composite: found.append(composite.name)):
        for _ in range(25):
            with document.transaction():
                for _ in range(random.choice((1, 1, 2))):
                    _edit(document.root, texts, values, random)
    return found


def _edit(root: object, texts: list[str], values: list[str], random: Random) -> None:
    kind = random.choice(("text", "text", "a", "a", "b", "no a"))
    if kind == "text":
        root[0].text = random.choice(texts)  # type: ignore[index]
    elif kind == "no a":
        root.attrib.pop("a", None)  # type: ignore[attr-defined]
    else:
        root.set(kind, random.choice(values) if kind == "a" else str(random.random()))  # type: ignore[attr-defined]
