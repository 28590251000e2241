"""Random edits through every public call, judged one by one (see `judge`)."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from tests.wrapping.long_run import CALLING, COMPANY, MODES, OWN, STARTING, Mode, run
from xmlcep.events import PrimitiveEvent
from xmlcep.wrapping import fromstring
from xmlcep.wrapping.shadow import mutations


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
