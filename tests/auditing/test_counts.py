"""How many records each rule takes: what looking at each record says, also in the tasks of Spark."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from path_types import PathInstance, PathType
from tests.auditing.logs import documents, interleaved, write_log
from tests.auditing.simulation import simulate
from tests.auditing.test_agreement import ORDER_RULES, lines_of, orders
from tests.reference.paths import node_of
from tests.strategies import rule_sets
from xmlcep.auditing import AuditResult, audit, notes
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import RuleSummary, Summary
from xmlcep.events import PrimitiveEvent, PrimitiveType
from xmlcep.rules import Rules, parse_rules
from xmlcep.rules.trees import EventTree

RULES = parse_rules(
    """
    event Both(item) = ins(item/price) | *(item/price)
    event Misspelt = ins(itm/price) ; ins(itm/quantity)
    event Order(/order) = ins(item)
    event Elsewhere(/shop) = ins(item)
    event Flat(/order) {flat} = ins(price) & ins(quantity)
    event Twice = Both(item) & Both(item)
    event Mixed = Both(item) & ins(item/quantity)
    """
)


def taken_by(tree: EventTree, event: PrimitiveEvent) -> bool:
    """Whether a leaf takes the event: it is compatible and has a group (E2, H1, H2)."""
    instance = PathInstance(event.path, event.ids)
    return any(
        isinstance(leaf.type, PrimitiveType)
        and leaf.type.accepts(event.op, event.path)
        and (tree.flat or node_of(operator.path, leaf.leaf, instance) is not None)
        for operator in tree.operators
        for leaf in operator.leaves()
    )


def looked_at(rules: Rules, events: Sequence[PrimitiveEvent]) -> dict[str, int | None]:
    """The records of each rule, found by looking at each record for each rule."""
    return {
        tree.name: sum(taken_by(tree, event) for event in events)
        if any(isinstance(leaf.type, PrimitiveType) for leaf in tree.leaves())
        else None
        for tree in rules.graph.trees
    }


def events_of(records: list[dict[str, Any]]) -> list[PrimitiveEvent]:
    return [PrimitiveEvent.from_record(record) for record in records]


def told(result: AuditResult) -> dict[str, int | None]:
    return {name: each.records for name, each in result.summary.rules.items()}


def test_a_record_counts_once_and_only_where_it_has_a_group(tmp_path: Path) -> None:
    records = orders("a", 21)
    result = audit(write_log(tmp_path / "a.jsonl", lines_of(records)), RULES, out=tmp_path / "out")
    assert told(result) == {
        "Both": 7, "Elsewhere": 0, "Flat": 14, "Misspelt": 0, "Mixed": 7, "Order": 7, "Twice": None,
    }  # fmt: skip
    assert told(result) == looked_at(RULES, events_of(records))
    assert list(result.summary.rules) == sorted(tree.name for tree in RULES.graph.trees)
    assert result.summary.rules["Both"] == RuleSummary("Both", 7, 7)
    assert result.summary.rules["Misspelt"] == RuleSummary("Misspelt", 0, 0)
    assert result.summary.to_record()["rules"]["Twice"] == {
        "records": None,
        "findings": result.summary.per_rule.get("Twice", 0),
    }
    with pytest.raises(AttributeError):
        result.summary.rules["Both"].records = 8  # type: ignore[misc]  # frozen, which is the point


def test_no_records_at_all(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.jsonl", [json.dumps({"xmlcep": 1, "doc": "a"}).encode()])
    rules = audit(log, RULES, out=tmp_path / "out").summary.rules
    assert {each.records for each in rules.values()} == {0, None} and len(rules) == 7


@pytest.mark.parametrize("policy", ["skip", "document"])
def test_bad_records_do_not_count_and_withheld_findings_do_not_either(tmp_path: Path, policy: Any) -> None:
    records = orders("a", 21)
    lines = [*lines_of(records), lines_of(records)[-1], b"no json"]  # the last time point twice
    log = write_log(tmp_path / "a.jsonl", lines)
    result = audit(log, RULES, out=tmp_path / "out", on_bad_record=policy)
    assert result.summary.quarantined == 2
    assert told(result) == looked_at(RULES, events_of(records))
    assert result.summary.rules["Both"].findings == (7 if policy == "skip" else 0)


def test_what_is_left_out_does_not_count(tmp_path: Path) -> None:
    rules = parse_rules("event Text = ins(price/text())")
    texts = ("1", " ", "\n", "2")
    events = [
        PrimitiveEvent(ts, "ins", PathType.parse("/price/text()"), (1, ts + 1), text, doc="a")
        for ts, text in enumerate(texts, start=1)
    ]
    log = write_log(tmp_path / "a.jsonl", events)
    assert told(audit(log, rules, out=tmp_path / "all")) == {"Text": 4}
    assert told(audit(log, rules, out=tmp_path / "some", ignore_whitespace=True)) == {"Text": 2}


def test_in_spite_of_disorder(tmp_path: Path) -> None:
    """Conditions, levels, markers, a document to be sorted, one that is interleaved with others."""
    first, second, third = (orders(doc, txn=doc == "a") for doc in "abc")
    lines = lines_of(first)
    lines[7], lines[50] = lines[50], lines[7]
    lines.insert(20, lines[19])
    mixed = [line for pair in zip(lines_of(second), lines_of(third), strict=True) for line in pair]
    write_log(tmp_path / "1.jsonl", lines)
    write_log(tmp_path / "2.jsonl", mixed)
    logs = [tmp_path / "1.jsonl", tmp_path / "2.jsonl"]
    for number, rules in enumerate((RULES, ORDER_RULES)):
        expected = looked_at(rules, events_of([*first, *second, *third]))
        assert all(
            count for name, count in expected.items() if name in ("Both", "Flat", "Mixed", "Quiet", "Sane")
        )
        assert told(audit(logs, rules, out=tmp_path / f"local{number}")) == expected


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(rule_sets(), st.data())
def test_random_rules_and_logs(definitions, data) -> None:
    """Without Spark: the local engine, record by record too, and the distributed replay done by plain Python."""
    rules = Rules.from_definitions(definitions)
    items = data.draw(documents().flatmap(interleaved))
    events = [item for item in items if isinstance(item, PrimitiveEvent)]
    if not events:
        return
    expected = looked_at(rules, events)
    swapped = list(items)
    if data.draw(st.booleans()):
        places = st.integers(0, len(items) - 1)
        one, other = data.draw(places), data.draw(places)
        swapped[one], swapped[other] = swapped[other], swapped[one]
    with tempfile.TemporaryDirectory() as folder:
        log = write_log(Path(folder) / "a.jsonl", swapped)
        result = audit(log, rules, out=Path(folder) / "out")
        counted = told(result)
        with mock.patch("xmlcep.auditing.run.keep_meaningful", lambda row: True):
            by_row = audit(log, rules, out=Path(folder) / "by_row", ignore_whitespace=True)
        assert told(by_row) == counted
        found = simulated(log, rules, split_bytes=data.draw(st.sampled_from((100, 1000, 10_000))))
    assert found == counted
    if not result.summary.quarantined:
        assert counted == expected


def simulated(log: Path, rules: Rules, *, split_bytes: int) -> dict[str, int | None]:
    """The records of each rule by what the tasks of Spark count."""
    with Spool() as spool:
        collector = Collector(spool, Summary("test"), OnBadRecord.SKIP)
        simulate([log], rules, collector, split_bytes=split_bytes)
        return collector.summary.records_per_rule


def test_a_document_with_most_of_the_log_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "_LARGE", 10)
    log = tmp_path / "log.jsonl"
    lines = [
        {"doc": doc, "ts": ts, "op": "ins", "path": "/a/b", "ids": [1, 1 + ts]}
        for doc, most in (("small", 4), ("large", 9))
        for ts in range(1, most)
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    by_document = parse_rules("event Pair {flat} = ins(/a/b) ; ins(/a/b)\nevent Top = ins(/a) ; ins(/a/b)")
    said = (
        "document 'large' has 73% of the records, and one core replays it for Top, Pair, whatever the engine"
    )
    assert any(said in note for note in audit(log, by_document).notes)
    by_node = parse_rules("event Twice = ins(b) & del(b)")
    assert not any("one core" in note for note in audit(log, by_node).notes)
