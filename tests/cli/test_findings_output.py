"""Findings at a terminal, as CSV, chosen and sorted (Y9); rules and findings in notebooks (Y8)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from lxml import etree

from xmlcep import MissingExtraError, audit, fromstring, load_rules, parse_rules, record
from xmlcep.cli import audit as audit_command
from xmlcep.cli.main import run

RULES = "event Priced = ins(item/price/text())\nevent Changed = upd(item/price/text())\n"
Shell = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log with texts that a spreadsheet or a terminal would like, and rules."""
    (tmp_path / "rules.xcep").write_text(RULES)
    doc = fromstring('<order xmlns="http://a/b"><item/><item/><item/></order>', name="order")
    with record(doc, tmp_path / "log.jsonl"):
        for number, (item, user) in enumerate(zip(doc.root, ("ann", "bob", "ann"), strict=True)):
            with doc.transaction(user=user):
                item.append(item.makeelement("{http://a/b}price"))
                item[0].text = ("=1+1", "\u202eevil", "3")[number]
                item[0].text = str(number)
    (tmp_path / "rules.xcep").write_text('namespace "http://a/b"\n' + RULES)
    return tmp_path


@pytest.fixture
def shell(folder: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """What an audit of the log prints; it has to come with this status."""

    def run_it(*arguments: str, status: int = 0) -> str:
        given = ["audit", str(folder / "log.jsonl"), "--rules", str(folder / "rules.xcep"), "-q", *arguments]
        got = run(given)
        printed = capsys.readouterr()
        assert got == status, printed.err
        return printed.out if status == 0 else printed.err

    return run_it


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_table(shell: Shell) -> None:
    lines = shell("--format", "table").splitlines()
    assert lines[0].split() == ["time", "user", "event", "document", "node", "values"]
    assert len(lines) == 7
    assert lines[2].split()[2:] == ["ann", "Changed", "order", "price#5/text()#6", "=1+1", "→", "0"]
    assert "\u202e" not in shell("--format", "table") and "\\u202eevil" in shell("--format", "table")


def test_csv_runs_nothing(shell: Shell) -> None:
    found = rows(shell("--format", "csv"))
    assert found[0]["values"] == "'=1+1"
    assert "\u202e" not in shell("--format", "csv")


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (["event=Changed"], 3), (["user=ann"], 4), (["user=ann", "event=Priced"], 2), (["document=order"], 6),
        (["document=other"], 0), (["text=EVIL"], 2), (["after=1999-01-01"], 6), (["before=1999-01-01"], 0),
        (["after=1999-01-01T00:00:00+02:00"], 6), (["before=9999-01-01T00:00:00.5Z"], 6),
    ],
)  # fmt: skip
def test_where(shell: Shell, where: list[str], count: int) -> None:
    arguments = [word for one in where for word in ("--where", one)]
    assert len(shell(*arguments).splitlines()) == count
    assert len(rows(shell("--format", "csv", *arguments))) == count


def test_sort_and_limit(shell: Shell) -> None:
    assert [row["user"] for row in rows(shell("--format", "csv", "--sort", "-user", "--limit", "3"))] == [
        "bob", "bob", "ann",
    ]  # fmt: skip
    assert [json.loads(line)["name"] for line in shell("--sort", "event").splitlines()][:3] == ["Changed"] * 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--where", "evnt=x"], "expected NAME=VALUE with one of event"),
        (["--where", "event=Chnged"], "'Chnged' is not an event of these rules: did you mean Changed?"),
        (["--where", "event="], "'' is not an event of these rules: there is"),
        (["--where", "after=soon"], "'soon' is not a time: expected a day or a time"),
        (["--where", "before="], "'' is not a time: expected a day or a time"),
        (["--sort", "colour"], "expected one of time"),
        (["--format", "table", "--out", "x.txt"], "leave out --out"),
        (["--where", "event=Priced", "--partition-by-rule", "-o", "x"], "writes all findings"),
        (["--format", "html"], "needs --out"),
    ],
)
def test_what_cannot_be(shell: Shell, arguments: list[str], words: str) -> None:
    assert words in shell(*arguments, status=2)


