"""The long run: many random edits in all modes, judged one by one. ``python -m tests.wrapping.long_run 300000``"""

from __future__ import annotations

import gc
import io
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, fields
from itertools import product
from random import Random
from typing import Any, Literal
from unittest.mock import patch

from lxml import etree

from tests.wrapping.event_oracle import Judge, Model, whole
from tests.wrapping.mutator import START, Mutator
from tests.wrapping.odd_documents import NAMES, STARTS, html_root
from tests.wrapping.odd_edits import ODD_SEVERAL
from tests.wrapping.open_rules_and_watches import Companions
from tests.wrapping.outside_classes import own_classes, plain_parser
from tests.wrapping.whitespace import visible
from xmlcep import CascadeError
from xmlcep.wrapping import TransactionError, WrapError, fromstring, wrap
from xmlcep.wrapping.shadow import outside_proxies as foreign

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

    held: Literal["nothing", "root", "everything"] = "nothing"
    """The proxies that are older than the wrapping and held on to; what such ones take from other documents is refused,
    so that there is but one."""
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
    acting: Literal["nothing", "rules", "strict rules"] = "nothing"
    """Whether a watch, and action rules, are open on every document."""
    again: bool = False
    """Whether documents are closed, and their trees wrapped again, now and then."""
    every: bool = False
    """Whether everything that lxml has is called, with any arguments."""
    own: bool = False
    """Whether the elements are of an application's classes, and proxies held that are older than the wrapping."""
    start: str = ""
    """The document to begin with (see `starts`), instead of the usual ones."""

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
        ("none", "deferred", "immediate"), ("nothing", "root", "everything"), (True, False), (1, 2),
        (False, True), (False, True), (True, False),
    )
    if (keep or held == "nothing") and (documents == 1 or (held == "nothing" and not outside))
)  # fmt: skip
COMPANY = tuple(
    Mode(held, snapshot, keep, documents, whitespace, outside, transactions, acting, again)
    for transactions, acting, again, (held, snapshot, keep, documents, whitespace, outside) in product(
        ("none", "deferred", "immediate"), ("rules", "strict rules", "nothing"), (False, True), (
            ("nothing", True, True, 1, False, False),
            ("nothing", False, True, 2, False, False),
            ("nothing", True, False, 2, True, False),
            ("root", True, True, 1, False, False),
            ("everything", False, True, 1, True, True),
        ),
    )
    if (acting != "nothing" or again) and not (again and outside)
)  # fmt: skip
"""Those with something open on the documents, and those that wrap them again."""
CALLING = tuple(
    Mode(held, documents=documents, whitespace=whitespace, transactions=transactions, acting=acting, every=True)
    for transactions, acting, (held, documents, whitespace) in product(
        ("none", "deferred", "immediate"), ("nothing", "rules"),
        (("nothing", 1, False), ("nothing", 2, True), ("everything", 1, False)),
    )
)  # fmt: skip
"""Those in which everything is called."""
STARTING = tuple(
    Mode(
        held,
        keep=number % 3 > 0 or held != "nothing",
        documents=1 + (held == "nothing" and number % 2),
        transactions=done,
        start=name,
    )
    for number, (name, (held, done)) in enumerate(
        product(
            NAMES,
            (("nothing", "none"), ("root", "none"), ("nothing", "deferred"), ("everything", "immediate")),
        )
    )
    if held == "nothing" or name != "document type"
)
"""Those that begin with other documents; lxml 6.1 crashes where a default of a document type is deleted, unseen."""
OWN = tuple(
    Mode(documents=documents, whitespace=whitespace, transactions=transactions, acting=acting, again=again, own=True)
    for transactions, (documents, whitespace, acting, again) in product(
        ("none", "deferred", "immediate"),
        ((1, False, "nothing", False), (2, True, "nothing", False), (1, False, "rules", True)),
    )
)  # fmt: skip
"""Those of trees in an application's own classes, whose edits are seen as they happen."""
EVERY = (*MODES, *COMPANY, *CALLING, *STARTING, *OWN)


class Undone(Exception):
    """Ends a transaction."""


