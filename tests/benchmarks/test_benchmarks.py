"""The benchmarks themselves, tiny: the engine counts what the floor counts, figures are kept and compared."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from benchmarks import samples, values
from benchmarks.__main__ import main
from benchmarks.duck import columns, query
from benchmarks.engine import detection
from benchmarks.floor import count_both_modified, count_complete, count_many, count_samples, count_sums
from benchmarks.frame import NAMES, Figure, Settings, Unavailable, load
from benchmarks.histories import History
from benchmarks.queries import (
    ITEM,
    SQL_Q1,
    SQL_Q2,
    both_rule,
    complete_rule,
    many_rules,
    rows_in_memory,
)
from xmlcep import fromstring, load_rules, parse_rules

TINY = Settings(events=400, runs=1)
SMALLER = {"q3": {"COUNTS": (1, 10)}, "flat": {"_STEP": 1_000}}


@pytest.mark.parametrize("mix", ["valid", "bare"])
@pytest.mark.parametrize("window", [1, 10, 100])
def test_the_engine_counts_what_the_floor_counts(window, mix):
    rows = rows_in_memory(History(4000, window, mix))
    assert detection(complete_rule(), rows)() == count_complete(rows, ITEM) > 0
    assert detection(both_rule(), rows)() == count_both_modified(rows, ITEM) > 0


def test_the_engine_counts_what_the_floor_counts_with_many_rules():
    text, forms = many_rules(6)
    rows = rows_in_memory(History(4000, 10, names=tuple(f"item{number}" for number in range(6))))
    assert detection(text, rows)() == count_many(rows, forms) > 0


@pytest.mark.parametrize("transaction", [None, 3, 50])
@pytest.mark.parametrize("window", [1, 3, 100])
def test_the_engine_counts_what_the_floor_counts_of_the_sample_rules(window, transaction):
    rules = samples.without_conditions(str(load_rules(samples.RULES)))
    rows = rows_in_memory(History(4000, window, deleted=0.7, transaction=transaction))
    assert detection(rules, rows)() == count_samples(rows, ITEM) > 0


@pytest.mark.parametrize("more_than", [100, 3_000])
def test_the_engine_counts_what_the_floor_counts_in_windows(more_than):
    rows = values._prices(400, in_an_hour=100)
    rule = values.MOST.replace("> 100", f"> {more_than}")
    floor = count_sums(rows, values.ITEM_PRICE, within=timedelta(hours=1), more_than=more_than)
    assert detection(rule, rows)() == floor > 0


def test_duckdb_counts_what_the_floor_counts():
    pytest.importorskip("duckdb")
    history = History(4000, 10)
    rows = rows_in_memory(history)
    with columns(history) as source:
        assert query(SQL_Q1, source)() == count_complete(rows, ITEM)
        assert query(SQL_Q2, source)() == count_both_modified(rows, ITEM)


def test_duckdb_finds_what_an_audit_finds(monkeypatch):
    pytest.importorskip("duckdb")
    beside = load("audit_duckdb")
    monkeypatch.setattr(beside, "RULES", (2,))
    monkeypatch.setattr(beside, "_environment", lambda folder: None)  # to compile all modules takes longest
    figures = {figure.case: figure for figure in beside.run(Settings(3000, runs=1))}
    assert len(figures) == 6
    ours = figures["2 rules, xmlcep, start apart"]
    assert ours.ratio > 0 and ours.base == "DuckDB" and int(ours.note.split()[0].replace(",", "")) > 100
    assert figures["2 rules, DuckDB, start included"].value > figures["2 rules, DuckDB, start apart"].value


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ("a\n", "not as many findings"),
        ("a\na\n", "other findings: 1 are in one only"),
        ("a\nc\n", "2 are in one only"),
    ],
)
def test_findings_that_differ_from_those_of_duckdb_are_an_error(tmp_path, theirs, said):
    pytest.importorskip("duckdb")
    for name, text in (("ours", "a\nb\n"), ("theirs", theirs)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "findings.jsonl").write_text(text)
    with pytest.raises(AssertionError, match=said):
        load("audit_duckdb")._check_same(tmp_path / "ours", tmp_path / "theirs")


def test_without_duckdb_a_sentence_says_so(monkeypatch):
    monkeypatch.delitem(sys.modules, "benchmarks.audit_duckdb", raising=False)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(Unavailable, match="the audit beside DuckDB needs duckdb and pyarrow"):
        load("audit_duckdb")


@pytest.mark.parametrize(
    "name",
    [
        "q1",
        "q2",
        "q3",
        "contexts",
        "samples",
        "reading",
        "memory",
        "flat",
        "versions",
    ],
)
def test_every_benchmark_runs_and_yields_figures(name, monkeypatch):
    benchmark = load(name)
    for constant, value in SMALLER.get(name, {}).items():
        monkeypatch.setattr(benchmark, constant, value)
    if name == "versions":  # memory is measured in processes of their own: those of one case will do
        memory = benchmark._memory
        monkeypatch.setattr(
            benchmark, "_memory", lambda case, two: memory(case, two) if "equal f" in case else ()
        )
    figures = list(benchmark.run(TINY))
    assert figures
    assert all(figure.benchmark == name and figure.value >= 0 for figure in figures)
    assert len({figure.key for figure in figures}) == len(figures)


def test_what_is_not_there_is_left_out():
    with pytest.raises(Unavailable):
        load("nothing_of_that_name")


def test_results_are_saved_and_compared(tmp_path):
    saved = tmp_path / "figures.json"
    arguments = ["q1", "--events", "400", "--runs", "1"]
    first = CliRunner().invoke(main, [*arguments, "--json", str(saved)])
    assert first.exit_code == 0, first.output
    record = json.loads(saved.read_text(encoding="utf-8"))
    figures = [Figure.from_json(figure) for figure in record["figures"]]
    assert [figure.to_json() for figure in figures] == record["figures"]
    engine = next(index for index, figure in enumerate(figures) if "engine" in figure.case)
    record["figures"][engine]["ratio"] /= 1000
    saved.write_text(json.dumps(record), encoding="utf-8")
    second = CliRunner().invoke(main, [*arguments, "--compare", str(saved)])
    assert second.exit_code == 0, second.output
    assert second.output.count("SLOWER") >= 1


def test_a_benchmark_says_nothing_of_rules_that_match_nothing(monkeypatch, caplog):
    def watched(settings):
        with fromstring("<order/>") as document, document.watch(parse_rules("event A = ins(itm)")):
            document.root.append(document.root.makeelement("item"))
        return []

    monkeypatch.setattr("benchmarks.__main__.load", lambda name: SimpleNamespace(TITLE="one", run=watched))
    assert CliRunner().invoke(main, ["q1"]).exit_code == 0
    assert caplog.records == []
    watched(None)
    assert len(caplog.records) == 1


def test_names_are_those_of_modules():
    assert [name for name in NAMES if find_spec(f"benchmarks.{name}") is None] == []
