"""Laws that relate two runs of the engine: what must not change, and how the rest does."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType, Step
from tests.laws.agreement import engine_findings
from tests.reference.paths import path_of
from tests.strategies import History, histories, rule_sets
from xmlcep.algebra import (
    Conjunction,
    ContextName,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Options,
    Sequence,
    Termination,
)
from xmlcep.events import PrimitiveEvent, PrimitiveType

Rules = tuple[EventDefinition, ...]

fewer = settings(max_examples=25, deadline=None)
at_once = rule_sets(max_events=2, ends=(Termination.EARLIEST, Termination.CUSTOM))


def all_findings(rules: Rules, steps: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Everything the engine raises, step after step."""
    return [record for found in engine_findings(rules, steps) for record in found]


@fewer
@given(at_once, histories(), st.integers(0, 30))
def test_an_event_no_rule_mentions_changes_nothing(rules: Rules, history: History, place: int) -> None:
    """Without non-local operators, that is: those are released by any event elsewhere (D2)."""
    steps = history.steps
    place %= len(steps) + 1
    before = [step.ts for step in steps[:place] if isinstance(step, PrimitiveEvent)]
    time = max(before, default=0) + 1
    within_edit = bool(place) and getattr(steps[place - 1], "more", False)  # it ends no edit of others (U1)
    remark = PathType.parse("/order/remark")
    unmentioned = PrimitiveEvent(time, "ins", remark, (1, 5_000), pos=0, doc="doc", more=within_edit)
    later = tuple(
        _at(step, step.ts + 1) if isinstance(step, PrimitiveEvent) else step for step in steps[place:]
    )
    shifted = [_shift(record, time, 1) for record in _without_causes_of_flushes(all_findings(rules, steps))]
    got = _without_causes_of_flushes(all_findings(rules, (*steps[:place], unmentioned, *later)))
    assert got == shifted


@fewer
@given(rule_sets(max_events=2), histories(), st.integers(1, 1000))
def test_shifting_time_shifts_findings(rules: Rules, history: History, by: int) -> None:
    shifted = tuple(
        _at(step, step.ts + by) if isinstance(step, PrimitiveEvent) else step for step in history.steps
    )
    expected = [_shift(record, 1, by) for record in all_findings(rules, history.steps)]
    assert all_findings(rules, shifted) == expected


@fewer
@given(rule_sets(max_events=2, conditions=False), histories())
def test_renaming_elements_renames_findings(rules: Rules, history: History) -> None:
    steps = tuple(
        step._replace(path=_renamed(step.path)) if isinstance(step, PrimitiveEvent) else step
        for step in history.steps
    )
    renamed = tuple(replace(rule, expression=_rename(rule.expression)) for rule in rules)
    assert [_shape(r) for r in all_findings(renamed, steps)] == [
        _shape(r) for r in all_findings(rules, history.steps)
    ]


@fewer
@given(rule_sets(max_events=2), histories())
def test_renaming_nodes_in_order_renames_findings(rules: Rules, history: History) -> None:
    steps = tuple(
        step._replace(ids=tuple(10 * node + 7 for node in step.ids))
        if isinstance(step, PrimitiveEvent)
        else step
        for step in history.steps
    )
    got = [_shape(record) for record in all_findings(rules, steps)]
    assert got == [_shape(record) for record in all_findings(rules, history.steps)]


@fewer
@given(rule_sets(max_events=2, conditions=False), histories())
def test_a_condition_that_is_true_is_no_condition(rules: Rules, history: History) -> None:
    """Where the operator's node is an element of the document and lives (D4)."""
    conditional = tuple(
        rule if rule.flat or not _is_element(rule) else _with_options(rule, when="true()") for rule in rules
    )
    inserted = {step.ids[-1] for step in history.events if step.op == "ins"}
    seen_from_the_start = all(set(step.ids) <= inserted for step in history.events)
    if seen_from_the_start and not any(step.op == "del" for step in history.events):
        assert all_findings(conditional, history.steps) == all_findings(rules, history.steps)


@fewer
@given(st.sampled_from("&;"), st.booleans(), histories())
def test_chronicle_composites_are_disjoint(symbol: str, flat: bool, history: History) -> None:
    """For an operator of distinct leaves: all that is used is consumed (Q1)."""
    rule = _binary(symbol, ContextName.CHRONICLE, flat)
    used = Counter(
        inner["ts"] for record in all_findings((rule,), history.steps) for inner in record["constituents"]
    )
    assert all(times == 1 for times in used.values())


@fewer
@given(st.sampled_from("&;"), st.booleans(), histories())
def test_recent_composites_are_among_the_unrestricted(symbol: str, flat: bool, history: History) -> None:
    """For an operator of leaves: recent chooses from combinations that exist (Q1)."""
    found = {}
    for context in (ContextName.RECENT, ContextName.UNRESTRICTED):
        rule = _binary(symbol, context, flat)
        found[context] = {str(_shape(record)) for record in all_findings((rule,), history.steps)}
    assert found[ContextName.RECENT] <= found[ContextName.UNRESTRICTED]


@fewer
@given(rule_sets(max_events=2), histories())
def test_running_again_gives_the_same(rules: Rules, history: History) -> None:
    assert all_findings(rules, history.steps) == all_findings(rules, history.steps)


def _binary(symbol: str, context: ContextName, flat: bool) -> EventDefinition:
    leaves = tuple(
        Leaf(PrimitiveType("ins", PathType.parse(f"item/{name}"))) for name in ("price", "quantity")
    )
    return EventDefinition("E", Sequence(leaves) if symbol == ";" else Conjunction(leaves), context, flat)


def _at(event: PrimitiveEvent, ts: int) -> PrimitiveEvent:
    return event._replace(ts=ts)


def _shift(record: dict[str, Any], since: int, by: int) -> dict[str, Any]:
    """The record with all time points from ``since`` on moved ``by``."""
    moved = {
        key: value + by if key in ("ts", "start", "end") and value is not None and value >= since else value
        for key, value in record.items()
    }
    if "constituents" in moved:
        moved["constituents"] = [_shift(inner, since, by) for inner in moved["constituents"]]
    return moved


def _without_causes_of_flushes(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a flush raises carries the last event's time and user, which may be the unmentioned event's."""
    of_cause = ("ts", "at", "txn", "meta")
    return [{key: value for key, value in record.items() if key not in of_cause} for record in records]


def _shape(record: dict[str, Any]) -> dict[str, Any]:
    """The record without names of nodes and ids."""
    kept = {key: value for key, value in record.items() if key not in ("path", "ids")}
    if "constituents" in kept:
        kept["constituents"] = [_shape(inner) for inner in kept["constituents"]]
    return kept


def _renamed(path: PathType) -> PathType:
    steps = [Step.element(f"{step.test}2") if step.is_element else step for step in path.steps]
    return PathType.of(path.absolute, steps)


def _rename(expression: Expression) -> Any:
    if isinstance(expression, Leaf):
        return Leaf(expression.type._replace(path=_renamed(expression.type.path)))
    path = expression.options.path
    options = replace(expression.options, path=None if path is None else _renamed(path))
    if isinstance(expression, Multiplicity):
        return replace(expression, operands=(_rename(expression.operand),), options=options)
    return replace(expression, operands=tuple(map(_rename, expression.operands)), options=options)


def _is_element(rule: EventDefinition) -> bool:
    path = path_of(rule.expression)
    return path is not None and path.last.is_element


def _with_options(rule: EventDefinition, **changes: Any) -> EventDefinition:
    options: Options = replace(rule.expression.options, **changes)
    return replace(rule, expression=replace(rule.expression, options=options))
