"""Records that come out of order, held until what is missing has come: ``late="wait"``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.auditing.growing import Growing, line
from tests.auditing.test_every_construct import log_of, of_document
from tests.auditing.test_since_cuts import growths
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep import parse_rules
from xmlcep.auditing.failures import ReplayError
from xmlcep.rules import Rules

BOTH = parse_rules("event Both = ins(item/price) ; ins(item/quantity)")


def check_any_order(rules: Rules, items: list[Any], data: st.DataObject) -> None:
    """Audits runs over a log that comes in any order, which wait for what is missing, and one of all of it in order."""
    order = data.draw(st.permutations(items))
    seen = data.draw(growths(order))
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
        growing.check(whole)
        assert sorted(each.name for each in folder.iterdir() if each.name.startswith(".")) == [
            ".audit.state.lock"
        ]


@settings(max_examples=40, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE), st.data())
def test_any_order_of_arrival(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    count = data.draw(st.integers(1, 2))
    items = [
        item
        for n in range(count)
        for item in log_of(of_document(data.draw(timed_histories(max_edits=8)), f"doc{n}"), f"doc{n}")
    ]
    check_any_order(rules, items, data)
