"""``xmlcep diff``, ``history``, ``blame``, ``log``: output, exit status, what is shown harmlessly, what is refused."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.matching.trees import canonical, unindented
from tests.versions.repositories import Repository, needs_git
from xmlcep.cli import main
from xmlcep.recording import rebuild

OLD = '<o>\n  <i k="1"><p>5</p></i>\n</o>\n'
NEW = '<o>\n  <i k="1"><p>6</p></i>\n  <i k="2"/>\n</o>\n'


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.xml").write_text(OLD)
    Path("new.xml").write_text(NEW)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main.run(arguments)
    written = capsys.readouterr()
    return status, written.out, written.err


def test_diff(capsys: pytest.CaptureFixture[str]) -> None:
    lines = "~ /o/i[1]/p/text() '5' → '6'\n+ /o/i[2] k='2' (2 nodes)\n"
    summary = "xmlcep: 2 changes: 1 inserted, 1 updated\n"
    assert run(capsys, "diff", "old.xml", "new.xml") == (0, lines, summary)
    assert run(capsys, "diff", "old.xml", "new.xml", "--fail-on-differences")[0] == 1
    assert run(capsys, "diff", "old.xml", "old.xml", "--fail-on-differences") == (
        0, "", "xmlcep: no difference (white space that only indents left out)\n",
    )  # fmt: skip
    assert "more" not in run(capsys, "diff", "old.xml", "new.xml", "--keep-whitespace")[2]


def test_diff_as_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "diff", "old.xml", "new.xml", "--format", "jsonl")
    header, *records = map(json.loads, out.splitlines())
    assert (status, header["doc"], len(records), err) == (0, "old.xml", 3, "xmlcep: 3 events\n")
    assert run(capsys, "diff", "old.xml", "new.xml", "--format", "jsonl", "-o", "log.jsonl")[:2] == (0, "")
    assert canonical(rebuild("log.jsonl")) == canonical(unindented(rebuild("log.jsonl")))
    assert Path("log.jsonl").read_text() == out
    Path("log.jsonl").write_text("before")
    Path("bad.xml").write_text("<o>")
    assert run(capsys, "diff", "old.xml", "bad.xml", "--format", "jsonl", "-o", "log.jsonl")[0] == 2
    assert Path("log.jsonl").read_text() == "before"
    assert sorted(file.name for file in Path().iterdir()) == ["bad.xml", "log.jsonl", "new.xml", "old.xml"]


def test_a_comment_is_a_difference_and_no_event(capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.xml").write_text(OLD.replace("<i", "<!-- new --><i"))
    assert run(capsys, "diff", "old.xml", "new.xml")[1] == "+ /o/comment() ' new '\n"
    assert run(capsys, "diff", "old.xml", "new.xml", "--format", "jsonl")[2] == (
        "xmlcep: no event (white space that only indents, comments and processing instructions left out)\n"
    )


def test_diff_of_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NEW.encode())))
    assert run(capsys, "diff", "old.xml", "-")[1].startswith("~ /o/i")
    status, _, err = run(capsys, "diff", "-", "-")
    assert status == 2 and "not both" in err


def test_keys_that_do_not_work_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("text", "jsonl"):
        err = run(capsys, "diff", "old.xml", "new.xml", "--key", "it=@k", "--format", form)[2]
        assert "xmlcep: key it=@k: no element is called it" in err


def test_what_is_hostile_is_shown_harmlessly(capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.xml").write_text("<o><i k='1'><p>\u202e\u2066\x85\x9b31m</p></i></o>", encoding="utf-8")
    _, out, _ = run(capsys, "diff", "old.xml", "new.xml")
    assert "\\u202e" in out
    assert not set(out) & set("\u202e\u2066\x85\x9b\x1b")


@needs_git
def test_a_history_from_beginning_to_end(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    hostile = "E\x1b[31mve\u202e"
    repository = Repository(tmp_path / "repository")
    repository.commit("one", files={"o.xml": OLD})
    repository.commit("bro\x1bken", files={"o.xml": "<o>"})
    repository.commit("two\x07", author=hostile, files={"o.xml": NEW})
    file = str(repository.folder / "o.xml")
    status, out, err = run(capsys, "history", file, "-o", "log.jsonl")
    assert (status, out) == (0, "")
    assert "left out: " in err and "Premature end of data" in err
    assert err.endswith("xmlcep: log.jsonl: 2 versions, 1 with changes, 3 events\n")
    assert run(capsys, "history", file, "-o", "log.jsonl", "-q") == (0, "", "")
    for command in ("blame", "log"):
        _, out, _ = run(capsys, command, "log.jsonl")
        assert "E\\x1b[31mve" in out
        assert not set(out) & set("\x1b\u202e\x07")
    _, out, _ = run(capsys, "blame", "log.jsonl", "--format", "jsonl", "--xpath", "//p/text()")
    [record] = map(json.loads, out.splitlines())
    assert (record["stamp"]["meta"]["author"], record["text"]) == (hostile, "/o/i[1]/p/text()  '6'")
    assert run(capsys, "log", "log.jsonl", "--xpath", "//p")[1].count("\n") == 2
    assert run(capsys, "log", "log.jsonl", "--node", "77")[2].startswith(
        "xmlcep: the log has no change of these"
    )


def test_a_history_of_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert (
        run(capsys, "history", "old.xml", "new.xml", "-o", "log.jsonl", "--by-time", "--key", "i=@k")[0] == 0
    )
    assert run(capsys, "history", str(tmp_path), "-o", "all.jsonl", "--name", "orders")[0] == 0
    assert json.loads(Path("all.jsonl").read_text().splitlines()[0])["doc"] == "orders"


def test_versions_left_out_are_told_by_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The commonest reason first; the versions that entities made unreadable are read with a table of them."""
    texts = ["<o>", OLD, "<o>&nbsp;</o>", "<o>\n&hellip;</o>", "<o", "<o>&mdash;</o>", NEW]
    for number, text in enumerate(texts):
        (tmp_path / f"v{number}.xml").write_text(
            text if "&" not in text else f"<!DOCTYPE o SYSTEM 'o.dtd'>{text}"
        )
    files = [f"v{number}.xml" for number in range(len(texts))]
    lines = run(capsys, "history", *files, "-o", "log.jsonl")[2].splitlines()
    said = (
        "v2.xml and 2 more versions to v5.xml: 1: the entity &nbsp;",
        "v0.xml: 1:4: Premature",
        "v4.xml: 1:3",
    )
    for line, expected in zip(lines, said, strict=False):
        assert line.startswith(f"xmlcep: left out: {expected}")
    assert "--entities standard" in lines[3]
    err = run(capsys, "history", *files, "-o", "all.jsonl", "--entities", "standard")[2]
    assert "5 versions" in err and "entit" not in err
    Path("a.xml").write_text("<o>&nbsp;</o>")
    Path("b.xml").write_text("<o>\xa0</o>", encoding="utf-8")
    assert run(capsys, "diff", "a.xml", "b.xml", "--entities", "standard", "--keep-whitespace")[1] == ""
    assert "declares no entity" in run(capsys, "diff", "a.xml", "b.xml", "--entities", "b.xml")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("diff", "old.xml", "none.xml"), "none.xml: No such file or directory"),
        (("diff", "old.xml", "."), "a folder: an XML file is expected"),
        (("diff", "old.xml", "bad.xml"), "bad.xml:1:4"),
        (("diff", "old.xml", "new.xml", "--key", "i"), "'i' is not a key"),
        (("diff", "old.xml", "new.xml", "--schema", "none.xsd"), "there is no such schema file"),
        (("diff", "old.xml", "new.xml", "--schema", "bad.xml"), "bad.xml"),
        (("diff", "old.xml", "new.xml", "-o", "none/log"), "none"),
        (
            ("history", "old.xml", "new.xml", "-o", "x.jsonl", "--branch", "main"),
            "--branch is for a file in git",
        ),
        (("history", "old.xml", "none.xml", "-o", "x.jsonl"), "none.xml: No such file or directory"),
        (("history", "bad.xml", "text.xml", "-o", "x.jsonl"), "no version has a document that can be read"),
        (("history", "old.xml", "new.xml", "-o", "x.parquet"), "recorded as JSON Lines"),
        (("history", "old.xml", "new.xml", "-o", "old.xml"), "old.xml"),
        (("history", "old.xml", "new.xml", "-o", "none/x.jsonl"), "none/x.jsonl"),
        (("blame", "none.jsonl"), "none.jsonl: cannot be read"),
        (("blame", "old.xml"), "old.xml: not a change log: it is XML"),
        (("log", "old.xml"), "old.xml: not a change log: it is XML"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    Path("bad.xml").write_text("<o>")
    Path("text.xml").write_text("no xml")
    before = {file.name: file.read_bytes() for file in Path().iterdir()}
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert {file.name: file.read_bytes() for file in Path().iterdir()} == before
