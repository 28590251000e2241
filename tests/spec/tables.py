"""Runs the rows of the tables against the reference evaluator and against the engine.

A table is rules in the event language, where ``$context`` and the like stand for what the rows vary, and
rows of text::

    chronicle | p1 q1.1 q1.2 p1! | 2: p1+q1.1

that is: the variables' values, the words of the alphabet, and what is raised at which time point.
A composite is written as its constituents in the order of the finding record, joined by ``+``, an
operand's composite in parentheses, an empty one as ``0``. Composites of one time point stand in the order
of the findings file, separated by blanks. With ``of:`` in front (``Q:c1``) it is that of the operator
or event called so; a table that shows inner operators, or has several events, writes that everywhere. Behind it
stand its bindings, where it has any: ``a1=7+a2=7{part=7}``, of a list ``{part=[7,8]}``.

A row that makes use of a construct the engine does not run yet is run with the reference evaluator only
(`tests.constructs`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from string import Template
from typing import Any, NamedTuple

import pytest

from tests.constructs import UNKNOWN_TO_THE_ENGINE, constructs_of
from tests.laws.agreement import take
from tests.reference import evaluate
from tests.spec.alphabet import DOCUMENTS, steps_of
from tests.spec.languages import COMPILE, LANGUAGES
from xmlcep.auditing.findings.order import Ranking
from xmlcep.engine import Detector
from xmlcep.errors import RuleProblem
from xmlcep.events import CompositeEvent
from xmlcep.language import ParsedRules, parse_definitions
from xmlcep.rules import Rules, parse_rules
from xmlcep.rules.parameters import with_windows

Runner = Callable[..., list[dict[str, Any]]]


# The rows of a table, and the ways to run them, have their rules in common.
@lru_cache(maxsize=512)
def _parsed(rules: str) -> ParsedRules:
    problems: list[RuleProblem] = []
    parsed = parse_definitions(rules, problems)
    assert not problems, [problem.message for problem in problems]
    return parsed


@lru_cache(maxsize=512)
def _compiled(rules: str) -> Rules:
    references = {
        reference.name: DOCUMENTS[reference.file].encode() for reference in _parsed(rules).references
    }
    return parse_rules(rules, references=references, languages=LANGUAGES)


def run_reference(rules: str, steps: Sequence[Any]) -> list[dict[str, Any]]:
    """All findings of the reference evaluator, inner operators' included, in the file's order."""
    parsed = _parsed(rules)
    params = {parameter.name: parameter.value for parameter in parsed.parameters}
    references = {reference.name: DOCUMENTS[reference.file] for reference in parsed.references}
    definitions = with_windows(parsed, parsed.parameters, []).definitions
    return evaluate(definitions, steps, references=references, languages=COMPILE, params=params).findings()


def run_engine(rules: str, steps: Sequence[Any]) -> list[dict[str, Any]]:
    """The same of the engine, which raises that without its short ways, too."""
    found = _run_engine(rules, steps, lambda detector, compiled: detector)
    assert _run_engine(rules, steps, lambda detector, compiled: detector, general=True) == found
    return found


def run_cut(rules: str, steps: Sequence[Any]) -> list[dict[str, Any]]:
    """The same of the engine if each step is taken by another detector, made of the state of the one before (G6)."""

    def made_again(detector: Any, compiled: Any) -> Any:
        return type(detector).from_state(
            compiled, json.loads(json.dumps(detector.to_state(), allow_nan=False))
        )

    return _run_engine(rules, steps, made_again)


def _run_engine(
    rules: str, steps: Sequence[Any], before_each: Callable[[Any, Any], Any], *, general: bool = False
) -> list[dict[str, Any]]:
    if unknown := _unknown(rules, steps):
        pytest.skip(f"the engine does not run {', '.join(sorted(unknown))} yet")
    compiled = _compiled(rules)
    detector = Detector(compiled, operators=True, general=general)
    place = Ranking(compiled).place
    raised: list[CompositeEvent] = []
    for step in steps:
        detector = before_each(detector, compiled)
        raised += take(detector, step)
    return [c.to_record() for c in sorted(raised, key=lambda composite: (composite.ts, place(composite)))]


WAYS: dict[str, Runner] = {"reference": run_reference, "engine": run_engine, "cut": run_cut}
"""What takes a row, by name: the reference evaluator, the engine, the engine made again before each step."""
EVALUATORS = [pytest.param(run, id=name) for name, run in WAYS.items()]
"""The same for tests that say themselves what is to come of it."""


def _unknown(rules: str, steps: Sequence[Any]) -> frozenset[str]:
    """The constructs in it that the engine does not run yet."""
    return frozenset(constructs_of(_parsed(rules).definitions, steps) & UNKNOWN_TO_THE_ENGINE)


def rows(table: str) -> list[list[str]]:
    """The rows of a text table as lists of cells, without blank lines and those that begin with ``--``."""
    lines = [line.strip() for line in table.strip().splitlines()]
    return [
        [cell.strip() for cell in line.split("|")] for line in lines if line and not line.startswith("--")
    ]


class Case(NamedTuple):
    """Rules, a history, what is raised, and what `$context` stands for in the rules."""

    rules: str
    words: str
    raised: str
    variables: Mapping[str, str]


def cases(table: str) -> list[Case]:
    """A table of rules, each with indented rows below it: words, then what is raised; with the context in front where
    the rules have `$context`. A line that begins with ``#`` says what the rules or rows behind it are about."""
    found: list[Case] = []
    rules: list[str] = []
    after_row = False
    for line in table.strip().splitlines():
        if line.startswith("    ") and not line.strip().startswith("#"):
            written = "\n".join(rules)
            cells = [cell.strip() for cell in line.split("|")]
            context = [cells.pop(0)] if "$context" in written else [""]
            words, raised = cells
            found += [Case(written, words, raised, {"context": name}) for name in context[0].split(", ")]
        elif line and not line.startswith("    "):
            rules = [line] if after_row else [*rules, line]
        after_row = line.startswith("    ")
    return found


