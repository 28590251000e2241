"""Real documents: a log made of their versions has every version, in no more events than another differ's edits."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from samples.histories.versions import versions_of
from tests.matching.trees import canonical, eventful, unindented
from xmlcep.documents.replica import Replica, Strictness
from xmlcep.events import PrimitiveEvent
from xmlcep.log import read_log
from xmlcep.versions.files import FileVersions
from xmlcep.versions.history import write_history

MOST = 1.1  # times the edits of the other differ, in all
NAMES = ["spring-mvc-docbook", "mapsforge-motorider", "kde-markdown", "wayland", "maven-pom", "apa-csl"]


def edits(shared_data: Path, name: str) -> int:
    """The edits of the script that comes with a history, but for white space that indents, comments, instructions."""
    with gzip.open(shared_data / "logs" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return sum(not row.get("ws") and row["kind"] in ("elem", "attr", "text", "tail") for row in rows)


def states(log: Path) -> Iterator[tuple[str, etree._Element]]:
    """The document after each version that changed it, by the version's file."""
    header, *events = read_log(log)
    assert not isinstance(header, PrimitiveEvent) and header.snapshot is not None
    replica = Replica.from_snapshot(header.snapshot, header.ids, strictness=Strictness.STRICT)
    before: str | None = None
    for event in events:
        assert isinstance(event, PrimitiveEvent) and event.meta is not None
        if before is not None and event.meta["file"] != before:
            yield before, _tree(replica)
        before = event.meta["file"]
        replica.apply(event)
    assert before is not None
    yield before, _tree(replica)


def _tree(replica: Replica) -> etree._Element:
    root = replica.tree()
    assert root is not None
    return root


def test_real_histories(shared_data: Path, tmp_path: Path) -> None:
    ours = theirs = 0
    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir()
        for number, version in versions_of(shared_data / "histories" / name).items():
            file = folder / f"{number}.xml"
            file.write_text(version.text(), encoding="utf-8")  # entities expanded
            os.utime(file, (number, number))
        log = tmp_path / f"{name}.jsonl"
        done = write_history(FileVersions([folder]), log, name=name)
        assert done.skipped == ()
        for file_name, root in states(log):
            expected = eventful(unindented(etree.parse(file_name).getroot()))
            assert canonical(root) == canonical(expected), file_name
        ours, theirs = ours + done.events, theirs + edits(shared_data, name)
        print(f"{name}: {done.read} versions, {done.events:,} events, {edits(shared_data, name):,} edits")
    print(f"all: {ours:,} events, {theirs:,} edits, ratio {ours / theirs:.3f}")
    assert ours <= MOST * theirs
