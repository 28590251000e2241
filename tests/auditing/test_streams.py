"""Streams find what one audit of the whole finds, wherever triggers cut the records (rule G6)."""

from __future__ import annotations

import json
import math
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from tests.auditing.logs import interleaved, lives, write_log
from tests.auditing.simulation import Row, in_findings, rows_of
from tests.auditing.test_agreement import ORDER_RULES, orders
from tests.auditing.test_every_construct import log_of, of_document
from tests.auditing.test_since_replaced import in_log
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.laws.replacing import cases
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import BEGIN, timed_histories
from xmlcep.algebra import Periodic, Plus
from xmlcep.auditing import audit
from xmlcep.auditing.failures import ReplayError
from xmlcep.auditing.inputs import find_files
from xmlcep.auditing.spark.answers import ANSWERS, BAD, FINDING, ORDER
from xmlcep.auditing.spark.columns import LOG, sorted_in_order
from xmlcep.auditing.spark.stream_replay import END, Late, gone_on
from xmlcep.auditing.spark.told import Told
from xmlcep.engine import Detector, EvaluationError, StateError
from xmlcep.errors import ArgumentError
from xmlcep.log.records import ClockRecord
from xmlcep.rules import PlainRules, Rules, parse_rules
from xmlcep.streams import Documents
from xmlcep.timestamps import TimeError, microseconds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


Passed = list[dict[str | None, int]]
"""At each trigger, which documents the watermark concerns, and how far it is, in microseconds since 1970."""


States = dict[str | None, dict[int, bytes]]


def streamed(
    triggers: list[list[Row]], rules: Rules, *how: Any, operators: bool = False, passed: Passed | None = None,
    states: States | None = None, killed: Callable[[], int] = int,
) -> list[Row]:  # fmt: skip
    """The answers to records that come in these triggers, each document with its state as Spark keeps it; ``passed``
    are the watermarks of triggers. What a first attempt did that was ``killed`` at this write, or later, is lost."""
    told = tuple(Told(tuple(PlainRules.of(rules)), operators))
    states = {} if states is None else states
    answered: list[Row] = []
    for rows, until in zip(triggers, passed or [{}] * len(triggers), strict=True):
        for doc in dict.fromkeys([*(row["doc"] for row in rows), *until]):
            records = [row for row in rows if row["doc"] == doc]
            state = states.setdefault(doc, {})
            if writes := killed():
                with suppress(OSError):
                    list(gone_on([(doc, Failing(state, writes), records, until.get(doc))], told, *how))
            ((answers, _, due),) = gone_on([(doc, state, records, until.get(doc))], told, *how)
            assert doc not in until or due is None or due > until[doc]
            answered += [dict(zip(ANSWERS.names, each, strict=True)) for each in answers]
    return answered


class Failing(dict[int, bytes]):
    """A state of which one write fails, the one of this number."""

    def __init__(self, state: dict[int, bytes], writes: int) -> None:
        super().__init__(state)
        self.writes = writes

    def __setitem__(self, key: int, value: bytes) -> None:
        self.writes -= 1
        if not self.writes:
            raise OSError("full")
        super().__setitem__(key, value)


