"""`xmlcep convert`: rules in the other form."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from lxml import etree

from xmlcep.cli.main import run
from xmlcep.rules import load_rules

TEXT = """# what a price does
event Priced = ins(item) ; ins(item/price)  # in this order
event Both = Priced(item) & Elsewhere(item)
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "rules.xcep"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_there_and_back(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xml, again = text.with_name("rules.xml"), text.with_name("again.xcep")
    assert run(["convert", str(text), str(xml)]) == 0
    assert "1 comment is left out" in capsys.readouterr().err
    assert run(["convert", str(xml), str(again)]) == 0
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", "")
    assert again.read_text(encoding="utf-8") == (
        "# what a price does\nevent Priced = ins(item) ; ins(item/price)\nevent Both = Priced(item) & Elsewhere(item)\n"
    )
    assert run(["convert", str(again)]) == 0
    assert capsys.readouterr().out == xml.read_text(encoding="utf-8")


def test_standard_input(
    text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"event A = ins(a)")))
    assert run(["convert", "-"]) == 0
    assert '<ins path="a"/>' in capsys.readouterr().out


def test_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", "--schema"]) == 0
    etree.XMLSchema(etree.fromstring(capsys.readouterr().out.encode()))


def test_what_is_there_stays(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xml = text.with_name("rules.xml")
    xml.write_text("mine", encoding="utf-8")
    assert run(["convert", str(text), str(xml)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert xml.read_text(encoding="utf-8") == "mine"
    assert run(["convert", str(text), str(xml), "--force"]) == 0
    assert run(["convert", str(text), str(text), "--force"]) == 2


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        ("event A = ins(", "b.xml", ":1:14: the statement ends too early"),
        ("event A = ins(a)", "b.xcep", "is in the event language already"),
        ('<rules xmlns="urn:xmlcep:rules"><event name="A"/></rules>', "b.xcep", "<event> has 0 operands"),
        ('<rules xmlns="urn:xmlcep:rules"/>', "b.xml", "is in XML already"),
        ('<?xml version="1.0" encoding="nonsense"?><rules/>', "b.xcep", "there is no encoding 'nonsense'"),
    ],
)
def test_what_is_wrong(
    content: str, target: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a"
    source.write_text(content, encoding="utf-8")
    assert run(["convert", str(source), str(tmp_path / target)]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / target).exists()


@pytest.mark.parametrize("arguments", [[], ["--schema", "x"]])
def test_usage(arguments: list[str]) -> None:
    assert run(["convert", *arguments]) == 2


def test_commands_read_both(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text.write_text("event A = ins(item)", encoding="utf-8")
    xml = text.with_name("rules.xml")
    assert run(["convert", str(text), str(xml)]) == 0
    assert load_rules(xml) == load_rules(text)
    assert run(["check", str(xml)]) == 0
    assert run(["fmt", str(xml)]) == 2
    assert "xmlcep convert" in capsys.readouterr().err


@pytest.mark.parametrize(
    "rules", ["event Ping(item) = external\n", 'rule R on (ins(item))\n     do delete "."\n']
)
def test_rules_that_act_go_there_and_back(
    rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, xml = tmp_path / "rules.xcep", tmp_path / "rules.xml"
    file.write_text(rules, encoding="utf-8")
    assert run(["convert", str(file), str(xml)]) == 0
    assert run(["convert", str(xml)]) == 0
    assert capsys.readouterr().out == rules
