"""Parsers that go on when what they have parsed is in a wrapped document already."""

from __future__ import annotations

import gc
import io
import json
import subprocess
import sys

import pytest
from lxml import etree

from tests.wrapping.event_judge import Judge
from xmlcep.wrapping import fromstring, wrap
from xmlcep.wrapping.shadow import pull_parsers as feeding

RECORD = "<item n='{}'><price>{}</price>text<!--n--></item>"


def test_records_of_iterparse_come_one_by_one() -> None:
    text = f"<x>{''.join(RECORD.format(n, n) for n in range(2_000))}</x>".encode()
    document = fromstring("<r><a/></r>")
    judge = Judge(document)
    for _, item in etree.iterparse(io.BytesIO(text), tag="item"):
        document.root.append(item)
        item.set("seen", "1")
    judge.check(several=True)
    assert len(document.root) == 2_001
    del item
    gc.collect()
    document.catch_up()
    assert (document.foreign, feeding.fed) == ((), {})
    document._check()


@pytest.mark.parametrize("between", ["", "\n", "<!--c-->"])
def test_records_come_as_they_arrive(between: str) -> None:
    """Of a record that has just come nobody knows whether it is complete, until the parser has gone on."""
    document = fromstring("<r><a/></r>")
    judge = Judge(document)
    parser = etree.XMLPullParser(events=("end",), tag="item")
    parser.feed("<x>")
    for number in range(5):
        parser.feed(RECORD.format(number, number))
        [(_, item)] = parser.read_events()
        document.root.append(item)
        assert [each.tag for each in document.foreign] == ["item"]
        item[0].text = "edited"
        parser.feed(between + "<other/>")
        document.root.set("n", str(number))
        assert document.foreign == ()
        assert document._tree.fast_path
    judge.check(several=True)
    assert len(document.root) == 6
    document._check()


def test_a_tree_that_is_complete_is_like_any_other() -> None:
    parser = etree.XMLPullParser()
    parser.feed(b"<r><a>1</a><b/></r>")
    assert len(list(parser.read_events())) == 3
    document = wrap(parser.close())
    assert document.foreign, "as long as somebody has the parser, nobody knows"
    del parser
    gc.collect()  # lxml's parsers are in circles
    document.catch_up()
    assert document.foreign == ()
    document.root[0].text = "3"
    document._check()


def test_nothing_is_kept_of_documents_that_are_closed() -> None:
    parser = etree.XMLPullParser(events=("end",))
    parser.feed(b"<x><a>1</a>")
    [(_, node)] = parser.read_events()
    with fromstring("<r/>") as document:
        document.root.append(node)
        assert feeding.fed
    del parser, node
    gc.collect()
    other = etree.XMLPullParser(events=("end",))
    other.feed(b"<x><b/>")
    with fromstring("<r/>") as document:
        document.root.append(next(other.read_events())[1])
        assert [each.tag for each in feeding.fed] == ["b"]
        del other
        gc.collect()
        document.catch_up()
        assert not feeding.fed


BEGIN = {
    "doc = fromstring('<r/>'); doc.root.append(y)": "/r/y", "doc = fromstring('<r/>'); doc.root.insert(0, y)": "/r/y",
    "doc = fromstring('<r><a/></r>'); doc.root[0].addnext(y)": "/r/y",
    "doc = fromstring('<r><a/></r>'); doc.root[0] = y": "/r/y",
    "doc = fromstring('<r/>'); doc.root.extend([y])": "/r/y", "doc = wrap(x)": "/x/y",
}  # fmt: skip
MIDDLE = ("", "doc.catch_up()", "doc.root.set('k', '1')", "list(parser.read_events())")
GROWING = """
import json, os, sys
from lxml import etree
from xmlcep.wrapping import fromstring, wrap
held, results = [], {}
for begin in json.loads(sys.argv[1]):
    for middle in json.loads(sys.argv[2]):
        parser = etree.XMLPullParser(events=("start", "end"))
        parser.feed("<x><y>1")
        x, y = [node for _, node in parser.read_events()]
        exec(begin)
        told = []
        doc.subscribe(lambda event, told=told: told.append(f"{event.op} {event.path} {event.value}"))
        parser.feed("2<q k='3'>4</q>5<!--n-->")
        exec(middle)
        parser.feed("6<z/></y>7<w/></x>")
        doc.catch_up()
        results[f"{begin} | {middle}"] = told + doc.verify()
        held.append((parser, doc, x, y))
print(json.dumps(results), flush=True)
os._exit(0)  # lxml 6.1 may free what parsers have added to another tree twice
"""


def test_what_a_parser_adds_is_told() -> None:
    """Late, but not lost, as what is done through foreign proxies."""
    command = [sys.executable, "-c", GROWING, json.dumps(list(BEGIN)), json.dumps(MIDDLE)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    for case, told in json.loads(run.stdout).items():
        begin, middle = case.split(" | ")
        at = BEGIN[begin]
        final = [f"ins {at}/text() 12", f"ins {at}/q None", f"ins {at}/q/@k 3", f"ins {at}/q/text() 4",
                 f"ins {at}/text() 5", f"ins {at}/text() 6", f"ins {at}/z None"]  # fmt: skip
        if at == "/x/y":
            final += ["ins /x/text() 7", "ins /x/w None"]
        if "set" in middle:
            final.append(f"ins {at[:2]}/@k 1")
        assert sorted(told) == sorted(final), case