def test_texts_that_are_odd(folder: Path, shell: Shell) -> None:
    """What looks like a formula steers no terminal either; of a long text a table shows the beginning."""
    doc = fromstring("<order xmlns='http://a/b'><item/></order>", name="odd")
    (folder / "log.jsonl").unlink()
    with record(doc, folder / "log.jsonl"), doc.transaction(user="=\x1b[2J\u202e"):
        etree.SubElement(doc.root[0], "{http://a/b}price").text = "3" * 10_000
    [row] = rows(shell("--format", "csv"))
    assert row["user"] == "'=\\x1b[2J\\u202e" and row["values"] == "3" * 10_000
    table = shell("--format", "table")
    assert table.count("3") < 320 and "…" in table and not set("\x1b\u202e") & set(table)


def test_piped_it_is_json_lines_and_at_a_terminal_a_table(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert all(map(json.loads, shell().splitlines()))
    monkeypatch.setattr(audit_command, "is_terminal", lambda: True)
    assert shell().split()[:2] == ["time", "user"]


def test_the_name_of_the_file_says_the_format(shell: Shell, folder: Path) -> None:
    """What is chosen goes into files, too."""
    for name in ("a.jsonl", "a.csv", "a.parquet", "a.txt", "a.html"):
        shell("-o", str(folder / name))
    lines = (folder / "a.jsonl").read_bytes()
    assert lines == (folder / "a.txt").read_bytes()
    assert (folder / "a.csv").read_text() == shell("--format", "csv")
    assert (folder / "a.html").read_bytes().startswith(b"<!doctype html>")
    pyarrow = pytest.importorskip("pyarrow.parquet")
    assert len(pyarrow.read_table(folder / "a.parquet")) == len(lines.splitlines()) == 6
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        shell("-o", str(folder / name), "--where", "user=bob")
    assert len((folder / "a.jsonl").read_bytes().splitlines()) == 2
    assert [row["user"] for row in rows((folder / "a.csv").read_text())] == ["bob", "bob"]
    assert len(pyarrow.read_table(folder / "a.parquet")) == 2
    said = shell("-o", str(folder / "log.jsonl"), "--format", "csv", status=2)
    assert "is read and would be overwritten" in said


def test_html_is_the_report(shell: Shell, folder: Path) -> None:
    shell("--format", "html", "--out", str(folder / "page.html"))
    assert b'content="xmlcep report"' in (folder / "page.html").read_bytes()


def test_notebooks(folder: Path) -> None:
    rules = load_rules(folder / "rules.xcep")
    drawn = etree.fromstring(f"<div>{rules._repr_html_()}</div>")
    assert len(drawn.findall(".//{*}svg")) == 2
    negating = parse_rules("event A = ins(item/a) ; not ins(item/b) ; ins(item/c)")
    svg = etree.fromstring(negating._repr_html_().partition("</h4>")[2].rpartition("</svg>")[0] + "</svg>")
    assert [text.text for text in svg.iter("{*}text")][:3] == [
        "ins(item/a)",
        "not ins(item/b)",
        "ins(item/c)",
    ]
    assert [bool(box.get("stroke-dasharray")) for box in svg.iter("{*}rect")] == [False, True, False, False]
    hostile = parse_rules("event A = ins(item)[. = '<script>']")
    assert "<script>" not in hostile._repr_html_()
    result = audit(folder / "log.jsonl", rules)
    assert "6 findings" in result._repr_html_()
    assert len(result.to_arrow()) == len(result.to_pandas()) == 6
    if find_spec("polars") is None:  # which no extra brings
        with pytest.raises(MissingExtraError, match="pip install polars"):
            result.to_polars()
    else:
        assert len(result.to_polars()) == 6


def test_a_finding_in_a_notebook() -> None:
    doc = fromstring("<order><item/></order>")
    watch = doc.watch(parse_rules("event Priced = ins(item/price/text())"))
    doc.root[0].append(doc.root.makeelement("price"))
    doc.root[0][0].text = "<b>3</b>"
    shown = watch.findings[0]._repr_html_()
    assert "&lt;b&gt;3&lt;/b&gt;" in shown and "<b>" not in shown
    watch.close()
    doc.close()
