"""Random action rules on random edits: what was done live is in the log, is found by audits, is done by ``apply``.

``python -m tests.actions.test_random_lives SEED COUNT`` does more of it.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from tests.actions.random_rules import random_edit, random_rules
from xmlcep import CascadeError, audit, parse_rules, record, recover
from xmlcep.cli.main import run

START = "<r><a x='1'>t<b/></a><b y='1'><c/></b><c/></r>"
EVENTS = """
event P(a) = external
event Came(a) = ins(a) ; ins(a/@x)
event Inside(r) {end=custom} = x[1,*] *(r/a//)
event Raised(a) {context=recent} = P(a) & *(a/@y)
event Went(r) = x[2,3] del(r/b)
"""


class Undone(Exception):
    """Ends a transaction."""


class Life:
    """A document with rules that is edited, its log, and what was found, fired and refused meanwhile."""

    def __init__(self, seed: int, folder: Path) -> None:
        chance = random.Random(seed)
        self.rules, self.log = random_rules(seed), folder / "log.jsonl"
        self.errors: list[Exception] = []
        self.found: list[tuple[str, int, tuple[int, ...]]] = []
        self.undone_at_once = False
        self.time = 1_000  # it stands still while rules act, as where the edit is made again
        self.document = xmlcep.fromstring(START, name="d", now=lambda: self.time)
        with (
            record(self.document, self.log),
            self.document.watch(
                parse_rules(EVENTS), on_event=lambda e: self.found.append((e.name, e.ts, tuple(e.ids)))
            ),
            self.document.rules(self.rules, on_error=self.errors.append, limit=8, firings=200),
        ):
            for _ in range(8):
                with suppress(Undone):
                    self._edit(chance)
                self.document._check()
        self.text = etree.tostring(self.document.root)

    def _edit(self, chance: random.Random) -> None:
        if chance.random() > 0.3:
            self._make_edit(chance)
            return
        immediate, undone = chance.random() < 0.4, chance.random() < 0.3
        self.undone_at_once = self.undone_at_once or (immediate and undone)
        with self.document.transaction(immediate=immediate, user="ann"):
            for _ in range(chance.randint(1, 3)):
                self._make_edit(chance)
            if undone:
                raise Undone

    def _make_edit(self, chance: random.Random) -> None:
        self.time += chance.choice((0, 1, 2, 5))
        random_edit(self.document.root, chance)


def applied(life: Life, folder: Path) -> bytes | None:
    """The document after ``apply``; None if the log has edits of what rules had made, which are left out."""
    rules, start, out = folder / "r.xcep", folder / "s.xml", folder / "o.xml"
    rules.write_text(str(life.rules))
    start.write_text(START)
    said = io.StringIO()
    arguments = [str(rules), str(start), "--log", str(life.log), "--out", str(out), "--limit", "8"]
    with redirect_stdout(said), redirect_stderr(said):
        assert run(["apply", *arguments]) == int(bool(life.errors)), said.getvalue()
    return None if "left out" in said.getvalue() else etree.tostring(etree.parse(str(out)).getroot())


def judge(seed: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        life = Life(seed, folder)
        assert etree.tostring(xmlcep.rebuild(life.log)) == life.text
        with recover(life.log) as back:
            assert etree.tostring(back.document.root) == life.text
        lines = map(json.loads, audit(str(life.log), parse_rules(EVENTS), engine="local").lines())
        found = sorted((each["name"], each["ts"], tuple(each["ids"])) for each in lines)
        assert found == sorted(life.found)
        # What an immediate transaction did before it was undone stands in the log; so many firings are not counted.
        if not life.undone_at_once and not any(isinstance(each, CascadeError) for each in life.errors):
            assert applied(life, folder) in (None, life.text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(2))
def test_what_was_done_live_is_done_again(part: int) -> None:
    for seed in range(10 * part, 10 * part + 10):
        judge(seed)


def test_rules_that_measure_time_see_that_of_the_log(tmp_path: Path) -> None:
    rules, log = tmp_path / "r.xcep", tmp_path / "log.jsonl"
    rules.write_text('rule Late on (plus[ins(r/a), "2 h"]) do set "@late" = "1"')
    (tmp_path / "s.xml").write_text("<r/>")
    times = iter((0.0, 3_600.0, 7_201.0))
    document = xmlcep.fromstring("<r/>", name="s.xml", now=lambda: next(times))
    with record(document, log):
        for name in ("a", "b", "b"):
            etree.SubElement(document.root, name)
    out = tmp_path / "o.xml"
    assert run(["apply", str(rules), str(tmp_path / "s.xml"), "--log", str(log), "--out", str(out)]) == 0
    assert etree.tostring(etree.parse(str(out)).getroot()) == b'<r><a late="1"/><b/><b/></r>'


def test_what_rules_do_takes_no_time_where_edits_are_made_again(tmp_path: Path) -> None:
    """Live the ``a`` that a rule makes comes a second after the ``x``, and an hour before the ``b`` is in time."""
    rules, log, out = tmp_path / "r.xcep", tmp_path / "log.jsonl", tmp_path / "o.xml"
    rules.write_text("""rule Make on (ins(r/x)) do insert "<a/>" last into "/r"
        rule Late on (plus[ins(r/a), "1 h"]) do set "@late" = "1"\n""")
    (tmp_path / "s.xml").write_text("<r/>")
    times = iter((0.0, 1.0, 3_601.0))
    document = xmlcep.fromstring("<r/>", name="s.xml", now=lambda: next(times))
    with record(document, log), document.rules(parse_rules(rules.read_text())):
        etree.SubElement(document.root, "x")
        etree.SubElement(document.root, "b")
    assert etree.tostring(document.root) == b"<r><x/><a/><b/></r>"
    assert run(["apply", str(rules), str(tmp_path / "s.xml"), "--log", str(log), "--out", str(out)]) == 0
    assert etree.tostring(etree.parse(str(out)).getroot()) == b'<r><x/><a late="1"/><b/></r>'


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        try:
            judge(number)
        except Exception as error:
            print(number, type(error).__name__, str(error)[:300])
    print("done")
