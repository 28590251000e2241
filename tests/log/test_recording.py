"""Recording: what is in the log is what was done, whatever happens to the process or the disk."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from tests.log.helpers import canonical, lines_of, read, some_events, write_lines
from tests.log.models import RecordedDocument
from xmlcep.events import PrimitiveEvent
from xmlcep.log import Header, LogError, LogLockedError, segments
from xmlcep.log.records import MARK, change_record
from xmlcep.log.seal import verify
from xmlcep.log.writing import create_log
from xmlcep.recording import rebuild
from xmlcep.recording.log_end import look_at
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover


@pytest.mark.parametrize("durability", ["event", "transaction", "os"])
@pytest.mark.parametrize("seal", [False, True])
def test_the_log_is_the_history(tmp_path: Path, durability: str, seal: bool) -> None:
    document = RecordedDocument(1)
    with record(document, tmp_path / "log.jsonl", durability=durability, seal=seal):  # type: ignore[arg-type]
        for _ in range(30):
            document.change()
    (header, *events), bad = read(tmp_path / "log.jsonl")
    assert isinstance(header, Header)
    assert (header.doc, header.ts) == ("d", document.history[0].ts - 1)
    assert (events, bad) == (document.history, [])


@pytest.mark.parametrize("seed", range(6))
def test_every_version_is_rebuilt(tmp_path: Path, seed: int) -> None:
    document = RecordedDocument(seed)
    log = tmp_path / "log.jsonl"
    with record(document, log, max_bytes=None if seed % 2 else 9_000, seal=seed % 3 == 0):
        for _ in range(60):
            document.change()
    assert (len(segments(log)) > 2) == (seed % 2 == 0)
    for ts, xml in document.versions.items():
        if xml is None:
            with pytest.raises(LogError, match="has no root element"):
                rebuild(log, ts)
        else:
            assert canonical(rebuild(log, ts)) == canonical(xml)
    with pytest.raises(LogError, match="begins at"):
        rebuild(log, min(document.versions) - 1)


def test_every_time_point_is_rebuilt(tmp_path: Path) -> None:
    from tests.log.random_documents import RandomDocument

    model = RandomDocument(3)
    versions, events = [], []
    for _ in range(60):
        events += model.change()
        versions.append((model.ts, None if model.root is None else model.xml()))
    log = write_lines(tmp_path / "log.jsonl", events)
    for ts, xml in versions:
        if xml is not None:
            assert canonical(rebuild(log, ts)) == canonical(xml)


def test_closing_and_opening_again_continues(tmp_path: Path) -> None:
    document = RecordedDocument(2)
    log = tmp_path / "log.jsonl"
    for _ in range(4):
        with record(document, log, seal=True) as recording:
            assert recording.repairs == ()
            document.change()
    assert read(log)[0][1:] == document.history
    assert segments(log) == [log]


def test_what_was_done_while_not_recording_is_in_a_new_snapshot(tmp_path: Path) -> None:
    document = RecordedDocument(3)
    log = tmp_path / "log.jsonl"
    with record(document, log):
        document.change()
    gap = document.clock
    document.change()
    with record(document, log):
        document.change()
    assert segments(log) == [log, tmp_path / "log.0002.jsonl"]
    for ts in (gap, document.clock):
        xml = document.versions[ts]
        assert xml is not None
        assert canonical(rebuild(log, ts)) == canonical(xml)


def test_a_log_without_a_change_is_continued_with_its_ids(tmp_path: Path) -> None:
    log, xml = tmp_path / "log.jsonl", '<r><a k="1">t</a><b/></r>'
    for value in ("1", "2"):
        with xmlcep.fromstring(xml) as doc:
            with record(doc, log):
                pass
            doc.subscribe(lambda _: None)
            with record(doc, log):  # the same document once more
                doc.root[1].set("z", value)
            xml = etree.tostring(doc.root, encoding="unicode")
    assert etree.tostring(rebuild(log), encoding="unicode") == xml


def test_a_document_read_anew_goes_on_with_the_ids_of_its_log(tmp_path: Path) -> None:
    """The next node has the next id: what was deleted keeps its own."""
    log = tmp_path / "log.jsonl"
    document = xmlcep.fromstring("<a/>", name="d")
    with record(document, log):
        for name in "bcd":
            etree.SubElement(document.root, name)
        document.root.remove(document.root[1])
    text = etree.tostring(document.root)
    document.close()
    again = xmlcep.fromstring(text, name="d")
    with record(again, log):
        etree.SubElement(again.root, "e")
    events = [item for item in read(log)[0] if isinstance(item, PrimitiveEvent)]
    assert [(event.op, event.ids) for event in events] == [
        ("ins", (1, 2)), ("ins", (1, 3)), ("ins", (1, 4)), ("del", (1, 3)), ("ins", (1, 5)),
    ]  # fmt: skip


def test_a_log_without_a_change_is_not_continued_by_another_document(tmp_path: Path) -> None:
    for xml in ("<r><a/></r>", "<r><b/></r>"):
        with xmlcep.fromstring(xml) as doc:
            if xml == "<r><a/></r>":
                record(doc, tmp_path / "log.jsonl").close()
            else:
                with pytest.raises(LogError, match="not the one at the end of the log"):
                    record(doc, tmp_path / "log.jsonl")


def test_the_last_file_is_continued_even_if_others_are_gone(tmp_path: Path) -> None:
    document = RecordedDocument(2)
    log = tmp_path / "log.jsonl"
    with record(document, log, max_bytes=1):
        for _ in range(4):
            document.change()
    (tmp_path / "log.0003.jsonl").unlink()
    before = segments(log)
    with record(document, log):
        document.change()
    assert segments(log) == before
    assert read(before[-1])[0][-1] == document.history[-1]


def test_a_log_of_something_else_is_not_continued(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with record(RecordedDocument(1, "orders"), log):
        pass
    with pytest.raises(LogError, match="the log of the document 'orders', not of 'other'"):
        record(RecordedDocument(1, "other"), log)
    write_lines(log, some_events(1, 100), Header("d"))
    with pytest.raises(
        LogError, match=r"the log has reached time point \d+, the document is at \d+ and not the one"
    ):
        record(RecordedDocument(1), log)
    log.write_text("rubbish\n")
    with pytest.raises(LogError, match="its first line is neither a header nor a change record"):
        record(RecordedDocument(1), log)
    assert log.read_text() == "rubbish\n"


@pytest.mark.parametrize("text", ["notes\nthe last line", "one line", '{"a":1}\n{"b":2}', "{", '{"xml":1}'])
def test_nothing_is_cut_off_what_is_no_log(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    if text == "{":  # what a crash can have left of a header
        record(RecordedDocument(1), file).close()
        return
    for open_again in (lambda: record(RecordedDocument(1), file), lambda: recover(file)):
        with pytest.raises(LogError, match="not a change log"):
            open_again()
    assert file.read_text() == text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LogError, match="a device or pipe"):
        record(RecordedDocument(1), tmp_path / "pipe")


def test_an_unknown_durability(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="durability is 'never': expected one of 'event', 'transaction', 'os'"
    ):
        record(RecordedDocument(1), tmp_path / "log.jsonl", durability="never")  # type: ignore[arg-type]


def test_a_log_is_sealed_from_its_first_record_or_not(tmp_path: Path) -> None:
    document = RecordedDocument(1)
    record(document, tmp_path / "log.jsonl").close()
    with pytest.raises(LogError, match="sealed from its first record"):
        record(document, tmp_path / "log.jsonl", seal=True)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    document = RecordedDocument(1)
    log = tmp_path / "log.jsonl"
    with record(document, log, max_bytes=1):
        document.change()
        for attempt in (lambda: record(document, log), lambda: create_log(log, Header("d"))):
            with pytest.raises(LogLockedError, match="another writer has this log open"):
                attempt()
    record(document, log).close()


@pytest.mark.parametrize("open_still", [True, False])
def test_a_second_writer_is_refused_under_the_name_of_a_later_file(tmp_path: Path, open_still: bool) -> None:
    document = RecordedDocument(1)
    recording = record(document, tmp_path / "log.jsonl", max_bytes=1)
    document.change()
    if not open_still:
        recording.close()
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for name in ("log.0002.jsonl", "log.0007.jsonl"):
        with pytest.raises(LogError, match=r"is the name of file \d of the log .*log\.jsonl: record to that"):
            record(RecordedDocument(2), tmp_path / name)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    recording.close()
    record(document, tmp_path / "other.0002.jsonl").close()  # the first file of nothing else


@pytest.mark.parametrize("name", ["log.jsonl.gz", "log.parquet", "log.jsonl.zst"])
def test_only_json_lines_are_recorded(tmp_path: Path, name: str) -> None:
    with pytest.raises(LogError, match="recorded as JSON Lines"):
        record(RecordedDocument(1), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be written"):
        record(RecordedDocument(1), tmp_path / "none" / "log.jsonl")


def test_the_log_cut_at_every_byte_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torn line and an incomplete transaction are cut off and said; what was whole stays."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # a thousand times would take its time
    document = RecordedDocument(4)
    whole = tmp_path / "whole.jsonl"
    with record(document, whole, seal=True):
        while sum(event.txn is not None for event in document.history[-6:]) not in (3, 4):
            document.change()
        for _ in range(3):
            document.change()
    content = whole.read_bytes()
    log = tmp_path / "log.jsonl"
    for length in range(len(content) - 1024, len(content) + 1):
        log.write_bytes(content[:length])
        found = look_at(log)
        assert found is not None
        assert log.read_bytes() == content[:length]  # looked at, not touched
        writer, repairs = found.open()
        writer.close()
        (_, *events), bad = read(log)
        assert bad == []
        assert events == document.history[: len(events)]
        assert found.end.ts == events[-1].ts
        last = events[-1]
        following = document.history[len(events)] if len(events) < len(document.history) else None
        assert last.txn is None or following is None or following.txn != last.txn
        assert bool(repairs) == (log.read_bytes() != content[:length])
        removed = sum(len(repair.removed) for repair in repairs)
        assert log.stat().st_size == length - removed or not repairs[0].removed


def test_a_log_of_another_program_is_not_cut_at_its_transaction(tmp_path: Path) -> None:
    log = write_lines(tmp_path / "log.jsonl", [e._replace(txn=1) for e in some_events(1, 5)], Header("d"))
    before = log.read_bytes()
    found = look_at(log)
    assert found is not None
    writer, repairs = found.open()
    writer.close()
    assert (log.read_bytes(), repairs) == (before, ())


def test_a_log_without_even_a_header_is_begun_anew(tmp_path: Path) -> None:
    document = RecordedDocument(5)
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"xmlcep":1,"doc"')
    with record(document, log):
        document.change()
    assert read(log)[0][1:] == document.history


def test_a_full_disk_leaves_the_log_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.jsonl"
    events = some_events(6, 30)
    real_write = os.write
    for failing in range(1, 31):
        log.unlink(missing_ok=True)
        calls = iter(range(100))

        def write(descriptor: int, data: bytes, calls: object = calls, failing: int = failing) -> int:
            if next(calls) == failing:  # type: ignore[call-overload]
                real_write(descriptor, data[: len(data) // 2])
                raise OSError(28, "No space left on device")
            return real_write(descriptor, data)

        monkeypatch.setattr(os, "write", write)
        with create_log(log, Header("d")) as writer:
            with pytest.raises(LogError, match=r"cannot be written: No space left on device"):
                for event in events:
                    writer.write_records([change_record(event)])
            with pytest.raises(LogError, match="nothing more is written"):
                writer.write_records([change_record(events[-1])])
        monkeypatch.setattr(os, "write", real_write)
        assert read(log) == ([Header("d"), *events[: failing - 1]], [])


@pytest.mark.parametrize("seal", [False, True])
def test_a_log_that_cannot_be_rolled_over_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seal: bool
) -> None:
    document = RecordedDocument(6)
    log = tmp_path / "log.jsonl"
    with record(document, log, max_bytes=3_000, seal=seal):
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", _no_space)
            with pytest.raises(LogError, match=r"cannot be rolled over any more.*No space left"):
                while document.clock < 10_000:
                    document.change()
        # The model stops telling in the middle of its step when a listener raises; go on from where the log is.
        history = len(read(log)[0]) - 1
        assert sorted(tmp_path.iterdir()) == [log]
    assert read(log)[0][1:] == document.history[:history]
    if seal:
        verify(log)


def _no_space(*_: object) -> Path:
    raise OSError(28, "No space left on device")


def test_control_records_are_skipped_by_readers(tmp_path: Path) -> None:
    events = some_events(7, 4)
    lines = lines_of(events, Header("d"))
    lines.insert(3, json.dumps({MARK: 1, "control": "later", "x": [1]}).encode() + b"\n")
    (tmp_path / "log.jsonl").write_bytes(b"".join(lines))
    assert read(tmp_path / "log.jsonl") == ([Header("d"), *events], [])


WRITE_UNTIL_KILLED = """
import sys
from tests.log.models import RecordedDocument
from xmlcep.recording.recorder import record
document = RecordedDocument(int(sys.argv[2]))
recording = record(document, sys.argv[1], durability="os", max_bytes=20_000, seal=True)
print("begun", flush=True)
while True:
    document.change()
    if document.clock > 100_000:
        break
