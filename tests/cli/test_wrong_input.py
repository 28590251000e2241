"""Wrong input to commands and library: what was given, where, what was expected; no traceback."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import xmlcep
from xmlcep.cli.main import run

LOG = (
    '{"doc":"d","ts":1,"op":"ins","path":"/a","ids":[1]}\n'
    '{"doc":"d","ts":2,"op":"ins","path":"/a/item","ids":[1,2],"pos":0}\n'
)
SCHEMA = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="item"><xs:complexType><xs:sequence>'
    '<xs:element name="price" type="xs:decimal"/></xs:sequence></xs:complexType></xs:element></xs:schema>'
)
FILES = {
    "a.xcep": "event A = ins(item)\n",
    "bad.xcep": "event A = ins(item\n",
    "misfit.xcep": "event A = ins(item/prize)\n",
    "log.jsonl": LOG,
    "broken.jsonl": LOG.replace("\n", "\nrubbish\n", 1),
    "empty.jsonl": "",
    "doc.xml": "<a><item/></a>",
    "half.xml": "<a><item></a>",
    "bomb.xml": '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    "x.xsd": SCHEMA,
    "half.xsd": '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="nope"/></xs:schema>',
}
AUDIT = "audit log.jsonl --rules a.xcep"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "latin.xcep").write_bytes("event Größe = ins(a)".encode("latin-1"))
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("audit", "Missing argument 'LOG"),
        ("audit log.jsonl", "say what to look for: --rules FILE, or --schema XSD"),
        ("audit log.jsonl --rules none.xcep", "none.xcep: the rules file cannot be read: No such file"),
        ("audit log.jsonl --rules bad.xcep", "bad.xcep:1:18: the statement ends too early: expected a path"),
        ("audit log.jsonl --rules log.jsonl", "log.jsonl: this looks like a change log, not like rules"),
        ("audit log.jsonl --rules doc.xml", "doc.xml:1:1: this is XML, not rules: its first element is <a>"),
        (f"{AUDIT} --rules a.xcep", "a.xcep: the rules file is given twice"),
        ("audit none.jsonl --rules a.xcep", "none.jsonl: there is no such file"),
        ("audit doc.xml --rules a.xcep", "doc.xml: not a change log: it is XML: `xmlcep history FILE` makes"),
        ("audit a.xcep --rules a.xcep", "a.xcep: not a change log: it looks like rules"),
        ("audit folder --rules a.xcep", "folder: the folder has no logs: expected files that end in .jsonl"),
        ("audit empty.jsonl --rules a.xcep", "empty.jsonl: the file is empty: expected change records"),
        ("audit broken.jsonl --rules a.xcep --on-bad-record fail", "broken.jsonl:2: not a JSON object"),
        (f"{AUDIT} --out log.jsonl", "log.jsonl: is there already and does not hold findings"),
        (f"{AUDIT} --out a.xcep", "a.xcep: is read and would be overwritten: write to another file"),
        (f"{AUDIT} --out folder", "folder: is a folder: give the name of a file"),
        (f"{AUDIT} --out none/x.jsonl", "none/x.jsonl: cannot be written: there is no folder none"),
        (f"{AUDIT} --format parquet", "--format parquet needs --out"),
        (f"{AUDIT} --format cvs", "'cvs' is not one of"),
        (f"{AUDIT} --partition-by-rule", "--partition-by-rule needs --out: the folder for the findings"),
        (f"{AUDIT} --engine sparc", "'sparc' is not one of 'auto', 'local', 'spark'"),
        (f"{AUDIT} --partitions 0", "0 is not in the range x>=1"),
        ("audit log.jsonl --schema half.xsd", "half.xsd: this is not a schema that can be used: unknown type 'nope'"),
        ("audit log.jsonl --schema none.xsd", "none.xsd: there is no such schema file"),
        ("check", "Missing argument 'RULES"),
        ("check latin.xcep", "latin.xcep:1: the rules file is not UTF-8: byte 0xf6"),
        ("check folder", "folder: the rules file cannot be read: Is a directory"),
        ("check misfit.xcep --schema x.xsd", "misfit.xcep:1:11: event A: item has no child element prize"),
        ("check a.xcep --schema doc.xml", "doc.xml: this is not a schema: its root element is a, expected schema of"),
        ("check a.xcep --shema x.xsd", "No such option '--shema'"),
        ("fmt a.xcep misfit.xcep", "several files can be rewritten (--write) or compared (--check), not printed"),
        ("fmt --write -", "standard input cannot be rewritten"),
        ("rebuild none.jsonl", "none.jsonl: cannot be read: No such file"),
        ("rebuild log.jsonl --at yesterday", "'yesterday' is not a time: expected a day or a time"),
        ("rebuild log.jsonl --at 0", "log.jsonl: the document 'd' has no root element at 0"),
        ("rebuild log.jsonl --at 2026-01-01T00:00:00Z", "log.jsonl:1: the record has no time (at)"),
        ("rebuild log.jsonl --doc e", "log.jsonl: nothing is recorded of the document 'e'"),
        ("rebuild broken.jsonl", "broken.jsonl:2: not a JSON object"),
        ("rebuild doc.xml", "doc.xml: not a change log: it is XML: `xmlcep history FILE` makes"),
        ("verify none.jsonl", "none.jsonl: cannot be read: No such file"),
        ("derive half.xml", "half.xml: this is not a schema that can be used: invalid XML syntax"),
        ("derive bomb.xml", "bomb.xml: this is not a schema that can be used: Entities are forbidden"),
        ("derive fifo", "fifo: a pipe or device, not a file: save the schema to a file"),
        ("derive a.xcep", "a.xcep: this is neither a schema nor XML: expected an XML Schema (.xsd)"),
        ("derive x.xsd --only prize", "the schema declares no element 'prize': did you mean price?"),
        ("derive x.xsd --root prize", "the schema declares no global element 'prize': there is item"),
        ("derive x.xsd --end later", "'later' is not one of 'earliest', 'non-local', 'custom'"),
        ("derive x.xsd --depth -1", "-1 is not in the range x>=0"),
        ("derive x.xsd --location urn:x", "'urn:x': expected NAMESPACE=FILE"),
        ("derive x.xsd -o x.xsd", "x.xsd: is read and would be overwritten: write to another file"),
        ("derive x.xsd -o a.xcep", "a.xcep: is there already and may have been edited"),
        ("derive x.xsd -o none/x.xcep", "none/x.xcep: cannot be written: there is no folder none"),
        ("demo --keep a.xcep", "Directory 'a.xcep' is a file"),
        ("explain Z" + "99", "is not the code of a clause: expected one of the letters"),
        ("completion csh", "'csh' is not one of 'bash', 'zsh', 'fish'"),
        ("chek a.xcep", "No such command 'chek': did you mean check?"),
    ],
)  # fmt: skip
def test_commands(command: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {name: (tmp_path / name).read_bytes() for name in FILES}
    assert run(command.split()) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert message in written.err
    assert "Traceback" not in written.err
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == before


RULES = xmlcep.parse_rules("event A = ins(item)")
RECORD: dict[str, Any] = {"ts": 1, "op": "ins", "path": "/a", "ids": [1]}


def event(**fields: object) -> xmlcep.PrimitiveEvent:
    return xmlcep.PrimitiveEvent.from_record({**RECORD, **fields})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: xmlcep.audit("log.jsonl", "event A = ins(item)"), "an audit needs rules, not 'event A"),
        (lambda: xmlcep.audit("log.jsonl", None), "an audit needs rules, not None: use load_rules"),
        (lambda: xmlcep.audit(None, RULES), "None is not a log: expected the path of a file or folder"),
        (lambda: xmlcep.audit([3], RULES), "3 is not a log: expected the path of a file or folder"),
        (lambda: xmlcep.audit([], RULES), "no log was given: expected files, folders or patterns"),
        (lambda: xmlcep.audit("log.jsonl", RULES, engine="sparc"), "engine is 'sparc': expected 'auto', 'local'"),
        (lambda: xmlcep.audit("log.jsonl", RULES, on_bad_record="no"), "on_bad_record is 'no': expected 'skip'"),
        (lambda: xmlcep.audit("log.jsonl", RULES, partitions=0), "partitions is 0: expected a whole number from 1 on"),
        (lambda: xmlcep.audit("log.jsonl", RULES, format="csv"), "format is 'csv': expected 'jsonl' or 'parquet'"),
        (lambda: xmlcep.fromstring("<a/>").watch("event A = ins(item)"), "a watch needs rules, not 'event A"),
        (lambda: xmlcep.fromstring("<a/>").watch(RULES, on_event={}), "on_event is {}: pass a function"),
        (lambda: xmlcep.fromstring("<a/>").watch(RULES, only=["B"]), "'B', which is not an event of the rules"),
        (lambda: xmlcep.fromstring("<a/>").subscribe(3), "3 cannot be called: pass a function"),
        (lambda: copy.deepcopy(xmlcep.fromstring("<a/>")), "a Document cannot be copied, nor pickled: wrap a copy"),
        (lambda: xmlcep.rebuild("log.jsonl", at="5"), "at: '5' is not a time: .*a time point is a number, not text"),
        (lambda: xmlcep.rebuild(None), "None is not a log: expected the path of a file, or a list of paths"),
        (lambda: xmlcep.read_log(5).__iter__().__next__(), "5 is not a log: expected the path of a file"),
        (lambda: xmlcep.derive(3), "the schema is a int: give a file, or a schema of the xmlschema library"),
        (lambda: xmlcep.derive("x.xsd", end="later"), "end is 'later': expected one of earliest"),
        (lambda: xmlcep.derive("x.xsd", only="item"), r"only is 'item': expected a list of element names"),
        (lambda: xmlcep.derive("x.xsd", depth="2"), "depth is '2': expected a whole number"),
        (lambda: xmlcep.parse_rules(None), "rules are text, not None: use load_rules"),
        (lambda: xmlcep.parse_rules("a.xcep"), "'a.xcep' is the name of a file, not rules"),
        (lambda: xmlcep.load_rules(["a.xcep"]), r"\['a.xcep'\] is not a rules file: give its path, or several"),
        (lambda: xmlcep.load_rules("event A = ins(a)"), "cannot be read: .*for rules as text use parse_rules"),
        (lambda: xmlcep.combine("x", "event A = ins(a)"), "rules are needed, not 'x': use derive"),
        (lambda: xmlcep.combine(RULES, None), "rules are text, not None"),
        (lambda: xmlcep.parse_rules("event A = ins(a)", allow=("pyton",)), "no language 'pyton' .*did you mean python"),
        (lambda: xmlcep.check_rules("x", "x.xsd"), "rules are needed, not 'x'"),
        (lambda: xmlcep.wrap("<a/>"), r"'<a/>' is not an lxml element or tree: use fromstring"),
        (lambda: xmlcep.fromstring(""), "<text>:1:1: Document is empty"),
        (lambda: xmlcep.record("a", "b.jsonl"), "a wrapped document is recorded, not 'a': use wrap"),
        (lambda: xmlcep.recover("none.jsonl"), "none.jsonl: there is no log to recover from"),
        (lambda: xmlcep.Detector("event"), "a detector needs rules, not 'event': use load_rules"),
        (lambda: xmlcep.PrimitiveEvent.from_record(None), "None is not a record: expected a dict"),
        (lambda: event(op="insert"), "op is 'insert': expected 'ins', 'upd' or 'del'"),
        (lambda: event(path="a"), "path is 'a': expected an absolute path"),
        (lambda: event(ids=[1, 2]), "path /a has 1 steps, ids has 2: expected one id per step"),
    ],
)  # fmt: skip
def test_the_library(call: Callable[[], object], message: str) -> None:
    """Below `XmlCepError`, or a `TypeError` with a sentence where the argument is something else altogether."""
    with pytest.raises((xmlcep.XmlCepError, TypeError), match=message):
        call()


@pytest.mark.parametrize(
    ("command", "begin"),
    [
        ("derive x.xsd -o -", "# Event types derived from x.xsd"),
        ("convert a.xcep -", "<?xml"),
        ("diff doc.xml doc2.xml -o -", "+ /a/item[2]"),
        (f"{AUDIT} -q --out -", '{"doc":"d","ts":2'),
        ("apply act.xcep doc.xml --initial --out -", "<?xml"),
    ],
)
def test_a_dash_is_standard_output(command: str, begin: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And no file of that name is written."""
    Path("doc2.xml").write_text("<a><item/><item/></a>", encoding="utf-8")
    Path("act.xcep").write_text("rule R on (ins(item)) do set '@seen' = '1'", encoding="utf-8")
    assert run(command.split()) == 0
    assert capsys.readouterr().out.startswith(begin)
    assert not Path("-").exists()


