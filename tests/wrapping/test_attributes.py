"""Attributes: those that a document type has defaults of, those that C code writes, those that edit who sets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.event_oracle import whole
from tests.wrapping.outside_classes import plain_parser
from tests.wrapping.short_events import X, told
from xmlcep.wrapping import fromstring

DECLARED = (
    "<!DOCTYPE r [<!ATTLIST r k CDATA 'd' l CDATA #IMPLIED><!ATTLIST a k CDATA #FIXED 'f'>]>"
    + "<r k='1' l='2'><a/></r>"
)


@pytest.mark.parametrize(("edit", "events"), [
    (lambda r: r.attrib.pop("k"), ["del /r/@k"]),
    (lambda r: r.attrib.__delitem__("k"), ["del /r/@k"]),
    (lambda r: r.attrib.__delitem__(etree.QName("k")), ["del /r/@k"]),
    (lambda r: r.attrib.clear(), ["del /r/@l+", "del /r/@k"]),
    (lambda r: r[0].attrib.pop("k", None), []),
    (lambda r: r[0].attrib.pop(b"k", None), []),
    (lambda r: r[0].set("k", "f"), ["ins /r/a/@k"]),
])  # fmt: skip
def test_the_default_of_a_document_type_is_no_attribute(
    edit: Callable[[Any], Any], events: list[str]
) -> None:
    """lxml reads it where there is none; to delete it there crashes lxml 6.1."""
    document = fromstring(DECLARED)
    seen = told(document)
    edit(document.root)
    assert seen == events
    document._check()


@pytest.mark.parametrize("key", ["k", b"k", etree.QName("k"), "{}k"])
def test_the_default_of_a_document_type_cannot_be_deleted(key: Any) -> None:
    document = fromstring(DECLARED)
    element = document.root[0]
    assert element.get(key) == "f"
    with pytest.raises(KeyError):
        del element.attrib[key]
    with pytest.raises(KeyError):
        element.attrib.pop(key)
    document._check()


# --- attributes do what lxml's do


def test_attributes_are_written_by_c_code_that_takes_them_for_a_dict() -> None:
    document = fromstring(X)
    assert json.loads(json.dumps(document.root.attrib)) == {"k": "1", "l": "2"}
    assert dict(**document.root.attrib) == {"k": "1", "l": "2"}


@pytest.mark.parametrize("call", [
    lambda attrib: attrib.update(k="2"), lambda attrib: attrib.setdefault("k", "2"), lambda attrib: attrib.popitem(),
    lambda attrib: attrib.__ior__({"k": "2"}), lambda attrib: attrib | {"k": "2"}, lambda attrib: {} | attrib,
    lambda attrib: attrib.copy(),
])  # fmt: skip
def test_what_lxml_refuses_of_attributes_is_refused(call: Callable[[Any], Any]) -> None:
    document = fromstring(X)
    seen = told(document)
    for attrib in (etree.fromstring(X, plain_parser()).attrib, document.root.attrib):
        with pytest.raises((TypeError, AttributeError)):
            call(attrib)
    assert seen == []
    assert document.root.items() == [("k", "1"), ("l", "2")]


def test_a_slice_with_none_is_refused_as_lxml_does() -> None:
    plain = etree.fromstring(X, plain_parser())
    document = fromstring(X)
    for root in (plain, document.root):
        with pytest.raises(AssertionError):
            root[0:1] = (etree.Element("new"), None)
    assert whole(document.root) == whole(plain)
    document._check()


# --- who gives the attributes may edit


def test_attributes_given_by_something_that_edits_the_element() -> None:
    document = fromstring("<r><a k='1'/><b/></r>")
    seen = told(document)

    def pairs(edit: Callable[[], Any]) -> Any:
        yield "l", "2"
        edit()
        yield "m", "3"

    element = document.root[0]
    element.attrib.update(pairs(lambda: setattr(element, "tag", "c")))
    assert seen == ["del /r/a/@k+", "del /r/a+", "ins /r/c+", "ins /r/c/@k+", "ins /r/c/@l", "ins /r/c/@m"]
    seen.clear()
    element.attrib.update(pairs(lambda: document.root.remove(element)))
    assert [event for event in seen if event.startswith("ins")] == []
    document._check()
