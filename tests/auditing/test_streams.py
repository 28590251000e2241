"""Streams find what one audit of the whole finds, wherever triggers cut the records (rule G6)."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.auditing.logs import interleaved, lives, write_log
from tests.auditing.simulation import Row, in_findings, rows_of
from tests.auditing.test_agreement import ORDER_RULES, lines_of, orders
from tests.auditing.test_every_construct import log_of, of_document
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.auditing import audit
from xmlcep.auditing.failures import ReplayError
from xmlcep.auditing.inputs import find_files
from xmlcep.auditing.spark.answers import ANSWERS, BAD, FINDING, ORDER
from xmlcep.auditing.spark.columns import sorted_in_order
from xmlcep.auditing.spark.stream_replay import END, gone_on
from xmlcep.auditing.spark.told import Told
from xmlcep.engine import StateError
from xmlcep.errors import ArgumentError
from xmlcep.rules import PlainRules, Rules, parse_rules
from xmlcep.streams import Documents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def streamed(triggers: list[list[Row]], rules: Rules, *, operators: bool = False) -> list[Row]:
    """The answers to records that come in these triggers, each document with its state as Spark keeps it."""
    told = tuple(Told(tuple(PlainRules.of(rules)), operators))
    states: dict[str | None, dict[int, bytes]] = {}
    answered: list[Row] = []
    for rows in triggers:
        for doc in dict.fromkeys(row["doc"] for row in rows):
            records = [row for row in rows if row["doc"] == doc]
            (answers,) = gone_on([(doc, states.setdefault(doc, {}), records)], told)
            answered += [dict(zip(ANSWERS.names, each, strict=True)) for each in answers]
    return answered


def cut(draw: Any, rows: list[Row]) -> list[list[Row]]:
    """The rows in triggers, those of a document in the order of their time points, those of one time point together."""
    triggers: list[list[Row]] = [[] for _ in range(draw(st.integers(1, 6)))]
    for doc in dict.fromkeys(row["doc"] for row in rows):
        at, before = 0, None
        for row in sorted_in_order(row for row in rows if row["doc"] == doc):
            if before is not None and row["ts"] != before:
                at = draw(st.integers(at, len(triggers) - 1))
            before = row["ts"]
            triggers[at].append(row)
    for trigger in triggers:
        draw(st.randoms(use_true_random=False)).shuffle(trigger)
    return triggers


def check_stream(draw: Any, items: list[Any], rules: Rules, until: str | None, *, operators: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        log = write_log(Path(name) / "log.jsonl", items)
        files = find_files([log]).files
        rows = rows_of(files[0], files, 1 << 20)
        ends = [
            {"op": END, "doc": doc, "at": until, "ts": None, "ids": None, "path": None}
            for doc in dict.fromkeys(row["doc"] for row in rows)
            if doc is not None
        ]
        answered = streamed([*cut(draw, rows), ends], rules, operators=operators)
        try:
            local = audit(
                log, rules, engine="local", out=Path(name) / "out", until=until, operators=operators
            )
        except ReplayError:
            assert any(b"cannot be replayed" in row["content"] for row in answered if row["kind"] == BAD)
            return
        found = sorted((row for row in answered if row["kind"] == FINDING), key=in_findings)
        assert [row["content"] for row in found] == list(local.lines())
        assert len([row for row in answered if row["kind"] == BAD]) == local.summary.quarantined


@settings(max_examples=12, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE), st.data())
def test_every_construct(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    logs = [
        log_of(of_document(data.draw(timed_histories(max_edits=8)), f"doc{n}"), f"doc{n}")
        for n in range(data.draw(st.integers(1, 3)))
    ]
    items: list[Any] = data.draw(interleaved(logs))  # type: ignore[arg-type]
    until = data.draw(st.sampled_from((None, "2026-01-01T00:00:30Z")))
    check_stream(data.draw, items, rules_of(definitions), until, operators=data.draw(st.booleans()))


@settings(max_examples=10, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE - {"time"}), st.data())
def test_headers_and_bad_lines(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    if rules.graph.needs_time:
        return  # these histories have none
    items: list[Any] = data.draw(interleaved([life.log() for life in data.draw(lives(busy=True))]))
    for place in data.draw(st.lists(st.integers(0, 30), max_size=2)):
        items.insert(min(place, len(items)), b'{"doc": "doc0", "op": "nonsense"}')
    check_stream(data.draw, items, rules, None, operators=False)


def test_what_comes_too_late_is_named_and_changes_nothing() -> None:
    """Also where it is all that a trigger has of a document."""
    records = [{**record, "meta": None} for record in orders("a", 12)]
    end = {"op": END, "doc": "a", "at": None, "ts": None, "ids": None, "path": None}
    in_time = streamed([records[:8], records[8:], [end]], ORDER_RULES, operators=False)
    late = streamed([records[:8], records[8:], records[:1], [end]], ORDER_RULES, operators=False)
    assert [row["content"] for row in late if row["kind"] == FINDING] == [row["content"] for row in in_time]
    (bad,) = (row for row in late if row["kind"] == BAD)
    assert b"ts 1 of document 'a' comes too late: an earlier run had already read up to ts " in bad["content"]


# ---- without Spark ---------------------------------------------------------------------------------------------

TWO = parse_rules(
    "event Both(item) = ins(price) & ins(quantity) event Close(item) {within='4 changes'} = ins(price) ; ins(quantity)"
)


def change(ts: int, name: str, item: int) -> Row:
    return {"doc": "a", "ts": ts, "op": "ins", "path": f"/order/item/{name}", "ids": [1, item, 100 + ts]}


def fed(
    documents: Documents, batches: list[list[Row]], state: dict[int, bytes]
) -> tuple[list[str], list[str]]:
    """The findings of batches with their time points, and why records were not taken."""
    answers = [documents.feed_batch("a", batch, state) for batch in batches]
    found = [json.loads(line) for each in answers for line in each.findings]
    bad = [json.loads(line)["reason"] for each in answers for line in each.bad]
    return [f"{each['name']}@{each['ts']}" for each in found], bad


def test_a_batch_reads_and_writes_what_it_concerns() -> None:
    class Watched(dict[int, bytes]):
        def get(self, key: int, default: Any = None) -> Any:
            used.add(key)
            return super().get(key, default)

        def __setitem__(self, key: int, value: bytes) -> None:
            used.add(key)
            super().__setitem__(key, value)

    used: set[int] = set()
    state = Watched()
    documents = Documents(parse_rules("event Both(item) = ins(price) & ins(quantity)"))
    fed(documents, [[change(n, "price", 10 + n) for n in range(1, 40)]], state)
    assert {*range(11, 50)} < state.keys()
    used.clear()
    assert fed(documents, [[change(40, "quantity", 20)]], state) == (["Both@40"], [])
    assert used == {-1, 0, 20} and 20 not in state


def test_records_above_a_gap_wait_until_it_is_filled() -> None:
    records = [change(ts, "price" if ts % 2 else "quantity", 10 + ts % 3) for ts in range(1, 13)]
    whole = fed(Documents(TWO), [records, [{"doc": "a", "op": "end"}]], {})
    state: dict[int, bytes] = {}
    batches = [records[6:9], records[:2], records[9:], records[2:6]]
    waiting = fed(Documents(TWO, late="wait"), batches, state)
    rest = fed(Documents(TWO, late="wait"), [[{"doc": "a", "op": "end"}]], state)
    assert [*waiting[0], *rest[0]] == whole[0] and waiting[1] == rest[1] == whole[1] == []
    assert len(whole[0]) > 4
    _, bad = fed(Documents(TWO), batches, {})
    assert len(bad) == 6 and "comes too late" in bad[0]
    gap = fed(Documents(TWO, late="wait"), [records[4:], [{"doc": "a", "op": "end"}]], {})
    assert gap[1] == ["ts 1 to 4 of document 'a' have not come: skipped"]


def test_rules_that_are_replaced_between_two_starts_keep_what_equal_trees_have_seen() -> None:
    both = "event Both(item) = ins(price) & ins(quantity)"
    other = parse_rules(f"event First(item) = ins(price) & ins(comment) {both}")
    state: dict[int, bytes] = {}
    assert fed(Documents(TWO), [[change(1, "price", 10), change(2, "price", 11)]], state) == ([], [])
    kept = dict(state)
    with pytest.raises(StateError, match=r"changed or removed definitions"):
        fed(Documents(other), [[change(3, "quantity", 10)]], dict(kept))
    documents = Documents(other, on_removed="drop")
    assert fed(documents, [[change(3, "quantity", 10)], [change(4, "quantity", 11)]], state) == (
        ["Both@3", "Both@4"],
        [],
    )


def test_what_is_no_record_is_named() -> None:
    documents, state = Documents(TWO), dict[int, bytes]()
    wrong: list[Any] = [7, {"ts": "x", "doc": "a"}, {**change(1, "price", 10), "ids": ["x"]}]
    right = [change(1, "price", 10), change(2, "quantity", 10), {"doc": "a", "op": "end"}]
    found, bad = fed(documents, [[*wrong, *right]], dict(state))
    assert (
        found == ["Both@2", "Close@2"]
        and [each.startswith("not a change record: ") for each in bad] == [True] * 3
    )
    with pytest.raises(ArgumentError, match="a record is of document 'b'"):
        documents.feed_batch("a", [{**change(3, "price", 10), "doc": "b"}], state)


class Failing(dict[int, bytes]):
    """A state of which one write fails, the one of this number."""

    writes = 0

    def __setitem__(self, key: int, value: bytes) -> None:
        self.writes -= 1
        if not self.writes:
            raise OSError("full")
        super().__setitem__(key, value)


def test_a_batch_whose_state_was_not_kept_is_fed_again() -> None:
    records = [change(ts, "price" if ts % 2 else "quantity", 10 + ts % 3) for ts in range(1, 25)]
    batches = [records[:8], records[8:16], records[16:], [{"doc": "a", "op": "end"}]]
    documents, kept, found = Documents(TWO), dict[int, bytes](), list[str]()
    for batch in batches:
        for writes in range(1, 4):
            state = Failing(kept)
            state.writes = writes
            with suppress(OSError):
                fed(documents, [batch], state)
        state = Failing(kept)
        found += fed(documents, [batch], state)[0]
        kept = dict(state)
    assert found == fed(Documents(TWO), batches, {})[0] and len(found) > 4


# ---- with Spark ------------------------------------------------------------------------------------------------

COLUMNS = (
    "doc string, ts long, op string, path string, ids array<long>, value string, old string, pos long, at timestamp,"
    " txn long, meta map<string,string>"
)
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


@pytest.fixture
def rocks_db(spark: SparkSession) -> Iterator[SparkSession]:
    """Each partition has a store, and a Python of its own: one will do."""
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    spark.conf.set(PROVIDER, "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    yield spark
    spark.conf.unset(PROVIDER)
    spark.conf.set("spark.sql.shuffle.partitions", partitions)


def test_what_is_stopped_and_killed_goes_on_from_its_checkpoint(
    rocks_db: SparkSession, tmp_path: Path
) -> None:
    """The query stops between two triggers, is killed within one, and its output has each finding once."""
    from pyspark.errors import StreamingQueryException

    from xmlcep.spark import stream

    spark = rocks_db
    parts = [orders(doc, 30, txn=doc == "b") for doc in ("a", "b", "c")]
    records = sorted((record for part in parts for record in part), key=lambda record: record["ts"])
    cuts = [0, 20, 46, len(records)]
    files = [records[start:end] for start, end in pairwise(cuts)]
    files[-1].append({**records[0], "doc": "a"})  # it comes too late
    files[-1] += [{"doc": doc, "op": "end"} for doc in "abc"]
    source, found, killed = tmp_path / "changes", tmp_path / "found", tmp_path / "killed"
    source.mkdir()

    def add(number: int) -> None:
        lines = "".join(f"{json.dumps(record)}\n" for record in files[number])
        (source / f"{number}.json").write_text(lines)
        os.utime(source / f"{number}.json", (1_700_000_000 + number,) * 2)  # the order in which they are read

    def deadly(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if killed.exists() and (attempt := len(list(killed.iterdir()))) < 4:
                (killed / str(attempt)).touch()
                if attempt == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                raise RuntimeError("killed")
            yield batch

    def run() -> None:
        changes = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(source))
        output = stream(changes.mapInArrow(deadly, COLUMNS), ORDER_RULES)
        to = output.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        for _ in range(20):
            try:
                to.trigger(availableNow=True).start(path=str(found), format="parquet").awaitTermination()
                return
            except StreamingQueryException as error:
                if "failed to connect back" not in str(error):
                    raise
        pytest.skip("this machine is too busy: Spark gives a worker ten seconds to start")

    add(0)
    run()
    add(1)
    killed.mkdir()
    with pytest.raises(StreamingQueryException, match="killed"):
        run()
    add(2)
    run()
    rows = spark.read.parquet(str(found)).orderBy(*ORDER).collect()
    local = audit(write_log(tmp_path / "log.jsonl", lines_of(records)), ORDER_RULES, out=tmp_path / "local")
    assert [(row.doc, row.ts, row.name, row.ids) for row in rows if row.reason is None] == [
        (each["doc"], each["ts"], each["name"], each["ids"]) for each in local.records()
    ]
    (bad,) = (row.reason for row in rows if row.reason is not None)
    assert bad.startswith("ts 1 of document 'a' comes too late: an earlier run had already read up to")


class OfSpark:
    """A map state as Spark has one, and the handle that gives it."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int], tuple[bytearray]] = {}
        self.getValue, self.keys = self.kept.get, self.kept.keys
        self.containsKey, self.clear = self.kept.__contains__, self.kept.clear
        self.removeKey = self.kept.__delitem__

    def getMapState(self, name: str, key: str, value: str) -> OfSpark:
        return self

    def updateValue(self, key: tuple[int], value: tuple[bytes]) -> None:
        self.kept[key] = (bytearray(value[0]),)


