"""Audits that go on, of random logs cut anywhere: all runs find what one audit finds in the whole (rule G6)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.auditing.growing import Growing, line
from tests.auditing.logs import interleaved, lives
from tests.auditing.resting_documents import tired
from tests.auditing.test_every_construct import log_of, of_document
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.auditing.failures import ReplayError
from xmlcep.rules import Rules


@st.composite
def growths(draw: st.DrawFn, items: Sequence[Any]) -> list[dict[str, bytes]]:
    """What files hold at each run, by name: files grow, also by parts of lines, and new ones come."""
    files: dict[str, bytes] = {}
    current = "00.jsonl"
    seen: list[dict[str, bytes]] = []
    for index, item in enumerate(items):
        text = line(item)
        cut = draw(st.sampled_from(("no", "no", "no", "no", "run", "part", "file", "both")))
        if cut == "part" and current in files:
            seen.append({**files, current: files[current] + text[: len(text) // 2]})
        elif cut in ("run", "both") and files:
            seen.append(dict(files))
        if cut in ("file", "both") and files:
            current = f"{index + 1:02}.jsonl"
        files[current] = files.get(current, b"") + text
    return [*seen, files]


def check_runs(
    rules: Rules,
    items: Sequence[Any],
    seen: Sequence[dict[str, bytes]],
    until: str | None = None,
    *,
    rest: bool = False,
    **options: Any,
) -> None:
    """Audits each growth, where documents ``rest`` if they can, and the whole."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        growing = Growing(folder, rules, **options)
        failed = False
        for number, files in enumerate(seen):
            for file, text in files.items():
                (growing.logs / file).write_bytes(text)
            final = number == len(seen) - 1
            try:
                with tired(rest):
                    growing.run(final=final, until=until if final else None)
            except ReplayError:
                failed = True
        try:
            whole = growing.whole(folder, until=until)
        except ReplayError:
            assert failed
            return
        assert not failed
        growing.check(whole)


@settings(max_examples=30, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE), st.data())
def test_random_cuts_with_every_construct(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    count = data.draw(st.integers(1, 3))
    logs = [
        log_of(of_document(data.draw(timed_histories(max_edits=8)), f"doc{n}"), f"doc{n}")
        for n in range(count)
    ]
    items: list[Any] = data.draw(interleaved(logs))  # type: ignore[arg-type]
    until = data.draw(st.sampled_from((None, "2026-01-01T00:00:30Z")))
    seen, rest, operators = data.draw(growths(items)), data.draw(st.booleans()), data.draw(st.booleans())
    check_runs(rules_of(definitions), items, seen, until, rest=rest, operators=operators)


@settings(max_examples=25, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE - {"time"}), st.data())
def test_random_cuts_of_logs_with_headers_and_bad_lines(definitions: Any, data: st.DataObject) -> None:
    rules = rules_of(definitions)
    if rules.graph.needs_time:
        return  # these histories have none
    logs = [life.log() for life in data.draw(lives(busy=True))]
    items: list[Any] = data.draw(interleaved(logs))
    for place in data.draw(st.lists(st.integers(0, 30), max_size=2)):
        items.insert(min(place, len(items)), b'{"doc": "doc0", "op": "nonsense"}')
    check_runs(rules, items, data.draw(growths(items)), rest=data.draw(st.booleans()))
