"""Recovery: findings and document are those of an unbroken run, whenever the process is killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.log.helpers import canonical, read
from xmlcep import Rules, parse_rules
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.log import LogError, segments
from xmlcep.log.seal import verify
from xmlcep.recording import rebuild
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import CallbackError, Document, RefusedError, fromstring

RULES = """
event Complete = ins(item) ; (ins(item/price) & ins(item/quantity))
event Quiet = (x[1,*]{end=non-local} *(item/price/text()) & *(item/quantity)) {end=non-local}
event Total(order) {context=cumulative} = (x[2,*]{path=order} Complete(item) | upd(order/@state)) {end=custom}
event Sane = (ins(item/price) & ins(item/quantity)) {when="price > 2"}
"""
START = "<order state='new'><!--kept apart-->note<item><price>1</price></item></order>"


def edit(document: Document, choose: random.Random) -> None:
    """One random edit, or a transaction of some."""
    root = document.root
    kind = choose.randrange(9)
    if kind < 2 and not document.in_transaction:
        with document.transaction(immediate=kind == 1, step=str(document.clock)):
            for _ in range(choose.randrange(1, 4)):
                edit(document, choose)
        return
    items = root.findall("item")
    if kind < 4 or not items:
        item = etree.SubElement(root, "item")
        if choose.random() < 0.5:
            etree.SubElement(item, "price").text = str(choose.randrange(5))
        return
    item = choose.choice(items)
    if kind == 4 and len(items) > 3:
        root.remove(item)
    elif kind == 5:
        etree.SubElement(item, "quantity").text = "1"
    elif kind == 6:
        root.set("state", str(choose.randrange(3)))
    elif len(item):
        item[choose.randrange(len(item))].text = str(choose.randrange(5))


def unbroken(steps: int, seed: int, rules: Rules) -> tuple[list[PrimitiveEvent], list[dict[str, Any]], str]:
    """Events, findings and the document of a run that nothing interrupts; a flush after every tenth step."""
    document = fromstring(START, name="order", now=lambda: 0.0)
    document.snapshot()  # gives the nodes their ids in the same order as a recording
    events: list[PrimitiveEvent] = []
    findings: list[dict[str, Any]] = []
    document.subscribe(events.append)
    watch = document.watch(rules, on_event=lambda composite: findings.append(composite.to_record()))
    for step in range(steps):
        edit(document, random.Random(f"{seed}.{step}"))
        if step % 10 == 9:
            watch.flush()
    final = canonical(document.root)
    document.close()
    return events, findings, final


@pytest.mark.parametrize("states", [False, True])
def test_interrupted_after_every_step(tmp_path: Path, states: bool) -> None:
    """The process ends without closing anything; the next one goes on, also from a state beside the log."""
    rules = parse_rules(RULES)
    choose = random.Random(5)
    events, expected, final = unbroken(60, 1, rules)
    log = tmp_path / "log.jsonl"
    findings: list[dict[str, Any]] = []

    def keep(composite: CompositeEvent) -> None:
        findings.append(composite.to_record())

    document = fromstring(START, name="order", now=lambda: 0.0)
    recording = record(document, log, seal=True, max_bytes=6_000)
    watch = recording.watch(rules, on_event=keep)
    for step in range(60):
        edit(document, random.Random(f"1.{step}"))
        if step % 10 == 9:
            watch.flush()
        if states and choose.random() < 0.4:
            recording.checkpoint()
        recording.writer.close()  # what the end of the process does
        document.close()
        recovered = recover(log, rules, on_event=keep, max_bytes=6_000, now=lambda: 0.0)
        assert recovered.watch is not None
        document, recording, watch = recovered.document, recovered.recording, recovered.watch
        assert recovered.repairs == recovered.notes == ()
    recorded = [item for file in segments(log) for item in read(file)[0] if isinstance(item, PrimitiveEvent)]
    assert recorded == events
    assert findings == expected
    assert canonical_without_comments(document) == canonical_text(final)
    assert len(segments(log)) > 2
    recorded = [item for file in segments(log) for item in read(file)[0] if isinstance(item, PrimitiveEvent)]
    assert recorded == events
    recovered.close()
    assert canonical(rebuild(log)) == canonical_text(final)
    document.close()


def canonical_text(text: str) -> str:
    return str(etree.canonicalize(text, with_comments=False, rewrite_prefixes=True))


def canonical_without_comments(document: Document) -> str:
    return canonical_text(etree.tostring(document.root, encoding="unicode"))


@pytest.mark.parametrize("known", [None, 0, 3, 10_000])
def test_findings_beyond_the_cursor_are_delivered(tmp_path: Path, known: int | None) -> None:
    rules = parse_rules("event Item = ins(item)")
    document = fromstring("<order/>", name="order")
    recording = record(document, tmp_path / "log.jsonl")
    recording.watch(rules)
    for _ in range(5):
        etree.SubElement(document.root, "item")
    recording.writer.close()
    document.close()
    # The cursor of the last two findings did not make it into the log.
    lines = (tmp_path / "log.jsonl").read_bytes().splitlines(keepends=True)
    kept = [
        line
        for line in lines
        if b'"cursor"' not in line or (b'"delivered":4' not in line and b":5}" not in line)
    ]
    (tmp_path / "log.jsonl").write_bytes(b"".join(kept))
    found: list[int] = []
    with recover(
        tmp_path / "log.jsonl", rules, on_event=lambda c: found.append(c.ts), delivered=known
    ) as recovered:
        assert found == [1, 2, 3, 4, 5][3 if known is None else known :]
        etree.SubElement(recovered.document.root, "item")
        assert found[-1:] == [6]
        recovered.document.close()


def test_a_closed_watch_is_not_continued(tmp_path: Path) -> None:
    rules = parse_rules("event Two {context=cumulative} = ins(item) ; ins(item)")
    document = fromstring("<order/>", name="order")
    with record(document, tmp_path / "log.jsonl") as recording, recording.watch(rules):
        etree.SubElement(document.root, "item")
    document.close()
    found: list[CompositeEvent] = []
    with recover(tmp_path / "log.jsonl", rules, on_event=found.append) as recovered:
        etree.SubElement(recovered.document.root, "item")
        recovered.document.close()
    assert found == []


def test_a_watch_goes_on_with_the_reference_documents_it_was_opened_with(tmp_path: Path) -> None:
    text = 'reference users = "users.xml"\nevent Known = ins(item/@by)[$users/users/user = .]'
    rules = parse_rules(text, references={"users": b"<users><user>ann</user></users>"})
    document = fromstring("<order/>", name="order")
    recording = record(document, tmp_path / "log.jsonl")
    found: list[int] = []
    recording.watch(rules, on_event=lambda composite: found.append(composite.ts))
    etree.SubElement(document.root, "item", by="ann")
    etree.SubElement(document.root, "item", by="bob")
    recording.writer.close()
    document.close()
    recovered = recover(tmp_path / "log.jsonl", rules, on_event=lambda composite: found.append(composite.ts))
    etree.SubElement(recovered.document.root, "item", by="ann")
    recovered.recording.writer.close()
    recovered.document.close()
    assert found == [2, 6]
    other = parse_rules(text, references={"users": b"<users><user>bob</user></users>"})
    with pytest.raises(LogError, match="with other versions of the reference documents"):
        recover(tmp_path / "log.jsonl", other)


def test_a_parsed_document_goes_on_with_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with fromstring(START, name="order") as document, record(document, log):
        with document.transaction(user="ann"):
            document.root.set("a", "1")
            etree.SubElement(document.root, "item").text = "x"
        del document.root[-1]
        saved = etree.tostring(document.root).replace(b'state="new" a="1"', b'a="1" state="new"')
        clock, numbers = document.clock, document.snapshot()[1]
    with fromstring(saved, name="order") as document, record(document, log):
        assert document.clock == clock
        assert sorted(document.snapshot()[1]) == sorted(numbers)
        with document.transaction():
            document.root.set("a", "2")
            etree.SubElement(document.root, "item")
    (_, *events), bad = read(log)
    changes = [event for event in events if isinstance(event, PrimitiveEvent)]
    assert bad == []
    assert [event.txn for event in changes[-2:]] == [2, 2]
    assert changes[-2].ids == changes[0].ids
    assert changes[-1].ids[-1] > max(max(event.ids) for event in changes[:-1])
    assert canonical(rebuild(log)) == canonical(
        '<order a="2" state="new">note<item><price>1</price></item><item/></order>'
    )
    with (
        fromstring("<order/>", name="order") as document,
        pytest.raises(LogError, match="not the one at the end"),
    ):
        record(document, log)


def test_watches_hear_of_what_is_in_the_log(tmp_path: Path) -> None:
    """Of a transaction, all its records are in the log before anybody hears of the first."""
    log = tmp_path / "log.jsonl"
    seen: list[tuple[int, int]] = []
    with fromstring("<order/>", name="order") as document:
        rules = parse_rules("event Item = ins(item)")
        document.subscribe(lambda event: seen.append((event.ts, len(read(log)[0]) - 1)))
        document.watch(rules, on_event=lambda found: seen.append((found.ts, len(read(log)[0]) - 1)))
        with record(document, log, durability="os"):
            etree.SubElement(document.root, "item")
            with document.transaction():
                etree.SubElement(document.root, "item")
                etree.SubElement(document.root, "item")
            with document.transaction(immediate=True):
                etree.SubElement(document.root, "item")
                etree.SubElement(document.root, "item")
    assert seen == [(ts, logged) for ts, logged in enumerate([1, 3, 3, 4, 5], 1) for _ in range(2)]


def test_recording_does_not_begin_within_a_transaction(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with fromstring("<order/>", name="order") as document:
        for _ in range(2):  # a new log, then one that is there
            with document.transaction(), pytest.raises(RefusedError, match="inside a transaction"):
                record(document, log)
            record(document, log).close()


def test_a_recorded_watch_is_not_flushed_in_callbacks(tmp_path: Path) -> None:
    with (
        fromstring("<order/>", name="order") as document,
        record(document, tmp_path / "log.jsonl") as recording,
    ):
        watch = recording.watch(parse_rules("event Item = ins(item)"), on_event=lambda found: watch.flush())
        with pytest.raises(CallbackError, match="flush\\(\\) of a recorded watch in a callback"):
            etree.SubElement(document.root, "item")
        watch.close()


def test_recovery_without_rules_and_with_others(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    document = fromstring("<order/>", name="order")
    recording = record(document, log)
    recording.watch(parse_rules("event Item = ins(item)"))
    with pytest.raises(LogError, match="a recorded watch is open"):
        recording.watch(parse_rules("event Item = ins(item)"))
    etree.SubElement(document.root, "item")
    recording.writer.close()
    document.close()
    with pytest.raises(LogError, match=r"log.jsonl:2: the watch was opened with other rules"):
        recover(log, parse_rules("event Item = del(item)"))
    with recover(log) as recovered:
        assert recovered.watch is None
        assert etree.tostring(recovered.document.root) == b"<order><item/></order>"
        recovered.document.close()


def test_what_cannot_be_recovered_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="there is no log"):
        recover(tmp_path / "none.jsonl")
    log = tmp_path / "log.jsonl"
    document = fromstring("<order><item/></order>", name="order")
    with record(document, log):
        document.root.remove(document.root[0])
        document.root.text = "x"
    document.close()
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0], lines[1], lines[1]]))
    with pytest.raises(LogError, match=r"log.jsonl:3: ts is 1 after 1"):
        recover(log)
    log.write_bytes(lines[0] + lines[2].replace(b'"pos":0', b'"pos":7'))
    with pytest.raises(LogError, match=r"log.jsonl:2: .* pos is 7, but its parent has 1 child"):
        recover(log)
    with recover_again(log, lines):
        pass


def recover_again(log: Path, lines: list[bytes]) -> Any:
    """A failed recovery has let go of the log."""
    log.write_bytes(b"".join(lines))
    recovered = recover(log)
    recovered.document.close()
    return recovered


RUN = """
import random, sys
from pathlib import Path
from tests.log.test_recovery import RULES, START, edit
from xmlcep import parse_rules
from xmlcep.recording.findings_file import FindingsFile
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import fromstring

