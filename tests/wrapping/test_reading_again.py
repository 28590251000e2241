"""What is written of a tree is read as that tree; what no log could hold is refused when it comes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import lxml.html
import pytest
from lxml import etree

from tests.wrapping.event_oracle import Model, whole
from tests.wrapping.outside_classes import plain_parser
from tests.wrapping.short_events import X, told
from xmlcep.documents import Replica
from xmlcep.wrapping import (
    DocumentError,
    RefusedError,
    fromstring,
    wrap,
)

# --- what cannot be written and read again


@pytest.mark.parametrize("edit", [
    lambda r: r.append(etree.Entity("x")),
    lambda r: r.append(lxml.html.fromstring("<p><o:q>x</o:q></p>")),
    lambda r: r.insert(0, lxml.html.fromstring("<p o:q='1'>x</p>")),
    lambda r: r.__setitem__(0, lxml.html.fromstring("<o:q>x</o:q>")),
    lambda r: r.replace(r[0], etree.Entity("x")),
    lambda r: r[0].addnext(etree.Entity("x")),
    lambda r: r.extend([etree.Entity("x")]),
])  # fmt: skip
def test_what_no_log_could_hold_is_refused_when_it_comes(edit: Callable[[Any], Any]) -> None:
    document = fromstring(X)
    before, seen = whole(document.root), told(document)
    with pytest.raises(RefusedError, match=r"entity reference|cannot be parsed again"):
        edit(document.root)
    assert (whole(document.root), seen) == (before, [])
    document._check()


def pulled() -> Any:
    """An element of which its parser is not done."""
    parser = etree.XMLPullParser(events=("end",))
    parser.feed("<x><item>1</item>")
    [(_, item)] = parser.read_events()
    return item


@pytest.mark.parametrize("edit", [
    lambda r: r.append(pulled()),
    lambda r: r.insert(0, pulled()),
    lambda r: r.__setitem__(0, pulled()),
    lambda r: r[0].addnext(pulled()),
    lambda r: r.extend([pulled()]),
    lambda r: wrap(pulled().getroottree()),
    lambda r: [r.append(item) for _, item in etree.iterparse(io.BytesIO(b"<x><i/></x>"))],
])  # fmt: skip
def test_what_a_parser_may_still_add_to_is_refused(edit: Callable[[Any], Any]) -> None:
    document = fromstring(X)
    before, seen = whole(document.root), told(document)
    with pytest.raises(
        (RefusedError, DocumentError), match=r"iterparse.* use etree.fromstring\(etree.tostring"
    ):
        edit(document.root)
    assert (whole(document.root), seen) == (before, [])
    item = pulled()
    document.root.append(etree.fromstring(etree.tostring(item)))
    with pytest.raises(RefusedError, match="iterparse"):
        document.update_to(item)
    document._check()


def test_names_that_only_an_html_tree_takes() -> None:
    document = wrap(etree.fromstring("<p>x</p>", etree.HTMLParser()))
    body, seen = document.root[0], told(document)
    for edit in (
        lambda: etree.SubElement(body, "o:q"), lambda: setattr(body, "tag", "o:q"), lambda: body.set("o:q", "1"),
        lambda: body.attrib.update({"o:q": "1"}),
    ):  # fmt: skip
        with pytest.raises(RefusedError, match="'o:q' cannot be parsed again"):
            edit()
    assert not [event for event in seen if not event.startswith(("ins /html/body/o:q", "del /html/body/o:q"))]
    document._check()


@pytest.mark.parametrize("parser", [etree.XMLParser(recover=True), etree.HTMLParser()])
def test_trees_with_undeclared_prefixes_are_refused_when_they_are_wrapped(parser: Any) -> None:
    with pytest.raises(DocumentError, match="'o:q' cannot be parsed again"):
        wrap(etree.fromstring("<p><o:q>x</o:q></p>", parser))


def test_a_comment_without_text_keeps_texts_apart() -> None:
    document = fromstring("<r>1<!--n-->2</r>")
    document.root[0].text = None
    text, ids = document.snapshot()
    assert (text, len(ids)) == ("<r>1<!---->2</r>", 3)
    document._check()


def test_an_xhtml_document_type_changes_no_name() -> None:
    root = etree.fromstring(
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html><body/></html>'
    )
    document = wrap(root)
    document.root[0].set("k", "v")
    assert document.snapshot()[0] == '<html><body k="v"/></html>'
    document._check()


@pytest.mark.parametrize("text", [
    '<!DOCTYPE a SYSTEM "x"><a b="&x;"/>', '<!DOCTYPE a SYSTEM "x"><a>&x;</a>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a b="&x;"/>', '<!DOCTYPE a [<!ENTITY % p SYSTEM "y"> %p;]><a>\n<b c="1&x;2"/></a>',
])  # fmt: skip
def test_entities_in_attributes_are_refused_like_those_in_texts(text: str) -> None:
    with pytest.raises(DocumentError, match="replace"):
        fromstring(text)


# --- what is written is read as what it is


RESERVED = "http://www.w3.org/2000/xmlns/"
XMLNS = f"{{{RESERVED}}}p"


@pytest.mark.parametrize("edit", [
    lambda r: etree.SubElement(r, "plain"),
    lambda r: setattr(r[0], "tag", "plain"),
    lambda r: setattr(r, "tag", "plain"),
    lambda r: r.append(etree.fromstring("<q><z/></q>")),
    lambda r: etree.SubElement(etree.SubElement(r, "plain"), "{urn:y}b").append(etree.Element("plain")),
    lambda r: setattr(r, "text", etree.CDATA("a\r\nb")),
    lambda r: setattr(r[0], "tail", etree.CDATA("a\r")),
    lambda r: etree.SubElement(r, "{urn:y}b", nsmap={"xmlns": "urn:z", "p": RESERVED}),
    lambda r: (r.append(etree.PI("p")), setattr(r[-1], "target", "a b?><z/>")),
    lambda r: (r.append(etree.PI("p")), setattr(r[-1], "target", "XML")),
])  # fmt: skip
def test_a_snapshot_is_read_as_what_it_was_written_from(edit: Callable[[Any], Any]) -> None:
    document = fromstring('<r xmlns="urn:y"><a>t</a></r>')
    document.subscribe(lambda event: None)
    edit(document.root)
    text, ids = document.snapshot()
    Model(etree.fromstring(text), ids).equals(document.root)
    Replica.from_snapshot(text, ids)
    document._check()

    root = etree.fromstring('<r xmlns="urn:y"><a>t</a></r>', plain_parser())
    edit(root)
    with wrap(root) as document:
        assert document.verify() == []


def test_a_snapshot_that_would_be_read_with_other_names_is_refused() -> None:
    """lxml lets the prefix xml stand for anything; a copy of such a tree has another name already."""
    document = fromstring("<r/>")
    etree.SubElement(document.root, "{urn:q}b", nsmap={"xml": "urn:q"})
    with pytest.raises(RefusedError, match=r"'{urn:q}b' would be '{http:.*namespace}b'"):
        document.snapshot()


@pytest.mark.parametrize("edit", [
    lambda r: etree.SubElement(r, "b", xmlns="u"),
    lambda r: etree.SubElement(r, "b", {"k": "1", XMLNS: "u", "l": "2"}),
    lambda r: etree.SubElement(r, XMLNS),
    lambda r: r.append(etree.Element("b", xmlns="u")),
    lambda r: r.append(etree.Element("b", {XMLNS: "u"})),
    lambda r: r.append(etree.Element(XMLNS)),
    lambda r: r.insert(0, etree.Element("b", xmlns="u")),
    lambda r: r.set("xmlns", "u"),
    lambda r: r.set(XMLNS, "u"),
    lambda r: r.set(etree.QName(XMLNS), "u"),
    lambda r: r.attrib.update([(XMLNS, "u")]),
    lambda r: setattr(r[0], "tag", XMLNS),
])  # fmt: skip
@pytest.mark.parametrize("edited", [False, True])
def test_names_of_declarations_are_refused(edit: Callable[[Any], Any], edited: bool) -> None:
    document = fromstring(X)
    if edited:
        document.root.set("k", "2")
        document.root[0].set("k", "2")
    before = document.snapshot()[0]
    with pytest.raises(RefusedError, match="cannot be parsed again"):
        edit(document.root)
    assert document.snapshot()[0] == before
    document._check()
