"""The ``rule`` statement: read, printed, checked (rules L1, L3, L7)."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType
from xmlcep import RuleError, Rules, load_rules, parse_rules
from xmlcep.algebra import (
    ActiveRule,
    Call,
    Coupling,
    Delete,
    EventTrigger,
    Insert,
    Mode,
    Move,
    Raise,
    Replace,
    SetValue,
    Where,
)
from xmlcep.language import parse_definitions, print_definitions

TEXT = """\
namespace "urn:po"

event Incomplete(item) = ins(item) & ins(item/price)
event Seen(item) = external

rule Flag on Incomplete(item) {priority=5}
     if "not(@status)"
     do set "@status" = "'incomplete'"
rule Mirror on (upd(order/currency/text()) as $c)
     do set "/order/item/price/@currency" = "$c"
rule Discard on (ins(order/item) ; del(order/item/price)) {path=order, coupling=commit}
     if "count(item) > 1"
     do delete "item[not(price)]",
        insert "<note by='rule'>{{{count(item)}}}</note>" last into ".",
        call "tell_sales"
rule Other on Seen {priority=-3, mode=instance}
     do move "." before "..",
        replace "price" with "<price>0</price>",
        raise Seen,
        raise Seen("../item")
"""


def test_what_is_read() -> None:
    rules = parse_rules(TEXT)
    flag, mirror, discard, other = rules.active_rules
    assert flag.trigger == EventTrigger("Incomplete", PathType.parse("item", {"": "urn:po"}))
    assert (flag.priority, flag.condition, flag.mode, flag.coupling) == (
        5,
        "not(@status)",
        None,
        Coupling.IMMEDIATE,
    )
    assert flag.actions == (SetValue("@status", "'incomplete'"),)
    assert mirror.trigger.name == "Mirror"
    assert discard.coupling is Coupling.COMMIT
    assert discard.actions == (
        Delete("item[not(price)]"),
        Insert("<note by='rule'>{{{count(item)}}}</note>", Where.LAST_INTO, "."),
        Call("tell_sales"),
    )
    assert other == ActiveRule(
        "Other", EventTrigger("Seen"),
        (Move(".", Where.BEFORE, ".."), Replace("price", "<price>0</price>"), Raise("Seen"), Raise("Seen", "../item")),
        None, -3, Mode.INSTANCE,
    )  # fmt: skip
    assert rules.triggers is not None
    assert rules.triggers.functions == ("tell_sales",)


def test_printed_as_it_is_written() -> None:
    rules = parse_rules(TEXT)
    assert str(rules) == TEXT
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert (
        Rules.from_definitions(rules.definitions, rules.namespaces, active_rules=rules.active_rules) == rules
    )
    without = Rules.from_definitions(rules.definitions, rules.namespaces)
    assert without != rules


NAMES = st.sampled_from(["A", "on", "if", "do", "set", "first", "into", "B-c"])
STRINGS = st.text(st.sampled_from("ab\"'\\\n{}#/@ é"), max_size=8)
WHERES = st.sampled_from(Where)
ACTIONS = st.one_of(
    st.builds(Insert, STRINGS, WHERES, STRINGS),
    st.builds(Delete, STRINGS),
    st.builds(SetValue, STRINGS, STRINGS),
    st.builds(Replace, STRINGS, STRINGS),
    st.builds(Move, STRINGS, WHERES, STRINGS),
    st.builds(Call, STRINGS),
    st.builds(Raise, NAMES, st.none() | STRINGS),
)
PATHS = st.none() | st.sampled_from(list(map(PathType.parse, ["a", "/a/b", "a/@b", "on/text()"])))
RULES = st.builds(
    ActiveRule, NAMES, st.builds(EventTrigger, NAMES, PATHS), st.lists(ACTIONS, min_size=1, max_size=4).map(tuple),
    st.none() | STRINGS, st.integers(-9, 9), st.none() | st.sampled_from(Mode), st.sampled_from(Coupling),
)  # fmt: skip


@given(st.lists(RULES, min_size=1, max_size=3, unique_by=lambda rule: rule.name))
@settings(max_examples=30)
def test_any_rule_is_read_as_it_is_printed(rules: list[ActiveRule]) -> None:
    text = print_definitions([], {}, (), rules)
    problems: list[Any] = []
    read = parse_definitions(text, problems)
    assert [problem.message for problem in problems] == [], text
    assert list(read.active_rules) == rules


def test_words_of_the_language_are_names_too() -> None:
    text = (
        "event event = ins(a)\nevent rule(a) = external\n"
        "rule on on event if 'a' do raise rule\nrule if on rule do raise rule\n"
    )
    assert [rule.name for rule in parse_rules(text).active_rules] == ["on", "if"]


@pytest.mark.parametrize(
    ("rule", "mode"),
    [
        ("(ins(order/item)) do delete '/order/x'", Mode.SET),
        ("(ins(order/item)) do delete 'x'", Mode.INSTANCE),
        ("(ins(order/item)) do delete '$delta'", Mode.INSTANCE),
        ("(ins(order/item)) if '@x' do delete '/order/x'", Mode.INSTANCE),
        ("(ins(order/item)) do insert '<a>{@id}</a>' last into '/order'", Mode.INSTANCE),
        ("(ins(order/item)) do insert '<a>{count(//item)}</a>' last into '/order'", Mode.SET),
        ("(ins(order/item/@id) as $id) do set '/order/@last' = '$id'", Mode.INSTANCE),
        ("(ins(order/item)) do set '/order/@op' = '$op'", Mode.INSTANCE),
        ("(ins(order/item)) {mode=set} do delete 'x'", Mode.SET),
        ("(ins(order/item)) do call 'f'", Mode.SET),
        ("Ping do raise Ping", Mode.INSTANCE),
        ("(ins(order/item)) do delete '/order/x[. = 3]'", Mode.SET),
    ],
)
def test_the_mode_that_is_meant(rule: str, mode: Mode) -> None:
    rules = parse_rules(f"event Ping(item) = external\nrule R on {rule}")
    assert rules.triggers is not None
    assert rules.triggers.programs[0].mode is mode


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rule R on ins(a) do delete '.'", "'ins' is an operation, not an event"),
        ("rule R on A do delete '.'", "rule R: there is no event called A"),
        ("event A = ins(a)\nrule R on A(b) do delete '.'", "rule R: A is raised for a, never for b"),
        ("event A = ins(a)\nrule A on A do delete '.'", "there is an event that is called 'A', as this rule is (L1)"),
        ("rule R on (ins(a)) do delete '.'\nrule R on (ins(a)) do delete '.'", "the rule 'R' is defined twice"),
        ("rule R on (ins(a)) do delete '/'", "a target that is the document node"),
        ("rule R on (ins(a)) do delete '/.'", "a target that is the document node"),
        ("rule R on (ins(a)) do delete '1'", "a target that selects no nodes"),
        ("rule R on (ins(a)) do delete 'count(b)'", "a target that selects no nodes"),
        ("rule R on (ins(a)) do delete 'b['", "it ends too early"),
        ("rule R on (ins(a)) if '$x' do delete '.'", "the unknown variable $x"),
        ("rule R on (ins(a)) {mode=set} if '$old' do delete '.'", "the unknown variable $old"),
        ("rule R on (ins(a)) do insert '<b>' last into '.'", "a fragment that is not well-formed XML"),
        ("rule R on (ins(a)) do insert '<p:b/>' last into '.'", "a fragment that is not well-formed XML"),
        ("rule R on (ins(a)) do insert '<{b}/>' last into '.'", "an expression in { } as a part of a name"),
        ("rule R on (ins(a)) do insert '<!--{b}-->' last into '.'", "an expression in a comment"),
        ("rule R on (ins(a)) do insert '<b>&x;</b>' last into '.'", "a fragment that is not well-formed XML"),
        ("rule R on (ins(a)) do insert '' last into '.'", "an empty fragment"),
        ("rule R on (ins(a)) do insert 'a {b' last into '.'", "a '{' that is not closed"),
        ("rule R on (ins(a)) do insert 'a } b' last into '.'", "a '}' without '{' before it"),
        ("rule R on (ins(a)) do insert '{foo()}' last into '.'", "the unknown function foo()"),
        ("rule R on (ins(a)) do insert '<b/>' before '@c'", "insert does not work on texts and attributes"),
        ("rule R on (ins(a)) do move 'text()' last into '.'", "move does not work on texts and attributes"),
        ("rule R on (ins(a)) do replace '@b' with '<c/>'", "replace does not work on texts and attributes"),
        ("rule R on (ins(a)) do raise B", "there is no event called B that could be raised"),
        ("event A = ins(a)\nrule R on A do raise A", "A is raised by its expression, not by rules (L7)"),
        ("rule R on (ins(a)) {priority=high} do delete '.'", "'high' is not a value of the option 'priority'"),
        ("rule R on (ins(a)) {mode=sett} do delete '.'", "'sett' is not a value of the option 'mode'"),
        ("event A = ins(a)\nrule R on A {within='3 days'} do delete '.'", "a rule has no option 'within'"),
        ("rule R on (ins(a/b) & ins(c)) do delete '.'", "rule R: the path type of the conjunction (&)"),
        ("rule R on (ins(a)) do", "the statement ends too early"),
        ("rule R on (ins(a)) do delte 'b'", "unexpected 'delte'"),
        ("rule R on (ins(a)) do insert '<b/>' into '.'", "unexpected 'into'"),
        ("event A = external", "the path type of the external cannot be derived"),
        ("event A = external & ins(a)", "unexpected '&'"),
    ],
)  # fmt: skip
def test_mistakes(text: str, expected: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rules(text)
    assert any(expected in problem.message for problem in caught.value.problems), str(caught.value)
    assert all(problem.line for problem in caught.value.problems)


def test_all_mistakes_are_reported_each_once() -> None:
    text = (
        "event A = ins(a) & ins(b)\nrule R on A do delete '/'\nrule S on (ins(x)) do delete '/', delete '1'"
    )
    with pytest.raises(RuleError) as caught:
        parse_rules(text)
    assert [problem.line for problem in caught.value.problems] == [1, 3, 3]


def test_rules_of_several_files_are_one_set(tmp_path: Any) -> None:
    (tmp_path / "events.xcep").write_text("event A = ins(a)\n")
    (tmp_path / "rules.xcep").write_text("rule R on A do delete '.'\n")
    rules = load_rules(tmp_path / "events.xcep", tmp_path / "rules.xcep")
    assert rules.triggers is not None and [rule.name for rule in rules.triggers.programs] == ["R"]
    (tmp_path / "again.xcep").write_text("rule R on A do delete '.'\nrule A on A do delete '.'\n")
    with pytest.raises(RuleError, match="defined twice") as caught:
        load_rules(tmp_path / "events.xcep", tmp_path / "rules.xcep", tmp_path / "again.xcep")
    assert [problem.message for problem in caught.value.problems] == [
        "the rule 'R' is defined twice", "there is an event that is called 'A', as this rule is (L1)"
    ]  # fmt: skip


def test_events_alone_stay_what_they_were() -> None:
    assert parse_rules("event A = ins(a)").triggers is None


def test_who_only_looks_for_events_says_that_it_ignores_rules(tmp_path: Any) -> None:
    """Once for the same rules; a rules file may have nothing but action rules."""
    from xmlcep import audit, fromstring, record
    from xmlcep.rules import IgnoredRulesWarning

    rules = parse_rules("rule R on (ins(a)) do delete '.'")
    with pytest.warns(IgnoredRulesWarning, match="its action rule is ignored here"):
        watch = fromstring("<r/>").watch(rules)
    watch.close()
    fromstring("<r/>").watch(rules).close()  # said once
    recorded = parse_rules("rule R on (ins(a)) do delete '.'")
    with pytest.warns(IgnoredRulesWarning, match="ignored here") as said:
        record(fromstring("<r/>", name="d"), tmp_path / "recorded.jsonl").watch(recorded)
    assert said[0].filename == __file__
    log = tmp_path / "log.jsonl"
    log.write_text('{"doc": "d", "ts": 1, "op": "ins", "path": "/a", "ids": [1]}\n')
    again = parse_rules("event A = ins(a)\nrule R on A do delete '.'\nrule S on A do delete 'b'")
    with pytest.warns(IgnoredRulesWarning, match="its 2 action rules are ignored here"):
        result = audit(log, again)
    assert result.summary.findings == 1


def test_the_command_says_it_on_standard_error(tmp_path: Any) -> None:
    from click.testing import CliRunner

    from xmlcep.cli.audit import command

    (tmp_path / "log.jsonl").write_text('{"doc": "d", "ts": 1, "op": "ins", "path": "/a", "ids": [1]}\n')
    (tmp_path / "rules.xcep").write_text("event A = ins(a)\nrule R on A do delete '.'\n")
    arguments = [str(tmp_path / "log.jsonl"), "--rules", str(tmp_path / "rules.xcep"), "--quiet"]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.stderr.count("ignored here") == 1
    assert '"name":"A"' in done.stdout.replace(" ", "")
