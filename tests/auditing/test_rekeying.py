"""Trees that take what others raise under other keys: their composites are forwarded, and the findings are the same."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.auditing.logs import documents, interleaved, write_log
from tests.auditing.test_partitioning import both_ways, found_in_parts, found_locally
from tests.strategies import reusing_rule_sets
from xmlcep.auditing.plan.partition_key import make_plan
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST, STANDARD, JsonCodec
from xmlcep.rules import Rules, parse_rules


@settings(max_examples=25)
@given(
    reusing_rule_sets(),
    documents(busy=True, min_actions=4, max_documents=2).flatmap(interleaved),
    st.sampled_from((200, 900, 10**6)),
    st.sampled_from((1, 4, 1000)),
    st.sampled_from((1, 3, 50)),
    st.booleans(),
)
def test_levels_find_what_the_whole_finds(
    definitions, log, split_bytes: int, batch: int, partitions: int, operators: bool
) -> None:
    if not log:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = write_log(Path(folder) / "log.jsonl", log)
        local, distributed = both_ways(
            [path], Rules.from_definitions(definitions), split_bytes=split_bytes, batch=batch,
            operators=operators, partitions=partitions, large=0,
        )  # fmt: skip
    assert distributed == local


def test_a_good_share_of_such_rules_has_several_levels() -> None:
    levels: Counter[int] = Counter()

    @seed(1)
    @settings(
        max_examples=100, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck)
    )
    @given(reusing_rule_sets())
    def draw(definitions) -> None:
        plan = make_plan(Rules.from_definitions(definitions))
        levels[max(each.level for each in plan.passes)] += 1

    draw()
    assert levels[1] + levels[2] > 30 and levels[2] >= 1


# ---- plans ---------------------------------------------------------------------------------------------------


def plan_of(text: str) -> list[tuple[int, str, str]]:
    """Level, names of the trees and keys of each pass."""
    return [
        (each.level, " ".join(sorted(each.names)), " ".join(map(str, each.keys)))
        for each in make_plan(parse_rules(text)).passes
    ]


COMPLETE = "event Complete = ins(item) ; ins(item/price)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (COMPLETE + "event Two(order) = x[2,2] Complete(item)", [(0, "Complete", "item"), (1, "Two", "order")]),
        # With the same key they are together.
        (COMPLETE + "event Two(item) = x[2,2] Complete(item)", [(0, "Complete Two", "item")]),
        # A flush, or a record elsewhere, is seen in the document as a whole; so is what is raised then.
        (
            COMPLETE.replace("Complete", "Complete {end=custom}") + "event Two(order) = x[2,2] Complete(item)",
            [(0, "Complete Two", "")],
        ),
        (
            COMPLETE.replace("Complete", "Complete {end=non-local}") + "event Two(order) = x[2,2] Complete(item)",
            [(0, "Complete Two", "")],
        ),
        (
            COMPLETE.replace("Complete", "Complete {end=custom}")
            + "event Again(item) = Complete(item) | ins(item)\nevent Two(order) = x[2,2] Again(item)",
            [(0, "Again Complete Two", "")],
        ),
        # What is taken stays divided; the taker finds it anew.
        (
            COMPLETE + "event Two(order) {end=custom} = x[2,2] Complete(item)",
            [(0, "Complete", "item"), (0, "Two", "")],
        ),
        (
            COMPLETE
            + "event Two(order) = x[2,2] Complete(item)\nevent All(/order) {flat} = Two(order) ; ins(order/date)",
            [(0, "Complete", "item"), (1, "Two", "order"), (0, "All", "")],
        ),
    ],
)  # fmt: skip
def test_levels(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert plan_of(text) == expected


Edits = list[list[tuple[str, tuple[int, ...]]]]
IN_EDITS: dict[str, tuple[str, Edits]] = {
    "it waits for the end": (
        'event A(item) {when="price"} = ins(item/price)',
        [
            [("/order", (1,))],
            [("/order/item", (1, 2)), ("/order/item/price", (1, 2, 3)), ("/order/@ready", (1, 4))],
            [("/order/item", (1, 5)), ("/order/item/price", (1, 5, 6)), ("/order/item/x", (1, 5, 7))],
            [("/order/item", (1, 8)), ("/order/item/price", (1, 8, 9)), ("/order/item/x", (1, 8, 10))],
        ],
    ),
    "something else of its pass does": (
        'event A(item) = ins(item/price)\nevent C(item) {when="price"} = ins(item/x)',
        [
            [("/order", (1,))],
            [("/order/item", (1, 2))],
            [("/order/item/price", (1, 2, 3)), ("/order/item/price", (1, 2, 4)), ("/order/@ready", (1, 5))],
            [("/order/item/x", (1, 2, 6))],
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "edits"), IN_EDITS.values(), ids=IN_EDITS)
@pytest.mark.parametrize("batch", [1, 2, 3, 1000])
def test_what_an_edit_raises_is_forwarded_as_of_that_edit(
    tmp_path: Path, rules: str, edits: Edits, batch: int
) -> None:
    """Who takes it asks the document after the edit (U2), in which the attribute comes last; edits span segments."""
    rules += '\nevent B(order) {when="@ready"} = x[1,*] A(item)'
    records = [(path, ids, n + 1 < len(edit)) for edit in edits for n, (path, ids) in enumerate(edit)]
    log = [
        PrimitiveEvent(
            ts, "ins", PathType.parse(path), ids, doc="d", more=more, at="2026-01-01T00:00:00Z",
            value="1" if "@" in path else None, pos=None if "@" in path else 0,
        )
        for ts, (path, ids, more) in enumerate(records, start=1)
    ]  # fmt: skip
    local, distributed = both_ways(
        [write_log(tmp_path / "log.jsonl", log)], parse_rules(rules), split_bytes=10**6,
        batch=batch, operators=False, large=0,
    )  # fmt: skip
    assert distributed == local
    assert any(b'"name":"B"' in line for line in local[0])


# ---- examples ------------------------------------------------------------------------------------------------


class Log:
    """Writes the log of one document."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.txn: int | None = None

    def add(self, op: str, path: str, *ids: int, value: str | None = None) -> None:
        ts = len(self.records) + 1
        self.records.append(
            {"doc": "d", "ts": ts, "op": op, "path": path, "ids": list(ids), "value": value, "old": None, "pos": 0,
             "at": f"at {ts}", "txn": self.txn, "meta": None}
        )  # fmt: skip

    def item(self, number: int) -> None:
        """An item with a price."""
        self.add("ins", "/order/item", 1, number)
        self.add("ins", "/order/item/price", 1, number, 1000 + number)

    def found(self, folder: Path, rules: str, partitions: int = 7) -> list[tuple[str, int, int]]:
        """Name, time point and number of constituents of what is found, which must not depend on the way."""
        log = folder / "log.jsonl"
        log.write_bytes(b"".join(FASTEST.dumps(record) + b"\n" for record in self.records))
        parsed = parse_rules(rules)
        local = found_locally([log], parsed, operators=False)
        for batch, count in ((1, 50), (5, 1), (1000, partitions)):
            distributed = found_in_parts(
                [log], parsed, split_bytes=2000, batch=batch, operators=False, partitions=count, large=0
            )
            assert distributed == local
        records = map(FASTEST.loads, local[0])
        return [(each["name"], each["ts"], len(each["constituents"])) for each in records]


