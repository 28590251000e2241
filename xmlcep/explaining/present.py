"""Questions to a detector that is running: what it has stored, and the findings that are at hand, are all it knows
(rules Y2, Y3, Y5). What a whole history has shown is for those who have a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from contexts.entry import EVENT
from path_types import PathType

from ..arguments import COMPOSITE, check
from ..engine.setting import Setting
from ..engine.tree import TreeState
from ..errors import ArgumentError
from ..events import CompositeEvent, PrimitiveEvent
from ..rules.trees import LeafNode
from .evidence import Evidence
from .nodes import Nodes


def evidence_now(
    trees: Mapping[int, TreeState],
    setting: Setting,
    event: str,
    nodes: Nodes,
    findings: Iterable[CompositeEvent],
) -> Evidence:
    """The evidence for an event that the state of trees is, with these findings.

    Raises `ValueError` for an event that no tree defines.
    """
    by_name = {tree.tree.name: tree for tree in trees.values()}
    if not isinstance(event, str) or event not in by_name:
        raise ArgumentError(f"{event!r} is not an event of these rules: expected one of {', '.join(by_name)}")
    types: Counter[tuple[str, PathType]] = Counter()
    known = {name: Evidence(tree, setting, types, nodes, is_partial=True) for name, tree in by_name.items()}
    given = list(findings)
    for finding in given:
        check("why_not()", findings=(finding, COMPOSITE))
    composites = {id(one): one for finding in given for one in _composites(finding)}
    primitives = {id(one): one for finding in given for one in finding.flattened()}
    for evidence in known.values():
        evidence.used = known
        for one in sorted(primitives.values(), key=lambda each: each.ts):
            evidence.note(one)
        for composite in sorted(composites.values(), key=lambda each: each.ts):
            evidence.note_composite(composite)
        for stored in _note_stored(evidence):
            types[stored.op, stored.path] += 1
    return known[event]


def _composites(event: CompositeEvent) -> Iterator[CompositeEvent]:
    """A composite and those in it."""
    yield event
    for constituent in event.constituents:
        if isinstance(constituent, CompositeEvent):
            yield from _composites(constituent)


def _note_stored(evidence: Evidence) -> Iterator[PrimitiveEvent]:
    """Notes what the operators of a tree have stored at their leaves; returns the primitive events."""
    for state in evidence.tree.states:
        for key in list(state.group_keys()):
            for operand, (child, entries) in enumerate(
                zip(state.node.children, state.account(key).stored, strict=False)
            ):
                if not isinstance(child, LeafNode):
                    continue
                for entry in entries:
                    event = entry[EVENT]
                    place = evidence.place_at((state.node.index, operand), event)
                    if place is None:
                        continue
                    at = evidence.arrived.setdefault(place, {}).setdefault((state.node.index, operand), [])
                    if not any(one[EVENT] is event for one in at):
                        at.append(entry)
                        at.sort(key=lambda one: one[EVENT].ts)
                    if isinstance(event, PrimitiveEvent):
                        yield event
