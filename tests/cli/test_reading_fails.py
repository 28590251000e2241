"""A file that opens and cannot be read, as of a disk or a network share that fails, is named by whatever reads it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from xmlcep.cli.main import run

UNREADABLE = Path("/proc/self/mem")
"""It opens as an ordinary file does, and every read of its beginning is an I/O error."""


def _fails() -> bool:
    try:
        UNREADABLE.read_bytes()
    except FileNotFoundError:
        return False
    except OSError as error:
        return error.filename is None
    return False


pytestmark = pytest.mark.skipif(not _fails(), reason="needs a file that opens and cannot be read")

COMMANDS = [
    "audit bad.jsonl --rules ok.xcep",
    "audit bad.jsonl.gz --rules ok.xcep",
    "audit bad.parquet --rules ok.xcep",
    "audit ok.jsonl --rules bad.xcep",
    "audit ok.jsonl --schema bad.xsd",
    "audit ok.jsonl --rules ok.xcep --out out.jsonl --state bad.state",
    "verify bad.jsonl",
    "verify bad.parquet",
    "rebuild bad.jsonl",
    "rebuild bad.jsonl.gz",
    "rebuild ok.jsonl --annotate bad.jsonl",
    "log bad.jsonl",
    "blame bad.jsonl //item",
    "pending bad.jsonl --rules ok.xcep",
    "why bad.jsonl --rules ok.xcep 1",
    "why-not bad.jsonl --rules ok.xcep A",
    "report bad.jsonl --rules ok.xcep -o report.html",
    "check bad.xcep",
    "check ok.xcep --schema bad.xsd",
    "fmt bad.xcep",
    "convert bad.xcep",
    "convert bad.xml",
    "derive bad.xsd",
    "diff ok.xml bad.xml",
    "diff bad.xml ok.xml",
    "diff ok.xml ok.xml --schema bad.xsd",
    "history bad.xml ok.xml -o new.jsonl",
    "history ok.xml bad.xml -o new.jsonl",
    "history ok.xml other.xml -o bad.jsonl",
    "apply ok.xcep bad.xml --initial",
    "apply bad.xcep ok.xml --initial",
    "apply ok.xcep ok.xml --log bad.jsonl",
    "apply ok.xcep ok.xml --initial --reference parts=bad.xml",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that are right, and one of each kind that cannot be read."""
    monkeypatch.chdir(tmp_path)
    for kind in ("jsonl", "jsonl.gz", "parquet", "xcep", "xml", "xsd", "state"):
        Path(f"bad.{kind}").symlink_to(UNREADABLE)
    Path("parts.xml").write_text("<parts/>")
    Path("ok.xcep").write_text(
        'reference parts = "parts.xml"\nevent A = ins(item)[not($parts/parts/part)]\n'
        'rule R on A(item) do set "@seen" = "1"\n'
    )
    for name in ("ok.xml", "other.xml"):
        Path(name).write_text("<order><item/></order>")
    document = xmlcep.fromstring("<order/>", name="order")
    with xmlcep.record(document, "ok.jsonl"):
        etree.SubElement(document.root, "item")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_name_it(command: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(command.split()) == 2
    said = capfd.readouterr().err
    [bad] = re.findall(r"bad\.[\w.]+", command)
    assert bad in said
    assert "Input/output error" in said
    assert "Traceback" not in said


def test_the_library_names_it(folder: Path) -> None:
    for call in (
        lambda: xmlcep.parse("bad.xml"),
        lambda: xmlcep.diff("bad.xml", "ok.xml"),
        lambda: xmlcep.load_rules("bad.xcep"),
        lambda: xmlcep.audit("bad.jsonl", xmlcep.parse_rules("event A = ins(item)")),
        lambda: xmlcep.record(xmlcep.fromstring("<order/>", name="order"), "bad.jsonl"),
        lambda: xmlcep.rebuild("bad.jsonl"),
    ):
        with pytest.raises((OSError, xmlcep.XmlCepError), match=r"(?s)bad\..*|.*bad\."):
            call()
