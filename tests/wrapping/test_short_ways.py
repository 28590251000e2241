"""The short ways of frequent edits tell what the general way tells, event by event."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.event_oracle import whole
from tests.wrapping.mutator import START, Mutator
from tests.wrapping.open_rules_and_watches import state
from xmlcep import parse_rules
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.recording.recorder import record
from xmlcep.wrapping import CallbackError, fromstring
from xmlcep.wrapping.calls import fast_paths, lxml_methods
from xmlcep.wrapping.shadow.shadow import ShadowTree
from xmlcep.wrapping.watches import Watch


def edited(seed: int, steps: int, *, snapshot: bool) -> tuple[list[Any], list[str], Any]:
    """What is told of random edits, what each of them said, and what the document is then."""
    with fromstring(START, now=lambda: 0.0) as document:
        if snapshot:
            document.snapshot()
        events: list[Any] = []
        document.subscribe(events.append)
        mutator = Mutator(document.root, Random(seed))
        said = [mutator.step() for _ in range(steps)]
        document._check()
        return events, said, whole(document.root)


def general(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every edit goes the general way."""

    def update(tree: ShadowTree) -> None:
        tree.fast_path = False

    monkeypatch.setattr(ShadowTree, "update_fast_path", update)


@pytest.mark.parametrize("snapshot", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_random_edits_are_told_alike(seed: int, snapshot: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    short = edited(seed, 60, snapshot=snapshot)
    general(monkeypatch)
    assert edited(seed, 60, snapshot=snapshot) == short


LOOKING_AT_EVENTS_ONLY = parse_rules("""
event Both = ins(r/a) & ins(r/b)
event Open(/r) {context=continuous} = ins(r/a) ; del(r/b)
event Last(/r) {context=recent} = *(r/item/text()) & *(r/@k)
event Many(/r) = x[2,5] ins(r/a)
event All(/r) = x[1,*] upd(b/text())
event Used(/r) = Both(r) | ins(r/c)
event Kept(/r) {end=custom} = ins(b) & (del(a) | upd(b/@k)) {path=/r}
event Left(/r) {end=non-local} = ins(r/a) ; ins(r/b)
event Any(/r) = any[2](ins(r/a), ins(r/b), ins(r/c))
""")


def found(seed: int, steps: int) -> tuple[Any, ...]:
    """What a watch finds of random edits when nobody else listens, what it knows then, and how it explains that."""
    with fromstring(START, now=lambda: 0.0) as document:
        watch = document.watch(LOOKING_AT_EVENTS_ONLY, keep=None)
        mutator = Mutator(document.root, Random(seed))
        for _ in range(steps):
            mutator.step()
        detector = watch._detector
        findings = [finding.to_record() for finding in watch.findings]
        told = [str(watch.why(finding)) for finding in list(watch.findings)[-3:]]
        told += [str(watch.why_not(tree.name)) for tree in LOOKING_AT_EVENTS_ONLY.graph.trees]
        told.append(str(watch.pending(limit=None, complete=True)))
        return findings, state(detector), detector.last_fed, told


@pytest.mark.parametrize("seed", range(8))
def test_events_that_come_as_plain_tuples_are_found_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    short = found(seed, 60)
    monkeypatch.setattr(Watch, "_takes_tuples", False)
    assert found(seed, 60) == short


def test_plain_tuples_are_for_watches_only(tmp_path: Path) -> None:
    """Who else listens, and whatever an error tells of, has events; so has a watch that looks at time."""
    given: list[type] = []
    feed = Detector.feed
    with fromstring("<r/>", name="d") as document, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Detector, "feed", lambda self, event: (given.append(type(event)), feed(self, event))[1])
        document.watch(LOOKING_AT_EVENTS_ONLY, on_event=lambda each: document.root.set("k", each.name))
        root = document.root
        etree.SubElement(root, "a")
        etree.SubElement(root, "b")  # what comes of it edits
        end = document.subscribe(lambda event: None)
        root.set("k", "1")
        end()
        with record(document, tmp_path / "log.jsonl"):
            root.set("k", "2")
        with document.rules(parse_rules("rule R on (ins(x)) do set '@k' = '1'")):
            root.set("k", "3")
        root.set("k", "4")
        with document.watch(parse_rules('event T = plus[ins(r/x), "1 s"]')):
            root.set("k", "5")
        assert given[:2] == [tuple, tuple] and given[-2:] == [PrimitiveEvent, PrimitiveEvent]
        assert given.count(tuple) == 3 and len(given) >= 10
        patch.setattr(Detector, "feed", lambda self, event: 1 / 0)
        with pytest.raises(CallbackError, match=r"upd\(/r#1/@k#\d+\)"):
            root.set("k", "6")


def test_each_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above compares two ways: these edits are made without the general one."""
    monkeypatch.delattr(fast_paths, "put")
    monkeypatch.delattr(lxml_methods, "born")
    with fromstring("<r/>") as document:
        root = document.root
        events: list[Any] = []
        document.subscribe(events.append)
        document.snapshot()
        root.append(etree.Element("b"))
        root.append(etree.fromstring("<c>x</c>"))
        etree.SubElement(root, "e")
        assert [f"{event.op} {event.path}" for event in events] == [
            "ins /r/b", "ins /r/c", "ins /r/c/text()", "ins /r/e",
        ]  # fmt: skip
