"""Versions as people and programs write them: each is in the log, and what is said of the log is true.

``python -m tests.versions.test_spelled SEED COUNT`` does more of it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.matching.trees import canonical, eventful, unindented
from tests.versions.spelled import spelled, versions
from xmlcep.cli.main import run
from xmlcep.log import Header, read_log
from xmlcep.versions.blame import blame
from xmlcep.versions.files import FileVersions
from xmlcep.versions.history import write_history
from xmlcep.xml_writer import xml_text

RULES = """
namespace p = "urn:x"
event A = ins(item) ; upd(item/text())
event B(b) {context=recent} = ins(b/@k) & *(b/text())
event C = x[2,*]{path=item} (ins(item/a) | del(item/a))
event D(p:c) {when="count(*) > 1", end=custom} = x[1,*] *(p:c//)
event E(a) = del(a/b) ; ins(a/b)
"""
IDLE = 'rule Idle on (ins(nothing)) do delete "."\n'


class Told:
    """A folder of versions, and the log that was made of it, in one go or in two."""

    def __init__(self, seed: int, folder: Path) -> None:
        random = Random(seed)
        self.keeps = random.random() < 0.3
        self.folder = folder
        trees = versions(random, random.randint(2, 5))
        self.texts = [spelled(random, tree) for tree in trees]
        for number, (text, tree) in enumerate(zip(self.texts, trees, strict=True)):
            assert canonical(etree.fromstring(text)) == canonical(tree)
            (folder / f"v-{number}.xml").write_bytes(text)
        self.log = folder / "log.jsonl"
        first = random.choice((0, 0, random.randint(1, len(trees))))
        files = [folder / f"v-{number}.xml" for number in range(len(trees))]
        for known in (files[:first], files) if first else (files,):
            write_history(FileVersions(known), self.log, name="d", ignore_whitespace=not self.keeps)
        self.ends = {0: 0}
        """The last time point of each version with changes."""
        for item in read_log(self.log):
            if not isinstance(item, Header):
                assert item.meta is not None
                self.ends[int(item.meta["file"].rpartition("-")[2].removesuffix(".xml"))] = item.ts

    def shown(self, root: Any) -> str:
        """What the log says of a tree."""
        return canonical(eventful(root if self.keeps else unindented(root)))

    def version(self, number: int) -> str:
        return self.shown(etree.fromstring(self.texts[number]))

    def version_at(self, ts: int) -> int:
        return min(number for number, end in self.ends.items() if end >= ts)


def each_version_is_rebuilt(told: Told) -> None:
    for number in range(len(told.texts)):
        at = max(end for known, end in told.ends.items() if known <= number)
        assert canonical(eventful(xmlcep.rebuild(told.log, at))) == told.version(number)


def edits_made_again_lead_to_the_last(told: Told, log: Path) -> None:
    rules, out = told.folder / "idle.xcep", told.folder / "out.xml"
    rules.write_text(IDLE)
    assert (
        run(
            [
                "apply",
                str(rules),
                str(told.folder / "v-0.xml"),
                "--log",
                str(log),
                "--out",
                str(out),
                "--force",
            ]
        )
        == 0
    )
    assert told.shown(etree.parse(str(out)).getroot()) == told.version(-1)


def live_findings_are_those_of_the_logs(told: Told, *, hides: bool) -> Path:
    """``hides``: the document hides white space that only indents, which can come into view: the history has none."""
    first = etree.fromstring(told.texts[0])
    if not (hides or told.keeps):
        first = unindented(first)
    document = xmlcep.fromstring(xml_text(first), name="d", ignore_whitespace=hides)
    rules, log = xmlcep.parse_rules(RULES), told.folder / "live.jsonl"
    live: list[Any] = []
    with (
        document,
        xmlcep.record(document, log),
        document.watch(rules, on_event=lambda found: live.append(found.to_record())),
    ):
        for text in told.texts[1:]:
            document.update_to(etree.fromstring(text), ignore_whitespace=not told.keeps, user="ann")
            document._check()
            assert told.shown(etree.fromstring(xml_text(document.root))) == told.shown(etree.fromstring(text))
    for each in (log,) if hides else (log, told.log):
        found = xmlcep.audit(str(each), rules, engine="local").records()
        assert sorted(map(_plain, found)) == sorted(map(_plain, live))
    return log


def _plain(finding: Any) -> str:
    def without(part: Any) -> Any:
        if isinstance(part, dict):
            return {
                key: without(each) for key, each in part.items() if key not in ("at", "meta", "txn", "doc")
            }
        return [without(each) for each in part] if isinstance(part, list) else part

    return json.dumps(without(finding), sort_keys=True)


def blame_is_possible(told: Told) -> None:
    """A value is in the version that it is blamed on and in all after it, and not before it has been in all of them."""
    trees = [etree.fromstring(text) for text in told.texts]
    found = blame(told.log)
    for (element, part), number in found.ids.items():
        value = element.get(part[1:]) if part.startswith("@") else getattr(element, part or "prefix", None)
        if not value or not part:
            continue
        blamed = told.version_at(found.stamps[number].ts)
        has = [any(value in each for each in _values(tree)) for tree in trees]
        first = max((at + 1 for at, there in enumerate(has) if not there), default=0)
        assert first <= blamed


def _values(tree: Any) -> list[str]:
    return [each or "" for node in tree.iter() for each in (*node.attrib.values(), node.text, node.tail)]


def judge(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        told = Told(seed, Path(folder))
        each_version_is_rebuilt(told)
        log = live_findings_are_those_of_the_logs(told, hides=not told.keeps and seed % 3 == 0)
        edits_made_again_lead_to_the_last(told, told.log)
        edits_made_again_lead_to_the_last(told, log)
        blame_is_possible(told)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_what_is_made_of_versions_is_true(part: int) -> None:
    for seed in range(10 * part, 10 * part + 10):
        judge(seed)


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        try:
            judge(seed)
        except Exception as error:
            print(seed, type(error).__name__, str(error)[:200])
    print("done")
