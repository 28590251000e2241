"""A folder of logs that grows and is audited after each growth; what all runs together must have found."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from xmlcep.auditing import AuditResult, audit
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import change_record
from xmlcep.rules import Rules


def line(item: Any) -> bytes:
    """An item of a log as a line; bytes are one already."""
    if isinstance(item, bytes):
        return item + b"\n"
    record = change_record(item) if isinstance(item, PrimitiveEvent) else item.to_record()
    return FASTEST.dumps(record) + b"\n"


def change(doc: str, ts: int, name: str, item: int = 2, **more: Any) -> dict[str, Any]:
    path = f"/order/item/{name}"
    return {"doc": doc, "ts": ts, "op": "ins", "path": path, "ids": [1, item, 1000 + ts], **more}


def write(path: Path, *records: dict[str, Any] | bytes) -> None:
    """Appends records to a log."""
    lines = [each + b"\n" if isinstance(each, bytes) else FASTEST.dumps(each) + b"\n" for each in records]
    with path.open("ab") as stream:
        stream.write(b"".join(lines))


def by_document(findings: bytes) -> list[bytes]:
    """The findings of several runs as one audit orders them."""
    return sorted(findings.splitlines(), key=lambda found: str(json.loads(found)["doc"]))


class Growing:
    """A folder of logs that grows, audited after each growth."""

    def __init__(self, folder: Path, rules: Rules, **options: Any) -> None:
        self.logs, self.out, self.state = folder / "logs", folder / "findings.jsonl", folder / "audit.state"
        self.logs.mkdir()
        self.rules = rules
        self.options = options
        self.results: list[AuditResult] = []

    def run(self, *, final: bool = False, **more: Any) -> AuditResult:
        result = audit(
            self.logs, self.rules, since=self.state, out=self.out, final=final, **self.options, **more
        )
        self.results.append(result)
        return result

    def whole(self, folder: Path, **more: Any) -> AuditResult:
        return audit(
            self.logs, self.rules, engine="local", out=folder / "whole.jsonl", **self.options, **more
        )

    def check(self, whole: AuditResult) -> None:
        """All runs together have found what the whole has: findings, counts, bad records."""
        assert by_document(self.out.read_bytes()) == list(whole.lines())
        assert [found for each in self.results for found in each.lines()] or not list(whole.lines())
        runs, one = [each.summary for each in self.results], whole.summary
        assert sum(each.records for each in runs) == one.records
        assert sum((Counter(each.per_rule) for each in runs), Counter()) == Counter(one.per_rule)
        assert sum(each.quarantined for each in runs) == one.quarantined
        for name, records in one.records_per_rule.items():
            told = [each.records_per_rule[name] for each in runs]
            assert (None if records is None else sum(each or 0 for each in told)) == records, name
        for doc, document in one.documents.items():
            assert (
                sum(each.documents[doc].missing for each in runs if doc in each.documents) == document.missing
            )
        said = [read_bad(each.quarantine) for each in (self.results[-1], whole)]
        bad = self.out.with_name("findings.jsonl.quarantine.jsonl")
        said[0] = read_bad(bad if bad.exists() else None)
        assert sorted(said[0]) == sorted(said[1])


def read_bad(path: Path | None) -> list[tuple[Any, ...]]:
    if path is None:
        return []
    records = [json.loads(each) for each in path.read_bytes().splitlines()]
    return [(each["file"], each["record"], each["offset"], each["reason"], each["raw"]) for each in records]
