"""Trees of other packages, in their own element classes, edited by their own calls: every edit is an event.

Each test is skipped where its package is absent. What the events say is judged by the document that the log of them
is rebuilt to.
"""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import lxml.html
import lxml.html.builder
import pytest
from lxml import etree

import xmlcep
from tests.wrapping.event_oracle import whole

OPERATIONS = 60
Edit = Callable[[Random], Any]


def edited(doc: xmlcep.Document, edits: Sequence[Edit], folder: Path) -> int:
    """Has random edits done, every third in a transaction that is undone, and says how many events that made."""
    random = Random(1)
    events: list[Any] = []
    with doc, xmlcep.record(doc, folder / "log.jsonl") as log:
        doc.subscribe(events.append)
        for number in range(OPERATIONS):
            before, told = etree.tostring(doc.root), len(events)
            transaction = doc.transaction()
            try:
                with transaction:
                    random.choice(edits)(random)
                    if number % 3 == 2:
                        raise InterruptedError
            except InterruptedError:
                assert etree.tostring(doc.root) == before
                assert len(events) == told
            doc._check()
            assert doc.foreign == ()
        log.close()
        assert whole(xmlcep.rebuild(folder / "log.jsonl")) == whole(doc.root)
    return len(events)


def test_python_docx(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    for number in range(5):
        document.add_paragraph(f"{number}")
    table = document.add_table(2, 2)
    some = lambda random: random.choice(document.paragraphs)  # noqa: E731

    edits: list[Edit] = [
        lambda random: document.add_paragraph("new", style=random.choice(["Normal", "List Bullet", "Quote"])),
        lambda random: document.add_heading("heading", random.randint(0, 3)),
        lambda random: setattr(some(random).add_run("run"), random.choice(["bold", "italic", "underline"]), True),
        lambda random: setattr(some(random), "text", random.choice(["", "a\tb", "c\nd"])),
        lambda random: setattr(some(random), "alignment", random.choice([0, 1, 2, None])),
        lambda random: some(random).insert_paragraph_before("before"),
        lambda random: some(random).clear(),
        lambda random: document.add_table(random.randint(1, 2), 2),
        lambda random: setattr(table.cell(random.randint(0, 1), 0), "text", str(random.random())),
        lambda random: table.add_row(),
        lambda random: table.add_column(100_000),
        lambda random: table.cell(0, 0).merge(table.cell(1, 1)),
        lambda random: document.add_page_break(),
        lambda random: document.add_section(),
        lambda random: setattr(document.sections[0], "page_width", random.randint(10**6, 10**7)),
        lambda random: setattr(some(random).paragraph_format, "keep_with_next", random.choice([True, None])),
    ]  # fmt: skip
    assert edited(xmlcep.wrap(document.element, name="d"), edits, tmp_path) > OPERATIONS
    saved = io.BytesIO()
    document.save(saved)
    texts = [each.text for each in document.paragraphs]
    assert [each.text for each in docx.Document(saved).paragraphs] == texts


def test_python_pptx(tmp_path: Path) -> None:
    pptx = pytest.importorskip("pptx")
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    shapes = slide.shapes
    frame = shapes.placeholders[1].text_frame

    def table(random: Random) -> Any:
        return shapes.add_table(2, 2, 0, 0, 10**6, 10**6).table.cell(0, 1)

    edits: list[Edit] = [
        lambda random: shapes.add_textbox(random.randint(0, 9), 0, 100, 100),
        lambda random: setattr(random.choice(list(shapes)), "left", random.randint(0, 10**6)),
        lambda random: setattr(shapes.title, "text", random.choice(["", "one", "one\ntwo"])),
        lambda random: setattr(frame.add_paragraph(), "level", random.randint(0, 3)),
        lambda random: setattr(frame.paragraphs[0].add_run(), "text", "run"),
        lambda random: setattr(frame.paragraphs[-1].font, "bold", random.choice([True, False, None])),
        lambda random: shapes.add_shape(random.randint(1, 20), 0, 0, 50, 50).fill.solid(),
        lambda random: setattr(table(random), "text", "cell"),
        lambda random: shapes.add_connector(1, 0, 0, 10, random.randint(0, 10)),
        lambda random: frame.clear(),
    ]
    assert edited(xmlcep.wrap(slide._element, name="d"), edits, tmp_path) > OPERATIONS
    saved = io.BytesIO()
    show.save(saved)
    assert len(pptx.Presentation(saved).slides[0].shapes) == len(shapes)


def test_lxml_html(tmp_path: Path) -> None:
    root = lxml.html.document_fromstring(
        "<form action='/a'><p class='x'>one <b>two</b> three</p><input name='i'><textarea name='t'>u</textarea>"
        "<select name='s'><option value='1' selected>1</option><option value='2'>2</option></select></form>"
    )
    form = root.forms[0]

    def some(random: Random) -> Any:
        return random.choice(
            [each for each in root.iter() if isinstance(each.tag, str) and each.tag != "html"]
        )

    def dropped(random: Random) -> Any:
        bold = etree.SubElement(random.choice(root.findall(".//p")), "b")
        bold.text, bold.tail = "in", "behind"
        getattr(bold, random.choice(["drop_tag", "drop_tree"]))()

    def turned(random: Random) -> None:
        some(random).classes.toggle(random.choice("xyz"))

    edits: list[Edit] = [
        dropped, turned,
        lambda random: some(random).set("hidden"),
        lambda random: setattr(form, "action", random.choice(["/b", "/c"])),
        lambda random: form.fields.__setitem__("i", str(random.random())),
        lambda random: form.fields.__setitem__("t", str(random.random())),
        lambda random: form.fields.__setitem__("s", random.choice("12")),
        lambda random: root.make_links_absolute("http://example.org", handle_failures=None),
        lambda random: root.rewrite_links(lambda link: link + "x"),
        lambda random: root.body.append(lxml.html.builder.P("made", id="m")),
        lambda random: root.body.insert(0, root.makeelement("p")),
        lambda random: root.body.append(root.body[0]),
        lambda random: setattr(some(random), "tail", random.choice([None, "tail"])),
    ]  # fmt: skip
    assert edited(xmlcep.wrap(root, name="d"), edits, tmp_path) > OPERATIONS // 3


def test_xml2rfc(tmp_path: Path) -> None:
    parser = pytest.importorskip("xml2rfc.parser")
    writers = pytest.importorskip("xml2rfc.writers")
    (tmp_path / "cache").mkdir()
    source = tmp_path / "draft.xml"
    source.write_text(
        '<rfc version="3" ipr="trust200902" docName="draft-a-b-00" category="info" submissionType="IETF"><front>'
        '<title>T</title><author fullname="A B" surname="B" initials="A."/><date year="2026" month="1" day="1"/>'
        '<abstract><t>x</t></abstract></front><middle><section anchor="s"><name>N</name><t>See <xref target="s"/>.</t>'
        "<ul><li>one</li><li>two</li></ul></section></middle></rfc>",
        encoding="utf-8",
    )
    tree = parser.XmlRfcParser(
        str(source), quiet=True, no_network=True, cache_path=str(tmp_path / "cache")
    ).parse()
    root = tree.getroot()
    doc = xmlcep.wrap(root, name="draft")
    with doc, xmlcep.record(doc, tmp_path / "prepared.jsonl"):
        preparing = writers.PrepToolWriter(tree, quiet=True, date=datetime.date(2026, 1, 1))
        preparing.remove_dtd = lambda: None  # which goes on with a copy
        preparing.prep()
        doc._check()
        assert root.get("prepTime")
    assert whole(xmlcep.rebuild(tmp_path / "prepared.jsonl")) == whole(root)

    def some(random: Random) -> Any:
        return random.choice(list(root.iter("t", "li", "section")))

    edits: list[Edit] = [
        lambda random: setattr(etree.SubElement(some(random), "em"), "text", "em"),
        lambda random: some(random).set("keepWithNext", random.choice(["true", "false"])),
        lambda random: setattr(some(random), "text", str(random.random())),
    ]
    assert edited(xmlcep.wrap(root, name="d"), edits, tmp_path) >= OPERATIONS // 3


def test_junitparser(tmp_path: Path) -> None:
    junit = pytest.importorskip("junitparser")
    doc = xmlcep.fromstring(
        "<testsuites><testsuite name='s'><testcase name='c'/></testsuite></testsuites>", name="d"
    )
    suites = junit.JUnitXml.fromroot(doc.root)

    def case(random: Random) -> Any:
        return random.choice([case for suite in suites for case in suite])

    def added(random: Random) -> None:
        random.choice(list(suites)).add_testcase(junit.TestCase("n", "c", random.random()))

    edits: list[Edit] = [
        added,
        lambda random: suites.add_testsuite(junit.TestSuite("t")),
        lambda random: setattr(
            case(random), "result", [junit.Failure("no"), junit.Skipped()][: random.randint(0, 2)]
        ),
        lambda random: setattr(case(random), "system_out", str(random.random())),
        lambda random: setattr(case(random), "time", random.random()),
        lambda random: suites.update_statistics(),
        lambda random: next(iter(suites)).add_property("p", str(random.random())),
    ]
    assert edited(doc, edits, tmp_path) > OPERATIONS // 2


def test_lxml_html_clean(tmp_path: Path) -> None:
    clean = pytest.importorskip("lxml_html_clean")
    root = lxml.html.document_fromstring(
        "<p onclick='x'>a<script>s</script>b<a href='javascript:x'>c</a></p>"
    )
    cleaner = clean.Cleaner(page_structure=False)
    edits: list[Edit] = [
        lambda random: root.body.append(lxml.html.builder.P("x", lxml.html.builder.SCRIPT("y"), onclick="z")),
        lambda random: root.body[0].set("style", "a: url(javascript:x)"),
        lambda random: cleaner(root),
        lambda random: clean.autolink(root.body),
    ]
    assert edited(xmlcep.wrap(root, name="d"), edits, tmp_path) > OPERATIONS // 3
    cleaner(root)
    assert b"script" not in etree.tostring(root)


def test_signxml(tmp_path: Path) -> None:
    signxml = pytest.importorskip("signxml")
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    signer = signxml.XMLSigner(method=signxml.methods.enveloped)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    doc = xmlcep.fromstring("<order><item price='1'/></order>", name="d")

    def signed(random: Random) -> None:
        with doc.observe():
            doc.root.append(signer.sign(doc.root, key=key, always_add_key_value=True).find("{*}Signature"))

    edits: list[Edit] = [signed, lambda random: doc.root[0].set("price", str(random.random()))]
    assert edited(doc, edits, tmp_path) > OPERATIONS