@pytest.fixture
def order() -> Log:
    """An order of its own."""
    log = Log()
    log.add("ins", "/order", 1)
    return log


def test_an_order_collects_its_items(order: Log, tmp_path: Path) -> None:
    for number in range(2, 52):
        order.item(number)
    found = order.found(tmp_path, COMPLETE + "event Ten(order) = x[10,10] Complete(item)")
    assert [each for each in found if each[0] == "Ten"] == [("Ten", ts, 10) for ts in (21, 41, 61, 81, 101)]
    assert len(found) == 55


def test_a_chain_of_three_levels(order: Log, tmp_path: Path) -> None:
    for number in range(2, 8):
        order.item(number)
    order.add("ins", "/order/date", 1, 9)
    rules = (
        COMPLETE
        + "event Three(order) = x[3,3] Complete(item)\n"
        + "event Dated(/order) {flat} = Three(order) ; ins(order/date)"
    )
    found = order.found(tmp_path, rules)
    assert [each for each in found if each[0] != "Complete"] == [
        ("Three", 7, 3),
        ("Three", 13, 3),
        ("Dated", 14, 2),
    ]


@pytest.mark.parametrize("codec", [FASTEST, STANDARD], ids=["fastest", "standard"])
@pytest.mark.parametrize("depth", [1, 4])
def test_what_is_forwarded_is_written_once(
    order: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: JsonCodec, depth: int
) -> None:
    """And put into findings as it is, whatever writes JSON."""
    monkeypatch.setattr("xmlcep.auditing.findings.encoding.FASTEST", codec)
    for number in (2, 3):
        order.item(number)
    rules = COMPLETE.replace("Complete", "E0") + "".join(
        f"event E{number} = E{number - 1}(item) | del(item/date)\n" for number in range(1, depth)
    )
    rules += f"event Two(order) = x[2,2] E{depth - 1}(item)\n"
    rules += "event Dated(/order) = Two(order) ; ins(/order/date)"
    order.add("ins", "/order/date", 1, 9)
    assert order.found(tmp_path, rules)[-1] == ("Dated", 6, 2)


