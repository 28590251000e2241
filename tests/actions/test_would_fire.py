"""What rules would have done, asked of the log of what they did, is what they did (rules L4 and L11)."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from xmlcep.auditing.acting import would_fire

UNPAID = 'event Unpaid(order) {within="3 s"} = ins(order/item) ; not ins(order/payment)\n'
INCOMPLETE = """
event CompleteItem(item) = ins(item/price) & ins(item/qty)
event IncompleteItem(item) {order=detection, end=END} = ins(item) ; not (CompleteItem(item) | del(item))
rule Flag on IncompleteItem(item) if 'not(@status)' do set '@status' = "'incomplete'"
rule Unflag on CompleteItem(item) if '@status' do delete '@status'
"""
SEEN = """
event Seen(item) = external
event Two(order) = x[2,2] Seen(item)
rule See on (ins(item)) do raise Seen
rule Count on Two(order) do set '@two' = 'count(item)'
rule Mark on Seen if 'not(@seen)' do set '@seen' = '1'
"""


class Life:
    """Edits of a document, by a clock that stands still between them."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.doc = xmlcep.fromstring("<order/>", name="order", now=lambda: self.seconds)

    def add(self, name: str = "item", to: int | None = None, **attributes: str) -> None:
        parent = self.doc.root if to is None else self.doc.root[to]
        parent.append(etree.Element(name, **attributes))

    def together(self, *names: str, undone: bool = False) -> None:
        """Elements in one transaction."""
        with suppress(ZeroDivisionError), self.doc.transaction():
            for name in names:
                self.add(name)
            if undone:
                raise ZeroDivisionError

    def wait(self, seconds: float) -> None:
        self.seconds += seconds
        self.doc.advance(datetime.fromtimestamp(self.seconds, UTC))


def items(life: Life) -> None:
    life.add()
    life.together("item", "item")
    life.together("item", undone=True)
    life.add()
    life.together("item", "price")


def completed(life: Life) -> None:
    life.together("item")
    life.add("price", to=0)
    life.add("qty", to=0)
    life.together("item", "item")
    with life.doc.transaction():
        life.doc.root.remove(life.doc.root[1])
    life.add("note")


def payments(life: Life) -> None:
    life.together("item")
    life.wait(10)
    life.together("item", "payment")
    life.wait(10)


@pytest.mark.parametrize(
    ("text", "edits", "rules"),
    [
        ("rule R on (ins(item)) do set '@a' = '1'", items, {"R"}),
        ("rule R on (ins(item)) {coupling=commit} do set '@a' = 'count(../item)'", items, {"R"}),
        (
            "rule R on (ins(item)) {coupling=commit} do set '@a' = '1'\n"
            "rule S on (ins(item/@a)) {coupling=commit} do set '../@b' = '1'",
            items,
            {"R", "S"},
        ),
        ("event A(order) {end=custom} = x[2,*] ins(order/item)\nrule R on A do set '@n' = '1'", items, {"R"}),
        ("event A(order) {end=custom} = x[2,*] ins(order/item)\nevent B = A(order)\n"
         "rule R on B {coupling=commit} do set '@n' = '1'", items, {"R"}),
        ("rule R on (*(item/@n)) {mode=set} do set '/order/@n' = 'count(//@n)'\n"
         "rule N on (ins(item)) do set '@n' = '1'", items, {"R", "N"}),
        (INCOMPLETE.replace("END", "custom"), completed, {"Flag", "Unflag"}),
        (INCOMPLETE.replace("END", "non-local"), completed, {"Flag", "Unflag"}),
        (UNPAID + "rule R on Unpaid do set '@late' = 'count(item)'", payments, {"R"}),
        (UNPAID + "rule R on Unpaid {coupling=commit} do set '@late' = 'count(item)'", payments, {"R"}),
        (SEEN, items, {"See", "Count", "Mark"}),
    ],
)  # fmt: skip
def test_what_would_have_fired_is_what_fired(
    text: str, edits: Callable[[Life], None], rules: set[str], tmp_path: Path
) -> None:
    life, log = Life(), tmp_path / "log.jsonl"
    fired: list[tuple[str, int]] = []
    with (
        xmlcep.record(life.doc, log),
        life.doc.rules(
            xmlcep.parse_rules(text), on_fire=lambda record: fired.append((record.rule, record.ts))
        ),
    ):
        edits(life)
    life.doc._check()
    assert {rule for rule, _ in fired} == rules
    assert [(each.rule, each.ts) for each in would_fire([log], xmlcep.parse_rules(text))] == fired
    assert etree.tostring(xmlcep.rebuild(log)) == etree.tostring(life.doc.root)


def test_an_edit_that_the_log_has_half_of_ends_with_it(tmp_path: Path) -> None:
    """Or with its transaction, or where the clock is shown."""
    rules = xmlcep.parse_rules("rule Mark on (ins(order/item)) do set '@seen' = '1'")
    header = {"xmlcep": 1, "doc": "d", "snapshot": "<order/>", "ids": [1], "ts": 0}
    half = {"doc": "d", "ts": 1, "op": "ins", "path": "/order/item", "ids": [1, 2], "pos": 0, "more": True}
    shown = {"doc": "d", "ts": 1, "clock": True, "at": "2026-01-01T00:00:00Z"}
    other = half | {"ts": 2, "ids": [1, 3], "txn": 5}
    for txn, behind, expected in ((None, [], [1]), (None, [shown], [1]), (4, [], [1]), (4, [other], [1, 2])):
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(each) + "\n" for each in (header, half | {"txn": txn}, *behind)))
        assert [each.ts for each in would_fire([log], rules)] == expected
