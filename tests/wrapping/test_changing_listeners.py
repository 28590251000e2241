"""Who listens for a while, and goes in the middle, has what it would have had alone (see `guests`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.changing_listeners import run
from xmlcep import parse_rules
from xmlcep.errors import XmlCepError
from xmlcep.recording.recorder import record
from xmlcep.wrapping import fromstring

ITEM = parse_rules("event Item = ins(item)\nevent Again = ins(item)")
TIMED = parse_rules('event Late(item) = plus[ins(item), "1 s"]')
ACTING = parse_rules('rule Late on (plus[ins(item), "1 s"]) do call "tell"')


@pytest.mark.parametrize("seed", range(6))
def test_guests_that_come_and_go(tmp_path: Path, seed: int) -> None:
    run(seed, tmp_path, edits=25)


@pytest.mark.parametrize("held", [False, True])
def test_who_unsubscribes_in_a_callback_is_not_called_any_more(held: bool) -> None:
    document = fromstring("<order/>")
    heard: list[Any] = []
    ends: list[Any] = []
    document.subscribe(lambda event: ends[0]())
    ends.append(document.subscribe(heard.append))
    with document.transaction() if held else document.one_edit():
        document.root.set("k", "1")
    document.root.set("k", "2")
    assert heard == []


def test_an_unsubscribing_leaves_the_same_function_where_it_subscribed_twice() -> None:
    document = fromstring("<order/>")
    heard: list[Any] = []
    document.subscribe(heard.append)
    ends = [document.subscribe(lambda event: ends[1]())]
    ends.append(document.subscribe(heard.append))
    document.root.set("k", "1")
    document.root.set("k", "2")
    assert len(heard) == 2


def test_a_watch_that_is_closed_in_a_callback_of_another_is_done() -> None:
    """While it is told that time passes, or of the end of a transaction, too."""
    document = fromstring("<order/>", now=lambda: 0.0)
    watches: list[Any] = []
    watches.append(document.watch(TIMED, on_event=lambda found: watches[1].close()))
    watches.append(document.watch(TIMED))
    etree.SubElement(document.root, "item")
    document.advance("1970-01-01T00:00:02Z")
    assert (len(watches[0].findings), list(watches[1].findings)) == (1, [])
    with document.transaction():
        other = document.root.set
        other("k", "1")
    document._check()


def test_rules_that_are_closed_in_a_function_of_others_do_not_fire() -> None:
    document = fromstring("<order/>", now=lambda: 0.0)
    called: list[str] = []
    opened: list[Any] = []
    opened.append(document.rules(ACTING, actions={"tell": lambda fired: opened[1].close()}))
    opened.append(document.rules(ACTING, actions={"tell": lambda fired: called.append("second")}))
    etree.SubElement(document.root, "item")
    document.advance("1970-01-01T00:00:02Z")
    assert called == [] and opened[0].counts.fired == 1


def test_what_a_flush_in_a_callback_raises_is_told_behind_what_was_raised_before() -> None:
    rules = parse_rules(
        "event First = ins(item)\nevent Second = ins(item)\nevent Last(item) {end=custom} = (ins(item))"
    )
    document = fromstring("<order/>")
    told: list[str] = []

    def on_event(found: Any) -> None:
        told.append(found.name)
        if found.name == "First":
            watch.close()

    watch = document.watch(rules, on_event=on_event)
    etree.SubElement(document.root, "item")
    assert told == [found.name for found in watch.findings] == ["First", "Second", "Last"]


def test_a_recorded_watch_goes_on_when_its_recording_is_closed(tmp_path: Path) -> None:
    document = fromstring("<order/>", name="order")
    recording = record(document, tmp_path / "log.jsonl", state_every=1)
    watch = recording.watch(ITEM)
    etree.SubElement(document.root, "item")
    recording.close()
    with document.transaction():
        etree.SubElement(document.root, "item")
    assert watch.flush() == [] and len(watch.findings) == 4
    watch.close()
    assert watch.flush() == []
    document._check()


def test_a_callback_that_fails_when_time_passes_keeps_no_rules_from_firing() -> None:
    document = fromstring("<order/>", now=lambda: 0.0)
    called: list[str] = []
    document.watch(TIMED, on_event=lambda found: 1 / 0)
    document.rules(ACTING, actions={"tell": lambda fired: 1 / 0})
    document.rules(ACTING, actions={"tell": lambda fired: called.append("second")})
    etree.SubElement(document.root, "item")
    with pytest.raises(XmlCepError):
        document.advance("1970-01-01T00:00:02Z")
    assert called == ["second"]
    document._check()


PASSING = parse_rules("event P(item) = external\nrule Pass on (ins(item)) do raise P('.')")
PASSED = parse_rules(
    "event P(item) = external\nevent Passed = P(item)\nevent Empty(/order) {end=custom} = x[0,1] ins(b)"
)


@pytest.mark.parametrize("held", [False, True])
def test_who_comes_in_a_callback_hears_nothing_of_what_has_happened_before(held: bool) -> None:
    """Not of the change that is being told, nor of what rules made of it, nor of the end of its transaction."""
    document = fromstring("<order/>")
    late: list[Any] = []
    heard: list[Any] = []

    def come(event: Any) -> None:
        if not late:
            late.append(document.watch(PASSED))
            document.subscribe(heard.append)

    there = document.watch(PASSED)
    document.rules(PASSING)
    document.subscribe(come)
    with document.transaction() if held else document.one_edit():
        etree.SubElement(document.root, "item")
    assert [each.name for each in there.findings] == ["P", "Passed"]
    assert (list(late[0].findings), heard) == ([], [])
    etree.SubElement(document.root, "item")
    assert [each.name for each in late[0].findings] == ["P", "Passed"] and len(heard) == 1
    document._check()


def test_rules_that_are_opened_while_others_are_told_the_time_do_not_hear_of_it() -> None:
    document = fromstring("<order/>", now=lambda: 0.0)
    opened: list[Any] = []
    document.watch(
        TIMED, on_event=lambda found: opened.append(document.rules(ACTING, actions={"tell": opened.append}))
    )
    etree.SubElement(document.root, "item")
    document.advance("1970-01-01T00:00:02Z")
    etree.SubElement(document.root, "item")
    (acting,) = opened
    assert acting.counts.fired == 0 and document.next_due() == "1970-01-01T00:00:01Z"
