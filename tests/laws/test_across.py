"""Events over documents (V11): the engine against the reference evaluator, audits against both, live against audits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
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


@given(rules_across(), histories_of_documents())
def test_engine_equals_reference(text: str, histories: list[list[PrimitiveEvent]]) -> None:
    rules = parse_rules(text)
    assert as_set(engine_findings(rules, histories)) == as_set(findings_over(rules.definitions, histories))


@settings(max_examples=25)
@given(rules_across(), histories_of_documents())
def test_audit_equals_engine(text: str, histories: list[list[PrimitiveEvent]]) -> None:
    rules = parse_rules(text)
    records = [event.to_record() for history in histories for event in history]
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        log.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        assert as_set(audited(log, rules)) == as_set(engine_findings(rules, histories))


@settings(max_examples=25)
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
