"""Blocks sifted as columns and records taken one by one: the same findings, quarantine and documents."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.auditing.logs import documents, interleaved, with_clocks
from tests.auditing.resting_documents import tired
from tests.strategies import rule_sets
from xmlcep.auditing import splits
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.encoding import FindingEncoder
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.inputs import find_files
from xmlcep.auditing.local import document_findings
from xmlcep.auditing.local.engine import LocalAudit
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.log.columns import arrow
from xmlcep.log.json_codec import STANDARD
from xmlcep.log.parquet import arrow_schema
from xmlcep.log.records import ClockRecord, Header, Row, change_record
from xmlcep.rules import Rules, parse_rules

Record = dict[str, Any]

PLAIN = parse_rules(
    """
    event Complete = ins(item) ; (ins(item/price) & ins(item/quantity))
    event Changed = upd(price/text()) | del(price)
    event Several = x[2,2] ins(item/price)
    event Pair = Complete(item) & upd(item/quantity/text())
    """
)

APART = parse_rules(
    """
    event Priced = ins(price) ; upd(price/text())
    event Counted = x[2,2] *(item/quantity)
    event Named(order) = ins(item) ; *(order/note)
    """
)

LATE = parse_rules(
    """
    event Quiet = (x[1,*]{end=non-local} *(item/price) & *(item/quantity)) {end=non-local}
    event AtEnd = (ins(item/price) & ins(item/quantity)) {end=custom}
    """
)

ASKING = parse_rules(
    """
    event Sane = (ins(item/price) & ins(item/quantity)) {when="price > 0 and not(comment)"}
    event Priced = upd(price/text())[number(.) > 3]
    event AtEnd = (ins(item/price) & *(item/quantity)) {end=non-local, when="quantity[1] = price[1]"}
    event Listed = x[1,*]{path=item, end=custom} *(item)[following-sibling::item]
    """
)

# What can be wrong with a record. JSON can hold all of it, Parquet what fits the types of its columns.
FAULTS: list[Record] = [
    {"op": "gone"}, {"op": None}, {"path": "order//item"}, {"path": "order"}, {"path": None}, {"ids": []},
    {"ids": [1, None]}, {"ids": None}, {"ts": 0}, {"ts": -5}, {"ts": None}, {"doc": None}, {"meta": {"user": None}},
    {"ts": 1}, {"ts": 3}, {"meta": {"user": "x"}}, {"at": "2026-01-01T00:00:00Z"}, {"doc": "doc1"},
    {"more": True}, {"more": False}, {"clock": True}, {"clock": False}, {"pos": 0}, {"pos": 1, "value": "5"},
    {"value": "a\x01"}, {"old": "\uffff"},
]  # fmt: skip
JSON_FAULTS: list[Record] = [
    {"op": ["ins"]}, {"path": 7}, {"ids": [1, True]}, {"ids": "12"}, {"ids": [2**63]}, {"ts": 2**63},
    {"ts": 1.0}, {"ts": True}, {"value": 3}, {"old": []}, {"at": 3}, {"pos": "0"}, {"txn": 1.5}, {"doc": 3},
    {"meta": {"a": 1}}, {"meta": []}, {"xmlcep": 1, "control": "x"}, {"xmlcep": 1}, {"ts": [1]},
    {"more": 1}, {"more": []}, {"clock": 1}, {"clock": "true"},
]  # fmt: skip


def outcome(
    log: Path, rules: Rules, *, by_row: bool, rest: bool, operators: bool, on_bad: OnBadRecord
) -> object:
    """All that an audit finds; ``by_row`` keeps it from sifting columns, ``rest`` documents out of memory."""
    keep: Callable[[Row], bool] | None = (lambda row: True) if by_row else None
    with Spool() as spool, tired(rest):
        summary = Summary("test")
        collector = Collector(spool, summary, on_bad)
        LocalAudit(rules, collector, operators=operators, keep=keep).run(find_files(log).files)
        lines = [(doc, line) for doc, text in spool.findings() for line in text.splitlines()]
        withheld = collector.quarantine.settle()
        described = {doc: each.to_record() for doc, each in summary.documents.items()}
        return lines, list(spool.bad()), described, withheld


def recorded(item: Header | ClockRecord | PrimitiveEvent) -> Record:
    return change_record(item) if isinstance(item, PrimitiveEvent) else item.to_record()


def write_json(path: Path, records: list[Record], left_out: set[str]) -> None:
    kept = [{name: value for name, value in each.items() if name not in left_out} for each in records]
    path.write_bytes(b"".join(STANDARD.dumps(each) + b"\n" for each in kept))


def write_parquet(path: Path, records: list[Record], left_out: set[str], *, group_size: int = 7) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [field for field in arrow_schema() if field.name not in left_out]
    columns = []
    for field in fields:
        values = [each.get(field.name) for each in records]
        if field.name == "meta":
            values = [None if value is None else list(value.items()) for value in values]
        columns.append(pa.array(values, field.type))
    pq.write_table(pa.table(columns, schema=pa.schema(fields)), path, row_group_size=group_size)


@st.composite
def parts(draw: st.DrawFn, records: list[Record]) -> list[list[Record]]:
    """The records cut into files."""
    cuts = draw(st.sets(st.integers(0, len(records)), max_size=4))
    return [records[start:end] for start, end in pairwise(sorted({0, *cuts, len(records)}))]


def write_files(folder: Path, files: list[list[Record]], left_out: list[set[str]], *, packed: bool) -> Path:
    """The folder with these files, each without some fields."""
    log = folder / "log"
    log.mkdir()
    for number, (records, without) in enumerate(zip(files, left_out, strict=True)):
        name = log / f"part-{number}.{'parquet' if packed else 'jsonl'}"
        (write_parquet if packed else write_json)(name, records, without)
    return log


@st.composite
def spoilt(draw: st.DrawFn, records: list[Record], faults: list[Record]) -> list[Record]:
    """The records with a few faults: of values, and of order."""
    found = [dict(record) for record in records]
    for place in draw(st.lists(st.integers(0, len(found) - 1), max_size=2)):
        found[place].update(draw(st.sampled_from(faults)))
    for place in draw(st.lists(st.integers(0, len(found) - 1), max_size=1)):
        record = found.pop(place)
        found.insert(draw(st.integers(0, len(found))), record)
    for place in draw(st.lists(st.integers(0, len(found) - 1), max_size=1)):
        found.insert(place, found[place])
    return found


@st.composite
def logs(draw: st.DrawFn, packed: bool) -> tuple[list[list[Record]], list[set[str]]]:
    """Records of files, with faults, and fields that these have not."""
    log = draw(documents(max_documents=2).flatmap(interleaved).flatmap(with_clocks))
    records = [dict(recorded(item)) for item in log if not (packed and isinstance(item, Header))]
    if records and draw(st.booleans()):  # edits of several records
        for record in records:
            if "xmlcep" not in record and "clock" not in record and draw(st.booleans()):
                record["more"] = True
    if records:
        records = draw(spoilt(records, FAULTS if packed else FAULTS + JSON_FAULTS))
    fields = st.sampled_from(("doc", "at", "pos", "txn", "meta", "more", "clock"))
    files = draw(parts(records))
    without = st.lists(fields, max_size=1).map(set)
    alike = draw(st.booleans())
    left_out = [draw(without)] * len(files) if alike else [draw(without) for _ in files]
    return files, left_out


@pytest.mark.parametrize("packed", [False, True])
@settings(max_examples=45)
@given(st.sampled_from((PLAIN, APART, LATE, ASKING)) | rule_sets().map(Rules.from_definitions), st.data())
def test_sifted_columns_tell_what_records_one_by_one_tell(packed: bool, rules: Rules, data) -> None:
    if packed:
        pytest.importorskip("pyarrow")
    files, left_out = data.draw(logs(packed))
    if not files:
        return
    size = data.draw(st.sampled_from((1000, 10, 3, 1)))
    options = {
        "operators": data.draw(st.booleans()),
        "on_bad": data.draw(st.sampled_from(list(OnBadRecord)[:2])),
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(splits, "LINES_BLOCK", size),
        mock.patch.object(splits, "ARROW_BLOCK", size),
        mock.patch.object(arrow, "_FEW", data.draw(st.sampled_from((256, 4, 1)))),
        mock.patch.object(document_findings, "_SETTLED", data.draw(st.sampled_from((1, 64)))),
    ):
        log = write_files(Path(folder), files, left_out, packed=packed)
        sifted = outcome(log, rules, by_row=False, rest=data.draw(st.booleans()), **options)
        assert sifted == outcome(log, rules, by_row=True, rest=data.draw(st.booleans()), **options)
    event("several files" if len(files) > 1 else "one file")


@given(st.one_of(rule_sets().map(Rules.from_definitions), st.just(PLAIN)), st.data())
def test_findings_are_written_as_their_records_are(rules: Rules, data) -> None:
    encode = FindingEncoder().encode
    log = data.draw(documents(max_documents=1).flatmap(interleaved))
    events = [item for item in log if isinstance(item, PrimitiveEvent)]
    for composite in Detector(rules, operators=True).replay(events):
        assert STANDARD.loads(encode(composite)) == composite.to_record()
        assert encode(composite) == STANDARD.dumps(composite.to_record())
