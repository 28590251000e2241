"""`xmlcep history --tracked`: tracked changes of Oxygen and Word as versions, with who and when."""

from __future__ import annotations

import inspect
import json
import zipfile
from html import escape
from pathlib import Path
from typing import Any

import pytest

import xmlcep
from xmlcep.cli.main import run
from xmlcep.versions.tracked import TrackedVersions
from xmlcep.versions.version import VersionError
from xmlcep.versions.word import WORD
from xmlcep.xml_parser import read_xml

ANN, BOB = (f'author="{who}" timestamp="2026030{day}T090000+0100"' for who, day in (("ann", 1), ("bob", 2)))

QUOTED = ANN.replace('"', "&quot;")


def states(file: Path) -> list[str]:
    """A document version by version, without declarations of namespaces."""
    found = TrackedVersions(file)
    return [found.read(version).decode().replace(f' xmlns:w="{WORD}"', "") for version in found.versions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"<a>1<?oxy_insert_start {ANN}?>2<?oxy_insert_end?>3</a>", ["<a>13</a>", "<a>123</a>"]),
        (
            f"<a><?oxy_insert_start {ANN}?><b/>2<?oxy_insert_end?>3"
            f"<?oxy_insert_start {BOB}?><c/><?oxy_insert_end?></a>",
            ["<a>3</a>", "<a><b/>23</a>", "<a><b/>23<c/></a>"],
        ),
        (
            f'<a>1<?oxy_delete {BOB} content="&lt;b x=&quot;1&quot;>2&amp;amp;&lt;/b>"?>3</a>',
            ['<a>1<b x="1">2&amp;</b>3</a>', "<a>13</a>"],
        ),
        (
            f"<a><?oxy_insert_start {ANN}?><b>1<?oxy_delete {BOB} content='2'?></b><?oxy_insert_end?></a>",
            ["<a/>", "<a><b>12</b></a>", "<a><b>1</b></a>"],
        ),
        (  # deleted by bob, with what ann had inserted
            f"<a><?oxy_delete {BOB} content='1&lt;?oxy_insert_start {QUOTED}?&gt;2&lt;?oxy_insert_end?&gt;'?></a>",
            ["<a>1</a>", "<a>12</a>", "<a/>"],
        ),
        (
            f"""<a><?oxy_attributes x='<change type="modified" oldValue="1" {ANN}/>'
            y='<change type="inserted" {BOB}/>' z='<change type="removed" oldValue="3" {BOB}/>'?>
            <b x="2" y="2"/></a>""".replace("?>\n            <b", "?><b"),
            ['<a><b x="1" z="3"/></a>', '<a><b x="2" z="3"/></a>', '<a><b x="2" y="2"/></a>'],
        ),
        (
            f"""<a x="2"><?oxy_attributes x='<change type="modified" oldValue="1" {ANN}/>'?><b/></a>""",
            ['<a x="1"><b/></a>', '<a x="2"><b/></a>'],
        ),
        (
            f'<n:a xmlns:n="u"><?oxy_comment_start {BOB} comment="why"?>1<?oxy_comment_end?><?oxy_delete {ANN}'
            ' content="&lt;n:b/>"?></n:a>',
            ['<n:a xmlns:n="u">1<n:b/></n:a>', '<n:a xmlns:n="u">1</n:a>'],
        ),
    ],
)  # fmt: skip
def test_oxygen(tmp_path: Path, text: str, expected: list[str]) -> None:
    (tmp_path / "a.xml").write_text(text)
    assert states(tmp_path / "a.xml") == expected


