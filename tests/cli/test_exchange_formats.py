"""CloudEvents, SARIF, JUnit XML: what they hold, and that tools for them can read it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from xmlcep import fromstring, record
from xmlcep.cli.main import run

RULES = "event Priced = ins(item/price/text())\nevent Changed = upd(item/price/text())\nevent Never = ins(item/x)\n"
ODD = "a b/ö#?&%<>\u202e.xml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.xcep").write_text(RULES)
    doc = fromstring("<order><item/><item/></order>", name=ODD)
    with record(doc, "log.jsonl"):
        for item in doc.root:
            with doc.transaction(author="ann"):
                item.append(item.makeelement("price"))
                item[0].text = "</failure><&\u202e"
                item[0].text = "2"
    return tmp_path


def written(format: str, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert run(["audit", "log.jsonl", "--rules", "rules.xcep", "-q", "--format", format, *more]) == 0
    return capsys.readouterr().out


def findings(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written("jsonl", capsys).splitlines()]


def test_cloud_events(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = [json.loads(line) for line in written("cloudevents", capsys).splitlines()]
    assert [event["data"] for event in events] == findings(capsys)
    assert {event["specversion"] for event in events} == {"1.0"}
    assert len({(event["source"], event["id"]) for event in events}) == len(events) == 4
    assert {event["source"] for event in events} == {"a%20b/%C3%B6%23%3F%26%25%3C%3E%E2%80%AE.xml"}
    assert events[0]["type"] == "xmlcep.Priced"
    assert events[0]["subject"].startswith("/order/item/price/text()#")
    chosen = [
        json.loads(line)["id"]
        for line in written("cloudevents", capsys, "--where", "event=Changed").splitlines()
    ]
    assert chosen == [event["id"] for event in events if event["data"]["name"] == "Changed"]
    for event in events:
        assert run(["why", "log.jsonl", "--rules", "rules.xcep", event["id"]]) == 0


def test_cloud_events_are_read_as_such(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader = pytest.importorskip("cloudevents.core.formats.json").JSONFormat()
    for line in written("cloudevents", capsys).splitlines():
        assert reader.read(None, line).get_id() == json.loads(line)["id"]


def test_of_several_alike_each_has_a_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.xcep").write_text(
        "event Pair {context=unrestricted} = ins(item/price) ; ins(item/price/text())\n"
        "event Twice(/order) {context=unrestricted} = Pair(item) ; Pair(item)\n"
    )
    names = [json.loads(line)["id"] for line in written("cloudevents", capsys).splitlines()]
    assert max(Counter(names).values()) == 1


def test_sarif(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = json.loads(written("sarif", capsys))
    (found,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert {rule["id"] for rule in found["tool"]["driver"]["rules"]} == {"Priced", "Changed", "Never"}
    assert [result["ruleId"] for result in found["results"]] == [each["name"] for each in findings(capsys)]
    for result in found["results"]:
        (place,) = result["locations"]
        assert result["level"] == "warning" and result["message"]["text"]
        assert place["physicalLocation"]["artifactLocation"]["uri"].startswith("a%20b/")
        assert place["physicalLocation"]["region"]["startLine"] == 1
    prints = [result["partialFingerprints"]["finding/v1"] for result in found["results"]]
    assert len(set(prints)) == len(prints)


def test_sarif_without_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(written("sarif", capsys, "--where", "document=other"))["runs"][0]["results"] == []


def test_sarif_of_problems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.xcep").write_text("event A = ins(item)\nevent B = Nobody(item) & ins(item\n")
    assert run(["check", "bad.xcep", "--format", "sarif"]) == 2
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert {result["level"] for result in results} == {"error"}
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "bad.xcep"
    assert place["region"]["startLine"] in (2, 3)
    Path("odd.xcep").write_text("event A = ins(item/text)\n")
    assert run(["check", "odd.xcep", "--format", "sarif"]) == 0
    assert [each["level"] for each in json.loads(capsys.readouterr().out)["runs"][0]["results"]] == [
        "warning"
    ]


def test_junit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["audit", "log.jsonl", "--rules", "rules.xcep", "-q", "--fail-on-findings"]
    assert run([*arguments, "-o", "found.xml"]) == 1
    suites = etree.parse("found.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("3", "2")
    cases = {case.get("name"): case for case in suites.iter("testcase")}
    assert list(cases) == ["Priced", "Changed", "Never"]
    assert [len(case) for case in cases.values()] == [1, 1, 0]
    failure = cases["Changed"][0]
    assert failure.get("message") == "2 findings"
    assert (failure.text or "").count("</failure><&") == 2
    assert run([*arguments, "-o", "found.xml"]) == 1  # what such a command wrote is overwritten
    Path("found.xml").write_text("<mine/>")
    assert run([*arguments, "-o", "found.xml"]) == 2


@pytest.mark.parametrize("format", ["cloudevents", "sarif", "junit"])
def test_written_again(folder: Path, format: str) -> None:
    for _ in range(2):
        arguments = ["audit", "log.jsonl", "--rules", "rules.xcep", "-q", "--format", format]
        assert run([*arguments, "-o", "out"]) == 0
