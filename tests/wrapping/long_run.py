"""The long run: many random edits in all modes, judged one by one. ``python -m tests.wrapping.long_run 300000``"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, fields
from itertools import product
from random import Random
from typing import Any, Literal
from unittest.mock import patch

from lxml import etree

from tests.wrapping.judge import Judge, Model, whole
from tests.wrapping.mutator import START, Mutator
from tests.wrapping.odd_edits import ODD_SEVERAL
from tests.wrapping.outside import plain_parser
from tests.wrapping.whitespace import visible
from xmlcep.wrapping import foreign, fromstring, wrap

# Every name of an element and every text of a parent once: so events say which node they mean (see `Model`).
DISTINCT = (
    '<r k="1" l="2">t0<n0 k="3"/>t1<n1 l="2">u0<n2>v0<n3/>v1</n2>u1<n4><n5 m="4">w</n5></n4>u2</n1>t2<!--n-->t3'
    "<?p q?>t4<n6>z</n6><n7/><n8><n9/></n8>t5</r>"
)
SPACED = (
    "<r>\n  <n0>x</n0>\n  <n1> </n1>\n  <n2>one <n3/> <n4/></n2>\n"
    "  <n5>\n    <n6/><!--n-->\n    <n7>y</n7>\n  </n5>\n</r>"
)


@dataclass(frozen=True, slots=True)
class Mode:
    """How documents are wrapped and edited."""

    held: Literal["nothing", "root", "everything", "all of one"] = "nothing"
    """The proxies that are older than the wrapping and held on to, of every document or (all) of the first one."""
    snapshot: bool = True
    """Whether the document is asked for its ids at the beginning."""
    keep: bool = True
    """Whether all proxies are kept alive, or none, with a garbage collection now and then."""
    documents: int = 1
    whitespace: bool = False
    """Whether white space in element-only content is left out."""
    outside: bool = False
    """Whether nodes of classes that are not the wrapper's come in."""
    transactions: Literal["none", "deferred", "immediate"] = "none"

    def __str__(self) -> str:
        said = [
            f"{field.name}={value}"
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        ]
        return ", ".join(said) or "plain"


MODES = tuple(
    Mode(held, snapshot, keep, documents, whitespace, outside, transactions)
    for transactions, held, snapshot, documents, whitespace, outside, keep in product(
        ("none", "deferred", "immediate"), ("nothing", "root", "everything", "all of one"), (True, False), (1, 2),
        (False, True), (False, True), (True, False),
    )
    if (keep or held == "nothing") and (documents > 1 or held != "all of one")
)  # fmt: skip


class Undone(Exception):
    """Ends a transaction."""


