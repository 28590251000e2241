"""`xmlcep audit`: options, exit statuses, messages."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from xmlcep.cli.main import run

RULES = "event Complete = ins(item) ; ins(item/price)\nevent Flat {flat} = ins(item) ; ins(item/quantity)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a log of two documents and rules."""
    write_log(tmp_path / "log.jsonl", lines_of(orders("a")) + lines_of(orders("b")))
    (tmp_path / "rules.xcep").write_text(RULES)
    return tmp_path


def audited(folder: Path, *arguments: str) -> int:
    """The exit status of an audit of the folder's log."""
    return run(["audit", str(folder / "log.jsonl"), "--rules", str(folder / "rules.xcep"), *arguments])


def test_findings_to_standard_output(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert audited(folder) == 0
    written = capsysbinary.readouterr()
    names = {json.loads(line)["name"] for line in written.out.splitlines()}
    assert names == {"Complete", "Flat"} and b"audit with local" in written.err


def test_the_table_at_the_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audited(folder, "--out", str(folder / "f.jsonl")) == 0
    said = capsys.readouterr().err
    rows = [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in said.splitlines()]
    heads = ["document", "records", "findings", "quarantined", "seconds", "findings by event type, remarks"]
    assert rows[2] == heads
    table = {row[0]: dict(zip(heads[1:], row[1:], strict=True)) for row in rows if len(row) == len(heads)}
    assert {"a", "b", "all"} < set(table)
    assert re.fullmatch(r"Complete [\d]+, Flat [\d]+", table["a"].pop("findings by event type, remarks"))
    for name in heads[1:4]:
        assert int(table["a"][name]) + int(table["b"][name]) == int(table["all"][name])
    assert all(re.fullmatch(r"\d+\.\d\d", table[doc]["seconds"]) for doc in ("a", "b", "all"))
    assert "reading" not in said  # no terminal, no bar
    rules = {row[0]: row[1:] for row in rows if len(row) == 3}
    assert rules.pop("event") == ["records", "findings"] and list(rules) == ["Complete", "Flat"]
    assert sum(int(findings) for _, findings in rules.values()) == int(table["all"]["findings"])
    assert all(int(records) > 0 for records, _ in rules.values()) and "no record fits" not in said


def test_rules_that_nothing_concerns_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    idle = "".join(f"event Idle{number:02} = ins(itm) ; ins(itm/price)\n" for number in range(25))
    reusing = "event Reusing = x[1,*]{path=item} Complete(item)\n"
    (folder / "rules.xcep").write_text(RULES + reusing + idle)
    summary = folder / "summary.json"
    assert audited(folder, "--out", str(folder / "f.jsonl"), "--summary", str(summary)) == 0
    said = capsys.readouterr().err
    names = ", ".join(f"Idle{number:02}" for number in range(20))
    assert f"no record fits the paths of {names} and 5 more rules\n" in said
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in said.splitlines()]
    rules = {row[0]: row[1:] for row in rows if len(row) == 3}
    assert len(rules) == 21 and rules["Idle00"] == ["0", "0"] and rules["… 8 more"] == ["", "0"]
    assert rules["Reusing"][0] == "–" and int(rules["Complete"][0]) > 0
    record = json.loads(summary.read_text())["rules"]
    assert len(record) == 28 and record["Idle24"] == {"records": 0, "findings": 0}
    assert record["Reusing"]["records"] is None and list(record) == sorted(record)


def test_findings_can_be_a_failure(folder: Path) -> None:
    assert audited(folder, "--out", str(folder / "f.jsonl"), "--fail-on-findings", "--quiet") == 1


def test_bad_records_are_quarantined(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / "log.jsonl").open("ab") as log:
        log.write(b'{"doc": "a", "ts": 99')
    assert audited(folder, "--out", str(folder / "f.jsonl")) == 3
    assert "1 bad record" in capsys.readouterr().err
    (bad,) = (folder / "f.jsonl.quarantine.jsonl").read_text().splitlines()
    assert "cut off" in json.loads(bad)["reason"]
    assert audited(folder, "--out", str(folder / "g.jsonl"), "--on-bad-record", "fail") == 2
    assert not (folder / "g.jsonl").exists() and "log.jsonl:" in capsys.readouterr().err