def silent(
    items: list[Any], triggers: list[list[Row]], watermarks: list[int], rules: Rules
) -> tuple[Passed, list[Any]]:
    """Which documents these watermarks of triggers concern: those that are in no transaction that goes on. And the
    log with a clock record for each deadline that they pass (W6)."""
    passed: Passed = [{} for _ in triggers]
    items = [*items]
    for doc in dict.fromkeys(item.doc for item in items):
        detector, txn, reached = Detector(rules), None, 0
        rest = [item for item in items if item.doc == doc]
        for rows, until, watermark in zip(triggers, passed, watermarks, strict=True):
            reached = max([reached, *(row["ts"] for row in rows if row["doc"] == doc)])
            with suppress(EvaluationError):
                while rest and rest[0].ts <= reached:
                    item = rest.pop(0)
                    own = getattr(item, "txn", None)
                    if txn not in (None, own):
                        detector.flush()
                    txn = own
                    detector.advance(item.at) if isinstance(item, ClockRecord) else detector.feed(item)
                if not reached or (rest and txn is not None and getattr(rest[0], "txn", None) == txn):
                    continue
                until[doc] = watermark
                while (due := detector.next_due()) is not None and microseconds(due) <= watermark:
                    if txn is not None:
                        detector.flush()
                        txn = None
                    detector.advance(due)
                    behind = [n for n, item in enumerate(items) if item.doc == doc and item.ts <= reached]
                    items.insert(behind[-1] + 1, ClockRecord(doc, reached, due))
    return passed, items


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


def check_stream(
    draw: Any, items: list[Any], rules: Rules, until: str | None, *, operators: bool, timed: bool = False
) -> None:
    with tempfile.TemporaryDirectory() as name:
        log = write_log(Path(name) / "log.jsonl", items)
        files = find_files([log]).files
        rows = rows_of(files[0], files, 1 << 20)
        ends = [
            {"op": END, "doc": doc, "at": until, "ts": None, "ids": None, "path": None}
            for doc in dict.fromkeys(row["doc"] for row in rows)
            if doc is not None
        ]
        triggers = cut(draw, rows)
        passed: Passed = [{} for _ in triggers]
        if timed:
            steps = [draw(st.sampled_from((0, 3, 10, 30, 100))) for _ in triggers]
            watermarks = [BEGIN + 1_000_000 * step for step in accumulate(steps)]
            passed, items = silent(items, triggers, watermarks, rules)
            log = write_log(Path(name) / "log.jsonl", items)
        killed = partial(draw, st.sampled_from((0, 0, 0, 0, 1, 3, 9)))
        answered = streamed(
            [*triggers, ends], rules, operators=operators, passed=[*passed, {}], killed=killed
        )
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


TIMED = ("plus", "periodic", "trailing", "within", "release", "edit", "variable")


