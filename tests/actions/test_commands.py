"""``xmlcep apply`` and ``xmlcep audit --actions`` (rule L11)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from lxml import etree

import xmlcep
from tests.matching.trees import canonical, eventful, unindented
from xmlcep.cli import main
from xmlcep.cli.apply import command as apply
from xmlcep.cli.audit import command as audit
from xmlcep.errors import XmlCepError
from xmlcep.versions.files import FileVersions
from xmlcep.versions.history import write_history

RULES = """\
rule Flag on (ins(item)) if "not(price)" do set "@status" = "'no price'"
rule Unflag on (ins(item/price)) {path=item} if "@status" do delete "@status"
rule Total on (*(item/price/text())) {mode=set} do set "/order/@total" = "sum(/order/item/price)", call "tell"
"""
ORDER = "<order><item><price>3</price></item><item/></order>"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "rules.xcep").write_text(RULES)
    (tmp_path / "order.xml").write_text(ORDER)
    return tmp_path


def run(command: Any, folder: Path, *arguments: str) -> Result:
    given = [str(folder / each) if each.endswith((".xcep", ".xml", ".jsonl")) else each for each in arguments]
    return CliRunner().invoke(command, given, catch_exceptions=False, standalone_mode=False)


def record(folder: Path) -> str:
    """Edits of the order go to log.jsonl; the document that they lead to."""
    doc = xmlcep.parse(folder / "order.xml")
    with xmlcep.record(doc, folder / "log.jsonl"):
        item = etree.SubElement(doc.root, "item")
        item.text = "x"
        price = etree.SubElement(item, "price")
        price.text, price.tail = "5", "y"
        with doc.transaction(user="ann"):
            doc.root[1].append(etree.fromstring("<price>7</price>"))
            doc.root[0][0].text = "4"
            doc.root.remove(item)
        doc.root.insert(0, etree.fromstring("<item n='1'>a<b/>c</item>"))
        doc.root[0][0].tail = None
        doc.root[0].set("n", "2")
        doc.root[0].text = "d"
    return etree.tostring(doc.root, encoding="unicode")


def test_an_insertion_of_everything(files: Path) -> None:
    done = run(apply, files, "rules.xcep", "order.xml", "--initial")
    assert done.return_value == 0
    assert etree.fromstring(done.stdout.encode()).get("total") == "3"
    assert 'status="no price"' in done.stdout
    assert "Flag at 5, for /order#1/item#5:\n  ins /order#1/item#5/@status#6 'no price'\n" in done.stderr
    assert 'call "tell": not called here' in done.stderr
    assert (files / "order.xml").read_text() == ORDER


def test_a_dry_run_and_a_new_file(files: Path) -> None:
    dry = run(apply, files, "rules.xcep", "order.xml", "--initial", "--dry-run")
    assert "2 firings" in dry.stdout and "<order" not in dry.stdout
    new = run(apply, files, "rules.xcep", "order.xml", "--initial", "--out", "new.xml")
    assert new.stdout == dry.stdout
    assert etree.parse(str(files / "new.xml")).getroot().get("total") == "3"


def test_the_edits_of_a_log_are_made_again(files: Path) -> None:
    """Without rules that change anything the document comes out as it was."""
    after = record(files)
    (files / "none.xcep").write_text("rule Never on (ins(never)) do delete '.'\n")
    done = run(apply, files, "none.xcep", "order.xml", "--log", "log.jsonl", "--out", "new.xml")
    assert done.return_value == 0, done.output
    assert etree.tostring(etree.parse(str(files / "new.xml")).getroot(), encoding="unicode") == after
    with_rules = run(apply, files, "rules.xcep", "order.xml", "--log", "log.jsonl", "--out", "acted.xml")
    root = etree.parse(str(files / "acted.xml")).getroot()
    assert (root.get("total"), root[0].get("status"), root[2].get("status")) == ("11", "no price", None)
    assert "edits of the log" in with_rules.stdout


EDITED = [
    ("<order>\n  <item/>\n</order>", "<order>\n  <item/>\n  <item n='1'/>\n</order>"),  # indented
    ("<order>a<item/></order>", "<orders n='1'>b<item/>c</orders>"),  # another root
    ("<order>a<!-- x --> b</order>", "<order>a<item/> b</order>"),  # texts that a comment parts
    ("<order><item/>b</order>", "<order><item/>a<!-- x -->b<!-- y -->c</order>"),
    ("<order>b<item/>d</order>", "<order>a<!-- x -->b<!-- y -->d<item/></order>"),
    ("<order>a<item/>b<item/></order>", "<order>a<!-- x -->b<price/></order>"),
]


@pytest.mark.parametrize(("first", "second"), EDITED)
def test_the_edits_of_a_history_are_made_again(tmp_path: Path, first: str, second: str) -> None:
    (tmp_path / "v-1.xml").write_text(first)
    (tmp_path / "v-2.xml").write_text(second)
    (tmp_path / "none.xcep").write_text("rule None on (ins(nothing)) do delete '.'\n")
    write_history(FileVersions([tmp_path]), tmp_path / "log.jsonl", name="order")
    done = run(apply, tmp_path, "none.xcep", "v-1.xml", "--log", "log.jsonl", "--out", "new.xml")
    assert "left out" not in done.stdout
    came = eventful(unindented(etree.parse(str(tmp_path / "new.xml")).getroot()))
    assert canonical(came) == canonical(eventful(unindented(etree.fromstring(second))))


def test_failed_firings_are_told(files: Path) -> None:
    (files / "bad.xcep").write_text("rule Bad on (ins(item)) do delete '/order'\n")
    done = run(apply, files, "bad.xcep", "order.xml", "--initial", "--dry-run")
    assert done.return_value == 1
    assert done.stderr.count("the root element /order cannot be deleted") == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("events.xcep", "order.xml", "--initial"), "there are no action rules"),
        (
            ("rules.xcep", "other.xml", "--log", "log.jsonl"),
            "its edits began with another document than this",
        ),
        (("rules.xcep", "order.xml", "--log", "bare.jsonl"), "it has no snapshot of the document"),
        (("rules.xcep", "order.xml", "--initial", "--out", "order.xml"), "order.xml"),
    ],
)
def test_wrong_input(files: Path, arguments: tuple[str, ...], problem: str) -> None:
    record(files)
    (files / "events.xcep").write_text("event A = ins(item)\n")
    (files / "other.xml").write_text("<invoice/>")
    (files / "bare.jsonl").write_text('{"doc": "d", "ts": 1, "op": "ins", "path": "/a", "ids": [1]}\n')
    with pytest.raises(XmlCepError, match=problem):
        run(apply, files, *arguments)


def test_what_rules_would_have_done(files: Path) -> None:
    record(files)
    before = (files / "log.jsonl").read_bytes()
    done = run(audit, files, "log.jsonl", "--rules", "rules.xcep", "--actions")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["rule"], each["ts"], each["path"]) for each in found] == [
        ("Flag", 1, "/order/item"),
        ("Total", 4, "/order/item/price/text()"),
        ("Total", 7, "/order/item/price/text()"),
        ("Total", 8, "/order/item/price/text()"),
        ("Total", 10, "/order"),
        ("Flag", 14, "/order/item"),
    ]
    assert (files / "log.jsonl").read_bytes() == before
    failing = run(audit, files, "log.jsonl", "--rules", "rules.xcep", "--actions", "--fail-on-findings")
    assert failing.return_value == 1


def test_what_would_have_fired_is_what_fired(tmp_path: Path) -> None:
    """A log that was made with the same rules: what rules made in it triggers as it did."""
    from tests.actions.test_logs import RULES as ACTING
    from tests.actions.test_logs import edits
    from xmlcep.auditing.acting import would_fire

    rules = xmlcep.parse_rules(ACTING)
    doc = xmlcep.fromstring("<order/>", name="order")
    fired: list[tuple[str, int]] = []
    with (
        xmlcep.record(doc, tmp_path / "log.jsonl"),
        doc.rules(rules, on_fire=lambda record: fired.append((record.rule, record.ts))),
    ):
        edits(doc)
    would = [(each.rule, each.ts) for each in would_fire([tmp_path / "log.jsonl"], rules)]
    assert sorted(would) == sorted(fired)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--engine", "spark"), "leave out --engine spark"),
        (("--out", "x.jsonl"), "leave out --out"),
        (("--where", "event=A"), "leave out --where"),
        (("--format", "table"), "leave out --format"),
        (("--until", "2026-01-01T00:00:00Z"), "leave out --until"),
        (("--dry-run",), "leave out --dry-run"),
        (("--master", "local[2]"), "leave out --master"),
    ],
)
def test_nothing_beside_actions_is_ignored(files: Path, options: tuple[str, ...], problem: str) -> None:
    record(files)
    with pytest.raises(click.UsageError, match=problem):
        run(audit, files, "log.jsonl", "--rules", "rules.xcep", "--actions", *options)
    assert run(audit, files, "log.jsonl", "--rules", "rules.xcep", "--actions", "--engine", "local").stdout


@pytest.mark.parametrize("how", [["--initial"], ["--log", "log.jsonl"]])
def test_rules_that_nothing_triggers_are_told_why(
    how: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As an audit tells of rules without findings: here of a namespace that is not declared."""
    monkeypatch.chdir(tmp_path)
    Path("order.xml").write_text('<order xmlns="urn:a"><item/></order>')
    doc = xmlcep.parse("order.xml", name="order")
    with xmlcep.record(doc, "log.jsonl"):
        doc.root.append(doc.root.makeelement("{urn:a}item"))
    doc.close()
    acting = 'rule R on New do set "@n" = "1"\nevent New = ins(item)\n'
    for declared, said in (
        ("", "New: nothing matches ins(item): item is in the namespace "),
        ('namespace "urn:a"\n', ""),
    ):
        Path("rules.xcep").write_text(declared + acting)
        assert main.run(["apply", "rules.xcep", "order.xml", *how, "--dry-run"]) == 0
        printed = capsys.readouterr()
        assert ("1 firing" in printed.out) == (not said)
        assert printed.err.startswith(said) and bool(printed.err) == bool(said)
