"""Parameters: numbers, texts and windows that whoever loads the rules can give (V9)."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import xmlcep
from xmlcep import Detector, PrimitiveEvent, RuleError, load_rules, parse_rules
from xmlcep.cli.main import run
from xmlcep.rules import PlainRules, Rules

RULES = """param dear = 30
param state = "open"
event Dear = ins(item/price/text())[. > $dear]
event Open {when="@state = $state"} = ins(item)
"""


def dear(rules: Rules) -> list[int]:
    """Which prices are dear."""
    found = []
    for number in (10, 29, 31, 60):
        record = {
            "ts": 1,
            "op": "ins",
            "path": "/order/item/price/text()",
            "ids": [1, 2, 3, 4],
            "value": str(number),
        }
        found += [number] if Detector(rules).feed(PrimitiveEvent.from_record(record)) else []
    return found


def refusal(text: str, **params: object) -> str:
    with pytest.raises(RuleError) as caught:
        parse_rules(text, params=params)  # type: ignore[arg-type]
    return str(caught.value)


def test_the_value_of_the_statement_or_the_given_one() -> None:
    assert dear(parse_rules(RULES)) == [31, 60]
    for value in (50, 50.0, "50"):
        rules = parse_rules(RULES, params={"dear": value})
        assert dear(rules) == [60]
        assert "param dear = 50\n" in str(rules)
        for again in (
            parse_rules(str(rules)),
            pickle.loads(pickle.dumps(rules)),
            PlainRules.of(rules).parse(),
        ):
            assert again == rules and dear(again) == [60]
    assert parse_rules(RULES) != parse_rules(RULES, params={"dear": 50})
    assert dear(parse_rules(RULES, params={"dear": 50}).part(["Dear"])) == [60]


def test_files_and_python(tmp_path: Path) -> None:
    (tmp_path / "a.xcep").write_text("param dear = 30\nevent Dear = ins(item/price/text())[. > $dear]\n")
    (tmp_path / "b.xcep").write_text(
        "param dear = 30\nevent Dearer = ins(item/price/text())[. > 2 * $dear]\n"
    )
    (tmp_path / "c.xcep").write_text("param dear = 40\nevent C = ins(item)\n")
    rules = load_rules(tmp_path / "a.xcep", tmp_path / "b.xcep", params={"dear": 4})
    assert dear(rules) == [10, 29, 31, 60]
    with pytest.raises(RuleError, match=r"the parameter 'dear' has another value in .*a.xcep"):
        load_rules(tmp_path / "a.xcep", tmp_path / "c.xcep")
    made = Rules.from_definitions(parse_rules(RULES).definitions[:1], params={"dear": 50})
    assert dear(made) == [60]
    with pytest.raises(RuleError, match=r"unknown variable .dear"):
        Rules.from_definitions(parse_rules(RULES).definitions[:1])


@pytest.mark.parametrize(
    ("text", "params", "said"),
    [
        (RULES, {"deer": 3}, "the rules have no parameter 'deer'"),
        (RULES, {"deer": 3}, "did you mean dear?"),
        (RULES, {"dear": "much"}, "the parameter $dear is 'much': expected a number"),
        (RULES, {"dear": True}, "the parameter $dear is True"),
        (RULES, {"dear": float("nan")}, "the parameter $dear is nan"),
        (RULES, {"state": 3}, "the parameter $state is 3: expected a text"),
        ("event A = ins(a)", {"dear": 3}, "declare it: param dear = 100"),
        ("param old = 3 event A = ins(a)", {}, "$old is known of every event"),
        ("param a = 1 param a = 2 event A = ins(a)", {}, "$a is declared twice"),
        ("param n = 1 event A = ins(a/@n) as $n", {}, "$n is declared for all rules"),
        ('param n = 1 event A {let n="1"} = ins(a)', {}, "$n has a value already"),
        ("param n = many event A = ins(a)", {}, "a parameter is a number, 100 or 1.5, or a text in quotes"),
        ('param n = 3 event A {within="$n"} = ins(a) ; ins(b/a)', {}, "$n is a number, not a window"),
        ('param n = "3" event A {within="$n"} = ins(a) ; ins(b/a)', {}, "$n is not a window"),
        ('event A {within="$n"} = ins(a) ; ins(b/a)', {}, "there is no parameter $n"),
        ("param dear = 3 event A = ins(a/text())[. > $deer]", {}, "did you mean dear?"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, params: dict[str, object], said: str) -> None:
    assert said in refusal(text, **params)


def test_windows() -> None:
    text = """param grace = "2 changes"
