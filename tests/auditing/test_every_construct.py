"""What a live watch raises is what both engines find in its log: rules of every construct, edits, time that passes.

The watch is a detector that is fed step by step; the log is cut into files and segments wherever it may be.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from hypothesis import event, given, note, settings
from hypothesis import strategies as st

from tests.auditing.logs import write_log
from tests.auditing.test_against_reference import found_in_parts, found_locally
from tests.auditing.ways import Case, cases, needed
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.reference import Advance
from tests.strategies import History, meeting_histories, meeting_rule_sets, show_rules
from tests.strategies.aimed import aimed_histories
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.algebra import EventDefinition
from xmlcep.auditing.findings.order import Ranking
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import ClockRecord
from xmlcep.rules import Rules

Log = list[PrimitiveEvent | ClockRecord]


def log_of(history: History, doc: str) -> Log:
    """What a recorder writes; a flush without a transaction is not in a log."""
    items: Log = []
    ts = 0
    for step in history.steps:
        if isinstance(step, PrimitiveEvent):
            items.append(step)
            ts = step.ts
        elif isinstance(step, Advance):
            clock = ClockRecord(doc, ts, step.time)
            before = items[-1] if items else None
            if not isinstance(before, ClockRecord) or before.time <= clock.time:  # W6: sorted
                items.append(clock)
    return items


def with_flushes(log: Log) -> Iterator[PrimitiveEvent | ClockRecord | Literal["flush"]]:
    """The log with the ends of transactions (D3)."""
    txn: int | None = None
    for item in log:
        own = item.txn if isinstance(item, PrimitiveEvent) else None
        if txn is not None and own != txn:
            yield "flush"
        txn = own
        yield item


def watched(log: Log, rules: Rules, *, operators: bool, until: str | None = None) -> Iterable[dict[str, Any]]:
    """What a watch raises, as an audit writes it; it is advanced ``until`` then before it is closed."""
    detector = Detector(rules, operators=operators)
    raised = []
    for step in with_flushes(log):
        if isinstance(step, PrimitiveEvent):
            raised += detector.feed(step)
        else:
            raised += detector.advance(step.at) if isinstance(step, ClockRecord) else detector.flush()
    if until is not None and any(isinstance(step, PrimitiveEvent) for step in log):
        if isinstance(log[-1], PrimitiveEvent) and log[-1].txn is not None:
            raised += detector.flush()
        raised += detector.advance(until)
    raised += detector.close()
    ranking = Ranking(rules)
    raised.sort(key=lambda composite: (composite.ts, *ranking.place(composite)))
    return (FASTEST.loads(ranking.encode(composite)) for composite in raised)


def of_document(history: History, doc: str) -> History:
    """The history as one of this document."""
    return History(
        tuple(step._replace(doc=doc) if isinstance(step, PrimitiveEvent) else step for step in history.steps)
    )


@contextmanager
def cut_into_files(logs: Sequence[Log], cuts: Sequence[int]) -> Iterator[list[Path]]:
    """Files with these logs, each in two pieces."""
    pieces = [piece for log, cut in zip(logs, cuts, strict=True) for piece in (log[:cut], log[cut:]) if piece]
    with tempfile.TemporaryDirectory() as folder:
        yield [write_log(Path(folder) / f"{index:02}.jsonl", piece) for index, piece in enumerate(pieces)]


def check_against_watch(
    rules: Rules, histories: Sequence[tuple[History, int]], *, operators: bool, until: str | None
) -> list[dict[str, Any]]:
    """Compares what both engines find in the logs of these histories, each cut into two files at a record, with what
    a watch raises, and returns that."""
    logs = [log_of(of_document(history, f"doc{n}"), f"doc{n}") for n, (history, _) in enumerate(histories)]
    wanted = [record for log in logs for record in watched(log, rules, operators=operators, until=until)]
    with cut_into_files(logs, [cut for _, cut in histories]) as files:
        assert found_locally(files, rules, operators=operators, until=until) == wanted
        assert found_in_parts(files, rules, operators=operators, until=until) == wanted
    return wanted


@settings(max_examples=25)
@given(cases(), st.booleans())
def test_patterns_that_people_write_first(case: Case, operators: bool) -> None:
    """Alignment, `all[…]`, `& not`, `becomes`; `python -m tests.auditing.ways` draws many."""
    definitions, histories = case
    note(show_rules(definitions))
    found = check_against_watch(rules_of(definitions), histories, operators=operators, until=None)
    event(", ".join(sorted(needed(definitions, found))))


@settings(max_examples=15)
@given(
    full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE),
    st.lists(st.tuples(timed_histories(), st.integers(0, 30)), min_size=1, max_size=2),
    st.booleans(),
    st.sampled_from([None, "2026-01-01T00:00:30Z", "2026-01-01T01:05:00+01:00"]),
)
def test_audits_find_what_a_watch_raises(
    definitions: Any, histories: list[tuple[History, int]], operators: bool, until: str | None
) -> None:
    check(definitions, histories, operators=operators, until=until)


@settings(max_examples=15)
@given(
    meeting_rule_sets(),
    st.lists(st.tuples(meeting_histories(), st.integers(0, 30)), min_size=1, max_size=2),
    st.booleans(),
)
def test_where_edits_releases_conditions_and_timers_meet(
    definitions: Any, histories: list[tuple[History, int]], operators: bool
) -> None:
    check(definitions, histories, operators=operators, until=None)


def check(
    definitions: Any, histories: list[tuple[History, int]], *, operators: bool, until: str | None
) -> None:
    """Both audits find in the logs what watches raise."""
    note(show_rules(definitions))
    check_against_watch(rules_of(definitions), histories, operators=operators, until=until)


# What asks the document is held up to the end of an edit (U2); the others of the same rules are not.
ASKING = ("edit", "guard", "release", "filter")
PROMPT = ("any", "relation", "within", "gap", "absence", "next", "slide", "scope")


@st.composite
def rules_beside(draw: st.DrawFn) -> tuple[EventDefinition, ...]:
    """Rules of which some look at the document, in any order."""
    asking = draw(full_rule_sets(max_events=1, constructs=ASKING))
    prompt = draw(full_rule_sets(max_events=1, constructs=PROMPT))
    both = [replace(each, name=f"E{n}") for n, each in enumerate(draw(st.permutations([*asking, *prompt])))]
    return tuple(both)


@settings(max_examples=12)
@given(rules_beside(), st.data(), st.lists(st.integers(0, 30), min_size=1, max_size=2), st.booleans())
def test_rules_that_look_at_the_document_beside_others(
    definitions: tuple[EventDefinition, ...], data: st.DataObject, cuts: list[int], operators: bool
) -> None:
    """Both engines write what an edit raises in the order of time points."""
    note(show_rules(definitions))
    histories = [(data.draw(aimed_histories(definitions)), cut) for cut in cuts]
    check_against_watch(rules_of(definitions), histories, operators=operators, until=None)
