"""States beside a log: a recovery that begins at one is a recovery that replays everything."""

from __future__ import annotations

import json
import logging
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.log.test_recovery import RULES, START, edit
from tests.project.source import ROOT
from xmlcep import Rules, parse_rules
from xmlcep.events import CompositeEvent
from xmlcep.log import LogError, segments
from xmlcep.recording.log_replay import History, replay_history
from xmlcep.recording.places import state_path
from xmlcep.recording.recorder import Recording, record
from xmlcep.recording.recovery import Recovered, recover
from xmlcep.wrapping import CallbackError, Document, fromstring

TIMED = """
event Left {within="3 s"} = ins(item) ; not ins(item/price)
event Late(item) = plus[ins(item/quantity), "2 s"]
event Beat(order) = periodic[ins(item), "5 s", del(item)]
event Flat {flat} = x[3,4]{path=item} ins(item) ; del(item)
event Some(item) = x[0,2]{path=item} ins(item/price) & ins(item/quantity)
event Near {context=cumulative} = (*(item/price) & *(item/quantity)) {within="4 s"}
"""


class Life:
    """A recorded document with a clock that goes a second an edit, and what its watch has raised."""

    def __init__(self, log: Path, rules: Rules, **options: Any) -> None:
        self.log, self.rules, self.options = log, rules, options
        self.time = 0.0
        self.found: list[dict[str, Any]] = []
        self.document: Document = fromstring(START, name="order", now=self.now)
        self.recording: Recording = record(self.document, log, **options)
        self.recording.watch(rules, on_event=self.keep)

    def now(self) -> float:
        return self.time

    def keep(self, composite: CompositeEvent) -> None:
        self.found.append(composite.to_record())

    def edits(self, seed: str, count: int) -> None:
        choose = random.Random(seed)
        for _ in range(count):
            self.time += 1
            edit(self.document, choose)

    def die(self) -> None:
        """What the end of the process does."""
        self.recording.writer.close()
        self.document.close()

    def recover(self, **options: Any) -> Recovered:
        self.found = []
        back = recover(self.log, self.rules, on_event=self.keep, now=self.now, **{**self.options, **options})
        self.document, self.recording = back.document, back.recording
        return back


@pytest.fixture
def life(tmp_path: Path) -> Life:
    return Life(tmp_path / "log.jsonl", parse_rules(RULES))


def told(history: History) -> dict[str, Any]:
    """All that a recovery takes from a history."""
    detector = history.detector
    pending = None if detector is None else detector.pending(document=history.replica)
    return {
        "document": history.replica.snapshot(), "txn": history.last_txn, "closed": history.closed,
        "operators": history.operators, "delivered": history.delivered, "opened": history.opened,
        "missed": [each.to_record() for each in history.missed],
        "detector": None if detector is None else (detector.size(), detector.next_due(), str(pending)),
    }  # fmt: skip


@pytest.mark.parametrize("seed", (0, 1, 4, 5))
def test_a_replay_from_a_state_tells_what_the_whole_tells(tmp_path: Path, seed: int) -> None:
    rules = parse_rules(TIMED if seed % 2 else RULES)
    life = Life(tmp_path / "log.jsonl", rules, max_bytes=8_000 if seed < 3 else None, durability="os")
    watch = life.recording._watch
    assert watch is not None
    for step in range(6):
        life.edits(f"{seed}.{step}", 9)
        if step == 3:
            watch.flush()
        life.recording.checkpoint()
        life.edits(f"{seed}.{step}.", 7)
        known = state_path(life.log).read_bytes()
        for given in (None, watch.delivered, watch.delivered + 2):
            short = replay_history(life.log, rules, given)
            assert (short.notes, short.state is None) == ((), False)
            state_path(life.log).unlink()
            assert told(replay_history(life.log, rules, given)) == told(short)
            state_path(life.log).write_bytes(known)
    assert watch.delivered > 10
    watch.close()
    life.recording.checkpoint()
    closed = replay_history(life.log, rules)
    assert closed.state is not None and closed.state.watch is not None
    assert (closed.detector, closed.closed, closed.missed) == (None, True, [])
    life.die()


