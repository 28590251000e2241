"""Histories: every version is in the log, what is new is appended, what cannot be read is said."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from tests.matching.trees import canonical, eventful, unindented
from tests.versions.repositories import Repository, needs_git
from xmlcep.log import Header, LogError, LogLockedError, read_log
from xmlcep.log.seal import verify
from xmlcep.matching import Key
from xmlcep.recording import rebuild
from xmlcep.versions import history
from xmlcep.versions.files import FileVersions
from xmlcep.versions.git import GitVersions
from xmlcep.versions.history import Step, Written, write_history
from xmlcep.versions.version import Version, VersionError

TEXTS = [
    '<order>\n  <item id="1"><price>5</price></item>\n</order>',
    '<order>\n  <item id="1"><price>6</price></item>\n  <item id="2"><price>7</price></item>\n</order>',
    '<order>\n  <item id="2"><price>7</price></item>\n  <!-- sold: 1 -->\n</order>',
    '<order>\n    <item id="2"><price>7</price></item>\n  <!-- sold out: 1 -->\n</order>',  # no event
    '<order>\n  <item id="2"><price>8</price> each</item>\n</order>',
]


def folder_of(tmp_path: Path, texts: list[str]) -> Path:
    folder = tmp_path / "exports"
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        file = folder / f"export-{number + 8}.xml"  # 8, 9, 10 …
        file.write_text(text)
        os.utime(file, (number, number))
    return folder


def write(folder: Path, log: Path, **options: object) -> Written:
    return write_history(FileVersions([folder]), log, name="order", **options)  # type: ignore[arg-type]


def assert_is(log: Path, texts: list[str]) -> None:
    """Every version is in the log, the last at its end."""
    ends = {0: 0}
    number = -1
    for item in read_log(log):
        if not isinstance(item, Header):
            assert item.meta is not None
            number = int(item.meta["file"].rpartition("-")[2].removesuffix(".xml")) - 8
            ends[number] = item.ts
    for number, text in enumerate(texts):
        at = max((ts for version, ts in ends.items() if version <= number), default=0)
        expected = canonical(eventful(unindented(etree.fromstring(text))))
        assert canonical(eventful(rebuild(log, at))) == expected
    assert canonical(eventful(rebuild(log))) == canonical(eventful(unindented(etree.fromstring(texts[-1]))))


def test_files_in_order_of_their_names(tmp_path: Path) -> None:
    done = write(folder_of(tmp_path, TEXTS), tmp_path / "log.jsonl")
    assert (done.read, done.changed, done.skipped, done.continued) == (5, 3, (), None)
    assert_is(tmp_path / "log.jsonl", TEXTS)
    events = [item for item in read_log(tmp_path / "log.jsonl") if not isinstance(item, Header)]
    assert done.events == len(events) == events[-1].ts
    assert {event.doc for event in events} == {"order"}
    assert [event.txn for event in events] == sorted(event.txn or 0 for event in events)


def test_files_in_order_of_time(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, TEXTS[:3])
    for seconds, file in enumerate(sorted(folder.iterdir(), reverse=True)):
        os.utime(file, (seconds, seconds))
    versions = FileVersions([folder], by_time=True).versions
    assert [version.at for version in versions] == [0, 1, 2]
    write_history(FileVersions([folder], by_time=True), tmp_path / "log.jsonl", name="order")
    _, first, *_ = read_log(tmp_path / "log.jsonl")
    assert isinstance(first, xmlcep.PrimitiveEvent)
    assert first.at == "1970-01-01T00:00:01.000Z"


@pytest.mark.parametrize("first", range(1, 5))
@pytest.mark.parametrize("seal", [False, True])
def test_a_log_is_continued(tmp_path: Path, first: int, seal: bool) -> None:
    """Whatever it ended with, the log is that of a run over all."""
    log, whole = tmp_path / "log.jsonl", tmp_path / "whole.jsonl"
    folder = folder_of(tmp_path, TEXTS[:first])
    write(folder, log, seal=seal)
    folder_of(tmp_path, TEXTS)
    done = write(folder, log, seal=seal)
    assert (done.read, done.continued is not None) == (5 - first, True)
    assert write(folder, log, seal=seal).read == 0
    write(folder, whole, seal=seal)
    assert list(read_log(log)) == list(read_log(whole))
    assert_is(log, TEXTS)
    if seal:
        verify(log)


def test_a_log_cut_in_any_line_is_continued(tmp_path: Path) -> None:
    """At its beginning, in its middle, before its line end; a recording is continued behind every byte (tests/log)."""
    folder, whole, log = folder_of(tmp_path, TEXTS[:3]), tmp_path / "whole.jsonl", tmp_path / "log.jsonl"
    write(folder, whole)
    data = whole.read_bytes()
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    for size in sorted({size for a, b in pairwise(ends) for size in (a, (a + b) // 2, b - 1)}):
        log.write_bytes(data[:size])
        write(folder, log)
        assert list(read_log(log)) == list(read_log(whole))


def test_what_cannot_be_read_is_skipped_and_said(tmp_path: Path) -> None:
    texts = ["<not xml", TEXTS[0], "<a></b>", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', TEXTS[1]]
    folder = folder_of(tmp_path, texts)
    done = write(folder, tmp_path / "log.jsonl")
    assert done.read == 2
    assert [(Path(each.label).name, each.reason.partition(":")[0]) for each in done.skipped] == [
        ("export-8.xml", "1"), ("export-10.xml", "1"), ("export-11.xml", "1"),
    ]  # fmt: skip
    assert "not resolved" in done.skipped[2].reason
    assert canonical(rebuild(tmp_path / "log.jsonl")) == canonical(unindented(etree.fromstring(TEXTS[1])))


def test_nothing_that_can_be_read_leaves_no_file(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ["<a", "b"])
    with pytest.raises(
        VersionError, match=r"no version has a document that can be read: .*export-8.xml: 1:3"
    ):
        write(folder, tmp_path / "log.jsonl")
    assert not (tmp_path / "log.jsonl").exists()


def test_another_root_is_another_document_in_the_same_log(tmp_path: Path) -> None:
    texts = ["<a><b/>x</a>", "<c><b/>x</c>", '<c xmlns="urn:x"><b/>x</c>']
    done = write(folder_of(tmp_path, texts), tmp_path / "log.jsonl")
    assert done.events == 12
    assert [remark.split(": ")[1] for remark in done.remarks] == [
        "the root elements have different names, a and c",
        "the root elements have different names, c and {urn:x}c",
    ]
    assert_is(tmp_path / "log.jsonl", texts)


def test_keys_and_white_space(tmp_path: Path) -> None:
    folder, log = folder_of(tmp_path, TEXTS), tmp_path / "log.jsonl"
    done = write(folder, log, keys=[Key.parse("item=@id"), Key.parse("itm=@id")], ignore_whitespace=False)
    assert done.changed == 4
    assert done.remarks == ("key itm=@id: no element is called itm; did you mean item?",)
    expected = eventful(etree.fromstring(TEXTS[-1]))
    assert canonical(rebuild(log)) == canonical(expected)


def test_what_a_log_is_not_continued_with(tmp_path: Path) -> None:
    folder, log = folder_of(tmp_path, TEXTS[1:]), tmp_path / "log.jsonl"
    write(folder, log)
    (folder / "export-1.xml").write_text(TEXTS[0])
    [skipped] = write(folder, log).skipped
    assert (Path(skipped.label).name, skipped.reason) == (
        "export-1.xml", "comes before the last version in the log",
    )  # fmt: skip
    with pytest.raises(VersionError, match="is not among those found"):
        write_history(FileVersions([folder / "export-8.xml"]), log, name="order")
    with pytest.raises(VersionError, match=r"cannot be continued after .*not of 'other'"):
        write_history(FileVersions([folder]), log, name="other")
    with pytest.raises(VersionError, match="cannot be continued after"):
        write(folder, log, ignore_whitespace=False)
    (tmp_path / "other.jsonl").write_text('{"xmlcep":1,"doc":"order","snapshot":"<a/>","ids":[1],"ts":0}\n')
    with pytest.raises(VersionError, match=r"does not begin with .*export-1.xml; write to another file"):
        write(folder, tmp_path / "other.jsonl")
    (tmp_path / "record.jsonl").write_text('{"doc":"order","ts":1,"op":"ins","path":"/a","ids":[1]}\n')
    with pytest.raises(VersionError, match="not a log of files: its last version is unknown"):
        write(folder, tmp_path / "record.jsonl")
    (tmp_path / "no.jsonl").write_text("no log\n")
    with pytest.raises((VersionError, LogError)):
        write(folder, tmp_path / "no.jsonl")
    assert (tmp_path / "no.jsonl").read_text() == "no log\n"


def test_a_log_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    folder, log = folder_of(tmp_path, TEXTS[:2]), tmp_path / "log.jsonl"
    write(folder, log)
    folder_of(tmp_path, TEXTS)
    source = FileVersions([folder])

    def again(_: Step) -> None:
        with pytest.raises(LogLockedError):
            write_history(source, log, name="order")

    write_history(source, log, name="order", progress=again)
    assert_is(log, TEXTS)


def test_an_interrupt_leaves_whole_versions(tmp_path: Path) -> None:
    folder, log = folder_of(tmp_path, TEXTS), tmp_path / "log.jsonl"

    def interrupt(step: Step) -> None:
        if step.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(folder, log, progress=interrupt)
    assert canonical(rebuild(log)) == canonical(eventful(unindented(etree.fromstring(TEXTS[2]))))
    assert write(folder, log).read == 2
    assert_is(log, TEXTS)


def test_an_interrupt_before_the_mark_of_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version is there: what goes on behind it marks it, as one run would have."""
    folder, log, whole = folder_of(tmp_path, TEXTS), tmp_path / "log.jsonl", tmp_path / "whole.jsonl"
    write(folder, whole)
    tell, told = history._Writing.tell, []

    def interrupted(self: history._Writing, version: Version) -> None:
        told.append(version)
        if len(told) == 3:
            raise KeyboardInterrupt
        tell(self, version)

    monkeypatch.setattr(history._Writing, "tell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(folder, log)
    written = write(folder, log)
    assert written.read == 2 and not written.skipped
    assert log.read_bytes() == whole.read_bytes()
    assert not write(folder, log).skipped  # no version "stands before" the last


def test_progress(tmp_path: Path) -> None:
    steps: list[Step] = []
    write(folder_of(tmp_path, TEXTS), tmp_path / "log.jsonl", progress=steps.append)
    assert [(step.done, step.total) for step in steps] == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_files_that_are_no_versions(tmp_path: Path) -> None:
    with pytest.raises(VersionError, match=r"a folder without a file whose name ends in \.xml"):
        FileVersions([tmp_path])
    (tmp_path / "a.xml").write_text("<a/>")
    with pytest.raises(VersionError, match="given twice"):
        FileVersions([tmp_path, tmp_path / "a.xml"])
    with pytest.raises(FileNotFoundError):
        FileVersions([tmp_path / "b.xml"])


@needs_git
def test_a_git_history_is_continued_by_new_commits(tmp_path: Path) -> None:
    repository, log = Repository(tmp_path / "repository"), tmp_path / "log.jsonl"
    for number, text in enumerate(TEXTS[:3]):
        repository.commit(f"Number {number}", author=("Ann", "Bob")[number % 2], files={"o.xml": text})

    def run() -> Written:
        with GitVersions(repository.folder / "o.xml") as source:
            return write_history(source, log, name="o.xml")

    assert run().changed == 2
    assert run().read == 0
    repository.git("rm", "-q", "o.xml")
    repository.commit("Away")
    for number, text in enumerate(TEXTS[3:], 3):
        repository.commit(f"Number {number}", files={"o.xml": text})
    done = run()
    assert (done.read, done.changed, [each.reason for each in done.skipped]) == (
        2,
        1,
        ["the file was deleted"],
    )
    events = [item for item in read_log(log) if isinstance(item, xmlcep.PrimitiveEvent)]
    assert {(event.txn, event.meta["author"]) for event in events if event.meta} == {
        (1, "Bob"),
        (2, "Ann"),
        (3, "Ann"),
    }
    repository.git("commit", "-q", "--amend", "-m", "Another history")
    with pytest.raises(VersionError, match="a history that was rewritten"):
        run()


@needs_git
@pytest.mark.parametrize("subject", ["\x1b[31mred\x07", "\u202egnp.exe", "a\u2028b", "🙂" * 50])
def test_hostile_names_are_kept_as_they_are(tmp_path: Path, subject: str) -> None:
    """What a commit says is data: in the log it is JSON; the commands show it harmlessly."""
    repository, log = Repository(tmp_path / "repository"), tmp_path / "log.jsonl"
    repository.commit("one", files={"o.xml": TEXTS[0]})
    repository.commit(subject, author=f"E{subject}e", files={"o.xml": TEXTS[1]})
    with GitVersions(repository.folder / "o.xml") as source:
        write_history(source, log, name="o.xml")
    [meta] = {
        (item.meta["author"], item.meta["subject"]) for item in read_log(log)
        if isinstance(item, xmlcep.PrimitiveEvent) and item.meta
    }  # fmt: skip
    assert meta == (f"E{subject}e", subject)
