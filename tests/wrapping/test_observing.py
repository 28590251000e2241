"""What is done in a block of `Document.observe`, by C code and by calls that are seen, is told at its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.changing_listeners import recordable
from tests.wrapping.event_oracle import Judge, whole
from tests.wrapping.outside_classes import Slim
from tests.wrapping.short_events import told
from xmlcep.recording import rebuild
from xmlcep.recording.recorder import record
from xmlcep.rules import parse_rules
from xmlcep.wrapping import Document, RefusedError, WrapError, fromstring, strip_tags

XML = "<r><a>1<x>2</x>3<!--n-->4</a><b/><c><d/></c></r>"
_lxml: Any = etree._Element
Edit = Callable[[Any], Any]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("edit", [
    lambda r: etree.SubElement(r[1], "e"), lambda r: setattr(r[1], "text", "t"), lambda r: r[2].set("k", "v"),
    lambda r: r.append(r[2][0]), lambda r: r.insert(0, etree.XML("<e>5<f/></e>")), lambda r: r.remove(r[2]),
    lambda r: r[0].append(r[1]), lambda r: setattr(r[2], "tag", "e"), lambda r: r.extend(etree.XML("<q><u/>6</q>")),
    lambda r: r.__setitem__(slice(1, 3), [etree.Element("e")]), lambda r: strip_tags(r[2], "d"),
    lambda r: r[2].clear(), lambda r: r[2].attrib.update({"k": "v"}),
])  # fmt: skip
def test_other_edits_may_be_anywhere(edit: Edit, known: bool) -> None:
    """Also where the block does not look: nothing is lost of them."""
    document = fromstring(XML)
    judge, seen = Judge(document, snapshot=known), told(document)
    with document.observe(document.root[0]):
        etree.strip_tags(document.root[0], "x")
        edit(document.root)
        assert seen == []
    judge.check(moves=True)
    document._check()


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("edit", [
    lambda r: r[1].addnext(r[0][0]), lambda r: r[0][0].addprevious(etree.Element("e")),
    lambda r: r[0][0].append(etree.Element("e")), lambda r: r[0].remove(r[0][0]), lambda r: r.append(r[0][0]),
    lambda r: setattr(r[0][0], "tail", "t"), lambda r: setattr(r[0], "tag", "e"), lambda r: r.remove(r[0]),
    lambda r: r[0].__setitem__(slice(None), list(reversed(r[0]))),
])  # fmt: skip
def test_edits_beside_what_c_code_has_done(edit: Edit, known: bool) -> None:
    """What events have told so far has other neighbours."""
    document = fromstring(XML)
    judge = Judge(document, snapshot=known)
    with document.observe():
        _lxml.insert(document.root[0], 0, document.root[2])
        _lxml.insert(document.root[0], 0, etree.XML("<unseen><v/></unseen>"))
        edit(document.root)
    judge.check(moves=True)
    document._check()


@pytest.mark.parametrize("call", [
    Document.snapshot, lambda document: document.watch(parse_rules("event A = ins(a)")),
    lambda document: document.subscribe(print), lambda document: document.advance(2_000_000_000_000_000),
    lambda document: document.update_to(etree.XML("<r/>")), lambda document: document.transaction().__enter__(),
    lambda document: document.observe().__enter__(), lambda document: etree.Element("e").append(document.root),
    lambda document: etree.Element("e").__setitem__(slice(None), [document.root]),
])  # fmt: skip
def test_what_the_block_would_make_wrong_is_refused(call: Callable[[Document], Any]) -> None:
    document = fromstring(XML)
    judge = Judge(document)
    with document.observe():
        etree.strip_tags(document.root, "x")
        with pytest.raises(RefusedError, match=r"observe\(\)|is the root"):
            call(document)
    judge.check()


def test_a_log_that_is_rolled_over_has_each_edit_once(tmp_path: Path) -> None:
    """Its snapshot is of what events have told: what the block finds at its end comes behind it."""
    document = fromstring(XML, name="d")
    with record(document, tmp_path / "log.jsonl", max_bytes=1):
        for _ in range(3):
            with document.observe():
                _lxml.append(document.root[0], etree.Element("unseen"))
                document.root[0][0].tail = f"seen {len(document.root[0])}"
                etree.SubElement(document.root[1], "e")
            document.root.set("k", str(len(document.root[0])))
    root = rebuild(tmp_path / "log.jsonl")
    assert recordable(etree.tostring(root)) == recordable(etree.tostring(document.root))


def test_a_document_that_is_closed_in_a_block_tells_what_was_done_in_it() -> None:
    document = fromstring(XML)
    judge, root = Judge(document), document.root
    with document.observe():
        etree.strip_tags(root, "x")
        root[1].text = "t"
        document.close()
    events = list(judge.events)
    for event in events:
        judge.model.apply(event)
    judge.model.equals(root)
    assert events


@pytest.mark.parametrize("edit", [
    lambda r: etree.SubElement(r[1], "e"), lambda r: r.append(r[0]), lambda r: setattr(r[2][0], "text", "t"),
    lambda r: r[1].append(r[2]), lambda r: r.remove(r[1]), lambda r: r[2].attrib.update({"k": "v"}),
])  # fmt: skip
def test_an_undo_brings_back_what_was_before_the_block(edit: Edit) -> None:
    document = fromstring(XML)
    before, ids = whole(document.root), document.snapshot()
    with pytest.raises(KeyError), document.transaction():
        with document.observe(document.root[0]):
            etree.strip_tags(document.root[0], "x")
            edit(document.root)
        raise KeyError
    assert (whole(document.root), document.snapshot()) == (before, ids)
    document._check()


def test_nodes_go_from_a_document_that_is_observed_to_one_that_is_not_and_back() -> None:
    one, other = fromstring(XML), fromstring("<s><g/>7<h/></s>")
    judges = [Judge(one), Judge(other)]
    with one.observe():
        etree.strip_tags(one.root, "x")
        other.root[0].addnext(one.root[2])
        other.root[0].append(one.root[0])
        one.root.append(other.root[2])
    for judge in judges:
        judge.apply()
    one._check()
    other._check()


def test_an_element_that_gets_another_class_in_a_block_is_foreign() -> None:
    document = fromstring(XML)
    judge = Judge(document)
    with document.observe():
        document.root[1].__class__ = Slim
    document.root[1].text = "t"
    document.catch_up()
    judge.check(several=True)
    assert document.foreign == (document.root[1],)


def test_what_is_no_element_of_the_document_cannot_be_observed() -> None:
    with pytest.raises(WrapError, match="is not an element of the document"):
        fromstring(XML).observe(etree.Element("x"))


def test_a_default_of_a_document_type_is_no_attribute_there_either() -> None:
    document = fromstring('<!DOCTYPE r [<!ATTLIST r k CDATA "v">]><r/>')
    judge = Judge(document)
    with document.observe():
        with pytest.raises(KeyError):
            del document.root.attrib["k"]
        assert document.root.attrib.pop("k", "none") == "none"
    assert judge.events == []
