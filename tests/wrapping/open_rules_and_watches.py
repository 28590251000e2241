"""What is open on a document while it is edited: action rules, and a watch. Each has its judge.

What they know of the document, live, beside transactions that are undone, must be what a detector knows that has been
fed nothing but what the document told; and what the watch has found must be what that one finds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.actions.random_rules import random_rules
from xmlcep import CascadeError, Rules, parse_rules
from xmlcep.documents import Replica
from xmlcep.engine import Detector
from xmlcep.errors import XmlCepError
from xmlcep.events import CompositeEvent, PrimitiveEvent

WATCHED_TEXT = """
event Kept {if="not(@k) and count(*) < 3"} = (ins(a))
event Said(a) {if="count(//a) > 1"} = *(a/text()) ; *(a//)
event Pair(/r) {end=custom} = ins(b) & (del(a) | upd(b/@k)) {path=/r}
event Lost(item) {end=non-local} = ins(item) ; not ins(item/@k)
event Below(/r) = x[2,3] *(r//*)
event Gone(/r) {context=continuous, if="*[2]"} = del(a) ; (ins(a) | ins(c)) {path=/r}
event P(a) = external
event Passed(/r) = x[2,2] P(a)
"""
WATCHED = parse_rules(WATCHED_TEXT)
"""Events that ask the document, keep something of it, and end in every way."""

Step = Callable[[Rules, Detector], list[CompositeEvent]]


class Heard:
    """A listener that writes down what it hears, as steps of a detector of some rules."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def _on_change(self, event: PrimitiveEvent) -> None:
        self.steps.append(lambda rules, detector: detector.feed(event))

    def _on_commit(self, txn: int) -> None:
        self.steps.append(lambda rules, detector: detector.flush())

    def _on_raised(self, event: CompositeEvent) -> None:
        self.steps.append(
            lambda rules, detector: detector.raise_external(event) if rules.takes_external(event) else []
        )

    def _on_together(self, count: int) -> None:
        pass

    def _on_advance(self, at: str) -> None:
        self.steps.append(lambda rules, detector: detector.advance(at))


class Companions:
    """A watch, and sets of random action rules, on one document.

    ``strict``: an endless cascade undoes the application's edit, too. ``errors`` are what rules have failed with.
    """

    def __init__(self, document: Any, seed: int, *, strict: bool = False, sets: int = 1) -> None:
        self.document = document
        self.errors: list[XmlCepError] = []
        self.heard = Heard()
        document.attach(self.heard)
        self.start = document.snapshot()
        self.watch = document.watch(WATCHED, keep=None)
        self.rules = [random_rules(seed + number) for number in range(sets)]
        self.acting = [
            document.rules(rules, on_error=self.errors.append, limit=6, firings=40, strict=strict)
            for rules in self.rules
        ]
        self.fed = Detector(WATCHED, document=self._replica(WATCHED, None))
        self.found: list[CompositeEvent] = []
        self.told = [self._afresh(rules) for rules in self.rules]

    def _replica(self, rules: Rules, trees: Any) -> Replica | None:
        needs = Detector(rules, trees=trees).needs
        return None if needs is None else Replica.from_snapshot(*self.start, needs=needs)

    def _afresh(self, rules: Rules) -> Detector:
        triggers = rules.triggers
        assert triggers is not None
        only = replace(rules, graph=triggers.graph)
        return Detector(only, trees=triggers.trees, document=self._replica(only, triggers.trees))

    def check(self) -> None:
        """Raises AssertionError where live is something else than what the document told."""
        steps, self.heard.steps = self.heard.steps, []
        for step in steps:
            self.found += step(WATCHED, self.fed)
            for rules, detector in zip(self.rules, self.told, strict=True):
                step(rules, detector)
        found = [str(each) for each in self.found]
        assert [str(each) for each in self.watch.findings] == found, "live finds something else"
        assert state(self.watch._detector) == state(self.fed), "the watch knows something else"
        for acting, detector in zip(self.acting, self.told, strict=True):
            live = state(acting._set.history.detector)
            assert live == state(detector), f"rules know something else:\n{live}\n{state(detector)}"
        for error in self.errors:
            if not isinstance(error, CascadeError):
                assert "what the rule did is undone" in str(error), error
        self.errors.clear()

    def close(self) -> None:
        """Closes all of it; the document is as it was before."""
        for acting in self.acting:
            acting.close()
        self.watch.close()
        self.document.detach(self.heard)


def state(detector: Detector) -> Any:
    """All that a detector knows, without its digest: what is made of this may leave out more.

    How many flushes there have been is left out: rules that fire at the end of a transaction are flushed in each round
    of it (L4), of which the log has one end.
    """
    copy = detector.copy()
    copy._clock.flushes = 0
    known = copy.to_state()
    del known["digest"]
    return json.dumps(known, sort_keys=True)
