"""A findings file has whole records only, also where there is no room for the next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import xmlcep
from xmlcep.recording import FindingsFile

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = """
import resource, sys
import xmlcep
from xmlcep.log import LogError
from xmlcep.recording import FindingsFile

rules = xmlcep.parse_rules("event A = ins(item)")
raised = []
document = xmlcep.fromstring("<a/>", name="a", now=lambda: 0)
with document.watch(rules, on_event=raised.append):
    for name in "bc":
        document.root.append(document.root.makeelement("item", n=name))
for room in map(int, sys.argv[1:]):
    with FindingsFile(f"{room}.jsonl") as findings:
        findings(raised[0])
        resource.setrlimit(resource.RLIMIT_FSIZE, (findings._file.tell() + room, resource.RLIM_INFINITY))
        try:
            findings(raised[1])
        except LogError as error:
            print(error)
        print(findings.count)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        findings(raised[1])
        print(findings.count)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit for the size of files")
def test_a_record_that_does_not_fit_is_not_there(tmp_path: Path) -> None:
    rooms = ("0", "1", "20")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *rooms], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        line for room in rooms for line in (f"{room}.jsonl: cannot be written: File too large", "1", "2")
    ]
    for room in rooms:
        lines = (tmp_path / f"{room}.jsonl").read_text().splitlines()
        assert [json.loads(line)["ts"] for line in lines] == [1, 3]


def test_what_a_watch_writes_is_what_an_audit_writes_to_the_byte(tmp_path: Path) -> None:
    """Variables come before who made it and in which transaction (V5)."""
    rules = xmlcep.parse_rules("event Priced = ins(item/@price) as $price")
    document = xmlcep.fromstring("<order><item/></order>", name="order")
    with (
        xmlcep.record(document, tmp_path / "log.jsonl"),
        FindingsFile(tmp_path / "live.jsonl") as findings,
        document.watch(rules, on_event=findings),
        document.transaction(user="ann"),
    ):
        document.root[0].set("price", "9.95")
    audited = xmlcep.audit(tmp_path / "log.jsonl", rules, engine="local", out=tmp_path / "audit.jsonl")
    assert list(next(iter(audited.records())))[-4:] == ["ended", "bindings", "txn", "meta"]
    assert (tmp_path / "live.jsonl").read_bytes() == (tmp_path / "audit.jsonl").read_bytes()
