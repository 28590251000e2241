"""Rules replaced while they run: rules A over the beginning of a history, rules B from there on (rule G7).

``python -m tests.laws.replacing 1 3000 dense late`` compares the engine with the reference evaluator, as
`tests.laws.long_run` does, in the modes that it has; a mode's rules are divided into those before and those after.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from tests.anew import draw_anew
from tests.laws.agreement import as_record, as_the_engine_sees, rank_of, rules_of, take
from tests.laws.long_run import MODES
from tests.reference import Evaluation, Raise
from tests.reference.clock import TimeUnknown
from tests.reference.graph import depends, evaluation_order
from tests.spec.languages import COMPILE
from tests.strategies import DOCUMENTS, SNOOP, History, show_history, show_rules
from xmlcep.algebra import EventDefinition
from xmlcep.documents import Replica
from xmlcep.engine import Detector
from xmlcep.engine.errors import UnknownTimeError
from xmlcep.errors import RuleError
from xmlcep.events import PrimitiveEvent

Definitions = tuple[EventDefinition, ...]


class Case(NamedTuple):
    """The rules before and after, the history, before which of its steps they are replaced, and how."""

    before: Definitions
    after: Definitions
    steps: tuple[Any, ...]
    cut: int
    flush: bool
    from_the_beginning: bool

    def __str__(self) -> str:
        kind = "flush" if self.flush else "drop"
        return "\n".join(
            [
                "before:", show_rules(self.before), "after:", show_rules(self.after),
                show_history(History(self.steps)),  # type: ignore[arg-type]
                f"replaced before step {self.cut}, {kind}{', since the beginning' * self.from_the_beginning}",
            ]
        )  # fmt: skip


def cuts(steps: Sequence[Any]) -> list[int]:
    """Before which steps rules may be replaced: not within an edit or a transaction, nor before its flush (D3)."""
    found = [0]
    last: PrimitiveEvent | None = None
    for place, step in enumerate(steps):
        if isinstance(step, PrimitiveEvent):
            last = step
        following = steps[place + 1] if place + 1 < len(steps) else None
        txn = following.txn if isinstance(following, PrimitiveEvent) else None
        goes_on = last is not None and (last.more or (txn is not None and txn == last.txn))
        if not goes_on and following != "flush":
            found.append(place + 1)
    return found


@st.composite
def cases(draw: st.DrawFn, mode: str) -> Case:
    """A set of rules of which some are there before, some after, some both; some are another one after."""
    definitions, history = draw(MODES[mode])
    before, after = _some(draw, definitions), _some(draw, definitions)
    if after and draw(st.integers(0, 2)) == 0:
        changed = draw(st.sampled_from(after))
        other = replace(changed, context=draw(st.sampled_from(SNOOP)))
        after = tuple(other if each is changed else each for each in after)
    if draw(st.booleans()):
        after = after[::-1]
    for each in (before, after):
        try:
            assume(bool(each))
            rules_of(each)
        except RuleError:
            assume(False)
    seen = tuple(map(as_the_engine_sees, history.steps))
    between = cuts(seen)
    # An external event ends the edit (L7), for those that take it.
    steps = tuple(
        step
        for place, step in enumerate(seen)
        if place in between or _is_known(before)(step) == _is_known(after)(step)
    )
    return Case(
        before, after, steps, draw(st.sampled_from(cuts(steps))), draw(st.booleans()), draw(st.booleans())
    )


def _some(draw: st.DrawFn, definitions: Definitions) -> Definitions:
    """Some of them, with all that they use."""
    wanted = [each for each in definitions if draw(st.integers(0, 3))]
    for each in reversed(evaluation_order(definitions)):
        if any(depends(one, each) for one in wanted) and each not in wanted:
            wanted.append(each)
    return tuple(each for each in definitions if each in wanted)


def difference(case: Case) -> str:
    """At which step engine and reference differ first; empty if they do not."""
    before, after, steps, cut, flush, from_the_beginning = case
    evaluation = Evaluation(before, references=DOCUMENTS, languages=COMPILE)
    detector = _detector(before)
    rank = rank_of(before)
    want: list[Any] = []
    have: list[Any] = []
    for place, step in enumerate([*steps, "close"]):
        if place == cut:
            past, seen = None, None
            if from_the_beginning:
                past, seen = Evaluation(after, references=DOCUMENTS, languages=COMPILE), _detector(after)
                for each in filter(_is_known(after), steps[:cut]):
                    past.take(each)
                    take(seen, each)
            answer = detector.replace(
                rules_of(after), on_removed="flush" if flush else "drop", document=_document(after, steps[:cut]),
                past=seen,
            )  # fmt: skip
            want = evaluation.replace(after, answer.kept, flush=flush, past=past)
            have = sorted(map(as_record, answer.raised), key=rank)
            if want != have:
                return f"{case}\nwhen replaced ({answer!r}): {want}\n{have}"
            rank, want, have = rank_of(after), [], []
            detector._check()
        if not _is_known(before if place < cut else after)(step):
            continue
        try:
            want = want + evaluation.take(step)
        except TimeUnknown:  # the rules before did not ask for it, and the last record has none (W1)
            with suppress(UnknownTimeError):
                return f"{case}\nat step {place}: no time is known, and {take(detector, step)}"
            return ""
        have = have + [as_record(each) for each in take(detector, step)]
        if isinstance(step, PrimitiveEvent) and step.more:
            continue
        have.sort(key=rank)
        want.sort(key=rank)
        if want != have:
            return f"{case}\nat step {place}:\n{want}\n{have}"
        want, have = [], []
    return ""


def _is_known(definitions: Definitions) -> Callable[[Any], bool]:
    """Whether a step is one for these rules: who raises an external event asks the rules before (L7)."""
    names = {each.name for each in definitions}
    return lambda step: not isinstance(step, Raise) or step.name in names


def _detector(definitions: Definitions) -> Detector:
    return Detector(rules_of(definitions), operators=True)


def _document(definitions: Definitions, steps: Sequence[Any]) -> Replica | None:
    """The document after these steps, if rules of these definitions need it."""
    needs = _detector(definitions).needs
    if needs is None:
        return None
    document = Replica(needs=needs)
    document.apply_edit(step for step in steps if isinstance(step, PrimitiveEvent))
    return document


def differences(mode: str, first: int, count: int) -> list[str]:
    """What differs in so many cases of a mode, the shortest first."""
    found: list[str] = []

    def look(case: Case) -> None:
        text = difference(case)
        if text:
            found.append(text)

    draw_anew(cases(mode), first, count, look)
    return sorted(found, key=len)


def main(arguments: list[str]) -> int:
    first, count, *modes = arguments
    status = 0
    for mode in modes or MODES:
        found = differences(mode, int(first), int(count))
        print(f"{mode}: {count} cases, {len(found)} with a difference", flush=True)
        if found:
            print(found[0], flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
