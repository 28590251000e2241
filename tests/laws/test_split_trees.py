"""Trees evaluated by several detectors, which hand composites on, raise what one detector of all does."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.laws.agreement import rules_of
from tests.strategies import SNOOP, History, histories, rule_sets, show_history
from xmlcep.algebra import EventDefinition, Termination
from xmlcep.engine import Detector
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.rules import Rules, parse_rules
from xmlcep.rules.trees import EventTree

LEVELS = 3


def levels(draw: st.DrawFn, rules: Rules) -> list[list[EventTree]]:
    """The trees in a random level each, not below those they use; what may raise at a flush in the last."""
    at_events: set[int] = set()
    level_of: dict[int, int] = {}
    for tree in rules.graph.trees:
        lowest = max((level_of[used] for used in tree.dependencies), default=0)
        own = all(operator.termination is Termination.EARLIEST for operator in tree.operators)
        if own and at_events.issuperset(tree.dependencies):
            at_events.add(tree.index)
            level_of[tree.index] = draw(st.integers(lowest, LEVELS - 1))
        else:
            level_of[tree.index] = LEVELS - 1
    found: list[list[EventTree]] = [[] for _ in range(LEVELS)]
    for tree in rules.graph.trees:
        found[level_of[tree.index]].append(tree)
    return found


def shuffled(composites: Sequence[CompositeEvent], seed: int) -> list[CompositeEvent]:
    """In another order, but for what one tree raised for one node (G2: raise order)."""

    def origin(composite: CompositeEvent) -> tuple[str, tuple[int, ...]]:
        return composite.name, composite.ids

    parts = [list(part) for _, part in groupby(sorted(composites, key=origin), key=origin)]
    choice = random.Random(seed)
    found = []
    while parts:
        part = choice.choice(parts)
        found.append(part.pop(0))
        parts = [part for part in parts if part]
    return found


class Split:
    """One detector for the trees of each level."""

    def __init__(self, rules: Rules, parts: Sequence[Sequence[EventTree]], seed: int) -> None:
        self.detectors = [
            Detector(rules, operators=True, trees=[tree.name for tree in part]) for part in parts
        ]
        self.seed = seed
        self.handed_on = 0

    def take(self, edit: Sequence[PrimitiveEvent | str]) -> list[CompositeEvent]:
        """Takes an edit, or another step, level by level; gives what all raised.

        What is raised at the end of an edit belongs to a time point within it (U2): there the next level gets it.
        """
        raised: list[CompositeEvent] = []
        for detector in self.detectors:
            # That none is to come is said of findings, not of what others are made of.
            roots = [composite._replace(ended=False) for composite in raised if composite.operator is None]
            for step in edit:
                ts = step.ts if isinstance(step, PrimitiveEvent) else None
                there = [composite for composite in roots if composite.ts == ts]
                raised += took(detector, step, shuffled(there, self.seed))
            self.handed_on += len(roots)
            detector._check()
        return raised

    def size(self) -> int:
        """How many events all of them store."""
        return sum(detector.size() for detector in self.detectors)


def took(
    detector: Detector, step: PrimitiveEvent | str, composites: Sequence[CompositeEvent] = ()
) -> list[CompositeEvent]:
    """What a detector raises when it takes a step."""
    if isinstance(step, PrimitiveEvent):
        return detector.feed(step, composites)
    return detector.flush() if step == "flush" else detector.close()


def in_order(rules: Rules, composites: Sequence[CompositeEvent]) -> list[CompositeEvent]:
    """The order of the findings file; stable, so raise order where that says nothing."""
    ranks = {tree.name: tree for tree in rules.graph.trees}

    def rank(composite: CompositeEvent) -> tuple[int, int, tuple[int, ...]]:
        tree = ranks[composite.name]
        labels = [operator.label for operator in tree.operators]
        operator = len(labels) if composite.operator is None else labels.index(composite.operator)
        return tree.index, operator, composite.ids

    return sorted(composites, key=rank)


def edits(steps: Iterable[PrimitiveEvent | str]) -> Iterator[list[PrimitiveEvent | str]]:
    """The records of each edit together (U1, U2), other steps by themselves."""
    edit: list[PrimitiveEvent | str] = []
    for step in steps:
        last = edit[-1] if edit else None
        if isinstance(last, PrimitiveEvent):
            goes_on = last.more and isinstance(step, PrimitiveEvent) and step.txn == last.txn
            if not goes_on:
                yield edit
                edit = []
        edit.append(step)
        if not isinstance(step, PrimitiveEvent):
            yield edit
            edit = []
    if edit:
        yield edit


def check(rules: Rules, history: History, data: st.DataObject, seed: int) -> None:
    """Takes a history through one detector and through several, and compares them at every step."""
    whole = Detector(rules, operators=True)
    split = Split(rules, data.draw(st.composite(levels)(rules)), seed)
    for edit in edits((*history.steps, "close")):
        expected = [composite for step in edit for composite in took(whole, step)]
        at = f"{rules}\n{show_history(history)}\nat {edit[0]}"
        assert in_order(rules, split.take(edit)) == in_order(rules, expected), at
        assert split.size() == whole.size(), at
    event("composites handed on" if split.handed_on else "nothing handed on")


@pytest.mark.parametrize("ends", [(Termination.EARLIEST,), tuple(Termination)])
@settings(max_examples=50, deadline=None)
@given(data=st.data(), history=histories(min_actions=4, max_actions=20), seed=st.integers(0, 5))
def test_split_trees_raise_the_same(
    ends: tuple[Termination, ...], data: st.DataObject, history: History, seed: int
) -> None:
    """At every step, in the same order; and no more is kept (G2, G4)."""
    definitions: tuple[EventDefinition, ...] = data.draw(rule_sets(max_events=4, max_depth=2, ends=ends))
    check(rules_of(definitions), history, data, seed)


# Trees that are used much, by one another and by trees that wait, take back, fill up or look at the document.
REUSED = """
event Made(order) = ins(item)
event Lost(order) = del(item) | del(price)
event Filled(item) = ins(item) ; (ins(item/price) & ins(item/quantity))
event Some(item) = x[0,*] *(item/price)
event Sane(item) {when="count(price) >= count(quantity)"} = ins(item/price) & ins(item/quantity)
event Pairs(order) {context=CONTEXT} = Filled(item) & Made(order)
event Late(order) {end=custom} = x[1,2]{path=order} Filled(item) | Lost(order)
event Never(item) {context=CONTEXT} = Some(item) ; Filled(item)
event Moves(order) {context=CONTEXT} = Made(order) ; Lost(order) ; x[0,1]{path=order} Sane(item)
event Left(order) {end=non-local, context=CONTEXT} = Pairs(order) & Moves(order)
event Far {flat, context=CONTEXT} = Made(order) & Pairs(order) & x[0,2]{path=order} Some(item)
event Whatever(order) {context=CONTEXT} = Made(order) & ?(item)
"""


@settings(max_examples=30, deadline=None)
@given(
    context=st.sampled_from([name.value for name in SNOOP]),
    data=st.data(),
    history=histories(min_actions=4, max_actions=12),
    seed=st.integers(0, 5),
)
def test_much_reused_trees(context: str, data: st.DataObject, history: History, seed: int) -> None:
    """The same of rules in which nearly every tree uses another."""
    check(parse_rules(REUSED.replace("CONTEXT", context)), history, data, seed)
