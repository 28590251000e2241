"""Random edits through every public call, judged one by one (see `judge`)."""

from __future__ import annotations

import gc
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from lxml import etree

from tests.wrapping.event_oracle import Judge
from tests.wrapping.long_run import CALLING, COMPANY, MODES, OWN, SEVERAL, STARTING, Mode, run
from tests.wrapping.mutator import START, Mutator
from xmlcep.events import PrimitiveEvent
from xmlcep.wrapping import fromstring
from xmlcep.wrapping.shadow import mutations

NAMES = [call.__name__ for call in dict.fromkeys(Mutator(None, Random(0)).calls)]


class Edits(RuleBasedStateMachine):
    """A wrapped document under random edits; every step is judged."""

    hold = True

    def __init__(self) -> None:
        super().__init__()
        self.document = fromstring(START)
        self.judge = Judge(self.document)
        self.mutator = Mutator(self.document.root, Random(0), hold=self.hold)

    @rule(name=st.sampled_from(NAMES), seed=st.integers(0, 2**32))
    def edit(self, name: str, seed: int) -> None:
        """One call, its choices made from the seed."""
        self.mutator.random = Random(seed)
        self.mutator.calls = [getattr(self.mutator, name)]
        self.mutator.step()
        if not self.hold:
            self.mutator.detached.clear()
            gc.collect()

    @invariant()
    def told(self) -> None:
        """The events are what changed, and nothing else; records and tree are in step."""
        several = self.mutator.name in SEVERAL or bool(self.document.foreign)
        self.document.catch_up()  # elements of lxml.html may be there
        self.judge.check(several=several, moves=self.mutator.moves)
        self.document._check()

    def teardown(self) -> None:
        self.document.close()


class EditsHoldingNothing(Edits):
    """The same with no proxies held and a garbage collection after every step."""

    hold = False


TestEdits = Edits.TestCase
TestEdits.settings = settings(max_examples=12, stateful_step_count=25)
TestEditsHoldingNothing = EditsHoldingNothing.TestCase
TestEditsHoldingNothing.settings = settings(max_examples=3, stateful_step_count=10)


@pytest.mark.parametrize(
    ("seed", "mode"),
    [
        pytest.param(*each, id=str(each[1]))
        for each in enumerate((*MODES, *COMPANY[::3], *CALLING, *STARTING, *OWN))
    ],
)
def test_many_edits(seed: int, mode: Mode) -> None:
    calls = run(mode, 12, seed)
    assert sum(calls.values()) >= 12


@pytest.mark.parametrize("seed", range(6))
def test_positions_in_long_lists_of_children(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Near the beginning of a long list the nodes before are looked at, elsewhere lxml counts."""
    monkeypatch.setattr(mutations, "_FEW", 1)
    monkeypatch.setattr(mutations, "_MANY", 3)
    run(Mode(), 40, 700_100 + seed)


def test_an_insertion_near_the_beginning_looks_at_no_node_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """With many children lxml would need longer to count them than the edit takes."""
    document = fromstring("<r>" + "<a>1</a>2" * 2_000 + "</r>")
    events: list[PrimitiveEvent] = []
    document.root.set("k", "v")
    document.subscribe(events.append)
    count = mutations.number_of_children

    def counted(node: Any) -> Any:
        assert node is not document.root, "counts all"
        return count(node)

    monkeypatch.setattr(mutations, "number_of_children", counted)
    for index in (0, 1, 5):
        document.root.insert(index, etree.Element("b"))
    assert [event.pos for event in events] == [0, 1, 8]
    document._check()
