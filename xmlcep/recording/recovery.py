"""Recovery: after a crash the document, its log and its watch go on as if nothing had happened."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

from ..arguments import PATH, check, optional, whole_number
from ..closing import Closing
from ..engine import ON_REMOVED, SINCE, OnRemoved, Replacement
from ..log.errors import LogError
from ..log.records import Control
from ..log.tail import Repair
from ..log.writing import Durability, LogWriter
from ..proofs.log_tree import Tree, as_signing
from ..rules import Rules
from ..wrapping import Document, wrap
from ..wrapping.parsing import parse_bytes
from .checkpoints import EVERY
from .log_end import look_at
from .log_replay import Delivered, History, replay_history
from .recorded_watch import CURSOR, Callback, RecordedWatch
from .recorder import Recording


@dataclass(frozen=True, slots=True)
class Recovered(Closing):
    """What `recover` brings back; leaving its ``with`` block closes the watch and the recording.

    ``watch`` is None when no rules were given, or in a sealed log no watch was open; ``repairs`` says what the crash
    had left at the end of the log; ``notes`` why a state beside the log could not be used, if there is one.
    ``replacement`` says what has become of the events of the watch where other rules were given.
    """

    document: Document
    recording: Recording
    watch: RecordedWatch | None
    repairs: tuple[Repair, ...]
    notes: tuple[str, ...] = ()
    replacement: Replacement | None = None

    def close(self) -> None:
        """Closes the watch, if any, and the recording."""
        if self.watch is not None:
            self.watch.close()
        self.recording.close()


def recover(
    log: str | os.PathLike[str],
    rules: Rules | None = None,
    *,
    on_event: Callback | None = None,
    delivered: Delivered = None,
    durability: Literal["event", "transaction", "os"] = "transaction",
    max_bytes: int | None = None,
    state_every: int | None = EVERY,
    keep: int | None = 1000,
    tree: Tree = False,
    on_removed: OnRemoved | None = None,
    since: Literal["now", "begin"] = "now",
    **wrapping: Any,
) -> Recovered:
    """Restores a recorded document with its node ids and clock, and continues recording it.

    With ``rules`` it also restores the recorded watch that was open (`Recording.watch`), with its partial matches.
    Composite events that were raised but not delivered, by the cursor in the log, go to ``on_event`` first. If the
    rules differ from those of the watch, they replace them (G7), as in `RecordedWatch.replace`: new events begin now,
    or with ``since="begin"`` at the beginning of the log; if events were changed or removed, ``on_removed`` decides
    about their partial matches. ``delivered`` replaces the cursor: the number of events that the application has kept
    since the watch was opened, or a function of the place where that was (`Recording.opened`). If no watch was open, a
    new one is opened and recorded; in a sealed log, ``watch`` is None instead, and ``notes`` says so. ``wrapping`` goes
    to `xmlcep.wrap`.

    If there is a state beside the log, only the rest of the log is replayed; the result is the same. Further states are
    written after each ``state_every`` bytes of log (None: never). ``tree`` is as for `record`: a log with signed
    checkpoints needs the key.

    Comments and processing instructions are not restored; an empty comment keeps two text nodes apart that one of them
    had separated. Raises `LogError` for a log that is missing, damaged, or watched with rules that would lose something
    or cannot be read; `LogLockedError` while another writer has it open.
    """
    check(
        "recover()", log=(log, PATH), state_every=(state_every, optional(whole_number(1))),
        on_removed=(on_removed, optional(ON_REMOVED)), since=(since, SINCE),
    )  # fmt: skip
    signing = as_signing(tree)
    to_continue = look_at(log)
    if to_continue is None:
        raise LogError(f"{log}: there is no log to recover from")
    end = to_continue.end
    mode = Durability(durability)
    document: Document | None = None
    writer: LogWriter | None = None
    try:
        history = replay_history(
            log, rules, delivered, whole=to_continue.whole, clock=to_continue.clock_to_come
        )
        history.check_rules(on_removed)
        document = _wrapped(history, log, end.doc, end.ts, wrapping)
        writer, repairs = to_continue.open(signing)
        recording = Recording(
            document,
            writer,
            durability=mode,
            max_bytes=max_bytes,
            state_every=state_every,
            repairs=repairs,
            clock=to_continue.end.clock,
            before=history,
        )
    except BaseException:
        if document is not None:
            document.close()
        (to_continue if writer is None else writer).close()
        raise
    watch, notes, replacement = None, history.notes, None
    if rules is not None:
        watch = _continue_watch(history, recording, document, rules, on_event, keep, new=end.seal is None)
        if watch is None:
            notes = (*notes, _NONE_OPENED)
        elif watch.rules is not rules:
            replacement = watch.replace(rules, on_removed=on_removed or "flush", since=since)
    return Recovered(document, recording, watch, repairs, notes, replacement)


_NONE_OPENED = (
    "no watch was open, and none was opened, for the log is sealed: recording.watch(rules) opens one"
)


def _continue_watch(
    history: History,
    recording: Recording,
    document: Document,
    rules: Rules,
    on_event: Callback | None,
    keep: int | None,
    *,
    new: bool,
) -> RecordedWatch | None:
    """The watch that was open; if none was a ``new`` one, or none."""
    missed = history.missed
    if history.detector is None or history.closed:
        for number, composite in enumerate(missed, history.delivered + 1):
            if on_event is not None:
                on_event(composite)
            recording.write_control(Control(CURSOR, {"delivered": number}))
        return recording.watch(rules, on_event=on_event, keep=keep) if new else None
    watch = RecordedWatch(
        document, history.rules or rules, recording, on_event=on_event, operators=history.operators, keep=keep,
        detector=history.detector, delivered=history.delivered,
    )  # fmt: skip
    recording.continue_watch(watch, history.opened)
    watch.deliver_missed(missed)
    return watch


def _wrapped(
    history: History, log: str | os.PathLike[str], name: str, clock: int, wrapping: dict[str, Any]
) -> Document:
    """The document at the end of the log, wrapped."""
    xml, ids = history.replica.snapshot()
    if xml is None:
        raise LogError(f"{log}: at its end the document {name!r} has no root element: nothing to recover")
    # A tree, not its root: nobody may hold a proxy that is older than the wrapping.
    return wrap(
        parse_bytes(xml, source_name=str(log)), name=name, ids=ids, clock=clock, txn=history.last_txn,
        next_id=history.largest_id + 1, **wrapping,
    )  # fmt: skip
