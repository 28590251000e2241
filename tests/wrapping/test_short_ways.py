"""The short ways of frequent edits tell what the general way tells, event by event."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.event_oracle import whole
from tests.wrapping.mutator import START, Mutator
from xmlcep.wrapping import fromstring
from xmlcep.wrapping.calls import edits, lxml_methods
from xmlcep.wrapping.shadow.shadow import ShadowTree


def edited(seed: int, steps: int, *, snapshot: bool) -> tuple[list[Any], list[str], Any]:
    """What is told of random edits, what each of them said, and what the document is then."""
    with fromstring(START, now=lambda: 0.0) as document:
        if snapshot:
            document.snapshot()
        events: list[Any] = []
        document.subscribe(events.append)
        mutator = Mutator(document.root, Random(seed))
        said = [mutator.step() for _ in range(steps)]
        document._check()
        return events, said, whole(document.root)


def general(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every edit goes the general way."""
    monkeypatch.setattr(ShadowTree, "fast_path", False)


@pytest.mark.parametrize("snapshot", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_random_edits_are_told_alike(seed: int, snapshot: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    short = edited(seed, 60, snapshot=snapshot)
    general(monkeypatch)
    assert edited(seed, 60, snapshot=snapshot) == short


def test_each_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above compares two ways: these edits are made without the general one."""
    monkeypatch.delattr(edits, "put")
    monkeypatch.delattr(lxml_methods, "born")
    with fromstring("<r/>") as document:
        root = document.root
        events: list[Any] = []
        document.subscribe(events.append)
        document.snapshot()
        root.append(etree.Element("b"))
        root.append(etree.fromstring("<c>x</c>"))
        etree.SubElement(root, "e")
        assert [f"{event.op} {event.path}" for event in events] == [
            "ins /r/b", "ins /r/c", "ins /r/c/text()", "ins /r/e",
        ]  # fmt: skip
