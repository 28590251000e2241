"""Rules that act beside transactions that are undone visibly (L4, P7), and empty ones (D3)."""

from __future__ import annotations

import pytest

import xmlcep


def fired(rules: str, *, fails: bool) -> list[str]:
    """What fires where an `a` is inserted in an immediate transaction, which may fail, and a `b` in the next."""
    document = xmlcep.fromstring("<r/>")
    names: list[str] = []
    root = document.root
    acting = document.rules(
        xmlcep.parse_rules(rules), actions={"tell": lambda firing: names.append(firing.rule)}
    )
    with acting:
        try:
            with document.transaction(immediate=True):
                root.append(root.makeelement("a"))
                if fails:
                    raise KeyError("a")
        except KeyError:
            pass
        with document.transaction():
            root.append(root.makeelement("b"))
    return names


WAITING = [
    'rule R on (ins(a)) {coupling=commit} do call "tell"',
    'rule R on ((ins(a) | del(a)) {end=custom, path=/r}) do call "tell"',
]


@pytest.mark.parametrize("rules", WAITING)
def test_what_an_undone_transaction_would_fire_does_not_fire_in_the_next(rules: str) -> None:
    assert fired(rules, fails=False) == ["R"]
    assert fired(rules, fails=True) == []


def test_a_transaction_without_records_flushes_nothing() -> None:
    document = xmlcep.fromstring("<r/>")
    names: list[str] = []
    rules = xmlcep.parse_rules('rule R on ((ins(a) | del(a)) {end=custom, path=/r}) do call "tell"')
    with document.rules(rules, actions={"tell": lambda firing: names.append(firing.rule)}):
        root = document.root
        root.append(root.makeelement("a"))
        with document.transaction():
            pass
        assert names == []  # no log has it, so that an audit would find nothing either
        with document.transaction():
            root.set("k", "1")
        assert names == ["R"]
