"""Events over documents (V11): the engine against the reference evaluator, audits against both, live against audits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

import xmlcep
from tests.reference.across import findings_over, in_one_order
from tests.strategies.across import histories_of_documents, rules_across
from xmlcep.engine.across import Across
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import Rules, parse_rules


def engine_findings(rules: Rules, histories: Sequence[Sequence[PrimitiveEvent]]) -> list[dict[str, Any]]:
    across = Across(rules, operators=True)
    raised = [each for time, event in in_one_order(histories) for each in across.feed(time, event, [])]
    return [each.to_record() for each in raised]


def as_set(findings: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(each, sort_keys=True) for each in findings)


@given(rules_across(), histories_of_documents())
def test_engine_equals_reference(text: str, histories: list[list[PrimitiveEvent]]) -> None:
    rules = parse_rules(text)
    assert as_set(engine_findings(rules, histories)) == as_set(findings_over(rules.definitions, histories))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rules_across(), histories_of_documents())
def test_audit_equals_engine(tmp_path: Path, text: str, histories: list[list[PrimitiveEvent]]) -> None:
    rules = parse_rules(text)
    records = [event.to_record() for history in histories for event in history]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    result = xmlcep.audit(log, rules, operators=True, engine="local")
    assert as_set(list(result.records())) == as_set(engine_findings(rules, histories))
