"""Entities replaced before a text is parsed: what they are, where they count, what stays refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from xmlcep.versions import entities as module
from xmlcep.versions.difference import Text, diff
from xmlcep.versions.entities import Entities
from xmlcep.versions.files import FileVersions
from xmlcep.versions.history import write_history
from xmlcep.versions.version import VersionError

KNOWN = Entities(
    {"nbsp": "&#160;", "us": "R&amp;D &lt;1&gt;", "both": "&us;&#38;#38;&#x40;", "b": "<b/>", "c": "x&none;y"}
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a>1&nbsp;2</a>", "<a>1\xa02</a>"),
        ("<a b='&us;'>&us;</a>", '<a b="R&amp;D &lt;1&gt;">R&amp;D &lt;1&gt;</a>'),
        ("<a>&both;</a>", "<a>R&amp;D &lt;1&gt;&amp;@</a>"),
        (
            "<a><!-- &us; --><![CDATA[&us;]]><?p &us;?>&amp;&#65;</a>",
            "<a><!-- &us; -->&amp;us;<?p &us;?>&amp;A</a>",
        ),
        ("<!DOCTYPE a SYSTEM 'a.dtd'><a b='&nbsp;'/>", '<a b="\xa0"/>'),
        ("<!DOCTYPE a [<!ENTITY us '&#38;#60;'>\n<!ENTITY us 'no'>]><a>&us;</a>", "<a>&lt;</a>"),
        (
            "<!DOCTYPE a [<!-- ]> ' <!ENTITY us 'no'> --><!ENTITY % p 'x'>]><a>&us;</a>",
            "<a>R&amp;D &lt;1&gt;</a>",
        ),
    ],
)
def test_what_is_replaced(text: str, expected: str) -> None:
    root = etree.fromstring(
        KNOWN.resolved(text.encode()), etree.XMLParser(resolve_entities=False, load_dtd=False)
    )
    assert etree.tostring(root, encoding="unicode") == expected


@pytest.mark.parametrize("name", ["b", "c", "none", "amp", "a", "deep"])
def test_what_is_not(name: str) -> None:
    """Elements, others unknown, XML's own, those that name themselves."""
    known = Entities({"b": "<b/>", "c": "x&none;y", "a": "&d;", "d": "&a;", "deep": "&d;"})
    assert known.text(name) is None
    assert known.resolved(f"<a>&{name};</a>".encode()) == f"<a>&{name};</a>".encode()


def test_no_text_grows_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten of ten of ten … is none of the table; very many of a long one are too large a document."""
    bomb = "".join(f"<!ENTITY e{n} '{f'&e{n + 1};' * 10}'>" for n in range(12))
    text = f"<!DOCTYPE a [{bomb}<!ENTITY e12 'x'>]><a>&e0;</a>".encode()
    assert Entities({}).resolved(text).endswith(b"<a>&e0;</a>")
    long = Entities({"long": "x" * 9_999})
    with pytest.raises(VersionError, match="more than the 1 MB"):
        long.resolved(b"<a>" + b"&long;" * 200 + b"</a>", "big.xml", 1)


def test_tables_are_read_from_files_the_first_counts(tmp_path: Path) -> None:
    (tmp_path / "own.ent").write_text("""<!-- <!ENTITY no "x"> --><!ENTITY % iso SYSTEM "iso.ent"> %iso;
        <!ENTITY nbsp "!"><!ENTITY nbsp "?"><!ENTITY logo SYSTEM "logo.svg" NDATA svg>""")
    known = Entities.read([str(tmp_path / "own.ent"), "standard"])
    assert [known.text(name) for name in ("nbsp", "mdash", "no", "logo", "lsquo")] == [
        "!",
        "—",
        None,
        None,
        "‘",
    ]
    (tmp_path / "none.dtd").write_text("<!ELEMENT a ANY>")
    with pytest.raises(VersionError, match="declares no entity"):
        Entities.read([str(tmp_path / "none.dtd")])


def test_a_history_with_entities_is_read(tmp_path: Path) -> None:
    texts = ["<a>1</a>", "<!DOCTYPE a SYSTEM 'docbook.dtd'>\n<a>1&nbsp;&copy;</a>",
             "<!DOCTYPE a [<!ENTITY v '2'>]><a>&v;</a>", "<a>&unknown;</a>"]  # fmt: skip
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.xml").write_text(text)
    source = FileVersions([tmp_path])
    assert len(write_history(source, tmp_path / "1.jsonl", name="a").skipped) == 3
    done = write_history(source, tmp_path / "2.jsonl", name="a", entities=Entities.read([module.STANDARD]))
    assert (done.read, [Path(each.label).name for each in done.skipped]) == (3, ["3.xml"])


def test_a_text_in_another_encoding_is_left_as_it_is() -> None:
    text = "<a>&nbsp;</a>".encode("utf-16")
    assert KNOWN.resolved(text) is text
    assert not diff(Text("x", "<a/>"), Text("y", KNOWN.resolved(b"<a/>")))