"""


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_a_random_moment(tmp_path: Path, seed: int) -> None:
    log = tmp_path / "log.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE_UNTIL_KILLED, str(log), str(seed)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    while sum(file.stat().st_size for file in segments(log)) < 15_000 * seed:
        time.sleep(0.001)  # the moment of the kill depends on how far it has come, and on the machine
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    found = look_at(log)
    assert found is not None
    found.open()[0].close()
    document = RecordedDocument(seed)
    while document.clock < found.end.ts:
        document.change()
    assert document.clock == found.end.ts or document.history[-1].txn is None
    xml = document.versions[document.clock]
    if document.clock == found.end.ts and xml is not None:
        assert canonical(rebuild(log)) == canonical(xml)
    # Beside headers there may be a clock record, which ends an edit in the middle of which it was killed (U1).
    events = [item for file in segments(log) for item in read(file)[0] if isinstance(item, PrimitiveEvent)]
    assert events == document.history[: len(events)]


def test_only_documents_are_recorded(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"a wrapped document is recorded, not 'order\.xml'"):
        record("order.xml", tmp_path / "log.jsonl")  # type: ignore[arg-type]


def test_a_document_without_a_name_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ({}, {"name": "order"}):
        log = tmp_path / f"{len(name)}.jsonl"
        for _ in range(2):  # once, when the log is begun
            document = xmlcep.fromstring("<order/>", **name)
            with caplog.at_level(logging.WARNING, "xmlcep"), xmlcep.record(document, log):
                pass
    (said,) = [record.message for record in caplog.records]
    assert said.startswith(f"{tmp_path / '0.jsonl'}: the log of a document without a name")


def test_what_nobody_could_hear_is_told_before_a_log_is_rolled_over(tmp_path: Path) -> None:
    """The snapshot for the new file tells of it: its record does not come behind a header that has it already."""
    document = xmlcep.fromstring("<r><a/></r>", name="d")
    with record(document, tmp_path / "log.jsonl", max_bytes=50, state_every=1) as recording:
        for value in "123":
            etree._Element.set(document.root, "unseen", value)
            document.root[0].text = value
            assert etree.tostring(rebuild(tmp_path / "log.jsonl")) == etree.tostring(document.root)
        assert recording.writer.number > 2
