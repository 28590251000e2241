"""An edit that is cut short between two of its steps says so; what is recorded of it stays a log of the document."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.wrapping import interrupts
from tests.wrapping.guests import recordable
from xmlcep.log.errors import LogError
from xmlcep.recording import rebuild
from xmlcep.wrapping import CallbackError, clock, emitter


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("xmlcep")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


@pytest.mark.parametrize("seed", range(100))
def test_nothing_goes_wrong_in_silence(seed: int, tmp_path: Path) -> None:
    assert interrupts.run(seed, tmp_path)


def cut_short(document: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit that is interrupted when its change is known, and nobody has been told of it."""

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(emitter.Emitter, "emit_alone", interrupted)
        with pytest.raises(KeyboardInterrupt):
            document.root.set("k", "2")


def test_verify_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    document = xmlcep.fromstring("<r k='1'/>")
    document.snapshot()
    cut_short(document, monkeypatch)
    assert document.verify() == [
        "an edit was cut short, as by a KeyboardInterrupt or a MemoryError: events, records or findings may be missing "
        "since then; close() the document and wrap the tree again"
    ]
    assert document.missed == 1


def test_missed_grows_with_each_edit_that_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    document = xmlcep.fromstring("<r k='1'/>")
    document.subscribe(lambda event: None)
    counts = [document.missed]
    for _ in range(3):
        cut_short(document, monkeypatch)
        counts.append(document.missed)
        document.root.set("k", "told")
        assert document.missed == counts[-1]
    assert counts[0] == 0 and counts == sorted(set(counts))


def test_missed_does_not_count_interrupts_of_callbacks() -> None:
    """The edit is complete, and everybody is told of it."""
    document = xmlcep.fromstring("<r/>")
    told: list[Any] = []

    def interrupted(event: Any) -> None:
        raise KeyboardInterrupt

    document.subscribe(interrupted)
    document.subscribe(told.append)
    with pytest.raises(KeyboardInterrupt):
        document.root.set("k", "1")
    assert document.missed == 0 and len(told) == 1
    document._check()


def test_what_is_cut_short_before_anything_of_it_is_known_is_told_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not counted: a comparison finds it, as what C code has done."""
    document = xmlcep.fromstring("<r><a/></r>")
    told: list[Any] = []
    document.snapshot()
    document.subscribe(told.append)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("xmlcep.wrapping.fast_paths.remove", interrupted)
        with pytest.raises(KeyboardInterrupt):
            document.root.remove(document.root[0])
    assert document.missed == 0 and document.verify() and not told
    document.snapshot()
    assert [event.op for event in told] == ["del"] and not document.verify()


def test_a_change_of_name_that_is_cut_short_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the old node has been told of and the new one has not, the text behind them is nobody's."""
    document = xmlcep.fromstring("<r><a/>t<b/></r>")
    document.snapshot()

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("xmlcep.wrapping.mutations.position", interrupted)
        with pytest.raises(KeyboardInterrupt):
            document.root[0].tag = "c"
    assert document.missed == 1


def test_a_transaction_that_is_undone_leaves_no_trace_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    document = xmlcep.fromstring("<r k='1'/>")
    before = document.snapshot()
    with pytest.raises(KeyError), document.transaction():
        cut_short(document, monkeypatch)
        raise KeyError
    document._check()
    assert document.snapshot() == before


def test_a_recorder_writes_nothing_more_and_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, log = xmlcep.fromstring("<r k='1'/>", name="d"), tmp_path / "log.jsonl"
    recording = xmlcep.record(document, log, seal=True)
    cut_short(document, monkeypatch)
    before = log.read_bytes()
    with pytest.raises(CallbackError, match="an edit was cut short"):
        document.root.set("k", "3")
    assert log.read_bytes() == before
    recording.close()
    with xmlcep.record(document, log, seal=True):
        document.root.set("k", "4")
    assert etree.tostring(rebuild(log)) == b'<r k="4"/>'


def test_a_recorder_that_is_interrupted_itself_writes_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the hash chain a record would be missing."""
    document, log = xmlcep.fromstring("<r k='1'/>", name="d"), tmp_path / "log.jsonl"
    with xmlcep.record(document, log, seal=True) as recording:
        writer: Any = recording.writer

        def interrupted(_: bytes) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(writer, "write", interrupted)
            with pytest.raises(KeyboardInterrupt):
                document.root.set("k", "2")
        with pytest.raises(LogError, match="nothing more is written"):
            writer.write(b"{}\n")
    assert len(document.verify()) == 1


def test_the_beginning_of_a_transaction_that_is_interrupted_leaves_none_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = xmlcep.fromstring("<r/>")
    told: list[Any] = []
    document.subscribe(told.append)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("xmlcep.wrapping.transactions.open_journal", interrupted)
        with pytest.raises(KeyboardInterrupt), document.transaction():
            pass
    assert not document.in_transaction
    document.root.set("k", "1")
    assert len(told) == 1
    document._check()


def test_what_is_left_of_an_edit_is_told_before_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its events are in order: an event that is an edit by itself does not overtake them."""
    document = xmlcep.fromstring("<r k='1'><a/></r>")
    told: list[Any] = []
    document.subscribe(told.append)
    new_id, left = clock.Clock.new_id, [4]

    def interrupted(self: Any) -> int:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return new_id(self)

    with monkeypatch.context() as patched:
        patched.setattr(clock.Clock, "new_id", interrupted)
        with pytest.raises(KeyboardInterrupt):
            document.root.append(etree.XML("<b><c/><d/><e/></b>"))
    document.root.set("k", "2")
    assert [event.ts for event in told] == list(range(1, document.clock + 1))
    assert document.verify()


def test_others_do_not_suffer_from_what_c_code_has_done_to_a_document() -> None:
    """Each says by itself what it cannot tell of any more."""
    root = etree.fromstring("<s><x/></s>", etree.XMLParser())
    with xmlcep.wrap(root) as one, xmlcep.fromstring("<r><a/><b/></r>") as other:
        one.snapshot()
        other.snapshot()
        etree._Element.insert(other.root, 1, etree.Element("unseen"))
        etree._Element.append(one.root, other.root[0])
        one.catch_up()
        one.snapshot()
        assert recordable(one.snapshot()[0])
        assert other.verify()
