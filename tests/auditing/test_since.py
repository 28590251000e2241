"""Audits that go on: what several runs over a growing log find is what one audit finds in all of it (rule G6)."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.auditing.logs import interleaved, lives
from tests.auditing.test_every_construct import log_of, of_document
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.auditing import AuditResult, audit
from xmlcep.auditing.failures import ReplayError
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import change_record
from xmlcep.rules import Rules

BOTH = "event Both = ins(item/price) & ins(item/quantity)"


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


@st.composite
def growths(draw: st.DrawFn, items: Sequence[Any]) -> list[dict[str, bytes]]:
    """What files hold at each run, by name: files grow, also by parts of lines, and new ones come."""
    files: dict[str, bytes] = {}
    current = "00.jsonl"
    seen: list[dict[str, bytes]] = []
    for index, item in enumerate(items):
        text = line(item)
        cut = draw(st.sampled_from(("no", "no", "no", "no", "run", "part", "file", "both")))
        if cut == "part" and current in files:
            seen.append({**files, current: files[current] + text[: len(text) // 2]})
        elif cut in ("run", "both") and files:
            seen.append(dict(files))
        if cut in ("file", "both") and files:
            current = f"{index + 1:02}.jsonl"
        files[current] = files.get(current, b"") + text
    return [*seen, files]


def check_runs(
    rules: Rules,
    items: Sequence[Any],
    seen: Sequence[dict[str, bytes]],
    until: str | None = None,
    **options: Any,
) -> None:
    """Audits each growth, and the whole."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        growing = Growing(folder, rules, **options)
        failed = False
        for number, files in enumerate(seen):
            for file, text in files.items():
                (growing.logs / file).write_bytes(text)
            final = number == len(seen) - 1
            try:
                growing.run(final=final, until=until if final else None)
            except ReplayError:
                failed = True
        try:
            whole = growing.whole(folder, until=until)
        except ReplayError:
            assert failed
            return
        assert not failed
        growing.check(whole)


@settings(max_examples=100, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE), st.data())
def test_random_cuts_with_every_construct(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    count = data.draw(st.integers(1, 3))
    logs = [
        log_of(of_document(data.draw(timed_histories(max_edits=8)), f"doc{n}"), f"doc{n}")
        for n in range(count)
    ]
    items: list[Any] = data.draw(interleaved(logs))  # type: ignore[arg-type]
    until = data.draw(st.sampled_from((None, "2026-01-01T00:00:30Z")))
    check_runs(
        rules_of(definitions), items, data.draw(growths(items)), until, operators=data.draw(st.booleans())
    )


@settings(max_examples=50, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE - {"time"}), st.data())
def test_random_cuts_of_logs_with_headers_and_bad_lines(definitions: Any, data: st.DataObject) -> None:
    rules = rules_of(definitions)
    if rules.graph.needs_time:
        return  # these histories have none
    logs = [life.log() for life in data.draw(lives(busy=True))]
    items: list[Any] = data.draw(interleaved(logs))
    for place in data.draw(st.lists(st.integers(0, 30), max_size=2)):
        items.insert(min(place, len(items)), b'{"doc": "doc0", "op": "nonsense"}')
    check_runs(rules, items, data.draw(growths(items)))
