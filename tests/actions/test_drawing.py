"""Events and rules in one drawing, and as JSON (rules L9 and L10)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from xmlcep import parse_rules
from xmlcep.actions import draw_mermaid, triggering_graph
from xmlcep.cli.main import run

RULES = """
event Seen(item) = external
event Priced = ins(item) ; ins(item/price)
rule Up on (upd(item/@n)) {path=item} if "@n < 3" do set "@m" = "@n + 1"
rule Down on (upd(item/@m)) {path=item, priority=1, coupling=commit} do set "@n" = "@m - 1"
rule See on Priced(order/item) do raise Seen
rule Mark on Seen if "not(@seen)" do set "@seen" = "\'<\'", call "tell"
"""


def drawn(text: str) -> tuple[list[str], set[tuple[str, str, str]]]:
    """The lines of a drawing; its arrows between things by name: from, kind, to."""
    rules = parse_rules(text)
    assert rules.triggers is not None
    graph = triggering_graph(rules.triggers, not_editing=["tell"])
    lines = draw_mermaid(rules.triggers, graph, rules.namespaces).splitlines()
    names = {}
    tree = ""
    for line in lines:
        if found := re.match(r'  subgraph \w+\["(.*)"\]', line):
            tree = found[1]
        elif found := re.match(r"    (\w+O0)\(\[", line):
            names[found[1]] = tree
        elif found := re.match(r'  (R\d+)\{\{"rule (\w+)', line):
            names[found[1]] = found[2]
    arrow = re.compile(r"  (\w+) (==>|-->|-\.->)(\|[^|]*\|)? (\w+)")
    arrows = [found.groups("") for found in map(arrow.fullmatch, lines) if found is not None]
    return lines, {(names[a], sign + words, names[b]) for a, sign, words, b in arrows if b in names}


def test_events_and_rules_are_one_drawing() -> None:
    lines, arrows = drawn(RULES)
    assert lines[0] == "flowchart TD"
    assert arrows == {
        ("Up", "==>", "Up"), ("Down", "==>", "Down"), ("Priced", '==>|"order/item"|', "See"), ("Seen", "==>", "Mark"),
        ("Up", "-->|may trigger|", "Down"), ("Down", "-->|may trigger|", "Up"), ("See", "-->|may trigger|", "Mark"),
        ("See", "-.->|raises|", "Seen"),
    }  # fmt: skip
    assert lines[-2:] == ["  classDef endless stroke-width:4px", "  class R0,R1 endless"]
    down, mark = (line for line in lines if "rule Down" in line or "rule Mark" in line)
    assert "at the end of the transaction<br/>priority 1<br/>do set #quot;@n#quot;" in down
    assert "if not(@seen)" in mark
    assert "'#lt;'" in mark


def test_rules_that_end_have_no_thick_border() -> None:
    lines, _ = drawn("rule A on (ins(item)) do set '@n' = '1'")
    assert not [line for line in lines if "class" in line]


def test_what_is_drawn_is_what_the_command_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rules.xcep"
    file.write_text(RULES)
    assert run(["check", str(file), "--mermaid", "--not-editing", "tell"]) == 0
    assert capsys.readouterr().out.splitlines() == drawn(RULES)[0]


def checked(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str) -> tuple[int, Any]:
    file = folder / "rules.xcep"
    file.write_text(text)
    status = run(["check", str(file), "--format=json", *options])
    return status, json.loads(capsys.readouterr().out)


def test_json_holds_the_triggering_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = checked(tmp_path, capsys, RULES, "--not-editing", "tell")
    assert status == 0
    graph = said["triggering"]
    assert not graph["terminates"]
    assert graph["cycles"] == [{"rules": ["Up", "Down"], "reason": None}]
    assert [(each["name"], each["may_trigger"]) for each in graph["rules"]] == [
        ("Up", ["Down"]), ("Down", ["Up"]), ("See", ["Mark"]), ("Mark", []),
    ]  # fmt: skip
    assert graph["rules"][1] | {"may_trigger": []} == {
        "name": "Down", "on": "Down", "path": None, "mode": "instance", "coupling": "commit", "priority": 1,
        "may_trigger": [],
    }  # fmt: skip
    assert graph["rules"][2]["path"] == "order/item"
    assert graph["conflicts"] == []


def test_json_says_why_a_cycle_may_end_and_what_order_matters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
rule A on (*(item/@n)) if "not(@m)" do set "@m" = "1", set "@n" = "2"
rule B on (*(item/@n)) do set "@k" = "@m"
"""
    _, said = checked(tmp_path, capsys, text)
    (cycle,) = said["triggering"]["cycles"]
    assert cycle["rules"] == ["A"]
    assert "makes its condition 'not(@m)' false" in cycle["reason"]
    (conflict,) = said["triggering"]["conflicts"]
    assert (conflict["first"], conflict["second"]) == ("A", "B")


def test_events_alone_have_no_triggering_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = checked(tmp_path, capsys, "event A = ins(item)", "--strict")
    assert (status, said["triggering"]) == (0, None)


def test_strict_refuses_cycles_with_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rules.xcep"
    file.write_text(RULES)
    assert run(["check", str(file), "--format=json", "--strict", "--not-editing", "tell"]) == 2
    written = capsys.readouterr()
    assert json.loads(written.out)["triggering"]["terminates"] is False
    assert "without end: Up → Down → Up" in written.err
