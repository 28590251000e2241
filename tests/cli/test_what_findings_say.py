"""Severity, message, description and names of operands, wherever findings are shown (V10, Y10)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from xmlcep.cli.main import run

RULES = """# What costs more.
event Dearer(item) {severity=error, message="{@n}: {$old} to {$new}"}
    = upd(item/price/text())[number(.) > number($old)] as raised
event Cheaper {severity=info} = upd(item/price/text())[number(.) < number($old)]
event Any = upd(item/price/text())
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, Path]:
    doc = xmlcep.fromstring("<order><item n='7'><price>3</price></item></order>", name="order")
    with xmlcep.record(doc, tmp_path / "log.jsonl"):
        doc.root[0][0].text = "4"
        doc.root[0][0].text = "2"
    (tmp_path / "rules.xcep").write_text(RULES)
    return str(tmp_path / "log.jsonl"), str(tmp_path / "rules.xcep"), tmp_path


def audited(files: tuple[str, str, Path], *options: str) -> int:
    log, rules, _ = files
    return run(["audit", log, "--rules", rules, "-q", *options])


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_findings_and_conditions(files: tuple[str, str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert audited(files) == 0
    found = {(each["name"], each["ts"]): each for each in lines(capsys)}
    dearer = found["Dearer", 1]
    assert (dearer["severity"], dearer["message"]) == ("error", "7: 3 to 4")
    assert dearer["constituents"][0]["as"] == "raised"  # type: ignore[index]
    assert "message" not in found["Cheaper", 2] and "severity" not in found["Any", 1]
    for least, names in (("info", 4), ("warning", 3), ("error", 1)):
        assert audited(files, "--where", f"severity={least}") == 0
        assert len(lines(capsys)) == names
    assert audited(files, "--where", "severity=eror") == 2
    assert "did you mean error?" in capsys.readouterr().err
    assert audited(files, "--where", "text=3 TO 4", "--format", "csv") == 0
    row = capsys.readouterr().out.splitlines()[1].split(",")
    assert row[1] == "error" and row[-3:] == ["7: 3 to 4", "raised: 3 → 4", ""]


@pytest.mark.parametrize(
    ("rules", "least", "status"),
    [
        (RULES, "error", 1), (RULES.replace("error", "warning"), "error", 0),
        (RULES.replace("error", "warning"), "warning", 1), ("event Any = upd(price/text())", "warning", 1),
        ("event Any {severity=info} = upd(price/text())", "warning", 0),
        ("event Any {severity=info} = upd(price/text())", "info", 1), ("event No = ins(no)", "info", 0),
    ],
)  # fmt: skip
def test_fail_on(files: tuple[str, str, Path], rules: str, least: str, status: int) -> None:
    Path(files[1]).write_text(rules)
    assert audited(files, "--fail-on", least) == status


def test_formats_of_others(files: tuple[str, str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert audited(files, "--format", "sarif") == 0
    (sarif,) = json.loads(capsys.readouterr().out)["runs"]
    by_name = {each["id"]: each for each in sarif["tool"]["driver"]["rules"]}
    assert by_name["Dearer"]["fullDescription"] == {"text": "What costs more."}
    assert by_name["Dearer"]["defaultConfiguration"] == {"level": "error"}
    assert by_name["Any"] == {"id": "Any"}
    said = {(each["ruleId"], each["level"], each["message"]["text"]) for each in sarif["results"]}
    assert ("Dearer", "error", "7: 3 to 4") in said
    assert {level for name, level, _ in said if name != "Dearer"} == {"note", "warning"}
    assert audited(files, "--format", "junit") == 0
    suites = etree.fromstring(capsys.readouterr().out.encode())
    assert suites.get("failures") == "2"
    dearer, cheaper, _ = suites.iter("testcase")
    assert dearer.find("failure").get("type") == "error" and "7: 3 to 4" in dearer.findtext("failure")
    assert dearer.find("properties/property").get("value") == "What costs more."
    assert cheaper.find("failure") is None and "1 finding" in cheaper.findtext("system-out")
    assert audited(files, "--format", "cloudevents") == 0
    assert [each.get("severity") for each in lines(capsys)] == ["error", None, "info", None]


def test_the_page_and_check(files: tuple[str, str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    log, rules, folder = files
    assert run(["report", log, "--rules", rules, "-o", str(folder / "page.html"), "-q"]) == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "What costs more." in page and "7: 3 to 4" in page and "raised: upd" in page
    assert '"severities":{"Dearer":"error","Cheaper":"info"}' in page.replace(": ", ":").replace(", ", ",")
    assert run(["check", rules]) == 0
    said = capsys.readouterr().out
    assert "# What costs more." in said and "error, message {@n}: {$old} to {$new}" in " ".join(said.split())
    assert run(["convert", rules, str(folder / "rules.xml")]) == 0
    assert "left out" not in capsys.readouterr().err
    assert run(["convert", str(folder / "rules.xml")]) == 0
    assert capsys.readouterr().out.splitlines()[:1] == ["# What costs more."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('event A {message="{"} = ins(a)', "a '{' that is not closed"),
        ('event A {message="}"} = ins(a)', "a '}' without '{' before it"),
        ('event A {message="{$x}"} = ins(a)', "in the message, the unknown variable $x"),
        ('event A {flat, message="{@x}"} = ins(a)', "although there is no document here"),
        ("event A {message=no} = ins(a)", "expected a string"),
        ("event A {severity=eror} = ins(a)", "did you mean error?"),
        ("event A = (ins(a) & ins(b/a)) {severity=error}", "is an option of an event"),
        ("event A = ins(a) as b as c", "the operand has a name already"),
        ("event A = (ins(a) & ins(a/b)) {name=b} as c ; ins(a/c)", "'name' is given twice"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(xmlcep.RuleError) as caught:
        xmlcep.parse_rules(text)
    assert said in str(caught.value)


def test_a_live_watch_says_it() -> None:
    said: list[str | None] = []
    doc = xmlcep.fromstring("<order><item n='7'><price>3</price></item></order>")
    with doc.watch(xmlcep.parse_rules(RULES), on_event=lambda event: said.append(event.message)):
        doc.root[0][0].text = "4"
    assert said == ["7: 3 to 4", None]


def test_other_words_make_no_other_state() -> None:
    state = xmlcep.Detector(xmlcep.parse_rules(RULES)).to_state()
    other = RULES.replace("error", "info").replace("to {", "until {").replace("What", "That")
    xmlcep.Detector.from_state(xmlcep.parse_rules(other), state)
