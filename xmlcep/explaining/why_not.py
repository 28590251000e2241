"""Why an event was not raised: the first reason on each branch, the most promising group first (rule Y3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from contexts.entry import AT, EVENT
from contexts.grouping import Key

from ..engine.composer import instance_at
from ..events import CompositeEvent
from .answers import Answers
from .evidence import Evidence
from .groups import TreeGroups
from .nodes import times
from .reasons import Reason
from .values import Cause, Explanation, PendingGroup

SHOWN = 3
"""How many groups an answer shows."""


class _Candidate(NamedTuple):
    """A group that an answer may be about; the greater, the more promising."""

    fraction: float
    leaves: int
    unraised: bool
    latest: int
    place: int
    key: Key


def why_not(
    evidence: Evidence, *, doc: str = "", places: Collection[int] | None = None, since: int = 0,
    limit: int = SHOWN,
) -> Explanation:  # fmt: skip
    """Why the event of this evidence was not raised, or not again; with ``places``, nodes of groups, only there.

    What was raised before time point ``since`` is no answer.
    """
    name = evidence.name
    answers = Answers(evidence, cause_for)
    groups = answers.groups()
    candidates = _candidates(evidence, groups, places)
    if not candidates:
        return _nowhere(answers, groups, doc, places)
    shown = [_reasoned(answers, groups, candidate, doc) for candidate in candidates[:limit]]
    best, cause = shown[0]
    raised = [
        event for event in evidence.raised_in(evidence.tree.root, candidates[0].key) if event.ts >= since
    ]
    if cause is None and raised:
        answer = f"{name} was raised at {best.node}: {evidence.nodes.event_in_full(raised[-1])}"
    elif cause is None:
        answer = f"{name} was not raised at {best.node}"
    else:
        again = " again" if raised else ""
        answer = f"{name} was not raised{again} at {best.node}: {cause}"
    notes = []
    if raised and cause is not None:
        notes.append(
            f"It was raised there {times(len(raised))}, last {evidence.nodes.event_in_full(raised[-1])}."
        )
    if len(candidates) > limit:
        notes.append(f"{len(candidates) - limit:,} other groups have something of it.")
    return Explanation("why-not", name, doc, answer, cause, tuple(group for group, _ in shown), tuple(notes))


def cause_for(evidence: Evidence) -> Cause | None:
    """The one reason for an event, as one that is in the reason for another."""
    return why_not(evidence, limit=1).cause


def _nowhere(answers: Answers, groups: TreeGroups, doc: str, places: Collection[int] | None) -> Explanation:
    """Nothing has arrived in any group, or in none of those asked about."""
    evidence = answers.evidence
    deleted = [evidence.deleted[place] for place in places or () if place in evidence.deleted]
    key = None
    if places and not evidence.tree.root.by_value and not evidence.tree.flat:
        key = next(iter(places))
    group = groups.group(key, doc)
    cause = group.part.first_cause()
    if cause is None:
        path = evidence.nodes.path(evidence.tree.tree.path)
        cause = Cause(Reason.NEVER_OCCURRED, f"nothing has occurred for which it could be raised at {path}")
    if deleted:
        cause = answers.of_deleted(deleted[0])
    where = "" if not places else f" at {group.node}"
    answer = f"{evidence.name} was not raised{where}" + ("" if cause is None else f": {cause}")
    return Explanation("why-not", evidence.name, doc, answer, cause, (group,))


def _candidates(evidence: Evidence, groups: TreeGroups, places: Collection[int] | None) -> list[_Candidate]:
    """The groups in which anything has arrived, the most promising first."""
    root = evidence.tree.root
    keys: dict[int, list[Key]] = {}
    for key in groups.root_keys():
        keys.setdefault(root.grouping.place_of(key), []).append(key)
    found = []
    for place in {**evidence.arrived, **keys, **evidence.forbidden, **evidence.raised}:
        if places is not None and place not in places:
            continue
        here = evidence.arrived.get(place, {})
        latest = max((entries[-1][AT] for entries in here.values()), default=0)
        own = keys.get(place)
        if own is None:
            own = [_key_without_state(evidence, place)]
        for key in own:
            fraction = groups.shares.of(root, key).fraction if place in keys else 0.0
            unraised = not evidence.raised_in(root, key)
            found.append(_Candidate(fraction, len(here), unraised, latest, place, key))
    found.sort(key=lambda one: one[:4], reverse=True)
    return found


def _key_without_state(evidence: Evidence, place: int) -> Key:
    """The key of a group that stores nothing: of several at a place, by value, that of the last arrival."""
    root = evidence.tree.root
    if not root.by_value:
        return place
    last = [
        (entry[AT], operand, entry)
        for (operator, operand), entries in evidence.arrived.get(place, {}).items()
        for entry in entries[-1:]
        if operator == root.node.index and operand not in root.node.definition.optional_binders
    ]
    for _, operand, entry in sorted(last, key=lambda one: one[:2], reverse=True):
        key = evidence.key_of(root, operand, entry)
        if key is not None:
            return key
    return (place, *("" for _ in root.values.program.grouping.names))


def _reasoned(
    answers: Answers, groups: TreeGroups, candidate: _Candidate, doc: str
) -> tuple[PendingGroup, Cause | None]:
    """A group and the one reason: everything there and a guard that was false, its node gone, else the first one on
    the first branch."""
    evidence = answers.evidence
    group = groups.group(candidate.key, doc)
    if not group.ids and not evidence.tree.flat:
        group = _named(evidence, candidate.place, group)
    cause = group.part.first_cause()
    root = evidence.tree.root
    raised = evidence.raised_in(root, candidate.key)
    if raised and not group.share.satisfied and _is_settled(evidence, candidate, raised):
        return group, None
    guarded = answers.guarded(root, candidate.key)
    unanswered = cause is None and not raised
    if guarded is not None and (unanswered or not group.share.satisfied):
        return group, guarded
    gone = None if evidence.tree.flat else evidence.deleted.get(candidate.place)
    if gone is not None and (cause is None or cause.reason is not Reason.CONSUMED):
        cause = answers.of_gone(candidate.key, candidate.place, gone, group.missing)
    return group, cause


def _is_settled(evidence: Evidence, candidate: _Candidate, raised: Sequence[CompositeEvent]) -> bool:
    """Whether all that has arrived in a group is part of what was raised there."""
    used = {id(event) for composite in raised for event in composite.flattened()}
    return all(
        id(entry[EVENT]) in used
        for (operator, _), entries in evidence.arrived.get(candidate.place, {}).items()
        for entry in entries
        if not isinstance(entry[EVENT], CompositeEvent)
    )


def _named(evidence: Evidence, place: int, group: PendingGroup) -> PendingGroup:
    """A group that stores nothing, called by what has arrived there, was forbidden, or was raised of nothing (M4)."""
    arrived = [entries[0][EVENT] for entries in evidence.arrived.get(place, {}).values()]
    forbidden = [composite for _, composite, _ in evidence.forbidden.get(place, ())]
    for event in (*arrived, *forbidden, *evidence.raised.get(place, ())):
        if place in event.ids:
            path, ids = instance_at(event, place)
            return replace(group, path=path, ids=ids, node=evidence.nodes.name(path, ids))
    return group
