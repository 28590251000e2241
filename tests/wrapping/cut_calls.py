"""Calls that are cut short wherever Python looks for signals in the package's own code, and by real signals.

What is cut short is told wholly, as if nothing had been, or it is said: by the next call, and by `Document.verify`.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random
from typing import Any

from lxml import etree

import xmlcep
from tests.wrapping.event_oracle import Judge
from tests.wrapping.interrupts import Cut, Cutting
from xmlcep.errors import XmlCepError
from xmlcep.wrapping import Document, RefusedError, TransactionError

START = "<r k='1'>t<a/>u<b><c/></b></r>"
RULES = xmlcep.parse_rules(
    """rule Copy on (ins(x)) do set '@seen' = '1', insert "<y/>" last into ".."
rule Again on (ins(y)) do set '@last' = '1'"""
)


class Late(Exception):
    """What a signal's handler raises."""


class Left(Exception):
    """Leaves a block."""


def in_transaction(document: Document) -> None:
    with document.transaction():
        etree.SubElement(document.root, "x")
        document.root.text = "v"


def left(document: Document) -> None:
    with suppress(Left), document.transaction():
        etree.SubElement(document.root, "x").text = "v"
        raise Left


def left_visibly(document: Document) -> None:
    with suppress(Left), document.transaction(immediate=True):
        etree.SubElement(document.root, "x").text = "v"
        raise Left


def joined(document: Document) -> None:
    with document.transaction(), document.transaction(user="u"):
        document.root.text = "v"


def one_edit(document: Document) -> None:
    with document.one_edit():
        document.root.text = "v"
        document.root.set("k", "2")


def observed(document: Document) -> None:
    with document.observe():
        etree.strip_tags(document.root, "b")


CALLS: dict[str, Callable[[Document], Any]] = {
    "text": lambda document: setattr(document.root, "text", "v"),
    "tail": lambda document: setattr(document.root[0], "tail", None),
    "tag": lambda document: setattr(document.root[1], "tag", "d"),
    "set": lambda document: document.root.set("k", "2"),
    "delete": lambda document: document.root.attrib.pop("k"),
    "update": lambda document: document.root.attrib.update({"k": "2", "l": "3"}),
    "SubElement": lambda document: etree.SubElement(document.root, "x", k="1"),
    "append": lambda document: document.root.append(etree.fromstring("<x k='1'><y/>t</x>")),
    "move": lambda document: document.root.append(document.root[0]),
    "insert": lambda document: document.root.insert(0, etree.Element("x")),
    "remove": lambda document: document.root.remove(document.root[1]),
    "replace": lambda document: document.root.replace(document.root[0], etree.Element("x")),
    "slice": lambda document: document.root.__setitem__(slice(0, 2), [etree.Element("x")]),
    "extend": lambda document: document.root.extend([etree.Element("x"), etree.Element("y")]),
    "clear": lambda document: document.root.clear(),
    "transaction": in_transaction,
    "joined": joined,
    "undone": left,
    "undone visibly": left_visibly,
    "one edit": one_edit,
    "observe": observed,
    "advance": lambda document: document.advance("2030-01-01T00:00:00Z"),
}  # fmt: skip


class Told:
    """A document, with two who hear of it, and perhaps action rules; and whether they have heard of all of it."""

    def __init__(self, *, acting: bool = False) -> None:
        self.document = document = xmlcep.fromstring(START, name="d", now=lambda: 0.0)
        self.judge = Judge(document, snapshot=True)
        self.first: list[Any] = []
        self.second: list[Any] = []
        document.subscribe(self.first.append)
        document.subscribe(self.second.append)
        if acting:
            document.rules(RULES)

    def check(self) -> str:
        """Raises AssertionError if something is wrong and nothing says so."""
        document = self.document
        said = document.verify()
        if said:
            self._check_refused()
            return "said"
        before = len(self.first)
        document.root.set("after", "1")
        assert len(self.first) > before, "nobody is told of anything any more"
        assert not document.verify()
        assert self.first == self.second, "one of them has missed something"
        assert [event.ts for event in self.first] == list(range(1, document.clock + 1)), (
            "told twice or not at all"
        )
        self.judge.apply()
        return "told"

    def _check_refused(self) -> None:
        """The next call says so, whichever it is, but where a comparison can still tell of all: then that does."""
        document = self.document
        if not document.missed:
            document.snapshot()
            self.judge.apply()
            return
        before = etree.tostring(document.root)
        for call in (
            lambda: document.root.set("after", "1"),
            lambda: etree.SubElement(document.root, "after"),
            lambda: document.root.append(etree.Element("after")),
            lambda: document.transaction().__enter__(),
            document.snapshot,
            document.one_edit,
        ):
            try:
                call()
            except RefusedError as error:
                assert "was cut short" in str(error)
            else:
                raise AssertionError("nothing is said")
        assert etree.tostring(document.root) == before


def cut(call: str, moment: int, *, acting: bool = False) -> bool:
    """Cuts a call short at this moment; whether there are so many."""
    told = Told(acting=acting)
    cutting = Cutting(moment)
    try:
        with suppress(Cut, TransactionError):
            cutting(lambda: CALLS[call](told.document))
        told.check()
    except (AssertionError, XmlCepError) as error:
        error.add_note(f"{call} cut short at moment {moment}, at {cutting.at}")
        raise
    finally:
        with suppress(XmlCepError):
            told.document.close()
    return cutting.left <= 0


def cut_everywhere(call: str, *, acting: bool = False, moments: Iterable[int]) -> int:
    """Cuts a call short at each of these moments; how many there were."""
    count = 0
    for moment in moments:
        if not cut(call, moment, acting=acting):
            break
        count += 1
    return count


def interrupted(seed: int, kind: type[BaseException]) -> str:
    """Calls that a real signal comes between, whose handler raises this."""

    def handler(*_: object) -> None:
        raise kind

    random = Random(seed)
    told = Told(acting=random.random() < 0.3)
    calls = random.choices(list(CALLS), k=20)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with suppress(kind, XmlCepError, IndexError, KeyError):
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 1e-3))
            try:
                for call in calls:
                    with suppress(IndexError, KeyError):
                        CALLS[call](told.document)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    try:
        return told.check()
    except (AssertionError, XmlCepError) as error:
        error.add_note(f"seed {seed}: {calls}")
        raise
    finally:
        with suppress(XmlCepError):
            told.document.close()


def main() -> None:
    """``python -m tests.wrapping.cut_calls COUNT [SEED]``: so many documents edited while signals come; or
    ``python -m tests.wrapping.cut_calls moments``: every call cut short at every moment."""
    if sys.argv[1] == "moments":
        for acting in (False, True):
            for call in CALLS:
                print(call, acting, cut_everywhere(call, acting=acting, moments=range(1, 10**6)))
        return
    found: dict[str, int] = {}
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + int(sys.argv[1])):
        said = interrupted(seed, Cut if seed % 2 else Late)
        found[said] = found.get(said, 0) + 1
    print(found)


if __name__ == "__main__":
    main()
