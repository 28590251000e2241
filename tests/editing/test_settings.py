"""What a project says once: xmlcep.toml, or [tool.xmlcep] in pyproject.toml."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import xmlcep
from tests.project.source import ROOT
from xmlcep.cli.main import run
from xmlcep.settings import Settings, SettingsError, find_settings


def write(folder: Path, text: str, name: str = "xmlcep.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_none(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, "[tool.other]\n", "pyproject.toml")
    assert find_settings(tmp_path).file is None


@pytest.mark.parametrize(("name", "head"), [("xmlcep.toml", ""), ("pyproject.toml", "[tool.xmlcep]\n")])
def test_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, head: str) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    for file in ("r2.xcep", "r1.xcep", "one.jsonl"):
        write(tmp_path, "", file)
    write(tmp_path, head + """rules = ["*.xcep"]
logs = "one.jsonl"
schema = "a.xsd"
keys = ["item=@n"]
fail-on = "error"
references = {parts = "p.xml"}
params = {limit = 5, state = "open"}
locations = {"urn:x" = "x.xsd"}
""", name)  # fmt: skip
    monkeypatch.chdir(below)
    found = find_settings()
    assert found.file == tmp_path / name
    assert found.rules == ("../../r1.xcep", "../../r2.xcep") and found.logs == ("../../one.jsonl",)
    assert (found.schema, found.references) == ("../../a.xsd", {"parts": "../../p.xml"})
    assert found.params == {"limit": 5, "state": "open"} and found.locations == {"urn:x": "../../x.xsd"}
    assert (found.keys, found.fail_on) == (("item=@n",), "error")


def test_the_page_shows_all_settings(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "teams.md").read_text(encoding="utf-8")
    for text in re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        write(tmp_path, text)
        shown = find_settings(tmp_path)
        assert all(getattr(shown, name) for name in Settings.__slots__)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rule = []", "there is no setting 'rule': did you mean rules?"),
        ("allow = ['python']", "there is no setting 'allow'"),
        ("rules = 3", "rules is 3: expected files or patterns"),
        ("rules = [3]", "expected files or patterns"),
        ("params = {a = true}", "expected numbers and texts by name"),
        ("fail-on = 'eror'", "expected info, warning or error"),
        ("references = ['a']", "expected files by name"),
        ("x", "xmlcep.toml: "),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        find_settings(tmp_path)
    assert said in str(caught.value)


def test_commands_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    doc = xmlcep.fromstring("<order><item><price>3</price></item></order>", name="order")
    with xmlcep.record(doc, "log.jsonl"):
        doc.root[0][0].text = "40"
    write(
        tmp_path,
        "param limit = 100 event Dear = upd(price/text())[. > $limit]\n#> upd order/price = 5\n",
        "a.xcep",
    )
    write(tmp_path, 'rules = ["*.xcep"]\nlogs = ["log.jsonl"]\nparams = {limit = 30}\nfail-on = "warning"\n')
    assert run(["audit", "-q"]) == 1
    assert json.loads(capsys.readouterr().out)["name"] == "Dear"
    assert run(["audit", "-q", "--param", "limit=50"]) == 0
    assert run(["check", "-q"]) == 0 and run(["fmt", "--check"]) == 1
    assert run(["pending"]) == 0
    write(tmp_path, "rules = [")
    assert run(["audit", "-q"]) == 2 and "xmlcep.toml" in capsys.readouterr().err
    assert run(["audit", "--help"]) == 0
