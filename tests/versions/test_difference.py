"""`xmlcep.diff`: what it takes, what it says, and the same as a change log."""

from __future__ import annotations

from io import BytesIO, StringIO
from pathlib import Path

import pytest
from hypothesis import given
from lxml import etree

import xmlcep
from tests.matching.trees import canonical, eventful, pairs, unindented
from xmlcep.documents.replica import Replica, Strictness
from xmlcep.matching import ChangeKind, KeyFormatError
from xmlcep.schema import SchemaError
from xmlcep.versions import VersionError, diff
from xmlcep.versions.difference import Text, difference_log
from xmlcep.wrapping import DocumentError

OLD, NEW = "<o><p>1</p><q/></o>", "<o>\n  <p>2</p>\n</o>\n"
EXPECTED = ["~ /o/p/text() '1' → '2'", "- /o/q"]


def test_all_that_is_a_document(tmp_path: Path) -> None:
    old, new = tmp_path / "old.xml", tmp_path / "new.xml"
    old.write_text(OLD)
    new.write_text(NEW)
    tree = etree.parse(str(new))
    with new.open("rb") as opened, xmlcep.parse(new) as document:
        for given_new in (new, str(new), opened, StringIO(NEW), tree, tree.getroot(), document):
            assert list(map(str, diff(old, given_new))) == EXPECTED
    found = diff(old, new)
    assert (len(found), bool(found), found.count(ChangeKind.DELETED)) == (2, True, 1)
    assert str(found) == "\n".join(EXPECTED)


def test_no_difference() -> None:
    for new in (OLD, "<o>\n<p>1</p>\n<q></q>\n</o>"):
        found = diff(BytesIO(OLD.encode()), BytesIO(new.encode()))
        assert not found
        assert str(found) == "no difference"
    assert diff(BytesIO(b"<o> <p/></o>"), BytesIO(b"<o><p/></o>"), ignore_whitespace=False)


def test_encodings_do_not_matter() -> None:
    texts = [
        f'<?xml version="1.0" encoding="{name}"?><a k="é">ß</a>'.encode(name)
        for name in ("iso-8859-1", "utf-16", "utf-8")
    ]
    assert not any(diff(BytesIO(texts[0]), BytesIO(other)) for other in texts[1:])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "new.xml:1:1: Document is empty"),
        (b"no xml", r"new.xml:1:1: Start tag expected"),
        (b"<a>\n<b></a>", "new.xml:2:8: Opening and ending tag mismatch"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "new.xml:1: the entity &x; is not resolved"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a/>', "declares the entity 'x'"),
        (b"\x1f\x8b....", "this is gzip data, not XML"),
        (b'<?xml version="1.0" encoding="utf-8"?><a>\xe9</a>', "new.xml:1"),
        (b"<a>" * 300 + b"</a>" * 300, "elements may be nested 256 deep"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    old, new = tmp_path / "old.xml", tmp_path / "new.xml"
    old.write_text(OLD)
    new.write_bytes(text)
    for one, other in ((old, new), (new, old), (new, new)):
        with pytest.raises(DocumentError, match=message):
            diff(one, other)


def test_what_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(OLD)
    for wrong in (1, None, etree.Comment("x"), b"<a/>"):
        with pytest.raises(
            VersionError, match="is not a document: give an XML file, an lxml tree or element"
        ):
            diff(tmp_path / "a.xml", wrong)
    with pytest.raises(VersionError, match="XML text was given where a file is expected"):
        diff(OLD, NEW)
    with pytest.raises(VersionError, match="a folder: an XML file is expected"):
        diff(tmp_path, tmp_path / "a.xml")
    with pytest.raises(FileNotFoundError):
        diff(tmp_path / "a.xml", tmp_path / "b.xml")
    with pytest.raises(KeyFormatError):
        diff(tmp_path / "a.xml", tmp_path / "a.xml", keys=["item"])
    with pytest.raises(SchemaError, match="no such schema file"):
        diff(tmp_path / "a.xml", BytesIO(b"<a/>"), schema=tmp_path / "no.xsd")


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "large.xml"
    with large.open("wb") as stream:
        stream.truncate(1_100_000_000)  # which takes no room
    with pytest.raises(VersionError, match=r"large\.xml: 1,100 MB, more than the 256 MB"):
        diff(large, large)
    with pytest.raises(VersionError, match="more than the 1 MB"):
        diff(BytesIO(b" " * 1_000_001), large, largest=1)


def test_roots_of_different_names_are_said() -> None:
    found = diff(Text("old", "<a><b/></a>"), Text("new", '<a xmlns="urn:x"><b/></a>'))
    assert list(map(str, found)) == ["- /a (2 nodes)", "+ /a (2 nodes)"]
    assert found.remarks == (
        "the root elements have different names, a and {urn:x}a: everything is deleted, everything inserted",
    )


def test_keys_of_a_schema(tmp_path: Path) -> None:
    schema = tmp_path / "order.xsd"
    schema.write_text(
        """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="o"><xs:complexType><xs:sequence>
        <xs:element name="i" maxOccurs="9"><xs:complexType><xs:attribute name="name"/><xs:attribute name="part"/>
        </xs:complexType></xs:element></xs:sequence></xs:complexType>
        <xs:key name="k"><xs:selector xpath="./i"/><xs:field xpath="@part"/></xs:key></xs:element></xs:schema>"""
    )
    old, new = '<o><i name="x" part="1"/><i name="y" part="2"/></o>', '<o><i name="x" part="2"/></o>'
    texts = (Text("old", old), Text("new", new))
    assert list(map(str, diff(*texts))) == ["~ /o/i/@part '1' → '2'", "- /o/i[@name='y'] part='2' (3 nodes)"]
    assert list(map(str, diff(*texts, schema=schema))) == [
        "- /o/i[@name='x'] part='1' (3 nodes)",
        "~ /o/i/@name 'y' → 'x'",
    ]


def test_keys_that_do_not_do_what_they_are_for_are_said() -> None:
    old, new = '<o><item k="1"/><item k="1"/><other/></o>', '<o><item k="1">x</item><other k="1"/></o>'
    found = diff(Text("old", old), Text("new", new), keys=["itm=@k", "item=@k", "other=@k", "o=@k"])
    assert found.remarks == (
        "key itm=@k: no element is called itm; did you mean item?",
        "key item=@k: /o/item[2] has the key '1' of a sibling before it: such are matched by content",
        "key other=@k: 1 of 2 elements do not have it: they are matched by content",
        "key o=@k: no element called o has it",
    )


@given(pairs())
def test_the_change_log_of_a_difference_leads_from_one_to_the_other(
    pair: tuple[etree._Element, etree._Element],
) -> None:
    old, new = (Text(name, etree.tostring(root)) for name, root in zip(("old", "new"), pair, strict=True))
    log = difference_log(old, new, at=0.0)
    assert log.header.snapshot is not None
    replica = Replica.from_snapshot(log.header.snapshot, log.header.ids, strictness=Strictness.STRICT)
    for event in log.events:
        replica.apply(event)
        assert (event.txn, event.at) == (1, "1970-01-01T00:00:00.000Z")
    rebuilt = replica.tree()
    assert rebuilt is not None
    assert canonical(rebuilt) == canonical(eventful(unindented(pair[1])))
    assert bool(diff(old, new)) or not log.events
