"""A transaction that fails leaves no trace: neither in the document nor in what rules have seen (rules L4, L6)."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.actions.random_rules import random_edit, random_rules
from xmlcep import Rules

BEGIN = 1_767_225_600.0


class _FailedError(Exception):
    pass


def life(rules: Rules, seed: int, *, fails: bool) -> tuple[str, list[str], int]:
    """What random edits make of a document, which rules fired, and its clock; ``fails``: with transactions between them
    that are undone."""
    chance, now, fired = random.Random(seed), [BEGIN], []
    doc = xmlcep.fromstring("<r><a x='1'>t<b/></a><b y='1'><c/></b><c/></r>", name="d", now=lambda: now[0])
    with doc.rules(
        rules,
        on_fire=lambda record: fired.append(record.rule),
        on_error=lambda error: None,
        limit=12,
        firings=200,
    ) as acting:
        for _ in range(12):
            kind, own, other = chance.random(), *(random.Random(chance.random()) for _ in range(2))
            now[0] += chance.choice((0, 1, 3))
            if fails and other.random() < 0.5:
                told = len(fired)
                undone(doc, other)
                del fired[told:]
            if kind < 0.3:
                with doc.transaction(user="ann"):
                    random_edit(doc.root, own)
                    random_edit(doc.root, own)
            elif kind < 0.4:
                now[0] += 1
                doc.advance(datetime.fromtimestamp(now[0], UTC))
            else:
                random_edit(doc.root, own)
        acting.flush()
    doc._check()
    return etree.tostring(doc.root, encoding="unicode"), fired, doc.clock


def undone(doc: Any, chance: random.Random) -> None:
    """A transaction that fails; the document is as it was."""
    before, clock = etree.tostring(doc.root), doc.clock
    with pytest.raises(_FailedError), doc.transaction():
        for _ in range(chance.randint(1, 3)):
            random_edit(doc.root, chance)
        raise _FailedError
    assert (etree.tostring(doc.root), doc.clock) == (before, clock)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_undone_was_never_seen(seed: int) -> None:
    rules = random_rules(seed)
    assert life(rules, seed, fails=True) == life(rules, seed, fails=False), str(rules)
