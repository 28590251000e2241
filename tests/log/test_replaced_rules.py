"""Rules of a recorded watch that are replaced: what recovery brings back is what there was (rule G7)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

import xmlcep
from xmlcep import Document, Rules, parse_rules
from xmlcep.errors import ArgumentError
from xmlcep.log import LogError
from xmlcep.recording.recovery import Recovered
from xmlcep.wrapping import RefusedError

EVENTS = (
    "event Both = ins(item/price) & ins(item/quantity)",
    "event Many(order) {end=custom} = x[2,*] ins(item/price)",
    'event Soon {within = "3 transactions"} = ins(item/price) ; ins(item/comment)',
    'event Priced(item) {when = "price"} = ins(item/comment)',
    "event After = Both(item) ; ins(item/comment)",
    'event Late {within = "3 changes"} = ins(item/price) ; not ins(item/comment)',
)
CHANGED = "event Both = ins(item/price) ; ins(item/quantity)"


def some_rules(random: Random) -> Rules:
    chosen = [text for text in EVENTS if random.random() < 0.6]
    if random.random() < 0.3:
        chosen = [CHANGED if text == EVENTS[0] else text for text in chosen]
    if not any(text in (EVENTS[0], CHANGED) for text in chosen):
        chosen = [text for text in chosen if "Both(item)" not in text] or [EVENTS[0]]
    random.shuffle(chosen)
    return parse_rules("\n".join(chosen))


def edit(doc: Document, random: Random) -> None:
    """One edit, or a transaction of some."""
    if random.random() < 0.2:
        with doc.transaction():
            for _ in range(random.randrange(1, 4)):
                edit_alone(doc, random)
    else:
        edit_alone(doc, random)


def edit_alone(doc: Document, random: Random) -> None:
    item = random.choice(doc.root)
    if len(item) and random.random() < 0.2:
        item.remove(item[0])
    else:
        etree.SubElement(item, random.choice(("price", "quantity", "comment")))


def replaced(watch: Any, seed: int, since: str) -> None:
    random = Random(seed)
    rules, on_removed = some_rules(random), random.choice(("flush", "drop"))
    watch.replace(rules, on_removed=on_removed, since=since)


def recovered(log: Path, to: Path, rules: Rules) -> Recovered:
    """What is brought back from a copy of the log as it is now, with its state beside it or without."""
    shutil.copytree(log.parent, to)
    return xmlcep.recover(to / log.name, rules)


def raised(watch: Any) -> list[dict[str, Any]]:
    return [finding.to_record() for finding in watch.findings]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("since", ["now", "begin"])
def test_what_is_recovered_goes_on_as_what_there_was(tmp_path: Path, seed: int, since: str) -> None:
    random = Random(seed)
    doc = xmlcep.fromstring("<order><item/><item/><item/></order>", name="order")
    folder = tmp_path / "log"
    folder.mkdir()
    log = folder / "order.jsonl"
    with (
        doc,
        xmlcep.record(doc, log, state_every=random.choice((None, 600, 3000)), max_bytes=4000) as recording,
    ):
        for _ in range(random.choice((0, 4))):
            edit(doc, random)  # before the watch is opened
        watch = recording.watch(some_rules(random), keep=None)
        for number in range(14):
            edit(doc, random)
            if random.random() < 0.3:
                replaced(watch, random.randrange(10**6), since)
            if random.random() < 0.25:
                with recovered(log, tmp_path / str(number), watch.rules) as again:
                    assert again.replacement is None and again.watch is not None
                    assert str(again.watch.pending(limit=None)) == str(watch.pending(limit=None))
                    went_on_alike(doc, watch, again, random, since)


def went_on_alike(doc: Document, watch: Any, again: Recovered, random: Random, since: str) -> None:
    before = len(watch.findings)
    other = again.watch
    assert other is not None
    other.findings.clear()
    for _ in range(4):
        seed = random.randrange(10**6)
        for each in (doc, again.document):
            edit(each, Random(seed))
        if random.random() < 0.3:
            replaced(watch, seed, since)
            replaced(other, seed, since)
    assert without_times(raised(watch)[before:]) == without_times(raised(other))


def without_times(records: list[dict[str, Any]]) -> str:
    return json.dumps([_without(record) for record in records])


def _without(record: Any) -> Any:
    if isinstance(record, dict):
        return {name: _without(value) for name, value in record.items() if name != "at"}
    return [_without(each) for each in record] if isinstance(record, list) else record


BOTH, MANY = (parse_rules(text) for text in EVENTS[:2])


@pytest.fixture
def doc() -> Document:
    return xmlcep.fromstring("<order><item/><item/></order>", name="order")


def add(doc: Document, name: str) -> None:
    etree.SubElement(doc.root[0], name)


def test_recovered_with_other_rules(tmp_path: Path, doc: Document) -> None:
    log = tmp_path / "order.jsonl"
    with doc, xmlcep.record(doc, log) as recording:
        recording.watch(parse_rules("\n".join(EVENTS[:2])))
        add(doc, "price")
        add(doc, "price")
        copies = [shutil.copyfile(log, tmp_path / f"{number}.jsonl") for number in range(4)]
    with pytest.raises(LogError, match=r"other rules \(removed: Many\): use the same, say what happens"):
        xmlcep.recover(copies[0], BOTH)
    found: list[str] = []
    with xmlcep.recover(
        copies[1], BOTH, on_removed="flush", on_event=lambda event: found.append(event.name)
    ) as again:
        assert again.replacement is not None and again.replacement.removed == ("Many",) and found == ["Many"]
        add(again.document, "quantity")
        assert found == ["Many", "Both"]
    more = parse_rules("\n".join((*EVENTS[:2], "event Two(item) = x[2,2] ins(item/price)")))
    for copy, since, many in ((copies[2], "now", []), (copies[3], "begin", ["Both", "Two"])):
        with xmlcep.recover(copy, more, since=since) as again:
            assert again.replacement is not None and again.replacement.new == ("Two",)
            add(again.document, "quantity")
            add(again.document, "price")
            assert again.watch is not None
            names = [each.name for each in again.watch.findings if each.name != "Many"]
            assert (names == ["Both"] and since == "now") or since == "begin", many


def test_new_events_since_the_beginning_of_the_log(tmp_path: Path, doc: Document) -> None:
    with doc, xmlcep.record(doc, tmp_path / "order.jsonl") as recording:
        add(doc, "price")
        with pytest.raises(LogError, match="no recorded watch is open"):
            recording.replace(BOTH)
        watch = recording.watch(MANY)
        answer = recording.replace(parse_rules("\n".join(EVENTS[:2])), since="begin")
        assert answer.new == ("Both",) and not answer.raised
        add(doc, "quantity")
        assert [each.name for each in watch.findings] == ["Both"]
        with pytest.raises(ArgumentError, match="'now' or 'begin'"):
            recording.replace(BOTH, since="yesterday")  # type: ignore[arg-type]
        with doc.transaction(), pytest.raises(RefusedError):
            recording.replace(BOTH)


def always(event: object, document: object) -> bool:
    """What a rule can have called where that is allowed (O2)."""
    return True


def test_rules_of_a_log_that_cannot_be_run_are_said(tmp_path: Path, doc: Document) -> None:
    """What a log says is data: it cannot have Python run that the rules which are given do not have."""
    log = tmp_path / "order.jsonl"
    evil = 'event Evil = opaque["python", "tests.log.test_replaced_rules:always"](item/price)\n'
    with doc, xmlcep.record(doc, log) as recording:
        recording.watch(parse_rules(evil, allow=["python"]))
        add(doc, "price")
        shutil.copyfile(log, tmp_path / "copy.jsonl")
    with pytest.raises(LogError, match=r"removed: Evil; added: Both\), and they cannot be read"):
        xmlcep.recover(tmp_path / "copy.jsonl", parse_rules(EVENTS[0], allow=["python"]), on_removed="drop")
