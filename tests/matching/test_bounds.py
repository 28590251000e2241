"""Worst cases: large lists that are equal, reversed, shuffled, or have nothing in common; the result is stated."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.matching.trees import canonical
from xmlcep.matching import Contents, Matching, applying, match, outline

SIZE = 3_000


def matched(old: list[str], new: list[str]) -> Matching:
    contents = Contents()
    return match(*(outline(tree(items), contents) for items in (old, new)))


def tree(items: list[str]) -> Any:
    return etree.fromstring(f"<r>{''.join(items)}</r>")


def kept(matching: Matching) -> int:
    [site] = [site for site in matching.sites if site.old == 0]
    return len(site.kept)


def test_equal_siblings() -> None:
    found = matched(["<a/>"] * SIZE, [*["<a/>"] * (SIZE // 2), "<b/>", *["<a/>"] * SIZE])
    assert kept(found) == SIZE


def test_equal_siblings_of_two_kinds_in_any_order() -> None:
    """More repeats than are all compared: coarser than the longest common run, and never less than half of it."""
    random = Random(5)
    old, new = ([random.choice(("<a/>", "<b/>")) for _ in range(SIZE)] for _ in range(2))
    assert kept(matched(old, new)) > SIZE * 0.5


def test_known_siblings_reversed() -> None:
    items = [f'<a id="{number}"/>' for number in range(SIZE)]
    found = matched(items, items[::-1])
    assert (kept(found), len(found.moved)) == (1, SIZE - 1)


def test_unknown_siblings_with_nothing_in_common() -> None:
    found = matched([f"<a>old{n}</a>" for n in range(SIZE)], [f"<a>new{n}</a>" for n in range(SIZE)])
    assert (kept(found), len(found.moved)) == (0, 0)


def test_every_sibling_changed() -> None:
    """Too many to compare all with all: what only one on either side says shows which is which."""
    old = [f'<row stamp="1"><n>name {number}</n><c>red</c></row>' for number in range(SIZE)]
    new = [row.replace('stamp="1"', 'stamp="2"') for row in old[100:]]
    found = matched(old, new)
    assert kept(found) == SIZE - 100
    assert {site.old - site.new for site in found.sites[1:]} == {100 * 3}


@pytest.mark.parametrize("hides", [True, False])
def test_many_moves_are_made_at_once(monkeypatch: pytest.MonkeyPatch, hides: bool) -> None:
    monkeypatch.setattr(applying, "MOST_SINGLE_MOVES", 1_000)
    items = [f'<a id="{number}"><b/>x</a>' for number in range(100)]
    document = xmlcep.wrap(tree(items).getroottree(), ignore_whitespace=hides)
    events: list[xmlcep.PrimitiveEvent] = []
    document.subscribe(events.append)
    new = tree(items[::-1])
    assert document.update_to(new) == len(events) == 99 * 4 * 2
    assert {
        event.meta["moved-to" if event.op == "del" else "moved-from"] for event in events if event.meta
    } == {"/r"}
    assert canonical(document.root) == canonical(new)
    document._check()
    document.close()
