"""Records that come out of order, held until what is missing has come: ``late="wait"``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.auditing.growing import Growing, by_document, change, line, write
from tests.auditing.test_every_construct import log_of, of_document
from tests.auditing.test_since_cuts import growths
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep import audit, parse_rules
from xmlcep.auditing import AuditError
from xmlcep.auditing.failures import ReplayError
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import Rules


def check_any_order(rules: Rules, items: list[Any], seen: list[dict[str, bytes]]) -> None:
    """Audits runs over a log that comes in any order, which wait for what is missing, and one of all of it in order."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        growing = Growing(folder, rules)
        failed = False
        for number, files in enumerate(seen):
            for file, text in files.items():
                (growing.logs / file).write_bytes(text)
            try:
                growing.run(late="wait", final=number == len(seen) - 1)
            except ReplayError:
                failed = True
        for file in growing.logs.iterdir():
            file.unlink()
        (growing.logs / "all.jsonl").write_bytes(b"".join(map(line, items)))
        try:
            whole = growing.whole(folder)
        except ReplayError:
            assert failed
            return
        assert not failed
        assert by_document(growing.out.read_bytes()) == list(whole.lines())
        assert sum(each.summary.records for each in growing.results) == whole.summary.records
        assert not any(each.summary.quarantined for each in growing.results)
        assert not (folder / ".audit.state.run").exists()


def logs(data: st.DataObject) -> list[list[Any]]:
    """The logs of some documents, in order."""
    count = data.draw(st.integers(1, 2))
    histories = [data.draw(timed_histories(max_edits=8)) for _ in range(count)]
    return [log_of(of_document(each, f"doc{n}"), f"doc{n}") for n, each in enumerate(histories)]


@settings(max_examples=10, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE), st.data())
def test_any_order_of_changes(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    items = [item for log in logs(data) for item in log if isinstance(item, PrimitiveEvent)]
    check_any_order(rules_of(definitions), items, data.draw(growths(data.draw(st.permutations(items)))))


@settings(max_examples=10, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE), st.data())
def test_any_order_of_files(definitions: Any, data: st.DataObject) -> None:
    """Clock records and external events come with the changes before them."""
    note(show_rules(definitions))
    files: list[list[Any]] = []
    for log in logs(data):
        files.append([])
        for item in log:
            if isinstance(item, PrimitiveEvent) and files[-1] and data.draw(st.booleans()):
                files.append([])
            files[-1].append(item)
    seen: list[dict[str, bytes]] = [{}]
    for number, file in enumerate(data.draw(st.permutations(files))):
        seen[-1][f"{number:02}.jsonl"] = b"".join(map(line, file))
        if data.draw(st.booleans()):
            seen.append(dict(seen[-1]))
    check_any_order(rules_of(definitions), [item for file in files for item in file], seen)


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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"late": "wait"}, "need since"),
        ({"late": "refuse", "wait": "1 h", "since": "s", "out": "o"}, "leave it out"),
        ({"late": "wait", "wait": "soon", "since": "s", "out": "o"}, "no duration"),
        ({"late": "wait", "wait": "3 changes", "since": "s", "out": "o"}, "expected a time"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], said: str) -> None:
    with pytest.raises(AuditError, match=said):
        audit("none", BOTH, **options)