def test_states_are_written_as_the_log_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xmlcep.recording.checkpoints._TIMES_STATE", 1)
    rules = parse_rules(RULES)
    life = Life(tmp_path / "log.jsonl", rules, max_bytes=90_000, state_every=20_000, durability="os")
    sizes = set()
    for step in range(60):
        life.edits(str(step), 20)
        if state_path(life.log).exists():
            sizes.add(state_path(life.log).read_bytes())
    life.die()
    assert 3 <= len(sizes) < 30
    size = sum(file.stat().st_size for file in segments(life.log))
    found = life.found
    back = life.recover()
    assert back.notes == () and not life.found
    history = replay_history(life.log, rules)
    assert history.behind < 0.4 * size
    assert back.watch is not None and back.watch.delivered == len(found)
    life.die()


def test_none_is_written_where_nobody_wants_one(tmp_path: Path) -> None:
    life = Life(tmp_path / "log.jsonl", parse_rules(RULES), state_every=None, durability="os")
    life.edits("1", 400)
    life.die()
    assert not state_path(life.log).exists()
    life.recover(state_every=1)
    life.edits("2", 1)
    assert state_path(life.log).exists()  # what was replayed counts
    life.die()


def test_a_recording_without_a_watch_has_states_too(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with fromstring(START, name="order") as document:
        recording = record(document, log, state_every=2_000, durability="os")
        for step in range(200):
            edit(document, random.Random(step))
        text = etree.tostring(document.root)
        recording.close()
    history = replay_history(log)
    assert history.state is not None and history.behind < log.stat().st_size / 2
    with fromstring(text, name="order") as document, record(document, log):
        assert document.clock > 100
    with recover(log) as back:
        again = back.document.snapshot()
        back.document.close()
    state_path(log).unlink()
    with recover(log) as back:
        assert back.document.snapshot()[1] == again[1]
        back.document.close()


def test_no_state_forgets_a_watch_that_nobody_goes_on_with(life: Life) -> None:
    life.edits("1", 20)
    life.die()
    with recover(life.log, state_every=1) as back:
        with pytest.raises(LogError, match="has an open watch: recover it with its rules"):
            back.recording.checkpoint()
        for step in range(20):
            edit(back.document, random.Random(step))
        assert not state_path(life.log).exists()
        back.document.close()
    assert life.recover().watch is not None
    assert life.found  # of the edits made meanwhile, too
    life.die()


def damaged(content: bytes) -> bytes:
    return content.replace(b'"told":', b'"t0ld":')


def cut_off(content: bytes) -> bytes:
    return content[: len(content) // 2]


def of_another_version(content: bytes) -> bytes:
    return content.replace(b'"form":"', b'"form":"0')


def of_another_kind(content: bytes) -> bytes:
    return content.replace(b'"xmlcep":"recording"', b'"xmlcep":"audit"')


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (damaged, "is not a state of a recording, or a damaged one"),
        (cut_off, "is not a state of a recording, or a damaged one"),
        (lambda content: b"", "is not a state of a recording, or a damaged one"),
        (of_another_version, "the state was written by another version of xmlcep"),
        (of_another_kind, "not the state of a recording"),
    ],
)
def test_a_state_that_is_of_no_use(life: Life, change: Callable[[bytes], bytes], sentence: str) -> None:
    life.edits("1", 30)
    life.recording.checkpoint()
    life.edits("2", 10)
    delivered, clock = len(life.found), life.document.clock
    life.die()
    path = state_path(life.log)
    path.write_bytes(change(path.read_bytes()))
    back = life.recover()
    assert back.watch is not None
    assert (back.watch.delivered, back.document.clock, life.found) == (delivered, clock, [])
    (note,) = back.notes
    assert note.startswith(f"{path}: {sentence}") and note.endswith("the log was replayed from its beginning")
    life.die()


def test_a_state_of_another_log(life: Life, tmp_path: Path) -> None:
    life.edits("1", 30)
    life.recording.checkpoint()
    life.die()
    before = state_path(life.log).read_bytes()
    lines = life.log.read_bytes().splitlines(keepends=True)
    life.log.write_bytes(b"".join(lines[:-3]))  # an older copy of the log was put back
    (note,) = life.recover().notes
    assert "log.jsonl.state: belongs to another log, or to records that are no longer in this one" in note
    life.edits("3", 30)
    life.die()
    assert state_path(life.log).read_bytes() == before
    (note,) = life.recover().notes
    assert "belongs to another log" in note
    life.die()
    for file in segments(life.log):
        file.unlink()
    other = Life(life.log, life.rules)
    assert not state_path(life.log).exists()
    other.die()


