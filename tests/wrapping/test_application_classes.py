"""An application's own element classes: those of a parser are tracked, those for all of lxml are left alone.

Each test is a process: which classes are lxml's default is asked when the first document is wrapped, and other tests
leave some open.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import lxml.html
import pytest
from lxml import etree, objectify

import xmlcep

COMMON = """\
import lxml.html, pytest, xmlcep
from lxml import etree, objectify
from xmlcep.wrapping import WrapError

class Mine(etree.ElementBase):
    pass

fallback = etree.ElementDefaultClassLookup(element=Mine)
"""

ROOM = """\
etree.set_element_class_lookup(etree.ParserBasedElementClassLookup(fallback))
document = xmlcep.fromstring("<a><b/></a>")
told = []
document.subscribe(lambda event: told.append(str(event)))
etree.SubElement(document.root, "c").text = "x"
assert len(told) == 2
assert type(etree.Element("theirs")) is Mine
document.close()
assert type(etree.Element("theirs")) is Mine
"""

NO_ROOM = """\
etree.set_element_class_lookup(fallback)
with pytest.raises(WrapError, match="ParserBasedElementClassLookup"):
    xmlcep.fromstring("<a/>")
etree.set_element_class_lookup(None)
xmlcep.fromstring("<a/>").close()
assert type(etree.Element("plain")) is etree._Element
"""


SHARED = """\
parser = etree.XMLParser()
parser.set_element_class_lookup(fallback)
other = etree.fromstring("<a/>", parser)
for tree in (etree.fromstring("<a><b/></a>", parser), lxml.html.document_fromstring("<p>t</p>")):
    kind = type(tree)
    with xmlcep.wrap(tree) as document:
        assert type(tree) is not kind and isinstance(tree, kind) and type(other) is Mine
        told = []
        document.subscribe(lambda event: told.append(str(event)))
        tree[0].set("k", "v")
        etree.SubElement(tree[0], "c").append(tree.makeelement("d"))
        assert len(told) == 3 and document.foreign == ()
    assert type(etree.Element("plain")) is etree._Element
    assert type(etree.fromstring("<a/>", parser)) is Mine
with pytest.raises(WrapError, match="update_to"):
    xmlcep.wrap(objectify.fromstring("<a><b>1</b></a>"))
assert type(objectify.fromstring("<a><b>1</b></a>").b) is objectify.IntElement
"""

BELOW = """\
class Lookup(etree.PythonElementClassLookup):
    def lookup(self, document, element):
        return Mine if len(element) else None

parser = etree.XMLParser()
parser.set_element_class_lookup(etree.ElementNamespaceClassLookup(Lookup()))
with pytest.raises(WrapError, match="wrap a copy"):
    xmlcep.wrap(etree.fromstring("<a><b/></a>", parser))
assert type(etree.fromstring("<a><b/></a>", parser)) is Mine
"""


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            SHARED,
            id="those of a parser are tracked, its other trees keep theirs, and ours are nobody's default",
        ),
        pytest.param(BELOW, id="a lookup that is asked about nodes after another"),
        pytest.param(ROOM, id="they stay while and after a document is wrapped"),
        pytest.param(NO_ROOM, id="those that leave no room are an error that says so"),
    ],
)
def test_classes_of_an_application(program: str) -> None:
    subprocess.run([sys.executable, "-c", COMMON + program], check=True)


class Silent(etree.ElementBase):
    """Reads nothing as it is."""

    text = property(lambda self: None)  # type: ignore[assignment]
    tag = property(lambda self: "tag")  # type: ignore[assignment]

    def __len__(self) -> int:
        return 0


def silent(text: str) -> Any:
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Silent))
    return etree.fromstring(text, parser)


@pytest.mark.parametrize("read", [silent, objectify.fromstring, lxml.html.fragment_fromstring])
def test_a_state_in_classes_of_its_own_is_what_lxml_reads(read: Callable[[str], Any]) -> None:
    text = "<div><root>1</root><read>2</read><read>3</read></div>"
    with xmlcep.fromstring("<div><root>0</root></div>") as document:
        document.update_to(read(text))
        assert etree.tostring(document.root).decode() == text
        assert not xmlcep.diff(read(text), document).changes
        assert len(xmlcep.diff(document, read("<div><root>1</root></div>")).changes) == 2
        document._check()
