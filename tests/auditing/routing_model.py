"""What routing has to do with records, said record by record: random ones, and a plain model of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from hypothesis import strategies as st
from xmlcep.auditing.spark.chunks import Mark, buckets_of, hash_of

from path_types import PathType
from xmlcep.auditing.plan.partition_key import DOCUMENT, Pass, Plan, Role


class Record(NamedTuple):
    """A record as far as routing looks at it."""

    doc: str
    ts: int
    op: str
    path: PathType
    ids: tuple[int, ...]
    txn: int | None


class Row(NamedTuple):
    """A routed row."""

    mark: int
    pass_index: int
    bucket: int
    doc: str
    ts: int


# Changes of and in items 2, 3 and 4, of a part within an item, and elsewhere.
CHANGES = [
    (op, PathType.parse(path), ids)
    for item in (2, 3, 4)
    for op, path, ids in (
        ("ins", "/order/item", (1, item)),
        ("del", "/order/item", (1, item)),
        ("ins", "/order/item/price", (1, item, 9)),
        ("upd", "/order/item/note/text()", (1, item, 8, 7)),
        ("ins", "/order/item/item/quantity", (1, item, 6, 5)),
    )
] + [("ins", PathType.parse("/order/date"), (1, 10)), ("ins", PathType.parse("/other"), (11,))]

changes = st.sampled_from(CHANGES)
transactions = st.sampled_from((None, 1, 1, 2, 2, 3, -7))


@st.composite
def histories(draw: st.DrawFn) -> list[Record]:
    """Records of a few documents, each in its order, taking turns."""
    clocks = {"a": 0, "b": 4, "c": 2**40}
    found: list[Record] = []
    doc, txn = "a", None
    for change, turn, other in draw(
        st.lists(
            st.tuples(changes, st.sampled_from("aaaaaabc"), st.one_of(st.none(), transactions)), max_size=30
        )
    ):
        doc = turn
        txn = other if other is not None else txn
        clocks[doc] += 1 + len(found) % 2
        given_txn = None if len(found) % 7 == 6 else txn
        found.append(Record(doc, clocks[doc], *change, given_txn))
    return found


# ---- the model: one record after the other ------------------------------------------------------------------


def key_of(each: Pass, record: Record) -> int | None:
    """The key of a record; None if it has none."""
    step = each.step(record.path)
    return None if step is None else 0 if step == DOCUMENT else record.ids[step]


def bucket_of(doc: str, key: int, buckets: int) -> int:
    return int(buckets_of([hash_of(doc)], [key], buckets)[0])


class Model:
    """The rows that have to be there and those that may be, for a log in one piece."""

    def __init__(self, plan: Plan, log: Sequence[Record], buckets: int) -> None:
        self.buckets = buckets
        self.records: Counter[Row] = Counter()
        self.must: set[Row] = set()
        self.may: set[Row] = set()
        for each in plan.passes:
            for doc in {record.doc for record in log}:
                records = [record for record in log if record.doc == doc]
                self._feed(each, records)
                if each.has_boundaries and not each.by_document:
                    self._bound(each, records)
                if each.has_flushes:
                    self._flush(each, records)

    def _row(self, mark: int, each: Pass, key: int, record: Record) -> Row:
        return Row(mark, each.index, bucket_of(record.doc, key, self.buckets), record.doc, record.ts)

    def _feed(self, each: Pass, records: Sequence[Record]) -> None:
        for record in records:
            key = key_of(each, record)
            if key is not None and each.route(record.op, record.path).role is Role.FED:
                self.records[self._row(Mark.RECORD, each, key, record)] += 1

    def _bound(self, each: Pass, records: Sequence[Record]) -> None:
        """The record after a run of one key's own releases what is pending there; if nothing can wait, nothing is."""
        runs = [(key, list(run)) for key, run in groupby(records, key=lambda record: key_of(each, record))]
        for (key, run), (_, after) in pairwise(runs):
            if key is None:
                continue
            touched = any(each.is_touched(record.op, record.path) for record in run)
            (self.must if touched else self.may).add(self._row(Mark.BOUNDARY, each, key, after[0]))

    def _flush(self, each: Pass, records: Sequence[Record]) -> None:
        """Where a transaction ends, for what was touched since one ended before; elsewhere nothing is pending."""
        touched: set[int] = set()
        for record, following in pairwise(records):
            key = key_of(each, record)
            if key is not None and each.is_touched(record.op, record.path):
                touched.add(bucket_of(record.doc, key, self.buckets))
            if record.txn is not None and following.txn != record.txn:
                flush = Row(Mark.FLUSH, each.index, 0, record.doc, record.ts)
                self.must |= {flush._replace(bucket=bucket) for bucket in touched}
                self.may |= {flush._replace(bucket=bucket) for bucket in range(self.buckets)}
                touched = set()
