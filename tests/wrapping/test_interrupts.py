"""An edit that is cut short between two of its steps says so; what is recorded of it stays a log of the document."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.wrapping import interrupts
from tests.wrapping.cut_calls import CALLS, Cut, Late, Told, cut_everywhere, interrupted
from xmlcep.log.errors import LogError
from xmlcep.recording import rebuild
from xmlcep.wrapping import RefusedError, TransactionError
from xmlcep.wrapping.calls.observation import Observation
from xmlcep.wrapping.delivery import Delivery
from xmlcep.wrapping.emitter import Emitter, OneEdit
from xmlcep.wrapping.transactions import Transaction


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("xmlcep")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_goes_wrong_in_silence(seed: int, tmp_path: Path) -> None:
    assert interrupts.run(seed, tmp_path)


def cut_short(document: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit that is interrupted when its change is known, and nobody has been told of it."""

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        for name in ("emit", "emit_alone"):
            patched.setattr(document._tree, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            document.root.set("k", "2")


def test_verify_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    document = xmlcep.fromstring("<r k='1'/>")
    document.snapshot()
    cut_short(document, monkeypatch)
    assert document.verify() == [
        "an edit of the document 'document' was cut short, as by a KeyboardInterrupt or a MemoryError: events, records "
        "or findings may be missing since then; close() the document and wrap the tree again"
    ]
    assert document.missed == 1


@pytest.mark.parametrize("acting", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_is_cut_short_anywhere_is_told_or_says_so(call: str, acting: bool) -> None:
    """``python -m tests.wrapping.cut_calls moments`` takes all moments; here some, others in each call."""
    start = 1 + list(CALLS).index(call)
    assert cut_everywhere(call, acting=acting, moments=range(start, 1_000, 29)) > 1


# A signal may come in a function of somebody else that hears of garbage, where Python only prints it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", [Cut, Late])
def test_real_signals(kind: type[BaseException]) -> None:
    assert {interrupted(seed, kind) for seed in range(60)} <= {"told", "said"}


def at_the_entry_of(function: Any, call: Any) -> None:
    """Makes a call, and has it interrupted where this function of the package begins."""

    def trace(frame: Any, event: str, _: Any) -> None:
        if frame.f_code is function.__code__:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    tracing = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        sys.settrace(tracing)
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("call", "function"),
    [
        ("transaction", Transaction._leave),
        ("transaction", Transaction._end),
        ("one edit", OneEdit._leave),
        ("one edit", Emitter.end_block),
        ("extend", Emitter.end_block),
        ("observe", Observation._leave),
        ("SubElement", Delivery.deliver_all),
        ("text", Delivery.deliver),
    ],
)
def test_an_interrupt_at_the_entry_of_what_ends_it_is_said_by_the_next_call(call: str, function: Any) -> None:
    told = Told()
    at_the_entry_of(function, lambda: CALLS[call](told.document))
    assert told.check() == "said"
    with pytest.raises(RefusedError, match="was cut short"):
        etree.SubElement(told.document.root, "x")
    assert not told.document.in_transaction


def test_close_says_so_if_nothing_has_said_it_before() -> None:
    told, other = Told(), Told()
    for each in (told, other):
        at_the_entry_of(OneEdit._leave, lambda: CALLS["one edit"](each.document))  # noqa: B023
    with pytest.raises(RefusedError, match="was cut short"):
        told.document.close()
    assert told.document.closed
    assert other.document.verify()
    other.document.close()


def test_an_application_goes_on_after_an_interrupt_in_a_transaction() -> None:
    """It is undone with it, if the interrupt leaves the block; and if it does not, too."""
    for caught in (False, True):
        told = Told()
        with suppress(KeyboardInterrupt, TransactionError), told.document.transaction():
            try:
                at_the_entry_of(Emitter.emit_alone, lambda: CALLS["text"](told.document))  # noqa: B023
            except BaseException:
                if not caught:
                    raise
        assert told.check() == "told"


def test_an_error_that_comes_between_callbacks_is_not_blamed_on_one_of_them() -> None:
    """It is raised as it is, and everybody else is called."""
    told = Told()

    def trace(frame: Any, event: str, _: Any) -> Any:
        def step(frame: Any, event: str, _: Any) -> Any:
            if told.first and event == "line":
                sys.settrace(None)
                raise Late
            return step

        return step if frame.f_code is Delivery.deliver.__code__ else None

    tracing = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(Late):
            told.document.root.set("k", "2")
    finally:
        sys.settrace(tracing)
    assert told.check() == "said"


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


def test_a_change_of_name_that_is_cut_short_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the old node has been told of and the new one has not, the text behind them is nobody's."""
    document = xmlcep.fromstring("<r><a/>t<b/></r>")
    document.snapshot()

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("xmlcep.wrapping.shadow.mutations.position", interrupted)
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
    with pytest.raises(RefusedError, match="was cut short"):
        document.root.set("k", "3")
    assert log.read_bytes() == before
    recording.close()
    document.close()
    with (
        xmlcep.wrap(document.tree, name="d", clock=document.clock + 1) as again,
        xmlcep.record(again, log, seal=True),
    ):
        again.root.set("k", "4")
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
        patched.setattr("xmlcep.wrapping.shadow.savepoints.open_journal", interrupted)
        with pytest.raises(KeyboardInterrupt), document.transaction():
            pass
    assert not document.in_transaction
    assert document.verify() and not told
