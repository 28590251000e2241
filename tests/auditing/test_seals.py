"""What an audit says of the seals of its logs: unbroken, broken where, or that there are none."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.log.models import RecordedDocument
from xmlcep import Rules, fromstring, parse_rules
from xmlcep.auditing import AuditResult, SealCheck, audit
from xmlcep.cli.audit import command
from xmlcep.log import segments
from xmlcep.log.errors import BrokenChainError
from xmlcep.log.seal import verify
from xmlcep.recording import erase
from xmlcep.recording.recorder import record

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def rules() -> Rules:
    return parse_rules("event A = ins(item)")


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    return _recorded(tmp_path / "log.jsonl", seal=True)


def _recorded(path: Path, *, seal: bool, max_bytes: int | None = 5_000, edits: int = 15) -> Path:
    path.parent.mkdir(exist_ok=True)
    document = RecordedDocument(1)
    with record(document, path, seal=seal, max_bytes=max_bytes):
        for _ in range(edits):
            document.change()
    return path


def _audit(log: Path, rules: Rules, tmp_path: Path, **options: str) -> AuditResult:
    return audit(log, rules, engine="local", out=tmp_path / "found.jsonl", **options)  # type: ignore[arg-type]


def test_an_unbroken_seal(sealed: Path, rules: Rules, tmp_path: Path) -> None:
    seal = verify(sealed)
    result = _audit(sealed, rules, tmp_path, summary_file=str(tmp_path / "summary.json"))
    assert len(segments(sealed)) > 2
    assert result.summary.seals == [SealCheck(str(sealed), "unbroken", seal.length, seal.head)]
    written = json.loads((tmp_path / "summary.json").read_text())
    assert written["seals"] == [
        {"log": str(sealed), "state": "unbroken", "records": seal.length, "head": seal.head}
    ]
    assert not any("seal" in note for note in result.notes)


def test_whatever_verify_finds_an_audit_says(sealed: Path, rules: Rules, tmp_path: Path) -> None:
    """Bits flipped, lines altered, left out, repeated, swapped, in all files of the log."""
    choose = random.Random(3)
    for _ in range(60):
        file = choose.choice(segments(sealed))
        content = file.read_bytes()
        lines = content.splitlines(keepends=True)
        index = choose.randrange(1, len(lines))
        altered = [
            [*lines[:index], *lines[index + 1 :]],
            [*lines[:index], lines[index], *lines[index:]],
            [*lines[: index - 1], lines[index], lines[index - 1], *lines[index + 1 :]],
            [*lines[:index], lines[index].replace(b'"ts":', b'"ts":1', 1), *lines[index + 1 :]],
            [*lines[:index], _flipped(lines[index], choose), *lines[index + 1 :]],
            [*lines[:index], lines[index].replace(b",", b", "), *lines[index + 1 :]],  # no change to JSON
        ]
        file.write_bytes(b"".join(choose.choice(altered)))
        try:
            verify(sealed)
        except BrokenChainError as error:
            reason: str | None = str(error)
        else:
            reason = None
        result = _audit(sealed, rules, tmp_path)
        assert [each.reason for each in result.summary.seals] == [reason]
        said = [] if reason is None else [f"the seal of {sealed} is broken: {reason}"]
        assert [note for note in result.notes if "seal" in note] == said
        file.write_bytes(content)


def _flipped(line: bytes, choose: random.Random) -> bytes:
    flipped = bytearray(line)
    flipped[choose.randrange(len(line) - 1)] ^= 1 << choose.randrange(7)
    return bytes(flipped).replace(b"\n", b"") + b"\n"


@pytest.mark.parametrize("stripped", [slice(0, 1), slice(0, 20), slice(3, 9), slice(1, None)])
def test_records_that_have_lost_their_seal(
    sealed: Path, rules: Rules, tmp_path: Path, stripped: slice
) -> None:
    lines = sealed.read_bytes().splitlines()
    for index in range(len(lines))[stripped]:
        content = json.loads(lines[index])
        lines[index] = json.dumps({key: content[key] for key in content if key not in ("n", "hash")}).encode()
    sealed.write_bytes(b"".join(line + b"\n" for line in lines))
    (check,) = _audit(sealed, rules, tmp_path).summary.seals
    assert check.state == "broken"
    assert check.reason is not None
    assert "not sealed" in check.reason


def test_a_log_that_is_not_sealed(rules: Rules, tmp_path: Path) -> None:
    log = _recorded(tmp_path / "plain.jsonl", seal=False)
    assert _audit(log, rules, tmp_path).summary.seals == [SealCheck(str(log), "unsealed")]


def test_a_folder_of_logs_packed_and_plain(rules: Rules, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    first = _recorded(logs / "a.jsonl", seal=True)
    _recorded(logs / "b.jsonl", seal=False)
    packed = _recorded(logs / "c.jsonl", seal=True, max_bytes=None)
    content = packed.read_bytes()
    packed.unlink()
    (logs / "c.jsonl.gz").write_bytes(gzip.compress(content))
    states = {Path(each.log).name: each.state for each in _audit(logs, rules, tmp_path).summary.seals}
    assert states == {"a.jsonl": "unbroken", "b.jsonl": "unsealed", "c.jsonl.gz": "unbroken"}
    (logs / "c.jsonl.gz").write_bytes(gzip.compress(content.replace(b'"op":"ins"', b'"op":"del"', 1)))
    segments(first)[1].unlink()
    checks = {Path(each.log).name: each for each in _audit(logs, rules, tmp_path).summary.seals}
    assert {name: each.state for name, each in checks.items()} == states | {
        "a.jsonl": "broken", "c.jsonl.gz": "broken",
    }  # fmt: skip
    assert "records are missing before it" in (checks["a.jsonl"].reason or "")
    assert "was altered" in (checks["c.jsonl.gz"].reason or "")


def test_later_files_by_themselves_are_followed_from_their_first_record(
    sealed: Path, rules: Rules, tmp_path: Path
) -> None:
    (check,) = _audit(segments(sealed)[1], rules, tmp_path).summary.seals
    assert check.state == "unbroken"


def test_an_audit_that_goes_on_checks_what_is_new(sealed: Path, rules: Rules, tmp_path: Path) -> None:
    for file in segments(sealed)[1:]:
        file.unlink()
    lines = sealed.read_bytes().splitlines(keepends=True)
    state = str(tmp_path / "state")
    half = len(lines) // 2
    sealed.write_bytes(b"".join(lines[:half]))
    (check,) = _audit(sealed, rules, tmp_path, since=state).summary.seals
    assert (check.state, check.records) == ("unbroken", half)
    altered = lines[half].replace(b'"ts":', b'"ts":9', 1)  # the first that is new
    sealed.write_bytes(b"".join([*lines[:half], altered, *lines[half + 1 :]]))
    (check,) = _audit(sealed, rules, tmp_path, since=state).summary.seals
    assert check.state == "broken"
    assert (check.reason or "").startswith(f"{sealed}:{half + 1}: record {half + 1} was altered")


@pytest.mark.parametrize("quiet", [True, False])
def test_the_command_says_it(sealed: Path, tmp_path: Path, quiet: bool) -> None:
    (tmp_path / "r.xcep").write_text("event A = ins(item)\n")
    plain = _recorded(tmp_path / "plain.jsonl", seal=False)

    def run() -> str:
        options = [
            "--rules",
            str(tmp_path / "r.xcep"),
            "--engine",
            "local",
            "--out",
            str(tmp_path / "f.jsonl"),
            "--force",
        ]
        options += ["--quiet"] if quiet else []
        return CliRunner().invoke(command, [str(sealed), str(plain), *options]).stderr

    if not quiet:
        seal = verify(sealed)
        assert f"{sealed}: the seal is unbroken up to record {seal.length}, head {seal.head}\n" in run()
        assert "1 log is not sealed\n" in run()
    last = segments(sealed)[-1]
    last.write_bytes(
        last.read_bytes().replace(b'"doc":', b'"doc" : ', 1).replace(b'"value":"', b'"value":"x', 1)
    )
    assert f"the seal of {sealed} is broken: {last}:" in run()


def test_spark_leaves_out_what_the_local_engine_does(tmp_path: Path, spark: SparkSession) -> None:
    """Events that read values which were erased, in that document; the others are found."""
    rules = parse_rules("event Named = upd(@name)[starts-with(., 'A')]\nevent Changed = upd(@name)")
    for name in ("one", "two"):
        document = fromstring("<a name='A'/>", name=name)
        with record(document, tmp_path / f"{name}.jsonl", erasable=True):
            for number in range(3):
                document.root.set("name", f"A{number}")
    erase(tmp_path / "two.jsonl", nodes=[2])
    found = []
    for given in (None, spark):
        out = tmp_path / f"{len(found)}.jsonl"
        result = audit(tmp_path, rules, spark=given, engine="local" if given is None else "spark", out=out)
        summary = result.summary
        found.append((out.read_bytes(), dict(summary.per_rule), summary.unjudged, summary.findings))
        out.rename(tmp_path / f"{out.name}.done")
    assert found[0] == found[1]
    assert found[0][1:] == ({"Changed": 6, "Named": 3}, ["Named"], 9)
