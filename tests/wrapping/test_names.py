"""Names in any form that lxml takes: of elements, of attributes, in namespaces; those that no document could have."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.wrapping.outside_classes import plain_parser
from tests.wrapping.short_events import X, told
from xmlcep.wrapping import Document, RefusedError, fromstring


@pytest.mark.parametrize("name", [etree.QName("urn:x", "q"), etree.QName("q"), b"q", bytearray(b"q")])
def test_a_name_may_be_given_in_any_form(name: Any) -> None:
    document = fromstring(X)
    seen = told(document)
    root, path = document.root, f"/r/{etree.QName('urn:x', 'q').text if 'urn' in str(name) else 'q'}"
    root[3].tag = name
    assert seen == [
        "del /r/c/text()+",
        "del /r/c/d+",
        "del /r/c+",
        f"ins {path}+",
        f"ins {path}/d+",
        f"ins {path}/text()",
    ]
    seen.clear()
    renamed = etree.fromstring("<z><y/></z>")
    renamed.tag = name
    root.append(renamed)
    assert seen == [f"ins {path}+", f"ins {path}/y"]
    document._check()


@pytest.mark.parametrize("name", [etree.QName("c"), b"c", "{}c"])
def test_a_state_may_have_names_in_any_form(name: Any) -> None:
    state = etree.fromstring("<r><b>x</b></r>", plain_parser())
    state[0].tag = name
    document = fromstring("<r><c>x</c></r>")
    seen = told(document)
    assert document.update_to(state) == 0
    state[0].text = "y"
    document.update_to(state)
    assert seen == ["upd /r/c/text()"]
    document._check()


def test_a_name_may_say_that_it_is_in_no_namespace() -> None:
    document = fromstring(X)
    seen = told(document)
    root = document.root
    root[1].tag = "{}q"
    renamed = etree.Element("z")
    renamed.tag = "{}q"
    root.append(renamed)
    etree.SubElement(root, "{}q", {"{}k": "1"})
    assert seen == ["del /r/b+", "ins /r/q", "ins /r/q", "ins /r/q+", "ins /r/q/@k"]
    document._check()


@pytest.mark.parametrize("edit", [
    lambda r: setattr(r[0], "tag", "{a b}c"), lambda r: r[0].set("{%}k", "1"),
    lambda r: r[0].attrib.update({'{"}k': "1"}), lambda r: r.append(in_no_uri()),
])  # fmt: skip
def test_a_namespace_that_no_document_can_declare_is_refused(edit: Callable[[Any], Any]) -> None:
    """lxml takes what is not a URI, writes it, and cannot read it; declarations that stay behind are not written."""
    document = fromstring(X)
    seen = told(document)
    with pytest.raises(RefusedError, match="not a name that XML has"):
        edit(document.root)
    assert seen == []
    assert document.verify() == []
    etree.SubElement(document.root, "e").text = "x"
    assert rebuilt(document) == [node.tag for node in document.root.iter(etree.Element)]


def in_no_uri() -> Any:
    node = etree.Element("a")
    node.tag = "{a b}a"
    return node


def rebuilt(document: Document) -> list[str]:
    text = etree.fromstring(document.snapshot()[0], etree.XMLParser(collect_ids=False))
    return [str(node.tag) for node in text.iter(etree.Element)]


def test_a_snapshot_has_the_namespaces_that_declarations_hide() -> None:
    """lxml writes the element by a declaration further out that another one hides."""
    document = fromstring("<r xmlns='urn:x'><a xmlns=''><b xmlns='urn:x'/></a></r>")
    document.root.append(document.root[0])
    assert document.root[0][0].tag == "{urn:x}b"
    document.root.append(etree.fromstring("<a xmlns=''><b xmlns='urn:x'/></a>"))
    assert rebuilt(document) == ["{urn:x}r", "a", "{urn:x}b", "a", "{urn:x}b"]


@pytest.mark.parametrize("value", ["a", "1"])
def test_an_id_that_is_none_or_of_two_elements_is_like_any_attribute(value: str, tmp_path: Path) -> None:
    """Such a document is well-formed: it is read, recorded, rebuilt and recovered as all others."""
    text = f"<r><b xml:id='{value}'/></r>"
    document, log = fromstring(text), tmp_path / "log.jsonl"
    with document, xmlcep.record(document, log):
        document.root.append(copy.deepcopy(document.root[0]))
        assert rebuilt(document) == ["r", "b", "b"]
    twice = etree.tostring(document.root)
    assert etree.tostring(xmlcep.rebuild(log)) == twice
    recovered = xmlcep.recover(log)
    assert etree.tostring(recovered.document.root) == twice
    recovered.close()
    with fromstring(twice) as again, xmlcep.record(again, tmp_path / "again.jsonl"):
        again.root.set("k", "1")
    assert not xmlcep.diff(again, xmlcep.rebuild(tmp_path / "again.jsonl"))


def test_ids_are_found_as_ever() -> None:
    root = fromstring("<r><b xml:id='a'/></r>").root
    assert root.xpath("id('a')") == [root[0]]
