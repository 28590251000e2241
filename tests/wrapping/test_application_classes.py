"""An application's own element classes for all of lxml are left alone.

Each test is a process: which classes are lxml's default is asked when the first document is wrapped, and other tests
leave some open.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMON = """\
import pytest, xmlcep
from lxml import etree
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


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(ROOM, id="they stay while and after a document is wrapped"),
        pytest.param(NO_ROOM, id="those that leave no room are an error that says so"),
    ],
)
def test_classes_of_an_application(program: str) -> None:
    subprocess.run([sys.executable, "-c", COMMON + program], check=True)