log, steps, seed = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rules = parse_rules(RULES)
findings = FindingsFile(log.with_name("findings.jsonl"))
if log.exists() and log.stat().st_size:
    recovered = recover(
        log, rules, on_event=findings, delivered=findings.count, durability="os", max_bytes=20_000, now=lambda: 0.0,
        state_every=10_000,
    )
    document, recording = recovered.document, recovered.recording
else:
    document = fromstring(START, name="order", now=lambda: 0.0)
    recording = record(document, log, durability="os", max_bytes=20_000, state_every=10_000)
    recording.watch(rules, on_event=findings)
print("open", flush=True)
done = int(document.root.get("step", "0"))
for step in range(done, steps):
    with document.transaction():  # the root element says how far the run has come
        edit(document, random.Random(f"{seed}.{step}"))
        document.root.set("step", str(step + 1))
print("done", flush=True)
"""


def test_killed_again_and_again(tmp_path: Path) -> None:
    """kill -9 at random moments, recovery each time: findings and document are those of an unbroken run."""
    steps = 100
    runs = {}
    for name, kills in (("unbroken", 0), ("broken", 2)):
        log = tmp_path / name / "log.jsonl"
        log.parent.mkdir()
        choose = random.Random(7)
        for _ in range(kills):
            size = log_size(log)
            with start(log, steps) as process:
                assert process.stdout is not None
                process.stdout.readline()
                while process.poll() is None and log_size(log) < size + choose.randrange(6_000):
                    time.sleep(0.001)  # it leaves the core to the process
                process.send_signal(signal.SIGKILL)
        with start(log, steps) as process:
            assert process.communicate()[0].split() == [b"open", b"done"]
        findings = [json.loads(line) for line in (log.parent / "findings.jsonl").read_text().splitlines()]
        runs[name] = [without_ids(finding) for finding in findings], canonical(rebuild(log))
    assert runs["broken"] == runs["unbroken"]
    assert len(runs["broken"][0]) > 20


def start(log: Path, steps: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", RUN, str(log), str(steps), "1"], stdout=subprocess.PIPE)


def log_size(log: Path) -> int:
    return sum(file.stat().st_size for file in segments(log) if file.exists())


def without_ids(finding: Any) -> Any:
    """Ids of nodes made in a transaction that was lost are not used again, so they may differ after a crash."""
    if isinstance(finding, dict):
        return {key: without_ids(value) for key, value in finding.items() if key != "ids"}
    return [without_ids(part) for part in finding] if isinstance(finding, list) else finding


def test_a_recovered_watch_knows_of_the_document_what_its_rules_need(tmp_path: Path) -> None:
    """As when it was opened: what is replayed from the log is no more than that."""
    rules = parse_rules(
        'event Cheap {if="price < 3"} = (ins(item/price))\nevent Two = x[2,2] ins(item/price)'
    )
    text = "<order><item><price>2</price><note>long</note></item><other><a/></other></order>"
    document = fromstring(text, name="order")
    log = tmp_path / "log.jsonl"
    recording = record(document, log, state_every=None)
    watch = recording.watch(rules)
    etree.SubElement(document.root[0], "price").text = "1"
    live = watch._detector.to_state()
    recording.writer.close()
    document.close()
    with recover(log, rules) as recovered:
        assert recovered.watch is not None
        again = recovered.watch._detector.to_state()
        assert json.loads(json.dumps(again)) == json.loads(json.dumps(live))
        assert "note" not in json.dumps(again["detector"][0])
        recovered.document.close()


@pytest.mark.parametrize("watched", [False, True])
def test_to_a_sealed_log_nothing_is_added_unasked(tmp_path: Path, watched: bool) -> None:
    """Its head may be kept elsewhere: who looks at a log that is complete leaves it as it is."""
    log = tmp_path / "log.jsonl"
    rules = parse_rules("event New = ins(item)")
    doc = fromstring("<order/>", name="order")
    with record(doc, log, seal=True) as recording:
        watch = recording.watch(rules) if watched else None
        doc.root.append(doc.root.makeelement("item"))
        if watch is not None:
            watch.close()
    doc.close()
    before = log.read_bytes()
    with recover(log, rules) as recovered:
        assert recovered.watch is None
        assert any("no watch was open, and none was opened" in note for note in recovered.notes)
    assert log.read_bytes() == before
    with recover(log, rules) as recovered:
        assert recovered.recording.watch(rules).close() == []
        assert log.read_bytes() != before
    recovered.document.close()
    verify(log)
