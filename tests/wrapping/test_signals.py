"""Events of the application's own: recorded, taken as external events live, after recovery and in audits (L7)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xmlcep
from xmlcep.wrapping.errors import WrapError

RULES = xmlcep.parse_rules("""
event Approved(item) = external
event Closed(order) = external
event Ready(item) = Approved(item) & ins(item/price)
event Late(item) = Approved(item) ; *(item/price/text())
event All(order) {end=custom} = x[1,*] Approved(item)
event Unapproved(item) = ins(item/price) ; not Approved(item) ; *(item/price/text())
event Dear(item) = Approved(item)[$meta:amount > 10] as $amount = ($meta:amount)
event Last(order) {context=recent} = Approved(item) ; Closed(order)
""")


def item(doc: xmlcep.Document, number: int) -> Any:
    while len(doc.root) <= number:
        doc.root.append(doc.root.makeelement("item"))
    return doc.root[number]


def price(doc: xmlcep.Document, number: int) -> None:
    node = item(doc, number)
    if len(node):
        node[0].text = str(int(node[0].text or "0") + 1)
    else:
        node.append(node.makeelement("price"))


STEP = st.tuples(st.sampled_from(["approve", "approve", "price", "price", "close"]), st.integers(0, 2))
STEPS = st.lists(
    st.tuples(st.sampled_from(["alone", "together", "undone", "at once"]), st.lists(STEP, min_size=1, max_size=4)),
    max_size=8,
)  # fmt: skip


def take(doc: xmlcep.Document, steps: list[tuple[str, int]]) -> None:
    for kind, number in steps:
        if kind == "approve":
            doc.signal("Approved", item(doc, number), by="ann", amount=number)
        elif kind == "close":
            doc.signal("Closed")
        else:
            price(doc, number)


@given(STEPS)
def test_live_an_audit_and_a_recovery_find_the_same(blocks: list[tuple[str, list[tuple[str, int]]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log, found = Path(folder) / "log.jsonl", Path(folder) / "found.jsonl"
        doc = xmlcep.fromstring("<order/>", name="order")
        recording = xmlcep.record(doc, log)
        live: list[Any] = []
        with doc.watch(RULES, on_event=live.append) as watch:
            item(doc, 0)
            for kind, steps in blocks:
                if kind == "alone":
                    take(doc, steps)
                elif kind == "undone":
                    with pytest.raises(ZeroDivisionError), doc.transaction():
                        take(doc, steps)
                        raise ZeroDivisionError
                else:
                    with doc.transaction(immediate=kind == "at once", reason="r"):
                        take(doc, steps)
            live += [event for event in watch.close() if event not in live]
        recording.close()
        expected = [event.to_record() for event in live]
        result = xmlcep.audit(log, RULES, engine="local", out=found)
        key = repr
        assert sorted(result.records(), key=key) == sorted(expected, key=key)
        assert result.summary.quarantined == 0


def test_what_it_says_is_in_the_finding(tmp_path: Path) -> None:
    doc = xmlcep.fromstring("<order><item/></order>", name="o")
    recording = xmlcep.record(doc, tmp_path / "log.jsonl")
    price(doc, 0)
    with xmlcep.acting_as(user="ann"):
        event = doc.signal("Approved", doc.root[0], amount=12, note=None)
    recording.close()
    assert event.cause.meta == {"user": "ann", "amount": "12"}
    (found,) = [
        each for each in xmlcep.audit(tmp_path / "log.jsonl", RULES).records() if each["name"] == "Approved"
    ]
    assert (found["meta"], found["path"]) == (event.cause.meta, "/order/item")


def test_rules_that_act_are_triggered() -> None:
    rules = xmlcep.parse_rules("""
event Approved(item) = external
rule Mark on Approved(item) do set "@approved" = "'yes'"
""")
    doc = xmlcep.fromstring("<order><item/></order>")
    price(doc, 0)
    with doc.rules(rules):
        doc.signal("Approved", doc.root[0])
        assert doc.root[0].get("approved") == "yes"
        del doc.root[0].attrib["approved"]
        with doc.transaction():
            doc.signal("Approved", doc.root[0])
        assert doc.root[0].get("approved") == "yes"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("Aproved",), "no open rule declares 'Aproved' as external: did you mean Approved?"),
        (("Approved",), "Approved is declared for item, and was raised at /order"),
        (("not a name",), "'not a name' is not a name of an event"),
        (("Approved", "item"), "'item' is not in this document"),
    ],
)
def test_what_cannot_be_raised(given: tuple[Any, ...], said: str) -> None:
    doc = xmlcep.fromstring("<order><item/></order>")
    price(doc, 0)
    with doc.watch(RULES), pytest.raises(WrapError, match=said.replace("?", r"\?")):
        doc.signal(*given)


def test_where_it_cannot_be_raised() -> None:
    doc = xmlcep.fromstring("<order><item/></order>")
    with pytest.raises(WrapError, match="there has been none yet"):
        doc.signal("Closed")
    price(doc, 0)
    with doc.one_edit(), pytest.raises(WrapError, match="inside a block that is one edit"):
        doc.signal("Closed")
