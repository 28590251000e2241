"""An application's own element classes for all of lxml are left alone."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from lxml import etree

import xmlcep
from xmlcep.wrapping import Document, WrapError


class Mine(etree.ElementBase):
    """What an application may have set."""


@pytest.fixture
def application_classes() -> Iterator[None]:
    fallback = etree.ElementDefaultClassLookup(element=Mine)
    etree.set_element_class_lookup(etree.ParserBasedElementClassLookup(fallback))
    yield
    etree.set_element_class_lookup(None)


@pytest.mark.usefixtures("application_classes")
def test_they_stay_while_and_after_a_document_is_wrapped() -> None:
    document = xmlcep.fromstring("<a><b/></a>")
    told: list[str] = []
    document.subscribe(lambda event: told.append(str(event)))
    etree.SubElement(document.root, "c").text = "x"
    assert len(told) == 2
    assert type(etree.Element("theirs")) is Mine
    document.close()
    assert type(etree.Element("theirs")) is Mine


def test_classes_that_leave_no_room_are_an_error_that_says_so() -> None:
    # It is said when the first document is wrapped: those that other tests have left open come first.
    gc.unfreeze()  # which takes those among the objects that were made while tests were collected
    for left in [each for each in gc.get_objects() if type(each) is Document]:
        left.close()
    etree.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Mine))
    try:
        with pytest.raises(WrapError, match="ParserBasedElementClassLookup"):
            xmlcep.fromstring("<a/>")
    finally:
        etree.set_element_class_lookup(None)
    document = xmlcep.fromstring("<a/>")
    document.close()
    assert type(etree.Element("plain")) is etree._Element