event Late = plus[ins(a), "$late"]
param late = "3 days"
event Soon {within="$grace"} = ins(a) ; ins(a/b)
event Apart {gap="$grace"} = ins(a) ; ins(a/b)
rule Act on (ins(a) ; ins(a/b)) {path=a, within="$grace"} do delete "."
"""
    rules = parse_rules(text, params={"grace": "5 changes"})
    soon = rules.definitions[1].expression.options.within
    assert soon is not None and soon.amount == 5 and str(soon) == "$grace"
    assert 'within="$grace"' in str(rules) and 'plus[ins(a), "$late"]' in str(rules)
    assert rules.triggers is not None
    assert rules.triggers.programs[0].tree.root.definition.options.within == soon
    assert rules == parse_rules(str(rules)) == parse_rules(rules.xml())


def test_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.xcep").write_text(RULES)
    doc = xmlcep.fromstring("<order><item><price/></item></order>", name="order")
    with xmlcep.record(doc, tmp_path / "log.jsonl"):
        doc.root[0][0].text = "40"
    log, rules, summary = str(tmp_path / "log.jsonl"), str(tmp_path / "rules.xcep"), tmp_path / "s.json"

    def audit(*options: str) -> tuple[int, list[str], str]:
        code = run(["audit", log, "--rules", rules, "-q", "--summary", str(summary), "--force", *options])
        said = capsys.readouterr()
        return code, [json.loads(line)["name"] for line in said.out.splitlines()], said.err

    assert audit()[:2] == (0, ["Dear"])
    assert json.loads(summary.read_text())["params"] == {"dear": 30, "state": "open"}
    assert audit("--param", "dear=50", "--param", "state=")[:2] == (0, [])
    assert json.loads(summary.read_text())["params"] == {"dear": 50, "state": ""}
    assert "--param" in audit("--param", "dear")[2]
    assert audit("--param", "x=1")[0] == 2
    assert run(["check", rules, "--format", "json", "--param", "dear=1"]) == 0
    assert json.loads(capsys.readouterr().out)["params"] == {"dear": 1, "state": "open"}


def test_a_state_is_of_its_values() -> None:
    state = Detector(parse_rules(RULES)).to_state()
    Detector.from_state(parse_rules(RULES), state)
    with pytest.raises(xmlcep.XmlCepError, match=r"other rules \(changed: \$dear\)"):
        Detector.from_state(parse_rules(RULES, params={"dear": 31}), state)


def test_checks_know_the_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.xcep"
    rules.write_text('param day = "monday"\nevent A = ins(item/@n)[. < $day]\n')
    assert run(["check", "-q", str(rules)]) == 0
    assert "number" in capsys.readouterr().err


def test_rules_that_are_replaced_begin_anew_where_a_value_is_another() -> None:
    text = RULES + 'param grace = "2 h" event Soon {within="$grace"} = ins(item) ; ins(item/price)'
    for params, changed in (({"dear": 31}, ("Dear",)), ({"grace": "3 h"}, ("Soon",)), ({"dear": 30}, ())):
        replaced = Detector(parse_rules(text)).replace(parse_rules(text, params=params))
        assert replaced.changed == changed
    said = text.replace("event Dear =", 'event Dear {severity=error, message="{$dear}"} =')
    assert Detector(parse_rules(text)).replace(parse_rules(said)).changed == ()
