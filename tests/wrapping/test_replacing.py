"""Rules of watches, and action rules, replaced while a document is edited (rule G7)."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

import xmlcep
from xmlcep import Rules, parse_rules
from xmlcep.engine import Detector, StateError
from xmlcep.errors import ArgumentError
from xmlcep.wrapping import Document, RefusedError, WrapError

BOTH = "event Both = ins(item/price) & ins(item/quantity)\n"
LATER = "event Later = ins(item/comment) ; ins(item/quantity)\n"
WAITS = "event Waits(item) {end=custom} = x[1,*] ins(item/price)\n"


@pytest.fixture
def doc() -> Document:
    return xmlcep.fromstring("<order><item/><item/></order>", name="order")


def add(doc: Document, name: str, item: int = 0) -> None:
    etree.SubElement(doc.root[item], name)


def names(found: Any) -> list[str]:
    return [each.name for each in found]


def test_what_is_stored_in_a_tree_that_stays_is_kept(doc: Document) -> None:
    with doc.watch(parse_rules(BOTH + WAITS)) as watch:
        add(doc, "price")
        answer = watch.replace(parse_rules(LATER + BOTH))
        assert (answer.kept, answer.new, answer.removed) == (("Both",), ("Later",), ("Waits",))
        assert answer.lost == {"Waits": 1} and names(answer.raised) == ["Waits"]
        add(doc, "quantity")
        assert names(watch.findings) == ["Waits", "Both"]
        assert "Both" in repr(watch) and "Waits" not in repr(watch)


def test_dropped_and_changed(doc: Document) -> None:
    with doc.watch(parse_rules(BOTH + WAITS)) as watch:
        add(doc, "price")
        changed = parse_rules(BOTH + WAITS.replace("[1,*]", "[2,*]"))
        answer = watch.replace(changed, on_removed="drop")
        assert answer.changed == ("Waits",) and not answer.raised
        assert str(answer) == "1 kept: Both\n1 changed: Waits (1 partial match lost)"
        assert not watch.flush()


def test_new_trees_see_the_document_as_it_is(doc: Document) -> None:
    rules = parse_rules(BOTH + 'event Priced(item) {when = "price"} = ins(item/comment)\n')
    with doc.watch(parse_rules(BOTH)) as watch:
        add(doc, "price")
        watch.replace(rules)
        add(doc, "comment")
        add(doc, "comment", 1)
        assert names(watch.findings) == ["Priced"]


def test_another_meaning_of_names_in_expressions_is_another_tree() -> None:
    text = 'namespace p = "{}"\nevent A(item) {{when = "p:price"}} = ins(item/comment)\n' + BOTH
    detector = Detector(parse_rules(text.format("urn:a")))
    answer = detector.replace(parse_rules(text.format("urn:b")), document=xmlcep.Replica())
    assert (answer.kept, answer.changed) == (("Both",), ("A",))


def test_a_tree_that_begins_to_measure_for_others_begins_anew() -> None:
    """What it has kept has no times."""
    detector = Detector(parse_rules(BOTH))
    answer = detector.replace(
        parse_rules(BOTH + 'event Slow {within = "1 h"} = Both(item) ; ins(item/comment)')
    )
    assert answer.changed == ("Both",) and answer.new == ("Slow",)


def test_a_reference_document_that_has_changed_is_another_tree() -> None:
    text = 'reference parts = "parts.xml"\nevent A = ins(item/@n)[. = $parts/parts/part]\n' + BOTH
    before, after = (
        parse_rules(text, references={"parts": xml})
        for xml in (b"<parts><part/></parts>", b"<parts><part>2</part></parts>")
    )
    assert Detector(before).replace(after).changed == ("A",)
    assert Detector(before).replace(before).kept == ("A", "Both")


def test_parameters_are_of_the_tree_and_what_is_said_to_people_is_not() -> None:
    text = "param most = {}\nevent Dear {{{}}} = ins(item/@n)[. > $most]\n" + BOTH
    before = Detector(parse_rules(text.format(5, "severity=info")))
    assert before.replace(parse_rules(text.format(5, "severity=error"))).kept == ("Dear", "Both")
    assert before.replace(parse_rules(text.format(6, "severity=error"))).changed == ("Dear",)


def test_never_within_an_edit_or_a_transaction_or_a_callback(doc: Document) -> None:
    rules = parse_rules(BOTH)
    said: list[Exception] = []

    def replace(_: object) -> None:
        try:
            watch.replace(rules)
        except RefusedError as error:
            said.append(error)

    with doc.watch(rules, on_event=replace) as watch:
        with doc.transaction():
            add(doc, "price")
            with pytest.raises(RefusedError, match="inside a transaction"):
                watch.replace(rules)
        with doc.one_edit(), pytest.raises(RefusedError, match="one edit"):
            watch.replace(rules)
        add(doc, "quantity")
        assert "in a callback" in str(said[0])
        with pytest.raises(WrapError, match="needs rules"):
            watch.replace("rules")  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="'flush' or 'drop'"):
            watch.replace(rules, on_removed="keep")  # type: ignore[arg-type]
    with pytest.raises(WrapError, match="closed watch"):
        watch.replace(rules)


def test_a_detector_wants_the_document_for_trees_that_ask() -> None:
    detector = Detector(parse_rules(BOTH))
    with pytest.raises(ArgumentError, match="Priced would ask the document"):
        detector.replace(parse_rules('event Priced(item) {when = "price"} = ins(item/comment)'))
    detector.close()
    with pytest.raises(StateError, match="closed detector"):
        detector.replace(parse_rules(BOTH))


def acting(trigger: str, value: str) -> Rules:
    return parse_rules(f"{WAITS}rule Mark on ({trigger}) do set '@mark' = \"'{value}'\"\n")


def test_rules_that_act_keep_what_they_have_seen_and_do_something_else(doc: Document) -> None:
    with doc.rules(acting("ins(item/price) & ins(item/quantity)", "old")) as rules:
        add(doc, "price")
        answer = rules.replace(acting("ins(item/price) & ins(item/quantity)", "new"))
        assert answer.kept == ("Mark",)
        add(doc, "quantity")
        assert doc.root[0].get("mark") == "new"
        answer = rules.replace(acting("ins(item/price) ; ins(item/comment)", "newer"))
        assert answer.changed == ("Mark",)
        add(doc, "comment", 0)
        assert doc.root[0].get("mark") == "new"
        with pytest.raises(WrapError, match="no action rules"):
            rules.replace(parse_rules(BOTH))
        with doc.transaction(), pytest.raises(RefusedError):
            rules.replace(acting("ins(item)", "never"))


def test_what_waits_in_rules_that_go_can_fire_once_more(doc: Document) -> None:
    text = WAITS + "rule Mark on Waits(item) do set '@mark' = \"'yes'\"\n"
    for on_removed, marks in (("drop", None), ("flush", "yes")):
        with doc.rules(parse_rules(text)) as rules:
            add(doc, "price", 1)
            answer = rules.replace(acting("ins(item/quantity)", "no"), on_removed=on_removed)  # type: ignore[arg-type]
            assert names(answer.raised) == ["Waits"] * (on_removed == "flush")
            assert doc.root[1].get("mark") == marks


def test_rules_that_call_other_functions(doc: Document) -> None:
    fired: list[str] = []
    one, two = (parse_rules(f'rule R on (ins(item/price)) do call "{name}"') for name in ("one", "two"))
    with doc.rules(one, actions={"one": lambda record: fired.append("one")}) as rules:
        with pytest.raises(WrapError, match="the rules call two"):
            rules.replace(two)
        rules.replace(two, actions={"two": lambda record: fired.append("two")})
        add(doc, "price")
    assert fired == ["two"]