class Run:
    """One set of fresh documents under random edits."""

    def __init__(self, mode: Mode, seed: int) -> None:
        self.mode = mode
        self.random = Random(seed)
        self.calls: Counter[str] = Counter()
        self.said: list[str] = []
        self.held: list[Any] = []
        self.documents = [self._wrapped(number) for number in range(mode.documents)]
        self.judges = [self._judge(document) for document in self.documents]
        self.mutator = Mutator(
            [document.root for document in self.documents], self.random, outside=mode.outside, hold=mode.keep,
            documents=self.documents,
        )  # fmt: skip

    def _wrapped(self, number: int) -> Any:
        text = SPACED if self.mode.whitespace else DISTINCT if not self.mode.snapshot else START
        options = {"ignore_whitespace": self.mode.whitespace, "name": f"d{number}"}
        if self.mode.held == "nothing" or (self.mode.held == "all of one" and number):
            return fromstring(text, **options)
        root = etree.fromstring(text, plain_parser())
        self.held += [root] if self.mode.held == "root" else root.iter()
        return wrap(root, **options)

    def _judge(self, document: Any) -> Any:
        kind = VisibleJudge if self.mode.whitespace else Judge
        return kind(document, snapshot=self.mode.snapshot)

    def edit(self, count: int) -> None:
        """``count`` edits (or transactions, of several edits each), judged.

        Before edits foreign proxies are looked at as ever, or none is: as of the many that wait for their turn.
        """
        late = self.unseen and self.random.random() < 0.5
        with patch.multiple(foreign, CREDIT=0, GLANCES=0) if late else nullcontext():
            self._edit(count)

    def _edit(self, count: int) -> None:
        while count > 0:
            done = 1
            if self.mode.transactions == "none":
                done = self.random.randint(1, 4) if self.unseen else 1
                for _ in range(done):
                    self._step()
            else:
                done = self._transaction()
            count -= done
            for document in self.documents:
                document.catch_up()
            self.check(several=self.several, moves=self.mutator.name == "extend")
        for document in self.documents:
            document._check()
        for judge in self.judges:
            judge.check_ids()

    @property
    def unseen(self) -> bool:
        """Whether edits may go unseen until somebody looks."""
        return self.mode.held != "nothing" or self.mode.outside

    @property
    def several(self) -> bool:
        """Whether the last step may be more than one edit."""
        return self.mutator.name in SEVERAL or self.unseen or self.mode.transactions != "none"

    def check(self, *, several: bool, moves: bool) -> None:
        for judge in self.judges:
            self.calls["events"] += len(judge.check(several=several, moves=moves))

    def _step(self) -> None:
        self.said.append(self.mutator.step())
        self.calls[self.mutator.name] += 1
        if not self.mode.keep:
            self.mutator.detached.clear()
            if sum(self.calls.values()) % 10 == 0:
                gc.collect()

    def _transaction(self) -> int:
        immediate, random = self.mode.transactions == "immediate", self.random
        chosen = random.sample(self.documents, random.randint(1, len(self.documents)))
        before = {document: self._whole(document) for document in chosen}
        undone = random.random() < 0.6
        count = random.randint(1, 8)
        self.said.append(f"transaction of {[document.name for document in chosen]}, {undone=}")
        try:
            with ExitStack() as stack:
                for document in chosen:
                    stack.enter_context(document.transaction(immediate=immediate))
                for _ in range(count):
                    self._step()
                if undone:
                    raise Undone
        except Undone:
            for document in chosen:
                after = self._whole(document)
                assert after == before[document], f"not undone:\n{before[document]}\n{after}"
                if not immediate and document is chosen[0]:
                    assert not self.judges[self.documents.index(document)].events, "told of what was undone"
        self.mutator.detached.clear()
        return count

    def _whole(self, document: Any) -> Any:
        """What an undo must bring back: not white space that is left out, if foreign proxies may have changed it."""
        unknown = self.mode.whitespace and (self.mode.held != "nothing" or self.mode.outside)
        return whole(visible(document.root) if unknown else document.root)

    def close(self) -> None:
        for document in self.documents:
            document.close()


SEVERAL = {
    "deep_copy", "prune", "comment_text", "instruction", "swap", "one_edit", "beside", "in_callback", "callback_fails",
    "from_document", "to_document",
    *(f"odd {name}" for name in ODD_SEVERAL),
}  # fmt: skip
"""Calls that are several edits."""


class VisibleJudge:
    """As `Judge`, of a document whose white space in element-only content is left out."""

    def __init__(self, document: Any, *, snapshot: bool) -> None:
        self.document = document
        self.events: list[Any] = []
        self.model = Model(visible(document.root), document.snapshot()[1] if snapshot else None)
        document.subscribe(self.events.append)

    def check(self, *, several: bool, moves: bool) -> list[Any]:
        """As `Judge.check`; the number of events is not judged."""
        events, self.events[:] = list(self.events), []
        for event in events:
            self.model.apply(event)
        self.model.equals(visible(self.document.root))
        Judge._check_edits(events, several)
        return events

    def check_ids(self) -> None:
        self.model.is_in(*self.document.snapshot())


def run(mode: Mode, count: int, seed: int, *, steps: int = 40) -> Counter[str]:
    """``count`` edits of documents that are new every ``steps`` edits; returns how often each call was made."""
    calls: Counter[str] = Counter()
    for number, done in enumerate(range(0, count, steps)):
        each = Run(mode, seed * 1_000_003 + number)
        try:
            each.edit(min(steps, count - done))
        except Exception as error:
            said = "\n  ".join(each.said[-12:])
            error.add_note(f"mode: {mode}; seed {seed}, document {number}; the last steps were\n  {said}")
            raise
        finally:
            each.close()
        calls += each.calls
    return calls


def main() -> None:
    """All modes; prints what was done."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    share = -(-count // len(MODES))
    gc.collect()
    gc.freeze()  # the modes that collect garbage look at their documents only, not at all that is loaded
    total: Counter[str] = Counter()
    for mode, calls in each_mode(share, seed):
        events = calls.pop("events", 0)
        total += calls
        print(f"{sum(calls.values()):6} edits, {events:7} events: {mode}", flush=True)
    print(f"{sum(total.values())} edits in {len(MODES)} modes, {len(total)} kinds of calls: no difference")


def each_mode(share: int, seed: int) -> Iterator[tuple[Mode, Counter[str]]]:
    for number, mode in enumerate(MODES):
        yield mode, run(mode, share, seed * len(MODES) + number)  # else modes would make the same choices


if __name__ == "__main__":
    main()
