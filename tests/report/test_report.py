"""The report: what stands in it, and that no log can make it do anything (Y7)."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.report.browser import open_browser, open_page
from xmlcep import fromstring, load_rules, parse_rules, record
from xmlcep.cli.main import run
from xmlcep.provenance import WHO
from xmlcep.reporting import write_report
from xmlcep.reporting.contents import contents_of, snippet
from xmlcep.reporting.escapes import embedded, visible

RULES = """event Complete = ins(item/price) & ins(item/quantity)
event Price = upd(item/price/text())
event Never = ins(item/prize) & ins(item/quantity)
"""
HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    "\u202e\u2066\x85{{ 7*7 }}<!-- javascript:alert(3)"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """An order, with texts that would like to be markup, and a bad record."""
    doc = fromstring("<order/>", name=f"order {HOSTILE}")
    with record(doc, tmp_path / "log.jsonl"):
        for number in range(60):
            with doc.transaction(user=f"ann {HOSTILE}" if number % 2 else "bob", reason=HOSTILE):
                item = doc.root.makeelement("item", n=str(number), x=HOSTILE.replace("\x85", ""))
                doc.root.append(item)
                for name in ("price", "quantity"):
                    item.append(item.makeelement(name))
                item[0].text = HOSTILE.replace("\x85", "") if number == 3 else str(number)
                item[0].text = f"{number} again"
    with (tmp_path / "log.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"doc": HOSTILE, "ts": HOSTILE}) + "\n")
    (tmp_path / "rules.xcep").write_text(RULES)
    return tmp_path / "log.jsonl"


@pytest.fixture
def page_file(log: Path, tmp_path: Path) -> Path:
    """The report of it."""
    write_report(
        log, load_rules(tmp_path / "rules.xcep"), tmp_path / "report.html", title=f"Orders {HOSTILE}"
    )
    return tmp_path / "report.html"


class _Elements(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[dict[str, str | None]] = []
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "script":
            self.scripts.append(dict(attrs))


def test_the_page_has_no_markup_of_the_log(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    found = _Elements()
    found.feed(text)
    kinds = [script.get("type", "script") for script in found.scripts]
    assert kinds == ["application/json", "application/json", "script"]
    assert not found.names & {"img", "iframe", "link", "object", "base"}
    assert not [name for name in found.attributes if name.startswith("on") or name in ("src", "srcdoc")]
    assert "{{ 7*7 }}" in text and "49" not in re.findall(r"<h1>.*?</h1>", text)[0]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x80-\x9f]", text)
    assert "http" not in re.sub(r"http://www\.w3\.org/2000/svg|http-equiv", "", text)


def test_what_stands_in_it(log: Path, tmp_path: Path) -> None:
    contents = write_report(log, load_rules(tmp_path / "rules.xcep"), tmp_path / "report.html")
    assert [(rule["name"], rule["findings"]) for rule in contents.rules] == [
        ("Complete", 60), ("Price", 60), ("Never", 0),
    ]  # fmt: skip
    assert [bool(rule["why_not"]) for rule in contents.rules] == [False, False, True]
    never = contents.rules[2]
    assert (
        never["why_not"].startswith("Never was not raised at")
        and "did you mean ins(item/price)?" in never["why_not"]
    )
    assert contents.bad_in_all == 1 and "ts is" in contents.bad[0]["reason"]
    assert dict(contents.users) == {"bob": 60, visible(f"ann {HOSTILE}"): 60}
    events, more, before, after = contents.details[1][:4]
    assert more == 0 and events[0][6:] == ["0", "0 again"]
    assert "<price>0</price>" in before and "<price>0 again</price>" in after
    assert sum(contents.changes["bins"]) == contents.records


def test_who_has_made_a_finding(tmp_path: Path) -> None:
    """The user of the record that caused it, else the first one of its changes."""

    def change(ts: int, name: str, **meta: str) -> str:
        record = {"doc": "d", "ts": ts, "op": "ins", "path": f"/order/{name}", "ids": [1, ts]}
        return json.dumps(record | ({"meta": meta} if meta else {})) + "\n"

    (tmp_path / "log.jsonl").write_text(
        change(2, "a", user="ann") + change(3, "b") + change(4, "b", user="bob")
    )
    rules = parse_rules("event Own = ins(order/b)\nevent OfBoth = ins(order/a) & ins(order/b)")
    contents = write_report(tmp_path / "log.jsonl", rules, tmp_path / "report.html")
    found = [(contents.texts[row[0]], contents.texts[row[4]]) for row in contents.findings]
    assert found == [("Own", ""), ("OfBoth", "ann"), ("Own", "bob")]
    assert [count for count in contents.changes["bins"] if count] == [1, 1, 1]
    assert contents.changes["bins"][0] == contents.changes["bins"][-1] == 1


def test_the_command(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.html"
    assert run(["report", str(log), "--rules", str(tmp_path / "rules.xcep"), "-o", str(target)]) == 3
    assert capsys.readouterr().err.startswith(
        f"120 findings in {target}\nxmlcep: 1 bad record left out; the first: "
    )
    assert target.read_bytes().startswith(b"<!doctype html>")
    assert (
        run(["report", str(tmp_path / "no.jsonl"), "--rules", str(tmp_path / "rules.xcep"), "-o", "x"]) == 2
    )
    assert run(["report", str(log), "--rules", str(tmp_path / "rules.xcep"), "-o", str(tmp_path)]) == 2


def test_a_log_without_findings(tmp_path: Path) -> None:
    doc = fromstring("<order/>", name="empty")
    with record(doc, tmp_path / "log.jsonl"):
        doc.root.append(doc.root.makeelement("item"))
    (tmp_path / "rules.xcep").write_text(RULES)
    contents = write_report(tmp_path / "log.jsonl", load_rules(tmp_path / "rules.xcep"), tmp_path / "r.html")
    assert contents.findings == [] and all(rule["why_not"] for rule in contents.rules)


def test_of_a_large_element_no_more_is_read_than_is_shown() -> None:
    def large(children: int) -> etree._Element:
        return etree.fromstring("<o a='b'>" + "<i n='1'>text</i>tail" * children + "</o>")

    element = large(20_000)
    assert snippet(large(20)) == snippet(element) and snippet(element).endswith("…")
    tracemalloc.start()
    try:
        snippet(element)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 50_000  # a list of its children alone takes 160,000
    assert snippet(large(1)) == '<o a="b"><i n="1">text</i>tail</o>'
    assert len(snippet(etree.fromstring(f"<o>{'x' * 10_000}</o>"))) == 240


def test_of_many_events_the_first_are_kept(tmp_path: Path) -> None:
    """Findings are looked at one by one."""
    doc = fromstring("<order/>", name="d")
    with record(doc, tmp_path / "log.jsonl"):
        for _ in range(100):
            etree.SubElement(doc.root, "item")
    rules = parse_rules("event All(/order) = x[1,*] ins(item)")
    contents = write_report(tmp_path / "log.jsonl", rules, tmp_path / "r.html")
    assert [len(detail[0]) + detail[1] for detail in contents.details] == list(range(1, 101))
    assert max(len(detail[0]) for detail in contents.details) == 40
    assert contents.details[1][2:4] == ["<order/>", "<order><item/><item/></order>"]


def test_data_cannot_end_its_element() -> None:
    assert json.loads(embedded({"a": "</script>\u2028&"})) == {"a": "</script>\u2028&"}
    assert not set("<>&\u2028") & set(embedded({"a": "</script>\u2028&"}))


@pytest.fixture
def browser() -> Iterator[Any]:
    """A browser, if there is one."""
    with open_browser() as found:
        yield found


def test_in_a_browser(browser: Any, page_file: Path) -> None:
    said: list[str] = []
    page = open_page(browser, page_file, said)
    assert page.inner_text("#shown") == "120 of 120"
    assert page.locator(".row").count() < 60  # only those that can be seen
    page.select_option("#f-rule", label="Price (60)")
    assert page.inner_text("#shown") == "60 of 120"
    page.fill("#f-text", "script")
    assert page.inner_text("#shown") != "60 of 120"
    page.locator(".row").first.click()
    assert "alert(1)" in page.inner_text("#detail")
    assert page.evaluate("location.hash").startswith("#finding-")
    page.fill("#f-text", "no such text")
    assert page.inner_text("#shown") == "0 of 120" and page.locator(".row").count() == 0
    assert said == []


def test_with_the_keyboard(browser: Any, page_file: Path) -> None:
    said: list[str] = []
    page = open_page(browser, page_file, said)
    page.keyboard.press("/")
    page.keyboard.type("item")
    assert page.input_value("#f-text") == "item"
    page.focus("#table")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.inner_text("#detail h3").startswith("3 ")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#finding-3"
    assert page.evaluate("document.activeElement.id") == "detail"
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    assert page.inner_text("#detail h3").startswith("120 ")
    page.focus("#timeline")
    page.keyboard.press("+")
    assert page.inner_text("#shown") != "120 of 120"
    page.keyboard.press("Escape")
    assert page.inner_text("#shown") == "120 of 120"
    page.click("button[data-column=values]")
    page.click("button[data-column=values]")
    assert page.get_attribute("button[data-column=values]", "aria-sort") == "descending"
    assert said == []


def test_a_link_to_a_finding_print_and_dark(browser: Any, page_file: Path, tmp_path: Path) -> None:
    said: list[str] = []
    page = open_page(browser, page_file, said, color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto(page_file.as_uri() + "#finding-100")
    page.wait_for_function("document.querySelector('#detail h3')?.textContent.startsWith('100 ')")
    assert page.locator(".row[aria-selected=true]").count() == 1
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.emulate_media(media="print")
    assert not page.is_visible("#filters") and page.is_visible("#rows")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".row").count() == 120
    assert said == []


def test_the_timeline_is_brushed(browser: Any, page_file: Path) -> None:
    said: list[str] = []
    page = open_page(browser, page_file, said)
    box = page.locator("#timeline").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 40, steps=4)
    page.mouse.up()
    left = int(page.inner_text("#shown").split()[0])
    assert 10 < left < 60
    assert said == []


def test_nothing_is_run_that_does_not_belong_there(browser: Any, page_file: Path, tmp_path: Path) -> None:
    """Even if a text became markup, the policy of the page would not let it do anything."""
    spoilt = tmp_path / "spoilt.html"
    text = page_file.read_text(encoding="utf-8")
    spoilt.write_text(
        text.replace("<main>", "<main><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>")
    )
    said: list[str] = []
    page = open_page(browser, spoilt, said)
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in line for line in said)


@pytest.mark.parametrize("key", WHO)
def test_who_made_the_changes(key: str, tmp_path: Path) -> None:
    """Logs of git histories say ``author``: the same words count as in `xmlcep log`."""
    doc = fromstring("<order/>", name="order")
    with record(doc, tmp_path / "log.jsonl"), doc.transaction(**{key: "ann", "commit": "1a2b"}):
        doc.root.append(doc.root.makeelement("item"))
    contents = contents_of(tmp_path / "log.jsonl", parse_rules("event New = ins(item)"))
    assert contents.users == [("ann", 1)]
    assert "ann, commit=1a2b" in contents.texts


def written(tmp_path: Path, text: str = "", **edits: Any) -> str:
    """The page of a small order, with these texts in its transactions' meta."""
    doc = fromstring("<order/>", name=text or "order")
    with record(doc, tmp_path / "log.jsonl", seal=True), doc.transaction(**edits):
        for _ in range(210):
            doc.root.append(doc.root.makeelement("item"))
    doc.close()
    (tmp_path / "rules.xcep").write_text(
        "# Items that came,\n#  by anybody <b>\nevent New = ins(item)\nevent B = ins(b)\n"
    )
    write_report(tmp_path / "log.jsonl", load_rules(tmp_path / "rules.xcep"), tmp_path / "r.html")
    return (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_page_says_what_it_was_made_of(tmp_path: Path) -> None:
    text = written(tmp_path, author="ann")
    assert "<h1>Audit of log.jsonl</h1>" in text
    assert re.search(r"Written 20\d\d-\d\d-\d\dT[0-9:]+Z by xmlcep ", text)
    assert f"rules: {tmp_path / 'rules.xcep'}" in text and f"Logs: {tmp_path / 'log.jsonl'}" in text
    assert "the seal is unbroken up to record 211, head " in text
    assert '<p class="comment">Items that came,\n by anybody &lt;b&gt;</p>' in text


def test_without_a_script_the_first_findings_are_there(tmp_path: Path) -> None:
    plain = written(tmp_path, author="ann").partition("<noscript>")[2].partition("</noscript>")[0]
    assert plain.count("<tr>") == 201 and "The first 200." in plain
    assert plain.count("<td>ann</td>") == 200
    (tmp_path / "hostile").mkdir()
    plain = written(tmp_path / "hostile", author=HOSTILE.replace("\x85", "")).partition("<noscript>")[2]
    assert "&lt;/script&gt;" in plain.partition("</noscript>")[0]


def test_columns_are_as_wide_as_their_texts_and_empty_ones_hidden(tmp_path: Path) -> None:
    hidden = ".row > :nth-child(%d)"
    text = written(tmp_path)
    assert hidden % 3 in text and hidden % 7 in text  # who, values
    assert hidden % 2 not in text and hidden % 6 not in text
    assert hidden % 5 in text  # one document
    assert "grid-template-columns: 5ch 21ch 8ch minmax(16ch, 2fr);" in text
    (tmp_path / "other").mkdir()
    text = written(tmp_path / "other", "a" * 100, author="ann")
    assert hidden % 3 not in text
    assert "grid-template-columns: 5ch 21ch 6ch 8ch minmax(16ch, 2fr);" in text
