"""What action rules say of themselves before anything happens: expressions that select nothing, events that never
are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from xmlcep import parse_rules
from xmlcep.actions.idle import idle
from xmlcep.cli.main import run


def said(text: str) -> list[str]:
    rules = parse_rules(text)
    assert rules.triggers is not None
    return [f"{problem.column} {problem.message}" for problem in idle(rules.triggers)]


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ("on (upd(item/@n)) do set '@m' = '1'", "the target of set '@m'"),
        ("on (*(item/@n)) do set '@m' = '1'", "the target of set '@m'"),
        ("on (upd(item/@n)) if '@k' do delete '.'", "the condition '@k'"),
        ("on (upd(item/@n)) do set '.' = '@n'", "the value of set '@n'"),
        ("on (upd(item/text())) do delete 'a'", "the target of delete 'a'"),
        ("on (upd(item/text())) do move 'a' last into '..'", "the source of move 'a'"),
        ("on (upd(item/text())) do insert '<a>{b}</a>' last into '..'", "in the fragment of insert 'b'"),
        ("on (ins(item)) do delete 'self::price/a'", "the target of delete 'self::price/a'"),
        ("on (ins(/order/item)) do delete '../../../a'", "the target of delete '../../../a'"),
    ],
)
def test_what_selects_nothing(rule: str, what: str) -> None:
    (found,) = said(f"rule R {rule}")
    text = re.findall("'[^']*'", what)[-1]
    text = "'<a>{b}</a>'" if text == "'b'" else text
    assert (
        found == f"{f'rule R {rule}'.rindex(text) + 1} rule R: {what} selects nothing, whatever the document"
    )


@pytest.mark.parametrize(
    "rule",
    [
        "on (upd(item/@n)) do set '../@m' = '.'",
        "on (upd(item/@n)) {path=item} do set '@m' = '@n'",
        "on (upd(item/@n)) if 'not(@k)' do set '/order/@m' = '1', delete '//a'",
        "on (del(item/@n)) do set '@m' = '1'",
        "on (del(item/text())) do insert '<a/>' last into '.'",
        "on (*(item/@n)) do set '../@m' = '1'",
        "on (ins(item)) {mode=set} do set '/order/@m' = 'count($delta)', delete '$delta/a'",
        "on (upd(item/@n) as $v) {path=item} do set '@v' = '$v'",
    ],
)
def test_what_may_select_something(rule: str) -> None:
    assert said(f"rule R {rule}") == []


def test_the_command_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rules.xcep"
    file.write_text(
        "rule A on (upd(item)) do set '/order/@m' = '1'\nrule B on (upd(item/@n)) do set '@m' = '1'"
    )
    assert run(["check", "-q", str(file)]) == 0
    err = capsys.readouterr().err
    assert "1:12: warning: rule A: an element has no value that could be updated" in err
    assert ":2:33: warning: rule B: the target of set '@m' selects nothing" in err
    assert "the context node is the attribute: write ../@m, or give the rule the path" in err


def test_the_own_events_of_rules_are_checked_with_a_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = next((REPOSITORY / "samples" / "purchase_order").glob("*.xsd"))
    file = tmp_path / "rules.xcep"
    file.write_text("rule A on (upd(item/prise/text())) do set '../../@m' = '1'")
    assert run(["check", "-q", str(file), "--schema", str(schema)]) == 2
    assert "rule A: item has no child element prise" in capsys.readouterr().err
