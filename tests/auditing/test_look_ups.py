"""Audits with reference documents (V8) and with other languages (O1): the same from both engines, digests, options."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.auditing.test_agreement import assert_same
from xmlcep import XmlCepError, audit, load_rules, parse_rules
from xmlcep.cli.main import run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS = "<parts><part n='1' state='old'/><part n='3' state='old'/><part n='4'/></parts>"
RULES = """
reference parts = "parts.xml"
event Known(item) = ins(item/@n)[$parts/parts/part/@n = .]
event Old = Known(item) ; upd(item/@n)[$parts//part[@state = 'old']/@n = .]
event Flat {flat} = ins(item) ; ins(item/@n)[not($parts//part/@n = .)]
"""

WITHOUT_DOCUMENT = """
event Odd = opaque["python", "tests.spec.languages:odd"](item/@n)
event Two = x[2,*] Odd(item/@n)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rules, what they look things up in, and a log of two documents."""
    (tmp_path / "parts.xml").write_text(PARTS)
    (tmp_path / "rules.xcep").write_text(RULES)
    lines = []
    for doc in ("a", "b"):
        records = [("ins", "/order", [1], None, None)]
        for n in range(1, 9):
            records += [
                ("ins", "/order/item", [1, 10 * n], None, None),
                ("ins", "/order/item/@n", [1, 10 * n, 10 * n + 1], str(n), None),
                ("upd", "/order/item/@n", [1, 10 * n, 10 * n + 1], str(n % 4), str(n)),
            ]
        for ts, (op, path, ids, value, old) in enumerate(records, start=1):
            fields = {
                "doc": doc,
                "ts": ts,
                "op": op,
                "path": path,
                "ids": ids,
                "value": value,
                "old": old,
                "pos": 0,
            }
            lines.append(json.dumps(fields))
    (tmp_path / "log.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_the_summary_has_the_digests(folder: Path) -> None:
    result = audit(folder / "log.jsonl", load_rules(folder / "rules.xcep"))
    assert result.summary.per_rule == {"Known": 6, "Old": 4, "Flat": 10}
    digest = hashlib.sha256(PARTS.encode()).hexdigest()
    assert result.summary.to_record()["references"] == {"parts": digest}
    (folder / "plain.xcep").write_text("event New = ins(item)")
    assert (
        "references" not in audit(folder / "log.jsonl", load_rules(folder / "plain.xcep")).summary.to_record()
    )


def test_spark_finds_the_same(folder: Path, spark: SparkSession) -> None:
    """With another language, too, whose events do not look at the document."""
    (folder / "both.xcep").write_text((folder / "rules.xcep").read_text() + WITHOUT_DOCUMENT)
    rules = load_rules(folder / "both.xcep", allow=["python"])
    local = audit(folder / "log.jsonl", rules)
    distributed = audit(folder / "log.jsonl", rules, engine="spark", spark=spark)
    assert_same(local, distributed)
    assert distributed.summary.references == local.summary.references
    assert local.summary.per_rule["Odd"] == 16


def test_the_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = folder / "other.xml"
    other.write_text("<parts><part n='8'/></parts>")
    arguments = ["audit", str(folder / "log.jsonl"), "--rules", str(folder / "rules.xcep"), "--quiet"]
    assert run([*arguments, "--reference", f"parts={other}"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["ids"][1] for each in found if each["name"] == "Known"] == [80, 80]
    assert run([*arguments, "--reference", f"prats={other}"]) == 2
    assert "did you mean parts?" in capsys.readouterr().err
    assert run([*arguments, "--reference", "parts"]) == 2
    assert "'parts': expected NAME=FILE" in capsys.readouterr().err
    assert run([*arguments, "--reference", "parts=a", "--reference", "parts=b"]) == 2
    assert "'parts' is given twice" in capsys.readouterr().err
    (folder / "parts.xml").unlink()
    assert run(arguments) == 2
    assert "cannot be read: No such file or directory" in capsys.readouterr().err
    assert run(["check", str(folder / "rules.xcep"), "--reference", f"parts={other}"]) == 0


OPAQUE = """
event Odd = opaque["xpath31", "number(.) mod 2 = 1"](item/@n)
event Many = opaque["python", "tests.spec.languages:document_order"](item/@n)[$size > 5]
event Two(item) = Odd(item/@n) ; Many(item/@n)
"""


def test_other_languages(folder: Path) -> None:
    (folder / "opaque.xcep").write_text(OPAQUE)
    rules = load_rules(folder / "opaque.xcep", allow=["python"])
    assert audit(folder / "log.jsonl", rules).summary.per_rule == {"Odd": 16, "Many": 16, "Two": 4}


def test_a_language_that_does_not_work_on_workers(folder: Path) -> None:
    class Here:
        needs_document = on_workers = False

        def compile(self, text: str) -> Any:
            return lambda event, document: event.value == text

    rules = parse_rules('event E = opaque["here", "3"](item/@n)', languages={"here": Here()})
    assert audit(folder / "log.jsonl", rules).summary.findings == 6
    with pytest.raises(XmlCepError, match="event E: the language 'here' does not work on Spark's workers"):
        audit(folder / "log.jsonl", rules, engine="spark")


def test_what_is_allowed_is_an_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "opaque.xcep").write_text(OPAQUE)
    arguments = ["audit", str(folder / "log.jsonl"), "--rules", str(folder / "opaque.xcep"), "--quiet"]
    assert run(arguments) == 2
    assert "if you trust these rules: --allow python" in capsys.readouterr().err
    assert run([*arguments, "--allow", "python"]) == 0
    assert run(["check", str(folder / "opaque.xcep"), "--allow", "python"]) == 0
    said = capsys.readouterr().out
    assert "because      Many uses python, which may read the whole document (O1)" in said


def test_what_fails_ends_the_audit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "opaque.xcep").write_text(
        'event E = opaque["xpath31", "xs:date(.) > xs:date(\'2026-01-01\')"](item/@n)'
    )
    assert run(["audit", str(folder / "log.jsonl"), "--rules", str(folder / "opaque.xcep"), "--quiet"]) == 2
    assert "event E: xpath31, asked of ins(/order#1/item#10/@n#11) at 3, " in capsys.readouterr().err


def test_findings_do_not_replace_a_reference_document(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["audit", str(folder / "log.jsonl"), "--rules", str(folder / "rules.xcep")]
    assert run([*arguments, "--out", str(folder / "parts.xml")]) == 2
    assert (folder / "parts.xml").read_text() == PARTS
