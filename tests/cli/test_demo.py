"""``xmlcep demo`` with the local engine; that Spark agrees is tested with the audit, and by the CI script."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from xmlcep.cli import demo, main

EVENTS = {
    "CompleteItem",
    "BothChanged",
    "Address",
    "BillTo",
    "ShipTo",
    "OrderReady",
    "QuietItem",
    "SaneItem",
    "Withdrawn",
}


def findings(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def test_the_whole_story(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twice into the same folder: the second run starts anew."""
    for _ in range(2):
        assert main.run(["demo", "--engine", "local", "--keep", str(tmp_path)]) == 0
        shown = capsys.readouterr().out
        assert "\x1b" not in shown
        assert "6 of 6 versions are what the application had." in shown
        assert "the same as the rule above." in shown
        assert (tmp_path / "live.jsonl").read_bytes() == (tmp_path / "local.jsonl").read_bytes()
        assert {finding["name"] for finding in findings(tmp_path / "live.jsonl")} == EVENTS


def test_it_begins_with_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["demo", "--engine", "local"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("<purchaseOrder") < shown.index("event CompleteItem")


def test_without_the_extras_it_goes_on_with_what_there_is(tmp_path: Path) -> None:
    """Spark and xmlschema denied stand for an installation without them."""
    code = (
        "import sys; sys.modules.update(pyspark=None, xmlschema=None); from xmlcep.cli.main import run; "
        f"sys.exit(run(['demo', '--keep', {str(tmp_path)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "pip install 'xmlcep[spark]'" in done.stdout
    assert "pip install 'xmlcep[schema]'" in done.stdout
    assert "6 of 6 versions are what the application had." in done.stdout
    assert findings(tmp_path / "local.jsonl")
    assert not (tmp_path / "spark.jsonl").exists()


@pytest.mark.parametrize("name", ["purchase-order.jsonl", "live.jsonl", "derived.jsonl"])
def test_what_is_there_is_kept(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that no demo has written are not overwritten."""
    file = tmp_path / name
    file.write_text("my notes\n", encoding="utf-8")
    assert main.run(["demo", "--engine", "local", "--keep", str(tmp_path)]) == 2
    assert f"{file}: is there already" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "my notes\n"
    assert main.run(["demo", "--engine", "local", "--keep", str(tmp_path), "--force"]) == 0


def test_what_is_found_is_told_with_the_changes_it_is_made_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["demo", "--engine", "local"]) == 0
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "11 ins item#15/quantity CompleteItem item#15 ← 1 5 11" in shown
    assert "29 upd item#17/price/text() 24.50 → 26.00 QuietItem item#15 ← 26 28 27" in shown
    assert "45 del item#17 Withdrawn item#17 ← 29 45" in shown


def test_a_difference_is_shown_and_is_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    audited = demo._audited
    monkeypatch.setattr(demo, "_audited", lambda *given: audited(*given)[:-1] + b" \n")
    assert main.run(["demo", "--engine", "local"]) == 1
    assert "DIFFERENT" in capsys.readouterr().out


def test_an_earlier_version_that_is_not_what_it_was(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rebuild = demo.rebuild
    monkeypatch.setattr(demo, "rebuild", lambda log, at: rebuild(log, at - 1))
    assert main.run(["demo", "--engine", "local"]) == 1
    assert "0 of 6 versions" in capsys.readouterr().out