class Run:
    """One set of fresh documents under random edits."""

    def __init__(self, mode: Mode, seed: int, *, odd: bool = True) -> None:
        self.mode = mode
        self.random = Random(seed)
        self.calls: Counter[str] = Counter()
        self.said: list[str] = []
        self.held: list[Any] = []
        self.documents = [self._wrapped(number) for number in range(mode.documents)]
        self.judges = [self._judge(document, snapshot=mode.snapshot) for document in self.documents]
        self.companions = [self._companions(document) for document in self.documents]
        self.mutator = Mutator(
            [document.root for document in self.documents], self.random, odd=odd, outside=mode.outside,
            hold=mode.keep, every=mode.every, documents=self.documents,
        )  # fmt: skip

    def _wrapped(self, number: int) -> Any:
        mode = self.mode
        text = STARTS.get(mode.start) or (SPACED if mode.whitespace else START if mode.snapshot else DISTINCT)
        options = {"ignore_whitespace": mode.whitespace, "name": f"d{number}"}
        if mode.own:
            tree = etree.parse(io.BytesIO(text.encode()), own_classes(self.random.randrange(5)))
            self.held += [
                node for node in tree.iter()
                if type(node).__module__ != "lxml.etree" and self.random.random() < 0.5
            ]  # fmt: skip
            return wrap(tree, **options)
        if mode.held != "nothing":
            root = html_root() if mode.start == "html" else etree.fromstring(text, plain_parser())
            self.held += [root] if mode.held == "root" else root.iter()
            return wrap(root, **options)
        return wrap(html_root(), **options) if mode.start == "html" else fromstring(text, **options)

    def _companions(self, document: Any) -> Companions | None:
        if self.mode.acting == "nothing":
            return None
        random, strict = self.random, self.mode.acting == "strict rules"
        return Companions(document, random.randrange(10**6), strict=strict, sets=random.randint(1, 2))

    def _judge(self, document: Any, *, snapshot: bool) -> Any:
        kind = VisibleJudge if self.mode.whitespace else Judge
        return kind(document, snapshot=snapshot)

    def edit(self, count: int) -> None:
        """``count`` edits (or transactions, of several edits each), judged.

        Before edits foreign proxies are looked at as ever, or none is: as of the many that wait for their turn.
        """
        late = self.unseen and self.random.random() < 0.5
        with patch.object(foreign, "CREDIT", 0) if late else nullcontext():
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
                with suppress(
                    CascadeError
                ):  # of what was edited through foreign proxies, which is undone then
                    document.catch_up()
            if self.mode.again and self.random.random() < 0.2:
                self._wrap_again(self.random.randrange(len(self.documents)))
            self.check(several=self.several, moves=self.mutator.moves)
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
        mode = self.mode
        return (
            self.mutator.name in SEVERAL
            or self.unseen
            or mode.transactions != "none"
            or mode.acting != "nothing"
        )

    def check(self, *, several: bool, moves: bool) -> None:
        for judge in self.judges:
            self.calls["events"] += len(judge.check(several=several, moves=moves))
        for companions in self.companions:
            if companions is not None:
                companions.check()

    def _wrap_again(self, number: int) -> None:
        """Closes a document and wraps its tree again, as it is: its history goes on, or its judge begins anew."""
        mode, document = self.mode, self.documents[number]
        self.check(several=self.several, moves=self.mutator.moves)
        snapshot, clock, next_id, root = document.snapshot(), document.clock, document.next_id, document.root
        if (companions := self.companions[number]) is not None:
            companions.close()
        document.close()
        edited = self.random.random() < 0.3
        if edited:
            root.set("k", "while it is not a document")  # so that its history cannot go on
        history = {"ids": snapshot[1], "clock": clock, "next_id": next_id, "txn": document.last_txn}
        options = {"ignore_whitespace": mode.whitespace, "name": document.name}
        again = None
        if self.random.random() < 0.6:
            with suppress(WrapError):  # it has got nodes of other classes
                again = wrap(root, **options, **({} if edited else history))
        self.said.append(f"{document.name} " + ("wrapped again" if again else "read again"))
        if again is None:
            again, edited = fromstring(snapshot[0], **options), False
            again.resume(**history)
        self.documents[number], self.mutator.roots[number] = again, again.root
        if edited:  # no name is the only one of its kind any more
            self.judges[number] = self._judge(again, snapshot=True)
        else:
            self.judges[number].go_on(again)
        self.companions[number] = self._companions(again)

    def _step(self) -> None:
        try:
            self.said.append(self.mutator.step())
        except CascadeError:  # of strict rules: the edit is undone
            self.said.append(f"{self.mutator.name}: CascadeError")
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
        except (
            Undone,
            CascadeError,
            TransactionError,
        ) as error:  # strict rules may raise when it ends, or within
            others_done = len(chosen) > 1 and not isinstance(error, Undone)
            for document in () if others_done else chosen:
                after = self._whole(document)
                assert after == before[document], f"not undone:\n{before[document]}\n{after}"
                if not immediate and document is chosen[0]:
                    assert not self.judges[self.documents.index(document)].events, "told of what was undone"
        self.mutator.detached.clear()
        return count

    def _whole(self, document: Any) -> Any:
        """What an undo must bring back: not white space that is left out, if foreign proxies may have changed it."""
        unknown = self.mode.whitespace and (self.mode.held != "nothing" or self.mode.outside)
        found = whole(visible(document.root) if unknown else document.root)
        if self.mode.transactions == "deferred" and self.mode.snapshot and len(self.documents) == 1:
            return found, document.snapshot()[1], document.clock
        return found

    def close(self) -> None:
        for companions in self.companions:
            if companions is not None:
                companions.close()
        for document in self.documents:
            document.close()


SEVERAL = {
    "deep_copy", "prune", "comment_text", "instruction", "swap", "one_edit", "beside", "in_callback", "callback_fails",
    "in_callback_anything",
    "from_document", "to_document", "every", "observe_mixed",
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

    go_on = Judge.go_on


def run(mode: Mode, count: int, seed: int, *, steps: int = 40, odd: bool = True) -> Counter[str]:
    """``count`` edits of documents that are new every ``steps`` edits; returns how often each call was made.

    ``odd``: also edits of odd kinds, of which some bring nodes of other classes in every mode.
    """
    calls: Counter[str] = Counter()
    for number, done in enumerate(range(0, count, steps)):
        each = Run(mode, seed * 1_000_003 + number, odd=odd)
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
    modes = EVERY
    share = -(-count // len(modes))
    logging.getLogger("xmlcep").setLevel(
        logging.ERROR
    )  # names within themselves are left out, of which it says so
    gc.collect()
    gc.freeze()  # the modes that collect garbage look at their documents only, not at all that is loaded
    total: Counter[str] = Counter()
    for mode, calls in each_mode(share, seed):
        events = calls.pop("events", 0)
        total += calls
        print(f"{sum(calls.values()):6} edits, {events:7} events: {mode}", flush=True)
    print(f"{sum(total.values())} edits in {len(modes)} modes, {len(total)} kinds of calls: no difference")


def each_mode(share: int, seed: int) -> Iterator[tuple[Mode, Counter[str]]]:
    for number, mode in enumerate(EVERY):
        yield mode, run(mode, share, seed * 1_000 + number)  # else modes would make the same choices


if __name__ == "__main__":
    main()
