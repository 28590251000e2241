"""Versions as people and programs write them: each is in the log, and what is said of the log is true.

``python -m tests.versions.long_run SEED COUNT`` does more of it.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest

import xmlcep
from tests.matching.trees import canonical, eventful, unindented
from tests.versions.spelled import broken, read, spelled, versions
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
    """A folder of versions, some files among them that are none, and the log made of it, in one go or in two."""

    def __init__(self, seed: int, folder: Path) -> None:
        random = Random(seed)
        self.keeps = random.random() < 0.3
        self.folder = folder
        trees = versions(random, random.randint(2, 5))
        typed = not any(tree.xpath("boolean(//@xml:id)") for tree in trees)
        self.texts = [spelled(random, tree, typed=typed) for tree in trees]
        self.files: list[Path] = []
        """Those of the versions."""
        self.numbers: dict[str, int] = {}
        """Which version is in a file."""
        self.broken: list[str] = []
        for number, (text, tree) in enumerate(zip(self.texts, trees, strict=True)):
            if read(text).getroottree().docinfo.internalDTD is None:
                assert canonical(read(text)) == canonical(tree)
            while random.random() < 0.15:
                self.broken.append(str(self._write(broken(random, text))))
            self.files.append(self._write(text))
            self.numbers[str(self.files[-1])] = number
        written = [*self.numbers, *self.broken]
        self.log, self.whole = folder / "log.jsonl", folder / "whole.jsonl"
        files = sorted(written, key=lambda name: int(name.rpartition("-")[2].removesuffix(".xml")))
        first = random.choice((0, 0, random.randint(1, len(files))))
        if any(name in self.numbers for name in files[:first]):
            self._tell(files[:first], self.log)
        self._tell(files, self.log)
        assert self._tell(files, self.whole) == self.broken
        self.ends = {0: 0}
        """The last time point of each version with changes."""
        for item in read_log(self.log):
            if not isinstance(item, Header):
                assert item.meta is not None
                self.ends[self.numbers[item.meta["file"]]] = item.ts

    def _write(self, text: bytes) -> Path:
        path = self.folder / f"v-{len(self.files) + len(self.broken)}.xml"
        path.write_bytes(text)
        return path

    def _tell(self, files: list[str], log: Path) -> list[str]:
        """The files that are not in the log."""
        written = write_history(FileVersions(files), log, name="d", ignore_whitespace=not self.keeps)
        return [each.label for each in written.skipped]

    def shown(self, root: Any) -> str:
        """What the log says of a tree."""
        return canonical(eventful(root if self.keeps else unindented(root)))

    def version(self, number: int) -> str:
        return self.shown(read(self.texts[number]))

    def version_at(self, ts: int) -> int:
        return min(number for number, end in self.ends.items() if end >= ts)


def each_version_is_rebuilt(told: Told) -> None:
    for number in range(len(told.texts)):
        at = max(end for known, end in told.ends.items() if known <= number)
        assert canonical(eventful(xmlcep.rebuild(told.log, at))) == told.version(number)


def a_log_that_was_continued_says_the_same(told: Told) -> None:
    """But for ids, the order of attributes and prefixes (in the places of moves): a file read anew has its own."""

    def said(log: Path) -> list[list[Any]]:
        found: list[list[Any]] = [[] for _ in told.texts]
        for item in read_log(log):
            if not isinstance(item, Header):
                assert item.meta is not None
                meta = {**item.meta, **{key: key in item.meta for key in ("moved-from", "moved-to")}}
                record = {**item.to_record(), "ids": None, "ts": None, "more": None, "meta": meta}
                found[told.numbers[item.meta["file"]]].append(json.dumps(record, sort_keys=True))
        return [sorted(each) for each in found]

    assert said(told.log) == said(told.whole)


def edits_made_again_lead_to_the_last(told: Told, log: Path) -> None:
    rules, out = told.folder / "idle.xcep", told.folder / "out.xml"
    rules.write_text(IDLE)
    assert (
        run(
            [
                "apply",
                str(rules),
                str(told.files[0]),
                "--log",
                str(log),
                "--out",
                str(out),
                "--force",
            ]
        )
        == 0
    )
    assert told.shown(read(out.read_bytes())) == told.version(-1)


def live_findings_are_those_of_the_logs(told: Told, *, hides: bool) -> Path:
    """``hides``: the document hides white space that only indents, which can come into view: the history has none."""
    first = read(told.texts[0])
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
            document.update_to(read(text), ignore_whitespace=not told.keeps, user="ann")
            document._check()
            assert told.shown(read(xml_text(document.root))) == told.shown(read(text))
    for each in (log,) if hides else (log, told.whole):
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
    trees = [read(text) for text in told.texts]
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
        a_log_that_was_continued_says_the_same(told)
        log = live_findings_are_those_of_the_logs(told, hides=not told.keeps and seed % 3 == 0)
        edits_made_again_lead_to_the_last(told, told.log)
        edits_made_again_lead_to_the_last(told, log)
        blame_is_possible(told)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(2))
def test_what_is_made_of_versions_is_true(part: int) -> None:
    for seed in range(10 * part, 10 * part + 4):
        judge(seed)
