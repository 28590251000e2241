"""`xmlcep check`: several files, standard input, warnings, JSON."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from xmlcep.cli.main import run


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {
        "a.xcep": "event A(item) = B(item) ; upd(item/price)\n",
        "b.xcep": 'namespace p = "urn:p"\nevent B(item) {when="p:x"} = ins(item/p:x)\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [str(tmp_path / name) for name in texts]


def test_several_files_are_one_set(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", files[0]]) == 2
    assert "there is no event called B" in capsys.readouterr().err
    assert run(["check", *files]) == 0
    written = capsys.readouterr()
    assert written.out.startswith(f"{files[0]}, {files[1]}: 2 event trees")
    assert written.err == (
        f"{files[0]}:1:27: warning: event A: an element has no value that could be updated, so that upd(item/price) "
        "never happens\n  event A(item) = B(item) ; upd(item/price)\n                            ^^^^^^^^^^^^^^^\n"
        "  hint: write upd(item/price/text()) for its text, or upd of one of its attributes\n"
    )
    assert run(["check", "-q", *files]) == 0
    assert capsys.readouterr().out == ""


def test_standard_input(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"event B(item) = ins(item/x\n")))
    assert run(["check", files[0], "-"]) == 2
    said = capsys.readouterr().err
    assert "<stdin>:1:26: the statement ends too early" in said
    assert "no event called" not in said
    assert run(["check", "-", "-"]) == 2
    assert "<stdin>: the rules file is given twice" in capsys.readouterr().err


def test_json_of_good_rules(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format=json", *files]) == 0
    written = capsys.readouterr()
    said = json.loads(written.out)
    assert written.err == ""
    assert (said["files"], said["errors"]) == (files, [])
    (warning,) = said["warnings"]
    assert (warning["file"], warning["line"], warning["column"], warning["width"]) == (files[0], 1, 27, 15)
    first, second = said["events"]
    assert first == {
        "name": "B", "description": "", "severity": None, "message": None, "path": "item", "flat": False,
        "across": False, "order": "interval", "depends_on": [], "used_by": ["A"], "variables": {},
        "partition_by": first["partition_by"],
        "tree": {
            "operator": "disjunction", "drawn": "▽", "label": "B", "path": "item", "context": "chronicle",
            "when": "p:x", "operands": [{"leaf": "ins(item/p:x)"}],
        },
    }  # fmt: skip
    assert second["depends_on"] == ["B"]
    assert [each["leaf"] for each in second["tree"]["operands"]] == ["B(item)", "upd(item/price)"]


def test_json_of_wrong_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.xcep"
    file.write_text("event A = x[2,1] ins(item/x)\nevent B = ins(\n", encoding="utf-8")
    assert run(["check", "--format=json", str(file)]) == 2
    written = capsys.readouterr()
    said = json.loads(written.out)
    assert written.err == ""
    assert said["events"] == []
    assert [(each["line"], each["column"], each["rules"]) for each in said["errors"]] == [
        (1, 13, ["M6"]),
        (2, 14, []),
    ]
    assert said["errors"][0]["message"] == "the lower bound 2 is above the upper bound 1"
    assert said["errors"][0]["file"] == str(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"doc":"d","ts":1}\n', "looks like a change log, not like rules"),
        (b"PAR1xxxx", "looks like a change log, not like rules"),
        (b"\x1f\x8b\x08", "looks like a change log, not like rules"),
        (b'<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema"/>', "this is XML, not rules"),
        (b"event A = ins(gr\xf6\xdfe)", "is not UTF-8"),
    ],
)
def test_what_is_no_rules_file(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x"
    file.write_bytes(content)
    assert run(["check", str(file)]) == 2
    assert message in capsys.readouterr().err
