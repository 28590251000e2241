"""The triggering graph is that of comparing every rule with every other; so is what is found by location."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.actions.random_rules import graph_of, random_rules
from xmlcep.actions import triggering
from xmlcep.actions.effects import effects_of, wants_of
from xmlcep.rules import Rules
from xmlcep.xpath.locations import ATTRIBUTE, ELEMENT, GAP, TEXT, Item, Kind, Location, LocationIndex, overlap


def edges(rules: Rules) -> dict[str, tuple[str, ...]]:
    """Which rule may trigger which, one by one."""
    assert rules.triggers is not None
    programs, graph = rules.triggers.programs, rules.triggers.graph
    effects = {rule.name: effects_of(rule) for rule in programs}
    wants = {rule.name: wants_of(rule.tree, graph) for rule in programs}

    def may_trigger(a: str, b: str) -> bool:
        waiting = wants[b]
        if waiting is None:
            return bool(effects[a])
        return any(want.meets(effect) for want in waiting for effect in effects[a])

    return {a: tuple(b for b in wants if may_trigger(a, b)) for a in effects}


def conflicts(rules: Rules) -> list[tuple[str, str, str]]:
    """Rules whose order can make a difference, pair by pair."""
    assert rules.triggers is not None
    programs, graph = rules.triggers.programs, rules.triggers.graph
    writes = {rule.name: {each.place for each in effects_of(rule)} for rule in programs}
    reads = {rule.name: triggering._reads(rule) for rule in programs}
    found = []
    for first, second in combinations(programs, 2):
        a, b = first.name, second.name
        wants, others = (wants_of(rule.tree, graph) for rule in (first, second))
        if wants is not None and others is not None and not any(x.shares(y) for x in wants for y in others):
            continue
        whys = [
            (writes[a], writes[b], "both write the same"),
            (writes[a], reads[b], f"{a} writes what {b} reads"),
            (writes[b], reads[a], f"{b} writes what {a} reads"),
        ]
        why = next((why for xs, ys, why in whys if any(overlap(x, y) for x in xs for y in ys)), None)
        if why is not None and first.definition.priority == second.definition.priority:
            found.append((a, b, why))
    return found


@settings(max_examples=30)
@given(st.integers(0, 1_000_000))
def test_any_rules(seed: int) -> None:
    rules = random_rules(seed, 12)
    graph = graph_of(rules)
    assert graph.edges == edges(rules), str(rules)
    assert [(each.first, each.second, each.why) for each in graph.conflicts] == conflicts(rules), str(rules)


PARTS = [None, "", "p"]
ELEMENTS = [ELEMENT, *(Item(Kind.ELEMENT, uri, local) for uri in PARTS for local in (None, "a", "b"))]
LAST = [TEXT, ATTRIBUTE, Item(Kind.ATTRIBUTE, "", "a"), Item(Kind.ATTRIBUTE, "", "b")]


@st.composite
def locations(draw: st.DrawFn) -> Location:
    """Elements and gaps, perhaps a text or an attribute at the end."""
    items = draw(st.lists(st.one_of(st.just(GAP), st.sampled_from(ELEMENTS)), max_size=4))
    last = draw(st.one_of(st.none(), st.sampled_from(LAST)))
    return tuple(items) if last is None or not items else (*items, last)


@settings(max_examples=150)
@given(st.lists(locations(), max_size=12), st.lists(locations(), max_size=3))
def test_whatever_overlaps_is_found(stored: list[Location], asked: list[Location]) -> None:
    found = LocationIndex((location, number) for number, location in enumerate(stored)).near(asked)
    overlapping = {
        number for number, place in enumerate(stored) if any(overlap(place, each) for each in asked)
    }
    assert overlapping <= found


def test_what_ends_otherwise_is_not_asked() -> None:
    """That is what it is for: of many names only those that fit are found."""
    names = [Item(Kind.ELEMENT, "", f"n{number}") for number in range(50)]
    index = LocationIndex(((GAP, name, last), name.local) for name in names for last in (TEXT, ATTRIBUTE))
    assert index.near([(GAP, names[7], TEXT)]) == {"n7"}
    assert index.near([(names[3], names[8], Item(Kind.ATTRIBUTE, "", "x"))]) == {"n8"}
    assert len(index.near([(GAP, names[7], GAP, TEXT)])) == 50
