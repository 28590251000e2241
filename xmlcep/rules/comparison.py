"""What two sets of rules have in common: event trees, known by digests of what they say and use (G7)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ..language import print_definitions
from .ruleset import Rules
from .trees import EventTree

_PREFIX = re.compile(r"([\w.-]+):(?!:)")


class Comparison(NamedTuple):
    """The names of events, in the order in which the later rules (of those ``removed`` the earlier ones) have them.

    ``kept``: both have the same tree; ``changed``: both have the event, and it is another tree; ``new`` and
    ``removed``: only one has it.
    """

    kept: tuple[str, ...]
    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def ended(self) -> tuple[str, ...]:
        """The events whose former trees end."""
        return (*self.changed, *self.removed)

    @property
    def begun(self) -> tuple[str, ...]:
        """The events whose trees are not there before."""
        return (*self.changed, *self.new)


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> Comparison:
    """The comparison of two sets of trees, given by their digests (see `tree_digests`)."""
    both = [name for name in after if name in before]
    return Comparison(
        tuple(name for name in both if after[name] == before[name]),
        tuple(name for name in after if name not in before),
        tuple(name for name in both if after[name] != before[name]),
        tuple(name for name in before if name not in after),
    )


def tree_digests(rules: Rules) -> dict[str, str]:
    """The digest of each event tree, by the name of its event.

    Trees with equal digests have the same state after the same events: it is that of the definition, without what it
    says to people (Y10), of the namespaces, reference documents and parameters in its expressions, of the trees that it
    uses, and of whether it has to keep times and variables for trees that use it.
    """
    graph = rules.graph
    timed = {tree.index for tree in graph.with_used(tree for tree in graph.trees if tree.needs_time)}
    found: dict[str, str] = {}
    for tree in graph.trees:  # what a tree uses comes before it (G2)
        used = [found[graph.trees[index].name] for index in tree.dependencies]
        said = _text(rules, tree), used, tree.extended, tree.measured, tree.index in timed
        found[tree.name] = hashlib.sha256(repr(said).encode()).hexdigest()
    return found


def _text(rules: Rules, tree: EventTree) -> tuple[object, ...]:
    """The definition with its names written out, and what the names in its expressions mean; not what it says to
    people (Y10)."""
    text = print_definitions((replace(tree.definition, severity=None, message=None),))
    expressions = list(rules.graph.expressions(tree))
    prefixes = {"", *_PREFIX.findall(text)} if expressions or any(rules.graph.opaque_texts(tree)) else set()
    variables = {name for expression in expressions for name in expression.variables}
    return (
        text,
        sorted((prefix, uri) for prefix, uri in rules.namespaces.items() if prefix in prefixes),
        sorted((name, each.digest) for name, each in rules.documents.items() if name in variables),
        sorted((each.name, each.value) for each in rules.parameters if f"${each.name}" in text),
    )
