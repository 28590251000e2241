"""Rules that act and the log: the same every time, whole or not at all, found again by an audit (rules L4 to L7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xmlcep
from xmlcep import audit, parse_rules, record, recover

RULES = """
event Reviewed(item) = external
event Priced(item) = ins(item) ; ins(item/price)
event Done(order) {end=custom} = x[2,*] Reviewed(item)
rule Number on (ins(order/item)) {priority=1} do set "@n" = "count(../item)"
rule Price on (ins(order/item/@n)) do insert "<price>{. * 10}</price>" last into ".."
rule Total on (*(order/item/price/text())) {coupling=commit} do set "/order/@total" = "sum(/order/item/price)"
rule Review on Priced(item) do raise Reviewed
rule Mark on Reviewed(item) do set "@reviewed" = "'yes'"
"""
EVENTS = RULES[: RULES.index("rule Number")]


def edits(doc: xmlcep.Document) -> None:
    """Some edits, inside and outside transactions."""
    etree.SubElement(doc.root, "item")
    with doc.transaction(user="ann"):
        etree.SubElement(doc.root, "item")
        doc.root[0].set("x", "1")
    with pytest.raises(ZeroDivisionError), doc.transaction():
        etree.SubElement(doc.root, "item")
        raise ZeroDivisionError
    doc.root[0][0].text = "7"
    with doc.transaction(immediate=True):
        etree.SubElement(doc.root, "item")
    doc.root.remove(doc.root[1])


def recorded(
    folder: Path, name: str = "log.jsonl", **options: Any
) -> tuple[Path, list[str], xmlcep.Document]:
    """The log of a document with rules, and what a watch found live."""
    times = iter(range(1_000, 100_000))
    doc = xmlcep.fromstring("<order/>", name="order", now=lambda: next(times))
    log = folder / name
    found: list[str] = []
    with (
        record(doc, log, **options),
        doc.watch(parse_rules(EVENTS), on_event=lambda e: found.append(f"{e.name} {e.ts} {e.ids}")),
        doc.rules(parse_rules(RULES)),
    ):
        edits(doc)
    return log, found, doc


def lines_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("seal", [False, True])
def test_the_same_rules_and_edits_make_the_same_log(tmp_path: Path, seal: bool) -> None:
    first = recorded(tmp_path, "a.jsonl", seal=seal)[0]
    second = recorded(tmp_path, "b.jsonl", seal=seal)[0]
    assert first.read_bytes() == second.read_bytes()


def test_records_say_which_rule_made_them_and_why(tmp_path: Path) -> None:
    log, _, _ = recorded(tmp_path)
    records = [each for each in lines_of(log) if "op" in each]
    assert [(each["ts"], each["meta"], each["txn"]) for each in records[:6]] == [
        (1, None, None),
        (2, {"rule": "Number", "cause": "1"}, None),
        (3, {"rule": "Price", "cause": "2"}, None),
        (4, {"rule": "Price", "cause": "2"}, None),
        (5, {"rule": "Total", "cause": "4"}, None),
        (6, {"rule": "Mark", "cause": "5"}, None),
    ]
    assert {"user": "ann", "rule": "Number", "cause": "7"} in [each["meta"] for each in records]
    raised = [each for each in lines_of(log) if each.get("control") == "raised"]
    assert [(each["name"], each["path"], each["meta"]["rule"]) for each in raised] == [
        ("Reviewed", "/order/item", "Review")
    ] * 3


def test_an_audit_finds_what_was_found_live(tmp_path: Path) -> None:
    log, found, _ = recorded(tmp_path)
    result = audit(log, parse_rules(EVENTS))
    findings = [json.loads(line) for line in result.lines()]
    assert sorted(f"{each['name']} {each['ts']} {tuple(each['ids'])}" for each in findings) == sorted(found)
    assert {each["name"] for each in findings} == {"Reviewed", "Priced", "Done"}


def test_the_document_is_rebuilt_from_the_log(tmp_path: Path) -> None:
    log, _, doc = recorded(tmp_path)
    assert etree.tostring(xmlcep.rebuild(log)) == etree.tostring(doc.root)


def test_a_crash_within_a_cascade_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    """Whatever of the last write has reached the disk: the log recovers to before an edit or behind its cascade."""
    log, _, _ = recorded(tmp_path)
    data, records = log.read_bytes(), lines_of(log)
    ends = [0]
    for line in data.splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    # Where nothing is under way: behind a group, behind a transaction, behind what stands alone.
    settled = [ends[1]]
    at = 1
    while at < len(records):
        if records[at].get("control") == "together":
            at += records[at]["records"]
        while records[at].get("txn") is not None and not records[at].get("commit"):
            at += 1
        at += 1
        settled.append(ends[at])
    assert len(settled) == 7
    texts = {}
    cut = tmp_path / "cut.jsonl"
    for end in settled:
        cut.write_bytes(data[:end])
        texts[end] = etree.tostring(xmlcep.rebuild(cut))
    for size in range(ends[1], len(data), 23):
        cut.write_bytes(data[:size])
        with recover(cut) as back:
            got = etree.tostring(back.document.root)
        # A last line of which only the line end is missing is whole.
        assert got in {texts[max(end for end in settled if end <= size + more)] for more in (0, 1)}, size


def test_a_recorded_watch_goes_on_after_a_crash(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    doc = xmlcep.fromstring("<order/>", name="order")
    rules = parse_rules(EVENTS)
    live: list[str] = []
    recording = record(doc, log)
    watch = recording.watch(rules, on_event=lambda e: live.append(e.name))
    acting = doc.rules(parse_rules(RULES))
    edits(doc)
    acting.close()
    data = log.read_bytes()
    watch.close()
    recording.close()
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(data)
    later: list[str] = []
    with recover(copy, rules, on_event=lambda e: later.append(e.name)) as back:
        assert later == []
        assert back.watch is not None
        back.watch.flush()