def test_spark_keeps_what_a_trigger_concerns() -> None:
    from pyspark.sql import Row

    from xmlcep.auditing.spark.stream import _processor

    spark, processor = OfSpark(), _processor(Told(tuple(PlainRules.of(TWO))), False, None)
    processor.init(spark)
    records = [change(ts, "price" if ts % 2 else "quantity", 10 + ts % 3) for ts in range(1, 13)]
    batches = [records[:5], records[5:], [dict.fromkeys(records[0]) | {"doc": "a", "op": "end", "at": None}]]
    found = [
        json.loads(row.content)
        for batch in batches
        for row in processor.handleInputRows(("a",), iter([Row(**each) for each in batch]), None)
    ]
    assert [f"{each['name']}@{each['ts']}" for each in found] == fed(Documents(TWO), batches, {})[0]
    assert len(found) > 4 and spark.kept.keys() == {(-1,)}


def test_what_is_no_stream_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    from xmlcep.spark import stream

    with pytest.raises(ArgumentError, match="needs a streaming DataFrame"):
        stream(spark.range(1), ORDER_RULES)
    with pytest.raises(ArgumentError, match=r"keep their states in RocksDB: call spark\.conf\.set"):
        stream(spark.readStream.schema(COLUMNS).json(str(tmp_path)), ORDER_RULES)
