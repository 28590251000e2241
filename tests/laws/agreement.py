"""Runs rules and steps through the engine, step by step, in the order of the findings file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from path_types import PathType
from path_types.relations import offsets
from tests.constructs import UNKNOWN_TO_THE_ENGINE, constructs_of
from tests.reference import Advance, Evaluation, Raise
from tests.spec.languages import COMPILE, LANGUAGES
from tests.strategies import DOCUMENTS, History, show_history, show_rules
from xmlcep.algebra import EventDefinition
from xmlcep.engine import Detector
from xmlcep.events import Cause, CompositeEvent, PrimitiveEvent, TimePoint
from xmlcep.rules import Rules, parse_rules

Findings = list[list[dict[str, Any]]]


def rules_of(definitions: Sequence[EventDefinition]) -> Rules:
    """The rules with these definitions, by way of their text."""
    return _parsed(tuple(definitions))


@lru_cache(maxsize=8)
def _parsed(definitions: tuple[EventDefinition, ...]) -> Rules:
    """An example asks for its rules again and again, and to print and parse them is a good part of what it costs."""
    text = show_rules(definitions)
    documents = {name: xml.encode() for name, xml in DOCUMENTS.items() if f"reference {name} = " in text}
    return parse_rules(text, references=documents, languages=LANGUAGES)


@lru_cache(maxsize=8)
def rank_of(definitions: tuple[EventDefinition, ...]) -> Callable[[Mapping[str, Any]], Any]:
    """What orders findings as the findings file does, as the reference evaluator says."""
    return Evaluation(definitions, references=DOCUMENTS, languages=COMPILE).rank


def engine_findings(
    definitions: Sequence[EventDefinition], steps: Iterable[Any], *, general: bool = False
) -> Findings:
    """What the engine raises at each step, at last when closed, in the order of the findings file; ``general``: with
    every short way closed."""
    rules, rank = rules_of(definitions), rank_of(tuple(definitions))
    detector = Detector(rules, operators=True, general=general)
    found = []
    for step in steps:
        found.append(sorted(map(as_record, take(detector, step)), key=rank))
    found.append(sorted(map(as_record, detector.close()), key=rank))
    return found


def as_record(composite: CompositeEvent) -> dict[str, Any]:
    """Without what is known of the future, which is no more than is needed of it (`tests.laws.ending`)."""
    return composite._replace(ended=False).to_record()


def take(detector: Detector, step: Any) -> list[CompositeEvent]:
    """What a detector raises at a step of a history, in raise order."""
    if isinstance(step, PrimitiveEvent):
        return detector.feed(step)
    if isinstance(step, Advance):
        return detector.advance(step.time)
    if isinstance(step, Raise):
        return detector.raise_external(external(step, detector.last_fed))
    return detector.flush() if step == "flush" else detector.close()


def external(step: Raise, last: Cause | None) -> CompositeEvent:
    """The external event that is raised, at the time point of the last record (L7)."""
    assert last is not None
    cause = TimePoint(last.ts, last.at, last.doc, last.txn, last.meta)
    return CompositeEvent(step.name, None, step.place.path, step.place.ids, (), last.ts, last.ts, cause)


def reference_findings(definitions: Sequence[EventDefinition], steps: Iterable[Any]) -> Findings:
    """What the reference evaluator raises at each step, and at last when it is closed."""
    evaluation = Evaluation(definitions, references=DOCUMENTS, languages=COMPILE)
    return [evaluation.take(step) for step in [*steps, "close"]]


def as_the_engine_sees(step: Any) -> Any:
    """The step as it means something to the engine: without edits of several records, if it does not know these."""
    if isinstance(step, PrimitiveEvent) and "edit" in UNKNOWN_TO_THE_ENGINE:
        return step._replace(more=False)
    return step


def needed(definitions: Sequence[EventDefinition], found: Sequence[Mapping[str, Any]]) -> set[str]:
    """The constructs that findings of these rules needed: those of the definitions of their events; alignment, if a
    path in one has the operator's path several times (P10)."""
    names = {finding["name"] for finding in found}
    constructs = constructs_of([each for each in definitions if each.name in names])
    rules = rules_of(definitions)
    if any(_is_aligned(rules, finding) for finding in found):
        constructs.add("alignment")
    return constructs


def _is_aligned(rules: Rules, finding: Mapping[str, Any]) -> bool:
    tree = next(tree for tree in rules.graph.trees if tree.name == finding["name"])
    paths = {PathType.parse(path) for path in _paths(finding)}
    return not tree.flat and any(
        len(offsets(node.path, path)) > 1 for node in tree.operators for path in paths
    )


def _paths(record: Mapping[str, Any]) -> Iterator[str]:
    for inner in record.get("constituents", ()):
        if "op" in inner:
            yield inner["path"]
        yield from _paths(inner)


def shown(counts: Mapping[str, int]) -> str:
    """Constructs, with in how many cases with findings they were needed."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def difference(
    definitions: Sequence[EventDefinition], history: History, counts: Counter[str] | None = None
) -> str:
    """The first edit at which engine and reference differ, with rules and events; empty if none does. ``counts`` gets
    what findings `needed`.

    Step by step, but for records of which the edit goes on: when exactly in it something is returned is not promised.
    """
    seen = tuple(map(as_the_engine_sees, history.steps))
    expected = reference_findings(definitions, seen)
    got = engine_findings(definitions, seen)
    if counts is not None:
        counts.update(needed(definitions, [finding for some in got for finding in some]))
    steps = [*seen, "close"]
    rank = rank_of(tuple(definitions))
    want: list[dict[str, Any]] = []
    have: list[dict[str, Any]] = []
    for index, step in enumerate(steps):
        want, have = want + expected[index], have + got[index]
        if isinstance(step, PrimitiveEvent) and step.more:
            continue
        want.sort(key=rank)
        have.sort(key=rank)
        if want != have:
            until = History(tuple(steps[: index + 1]))  # type: ignore[arg-type]
            lines = [show_rules(tuple(definitions)), show_history(until), "reference:"]
            lines += [*map(_short, want), "engine:", *map(_short, have)]
            return "\n".join(lines)
        want, have = [], []
    return ""


def _short(record: dict[str, Any]) -> str:
    span = f"[{record['start']},{record['end']}]"
    rest = {name: record[name] for name in ("at", "bindings") if name in record}
    return (
        f"  {record['ts']}: {record['name']} {record['path']}{record['ids']} {span} {_inner(record)} {rest}"
    )


def _inner(record: dict[str, Any]) -> str:
    if "op" in record:
        return f"{record['op']}@{record['ts']}"
    inner = ", ".join(map(_inner, record["constituents"]))
    return f"{{{inner}}}" if "operator" in record else f"{record['name']}{{{inner}}}"
