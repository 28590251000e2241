"""Law: documents that are put on disk between their records, and come back, are found the same in as those that stay.

Logs have several documents that take turns, record by record or by some; rules are of every construct.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.auditing.logs import LogItem, documents, interleaved, with_clocks, write_log
from tests.auditing.resting_documents import tired
from tests.auditing.test_every_construct import log_of, of_document
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import rule_sets, show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.auditing import audit, document_lines, splits
from xmlcep.auditing.document_lines import DocumentLines
from xmlcep.errors import XmlCepError
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import Rules, parse_rules


def outcome(logs: Sequence[Path], rules: Rules, out: Path, **options: Any) -> Any:
    """All that an audit says: findings, bad records, counts, notes; or its error."""
    try:
        result = audit(logs, rules, engine="local", out=out, **options)
    except XmlCepError as error:
        return str(error)
    summary = result.summary
    bad = None if result.quarantine is None else Path(result.quarantine).read_bytes()
    return (
        out.read_bytes(), bad, {doc: each.to_record() for doc, each in summary.documents.items()},
        summary.records_per_rule, summary.per_rule, result.notes,
    )  # fmt: skip


def check(logs: Sequence[Path], rules: Rules, folder: Path, block: int, **options: Any) -> Any:
    """Audits with everything in memory, and with nothing, one or two documents, which is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "LINES_BLOCK", block)
        patch.setattr(splits, "BATCH_SIZE", block)
        expected = outcome(logs, rules, folder / "findings", **options)
        for waiting in (0, 1, 2):
            with tired(waiting=waiting):
                assert outcome(logs, rules, folder / "findings", **options) == expected
    return expected


@st.composite
def mixed_logs(draw: st.DrawFn) -> list[LogItem]:
    """Logs of some documents that take turns: begun in the middle of their lives, or with time and edits; some of the
    records are lost, doubled, or out of order."""
    if draw(st.booleans()):
        parts: Any = draw(documents(max_documents=4))
    else:
        histories = draw(st.lists(timed_histories(max_edits=8), min_size=2, max_size=4))
        parts = [log_of(of_document(each, f"doc{n}"), f"doc{n}") for n, each in enumerate(histories)]
    log = draw(interleaved(parts).flatmap(with_clocks))
    for kind, place in draw(
        st.lists(st.tuples(st.sampled_from("slda"), st.integers(0, 40)), max_size=3) | st.just([])
    ):
        if place + 1 < len(log):
            if kind == "s":
                log[place], log[place + 1] = log[place + 1], log[place]
            elif kind == "l":
                del log[place]
            elif kind == "d":
                log.insert(place, log[place])
            else:
                log.append(log.pop(place))
    return log


@settings(max_examples=15, deadline=None)
@given(
    full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE) | rule_sets(),
    mixed_logs(),
    st.sampled_from((1, 3, 1000)),
    st.booleans(),
    st.sampled_from((None, None, "2026-01-02T00:00:00Z")),
)
def test_resting_changes_nothing(
    definitions: Any, log: list[LogItem], block: int, operators: bool, until: str | None
) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        half = len(log) // 2
        logs = [write_log(folder / f"{n}.jsonl", part) for n, part in enumerate((log[:half], log[half:]))]
        check(logs, rules, folder, block, operators=operators, until=until)


def order(doc: str, *types: str, **more: Any) -> list[PrimitiveEvent]:
    """The records of an order with an item."""
    ids = {"/order": (1,), "/order/item": (1, 2)}
    return [
        PrimitiveEvent(ts, "ins", PathType.parse(path), ids.get(path, (1, 2, ts + 2)), doc=doc, **more)
        for ts, path in enumerate(("/order", "/order/item", *types), start=1)
    ]


def turns(*logs: Sequence[Any]) -> list[Any]:
    """One record of each, then the next of each."""
    return [item for each in zip(*logs, strict=True) for item in each]


PRICE, QUANTITY = "/order/item/price", "/order/item/quantity"


def test_clock_records_in_a_transaction_that_goes_on(tmp_path: Path) -> None:
    """What the next record decides is decided when it comes, and its place in the quarantine is that of its file."""
    opened = [order(f"doc{n}", PRICE, QUANTITY, at="2026-01-01T00:00:00Z", txn=1) for n in range(6)]
    first, last = turns(*(log[:3] for log in opened)), turns(*(log[3:] for log in opened))
    clocks = [b'{"doc":"doc%d","ts":3,"at":"2026-01-01T02:00:00Z","clock":true}' % n for n in range(6)]
    logs = [write_log(tmp_path / f"{n}.jsonl", log) for n, log in enumerate((first, [*clocks, *last]))]
    rules = parse_rules('event Both = (ins(item/price) & ins(item/quantity)) {within="1 h"}')
    found = check(logs, rules, tmp_path, 4)
    assert found[1].count(b"1.jsonl") == 6


def test_counts_of_a_document_that_turns_out_not_to_be_in_order_when_it_has_rested(tmp_path: Path) -> None:
    rules = parse_rules("event Priced = ins(item) ; ins(item/price)")
    log = turns(*(order(f"doc{n:02}", PRICE, QUANTITY) for n in range(80)))
    late = log[-80:]
    found = check(
        [write_log(tmp_path / "log.jsonl", [*log[:-160], *late, *log[-160:-80]])], rules, tmp_path, 40
    )
    assert found[3] == {"Priced": 160}
    assert all(each["disordered"] and each["records"] == 4 for each in found[2].values())


def test_failures_of_documents_that_rest(tmp_path: Path) -> None:
    """A rule that measures time, and no time: the error is the same, whoever is in memory when it happens."""
    rules = parse_rules('event Two = (ins(item) & ins(item/price)) {within="1 h"}')
    log = turns(*(order(f"doc{n}", PRICE, QUANTITY) for n in range(5)))
    found = check([write_log(tmp_path / "log.jsonl", log)], rules, tmp_path, 2)
    assert "document 'doc0' (and 4 more documents) cannot be replayed" in found


def test_a_document_that_has_much_does_not_rest_for_each_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written for a record is in proportion to it, however much waits."""
    items = [
        [
            PrimitiveEvent(ts, "ins", PathType.parse("/order/item"), (1, ts + 1), doc=f"doc{n}", value=None)
            for ts in range(1, 400)
        ]
        for n in range(3)
    ]
    log = write_log(tmp_path / "log.jsonl", turns(*items))
    written: list[int] = []
    add = DocumentLines.add

    def look(self: DocumentLines, doc: str, line: bytes, **options: Any) -> None:
        written.append(len(line))
        add(self, doc, line, **options)

    monkeypatch.setattr(DocumentLines, "add", look)
    rules = parse_rules("event Priced = ins(item) ; ins(item/price)")
    monkeypatch.setattr(splits, "LINES_BLOCK", 3)
    with tired():
        outcome([log], rules, tmp_path / "findings")
    assert 30 < len(written) < 300 and sum(written) < 3 * 400 * 1500


@pytest.mark.parametrize("most", [{"_MOST_NEW": 3}, {"_MOST_BYTES": 3}])
def test_many_lines_or_long_ones_go_to_the_disk(
    monkeypatch: pytest.MonkeyPatch, most: dict[str, int]
) -> None:
    """In memory are few, and short ones."""
    for name, number in most.items():
        monkeypatch.setattr(document_lines, name, number)
    lines = DocumentLines()
    for number in range(20):
        lines[f"d{number:02}"] = b"1"
        assert len(lines._new) <= 3
    assert list(lines.lines()) == [(f"d{number:02}", b"1") for number in range(20)]
    lines.close()
