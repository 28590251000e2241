"""Operands that never meet, against all paths there are: random rules over random schemas.

The schemas have types that name each other, so that one name has several types and elements stand in themselves. The
second opinion writes down all paths of a schema to some depth, as plain tuples, and asks of every node whether the
rule could be raised there.

``python -m tests.schema.test_meetings SEED ROUNDS`` does more of it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
import xmlschema

from xmlcep import RuleError, parse_rules
from xmlcep.schema import check_rules

NAMES = ("a", "b", "c", "d")
DEEPEST = 12
LONGEST = 6_000
"""More paths than that are too many to look at."""

_LIFETIMES = ("nothing happens to the same", "only once", "has no duration", "never begins after it")
"""What is said of the order of events and of how long they last, whatever their places."""

Path = tuple[str, ...]


class Type(NamedTuple):
    """What is in an element: types by the names of children, attributes, whether it has text."""

    children: dict[str, int]
    attributes: tuple[str, ...]
    text: bool


def random_types(choose: random.Random) -> list[Type]:
    count = choose.randint(2, 5)
    return [
        Type(
            {name: choose.randrange(count) for name in choose.sample(NAMES, choose.choice((0, 1, 1, 2, 2)))},
            tuple(choose.sample(("k", "l"), choose.choice((0, 0, 1)))),
            choose.random() < 0.4,
        )
        for _ in range(count)
    ]


def as_schema(types: list[Type]) -> str:
    written = []
    for number, each in enumerate(types):
        children = "".join(
            f'<xs:element name="{name}" type="T{type_}" minOccurs="0" maxOccurs="unbounded"/>'
            for name, type_ in each.children.items()
        )
        attributes = "".join(f'<xs:attribute name="{name}"/>' for name in each.attributes)
        mixed = ' mixed="true"' if each.text else ""
        written.append(
            f'<xs:complexType name="T{number}"{mixed}><xs:choice minOccurs="0" maxOccurs="unbounded">'
            f"{children}</xs:choice>{attributes}</xs:complexType>"
        )
    return (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="r" type="T0"/>'
        f"{''.join(written)}</xs:schema>"
    )


def all_paths(types: list[Type]) -> list[Path] | None:
    """The paths of all nodes down to `DEEPEST` steps; None if they are too many."""
    found: list[Path] = []

    def visit(path: Path, number: int) -> None:
        found.append(path)
        inside = types[number]
        found.extend((*path, f"@{name}") for name in inside.attributes)
        if inside.text:
            found.append((*path, "text()"))
        if len(path) < DEEPEST and len(found) < LONGEST:
            for name, child in inside.children.items():
                visit((*path, name), child)

    visit(("r",), 0)
    return found if len(found) < LONGEST else None


# the second opinion


def steps(path: str) -> tuple[bool, Path]:
    return path.startswith("/"), tuple(path.strip("/").split("/"))


def fits(path: Path, wanted: str) -> bool:
    """E2: the path is the wanted one, or ends with it."""
    absolute, own = steps(wanted)
    return path == own if absolute else path[-len(own) :] == own


def group(path: Path, taken: str, wanted: str) -> Path | None:
    """P10: the part of the path, which what is taken ends, up to where the wanted one lies in it."""
    own = path[len(path) - len(steps(taken)[1]) :]
    first = ends_in(own, wanted, absolute=taken.startswith("/"))
    if first:
        return path[: len(path) - len(own) + first[0]]
    anywhere = ends_in(path, wanted, absolute=True)
    return path[: anywhere[-1]] if anywhere else None


def ends_in(path: Path, wanted: str, *, absolute: bool) -> list[int]:
    """Where the wanted one ends in a path, or a part of one."""
    from_root, own = steps(wanted)
    ends = [i for i in range(len(own), len(path) + 1) if path[i - len(own) : i] == own]
    return [i for i in ends if absolute and i == len(own)] if from_root else ends


class Node(NamedTuple):
    """A rule as a tree: a leaf has a ``path`` and what it takes (``""``: insertions, else an event), an operator a path
    and ``parts``."""

    kind: str
    path: str
    parts: tuple[Node, ...] = ()
    takes: str = ""

    def text(self, *, is_root: bool = False) -> str:
        if self.kind == "leaf":
            return f"{self.takes or 'ins'}({self.path})"
        inner = [part.text() for part in self.parts]
        options = "" if is_root else f"{{path={self.path}}}"
        if self.kind.startswith("any"):
            return f"{self.kind}{options}({', '.join(inner)})"
        if self.kind.startswith("x"):
            return f"{self.kind}{options} {inner[0]}"
        joined = f" {self.kind} ".join(inner)
        return joined if is_root else f"({joined}){options}"


def raised_at(node: Node, paths: Iterable[Path], events: dict[str, set[Path]]) -> set[Path]:
    """The paths of the nodes at which it can be raised."""
    if node.kind == "leaf":
        known = events[node.takes] if node.takes else paths
        return {path for path in known if fits(path, node.path)}
    groups = [
        {
            at
            for path in raised_at(part, paths, events)
            if (at := group(path, part.path, node.path)) is not None
        }
        for part in node.parts
    ]
    if node.kind.startswith("x[0"):
        return {path for path in paths if fits(path, node.path)}
    needed = 1 if node.kind == "|" else int(node.kind[4]) if node.kind.startswith("any") else len(groups)
    everywhere = set[Path]().union(*groups)
    return {path for path in everywhere if sum(path in each for each in groups) >= needed}


def random_rule(choose: random.Random, paths: list[Path]) -> tuple[str, Iterator[tuple[str, Node]]]:
    """A rules text of one or two events, and these."""
    elements = [path for path in paths if not path[-1].startswith(("@", "text"))]

    def some_path(among: list[Path]) -> str:
        path = choose.choice(among)
        if choose.random() < 0.15 and len(path) < 4:
            return "/" + "/".join(path)
        cut = choose.choice([length for length in (1, 1, 2, 2, 3) if length <= len(path)])
        own = path[-cut:]
        if choose.random() < 0.15:
            own = tuple(
                choose.choice(NAMES) if step in NAMES and choose.random() < 0.5 else step for step in own
            )
        return "/".join(own)

    def leaf(used: str) -> Node:
        path = some_path(paths)
        if used and choose.random() < 0.35:
            return Node("leaf", some_path(elements), (), used)
        return Node("leaf", path)

    def operator(depth: int, used: str) -> Node:
        kind = choose.choice(("&", "&", ";", "|", "x[1,*]", "x[0,2]", "any[2]", "during"))
        count = 1 if kind.startswith("x") else 2 if kind == "during" else choose.randint(2, 3)
        parts = tuple(
            operator(depth - 1, used) if depth and choose.random() < 0.3 else leaf(used) for _ in range(count)
        )
        if choose.random() < 0.5:  # a path that has to do with that of the first operand
            _, own = steps(parts[0].path)
            own = tuple(step for step in own if not step.startswith(("@", "text")))
            if own:
                return Node(kind, "/".join(own[: choose.randint(1, len(own))]), parts)
        return Node(kind, some_path(elements if choose.random() < 0.8 else paths), parts)

    rules = [("A", operator(1, ""))]
    if choose.random() < 0.5:
        rules.append(("B", operator(1, "A")))
    text = "\n".join(f"event {name}({node.path}) = {node.text(is_root=True)}" for name, node in rules)
    return text, iter(rules)


def nodes_of(node: Node) -> Iterator[Node]:
    yield node
    for part in node.parts:
        yield from nodes_of(part)


@cache
def loaded(text: str) -> Any:
    return xmlschema.XMLSchema10(text)


def compare(seed: int) -> str | None:
    """What the two opinions were: ``raised``, ``never``; None if the rules are none; raises if they differ."""
    choose = random.Random(seed)
    types = random_types(choose)
    paths = all_paths(types)
    if paths is None:
        return None
    text, rules = random_rule(choose, paths)
    try:
        parsed = parse_rules(text)
    except RuleError:
        return None
    problems = [problem.message for problem in check_rules(parsed, loaded(as_schema(types)))]
    events: dict[str, set[Path]] = {}
    never = False
    for name, node in rules:
        events[name] = raised_at(node, paths, events)
        said = [
            message
            for message in problems
            if message.startswith(f"event {name}:") and not any(words in message for words in _LIFETIMES)
        ]
        parts = [part for part in nodes_of(node) if part is not node]
        for part in parts:
            uses_dead = any(each.takes and not events[each.takes] for each in nodes_of(part))
            if not raised_at(part, paths, events) and not uses_dead:
                never = True
                assert said or nearer(part, paths, events), (
                    f"{seed}: {part.text()} is nowhere, and nothing is said\n{text}\n{as_schema(types)}"
                )
        if not events[name]:
            never = True
            used = any(part.takes and not events[part.takes] for part in parts)
            assert said or used or nearer(node, paths, events), (
                f"{seed}: {name} is never raised, and nothing is said\n{text}\n{as_schema(types)}"
            )
        elif all_meet(node, paths, events):
            assert not said, (
                f"{seed}: {name} can be raised, and it is said: {said}\n{text}\n{as_schema(types)}"
            )
    return "never" if never else "raised"


def nearer(node: Node, paths: list[Path], events: dict[str, set[Path]]) -> bool:
    """Whether what an operand takes says nothing of the operator's node, and several of these lie above it: that
    another one lies nearer is not looked at."""
    return any(
        not ends_in(steps(part.path)[1], each.path, absolute=part.path.startswith("/"))
        and any(len(ends_in(path, each.path, absolute=True)) > 1 for path in raised_at(part, paths, events))
        for each in nodes_of(node)
        for part in each.parts
    )


def all_meet(node: Node, paths: list[Path], events: dict[str, set[Path]]) -> bool:
    """Whether every operand of every operator can be in a group of it, and every operator raise something."""
    if node.kind == "leaf":
        return bool(raised_at(node, paths, events))
    parts = all(
        all_meet(part, paths, events)
        and any(group(path, part.path, node.path) is not None for path in raised_at(part, paths, events))
        for part in node.parts
    )
    return parts and bool(raised_at(node, paths, events))


@pytest.mark.parametrize("seed", range(700_001, 700_101))
def test_what_never_meets_is_said_and_nothing_else(seed: int) -> None:
    compare(seed)


if __name__ == "__main__":
    first, rounds = map(int, sys.argv[1:3])
    outcomes: dict[str, int] = {}
    for seed in range(first, first + rounds):
        try:
            outcome = str(compare(seed))
        except AssertionError as error:
            print(error)
            outcome = "different"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(outcomes)
