"""Records that come out of order: held until what is missing has come, or gone back for."""

from __future__ import annotations

import json
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings

from tests.auditing.any_order import Case, cases, check
from tests.auditing.growing import Growing, change, write
from tests.strategies import show_rules
from xmlcep import audit, parse_rules
from xmlcep.auditing import AuditError, standing
from xmlcep.engine import StateError


@settings(max_examples=10, deadline=None)
@given(cases(by_file=False))
def test_any_order_of_changes(case: Case) -> None:
    note(show_rules(case[0]))
    check(case)


@settings(max_examples=10, deadline=None)
@given(cases(by_file=True))
def test_any_order_of_files(case: Case) -> None:
    note(show_rules(case[0]))
    check(case)


BOTH = parse_rules("event Both = ins(item/price) ; ins(item/quantity)")


def at(second: int) -> str:
    return f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"


def test_what_is_held_and_for_how_long(tmp_path: Path) -> None:
    growing = Growing(tmp_path, BOTH)
    write(growing.logs / "1.jsonl", change("a", 1, "price", at=at(0)), change("a", 4, "quantity", at=at(60)))
    write(
        growing.logs / "2.jsonl", change("b", 1, "price", at=at(100)), change("b", 2, "quantity", at=at(100))
    )
    first = growing.run(late="wait", wait="1 h")
    assert growing.out.read_bytes().count(b'"Both"') == 1
    assert [note for note in first.summary.notes if "held" in note] == [
        "document 'a': 1 record is held, from ts 4 on: ts 2 has not come"
    ]
    write(growing.logs / "3.jsonl", change("a", 2, "price", at=at(20)))
    assert growing.run().summary.records == 1  # it goes on as before
    write(growing.logs / "4.jsonl", change("b", 3, "price", at=at(3661)))
    second = growing.run(late="wait", wait="1 h")
    assert [note for note in second.summary.notes if "skipped" in note] == [
        "document 'a': skipped ts 3, which has not come"
    ]
    assert growing.out.read_bytes().count(b'"Both"') == 2
    write(growing.logs / "5.jsonl", change("a", 3, "price"))
    assert growing.run().summary.quarantined == 1
    write(growing.logs / "6.jsonl", change("b", 5, "quantity"))
    assert growing.run().summary.records == 0  # though nothing was held
    assert growing.run(late="refuse").summary.records == 1
    growing.run(final=True)
    assert growing.out.read_bytes().count(b'"Both"') == 3


def test_what_is_found_at_the_end_of_a_run_says_what_it_says(tmp_path: Path) -> None:
    rules = parse_rules("""event Both {within="1 s", severity=error, message="at {$at}"}
        = ins(item/price) ; ins(item/quantity)""")
    growing = Growing(tmp_path, rules)
    write(growing.logs / "1.jsonl", change("a", 1, "price", at=at(0)), change("a", 2, "quantity", at=at(0)))
    growing.run()
    growing.run(final=True)
    growing.check(growing.whole(tmp_path))
    assert b'"severity":"error","message":"at' in growing.out.read_bytes()


def test_other_rules_while_something_is_held(tmp_path: Path) -> None:
    growing = Growing(tmp_path, BOTH)
    write(growing.logs / "1.jsonl", change("a", 1, "price"), change("a", 3, "quantity"))
    growing.run(late="wait")
    growing.rules = parse_rules("event Pair = ins(item/price) ; ins(item/quantity)")
    write(growing.logs / "2.jsonl", change("a", 2, "price"))
    growing.run(new_since="begin", on_removed="drop", final=True)
    assert growing.out.read_bytes().count(b'"Pair"') == 1


def test_going_back_for_what_comes_late(tmp_path: Path) -> None:
    """To the last state in which it was still to come; where something has changed, findings are taken back."""
    growing = Growing(
        tmp_path, parse_rules("event Gap = ins(item/price) ; not ins(item/note) ; ins(item/quantity)")
    )
    write(growing.logs / "1.jsonl", change("a", 1, "price"), change("b", 1, "price"))
    growing.run(late="restart")
    write(growing.logs / "2.jsonl", change("a", 3, "quantity"), b"no record", change("b", 2, "quantity"))
    growing.run()
    write(growing.logs / "3.jsonl", change("a", 4, "price"), change("a", 5, "quantity"))
    growing.run()
    write(growing.logs / "4.jsonl", change("a", 2, "note"))
    late = growing.run()
    assert list(late.lines()) == [b'{"doc":"a","retract":"3:Gap:1,2"}'] and not list(late.records())
    assert "late records (document 'a', ts 2): findings retracted: 1, added: 0" in late.notes
    kept = tmp_path / ".audit.state.kept"
    assert [each.name for each in kept.iterdir()] == ["1"]  # the others have not seen it
    growing.run(final=True)
    found = standing(map(json.loads, growing.out.read_bytes().splitlines()))
    assert sorted(found, key=itemgetter("doc")) == list(growing.whole(tmp_path).records())
    bad = (tmp_path / "findings.jsonl.quarantine.jsonl").read_bytes()
    assert bad.count(b"\n") == 1  # though it was read twice


def test_going_back_needs_the_same_rules_in_all_runs(tmp_path: Path) -> None:
    growing = Growing(tmp_path, BOTH)
    write(growing.logs / "1.jsonl", change("a", 1, "price"))
    growing.run(late="restart")
    with pytest.raises(StateError, match="all runs of an audit that restarts need it"):
        growing.run(late="refuse")
    growing.rules = parse_rules("event Pair = ins(item/price) ; ins(item/quantity)")
    with pytest.raises(StateError, match="keeps its rules"):
        growing.run(on_removed="drop")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"late": "wait"}, "need `since`"),
        ({"late": "refuse", "wait": "1 h", "since": "s", "out": "o"}, "leave it out"),
        ({"late": "wait", "wait": "soon", "since": "s", "out": "o"}, "not a duration"),
        ({"late": "wait", "wait": "3 changes", "since": "s", "out": "o"}, "expected a time"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], said: str) -> None:
    with pytest.raises(AuditError, match=said):
        audit("none", BOTH, **options)
