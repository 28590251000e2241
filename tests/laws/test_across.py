"""Events over documents (V11): the engine against the reference evaluator, audits against both, live against audits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from lxml import etree

import xmlcep
from tests.reference.across import findings_over, in_one_order
from tests.strategies.across import (
    Edit,
    edits_of_documents,
    histories_of_documents,
    rules_across,
    rules_with_events,
)
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.engine.across import Across
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import Rules, parse_rules

Records = list[dict[str, Any]]


def engine_findings(rules: Rules, histories: Sequence[Sequence[PrimitiveEvent]]) -> Records:
    across = Across(rules, operators=True)
    raised = [each for time, event in in_one_order(histories) for each in across.feed(time, event, [])]
    return [each.to_record() for each in raised]


def as_set(findings: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(each, sort_keys=True) for each in findings)


def audited(log: Path, rules: Rules) -> Records:
    """What the local engine finds: the same as the tasks of Spark, in the same order."""
    pytest.importorskip("pyarrow")
    from tests.auditing.simulation import simulate

    result = xmlcep.audit(log, rules, operators=True, engine="local")
    with Spool() as spool:
        collector = Collector(spool, Summary("test"), OnBadRecord.SKIP)
        lines = simulate([log], rules, collector, split_bytes=500, operators=True)
        assert b"".join(lines) == b"".join(result.lines())
        assert collector.summary.per_rule == result.summary.per_rule
    return list(result.records())


def write(log: Path, histories: Sequence[Sequence[PrimitiveEvent]], mode: str = "w") -> Path:
    records = [event.to_record() for history in histories for event in history]
    with log.open(mode, encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return log


@given(rules_across(), histories_of_documents())
def test_engine_equals_reference(text: str, histories: list[list[PrimitiveEvent]]) -> None:
    rules = parse_rules(text)
    assert as_set(engine_findings(rules, histories)) == as_set(findings_over(rules.definitions, histories))


@settings(max_examples=12)
@given(rules_across(), histories_of_documents())
def test_audit_equals_engine(text: str, histories: list[list[PrimitiveEvent]]) -> None:
    rules = parse_rules(text)
    with TemporaryDirectory() as folder:
        log = write(Path(folder) / "log.jsonl", histories)
        assert as_set(audited(log, rules)) == as_set(engine_findings(rules, histories))


@settings(max_examples=12)
@given(rules_with_events(), histories_of_documents(), st.lists(st.integers(1, 14), max_size=3), st.booleans())
def test_runs_equal_one_audit(
    text: str, histories: list[list[PrimitiveEvent]], cuts: list[int], as_they_come: bool
) -> None:
    """Unless changes came behind later ones of other documents, which is said."""
    rules = parse_rules(text)
    events = [event for _, event in in_one_order(histories)]
    if not as_they_come:
        events.sort(key=lambda event: (event.doc, event.ts))
    parts = [events[begin:end] for begin, end in pairwise(sorted({0, *cuts, len(events)}))]
    with TemporaryDirectory() as folder:
        whole = xmlcep.audit(
            write(Path(folder) / "whole.jsonl", [events]), rules, engine="local", operators=True
        )
        out, state, log = (Path(folder) / name for name in ("out.jsonl", "state", "log.jsonl"))
        notes: list[str] = []
        for number, part in enumerate(parts):
            write(log, [part], mode="a")
            final = number == len(parts) - 1
            notes += xmlcep.audit(log, rules, since=state, out=out, operators=True, final=final).notes
        found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        late = any("made before what earlier runs have read" in note for note in notes)
        event(f"late: {late}, findings: {bool(found)}, runs: {len(parts)}")
        assert late or as_set(found) == as_set(list(whole.records()))


@settings(max_examples=8)
@given(rules_across(), histories_of_documents())
def test_questions_have_answers(text: str, histories: list[list[PrimitiveEvent]]) -> None:
    rules = parse_rules(text)
    with TemporaryDirectory() as folder:
        log = write(Path(folder) / "log.jsonl", histories)
        found = list(xmlcep.audit(log, rules, engine="local").records())
        for number, finding in list(enumerate(found, start=1))[:4]:
            if isinstance(finding["at"], str) and finding["constituents"]:
                why = xmlcep.why(log, rules, number)
                assert why.answer.startswith(
                    f"E was raised at the documents at {finding['ts']} of '{finding['doc']}'"
                )
                assert changes(why.groups[0].part.to_record()) == changes(finding)
        assert xmlcep.why_not(log, rules, "E").answer.startswith("E was ")
        for group in xmlcep.pending(log, rules, complete=True):
            assert group.event == "E" and group.node == "the documents" and group.to_record() and str(group)


def changes(record: dict[str, Any]) -> list[str]:
    """The changes in a finding, or in an answer."""
    inner = [record[name] for name in ("constituents", "parts", "events") if name in record]
    if "op" in record:
        return [json.dumps([record["ts"], record["op"], record["ids"]])]
    return sorted({each for some in inner for one in some for each in changes(one)})


@settings(max_examples=12)
@given(rules_with_events(), edits_of_documents())
def test_live_equals_audits(text: str, edits: list[Edit]) -> None:
    rules = parse_rules(text)
    now = 1_767_225_600.0
    documents = {
        name: xmlcep.fromstring(f"<{name}/>", name=name, now=lambda: now) for name in ("order", "stock")
    }
    with TemporaryDirectory() as folder:
        recordings = [xmlcep.record(each, Path(folder) / f"{name}.jsonl") for name, each in documents.items()]
        watch = xmlcep.Group(documents.values()).watch(rules, operators=True, keep=None)
        for doc, what, value, seconds, begins in edits:
            now += seconds
            document = documents[doc]
            if begins:
                with document.transaction():
                    edit(document.root, what, value)
                    edit(document.root, "item", value)
            else:
                edit(document.root, what, value)
        watch.close()
        for recording in recordings:
            recording.close()
        assert as_set(audited(Path(folder), rules)) == as_set([each.to_record() for each in watch.findings])


def edit(root: Any, what: str, value: str) -> None:
    if what not in ("set", "remove"):
        root.append(etree.Element(what, part=value))
    elif len(root):
        last = root[-1]
        if what == "set":
            last.set("part", value)
        else:
            root.remove(last)
