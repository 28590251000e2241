"""The public names, written down: whoever adds or removes one does it here, too."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import xmlcep
from tests.project.source import ROOT
from xmlcep import Detector, fromstring, parse_rules, record

SURFACE = {
    "xmlcep": """
        ActionError AuditResult CascadeError CompositeEvent Detector Document Group MissingExtraError
        PrimitiveEvent RecordError Recording Replica RuleError Rules SchemaError Watch XmlCepError acting_as audit
        blame check_rules combine derive diff fromstring history load_rules parse parse_rules pending read_log
        rebuild record recover report why why_not wrap
        """,
    "contexts": """
        CONTEXTS FLAT_KEY Chronicle Combination Combinations Context Continuous
        Cumulative Entry Flat Group Grouping Hierarchical Next Owner Recent Unrestricted composite primitive
        """,
    "path_types": """
        Axis PathError PathInstance PathSyntaxError PathType Step XmlCepError absolute_path_intersection
        align contains ends equals_or_ends left_bound_intersection offset project
        """,
}
WATCH = "advance can_still_raise close closed findings flush next_due pending replace rules why why_not"
MOST_NAMES = 40


def test_a_watch_shows_nothing_internal() -> None:
    assert " ".join(name for name in dir(xmlcep.Watch) if not name.startswith("_")) == WATCH


@pytest.mark.parametrize("package", SURFACE)
def test_the_public_names(package: str) -> None:
    module = importlib.import_module(package)
    assert sorted(module.__all__) == sorted(SURFACE[package].split())
    assert len(module.__all__) < MOST_NAMES


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, names in SURFACE.items() for name in names.split()]
)
def test_every_public_class_and_function_says_what_it_is(package: str, name: str) -> None:
    value = getattr(importlib.import_module(package), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


def test_names_come_when_they_are_asked_for() -> None:
    """``import xmlcep`` takes no time, and so Ctrl-C meets nothing half imported."""
    shown = "import sys, xmlcep; print(*(name for name in sys.modules if name.startswith('xmlcep')))"
    done = subprocess.run([sys.executable, "-c", shown], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "xmlcep\n"
    assert sorted(xmlcep._HOMES) == sorted(xmlcep.__all__) and set(xmlcep.__all__) <= set(dir(xmlcep))
    written = (ROOT / "xmlcep" / "__init__.py").read_text(encoding="utf-8")
    seen = re.findall(r"^    from (\S+) import (.*)$", written, re.MULTILINE)  # what type checkers see
    assert {name: home for home, names in seen for name in names.split(", ")} == xmlcep._HOMES
    assert importlib.import_module("xmlcep.engine") is xmlcep.engine
    with pytest.raises(AttributeError, match="module 'xmlcep' has no attribute 'pares'"):
        xmlcep.pares  # type: ignore[attr-defined]  # noqa: B018


def test_what_people_hold_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rules = parse_rules("\n".join(f"event E{number} = ins(item)" for number in range(7)))
    acting = parse_rules('event A = ins(item)\nrule R on A(item) do set "@n" = "1"')
    doc = fromstring("<order/>", name="order")
    recording, watch = record(doc, "log.jsonl"), doc.watch(rules)
    assert [*map(repr, (rules, Detector(acting), doc, recording, watch, doc.rules(acting)))] == [
        "<xmlcep.Rules E0, E1, E2, E3, E4 and 2 more>",
        "<xmlcep.Detector of A, R>",
        "<xmlcep.Document 'order' <order> at 0>",
        "<xmlcep.Recording of 'order' in 'log.jsonl'>",
        "<xmlcep.Watch on 'order': E0, E1, E2, E3, E4 and 2 more>",
        "<ActiveRules: A, R>",
    ]
    watch.close()
    recording.close()
    assert repr(watch) == "<xmlcep.Watch closed: E0, E1, E2, E3, E4 and 2 more>"
    assert repr(recording) == "<xmlcep.Recording of 'order' in 'log.jsonl', closed>"