def test_two_sources_at_one_time_point(order: Log, tmp_path: Path) -> None:
    """Both come with the record that raised them, and with it, in the order of G2."""
    order.item(2)
    order.item(3)
    rules = (
        COMPLETE
        + "event Priced(price) = ins(price)\n"
        + "event All(order) = x[6,6] (Complete(item) | Priced(price) | ins(item/price)){path=order}"
    )
    assert [each.level for each in make_plan(parse_rules(rules)).passes].count(0) == 2
    assert [each for each in order.found(tmp_path, rules) if each[0] == "All"] == [("All", 5, 6)]


@pytest.mark.parametrize("gone", ["item", "order"])
def test_what_is_deleted_is_forgotten(order: Log, tmp_path: Path, gone: str) -> None:
    """What the order has of an item stays when the item goes; it is gone with the order, whose group it is (G4)."""
    order.item(2)
    order.add("del", "/order/item/price", 1, 2, 1002)
    order.add("del", "/order/item", 1, 2)
    if gone == "order":
        order.add("del", "/order", 1)
        order.add("ins", "/order", 1)
    order.item(3)
    found = order.found(tmp_path, COMPLETE + "event Two(order) = x[2,2] Complete(item)")
    assert ("Two" in [name for name, *_ in found]) == (gone == "item")


def test_flushes_of_the_tree_that_takes(order: Log, tmp_path: Path) -> None:
    order.txn = 1
    order.item(2)
    order.txn = 2
    order.item(3)
    order.item(4)
    order.add("ins", "/order/date", 1, 9)
    order.txn = 3
    order.add("ins", "/order/date", 1, 10)
    order.add("ins", "/order/date", 1, 11)
    found = order.found(tmp_path, COMPLETE + "event Some(order) {end=custom} = x[1,*] Complete(item)")
    assert [each for each in found if each[0] == "Some"] == [("Some", 3, 1), ("Some", 8, 2)]


def test_a_condition_of_the_source_leaves_something_to_be_flushed(order: Log, tmp_path: Path) -> None:
    """The source raises at an update that neither tree takes; the tree that takes it ends with that transaction."""
    order.txn = 1
    order.item(2)
    order.add("ins", "/order/item/price/text()", 1, 2, 1002, 90, value="1")
    order.txn = 2
    order.add("upd", "/order/item/price/text()", 1, 2, 1002, 90, value="5")
    order.txn = 3
    order.add("ins", "/order/date", 1, 9)
    order.add("ins", "/order/date", 1, 10)
    rules = (
        "event Five {when=\"price = '5'\"} = ins(item) ; ins(item/price)\n"
        "event Some(order) {end=custom} = x[1,*] Five(item)"
    )
    assert order.found(tmp_path, rules) == [("Five", 5, 2), ("Some", 5, 1)]


def test_boundaries_of_the_tree_that_takes(order: Log, tmp_path: Path) -> None:
    order.item(2)
    order.item(3)
    order.add("ins", "/note", 7)
    order.add("ins", "/note", 8)
    found = order.found(tmp_path, COMPLETE + "event Quiet(order) {end=non-local} = x[1,*] Complete(item)")
    assert [each for each in found if each[0] == "Quiet"] == [("Quiet", 6, 2)]


def test_documents_out_of_order(order: Log, tmp_path: Path) -> None:
    for number in range(2, 12):
        order.item(number)
    order.records.sort(key=lambda record: record["ts"] * 7 % 11)
    order.records.insert(5, order.records[2])
    found = order.found(tmp_path, COMPLETE + "event Five(order) = x[5,5] Complete(item)")
    assert [each for each in found if each[0] == "Five"] == [("Five", 11, 5), ("Five", 21, 5)]
