"""External events in a log (L7): both engines replay them at the record before them, and find the same."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from lxml import etree

import xmlcep
from path_types import PathType
from tests.auditing.logs import write_log
from tests.auditing.test_agreement import described
from tests.auditing.test_partitioning import both_ways
from xmlcep.auditing import audit
from xmlcep.auditing.plan.partition_key import make_plan
from xmlcep.errors import RecordError
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import RAISED, ClockRecord, Control, raised_event
from xmlcep.rules import parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DECLARED = """
event Seen(item) = external
event Closed(order) = external
event Plain(item) = ins(item/price) & ins(item/quantity)
"""
RULES = {
    "alone": "",
    "repeated": "event A(order) = x[2,2] Seen(item)",
    "in order": "event A(item) = Seen(item) ; upd(item/price/text())\nevent B(item) = *(item/price) ; Seen(item)",
    "deferred": "event A(order) {end=custom} = x[1,*] Seen(item)\nevent B(order) {end=non-local} = x[1,*] Seen(item)",
    "negated": "event A(item) = ins(item) ; not Seen(item) ; *(item/price)",
    "of another key": "event A(order) = Plain(item) ; Closed(order)\nevent B(order) = Seen(item) & Plain(item)",
    "used again": "event A(item) = Seen(item) & ins(item/price)\nevent B(order) {end=custom} = x[2,*] A(item)",
    "asking": 'event A(item) {when="price"} = Seen(item) & ins(item)',
    "measuring": 'event A(order) {within="10 s"} = x[2,2] Seen(item)\nevent B = plus[Seen(item), "5 s"]',
    "flat": "event A(order) {flat, context=continuous} = Seen(item) ; *(item/price)",
    "at detection": "event A(order) {order=detection, end=custom} = Seen(item) ; *(item/price)",
}


@st.composite
def logs(draw: st.DrawFn, doc: str, *, odd: bool) -> list[bytes]:
    """The log of a document with items whose prices change, and external events, often several at a record.

    ``odd``: some of what stands in it is wrong.
    """
    lines: list[bytes] = []
    ids: list[list[int]] = []  # of each item its own, and those of its price and quantity
    ts = txn = 0
    open_txn: int | None = None

    def put(op: str, path: str, nodes: list[int], **more: object) -> None:
        at = f"2026-01-01T00:00:{ts % 60:02}Z"
        lines.append(
            FASTEST.dumps(
                {"doc": doc, "ts": ts, "op": op, "path": path, "ids": nodes, "value": None, "old": None, "pos": None,
                 "at": at, "txn": open_txn, "meta": None, **more}
            )
        )  # fmt: skip

    for _ in range(draw(st.integers(3, 14))):
        if draw(st.integers(0, 2)) == 0:
            txn += 1
            open_txn = draw(st.sampled_from((None, txn)))
        ts += draw(st.sampled_from((1, 1, 1, 2)))
        item = draw(st.integers(0, 2))
        what = draw(st.sampled_from(("price", "price", "quantity", "upd")))
        if ts <= 2:
            put("ins", "/order", [1], pos=0)
        elif item >= len(ids):
            ids.append([100 * ts])
            put("ins", "/order/item", [1, ids[-1][0]], pos=0)
        elif what == "upd":
            put(
                "upd",
                "/order/item/price/text()",
                [1, ids[item][0], ids[item][0] + 1, ids[item][0] + 2],
                value="2",
            )
        else:
            put("ins", f"/order/item/{what}", [1, ids[item][0], 100 * ts + 3], pos=0)
        for kind in draw(st.lists(st.sampled_from(("Seen", "Seen", "Closed", "Other", "clock")), max_size=3)):
            stated = ts + draw(st.sampled_from((0,) * 12 + (1, -1))) if odd else ts
            if kind == "clock":
                second = draw(st.integers(0, 59))
                clock = ClockRecord(doc, stated, f"2026-01-01T00:0{len(lines) % 10}:{second:02}Z")
                lines.append(FASTEST.dumps(clock.to_record()))
                continue
            nodes = [1, ids[item][0]] if kind == "Seen" and item < len(ids) else [1]
            path = "/order/item" if len(nodes) > 1 else "/order"
            content: dict[str, object] = {
                "doc": doc, "ts": stated, "at": None, "name": kind, "path": path,
                "ids": nodes, "txn": draw(st.sampled_from((open_txn, open_txn, None, 99))), "meta": {"rule": "R"},
            }  # fmt: skip
            if odd:
                wrong: dict[str, object] = draw(
                    st.sampled_from(({},) * 12 + ({"ids": [1, "x"]}, {"ts": None}))
                )
                content |= wrong
            lines.append(FASTEST.dumps(Control("raised", content).to_record()))
    if odd:
        for place in draw(st.lists(st.integers(0, len(lines) - 1), max_size=2)):
            lines.append(lines.pop(place))
    return lines


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(list(RULES)), st.data())
def test_both_engines_find_the_same(name: str, data: st.DataObject) -> None:
    rules = parse_rules(DECLARED + RULES[name])
    odd = data.draw(st.booleans())
    parts = [data.draw(logs(doc, odd=odd)) for doc in data.draw(st.sampled_from((("a",), ("a", "b"))))]
    items: list[bytes] = []
    while parts:
        part = data.draw(st.sampled_from(parts))
        items += part[:3]
        del part[:3]
        parts = [part for part in parts if part]
    with tempfile.TemporaryDirectory() as folder:
        path = write_log(Path(folder) / "log.jsonl", items)
        local, distributed = both_ways(
            [path], rules, split_bytes=data.draw(st.sampled_from((200, 900, 10**6))),
            batch=data.draw(st.sampled_from((1, 5, 1000))), operators=data.draw(st.booleans()),
            partitions=data.draw(st.sampled_from((1, 3, 50))), rest=data.draw(st.booleans()),
        )  # fmt: skip
    found = [FASTEST.loads(line)["name"] for line in local[0]]
    event(f"external: {'Seen' in found}, made of it: {bool({'A', 'B'} & {*found})}, bad: {bool(local[1])}")
    assert distributed == local


def test_what_is_raised_beside_a_finding_takes_its_place_where_documents_rest(tmp_path: Path) -> None:
    """Nothing waits in the document when its last record has been read; the external event of that comes first (G2)."""
    made = [
        ("/order", (1,)),
        ("/order/item", (1, 2)),
        ("/order/item/price", (1, 2, 3)),
        ("/order/item/quantity", (1, 2, 4)),
    ]
    records: list[Any] = [
        PrimitiveEvent(ts, "ins", PathType.parse(path), ids, doc="a")
        for ts, (path, ids) in enumerate(made, start=1)
    ]
    raised = (
        b'{"xmlcep":1,"control":"raised","doc":"a","ts":4,"name":"Seen","path":"/order/item","ids":[1,2]}'
    )
    log = write_log(tmp_path / "log.jsonl", [*records, raised])
    rules = parse_rules(DECLARED)
    for rest in (False, True):
        local, distributed = both_ways([log], rules, split_bytes=10**6, batch=1, operators=False, rest=rest)
        assert [FASTEST.loads(line)["name"] for line in local[0]] == ["Seen", "Plain"]
        assert local == distributed


def test_spark_finds_what_was_found_live(spark: SparkSession, tmp_path: Path) -> None:
    """Of a log in which rules have raised events, in transactions and outside."""
    text = (
        DECLARED
        + RULES["deferred"]
        + RULES["used again"]
        .replace("event A", "\nevent C")
        .replace("event B", "event D")
        .replace("A(item)", "C(item)")
    )
    rules = parse_rules(text)
    doc = xmlcep.fromstring("<order/>", name="order")
    log = tmp_path / "log.jsonl"
    live: list[tuple[str, int, tuple[int, ...]]] = []
    acting = """
