"""Completion events of schemas of many kinds, in random edits of random documents, against xmlschema.

``python -m tests.schema.test_unusual_schemas SEED ROUNDS`` does more of it and prints what was judged.
"""

from __future__ import annotations

import copy
import random
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lxml import etree

import xmlcep
from path_types.endings import ByEnding
from tests.schema.compared_with_validation import Comparer
from tests.schema.instances import NoDocument, library, random_document
from tests.schema.test_deletions import edits, enough
from tests.schema.validation import Node, left_out, nodes_of, outcome, random_order
from xmlcep.engine import Detector
from xmlcep.rules import Rules
from xmlcep.schema import derive

FOLDER = Path(__file__).with_name("unusual")
SCHEMAS = sorted(folder.name for folder in FOLDER.iterdir())
"""What the generated ones lack: several files, groups, substitution, abstract and derived types, nil, XSD 1.1."""

_EARLY = (
    "to a limited depth",
    "asks only whether",
    "it counts for each of them",
)
"""Comments on events that may come early."""


class Wrong(NamedTuple):
    """A completion that the judge does not see, or one that was not told."""

    schema: str
    seed: int
    what: str


@cache
def unusual(name: str) -> tuple[Any, Rules]:
    """The schema and the rules derived from it."""
    main = FOLDER / name / "main.xsd"
    return library(main), derive(main, xsi_type="all")


def nodes(name: str, choose: random.Random) -> list[Node] | None:
    """The nodes of a random document; None if it is not one to judge: up to six children all orders can be tried."""
    schema, _ = unusual(name)
    try:
        root = random_document(schema, choose)
    except NoDocument:
        return None
    found = nodes_of(root, schema)
    return found if 2 <= len(found) <= 30 and max(map(len, root.iter("*"))) <= 6 else None


def inserted(name: str, seed: int, said: Counter[str]) -> list[Wrong]:
    """A document without some of its parts, inserted in a random order."""
    choose = random.Random(seed)
    schema, rules = unusual(name)
    whole = nodes(name, choose)
    if whole is None:
        return []
    kept = left_out(whole, choose.sample(whole[1:], min(choose.choice((0, 0, 1, 2)), len(whole) - 1)))
    compared = Comparer(rules).compare(kept, outcome(random_order(kept, choose), rules, schema))
    said["judged"] += compared.right + len(compared.wrong)
    early = any(remark in (rules.text or "") for remark in _EARLY)
    return [
        Wrong(name, seed, f"{path} complete at {expected}, raised at {raised}")
        for path, expected, raised in compared.wrong
        if not (early and len(raised) == 1 and (not expected or raised < expected))
    ]


def edited(name: str, seed: int, said: Counter[str]) -> list[Wrong]:
    """A document whose nodes come, go and come again: who is complete is so then, and was said to be at the end."""
    choose = random.Random(seed)
    schema, rules = unusual(name)
    whole = nodes(name, choose)
    if whole is None:
        return []
    early = any(remark in (rules.text or "") for remark in _EARLY)
    detector = Detector(rules)
    told: set[int] = set()
    there: dict[int, Node] = {}
    present: frozenset[Node] = frozenset()
    wrong = []
    for change, node, present in edits(whole, choose):
        if change.op == "ins":
            there[change.ids[-1]] = node
        for composite in detector.feed(change):
            element = composite.ids[-1]
            said["judged"] += 1
            if element in told:
                wrong.append(Wrong(name, seed, f"twice: {composite}"))
            told.add(element)
            if not early and not enough(there[element], present, schema):
                wrong.append(Wrong(name, seed, f"early: {composite}"))
        if change.op == "del":
            del there[change.ids[-1]]
    places = ByEnding({tree.path: tree for tree in rules.graph.trees if tree.name.startswith("Complete")})
    for element, node in there.items():
        if any(places.of(node.path)) and enough(node, present, schema):
            said["judged"] += element not in told
            if element not in told:
                wrong.append(Wrong(name, seed, f"not told: {node.path}"))
    return wrong


@pytest.mark.parametrize("name", SCHEMAS)
def test_complete_means_that_it_is_complete(name: str) -> None:
    said: Counter[str] = Counter()
    for seed in range(40):
        assert [*inserted(name, seed, said), *edited(name, seed, said)] == []
        if seed >= 2 and said["judged"] > 20:
            break
    assert said["judged"] > 20


STRAIGHT = ("abstract-types", "redefine", "nillable", "simple-types", "mixed-and-empty")
"""Schemas without rounds and wildcards."""


class Doubled(NamedTuple):
    """Children that were put there twice: ``told`` that they are too many, and whether xmlschema finds their parent
    wrong only then."""

    told: bool
    wrong: bool


@cache
def too_many(name: str) -> Rules:
    """The rules that say of what there is too many, and others."""
    return derive(FOLDER / name / "main.xsd", violations=True)


def doubled(name: str, seed: int) -> list[Doubled]:
    """Elements of a random document, each copied behind itself for a moment."""
    choose = random.Random(seed)
    schema, _ = unusual(name)
    rules = too_many(name)
    try:
        document = xmlcep.fromstring(etree.tostring(random_document(schema, choose), encoding="unicode"))
    except NoDocument:
        return []

    def wrong(parent: Any) -> bool:
        return any(error.elem is parent for error in schema.iter_errors(document.root))

    told: list[str] = []
    found = []
    elements = [element for element in document.root.iter("*") if element is not document.root]
    only = [tree.name for tree in rules.graph.trees if tree.name.startswith("TooMany")]
    with document.watch(rules, only=only, on_event=lambda each: told.append(each.name)):
        for element in choose.sample(elements, min(3, len(elements))):
            parent = element.getparent()
            was_wrong = wrong(parent)
            told.clear()
            element.addnext(copy.deepcopy(element))
            found.append(Doubled(bool(told), wrong(parent) and not was_wrong))
            parent.remove(element.getnext())
    return found


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_too_many_is_wrong(name: str) -> None:
    found = [each for seed in range(6 if name in STRAIGHT else 2) for each in doubled(name, seed)]
    assert all(each.wrong for each in found if each.told)
    if name in STRAIGHT:
        assert any(each.told for each in found)
        assert all(each.told for each in found if each.wrong)


def main(first: int, rounds: int) -> None:
    """Prints a line for each schema, and what was wrong."""
    total: Counter[str] = Counter()
    for name in SCHEMAS:
        said: Counter[str] = Counter()
        wrong = []
        for seed in range(first, first + rounds):
            wrong += [*inserted(name, seed, said), *edited(name, seed, said)]
        print(f"{name}: {said['judged']} judged, {len(wrong)} wrong")
        for each in wrong[:5]:
            print(f"  {each.seed}: {each.what}")
        total += said
        total["wrong"] += len(wrong)
    print(f"{total['judged']} judged, {total['wrong']} wrong")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
