"""Edits that are cut short: a KeyboardInterrupt, a signal's error, a full stack, at any moment of the package's code.

What was edited then may not be told wholly; but nothing goes wrong in silence. Either events, and a log, have the
document that is there, or `Document.verify` says that they may not, and a recorder writes nothing more.
"""

from __future__ import annotations

import dis
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any

from lxml import etree

import xmlcep
from tests.actions.random_rules import random_rules
from tests.wrapping.changing_listeners import recordable
from tests.wrapping.event_oracle import Judge
from tests.wrapping.long_run import DISTINCT
from tests.wrapping.mutator import Mutator
from xmlcep.errors import XmlCepError
from xmlcep.log import seal
from xmlcep.log.errors import LogError, UnsealedError
from xmlcep.recording import rebuild
from xmlcep.wrapping import TransactionError

OWN = str(Path(xmlcep.__file__).parent)
CALLS = {dis.opmap["CALL"], dis.opmap["CALL_FUNCTION_EX"]}
BACK = dis.opmap["JUMP_BACKWARD"]
RULES = xmlcep.parse_rules("event Any(/r) = x[1,3] *(r//*)")


class Cut(BaseException):
    """What comes between two steps."""


class Undone(Exception):
    """Ends a transaction."""


class Cutting:
    """Raises `Cut` at the ``moment``-th place where Python looks for signals: at the beginning of functions, behind
    calls, at the ends of loops; ``left`` is above 0 if it never came."""

    def __init__(self, moment: int) -> None:
        self.left = moment
        self._before: dict[int, int | None] = {}
        self.at = ""

    def __call__(self, call: Callable[[], Any]) -> None:
        """Calls this, and raises then, unless it is over by then."""
        tracing = sys.gettrace()
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(tracing)

    def _enter(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(OWN):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._look(frame)
        return lambda inner, kind, given: self._step(inner, kind)

    def _step(self, frame: FrameType, event: str) -> Any:
        if event == "opcode":
            code = _code(frame.f_code)[frame.f_lasti]
            if self._before.get(id(frame)) in CALLS or code == BACK:
                self._look(frame)
            self._before[id(frame)] = code
        return lambda inner, kind, given: self._step(inner, kind)

    def _look(self, frame: FrameType) -> None:
        self.left -= 1
        if not self.left:
            self.at = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}"
            sys.settrace(None)
            raise Cut


def _code(code: CodeType) -> bytes:
    return code.co_code


def on_a_full_stack(room: int, call: Callable[[], Any]) -> None:
    """Calls this with room for so many frames."""
    limit, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    sys.setrecursionlimit(depth + room)
    try:
        call()
    finally:
        sys.setrecursionlimit(limit)


class Run:
    """One document, edited, cut short once, and edited on; perhaps recorded, watched and acted on."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random = Random(seed)
        self.document = xmlcep.fromstring(DISTINCT, name="d")
        self.judge = Judge(self.document, snapshot=random.random() < 0.5)
        self.mutator = Mutator(self.document.root, random)
        self.log = folder / f"{seed}.jsonl"
        self.recording = self._record() if random.random() < 0.5 else None
        if random.random() < 0.3:
            self.document.watch(RULES)
        if random.random() < 0.3:
            rules = random_rules(random.randrange(10**6))
            self.document.rules(rules, on_error=lambda error: None, limit=6, firings=40)
        self.at = ""

    def _record(self) -> Any:
        sealed, size = self.random.random() < 0.5, self.random.choice([None, 2_000])
        return xmlcep.record(self.document, self.log, durability="os", seal=sealed, max_bytes=size)

    def go(self) -> str:
        """Edits; returns what became of it. Raises AssertionError if something is wrong and nothing says so."""
        for _ in range(self.random.randrange(6)):
            self.mutator.step()
        self._cut_short()
        document = self.document
        assert not document.in_transaction, "a transaction without end"
        if self.random.random() < 0.5:
            for _ in range(3):
                with suppress(XmlCepError):
                    self.mutator.step()
        try:
            said = document.verify()
            if said and not document.missed and document._tree.all_open:
                document.snapshot()
                self.judge.apply()  # told late, if it is not counted
        except XmlCepError as error:
            return type(error).__name__
        if said:
            self._check_log(told=False)
            return "verify() says so"
        self.judge.apply()
        self._check_log(told=True)
        return "all is told"

    def close(self) -> None:
        """What is there stays."""
        with suppress(XmlCepError):
            self.document.close()

    def _cut_short(self) -> None:
        cutting = Cutting(1 + int(self.random.expovariate(1 / 60)))
        edits = self._transaction if self.random.random() < 0.3 else self.mutator.step
        with suppress(Cut, XmlCepError, Undone, TransactionError, RecursionError):
            if self.random.random() < 0.2:
                on_a_full_stack(self.random.randint(3, 40), edits)
            else:
                cutting(edits)
        self.at = cutting.at

    def _transaction(self) -> None:
        with self.document.transaction(immediate=self.random.random() < 0.3):
            for _ in range(2):
                self.mutator.step()
            if self.random.random() < 0.3:
                raise Undone

    def _check_log(self, *, told: bool) -> None:
        """The log has the document, or has no more than what it was once; then it can be gone on with."""
        if self.recording is None:
            return
        failed = False
        try:
            self.recording.writer.write(b"")
        except LogError:
            failed = True
        with suppress(XmlCepError):
            self.recording.close()
        if told and not failed:
            self._log_has_it()
        elif not self.document.delivery.queue:
            try:
                text = recordable(self.document.snapshot()[0])
                self._record().close()
            except XmlCepError:  # it says that it cannot be gone on with
                return
            assert recordable(self.document.snapshot()[0]) == text
            self._log_has_it()

    def _log_has_it(self) -> None:
        found = recordable(etree.tostring(rebuild(self.log)))
        assert found == recordable(self.document.snapshot()[0]), "the log has another document"
        with suppress(UnsealedError):
            seal.verify(self.log)


def run(seed: int, folder: Path) -> str:
    """One document whose editing is cut short; returns what became of it."""
    each = Run(seed, folder)
    try:
        return each.go()
    except BaseException as error:
        error.add_note(f"seed {seed}, cut short in {each.mutator.name} at {each.at}")
        raise
    finally:
        each.close()


def main() -> None:
    """``python -m tests.wrapping.interrupts COUNT [SEED]``: so many documents."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    logging.getLogger("xmlcep").setLevel(logging.CRITICAL)
    sys.unraisablehook = lambda _: None  # what is raised in a generator that nobody needs any more
    with tempfile.TemporaryDirectory() as folder:
        found: Counter[str] = Counter()
        for seed in range(first, first + count):
            try:
                found[run(seed, Path(folder))] += 1
            except AssertionError as error:
                found["wrong"] += 1
                print(str(error)[:200], *error.__notes__)
        print(found)


if __name__ == "__main__":
    main()