def test_a_consumer_that_has_lost_findings_gets_them_again(life: Life) -> None:
    life.edits("1", 60)
    life.recording.checkpoint()
    life.edits("2", 20)
    found = life.found
    life.die()
    back = life.recover(delivered=2)
    assert life.found == found[2:]
    (note,) = back.notes
    assert "only 2 of the 16 composite events" in note
    life.die()


def test_other_rules(life: Life) -> None:
    """They are refused with the place; a watch that was opened later counts, not those before."""
    life.edits("1", 10)
    life.recording.checkpoint()
    life.die()
    others = parse_rules("event Item = ins(item)")
    for _ in range(2):
        with pytest.raises(
            LogError, match=r"log.jsonl:2: the watch was opened with other rules \(removed: .*; added: Item"
        ):
            recover(life.log, others)
        state_path(life.log).unlink(missing_ok=True)
    back = recover(life.log)
    back.recording.watch(others)
    etree.SubElement(back.document.root, "item")
    back.recording.checkpoint()
    for _ in range(2):
        back.recording.writer.close()
        back.document.close()
        back = recover(life.log, others)
        assert back.watch is not None and back.watch.delivered == 1
        assert back.notes == ()
        back.recording.writer.close()
        with pytest.raises(LogError, match=r"log.jsonl:\d\d+: the watch was opened with other rules"):
            recover(life.log, life.rules)
        state_path(life.log).unlink(missing_ok=True)
    back.document.close()


def test_a_state_is_refused_where_it_would_be_wrong(life: Life) -> None:
    with life.document.transaction(), pytest.raises(LogError, match="no state is written in a transaction"):
        life.recording.checkpoint()
    with life.document.transaction(immediate=True):
        life.document.root.set("a", "1")
        with pytest.raises(LogError, match="no state is written in a transaction"):
            life.recording.checkpoint()
    life.document.subscribe(lambda event: life.recording.checkpoint())
    with pytest.raises(CallbackError, match="none while changes are being delivered"):
        life.document.root.set("a", "2")
    assert not state_path(life.log).exists()
    life.die()


def test_a_language_that_remembers_events_has_no_state(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Counting:
        """O1: yes to every second event."""

        keeps_state = True
        variables = ()

        def compile(self, text: str) -> Any:
            seen = [0]

            def ask(event: Any, document: Any) -> bool:
                seen[0] += 1
                return seen[0] % 2 == 0

            ask.keeps_state = True  # type: ignore[attr-defined]
            return ask

    rules = parse_rules('event Even = opaque["counting", "-"](item)', languages={"counting": Counting()})
    life = Life(tmp_path / "log.jsonl", rules, state_every=1_000, durability="os")
    with caplog.at_level(logging.WARNING, "xmlcep"):
        life.edits("1", 60)
    assert (
        "no state was written, so a recovery replays more of it: the language 'counting' remembers"
        in caplog.text
    )
    assert len(caplog.records) < 10
    life.die()


def test_a_disk_that_is_full_fails_no_edit(
    life: Life, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    life.edits("1", 5)
    life.recording.checkpoint()
    known = state_path(life.log).read_bytes()
    monkeypatch.setattr("xmlcep.recording.state_file.write_new_file", fail)
    with pytest.raises(LogError, match="no state could be written beside it: No space left"):
        life.recording.checkpoint()
    life.recording._checkpoints.due = 0
    life.edits("2", 5)
    assert "No space left" in caplog.text
    assert state_path(life.log).read_bytes() == known
    life.die()


def test_a_state_is_json_and_of_whole_records(life: Life) -> None:
    life.edits("1", 30)
    life.recording.checkpoint()
    head, body = map(json.loads, state_path(life.log).read_bytes().splitlines())
    assert head["xmlcep"] == "recording"
    assert head["bytes"] == life.log.stat().st_size
    assert head["lines"] == len(life.log.read_bytes().splitlines())
    assert body["document"]["snapshot"].startswith("<order")
    life.die()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.parametrize(("again", "first"), [("0", "1"), ("9", "5")])
def test_killed_at_every_seventh_step(again: str, first: str) -> None:
    command = [sys.executable, "-m", "tests.log.killed_recordings", again, first, "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.splitlines()[-1]) > 6
