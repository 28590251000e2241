"""Who last changed what, and what a log says of some nodes: tables and a law."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

import xmlcep
from tests.matching.trees import pairs
from xmlcep.log import LogError
from xmlcep.recording.recorder import record
from xmlcep.versions import VersionError
from xmlcep.versions.blame import Blame, blame, select
from xmlcep.versions.telling import tell


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Ann adds an item, Bob changes a price and an attribute, somebody without a name removes an item."""
    file = tmp_path / "log.jsonl"
    document = xmlcep.fromstring('<o xmlns:p="urn:p"><i p:k="1">a<b/>c</i><i id="2"/></o>', now=lambda: 0.0)
    with document, record(document, file):
        with document.transaction(user="Ann", reason="new stock"):
            item = etree.SubElement(document.root, "i", id="3")
            etree.SubElement(item, "price").text = "5 < 6"
        with document.transaction(user="Bob", date="2026-03-31T10:00:00Z"):
            item[0].text = "7"
            document.root[0].set("{urn:p}k", "9")
            document.root[0][0].tail = "d\ne"
        document.root.remove(document.root[1])
    return file


def shown(found: Blame, xpath: str | None = None) -> list[str]:
    return [
        f"{'' if line.stamp is None else line.stamp.who or '-'}|{line.text}" for line in found.lines(xpath)
    ]


def test_the_document_with_who_changed_what(log: Path) -> None:
    assert shown(blame(log)) == [
        "-|<o>",
        "-|  <i",
        'Bob|      p:k="9"',
        "-|    >",
        "-|    a",
        "-|    <b></b>",
        "Bob|    d",
        "Bob|    e",
        "|  </i>",
        'Ann|  <i id="3">',
        "Ann|    <price>",
        "Bob|      7",
        "|    </price>",
        "|  </i>",
        "|</o>",
    ]


def test_an_earlier_time_point(log: Path) -> None:
    found = blame(log, at=4)
    assert "Ann|    <price>5 &lt; 6</price>" in shown(found)
    assert not any(line.startswith("Bob") for line in shown(found))
    assert [line.split("|")[1] for line in shown(found)].count('  <i id="2"></i>') == 1


@pytest.mark.parametrize(
    ("xpath", "expected"),
    [
        ("//price", ["Ann|<price>", "Bob|  7", "|</price>"]),
        ("//i/@p:k", ["Bob|/o/i[1]/@p:k  '9'"]),
        ("//price/text()", ["Bob|/o/i[2]/price/text()  '7'"]),
        ("/o/i[1]/text()", ["-|/o/i[1]/text()  'a'", "Bob|/o/i[1]/text()  'd\\ne'"]),
    ],
)
def test_some_nodes(log: Path, xpath: str, expected: list[str]) -> None:
    assert shown(blame(log), xpath) == expected


def test_stamps_say_when_and_why(log: Path) -> None:
    found = blame(log)
    stamps = {line.stamp.who: line.stamp for line in found.lines() if line.stamp is not None}
    assert (stamps["Ann"].why, stamps["Ann"].when, stamps["Ann"].version) == (
        "new stock", "1970-01-01T00:00:00.000Z", "txn 1",
    )  # fmt: skip
    assert stamps["Bob"].when == "2026-03-31T10:00:00Z"
    assert (stamps[""].ts, stamps[""].version) == (0, "")


def test_what_a_log_says(log: Path) -> None:
    assert [(told.stamp.who, told.lines) for told in tell(log)] == [
        ("Ann", ("+ /o/i[@id='3'] (4 nodes)",)),
        (
            "Bob",
            (
                "~ /o/i[@id='3']/price/text() '5 < 6' → '7'",
                "~ /o/i[1]/@p:k '1' → '9'",
                "~ /o/i[1]/text() 'c' → 'd\\ne'",
            ),
        ),
        ("", ("- /o/i[@id='2']/@id '2'",)),
        ("", ("- /o/i[@id='2']",)),
    ]


def test_what_a_log_says_of_some_nodes(log: Path) -> None:
    found = blame(log)
    [price] = select(found.root, "//price")
    assert [told.lines for told in tell(log, [found.id_of(price)])] == [
        ("+ /o/i[@id='3']/price (2 nodes)",), ("~ /o/i[@id='3']/price/text() '5 < 6' → '7'",),
    ]  # fmt: skip
    assert list(tell(log, [99])) == []
    assert len(list(tell(log, at=4))) == 1


def test_what_cannot_be_looked_up(log: Path, tmp_path: Path) -> None:
    found = blame(log)
    for xpath, message in (
        ("//[", "is no XPath expression that can be used here"),
        ("//q:x", "is no XPath expression that can be used here"),
        ("count(//i)", "expected an expression that finds nodes"),
        ("//nothing", "finds nothing in the document"),
    ):
        with pytest.raises(VersionError, match=message):
            select(found.root, xpath)
    with pytest.raises(VersionError, match="names without prefix are in no namespace here, write d:"):
        select(etree.fromstring('<a xmlns="urn:x"/>'), "//a")
    assert select(etree.fromstring('<a xmlns="urn:x"/>'), "/d:a")
    for wrong in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises((LogError, OSError)):
            blame(wrong)
    with pytest.raises(LogError, match="nothing is recorded of the document 'other'"):
        blame(log, doc="other")
    two = tmp_path / "two.jsonl"
    two.write_text(log.read_text() + log.read_text().replace('"doc":"document"', '"doc":"second"'))
    with pytest.raises(LogError, match="several documents"):
        list(tell(two))
    assert shown(blame(two, doc="second")) == shown(blame(log))


@given(pairs())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_node_is_of_somebody_and_all_changes_are_told(
    tmp_path: Path, pair: tuple[etree._Element, etree._Element]
) -> None:
    file = tmp_path / "log.jsonl"
    file.unlink(missing_ok=True)
    with xmlcep.fromstring(etree.tostring(pair[0])) as document, record(document, file):
        count = document.update_to(pair[1], user="Ann", ignore_whitespace=False)
        ids = set(document.snapshot()[1])
    found = blame(file)
    assert set(found.stamps) == ids
    names = {line.stamp.who for line in found.lines() if line.stamp is not None}
    assert names <= {"Ann", ""} and (count == 0 or list(tell(file)))