rule See on (ins(item/price)) {path=item} do raise Seen
rule Close on (ins(note)) do raise Closed("..")
"""
    with (
        xmlcep.record(doc, log),
        doc.watch(rules, on_event=lambda found: live.append((found.name, found.ts, found.ids))),
        doc.rules(parse_rules(DECLARED + acting)),
    ):
        for number in range(12):
            item = etree.SubElement(doc.root, "item")
            etree.SubElement(item, "price")
            if number % 3 == 0:
                with doc.transaction(user="ann"):
                    etree.SubElement(doc.root[0], "price")
                    etree.SubElement(doc.root, "note")
    local = audit(log, rules, out=tmp_path / "local.out", engine="local")
    distributed = audit(log, rules, out=tmp_path / "spark.out", engine="spark", spark=spark, partitions=7)
    assert described(distributed) == described(local)
    found = [(each["name"], each["ts"], tuple(each["ids"])) for each in map(FASTEST.loads, local.lines())]
    assert sorted(found) == sorted(live)
    assert {"Seen", "Closed", "A", "B", "C", "D"} <= {name for name, _, _ in found}


def test_trees_that_take_external_events_see_the_document() -> None:
    plan = make_plan(parse_rules(DECLARED + RULES["of another key"]))
    of = {tree.name: each for each in plan.passes for tree in each.trees}
    assert not of["Plain"].by_document
    assert of["Seen"] is of["B"] and of["Closed"] is of["A"]
    assert of["A"].by_document and of["B"].by_document
    assert any("is raised by an action rule between the records" in reason for reason in of["A"].reasons)


def test_an_event_that_stands_elsewhere_is_put_aside(tmp_path: Path) -> None:
    record = b'{"doc":"d","ts":%d,"op":"ins","path":"/order","ids":[1],"value":null,"old":null,"pos":0}'
    raised = b'{"xmlcep":1,"control":"raised","doc":"d","ts":%d,"name":"Closed","path":"/order","ids":[1]}'
    lines = [
        raised % 1,  # its record is in no log
        record % 1, raised % 1, raised % 2, record % 3, raised % 3,
        raised.replace(b'"ids":[1]', b'"ids":[1,2]') % 3,
        raised.replace(b"Closed", b"Unknown") % 9,  # not of these rules
    ]  # fmt: skip
    log = write_log(tmp_path / "log.jsonl", lines)
    result = audit(log, parse_rules(DECLARED), out=tmp_path / "out.jsonl")
    assert [FASTEST.loads(line)["ts"] for line in result.lines()] == [1, 3]
    assert result.quarantine is not None
    bad = [FASTEST.loads(line) for line in result.quarantine.read_bytes().splitlines()]
    assert [each["record"] for each in bad] == [4, 7]
    assert "Closed was raised at ts 2 of document 'd': expected it after the record of that ts (L7)" in str(
        bad[0]
    )
    assert "ids of a raised event is [1, 2]" in str(bad[1])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ts", True), ("ts", -1), ("ts", 2**63), ("name", 3), ("ids", "12"), ("ids", [1]), ("ids", [1, -2]),
        ("doc", None), ("doc", 3), ("at", 5), ("txn", -1), ("txn", "1"), ("meta", ["user"]), ("meta", {"user": 1}),
    ],
)  # fmt: skip
def test_what_is_wrong_with_one_is_told_by_its_field(field: str, value: object) -> None:
    content = {
        "doc": "d",
        "ts": 1,
        "name": "Seen",
        "path": "/order/item",
        "ids": [1, 2],
        "txn": None,
        "meta": None,
    }
    assert raised_event(Control(RAISED, content)).name == "Seen"
    with pytest.raises(
        RecordError, match=rf"{field} of a raised event is {re.escape(repr(value))}: expected "
    ):
        raised_event(Control(RAISED, {**content, field: value}))


@pytest.mark.parametrize("behind", [[], [4]])
@pytest.mark.parametrize("txn", [7, None])
def test_an_event_comes_before_the_end_of_the_transaction_it_is_in(
    tmp_path: Path, txn: int | None, behind: list[int]
) -> None:
    """Which releases what it completes (D3), be the end of the log that of the transaction, too."""
    rules = "event Seen(item) = external\nevent Both(item) {end=custom} = ins(item/price) & Seen(item)"
    lines = [
        FASTEST.dumps(
            {"doc": "d", "ts": ts, "op": "ins", "path": path, "ids": ids, "txn": None if ts == 4 else txn}
        )
        for ts, path, ids in (
            (1, "/order/item", [1, 2]), (2, "/order/item/price", [1, 2, 3]), (4, "/order/item", [1, 5])
        )
        if ts != 4 or behind
    ]  # fmt: skip
    raised = {
        "xmlcep": 1,
        "control": "raised",
        "doc": "d",
        "ts": 2,
        "name": "Seen",
        "path": "/order/item",
        "ids": [1, 2],
    }
    lines.insert(2, FASTEST.dumps(raised | {"txn": txn, "meta": None}))
    log = write_log(tmp_path / "log.jsonl", lines)
    local, distributed = both_ways([log], parse_rules(rules), split_bytes=10**6, batch=1000, operators=False)
    assert distributed == local
    found = [FASTEST.loads(line) for line in local[0]]
    assert [(each["name"], each["ts"]) for each in found] == [
        ("Seen", 2),
        ("Both", 2 if txn else max(2, *behind, 0)),
    ]


@pytest.mark.parametrize("split_bytes", [90, 200, 10**6])
def test_an_event_that_is_delivered_twice_counts_once(tmp_path: Path, split_bytes: int) -> None:
    """Of equal ones that a rule has raised all but the first say so, so what says nothing was delivered before."""
    record = b'{"doc":"d","ts":%d,"op":"ins","path":"/order","ids":[1],"value":null,"old":null,"pos":0}'
    raised = b'{"xmlcep":1,"control":"raised","doc":"d","ts":1,"name":"Closed","path":"/order","ids":[1]}'
    other = raised.replace(b"}", b',"nth":2}')
    log = write_log(tmp_path / "log.jsonl", [record % 1, raised, other, raised, other, raised, record % 2])
    local, distributed = both_ways(
        [log], parse_rules(DECLARED), split_bytes=split_bytes, batch=1000, operators=False
    )
    assert distributed == local
    assert len(local[0]) == 2
    result = audit(log, parse_rules(DECLARED), out=tmp_path / "out.jsonl")
    assert result.quarantine is not None
    bad = [FASTEST.loads(line) for line in result.quarantine.read_bytes().splitlines()]
    assert [each["record"] for each in bad] == [4, 5, 6]
    assert "Closed was raised at ts 1 of document 'd' by the same record before" in bad[0]["reason"]


def test_clock_records_and_external_events_at_one_record_keep_their_order(tmp_path: Path) -> None:
    record = b'{"doc":"d","ts":%d,"op":"ins","path":"%s","ids":%s,"value":null,"old":null,"pos":0,"at":"%s"}'
    clock = b'{"doc":"d","ts":2,"at":"2026-01-01T00:00:%02dZ","clock":true}'
    raised = (
        b'{"xmlcep":1,"control":"raised","doc":"d","ts":2,"name":"Seen","path":"/order/item","ids":[1,2]}'
    )
    lines = [
        record % (1, b"/order", b"[1]", b"2026-01-01T00:00:00Z"),
        record % (2, b"/order/item", b"[1,2]", b"2026-01-01T00:00:00Z"),
        clock % 10, raised, clock % 14, raised.replace(b"}", b',"nth":2}'), clock % 16, clock % 30,
    ]  # fmt: skip
    path = write_log(tmp_path / "log.jsonl", lines)
    rules = parse_rules(DECLARED + 'event B = plus[Seen(item), "5 s"]')
    for split_bytes in (100, 250, 10**6):
        local, distributed = both_ways([path], rules, split_bytes=split_bytes, batch=1000, operators=False)
        assert distributed == local
        found = [FASTEST.loads(line) for line in local[0]]
        assert [(each["name"], each["at"]) for each in found if each["name"] == "B"] == [
            ("B", "2026-01-01T00:00:15Z"), ("B", "2026-01-01T00:00:19Z"),
        ]  # fmt: skip


def test_external_events_at_one_record_keep_their_order_where_a_log_is_divided(tmp_path: Path) -> None:
    record = b'{"doc":"d","ts":%d,"op":"ins","path":"%s","ids":%s,"value":null,"old":null,"pos":0,"txn":1}'
    raised = (
        b'{"xmlcep":1,"control":"raised","doc":"d","ts":2,"name":"Seen","path":"/order/item","ids":[1,2],"txn":1,'
        b'"meta":{"n":"%d"}}'
    )
    lines = [record % (1, b"/order", b"[1]"), record % (2, b"/order/item", b"[1,2]")]
    lines += [raised % number for number in range(6)]
    lines.append(record % (3, b"/order/item", b"[1,3]"))
    path = write_log(tmp_path / "log.jsonl", lines)
    rules = parse_rules(DECLARED + RULES["deferred"])
    for split_bytes in range(100, 900, 70):
        local, distributed = both_ways([path], rules, split_bytes=split_bytes, batch=1000, operators=False)
        assert distributed == local
        found = [FASTEST.loads(line) for line in local[0]]
        assert [each["meta"]["n"] for each in found if each["name"] == "Seen"] == list("012345")
