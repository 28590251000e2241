"""ignore_whitespace: white space in element-only content is not a node for events, ids and pos."""

from __future__ import annotations

from typing import Any

from lxml import etree

from xmlcep.wrapping import fromstring
from xmlcep.wrapping.shadow.shadow import visible as shown

XML = "<a>\n  <b>x</b>\n  <c> </c>\n  <p>one <i/> <j/></p>\n</a>"


def test_what_is_left_out() -> None:
    document = fromstring(XML, ignore_whitespace=True)
    text, ids = document.snapshot()
    assert text == "<a><b>x</b><c> </c><p>one <i/> <j/></p></a>"
    assert len(ids) == 10
    assert etree.tostring(document.root).decode() == XML, "the tree itself is untouched"


def test_edits_of_white_space_are_silent_and_pos_does_not_count_it() -> None:
    document = fromstring(XML, ignore_whitespace=True)
    events: list[Any] = []
    document.subscribe(events.append)
    etree.indent(document.root) if False else None
    document.root.text = "\n\t"
    document.root[0].tail = "\n\t"
    assert events == []
    etree.SubElement(document.root, "d").tail = "\n"
    assert [(event.op, str(event.path), event.pos) for event in events] == [("ins", "/a/d", 3)]
    events.clear()
    document.root.remove(document.root[0])
    assert [(event.op, str(event.path)) for event in events] == [("del", "/a/b/text()"), ("del", "/a/b")]
    document._check()


def test_white_space_comes_into_view_with_a_word() -> None:
    document = fromstring("<a> <b/> </a>", ignore_whitespace=True)
    events: list[Any] = []
    document.subscribe(events.append)
    document.root[0].tail = "word"
    assert [(event.op, event.value, event.pos) for event in events] == [("ins", " ", 0), ("ins", "word", 2)]
    document.root[0].tail = " "
    assert [(event.op, event.old) for event in events[2:]] == [("del", "word"), ("del", " ")]
    events.clear()
    document.root.remove(document.root[0])
    assert [(event.op, event.value) for event in events] == [("del", None), ("ins", " ")]
    document._check()


def test_without_the_option_nothing_is_left_out() -> None:
    assert not fromstring(XML).ignore_whitespace
    assert len(fromstring(XML).snapshot()[1]) == 14
    assert shown("", False) is None