def title(case: Case) -> str:
    """What a case is called: the first line of its rules, the context, the words."""
    (first, *_) = (line for line in case.rules.split("\n") if not line.startswith("#"))
    return ": ".join(filter(None, (first, case.variables["context"], case.words)))


def check(rules: str, words: str, expected: str, variables: Mapping[str, str] | None = None) -> None:
    """Runs one row in all ways and compares what is raised with what is expected, both written as text; a failure says
    in which of them it is something else. One test of all: to begin a test takes as long as to run a row."""
    steps, names = steps_of(words)
    text = Template(rules).safe_substitute(variables or {})
    qualified = any(":" in part for part in expected.replace(": ", " ").split())
    named = re.search(r"[\w)]\(", expected) is not None
    wanted = " ".join(expected.split())
    wrong = []
    for way, run in WAYS.items():
        if run is not run_reference and _unknown(text, steps):
            continue
        records = run(text, steps)
        shown = [record for record in records if qualified or record["operator"] is None]
        if (got := render(shown, names, qualified=qualified, named=named)) != wanted:
            wrong.append(f"  {way} raised {got}")
    assert not wrong, "\n".join([text, words, f"  wanted {wanted}", *wrong])


def render(
    records: Sequence[Mapping[str, Any]],
    names: Mapping[int, str],
    *,
    qualified: bool = False,
    named: bool = False,
) -> str:
    """Finding records as text: ``ts: composite composite; ts: …``; ``named``: with the names of operands (V10)."""
    times: dict[int, list[str]] = {}
    for record in records:
        of = f"{record['operator'] or record['name']}:" if qualified else ""
        times.setdefault(record["ts"], []).append(of + _composite(record, names, named))
    return "; ".join(f"{ts}: {' '.join(found)}" for ts, found in times.items())


def _composite(record: Mapping[str, Any], names: Mapping[int, str], named: bool) -> str:
    inside = [
        (names[inner["ts"]] if "op" in inner else f"({_composite(inner, names, named)})")
        + (f"({inner['as']})" if named and "as" in inner else "")
        for inner in record["constituents"]
    ]
    said = [record[field] for field in ("severity", "message") if field in record]
    return (
        ("+".join(inside) or "0")
        + _bindings(record.get("bindings", {}))
        + (f"<{' '.join(said)}>" if said else "")
    )


def _bindings(bindings: Mapping[str, Any]) -> str:
    shown = [f"{name}={_value(value)}" for name, value in bindings.items()]
    return f"{{{','.join(shown)}}}" if shown else ""


def _value(value: Any) -> str:
    return f"[{','.join(map(_value, value))}]" if isinstance(value, list) else str(value)
