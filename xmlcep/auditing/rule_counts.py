"""How many records each rule takes: counted where they are replayed, by operation and path, and reported by rule.

A rule takes a record if one of its leaves does: the record is compatible with the leaf's type (E2) and projects
on the path type of the leaf's operator (H1; not asked of a flat rule, H2); or if it can turn an expression true (B1).
Which rules these are depends on nothing but operation and path, so that is all a replay has to count by.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from path_types import PathType

from ..engine.dispatch import select
from ..events import PrimitiveType
from ..rules import Rules

RecordType: TypeAlias = tuple[str, PathType]
"""Operation and absolute path type."""
RecordCounts: TypeAlias = Mapping[RecordType, int]
"""How many records of an operation and absolute path type were replayed."""


def type_of(text: str) -> tuple[str, PathType]:
    """Operation and path from one text.

    >>> type_of("ins /order/item")
    ('ins', PathType.parse('/order/item'))
    """
    op, _, path = text.partition(" ")
    return op, PathType.parse(path)


def records_by_rule(
    rules: Rules, replayed: RecordCounts, names: Collection[str] | None = None
) -> dict[str, int | None]:
    """By rule, all of them or those of these ``names``: how many of the records it takes, each counted once.

    None for a rule that takes no records itself, but the events of other rules only.
    """
    trees = rules.graph.trees
    found = {tree.index: 0 for tree in trees if names is None or tree.name in names}
    active = select(rules.graph, None)
    for type_, count in replayed.items():
        meaning = active.by_type[type_]
        steps = () if meaning is None else meaning.steps
        taking = {index for index, plan in steps if plan.deliveries}
        taking.update(touch.place[0] for touch in active.becoming[type_])
        for index in taking & found.keys():
            found[index] += count
    return {
        trees[index].name: count
        if any(isinstance(type_, PrimitiveType) for type_ in trees[index].seen().values())
        else None
        for index, count in found.items()
    }