@pytest.mark.parametrize("name", ["", ".", "\n", "a\nb.jsonl", "..", "x" * 300, "~", "none/none"])
@pytest.mark.parametrize(
    "command",
    [
        "log",
        "blame",
        "rebuild",
        "verify",
        "audit --rules a.xcep",
        "history -o h.jsonl doc.xml",
        "check",
        "derive",
    ],
)
def test_odd_names(command: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), name]) in (1, 2)  # 1: verify
    said = capsys.readouterr().err
    assert said
    assert "Traceback" not in said


@pytest.mark.parametrize("name", ["", ".", "..", "folder", "none/none"])
def test_odd_names_of_a_log_that_is_to_be_written(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("doc2.xml").write_text("<a><item/><item/></a>", encoding="utf-8")
    assert run(["history", "doc.xml", "doc2.xml", "-o", name]) == 2
    assert run([*AUDIT.split(), "--engine", "local", "--out", name]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "audit NAME --rules a.xcep", "audit folder --rules a.xcep", f"{AUDIT} --out NAME", f"{AUDIT} --summary NAME",
        f"{AUDIT} --quarantine NAME", "log NAME", "verify NAME", "rebuild NAME", "derive NAME",
        "check a.xcep --schema NAME", "history doc.xml half.xml -o NAME", "demo --keep NAME",
        "pending NAME --rules a.xcep",
    ],
)  # fmt: skip
def test_names_that_are_not_utf8_are_refused_with_the_reason(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = os.fsdecode(b"caf\xe9.jsonl")
    try:
        for made in (Path(name), Path("folder") / name):
            made.write_text(LOG, encoding="utf-8")
    except OSError:
        pytest.skip("the file system takes names in UTF-8 only")
    if not command.partition(" ")[2].startswith(("NAME", "folder", "a.xcep")):
        Path(name).unlink()
    assert run([word.replace("NAME", name) for word in command.split()]) == 2
    said = capsys.readouterr().err
    assert "; the name is not UTF-8, as its byte 0xe9 shows: rename the file or folder" in said
    assert "Traceback" not in said