@settings(max_examples=16, deadline=None)
@given(
    full_rule_sets(constructs=TIMED, root=Plus) | full_rule_sets(constructs=TIMED, root=Periodic), st.data()
)
def test_deadlines_that_the_watermark_passes(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    logs = [log_of(data.draw(timed_histories(max_edits=8, doc=doc)), doc) for doc in ("doc0", "doc1")]
    items: list[Any] = data.draw(interleaved(logs))  # type: ignore[arg-type]
    check_stream(
        data.draw, items, rules_of(definitions), None, operators=data.draw(st.booleans()), timed=True
    )


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


@pytest.mark.parametrize("mode", ["levels-timed", "meet", "full"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_other_rules_from_some_trigger_on(mode: str, data: st.DataObject) -> None:
    """What an audit finds that goes on with them (G7), also if the first attempts to go on are killed."""
    case = data.draw(cases(mode))
    assume(not case.from_the_beginning)
    known = in_log(case)
    if known is None:
        return
    before, after, items, first, want = known
    with tempfile.TemporaryDirectory() as name:
        files = find_files([write_log(Path(name) / "log.jsonl", items)]).files
        rows = rows_of(files[0], files, 1 << 20)
    states: States = {}
    answered = streamed(cut(data.draw, rows[: len(first)]), before, states=states)
    end = [{"op": END, "doc": "doc", "at": None, "ts": None, "ids": None, "path": None}]
    answered += streamed(
        [*cut(data.draw, rows[len(first) :]), end], after, False, "flush" if case.flush else "drop",
        states=states, killed=partial(data.draw, st.integers(0, 4)),
    )  # fmt: skip
    got = [json.loads(row["content"]) for row in answered if row["kind"] == FINDING]
    assert sorted(map(json.dumps, got)) == sorted(map(json.dumps, want))


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


def test_other_reference_documents_are_other_rules() -> None:
    def of(parts: str) -> Rules:
        return parse_rules(
            "event Both(item) = ins(price) & ins(quantity)"
            " event Known(item) = ins(@part)[. = $parts//@n]", references={"parts": parts.encode()}
        )  # fmt: skip

    batch = [change(2, "quantity", 10) | {"value": "8"}]
    state: dict[int, bytes] = {}
    fed(Documents(of("<parts><part n='7'/></parts>")), [[change(1, "price", 10)]], state)
    other = of("<parts><part n='8'/></parts>")
    with pytest.raises(StateError, match="other versions of the reference documents parts"):
        fed(Documents(other), [batch], dict(state))
    assert fed(Documents(other, on_removed="drop"), [batch], state) == (["Both@2"], [])


ODD = st.sampled_from(
    (
        None,
        b"x",
        b"\xff",
        "",
        "x",
        "\ud800",
        7,
        -1,
        1 << 70,
        0.5,
        math.nan,
        True,
        [1, None],
        [1 << 70],
        {"a": b"b"},
        {1},
    )
)


@settings(max_examples=100)
@given(
    st.lists(st.dictionaries(st.sampled_from(LOG.names), ODD, max_size=4), max_size=4),
    st.sampled_from(get_args(Late)),
)
def test_whatever_is_in_a_record_good_records_are_taken(odd: list[Row], late: Late) -> None:
    wrong = [change(1, "price", 10) | each | {"doc": "a"} for each in odd]
    wrong = [each for each in wrong if each["op"] != "ins" or each["path"] != "/order/item/price"]
    right = [change(1, "price", 10), change(2, "quantity", 10)]
    state: dict[int, bytes] = {}
    found, bad = fed(Documents(TWO, late=late), [[*wrong, *right], [{"doc": "a", "op": "end"}]], state)
    assert found == ["Both@2", "Close@2"]
    assert len(bad) >= len(wrong)


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


UNPRICED = parse_rules('event Unpriced(item) {within="10 s"} = ins(item) ; not ins(item/price)')


def test_deadlines_fire_although_nothing_comes() -> None:
    def item(ts: int, second: int, txn: int | None = None) -> Row:
        at = f"2026-01-01T00:00:{second:02}Z"
        return change(ts, "", 10 + ts) | {"path": "/order/item", "ids": [1, 10 + ts], "at": at, "txn": txn}

    documents, state = Documents(UNPRICED, late="wait"), dict[int, bytes]()
    assert documents.next_due(state) is None
    fed(documents, [[item(1, 0), item(2, 5, txn=4), item(3, 5, txn=4)]], state)
    assert documents.next_due(state) == "2026-01-01T00:00:10Z"
    assert documents.feed_batch("a", [], state, until="2026-01-01T00:00:09Z").findings == []
    (found,) = documents.feed_batch("a", [], state, until="2026-01-01T00:00:12Z").findings
    assert (json.loads(found)["ts"], json.loads(found)["at"]) == (3, "2026-01-01T00:00:10Z")
    assert documents.next_due(state) == "2026-01-01T00:00:15Z"
    fed(documents, [[item(5, 30)]], state)  # record 4 may be in time
    assert documents.next_due(state) is None
    assert documents.feed_batch("a", [], state, until="2026-01-01T00:00:50Z").findings == []
    fed4 = documents.feed_batch("a", [item(4, 20)], state, until="2026-01-01T00:00:30Z")
    assert [json.loads(line)["ts"] for line in fed4.findings] == [4, 4, 5]
    assert documents.next_due(state) == "2026-01-01T00:00:40Z"
    with pytest.raises(TimeError, match="soon"):
        documents.feed_batch("a", [], state, until="soon")


def test_a_batch_whose_state_was_not_kept_is_fed_again() -> None:
    records = [change(ts, "price" if ts % 2 else "quantity", 10 + ts % 3) for ts in range(1, 25)]
    batches = [records[:8], records[8:16], records[16:], [{"doc": "a", "op": "end"}]]
    documents, kept, found = Documents(TWO), dict[int, bytes](), list[str]()
    for batch in batches:
        for writes in range(1, 4):
            with suppress(OSError):
                fed(documents, [batch], Failing(kept, writes))
        found += fed(documents, [batch], kept)[0]
    assert found == fed(Documents(TWO), batches, {})[0] and len(found) > 4


# ---- with Spark ------------------------------------------------------------------------------------------------

COLUMNS = (
    "doc string, ts long, op string, path string, ids array<long>, value string, old string, pos long, at timestamp,"
    " txn long, meta map<string,string>, clock boolean"
)
LOGGED = COLUMNS.replace("at timestamp", "at string")
NAMES = [column.split()[0] for column in COLUMNS.split(", ")]
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


def test_what_is_killed_goes_on_from_its_checkpoint(rocks_db: SparkSession, tmp_path: Path) -> None:
    """The query is killed within its second trigger, and its output has each finding once. Deadlines that the watermark
    passes fire as with clock records there."""
    from pyspark.errors import StreamingQueryException

    from xmlcep.spark import findings, stream

    spark = rocks_db
    rules = parse_rules(f'{ORDER_RULES.text}\nevent Forgotten(order) = plus[ins(order), "100 s"]')
    parts = [orders(doc, 30, txn=doc == "b") for doc in ("a", "b", "c")]
    records = sorted((record for part in parts for record in part), key=lambda record: record["ts"])
    cuts = [0, 20, 46, len(records)]
    files = [records[start:end] for start, end in pairwise(cuts)]
    other = {**records[0], "doc": "d", "at": "2026-01-01T00:10:00Z"}
    files.append([{**records[0], "doc": "a"}, other])  # the first comes too late
    files += [{"doc": doc, "op": "end"} for doc in "ab"], [{"doc": "c", "op": "end"}]
    clocks = [
        {"doc": doc, "ts": len(part), "at": "2026-01-01T00:01:41Z", "clock": True}
        for doc, part in zip("abc", parts, strict=True)
    ]
    source, found, killed = tmp_path / "changes", tmp_path / "found", tmp_path / "killed"
    source.mkdir()

    def add(number: int) -> None:
        lines = "".join(f"{json.dumps(record)}\n" for record in files[number])
        (source / f"{number}.json").write_text(lines)
        os.utime(source / f"{number}.json", (1_700_000_000 + number,) * 2)  # the order in which they are read

    def deadly(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            attempt = len(list(killed.iterdir()))
            if attempt < 4 and batch["ts"][-1].as_py() > files[0][-1]["ts"]:
                (killed / str(attempt)).touch()
                if attempt == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                raise RuntimeError("killed")
            yield batch

    def run() -> None:
        changes = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(source))
        output = stream(changes.mapInArrow(deadly, COLUMNS).withWatermark("at", "1 minute"), rules)
        to = output.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        for _ in range(20):
            try:
                to.trigger(availableNow=True).start(path=str(found), format="parquet").awaitTermination()
                return
            except StreamingQueryException as error:
                if "failed to connect back" not in str(error):
                    raise
        pytest.skip("this machine is too busy: Spark gives a worker ten seconds to start")

    killed.mkdir()
    add(0), add(1)
    with pytest.raises(StreamingQueryException, match="killed"):
        run()
    add(2), add(3), add(4), add(5)
    run()
    rows = spark.read.parquet(str(found)).orderBy(*ORDER).collect()
    log = [tuple(each.get(name) for name in NAMES) for each in (*records, *clocks, other)]
    expected = findings(spark.createDataFrame(log, LOGGED), rules).orderBy(*ORDER).collect()
    assert [row.name for row in expected].count("Forgotten") == 3
    assert in_places([row for row in rows if row.reason is None]) == in_places(expected)
    (bad,) = (row.reason for row in rows if row.reason is not None)
    assert bad.startswith("ts 1 of document 'a' comes too late: an earlier run had already read up to")


def in_places(found: list[Any]) -> list[Any]:
    """The findings; the last number of a place is that of its task."""
    without = dict.fromkeys(("place", "reason", "raw"))
    return [row.asDict(recursive=True) | without for row in found]


class OfSpark:
    """A map state as Spark has one, and the handle that gives it; it warns of a value that is not there."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int], tuple[bytearray]] = {}
        self.getValue, self.keys = self.kept.__getitem__, self.kept.keys
        self.containsKey, self.clear = self.kept.__contains__, self.kept.clear
        self.removeKey = self.kept.__delitem__

    def getMapState(self, name: str, key: str, value: str) -> OfSpark:
        return self

    def updateValue(self, key: tuple[int], value: tuple[bytes]) -> None:
        self.kept[key] = (bytearray(value[0]),)


def test_spark_keeps_what_a_trigger_concerns() -> None:
    from pyspark.sql import Row

    from xmlcep.auditing.spark.stream import _processor

    spark, processor = OfSpark(), _processor(Told(tuple(PlainRules.of(TWO))), False, None, timed=False)
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


class Timers(OfSpark):
    """The timers of one key, and how far the watermark is."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[int] = []
        self.registerTimer, self.deleteTimer = self.timers.append, self.timers.remove
        self.watermark = 0

    def getCurrentWatermarkInMs(self) -> int:
        return self.watermark

    def getExpiryTimeInMs(self) -> int:
        return self.timers[0]


def test_spark_has_one_timer_for_the_next_deadline_of_a_document() -> None:
    from pyspark.sql import Row

    from xmlcep.auditing.spark.stream import _processor

    def row(ts: int, name: str, item: int, second: float) -> Row:
        at = f"1970-01-01T00:00:{second:08.5f}Z"
        return Row(
            doc="a", ts=ts, op="ins", path=f"/order/item{name}", ids=[1, item, 9][: 2 + (name > "")], at=at
        )

    spark, processor = Timers(), _processor(Told(tuple(PlainRules.of(UNPRICED))), False, None, timed=True)
    processor.init(spark)

    def taken(rows: Any) -> list[int]:
        return [row.ids[-1] for row in rows]

    assert taken(processor.handleInputRows(("a",), [row(1, "", 7, 1), row(2, "", 8, 2.00025)], spark)) == []
    assert spark.timers == [11_000]
    assert taken(processor.handleInputRows(("a",), [row(3, "/price", 7, 3)], spark)) == []
    assert spark.timers == [12_001]
    assert taken(processor.handleInputRows(("a",), [row(4, "", 9, 4)], spark)) == []
    spark.watermark = 12_002
    assert taken(processor.handleExpiredTimer(("a",), spark, spark)) == [8]
    assert spark.timers == [12_001, 14_000]  # Spark itself deletes the one that has expired
    spark.timers.pop(0)
    spark.watermark = 20_000
    assert taken(processor.handleInputRows(("a",), [row(5, "/price", 8, 5)], spark)) == [9]
    assert spark.timers == []
    spark.kept.clear()  # what is over when it comes is never a timer
    assert taken(processor.handleInputRows(("a",), [row(1, "", 7, 1), row(2, "", 8, 15)], spark)) == [7]
    assert spark.timers == [25_000]


def test_what_is_no_stream_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    from xmlcep.spark import stream

    with pytest.raises(ArgumentError, match="needs a streaming DataFrame"):
        stream(spark.range(1), ORDER_RULES)
    with pytest.raises(ArgumentError, match=r"keep their states in RocksDB: call spark\.conf\.set"):
        stream(spark.readStream.schema(COLUMNS).json(str(tmp_path)), ORDER_RULES)