def word(tmp_path: Path, body: str) -> Path:
    """A Word file with this body; a is Ann at the first of March, b is Bob at the second."""
    for short, who, day in (("a", "Ann", 1), ("b", "Bob", 2)):
        body = body.replace(f" {short}>", f' w:author="{who}" w:date="2026-03-0{day}T09:00:00Z">')
        body = body.replace(f" {short}/>", f' w:author="{who}" w:date="2026-03-0{day}T09:00:00Z"/>')
    file = tmp_path / "a.docx"
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr(
            "word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        )
    return file


def r(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"<w:p>{r('1')}<w:ins a>{r('2')}</w:ins></w:p>", [f"<w:p>{r('1')}</w:p>", f"<w:p>{r('1')}{r('2')}</w:p>"]),
        (
            "<w:p><w:del b><w:r><w:delText>1</w:delText></w:r></w:del></w:p>",
            [f"<w:p>{r('1')}</w:p>", "<w:p/>"],
        ),
        (  # inserted, and then deleted
            "<w:p><w:ins a><w:del b><w:r><w:delText>1</w:delText></w:r></w:del></w:ins></w:p>",
            ["<w:p/>", f"<w:p>{r('1')}</w:p>", "<w:p/>"],
        ),
        (  # the end of a paragraph
            f"<w:p><w:pPr><w:rPr><w:ins a/></w:rPr></w:pPr>{r('1')}</w:p><w:p>{r('2')}</w:p>",
            [
                f"<w:p>{r('1')}{r('2')}</w:p>",
                f"<w:p><w:pPr><w:rPr/></w:pPr>{r('1')}</w:p><w:p>{r('2')}</w:p>",
            ],
        ),
        (
            "<w:p><w:r><w:rPr><w:b/><w:rPrChange b><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr></w:r></w:p>",
            [f"<w:p><w:r><w:rPr><w:{name}/></w:rPr></w:r></w:p>" for name in "ib"],
        ),
        (
            f"<w:p><w:moveFrom a>{r('1')}</w:moveFrom></w:p>"
            f"<w:p><w:moveToRangeStart a/><w:moveTo a>{r('1')}</w:moveTo></w:p>",
            [f"<w:p>{r('1')}</w:p><w:p/>", f"<w:p/><w:p>{r('1')}</w:p>"],
        ),
        (
            "<w:tbl><w:tr><w:trPr><w:del b/></w:trPr><w:tc/></w:tr><w:tr><w:tc/></w:tr></w:tbl>",
            [
                "<w:tbl><w:tr><w:trPr/><w:tc/></w:tr><w:tr><w:tc/></w:tr></w:tbl>",
                "<w:tbl><w:tr><w:tc/></w:tr></w:tbl>",
            ],
        ),
    ],
)  # fmt: skip
def test_word(tmp_path: Path, body: str, expected: list[str]) -> None:
    found = states(word(tmp_path, body))
    assert found == [f"<w:document><w:body>{each}</w:body></w:document>" for each in expected]


def test_the_log_says_who_and_when(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = word(tmp_path, f"<w:p><w:ins b>{r('2')}</w:ins><w:ins a>{r('1')}</w:ins></w:p>")
    assert run(["history", "--tracked", str(file), "-o", "log.jsonl", "-q"]) == 0
    log = Path("log.jsonl").read_text()
    records = [each for each in map(json.loads, log.splitlines()) if each.get("op") == "ins"]
    assert [each["meta"]["author"] for each in records] == ["Ann"] * 3 + ["Bob"] * 3
    assert records[0]["at"].startswith("2026-03-01T09:00:00")
    done = xmlcep.history(file, "log.jsonl", tracked=True)  # nothing is new
    assert done.events == 0 and Path("log.jsonl").read_text() == log


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<a/>", "there are no tracked changes"),
        (b"<a>", "a.xml:1: "),
        (b"PK\3\4", "no Word document"),
        (b'<a><?oxy_delete author="a" timestamp="1" content="&lt;b>"?></a>', "line 1: what was deleted is not XML"),
    ],
)  # fmt: skip
def test_what_has_no_versions(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "a.xml").write_bytes(data)
    with pytest.raises(VersionError, match=said):
        TrackedVersions(tmp_path / "a.xml")


def test_what_is_too_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ""
    for _ in range(200):
        text = f'<?oxy_delete content="{escape(text)}"?>'
    (tmp_path / "a.xml").write_text(f"<a>{text}</a>")
    monkeypatch.setattr("xmlcep.versions.tracked.read_xml", nested)
    with pytest.raises(VersionError, match="too many deletions in each other"):
        TrackedVersions(tmp_path / "a.xml")


def nested(text: bytes | str) -> Any:
    """As `read_xml`, on a stack with little left."""
    if len(inspect.stack(0)) > 150:
        raise RecursionError
    return read_xml(text)


def test_the_options_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "--tracked", "a.xml", "b.xml", "-o", str(tmp_path / "x")]) == 2
    assert "--tracked is for one file" in capsys.readouterr().err
    with pytest.raises(VersionError, match="`tracked` is for one file"):
        xmlcep.history(["a", "b"], tmp_path / "x", tracked=True)
