"""Timers in parts of a document: what a key raises because time has passed is what the document raises, at the same
time points, whatever else happens in it (W5)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.auditing.logs import write_log
from tests.auditing.test_every_construct import (
    Log,
    check_against_watch,
    cut_into_files,
    log_of,
    of_document,
)
from tests.auditing.test_time import at, simulated
from tests.laws.agreement import rules_of
from tests.strategies import History, show_rules
from tests.strategies.timed import timed_histories
from tests.strategies.timers import timer_rule_sets
from xmlcep.auditing import audit
from xmlcep.auditing.failures import ReplayError
from xmlcep.auditing.plan import make_plan
from xmlcep.events import PrimitiveEvent
from xmlcep.log.records import ClockRecord
from xmlcep.rules import Rules, parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UNTIL = st.sampled_from([None, "2026-01-01T00:00:30Z", "2026-01-01T01:05:00+01:00"])


@settings(max_examples=12)
@given(
    timer_rule_sets(),
    st.lists(st.tuples(timed_histories(), st.integers(0, 30)), min_size=1, max_size=2),
    st.booleans(),
    UNTIL,
)
def test_audits_find_what_a_watch_raises(
    definitions: Any, histories: list[tuple[History, int]], operators: bool, until: str | None
) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    check_against_watch(rules, histories, operators=operators, until=until)


ANY = "(*(item//*) | *(item))"
DEFERRED = (
    f'event A(item) = plus[{ANY} {{end=custom}}, "1 s"]',
    f'event A(item) = plus[{ANY} {{end=non-local}}, "2 s"]',
    'event A(item) {context=recent} = plus[x[2,*]{end=custom} *(item//*), "3 s"] & ins(item/price)',
    f'event A(item) = periodic[{ANY} {{end=non-local}}, "2 s", {ANY} {{end=custom}}]',
    f'event A(item) = plus[ins(item/price), "1 s"] ; {ANY} {{end=custom}}',
    f'event A(item) = {ANY} {{end=non-local}} ; plus[*(item/price//*), "2 s"]',
    f'event A(item) = plus[{ANY} {{end=custom}}, "1 s"]\nevent B(item) = x[2,*]{{within="4 s"}} A(item)',
    f'event A(item) = plus[*(item//*), "1 s"]\nevent B(item) = plus[{ANY} {{end=custom}}, "1 s"] & A(item)',
    f'event A(item) = plus[{ANY} {{end=custom, when="price"}}, "1 s"]\nevent B(item) {{when="comment"}} = A(item)',
    f'event A(item) = plus[{ANY} {{end=non-local, when="price"}}, "1 s"]\nevent B = x[1,2] A(order/item)',
    f'event A(item) {{when="price", within="2 s"}} = *(item//*) ; not ins(item) ; not {ANY} {{end=custom}}',
)


@settings(max_examples=12)
@given(
    st.sampled_from(DEFERRED), st.lists(st.tuples(timed_histories(), st.integers(0, 30)), min_size=1, max_size=2),
    UNTIL,
)  # fmt: skip
def test_what_waits_for_a_release_below_a_timer(
    text: str, histories: list[tuple[History, int]], until: str | None
) -> None:
    note(text)
    check_against_watch(parse_rules(text), histories, operators=True, until=until)


def test_the_key_of_those_rules_is_the_document() -> None:
    for text in DEFERRED:
        assert not make_plan(parse_rules(text)).divided, text


@st.composite
def noisy(draw: st.DrawFn, log: Log) -> Log:
    """The log as it should not be: with records that are missing, repeated, at each other's places, of no time; clock
    records anywhere."""
    log = list(log)
    noise = st.tuples(
        st.sampled_from(["drop", "swap", "again", "soon", "clock"]), st.integers(0, 40), st.integers(-9, 9)
    )
    for kind, place, seconds in draw(st.lists(noise, max_size=6)):
        index = place % len(log)
        item = log[index]
        if kind == "drop" and len(log) > 2:
            del log[index]
        elif kind == "swap":
            log[index - 1], log[index] = log[index], log[index - 1]
        elif kind == "again":
            log.insert(draw(st.integers(0, len(log))), item)
        elif kind == "soon" and isinstance(item, PrimitiveEvent):
            log[index] = item._replace(at="soon")
        elif kind == "clock" and item.at is not None and item.at != "soon":
            log.insert(index + 1, ClockRecord(item.doc, item.ts, f"2026-01-01T00:00:{abs(seconds):02}Z"))
    return log


@settings(max_examples=12)
@given(timer_rule_sets(asking=False), timed_histories(), st.integers(0, 30), UNTIL, st.data())
def test_bad_records_have_the_same_effect_on_the_clock_everywhere(
    definitions: Any, history: History, cut: int, until: str | None, data: st.DataObject
) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    log = data.draw(noisy(log_of(of_document(history, "doc"), "doc")))
    with cut_into_files([log], [cut]) as files:
        result = audit(files, rules, engine="local", until=until, out=files[0].with_name("f.jsonl"))
        assert simulated(files, rules, until=until) == (list(result.records()), result.summary.quarantined)


def order(*records: tuple[str, int, str], doc: str = "a", txn: int | None = None) -> list[PrimitiveEvent]:
    """Insertions of the names given below the items given, at these times."""
    paths = {
        "item": "/order/item",
        **{name: f"/order/item/{name}" for name in ("price", "quantity", "comment")},
    }
    made = []
    for ts, (name, item, time) in enumerate(records, start=1):
        path = PathType.parse(paths.get(name, "/order/date"))
        ids = (1, 100 + ts) if name == "date" else (1, item) if name == "item" else (1, item, 100 + ts)
        made.append(PrimitiveEvent(ts, "ins", path, ids, at=at(time), doc=doc, txn=txn))
    return made


QUIET = parse_rules('event Quiet(item) = plus[ins(item/price), "5 min"]')


def both(
    tmp_path: Path, log: Log, rules: Rules, *, until: str | None = None
) -> list[tuple[int, str, list[int]]]:
    """What both engines find in a log: time point, time, node."""
    file = write_log(tmp_path / "log.jsonl", log)
    result = audit(file, rules, engine="local", until=until, out=tmp_path / "f.jsonl")
    records = list(result.records())
    assert simulated([file], rules, until=until) == (records, result.summary.quarantined)
    return [(record["ts"], record["at"], record["ids"]) for record in records]


def test_a_timer_fires_at_the_first_record_behind_its_time_wherever_that_is(tmp_path: Path) -> None:
    log = order(("price", 2, "09:00"), ("price", 3, "09:01"), ("date", 0, "09:05"), ("date", 0, "09:06"))
    log += [
        record._replace(ts=record.ts + 4) for record in order(("date", 0, "09:30"), ("comment", 2, "10:00"))
    ]
    assert both(tmp_path, log, QUIET) == [(4, at("09:05"), [1, 2]), (5, at("09:06"), [1, 3])]


@pytest.mark.parametrize(
    ("ts", "clock", "found"),
    [
        (2, "09:05", (2, "09:05")),  # exactly then it is over
        (2, "09:04", (3, "09:05")),
        (4, "09:05", (2, "09:05")),  # there is no record 3 and 4 before it: it stands behind the second
        (1, "09:20", (1, "09:05")),
    ],
)  # fmt: skip
def test_a_clock_record_is_the_time_point_of_the_record_before_it(
    tmp_path: Path, ts: int, clock: str, found: tuple[int, str]
) -> None:
    first, second, third = order(("price", 2, "09:00"), ("date", 0, "09:01"), ("date", 0, "09:30"))
    third = third._replace(ts=3 if ts < 3 else 5)
    log: Log = [first, second, third]
    log.insert(min(ts, 2), ClockRecord("a", ts, at(clock)))
    assert both(tmp_path, log, QUIET) == [(found[0], at(found[1]), [1, 2])]


def test_a_clock_record_in_a_transaction_fires_nothing(tmp_path: Path) -> None:
    first, second, third = order(("price", 2, "09:00"), ("date", 0, "09:01"), ("date", 0, "09:30"))
    clock = ClockRecord("a", 2, at("09:10"))
    log: Log = [first, second._replace(txn=4), clock, third._replace(txn=4)]
    assert both(tmp_path, log, QUIET) == [(3, at("09:05"), [1, 2])]


def test_what_is_set_behind_a_clock_record_waits_for_the_next(tmp_path: Path) -> None:
    """What is due at the very time that is shown fires when it is said again, or over."""
    text = (
        'event Late(item) = (ins(item/price) ; ins(item/comment) ; not ins(item/quantity)) {within="5 min"}'
    )
    rules = parse_rules(text)
    price, comment, date = order(("price", 2, "09:00"), ("comment", 2, "09:05"), ("date", 0, "09:05"))
    clock = ClockRecord("a", 1, at("09:05"))
    assert both(tmp_path, [price, clock, comment, date], rules) == []
    assert both(tmp_path, [price, clock, comment, date], rules, until=at("09:05")) == [
        (3, at("09:05"), [1, 2])
    ]
    again = ClockRecord("a", 2, at("09:05"))
    assert both(tmp_path, [price, clock, comment, again, date], rules) == [(2, at("09:05"), [1, 2])]


def test_time_stands_still_in_an_edit(tmp_path: Path) -> None:
    log: Log = [
        record._replace(more=record.ts == 2)
        for record in order(
            ("price", 2, "09:00"), ("date", 0, "09:01"), ("date", 0, "09:20"), ("date", 0, "09:02")
        )
    ]
    assert both(tmp_path, log, QUIET) == [(4, at("09:05"), [1, 2])]
    log.insert(3, ClockRecord("a", 3, at("09:10")))  # before what the edit has said: no effect (W6)
    assert both(tmp_path, log, QUIET) == [(4, at("09:05"), [1, 2])]
    log[3] = ClockRecord("a", 3, at("09:20"))
    assert both(tmp_path, log, QUIET) == [(3, at("09:05"), [1, 2])]


def test_of_several_rules_that_beat_too_often_the_first_is_told(tmp_path: Path) -> None:
    """Each for a node of its own, all at one time point."""
    text = "\n".join(
        f'event E{beat}({node}) = periodic[ins({node}), "{beat} ms", del({node})]'
        for node, beat in (("item/quantity", 7), ("item/price", 3), ("item/comment", 5))
    )
    rules = parse_rules(text)
    records = [("quantity", 2, "09:00"), ("comment", 3, "09:00"), ("price", 4, "09:00"), ("date", 0, "10:00")]
    for rotated in range(3):
        log = order(*records[rotated:3], *records[:rotated], records[3])
        file = write_log(tmp_path / f"{rotated}.jsonl", log)
        with pytest.raises(ReplayError, match="event E3: "):
            audit(file, rules, engine="local")
    with pytest.raises(ReplayError, match="event E3: "):
        simulated([file], rules)


def test_with_spark(tmp_path: Path, spark: SparkSession) -> None:
    """The same bytes of both engines: files, documents, one of which has to be sorted, clock records; and errors."""
    rules = parse_rules(
        'event Quiet(item) = plus[ins(item/price), "5 min"]\n'
        'event Late(item) = (ins(item/price) ; not ins(item/quantity)) {within="3 min"}\n'
        "event Both(item) = Quiet(item) & Late(item)\n"
    )
    logs = tmp_path / "logs"
    logs.mkdir()
    for doc in "abc":
        records: Log = []
        for ts in range(1, 121):
            name = "quantity" if ts % 7 == 0 else "date" if ts % 3 else "price"
            path = PathType.parse("/order/date" if name == "date" else f"/order/item/{name}")
            ids = (1, 1000 + ts) if name == "date" else (1, 10 + ts % 5, 1000 + ts)
            clock = f"{9 + ts // 60:02}:{ts % 60:02}"
            records.append(PrimitiveEvent(ts, "ins", path, ids, at=at(clock), doc=doc))
            if ts % 31 == 0:
                records.append(ClockRecord(doc, ts, at(f"{9 + ts // 60:02}:{min(ts % 60 + 4, 59):02}")))
        if doc == "b":
            records[3], records[40] = records[40], records[3]
        write_log(logs / f"{doc}1.jsonl", records[:70])
        write_log(logs / f"{doc}2.jsonl", records[70:])
    found = []
    for options in ({"engine": "local"}, {"engine": "spark", "spark": spark, "partitions": 2}):
        out = tmp_path / f"{options['engine']}.jsonl"
        audit(logs, rules, out=out, until=at("12:00"), **options)  # type: ignore[arg-type]
        found.append(out.read_bytes())
    assert found[0] == found[1]
    assert found[0].count(b'"name":"Both"') > 10
    beats = parse_rules('event Beat(item) = periodic[ins(item/price), "5 ms", ins(item/quantity)]')
    said = []
    for options in ({"engine": "local"}, {"engine": "spark", "spark": spark, "partitions": 2}):
        with pytest.raises(ReplayError) as raised:
            audit(logs, beats, out=tmp_path / "f.jsonl", **options)  # type: ignore[arg-type]
        said.append(str(raised.value))
    assert said[0] == said[1]
