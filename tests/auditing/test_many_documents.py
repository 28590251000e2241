"""Documents have no detector of their own for long, and are found the same in as with one."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.auditing.logs import write_log
from tests.auditing.resting_documents import tired
from tests.auditing.test_against_reference import found_locally
from tests.auditing.test_every_construct import log_of, of_document, watched
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.auditing import audit, splits
from xmlcep.auditing.document_lines import DocumentLines
from xmlcep.auditing.local.document_replay import DocumentReplay
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import parse_rules

PLAIN = EVERYTHING - UNKNOWN_TO_THE_ENGINE - {"within", "gap", "plus", "periodic", "periodic_star", "opaque"}


@pytest.fixture(scope="module", autouse=True)
def always_tired() -> Iterator[None]:
    """Blocks of a few records, after each of which documents give their detectors away, however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "LINES_BLOCK", 4)
        patch.setattr(splits, "BATCH_SIZE", 4)
        with tired():
            yield


@settings(max_examples=25)
@given(
    full_rule_sets(constructs=PLAIN),
    st.lists(timed_histories(), min_size=2, max_size=4),
    st.integers(1, 6),
    st.booleans(),
)
def test_documents_that_take_turns(
    definitions: Any, histories: list[Any], turn: int, operators: bool
) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    logs = [log_of(of_document(history, f"doc{n}"), f"doc{n}") for n, history in enumerate(histories)]
    turns = zip_longest(
        *([log[i : i + turn] for i in range(0, len(log), turn)] for log in logs), fillvalue=()
    )
    mixed = [item for each in turns for piece in each for item in piece]
    with tempfile.TemporaryDirectory() as folder:
        file = write_log(Path(folder) / "log.jsonl", mixed)
        found = found_locally([file], rules, operators=operators)
    assert found == [record for log in logs for record in watched(log, rules, operators=operators)]


def test_a_document_costs_no_detector_before_and_after_something_waits_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def order(doc: str) -> list[PrimitiveEvent]:
        types = [("/order", (1,)), ("/order/item", (1, 2)), ("/order/item/price", (1, 2, 3))]
        return [
            PrimitiveEvent(ts, "ins", PathType.parse(path), ids, doc=doc)
            for ts, (path, ids) in enumerate(types, start=1)
        ]

    monkeypatch.setattr(splits, "LINES_BLOCK", 30)
    made: list[Detector] = []
    new = Detector.__init__

    def count(self: Detector, *arguments: Any, **options: Any) -> None:
        made.append(self)
        new(self, *arguments, **options)

    monkeypatch.setattr(Detector, "__init__", count)
    rules = parse_rules("event Priced = ins(item) ; ins(item/price)")
    log = write_log(tmp_path / "log.jsonl", [event for n in range(80) for event in order(f"doc{n:03}")])
    result = audit(log, rules, engine="local")
    assert [record["doc"] for record in result.records()] == [f"doc{n:03}" for n in range(80)]
    assert result.summary.records_per_rule == {"Priced": 160}
    assert len(made) < 20
    # In memory are those of the block that is read; not even they, where nothing waits between two blocks.
    counts: list[int] = []
    add = DocumentLines.add

    def look(self: DocumentLines, *arguments: Any, **options: Any) -> None:
        add(self, *arguments, **options)
        counts.append(sum(isinstance(each, DocumentReplay) for each in gc.get_objects()))

    monkeypatch.setattr(DocumentLines, "add", look)
    assert list(audit(log, rules, engine="local").lines()) == list(result.lines())
    assert len(counts) > 15 and max(counts) < 20
    # Half of the orders have no price: something waits in them to the end, on disk.
    made.clear()
    waiting = [event for n in range(80) for event in order(f"doc{n:03}")[: 3 if n % 2 else 2]]
    audit(write_log(tmp_path / "waiting.jsonl", waiting), rules, engine="local")
    assert len(made) < 10