def test_a_failed_audit_leaves_nothing(folder: Path) -> None:
    (folder / "f.jsonl").write_text("from before")
    with (folder / "log.jsonl").open("ab") as log:
        log.write(b"no json\n")
    before = sorted(folder.iterdir())
    assert audited(folder, "--out", str(folder / "f.jsonl"), "--on-bad-record", "fail") == 2
    assert sorted(folder.iterdir()) == before and (folder / "f.jsonl").read_text() == "from before"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "there is no such file"),
        (["empty.jsonl"], "the file is empty"),
        (["*.nothing"], "no file matches"),
        (["other.parquet"], "not a change log"),
    ],
)
def test_wrong_input_is_one_sentence(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    monkeypatch.chdir(folder)
    Path("empty.jsonl").touch()
    pyarrow.parquet.write_table(pa.table({"x": [1]}), "other.parquet")
    assert run(["audit", *arguments, "--rules", "rules.xcep"]) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error and len(error.splitlines()) == 1


def test_a_mistake_in_the_rules_points_at_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rules.xcep").write_text("event A = ins(item) ;")
    assert audited(folder) == 2
    assert "rules.xcep:1:" in capsys.readouterr().err


def test_a_dry_run_only_says_what_it_would_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audited(folder, "--dry-run", "--out", str(folder / "f.jsonl")) == 0
    said = capsys.readouterr().out
    assert "outermost item" in said and "under 14 keys" in said and "of 136 replayed" in said
    assert "largest     'a' node 10 " in said and "skew        50% of the records are under one key" in said
    assert not (folder / "f.jsonl").exists()


def test_events_derived_from_a_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xmlschema")
    (folder / "o.xsd").write_text(
        """<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="order"><complexType><sequence>
        <element name="item" maxOccurs="unbounded"><complexType><sequence>
        <element name="price"/></sequence></complexType></element></sequence></complexType></element></schema>"""
    )
    (folder / "rules.xcep").write_text("event Done(item) = CompleteItem(item)")
    assert audited(folder) == 2
    assert "CompleteItem" in capsys.readouterr().err
    assert audited(folder, "--schema", str(folder / "o.xsd")) == 0
    assert '"name":"Done"' in capsys.readouterr().out
    (folder / "rules.xcep").write_text("event CompleteItem = ins(item) ; ins(item/price)")
    assert audited(folder, "--schema", str(folder / "o.xsd")) == 0
    assert '"name":"CompleteItem"' in capsys.readouterr().out
    assert run(["audit", str(folder / "log.jsonl"), "--schema", str(folder / "o.xsd")]) == 0
    assert '"name":"CompleteItem"' in capsys.readouterr().out
    before = (folder / "o.xsd").read_bytes()
    assert audited(folder, "--schema", str(folder / "o.xsd"), "--out", str(folder / "o.xsd")) == 2
    assert (folder / "o.xsd").read_bytes() == before


def test_quarantine_without_a_name_replaces_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with (folder / "log.jsonl").open("ab") as log:
        log.write(b'{"doc": "a", "ts": 99')
    (folder / "quarantine.jsonl").write_text("mine")
    monkeypatch.chdir(folder)
    assert audited(folder) == audited(folder, "--out", os.devnull) == 3
    assert (folder / "quarantine.jsonl").read_text() == "mine"
    said = capsys.readouterr().err
    for number in (2, 3):
        assert f"quarantine-{number}.jsonl" in said
        assert "cut off" in (folder / f"quarantine-{number}.jsonl").read_text()


def test_one_missing_time_point_is_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_of(orders("a"))
    write_log(folder / "log.jsonl", lines[:3] + lines[4:])
    assert audited(folder, "--out", str(folder / "f.jsonl")) == 0
    assert "1 time point missing" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("target", ["--out", "--quarantine"])
def test_targets_are_looked_at_before_the_audit(
    folder: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    assert audited(folder, target, str(folder / "no" / "f.jsonl")) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert audited(folder, target, str(folder)) == 2
    assert "is a folder" in capsys.readouterr().err


def test_the_summary_as_a_file(folder: Path) -> None:
    with (folder / "log.jsonl").open("ab") as log:
        log.write(b'{"doc": "a", "ts": 99')
    summary = folder / "summary.json"
    assert audited(folder, "--out", str(folder / "f.jsonl"), "--summary", str(summary)) == 3
    record = json.loads(summary.read_text())
    names = [json.loads(line)["name"] for line in (folder / "f.jsonl").read_text().splitlines()]
    assert record["per_rule"] == {name: names.count(name) for name in sorted(set(names))}
    assert (record["findings"], record["quarantined"], record["files"]) == (len(names), 1, 1)
    assert [each["doc"] for each in record["documents"]] == ["a", "b"]
    for each in record["documents"]:
        assert list(each) == [
            "doc", "records", "findings", "quarantined", "first", "last", "missing", "disordered", "withheld",
            "per_rule", "seconds",
        ]  # fmt: skip
        assert each["findings"] == sum(each["per_rule"].values()) and 0 < each["seconds"] < record["seconds"]
    assert audited(folder, "--out", str(folder / "g.jsonl"), "--summary", str(folder / "g.jsonl")) == 2
